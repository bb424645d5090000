//! Keys that LLaMA-Factory, Axolotl and OpenRLHF take only together with others.

use super::RULE;
use crate::frameworks::{self, Check, refusals};
use crate::{Context, Sink};
use vramlint_resolve::Kind;

const CHECKS: &[(Kind, Check)] = &[
    (Kind::Axolotl, refusals::axolotl::context_without_flash),
    (Kind::LlamaFactory, refusals::llamafactory::streaming),
    (Kind::LlamaFactory, refusals::llamafactory::evaluation),
    (Kind::LlamaFactory, refusals::llamafactory::reward),
    (Kind::LlamaFactory, refusals::llamafactory::deepspeed_without_launcher),
    (Kind::OpenRlhf, refusals::openrlhf::data),
    (Kind::OpenRlhf, refusals::openrlhf::asynchronous),
];

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run(cx, &RULE, CHECKS, out);
}

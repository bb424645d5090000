//! Keys that LLaMA-Factory, Axolotl and OpenRLHF take only together with others.

use crate::frameworks::{self, Check, refusals};
use crate::syntax_and_keys::missing_key::RULE;
use crate::{Context, Sink};
use vramlint_resolve::FileKind;

const CHECKS: &[(FileKind, Check)] = &[
    (FileKind::Axolotl, refusals::axolotl::context_without_flash),
    (FileKind::LlamaFactory, refusals::llamafactory::streaming),
    (FileKind::LlamaFactory, refusals::llamafactory::evaluation),
    (FileKind::LlamaFactory, refusals::llamafactory::reward),
    (FileKind::LlamaFactory, refusals::llamafactory::deepspeed_without_launcher),
    (FileKind::OpenRlhf, refusals::openrlhf::data),
    (FileKind::OpenRlhf, refusals::openrlhf::asynchronous),
];

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run(cx, &RULE, CHECKS, out);
}

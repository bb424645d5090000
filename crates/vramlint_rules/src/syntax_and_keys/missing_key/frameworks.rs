//! Keys that LLaMA-Factory, Axolotl and OpenRLHF take only together with others.

use crate::frameworks::{self, Check, refusals};
use crate::syntax_and_keys::missing_key::RULE;
use crate::{Context, Sink};
use vramlint_catalog::Dialect;

const CHECKS: &[(Dialect, Check)] = &[
    (Dialect::Axolotl, refusals::axolotl::context_without_flash),
    (Dialect::LlamaFactory, refusals::llamafactory::streaming),
    (Dialect::LlamaFactory, refusals::llamafactory::evaluation),
    (Dialect::LlamaFactory, refusals::llamafactory::reward),
    (Dialect::LlamaFactory, refusals::llamafactory::deepspeed_without_launcher),
];

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run(cx, &RULE, CHECKS, out);
}

//! Which of several types code takes: the GPU decides (`torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16`), or an option
//! names one (`{"fp16": …, "bf16": …}[args.amp]`).

use super::Mapping;
use super::setting_range::{plausible, setting};
use crate::capacity::gpu_of;
use vramlint_base::{Value, message};
use vramlint_catalog::Concept;
use vramlint_memory::setup::Dtype;
use vramlint_resolve::Origin;

/// Functions that ask the GPU: of torch, of unsloth, of transformers.
const QUESTIONS: [&str; 3] = ["is_bf16_supported", "is_bfloat16_supported", "is_torch_bf16_gpu_available"];

impl Mapping<'_> {
    /// The type of the GPU for a setting that may be either, where the code asks. A GPU that is not known computes in bf16, as all do since
    /// Ampere.
    pub(super) fn half_by_gpu(&mut self, concept: Concept) -> Option<Dtype> {
        let setting = setting(self.run, concept)?;
        let words = || plausible(setting).into_iter().filter_map(|candidate| candidate.known()?.as_str());
        let either = words().any(|word| word == "bf16") && words().any(|word| word == "fp16");
        let is_unknown = setting.winning().is_none_or(|candidate| candidate.known().and_then(Value::as_str).is_none());
        let is_open = either || concept == Concept::MixedPrecision && is_unknown;
        if !is_open || !QUESTIONS.iter().any(|question| self.code_calls(question)) {
            return None;
        }
        let old = gpu_of(self.target()).is_some_and(|gpu| !gpu.bf16);
        let (dtype, name) = if old { (Dtype::Fp16, "fp16") } else { (Dtype::Bf16, "bf16") };
        self.assume(message!(
            "the code asks the GPU for bf16: assuming {name}",
            "代码按 GPU 是否支持 bf16 选择类型：按 {name} 计"
        ));
        Some(dtype)
    }

    /// The precision that an option of the command names, where the code has several and that one is among them.
    pub(super) fn named_precision(&mut self) -> Option<Dtype> {
        let setting = setting(self.run, Concept::MixedPrecision).filter(|setting| setting.winning().is_none())?;
        let words = |of_command: bool| {
            let own = setting.candidates.iter().filter(move |one| matches!(one.origin, Origin::Flag { .. }) == of_command);
            own.map(|one| one.known().and_then(Value::as_str))
        };
        let named = words(true).next()?.filter(|name| words(true).all(|word| word == Some(name)))?;
        let offered = words(false).all(|word| word.is_some()) && words(false).any(|word| word == Some(named));
        let (dtype, name) = match named {
            "bf16" if offered => (Dtype::Bf16, named),
            "fp16" if offered => (Dtype::Fp16, named),
            _ => return None,
        };
        self.assume(message!(
            "the code has several precisions: assuming {name}, which the command names",
            "代码中有多种精度：按命令指定的 {name} 计"
        ));
        Some(dtype)
    }
}

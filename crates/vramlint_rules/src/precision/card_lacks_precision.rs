//! # card-lacks-precision
//!
//! bf16, TF32 or FlashAttention 2 is enabled on a GPU that does not support it.
//!
//! ## Why it matters
//! T4, V100 and the RTX 20 series support neither bf16 nor TF32: both came with Ampere. `TrainingArguments` raises an error for `tf32=True`
//! there, and FlashAttention 2 raises one when the first batch arrives. bf16 is accepted, because torch can create such tensors on these
//! GPUs, but it is computed without tensor cores and far slower than fp16. Old releases of torch reject it. TRL's configurations enable
//! bf16 by default unless fp16 is on.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", bf16=True, tf32=True)
//! ```
//!
//! ```toml file=vramlint.toml
//! [target]
//! gpu = "T4"
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", fp16=True)
//! ```
//!
//! ```toml file=vramlint.toml
//! [target]
//! gpu = "T4"
//! ```
//!
//! ## Fix
//! Unsafe: fp16 instead of bf16, no TF32, `sdpa` instead of FlashAttention 2.
//!
//! ## Severity
//! A warning for bf16, which still runs.
//!
//! ## When it stays silent
//! If `vramlint.toml` does not name the GPU, which is not visible otherwise. If `use_cpu` is set.
//!
//! ## Sources
//! transformers 5.23.0 `training_args.py`, `utils/import_utils.py:722` (`is_torch_tf32_available`: compute capability 8.0) and `:643` (bf16 is
//! what torch reports); torch 2.15.0 `cuda/__init__.py:244` (`is_bf16_supported` is true if a tensor can be created), read; trl 1.16.0
//! `trainer/base_config.py` turns bf16 on, run; FlashAttention's README: Ampere, Ada or Hopper. Not run on the GPUs themselves.
//!
//! # 中文
//!
//! 在不支持的 GPU 上启用了 bf16、TF32 或 FlashAttention 2。
//!
//! ## 为什么重要
//! T4、V100 和 RTX 20 系列既不支持 bf16，也不支持 TF32：两者自 Ampere 起才有。在这些 GPU 上，`TrainingArguments` 遇到 `tf32=True` 会报错，
//! FlashAttention 2 在第一个批次到来时报错。bf16 则会被接受，因为 torch 能在这些 GPU 上创建此类张量，但计算不经张量核心，远慢于 fp16；旧版 torch 会拒绝。
//! 除非启用了 fp16，TRL 的配置默认启用 bf16。
//!
//! ## 修复
//! 不安全：用 fp16 代替 bf16，不用 TF32，用 `sdpa` 代替 FlashAttention 2。
//!
//! ## 严重程度
//! bf16 为警告：仍可运行。
//!
//! ## 何时不报
//! `vramlint.toml` 没有指明 GPU 时不报告，因为无从得知项目在哪种 GPU 上训练；设置了 `use_cpu` 时也不报告。
//!
//! ## 来源
//! transformers 5.23.0 `training_args.py`、`utils/import_utils.py:722`（`is_torch_tf32_available`：计算能力 8.0）与 `:643`（bf16 以 torch 的回
//! 答为准）；torch 2.15.0 `cuda/__init__.py:244`（能创建张量时 `is_bf16_supported` 为真），已阅读；trl 1.16.0 `trainer/base_config.py` 会打开
//! bf16，已运行；FlashAttention 的 README：Ampere、Ada 或 Hopper。未在这些 GPU 上实际运行。

use crate::argument_findings::{ReportedFindings, finding, with_fix};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileId, Severity, Value, message};
use vramlint_catalog::gpus::{self, Gpu};
use vramlint_resolve::arguments::{ArgumentReader, ArgumentSet};
use vramlint_resolve::versions::{RangeMatch, VersionRange};
use vramlint_semantic::arguments::{is_trl, rename, set_to, trainings, written};
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL449", "card-lacks-precision", Severity::Error, page!("card_lacks_precision.rs"), check)
};

/// Compute capability of Ampere, in tenths.
const AMPERE: u32 = 80;

fn check(cx: &Context<'_>, out: &mut Sink) {
    if cx.project.files.iter().all(|file| old_gpu(cx, file.id).is_none()) {
        return;
    }
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project).filter(|set| set.reader != ArgumentReader::Unknown) {
        if let Some(gpu) = old_gpu(cx, set.file()).filter(|_| set.bool("use_cpu", false) == Some(false)) {
            arguments(cx, set, gpu, &mut reported, out);
        }
    }
    attention(cx, out);
}

/// The target GPU, if it is older than Ampere.
fn old_gpu(cx: &Context<'_>, file: FileId) -> Option<&'static Gpu> {
    let name = cx.project.policy(file).target.gpu.as_deref()?;
    let gpu = gpus::lookup(name)?.smallest();
    (gpu.compute_capability.is_some_and(|capability| capability < AMPERE) && !gpu.bf16).then_some(gpu)
}

fn arguments(cx: &Context<'_>, set: &ArgumentSet, gpu: &Gpu, reported: &mut ReportedFindings, out: &mut Sink) {
    let name = gpu.name;
    for key in ["bf16", "bf16_full_eval", "tf32"] {
        let Some(given) = set.get(key) else { continue };
        let on = given.value.as_ref().and_then(|value| set.bool_of(value)) == Some(true);
        if !on || !reported.insert(given.place, "") {
            continue;
        }
        let shown = written(cx.project, given);
        out.push(if key == "tf32" {
            let message = message!(
                "`{shown}`: the {name} does not support TF32, so TrainingArguments raises an error",
                "`{shown}`：{name} 不支持 TF32，TrainingArguments 会报错"
            );
            let found = finding(cx, set, &RULE, given.place, message).with_help(message!("remove it", "请删除"));
            with_fix(
                found,
                message!("write False", "改为 False"),
                Applicability::Unsafe,
                set_to(cx.project, given, &Value::Bool(false)),
            )
        } else {
            let other = key.replace("bf16", "fp16");
            let message = message!(
                "`{shown}`: the {name} does not support bf16; torch computes it without tensor cores or raises an error",
                "`{shown}`：{name} 不支持 bf16；torch 会不经张量核心计算，或报错"
            );
            let found = finding(cx, set, &RULE, given.place, message).with_severity(Severity::Warning);
            let found = found.with_help(message!("use `{other}`", "改用 `{other}`"));
            let edit = rename(cx.project, given, &other).filter(|_| set.lacks(&other));
            with_fix(found, message!("use `{other}`", "改用 `{other}`"), Applicability::Unsafe, edit)
        });
    }
    // TRL enables it if neither is set.
    let by_default = is_trl(set)
        && set.lacks("bf16")
        && set.bool("fp16", false) == Some(false)
        && cx.project.version_matches(set.file(), &VersionRange::since("trl", "0.19.1")) == RangeMatch::Always
        && set.reader == ArgumentReader::Call;
    if let Some(call) = set.library_call().filter(|call| by_default && !call.is_subclass && reported.insert(call.callee, "")) {
        let message = message!(
            "TRL enables bf16 unless fp16 is set, but the {name} does not support it; torch computes it slowly or raises an error",
            "除非设置 fp16，TRL 会启用 bf16，而 {name} 不支持；torch 会不经张量核心计算，或报错"
        );
        out.push(
            finding(cx, set, &RULE, call.callee, message)
                .with_severity(Severity::Warning)
                .with_help(message!("set `fp16=True`", "设置 `fp16=True`")),
        );
    }
}

/// FlashAttention 2 for a model that is loaded.
fn attention(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        let Some(gpu) = old_gpu(cx, call.file).filter(|_| calls::loads_model(call)) else { continue };
        let Some(argument) = call.argument("attn_implementation", None) else { continue };
        let Some((text, place)) = calls::text_value(argument).filter(|(text, _)| text.starts_with("flash_attention_")) else {
            continue;
        };
        if !out.mark_reported(place) {
            continue;
        }
        let name = gpu.name;
        let mut found = RULE
            .finding(
                place,
                message!(
                    "{text} needs Ampere or newer, but the GPU is a {name}; the first batch raises an error",
                    "{text} 需要 Ampere 或更新的 GPU，而此处为 {name}；第一个批次会报错"
                ),
            )
            .with_help(message!("use sdpa", "改用 sdpa"));
        if let Some(value) = argument.sole_value()
            && let Some(fix) = calls::replace_argument(argument, value, "\"sdpa\"", Applicability::Unsafe)
        {
            found = found.with_fix(fix);
        }
        out.push(found);
    }
}

//! # vllm-share-too-large
//!
//! vLLM shares the GPU with the trainer and reserves nearly all of it.
//!
//! ## Why it matters
//! In `colocate` mode, TRL's default since 1.0, vLLM runs on the GPUs that train. It reserves `vllm_gpu_memory_utilization` of the
//! GPU when it starts, for its weights and its cache. Weights, gradients, optimizer states and activations of the training must fit
//! into the rest: with 0.9 that is a tenth of the GPU, and the run ends with an out-of-memory error at startup or at the first
//! step.
//!
//! ## Example
//! ```python file=train.py
//! from trl import GRPOConfig
//!
//! args = GRPOConfig(output_dir="out", use_vllm=True, vllm_mode="colocate", vllm_gpu_memory_utilization=0.9)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from trl import GRPOConfig
//!
//! args = GRPOConfig(output_dir="out", use_vllm=True, vllm_mode="colocate", vllm_gpu_memory_utilization=0.3)
//! ```
//!
//! ## Fix
//! Unsafe: 0.3, TRL's default. With `vllm_enable_sleep_mode=True` vLLM releases its memory while the trainer works; a larger share
//! is then fine.
//!
//! ## When it stays silent
//! Up to a share of 0.7; with sleep mode; in `server` mode; when the mode is not set and the version of TRL, which decides it, is unknown.
//!
//! ## Sources
//! trl 1.16.0 `trainer/grpo_config.py` (0.3 by default; `colocate` since 1.0.0, `server` before), `generation/vllm_generation.py`, read.
//!
//! # 中文
//!
//! vLLM 与训练器共用 GPU，却预留了几乎全部显存。
//!
//! ## 为什么重要
//! 在 `colocate` 模式（TRL 1.0 起的默认值）下，vLLM 运行在训练所用的 GPU 上，启动时就占用 `vllm_gpu_memory_utilization` 比例的显存，用于权重和缓存。
//! 训练的权重、梯度、优化器和激活必须放进余下的部分：取 0.9 时只剩十分之一，运行会在启动或第一步时显存不足。
//!
//! ## 修复
//! 不安全：0.3，即 TRL 的默认值。设置 `vllm_enable_sleep_mode=True` 后，训练期间 vLLM 会归还显存，此时可用更大的比例。
//!
//! ## 何时不报
//! 比例不超过 0.7；启用休眠模式；`server` 模式；未设置模式，且决定模式的 TRL 版本未知。
//!
//! ## 来源
//! trl 1.16.0 `trainer/grpo_config.py`（默认 0.3；1.0.0 起为 `colocate`，之前为 `server`）、`generation/vllm_generation.py`，已阅读。

use crate::argument_findings::{ReportedFindings, finding, with_fix};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Severity, Value, message};
use vramlint_resolve::versions::{RangeMatch, VersionRange};
use vramlint_semantic::arguments::{GROUPS, set_to, sets_of, written};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory],
    ..Rule::new("VL911", "vllm-share-too-large", Severity::Warning, page!("vllm_share_too_large.rs"), check)
};

/// A share above which no model leaves room for its own training.
const MOST: f64 = 0.7;

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in sets_of(cx.project, GROUPS).filter(|set| set.bool("use_vllm", false) == Some(true)) {
        let colocated = match set.get("vllm_mode") {
            Some(given) => given.value.as_ref().and_then(Value::as_str) == Some("colocate"),
            None => !set.open && cx.project.version_matches(set.file(), &VersionRange::since("trl", "1.0")) == RangeMatch::Always,
        };
        let awake = set.bool("vllm_enable_sleep_mode", false) == Some(false);
        let Some(given) = set.get("vllm_gpu_memory_utilization").filter(|_| colocated && awake) else { continue };
        let Some(share) = given.value.as_ref().and_then(Value::as_float).filter(|share| *share > MOST && *share <= 1.0) else {
            continue;
        };
        if !reported.insert(given.place, "") {
            continue;
        }
        let shown = written(cx.project, given);
        let left = (1.0 - share) * 100.0;
        let message = message!(
            "{shown}: vLLM shares the GPU and leaves {left:.0} % of it for training",
            "{shown}：vLLM 与训练共用 GPU，只给训练留下 {left:.0}%"
        );
        let found = finding(cx, set, &RULE, given.place, message).with_help(message!(
            "lower it to 0.3, or let vLLM sleep during the step with `vllm_enable_sleep_mode`",
            "降到 0.3，或用 `vllm_enable_sleep_mode` 让 vLLM 在训练步中休眠"
        ));
        let edit = set_to(cx.project, given, &Value::Float(0.3));
        out.push(with_fix(found, message!("set it to 0.3", "改为 0.3"), Applicability::Unsafe, edit));
    }
}

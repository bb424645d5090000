//! # fsdp-without-wrap-policy
//!
//! FSDP without a policy that splits the model into units.
//!
//! ## Why it matters
//! Without `fsdp_auto_wrap_policy` accelerate uses `NO_WRAP`: the whole model is one unit, gathered for the first forward pass and
//! kept until the last backward pass. Every GPU then holds all parameters, and FSDP saves memory only for optimizer states and
//! between steps.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 2
//! fsdp_config:
//!   fsdp_version: 2
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 2
//! fsdp_config:
//!   fsdp_version: 2
//!   fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
//! ```
//!
//! ## When it stays silent
//! When the code mentions a wrap policy or its own plugin, or the command's environment sets one.
//!
//! ## Fix
//! Unsafe: `fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP` in the block.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/dataclasses.py:1909`, run: a missing key means `NO_WRAP`.
//!
//! # 中文
//!
//! FSDP 没有把模型切分成单元的策略。
//!
//! ## 为什么重要
//! 没有 `fsdp_auto_wrap_policy` 时 accelerate 使用 `NO_WRAP`：整个模型是一个单元，第一次前向就聚集全部参数，直到最后的反向才释放。此时每个 GPU 都持有完整参数，FSDP
//! 只节省优化器状态与步间的部分。
//!
//! ## 何时不报
//! 代码提到包装策略或自己的插件，或命令的环境给出策略时。
//!
//! ## 修复
//! 不安全：在该块中加入 `fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP`。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/dataclasses.py:1909`，实际运行：缺省即 `NO_WRAP`。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, FileRange, Finding, Severity, Value, message};
use vramlint_resolve::Feature;
use vramlint_semantic::accelerate::AccelerateLaunch;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory],
    ..Rule::new("VL503", "fsdp-without-wrap-policy", Severity::Warning, page!("fsdp_without_wrap_policy.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some(kind) = start.distributed_type().filter(|kind| kind.name == "FSDP") else { continue };
        let mut severity = Severity::Warning;
        let absent = match start.block("fsdp_config", "fsdp_auto_wrap_policy") {
            Evaluated::Absent => true,
            Evaluated::Known(given) if given.text().is_some_and(|text| text.eq_ignore_ascii_case("NO_WRAP")) => {
                if start.flag("--cpu").is_none() && out.mark_reported(given.place) {
                    out.push(chosen(given.place));
                }
                false
            }
            Evaluated::Known(given) => given.value == Value::Null,
            Evaluated::Unknown(_) => false,
        };
        if !absent || start.flag("--cpu").is_some() || elsewhere(start) {
            continue;
        }
        // A command without a file may read the user's default file.
        if start.file.is_none() {
            severity = Severity::Info;
        }
        let place = start.root().and_then(|root| root.entry("fsdp_config")).map(|(key, _)| key);
        let place = match (place, start.file) {
            (Some(key), Some(file)) => FileRange::new(file.id, key.range()),
            _ => kind.place,
        };
        if out.mark_reported(place) {
            let finding = RULE.finding(
                place,
                message!(
                    "`fsdp_auto_wrap_policy` is not set: FSDP gathers the whole model on every GPU as one unit",
                    "未设置 `fsdp_auto_wrap_policy`：FSDP 把整个模型作为一个单元聚集到每个 GPU 上"
                ),
            );
            out.push(finding.with_severity(severity).with_help(message!(
                "set `fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP`",
                "请设置 `fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP`"
            )));
        }
    }
}

/// Info if one unit is requested explicitly.
fn chosen(place: FileRange) -> Finding {
    let message = message!(
        "NO_WRAP: FSDP gathers the whole model on every GPU as one unit",
        "NO_WRAP：FSDP 把整个模型作为一个单元聚集到每个 GPU 上"
    );
    RULE.finding(place, message)
        .with_severity(Severity::Info)
        .with_help(message!("to save memory, use TRANSFORMER_BASED_WRAP", "若要节省显存，请使用 TRANSFORMER_BASED_WRAP"))
}

/// Whether the code or the environment may give a policy.
fn elsewhere(start: &AccelerateLaunch<'_>) -> bool {
    let Some(launch) = start.launch else { return false };
    if launch.variable("FSDP_AUTO_WRAP_POLICY").is_some() {
        return true;
    }
    let Some(run) = start.run else { return false };
    run.files
        .iter()
        .filter(|id| start.file.is_none_or(|file| file.id != **id))
        .any(|id| start.project.features(*id).has(Feature::FsdpWrapPolicy))
}

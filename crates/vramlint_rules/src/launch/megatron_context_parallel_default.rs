//! # megatron-context-parallel-default
//!
//! Megatron-LM runs with a context-parallel size of 2 because none is set.
//!
//! ## Why it matters
//! Since accelerate 1.13 an unset `megatron_lm_context_parallel_size` is 2, not 1: half of the processes share samples instead of reading
//! their own, and the effective batch is half the intended size.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MEGATRON_LM
//! num_processes: 8
//! megatron_lm_config:
//!   megatron_lm_tp_degree: 2
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MEGATRON_LM
//! num_processes: 8
//! megatron_lm_config:
//!   megatron_lm_tp_degree: 2
//!   megatron_lm_context_parallel_size: 1
//! ```
//!
//! ## Severity
//! Info if accelerate's version is not known; silent below 1.13.
//!
//! ## Fix
//! None: set the size in the block or as a flag.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/dataclasses.py:2681`, 1.13.0 `:2635`, read; 1.12.0 has no such field.
//!
//! # 中文
//!
//! Megatron-LM 未设置上下文并行大小，因此为 2。
//!
//! ## 为什么重要
//! accelerate 1.13 起，未设置 `megatron_lm_context_parallel_size` 时其值为 2 而不是 1：一半进程与其他进程共享样本，有效批大小只有预期的一半。
//!
//! ## 严重程度
//! accelerate 版本未知时为提示；低于 1.13 时不报告。
//!
//! ## 修复
//! 无：请在该块中或以参数给出大小。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/dataclasses.py:2681`、1.13.0 `:2635`，阅读源码；1.12.0 没有该字段。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, Severity, message};
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new(
        "VL119",
        "megatron-context-parallel-default",
        Severity::Warning,
        page!("megatron_context_parallel_default.rs"),
        check,
    )
};

/// Since this release the field exists, with its default.
const DEFAULT: VersionRange = VersionRange::since("accelerate", "1.13");

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some(kind) = start.distributed_type().filter(|kind| kind.name == "MEGATRON_LM") else { continue };
        let silent = matches!(start.block("megatron_lm_config", "megatron_lm_context_parallel_size"), Evaluated::Absent);
        let in_environment = start.launch.is_some_and(|launch| launch.variable("MEGATRON_LM_CONTEXT_PARALLEL_SIZE").is_some());
        let Some(severity) = version_gate::severity(cx.project, kind.place.file, &DEFAULT, Severity::Warning) else { continue };
        if !silent || in_environment || !out.mark_reported(kind.place) {
            continue;
        }
        let finding = RULE.finding(
            kind.place,
            message!(
                "`megatron_lm_context_parallel_size` is not set; since accelerate 1.13 it defaults to 2",
                "未设置 `megatron_lm_context_parallel_size`；accelerate 1.13 起默认为 2"
            ),
        );
        out.push(finding.with_severity(severity).with_help(message!(
            "set `megatron_lm_context_parallel_size: 1` unless sequences are to be split",
            "若不拆分序列，请设置 `megatron_lm_context_parallel_size: 1`"
        )));
    }
}

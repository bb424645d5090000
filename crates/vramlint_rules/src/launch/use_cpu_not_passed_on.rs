//! # use-cpu-not-passed-on
//!
//! `use_cpu: true` has no effect with this distributed type.
//!
//! ## Why it matters
//! Only the launcher of a single process exports `use_cpu`. With MULTI_GPU, FSDP or DEEPSPEED the workers do not get it and train on the
//! GPUs.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! use_cpu: true
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! use_cpu: false
//! ```
//!
//! ## Fix
//! Unsafe: `use_cpu: false`, which matches what happens.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/launch.py:137` (the only place that exports it), run.
//!
//! # 中文
//!
//! `use_cpu: true` 在该分布式类型下不起作用。
//!
//! ## 为什么重要
//! 只有单进程启动器会导出 `use_cpu`。在 MULTI_GPU、FSDP、DEEPSPEED 下工作进程得不到它，仍在 GPU 上训练。
//!
//! ## 修复
//! 不安全：改为 `use_cpu: false`，与实际行为一致。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/launch.py:137`（唯一导出它的地方），实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, message};
use vramlint_edit as edit;
use vramlint_semantic::accelerate::LaunchMethod;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect],
    ..Rule::new("VL110", "use-cpu-not-passed-on", Severity::Warning, page!("use_cpu_not_passed_on.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some(given) = start.top_level("use_cpu").known().filter(|given| given.as_bool() == Some(true)) else { continue };
        let Some(kind) = start.distributed_type() else { continue };
        if !matches!(start.method(), Some(LaunchMethod::Torchrun | LaunchMethod::DeepSpeed)) || !out.mark_reported(given.place) {
            continue;
        }
        let name = &kind.name;
        let finding = RULE
            .finding(
                given.place,
                message!(
                    "`use_cpu` has no effect with `distributed_type` {name}: the processes train on GPUs",
                    "`distributed_type` 为 {name} 时 `use_cpu` 不起作用：各进程仍在 GPU 上训练"
                ),
            )
            .with_related(kind.place, message!("`distributed_type` is {name}", "`distributed_type` 为 {name}"))
            .with_help(message!(
                "set `distributed_type: 'NO'` to train on the CPU, or `use_cpu: false` to train on GPUs",
                "用 CPU 请写 `distributed_type: 'NO'`，用 GPU 请写 `use_cpu: false`"
            ));
        out.push(finding.with_fix(Fix {
            title: message!("write `use_cpu: false`", "写作 `use_cpu: false`"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(given.place, "false")],
        }));
    }
}

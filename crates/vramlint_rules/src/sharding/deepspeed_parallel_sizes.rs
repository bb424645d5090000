//! # deepspeed-parallel-sizes
//!
//! Tensor, sequence or expert parallel sizes in DeepSpeed's configuration do not fit the run.
//!
//! ## Why it matters
//! The number of processes must be a multiple of `tensor_parallel.autotp_size`: with 3 for 4 processes, or 4 for 2,
//! `deepspeed.initialize` raises an error. `sequence_parallel_size` without `data_parallel_size` creates no groups; it only divides
//! the number used to check the batch keys, so every process still gets whole sequences. Expert parallelism does not support its
//! own tensor parallelism yet.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "gradient_clipping": 1.0,
//!   "tensor_parallel": {"autotp_size": 4}
//! }
//! ```
//! ```python file=train.py
//! import deepspeed
//!
//!
//! def main(model):
//!     return deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds_config.json")
//! ```
//! ```bash file=launch.sh
//! deepspeed --num_gpus 2 train.py
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "gradient_clipping": 1.0,
//!   "tensor_parallel": {"autotp_size": 2}
//! }
//! ```
//! ```python file=train.py
//! import deepspeed
//!
//!
//! def main(model):
//!     return deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds_config.json")
//! ```
//! ```bash file=launch.sh
//! deepspeed --num_gpus 2 train.py
//! ```
//!
//! ## Severity
//! Warning for `sequence_parallel_size` alone, which runs.
//!
//! ## When it stays silent
//! When the number of processes is unknown, or the code creates its own groups (`mpu`, `mesh_param`, a pipeline).
//!
//! ## Fix
//! None: the intended size is unknown.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `utils/groups.py:213`, run with 4 of 2 and 2 of 1 processes; `runtime/config.py:468`, run with 2 processes;
//! `module_inject/auto_ep_folding.py:111`, `:214`, read.
//!
//! # 中文
//!
//! DeepSpeed 配置中的张量、序列或专家并行大小与运行不符。
//!
//! ## 为什么重要
//! `tensor_parallel.autotp_size` 的分组必须正好占满所有进程：4 个进程写 3、2 个进程写 4 时，`deepspeed.initialize` 都会报错。
//! 只有 `sequence_parallel_size` 而没有 `data_parallel_size` 时根本不会建立分组，只是检查批大小时除以该值，每个进程仍处理完整序列。
//! 专家并行目前没有自己的张量并行。
//!
//! ## 严重程度
//! 只写 `sequence_parallel_size` 时能够运行，因此为警告。
//!
//! ## 何时不报
//! 进程数未知，或代码自带分组（`mpu`、`mesh_param`、流水线）时。
//!
//! ## 修复
//! 无：无法得知哪个大小才是本意。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `utils/groups.py:213`，以 2 个进程写 4、1 个进程写 2 实际运行；`runtime/config.py:468`，以 2 个进程实际运行；
//! `module_inject/auto_ep_folding.py:111`、`:214`，仅读源码。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::value_readers::pydantic_int;
use vramlint_base::{Severity, message};
use vramlint_catalog::Concept;
use vramlint_resolve::{Feature, Project, Run};
use vramlint_semantic::deepspeed::config::{self, DeepSpeedConfig};
use vramlint_semantic::deepspeed::consumers::Consumers;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart, Symptom::OtherBatch],
    ..Rule::new("VL565", "deepspeed-parallel-sizes", Severity::Error, page!("deepspeed_parallel_sizes.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        tensor(cx, config, out);
        sequence(cx, config, out);
        experts(cx, config, out);
    }
}

/// A size above 1.
fn size(config: &DeepSpeedConfig<'_>, path: &str) -> Option<i64> {
    config.value(path).as_ref().and_then(pydantic_int).filter(|size| *size > 1)
}

/// Whether the code creates its own process groups.
pub(crate) fn own_groups(project: &Project, run: &Run) -> bool {
    run.code.as_deref().is_some_and(|code| project.any_has(&code.files, Feature::ModelParallelGroups))
}

fn tensor(cx: &Context<'_>, config: &DeepSpeedConfig<'_>, out: &mut Sink) {
    let path = "tensor_parallel.autotp_size";
    let (Some(size), Some(item)) = (size(config, path), config.entry(path)) else { return };
    let known = config.uses.iter().filter(|one| one.consumers.within(Consumers::KNOWN)).filter_map(|one| one.run);
    for run in known.filter(|run| !own_groups(cx.project, run)) {
        let Some(world) = processes(run) else { continue };
        // Before 0.16.4 nothing read the block.
        let Some(severity) = config::unless_older(cx.project, config.file.id, "0.16.4").filter(|_| world % size != 0) else {
            continue;
        };
        let message = message!(
            "{world} processes are not a multiple of autotp_size {size}",
            "进程数 {world} 不是 autotp_size {size} 的整数倍"
        );
        let help =
            message!("use a size that divides {world}, or start more processes", "改为能整除 {world} 的大小，或启动更多进程");
        out.push(RULE.finding(config.place(item), message).with_severity(severity).with_help(help).with_run(&run.id));
        return;
    }
}

/// The number of processes that a launch starts.
fn processes(run: &Run) -> Option<i64> {
    run.int(Concept::NumProcesses).filter(|count| *count > 0)
}

fn sequence(cx: &Context<'_>, config: &DeepSpeedConfig<'_>, out: &mut Sink) {
    let path = "sequence_parallel_size";
    let (Some(_), Some(item)) = (size(config, path), config.entry(path)) else { return };
    let alone = config.entry("data_parallel_size").is_none();
    let plain = config.uses.iter().all(|one| {
        one.consumers.within(Consumers::PLAIN) && one.run.is_some_and(|run| run.code.is_some() && !own_groups(cx.project, run))
    });
    if alone && plain {
        let message = message!(
            "`sequence_parallel_size` without `data_parallel_size` creates no groups; it only affects the batch size check",
            "没有 `data_parallel_size` 时 `sequence_parallel_size` 不会建立分组，只影响批大小检查"
        );
        let help = message!("add \"data_parallel_size\": processes / this size", "请加入 \"data_parallel_size\"：进程数除以该值");
        out.push(RULE.finding(config.place(item), message).with_severity(Severity::Warning).with_help(help));
    }
}

/// What AutoEP rejects for every model.
fn experts(cx: &Context<'_>, config: &DeepSpeedConfig<'_>, out: &mut Sink) {
    if config.flag("expert_parallel.enabled", false) != Some(true) {
        return;
    }
    let Some(severity) = config::recent(cx.project, config.file.id, "0.19.5") else { return };
    let path = "expert_parallel.expert_tensor_parallel_size";
    if let (Some(size), Some(item)) = (size(config, path), config.entry(path)) {
        let message = message!(
            "AutoEP rejects expert_tensor_parallel_size {size}: it supports only 1",
            "AutoEP 拒绝 expert_tensor_parallel_size {size}：目前只支持 1"
        );
        out.push(RULE.finding(config.place(item), message).with_severity(severity));
    }
    let path = "expert_parallel.autoep_size";
    let run = config.uses.iter().filter(|one| one.consumers.within(Consumers::KNOWN)).find_map(|one| one.run);
    let world = run.filter(|run| !own_groups(cx.project, run)).and_then(processes);
    if let (Some(size), Some(item), Some(world)) = (size(config, path), config.entry(path), world)
        && world % size != 0
    {
        let message = message!(
            "{world} processes are not a multiple of autoep_size {size}",
            "进程数 {world} 不是 autoep_size {size} 的整数倍"
        );
        out.push(RULE.finding(config.place(item), message).with_severity(severity));
    }
}

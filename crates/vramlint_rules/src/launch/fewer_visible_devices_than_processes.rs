//! # fewer-visible-devices-than-processes
//!
//! A machine starts more processes than `CUDA_VISIBLE_DEVICES` has GPUs.
//!
//! ## Why it matters
//! Each process uses the GPU of its local rank. Ranks after the last visible GPU fail with "invalid device ordinal", and the others wait
//! for them.
//!
//! ## Example
//! ```bash file=launch.sh
//! export CUDA_VISIBLE_DEVICES=0,1
//! torchrun --nproc_per_node 4 train.py
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! export CUDA_VISIBLE_DEVICES=0,1
//! torchrun --nproc_per_node 2 train.py
//! ```
//!
//! ## Fix
//! None: it is not known whether the processes or the GPUs are wrong.
//!
//! ## When it stays silent
//! If every GPU is hidden on purpose, or if the code uses `gloo` (processes on the CPU).
//!
//! ## Sources
//! torch 2.15.0 `torch.cuda.set_device`; accelerate 1.15.0 `state.py` `set_device`, read.
//!
//! # 中文
//!
//! 一台机器启动的进程数多于 `CUDA_VISIBLE_DEVICES` 中的 GPU 数。
//!
//! ## 为什么重要
//! 每个进程使用编号等于其 local rank 的 GPU。超出可见 GPU 的 rank 会以 “invalid device ordinal” 报错，其余进程则一直等待。
//!
//! ## 修复
//! 无：无法得知是进程数写错还是 GPU 写错。
//!
//! ## 何时不报
//! 有意隐藏所有 GPU，或代码中出现 `gloo`：进程在 CPU 上运行。
//!
//! ## 来源
//! torch 2.15.0 `torch.cuda.set_device`；accelerate 1.15.0 `state.py` 的 `set_device`，阅读源码。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_catalog::flags::Launcher;
use vramlint_resolve::environment::{Setter, visible_devices};
use vramlint_resolve::{Feature, Run};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart, Symptom::IdleGpus],
    ..Rule::new(
        "VL160",
        "fewer-visible-devices-than-processes",
        Severity::Warning,
        page!("fewer_visible_devices_than_processes.rs"),
        check,
    )
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for run in &cx.project.runs {
        let Some((processes, at)) = processes(run) else { continue };
        let Some((devices, shown)) = devices(cx, run) else { continue };
        if devices == 0 || processes <= devices || on_cpu(cx, run) || !out.mark_reported(at) {
            continue;
        }
        let finding = RULE
            .finding(
                at,
                message!(
                    "{processes} processes on one machine, but `CUDA_VISIBLE_DEVICES` has {devices} GPUs",
                    "一台机器启动 {processes} 个进程，而 `CUDA_VISIBLE_DEVICES` 只有 {devices} 张 GPU"
                ),
            )
            .with_related(shown, message!("`CUDA_VISIBLE_DEVICES` is set here", "`CUDA_VISIBLE_DEVICES` 在此设置"))
            .with_help(message!(
                "start one process per visible GPU, or make more GPUs visible",
                "每张可见 GPU 启动一个进程，或让更多 GPU 可见"
            ))
            .with_run(&run.id);
        out.push(finding);
    }
}

/// Processes per machine, and where the number is set.
fn processes(run: &Run) -> Option<(i64, FileRange)> {
    let launch = run.launch.as_deref().filter(|launch| !launch.has_unknown_flags)?;
    match launch.launcher {
        Launcher::Torchrun => {
            let word = launch.flag("--nproc_per_node")?.values.first()?;
            Some((word.text()?.parse().ok()?, FileRange::new(launch.file, word.range)))
        }
        Launcher::Accelerate => {
            let ids = run.settings.get(&Concept::GpuIds);
            let own = |value: &Value| !matches!(value, Value::Null) && value.as_str() != Some("all");
            // The launcher overrides the variable.
            if ids.is_some_and(|ids| ids.value().is_none_or(own)) || launch.flag("--cpu").is_some() {
                return None;
            }
            // One process whatever the number is; also for a value that YAML parses as false.
            let kind = run.value(Concept::DistributedType);
            if kind.is_some_and(|kind| kind == &Value::Bool(false) || matches!(kind.as_str(), Some("NO" | "MULTI_CPU"))) {
                return None;
            }
            let winning = run.settings.get(&Concept::NumProcesses)?.winning()?;
            let all = winning.known()?.as_int()?;
            let machines = run.int(Concept::NumMachines).unwrap_or(1).max(1);
            Some((all / machines, winning.origin.place()?))
        }
        _ => None,
    }
}

/// The GPUs that a process sees: set by the command, else by the code itself.
fn devices(cx: &Context<'_>, run: &Run) -> Option<(i64, FileRange)> {
    let launch = run.launch.as_deref()?;
    let count = |text: &str| i64::try_from(visible_devices::parse(text).ids.len()).ok();
    let files = run.code.as_ref().map_or(&[][..], |code| &code.files);
    let set = |set: &&vramlint_resolve::environment::VariableAssignment| {
        set.name == "CUDA_VISIBLE_DEVICES" && set.setter == Setter::Python && files.contains(&set.file)
    };
    if let Some(in_code) = cx.project.environment().iter().find(set) {
        let own = in_code.full_range.range.slice(&cx.project.file(in_code.file).text).starts_with("os.environ");
        return (!in_code.conditional && own && run.entry == Some(in_code.file))
            .then(|| Some((count(in_code.value.as_deref()?)?, in_code.full_range)))?;
    }
    let made = launch.variable("CUDA_VISIBLE_DEVICES")?;
    Some((count(made.value.text()?)?, FileRange::new(launch.file, made.range)))
}

/// Whether the processes run without GPUs.
fn on_cpu(cx: &Context<'_>, run: &Run) -> bool {
    let files = run.code.as_ref().map_or(&[][..], |code| &code.files);
    let accelerate = run.accelerate.and_then(|file| cx.project.file(file).data()?.root()?.get("use_cpu")?.text());
    accelerate.is_some_and(|text| text != "false") || cx.project.any_has(files, Feature::CpuProcesses)
}

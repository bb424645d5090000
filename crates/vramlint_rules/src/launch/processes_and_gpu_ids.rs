//! # processes-and-gpu-ids
//!
//! The number of processes does not match the GPUs that they may use.
//!
//! ## Why it matters
//! Every process of an accelerate run uses one GPU. `gpu_ids` becomes `CUDA_VISIBLE_DEVICES`: with more processes than ids (or than the
//! GPUs of `[target] count`) the last ones ask for a device that does not exist and fail; with fewer, GPUs stay idle. accelerate checks one
//! case only: it rejects a MULTI_GPU file with fewer than two ids.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 4
//! gpu_ids: 0,1
//! fsdp_config:
//!   fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 2
//! gpu_ids: 0,1
//! fsdp_config:
//!   fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
//! ```
//!
//! ## Severity
//! Info for fewer processes than ids: the other GPUs may be reserved for something else.
//!
//! ## Fix
//! Unsafe: as many processes as ids, if all of them are known to run on one machine.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/launch.py:1258`, run: `Less than two GPU ids were configured`; `utils/launch.py:269-292`, run with simulated
//! GPUs: more processes than ids are started.
//!
//! # 中文
//!
//! 进程数与它们可见的 GPU 不相符。
//!
//! ## 为什么重要
//! accelerate 的每个进程使用一张 GPU。`gpu_ids` 会成为 `CUDA_VISIBLE_DEVICES`：进程多于编号（或多于 `[target] count` 的 GPU）时，最后几个进程请求不存
//! 在的设备而报错；少于时则有 GPU 闲置。accelerate 只检查一种情形：MULTI_GPU 的配置文件中编号少于两个会被拒绝。
//!
//! ## 严重程度
//! 进程少于编号时只是提示：多出的 GPU 可能另有用途。
//!
//! ## 修复
//! 不安全：进程数改为编号数（已知在一台机器上时）。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/launch.py:1258`，实际运行；`utils/launch.py:269-292`，以模拟的 GPU 实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{Applicability, Finding, Fix, Severity, count_noun, message};
use vramlint_edit as edit;
use vramlint_semantic::accelerate::{AccelerateLaunch, LaunchMethod, LaunchValue};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::IdleGpus, Symptom::RefusedAtStart],
    ..Rule::new("VL107", "processes-and-gpu-ids", Severity::Warning, page!("processes_and_gpu_ids.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let found = match start.gpu_ids() {
            Some((ids, given)) => {
                against_ids(start, &ids, &given).or_else(|| all_of_the_machine(start, count_of(ids.len()), &given))
            }
            None => against_target(start),
        };
        if let Some(finding) = found.filter(|finding| out.mark_reported(finding.place)) {
            out.push(finding);
        }
    }
}

fn against_ids(start: &AccelerateLaunch<'_>, ids: &[String], given: &LaunchValue) -> Option<Finding> {
    let kind = start.distributed_type()?;
    let machines = start.machines()?;
    let unique = count_of(ids.iter().collect::<BTreeSet<_>>().len());
    let gpus_in_words = count_noun(unique, "GPU");
    let shown = ids.join(",");
    // accelerate reads the file first and makes no check without one.
    if kind.is_multi() && ids.len() < 2 && machines <= 1 && start.file.is_some() && start.flag("--cpu").is_none() {
        let name = &kind.name;
        let finding = RULE.finding(
            given.place,
            message!(
                "accelerate rejects {name} with one GPU id: `gpu_ids` is {shown}",
                "accelerate 拒绝只有一个 GPU 编号的 {name}：`gpu_ids` 为 {shown}"
            ),
        );
        let finding = finding
            .with_severity(Severity::Error)
            .with_related(kind.place, message!("`distributed_type` is {name}", "`distributed_type` 为 {name}"));
        return Some(finding.with_help(message!(
            "list at least two ids, set `gpu_ids: all`, or set `distributed_type: 'NO'` for one GPU",
            "至少列出两个编号，或写 `gpu_ids: all`；单 GPU 训练请写 `distributed_type: 'NO'`"
        )));
    }
    let (count, processes) = per_machine(start, machines)?;
    if count == unique || unique < count_of(ids.len()) {
        return None;
    }
    let processes_in_words = count_noun(count, "process");
    let use_in_words = if count == 1 { "uses" } else { "use" };
    let finding = if count > unique {
        let last = count - 1;
        let message = if last == unique {
            message!(
                "{count} processes on {gpus_in_words}: `gpu_ids` is {shown}, so rank {last} has no GPU",
                "{count} 个进程对应 {unique} 张 GPU：`gpu_ids` 为 {shown}，rank {last} 没有 GPU"
            )
        } else {
            message!(
                "{count} processes on {gpus_in_words}: `gpu_ids` is {shown}, so ranks {unique} to {last} have no GPU",
                "{count} 个进程对应 {unique} 张 GPU：`gpu_ids` 为 {shown}，rank {unique} 至 {last} 没有 GPU"
            )
        };
        RULE.finding(processes.place, message)
    } else {
        RULE.finding(
            processes.place,
            message!(
                "{processes_in_words} {use_in_words} {count} of the {unique} GPUs in `gpu_ids`",
                "{count} 个进程只使用 `gpu_ids` 中 {unique} 张 GPU 里的 {count} 张"
            ),
        )
        .with_severity(Severity::Info)
    };
    let finding = finding
        .with_related(given.place, message!("`gpu_ids` is {shown}", "`gpu_ids` 为 {shown}"))
        .with_help(message!("start one process per id", "每个编号启动一个进程"));
    Some(if machines == 1 && processes.key.is_some() { with_fix(finding, &processes, unique) } else { finding })
}

/// Without a number the launcher starts one process per GPU of the machine, because it counts the GPUs before it hides some.
fn all_of_the_machine(start: &AccelerateLaunch<'_>, shown: i64, given: &LaunchValue) -> Option<Finding> {
    let command = start.command()?;
    let gpus = i64::from(start.project.policy(command.file).target.count?);
    let every =
        start.file.is_none() && !start.may_hide() && start.flag("--num_processes").is_none() && start.flag("--cpu").is_none();
    if !every || gpus < 2 || gpus <= shown || !given.by_flag() {
        return None;
    }
    let gpus_in_words = count_noun(shown, "GPU");
    let finding = RULE.finding(
        given.place,
        message!(
            "{gpus} processes on {gpus_in_words}: without `--num_processes`, one starts for every GPU of the machine",
            "{gpus} 个进程对应 {shown} 张 GPU：未给出 `--num_processes` 时，会为机器的每张 GPU 启动一个进程"
        ),
    );
    Some(finding.with_help(message!("set `--num_processes {shown}` too", "请同时给出 `--num_processes {shown}`")))
}

fn count_of(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// The number of GPUs that `vramlint.toml` declares for the machine.
fn against_target(start: &AccelerateLaunch<'_>) -> Option<Finding> {
    let at = start.command().map_or_else(|| start.file.map(|file| file.id), |place| Some(place.file))?;
    let gpus = i64::from(start.project.policy(at).target.count.filter(|count| *count > 0)?);
    if start.gpu_ids().is_some() || start.gives_gpu_ids() {
        return None;
    }
    let (count, processes) = per_machine(start, start.machines()?)?;
    if count <= gpus {
        return None;
    }
    let gpus_in_words = count_noun(gpus, "GPU");
    let finding = RULE.finding(
        processes.place,
        message!(
            "{count} processes on a machine with {gpus_in_words} ([target] count)",
            "机器只有 {gpus} 张 GPU（[target] count），却要启动 {count} 个进程"
        ),
    );
    Some(finding.with_help(message!("start one process per GPU", "每张 GPU 启动一个进程")))
}

/// Processes per machine, if the launcher starts one per GPU.
fn per_machine(start: &AccelerateLaunch<'_>, machines: i64) -> Option<(i64, LaunchValue)> {
    if !matches!(start.method()?, LaunchMethod::Torchrun | LaunchMethod::DeepSpeed) {
        return None;
    }
    let (count, given) = start.processes()?;
    (machines > 0 && count > 0).then(|| (count / machines, given))
}

fn with_fix(finding: Finding, processes: &LaunchValue, count: i64) -> Finding {
    let in_words = count_noun(count, "process");
    finding.with_fix(Fix {
        title: message!("start {in_words}", "启动 {count} 个进程"),
        applicability: Applicability::Unsafe,
        edits: vec![edit::replace(processes.place, count.to_string())],
    })
}

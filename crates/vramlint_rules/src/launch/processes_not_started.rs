//! # processes-not-started
//!
//! The configuration asks for several processes, but the launcher starts one.
//!
//! ## Why it matters
//! `accelerate launch` silently starts a single process, whatever `num_processes` is, with `distributed_type: 'NO'` or `MULTI_CPU`, with
//! `--cpu`, and with neither a file nor a mode flag on a machine with one GPU. The effective batch is that of one process.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: 'NO'
//! num_processes: 4
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 4
//! ```
//!
//! ## When it stays silent
//! For `MULTI_CPU` with `mpirun_config`, or if `mpirun` or a scheduler starts the command.
//!
//! ## Fix
//! None: which of the two lines is intended is not known.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/launch.py:1390-1417` and `utils/launch.py:99-200`, run end to end on a CPU.
//!
//! # 中文
//!
//! 要求多个进程，而启动器只会启动一个。
//!
//! ## 为什么重要
//! `distributed_type` 为 `'NO'` 或 `MULTI_CPU`、使用 `--cpu`，或既无配置文件也无模式参数且机器只有一张 GPU 时，不论 `num_processes` 是多少，
//! `accelerate launch` 都只静默启动一个进程。有效批大小就是单进程的批大小。
//!
//! ## 何时不报
//! `MULTI_CPU` 带有 `mpirun_config`，或命令本身由 `mpirun` 或调度器启动时。
//!
//! ## 修复
//! 无：无法得知两行中哪一行才是本意。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/launch.py:1390-1417` 与 `utils/launch.py:99-200`，在 CPU 上完整运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, FileRange, Message, Severity, message};
use vramlint_resolve::Feature;
use vramlint_semantic::accelerate::{AccelerateLaunch, LaunchMethod};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::IdleGpus],
    ..Rule::new("VL109", "processes-not-started", Severity::Warning, page!("processes_not_started.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some((count, processes)) = start.processes().filter(|(count, _)| *count > 1) else { continue };
        let Some((place, why)) = single(start) else { continue };
        let at = place.unwrap_or(processes.place);
        if !out.mark_reported(at) {
            continue;
        }
        let mut finding = RULE.finding(
            at,
            Message {
                en: format!("{}: one process starts, not {count}", why.en),
                zh: format!("{}：只启动一个进程，而不是 {count} 个", why.zh),
            },
        );
        if place.is_some() {
            finding =
                finding.with_related(processes.place, message!("{count} processes are configured", "配置了 {count} 个进程"));
        }
        out.push(finding.with_help(message!(
            "set `distributed_type: MULTI_GPU` for several GPUs, or `num_processes: 1`",
            "多 GPU 请写 `distributed_type: MULTI_GPU`，否则写 `num_processes: 1`"
        )));
    }
}

/// Why one process starts, and where that is set.
fn single(start: &AccelerateLaunch<'_>) -> Option<(Option<FileRange>, Message)> {
    if let Some(cpu) = start.flag("--cpu") {
        // With a file that shards, `mode-flag-replaces-file` reports it.
        if start.distributed_type_in_file().is_some_and(|kind| matches!(kind.name.as_str(), "FSDP" | "DEEPSPEED" | "MEGATRON_LM"))
        {
            return None;
        }
        return Some((Some(cpu.word), message!("`--cpu` is set", "给出了 `--cpu`")));
    }
    let Some(kind) = start.distributed_type() else {
        let launch = start.launch.filter(|_| start.file.is_none() && !start.may_hide())?;
        let one = start.project.policy(launch.file).target.count == Some(1);
        return one.then(|| {
            (None, message!("the machine has one GPU and `--multi_gpu` is not set", "机器只有一张 GPU，且没有 `--multi_gpu`"))
        });
    };
    if start.method()? != LaunchMethod::Single || kind.name == "MULTI_CPU" && started_around(start) {
        return None;
    }
    let name = &kind.name;
    Some((Some(kind.place), message!("`distributed_type` is {name}", "`distributed_type` 为 {name}")))
}

/// Whether something else starts the processes: a host file for `mpirun`, a world size from the environment, `mpirun` itself.
fn started_around(start: &AccelerateLaunch<'_>) -> bool {
    if !matches!(start.block("mpirun_config", "mpirun_hostfile"), Evaluated::Absent) {
        return true;
    }
    let Some(launch) = start.launch else { return true };
    launch.variable("WORLD_SIZE").is_some() || start.project.features(launch.file).has(Feature::MpiLauncher)
}

//! # rank-variables-left-over
//!
//! `RANK`, `WORLD_SIZE` or `MASTER_ADDR` are set for another launcher than the one that follows.
//!
//! ## Why it matters
//! A launcher sets these variables for each process of a group. A single `python` command with `WORLD_SIZE=2` and a local `MASTER_ADDR`
//! acts as the first of two processes: it waits for the second until the rendezvous times out (after at least ten minutes), and fails.
//! `torchrun` does not read `MASTER_ADDR`: for several machines it needs `--master_addr` or `--rdzv_endpoint`, otherwise each machine waits
//! at its own 127.0.0.1.
//!
//! ## Example
//! ```bash file=launch.sh
//! export RANK=0 LOCAL_RANK=0 WORLD_SIZE=2
//! export MASTER_ADDR=localhost MASTER_PORT=29500
//! python train.py
//! ```
//! ```python file=train.py
//! from transformers import Trainer, TrainingArguments
//!
//!
//! def main(model, dataset):
//!     Trainer(model=model, args=TrainingArguments("out"), train_dataset=dataset).train()
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! torchrun --nproc_per_node 2 train.py
//! ```
//! ```python file=train.py
//! from transformers import Trainer, TrainingArguments
//!
//!
//! def main(model, dataset):
//!     Trainer(model=model, args=TrainingArguments("out"), train_dataset=dataset).train()
//! ```
//!
//! ## When it stays silent
//! If the command is in a loop, in a branch or in the background, if another command starts the same program, if the address is another
//! machine (which may start the others), or if the program creates no process group.
//!
//! ## Fix
//! None: start the processes with `torchrun` or `accelerate launch`, or remove the variables.
//!
//! ## Sources
//! torch 2.15.0 `distributed/rendezvous.py:262-310` (env://) and `distributed/run.py:714` (`--master-addr`, read from `PET_MASTER_ADDR`
//! alone); accelerate 1.15.0 `state.py:202`, read.
//!
//! # 中文
//!
//! `RANK`、`WORLD_SIZE` 或 `MASTER_ADDR` 是为另一种启动方式设置的。
//!
//! ## 为什么重要
//! 启动器会为进程组中的每个进程设置这些变量。单独一条 `python` 命令若得到 `WORLD_SIZE=2` 与本机的 `MASTER_ADDR`，会认为自己是两个进程中的第一个：它一直等待
//! 第二个进程，直到超时（至少十分钟）后报错。`torchrun` 不读取 `MASTER_ADDR`：多机时需要 `--master_addr` 或 `--rdzv_endpoint`，否则每台机器都在自己的
//! 127.0.0.1 等待。
//!
//! ## 何时不报
//! 命令位于循环、分支或后台时；另有命令启动同一程序时；地址为其他机器时（可能由它启动其余进程）；程序不创建进程组时。
//!
//! ## 修复
//! 无：请用 `torchrun` 或 `accelerate launch` 启动进程，或去掉这些变量。
//!
//! ## 来源
//! torch 2.15.0 `distributed/rendezvous.py:262-310`（env://）与 `distributed/run.py:714`（`--master-addr`，只读取 `PET_MASTER_ADDR`）；
//! accelerate 1.15.0 `state.py:202`，阅读源码。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Finding, Severity, message};
use vramlint_catalog::Dialect;
use vramlint_catalog::flags::Launcher;
use vramlint_resolve::launch::Launch;
use vramlint_resolve::{Feature, Project, Run};

pub(crate) static RULE: Rule = Rule {
    needs: needs::ENVIRONMENT,
    symptoms: &[Symptom::Hangs],
    ..Rule::new("VL808", "rank-variables-left-over", Severity::Warning, page!("rank_variables_left_over.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for run in &cx.project.runs {
        let Some(launch) =
            run.launch.as_deref().filter(|launch| !launch.has_unknown_flags && !launch.in_loop && !launch.conditional)
        else {
            continue;
        };
        let found = match launch.launcher {
            Launcher::Python => waits(cx.project, run, launch),
            Launcher::Torchrun => unread_address(cx.project, launch),
            _ => None,
        };
        if let Some(finding) = found.filter(|finding| out.mark_reported(finding.place)) {
            out.push(finding.with_run(&run.id));
        }
    }
}

/// A variable that a command gets: its value and its place.
fn inherited_value(project: &Project, launch: &Launch, name: &str) -> Option<(String, FileRange)> {
    if let Some(made) = launch.variable(name) {
        return Some((made.value.text()?.trim().to_owned(), launch.variable_place(made))).filter(|_| !made.conditional);
    }
    // Environment files that are read; if there are several, which one is not known.
    let mut sets = project
        .environment()
        .iter()
        .filter(|set| set.name == name && set.exported && project.file(set.file).extension() == "env");
    let set = sets.next().filter(|_| sets.next().is_none())?;
    Some((set.value.as_deref()?.trim().to_owned(), set.full_range))
}

/// One process of a group that never completes.
fn waits(project: &Project, run: &Run, launch: &Launch) -> Option<Finding> {
    let (size, place) = inherited_value(project, launch, "WORLD_SIZE")?;
    let size = size.parse::<u32>().ok().filter(|size| *size > 1)?;
    inherited_value(project, launch, "RANK")?.0.parse::<u32>().ok().filter(|rank| *rank < size)?;
    let (address, at) = inherited_value(project, launch, "MASTER_ADDR")?;
    let local = matches!(address.as_str(), "localhost" | "127.0.0.1" | "::1" | "0.0.0.0");
    let grouped = makes_group(project, run) || by_library(run) && inherited_value(project, launch, "LOCAL_RANK").is_some();
    if !local || !grouped || is_one_of_several(project, run, launch) {
        return None;
    }
    Some(
        RULE.finding(
            place,
            message!(
                "`WORLD_SIZE` is {size}, but only one process starts; it hangs until the rendezvous times out",
                "`WORLD_SIZE` 为 {size}，却只启动一个进程；它会一直等待，直到超时"
            ),
        )
        .with_related(at, message!("the rendezvous is on this machine", "会合地址在本机"))
        .with_related(FileRange::new(launch.file, launch.range), message!("one process", "一个进程"))
        .with_help(message!(
            "start the processes with torchrun or `accelerate launch`, or remove the variables",
            "请用 torchrun 或 `accelerate launch` 启动进程，或去掉这些变量"
        )),
    )
}

/// Whether the program itself creates a group from the variables.
fn makes_group(project: &Project, run: &Run) -> bool {
    let files = run.code.as_ref().map_or(&[][..], |code| &code.files);
    project.any_has(files, Feature::ProcessGroupInit) && !by_itself(project, run)
}

/// Whether a library creates one as soon as it sees a local rank.
fn by_library(run: &Run) -> bool {
    let accelerator = run.code.as_deref().is_some_and(|code| code.accelerator.is_some());
    accelerator || matches!(run.dialect, Dialect::HfTrainer | Dialect::Trl)
}

/// Whether the program starts processes or sets its rank itself.
fn by_itself(project: &Project, run: &Run) -> bool {
    let files = run.code.as_ref().map_or(&[][..], |code| &code.files);
    project.any_has(files, Feature::ProcessSpawn) || project.any_has(files, Feature::ExplicitRank)
}

/// Whether the other processes may start elsewhere: in the background, by another command, or by a program that starts some.
fn is_one_of_several(project: &Project, run: &Run, launch: &Launch) -> bool {
    let text = &project.file(launch.file).text;
    let behind = text.get(launch.range.end as usize..).unwrap_or_default();
    let line = behind.lines().next().unwrap_or_default().replace("&&", "").replace("2>&1", "").replace("&>", "");
    let another = |other: &&Run| other.id != run.id && (other.entry == run.entry || other.entry.is_none());
    line.contains('&')
        || project.runs.iter().any(|other| another(&other))
        || project.features(launch.file).has(Feature::ParallelStart)
        || run.code.as_ref().is_some_and(|code| project.any_has(&code.files, Feature::ProcessSpawn))
}

/// The address of the first machine, which is not passed to `torchrun`.
fn unread_address(project: &Project, launch: &Launch) -> Option<Finding> {
    let machines = launch.flag("--nnodes").and_then(|flag| flag.values.first())?;
    let several = machines.text()?.parse::<u32>().ok().filter(|machines| *machines > 1)?;
    let rendezvous_flags = ["--master_addr", "--rdzv_endpoint", "--rdzv_backend", "--rdzv_conf", "--standalone", "--rdzv_id"];
    let by_variable = ["PET_MASTER_ADDR", "PET_RDZV_ENDPOINT", "PET_RDZV_BACKEND"];
    if rendezvous_flags.iter().any(|flag| launch.flag(flag).is_some())
        || by_variable.iter().any(|name| launch.variable(name).is_some())
    {
        return None;
    }
    // The program may still read it; without the variable, no rendezvous address is set anywhere.
    let (address, place) = inherited_value(project, launch, "MASTER_ADDR")?;
    let local = matches!(address.as_str(), "localhost" | "127.0.0.1" | "::1" | "0.0.0.0" | "");
    (!local).then(|| {
        RULE.finding(
            place,
            message!(
                "torchrun does not read `MASTER_ADDR`: each of the {several} machines waits for the others at 127.0.0.1",
                "torchrun 不读取 `MASTER_ADDR`：{several} 台机器各自在 127.0.0.1 等待其他机器"
            ),
        )
        .with_related(FileRange::new(launch.file, machines.range), message!("{several} machines", "{several} 台机器"))
        .with_help(message!("set `--master_addr {address}`", "请设置 `--master_addr {address}`"))
    })
}

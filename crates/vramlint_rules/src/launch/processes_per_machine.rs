//! # processes-per-machine
//!
//! The number of processes, the number of machines and the machine's rank do not fit together.
//!
//! ## Why it matters
//! `num_processes` counts the processes of all machines. accelerate starts `num_processes // num_machines` on each: 3 processes over 2
//! machines become 2, and 1 over 2 becomes none at all. `machine_rank` starts at 0; a rank that is not below `num_machines` belongs to no
//! machine, and the others wait forever.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 3
//! num_machines: 2
//! main_process_ip: 10.0.0.1
//! main_process_port: 29511
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 4
//! num_machines: 2
//! main_process_ip: 10.0.0.1
//! main_process_port: 29511
//! ```
//!
//! ## Fix
//! Unsafe: multiplies `num_processes` by `num_machines` if it is smaller than the number of machines.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/launch.py:217-219`, run: floor division, no check of the rank.
//!
//! # 中文
//!
//! 进程数、机器数与机器编号不相符。
//!
//! ## 为什么重要
//! `num_processes` 是所有机器的进程总数。accelerate 给每台机器 `num_processes // num_machines` 个：3 个进程分到 2 台机器只剩 2 个，1 个分到 2 台则一个也没有。
//! `machine_rank` 从 0 起；不小于 `num_machines` 的编号不属于任何机器，其余机器会一直等待。
//!
//! ## 修复
//! 不安全：`num_processes` 小于机器数时，乘以 `num_machines`。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/launch.py:217-219`，实际运行：整除，且不检查编号。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Finding, Fix, Severity, message};
use vramlint_edit as edit;
use vramlint_semantic::accelerate::{AccelerateLaunch, LaunchMethod, LaunchValue};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::IdleGpus, Symptom::RefusedAtStart],
    ..Rule::new("VL112", "processes-per-machine", Severity::Warning, page!("processes_per_machine.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some((machines, given)) = start.number("num_machines").filter(|(machines, _)| *machines > 1) else { continue };
        for finding in [processes(start, machines, &given), rank(start, machines, &given)].into_iter().flatten() {
            if out.mark_reported(finding.place) {
                out.push(finding);
            }
        }
    }
}

fn processes(start: &AccelerateLaunch<'_>, machines: i64, given: &LaunchValue) -> Option<Finding> {
    let (count, processes) = start.processes().filter(|(count, _)| *count > 0 && count % machines != 0)?;
    if !matches!(start.method()?, LaunchMethod::Torchrun | LaunchMethod::DeepSpeed) {
        return None;
    }
    let each = count / machines;
    let whole = each * machines;
    let message = if each == 0 {
        message!(
            "`num_processes` {count} is the total of {machines} machines: each starts {count} // {machines} = 0 processes",
            "`num_processes` {count} 是 {machines} 台机器的总数：每台启动 {count} // {machines} = 0 个进程"
        )
    } else {
        message!(
            "{count} processes over {machines} machines are {each} per machine: only {whole} start",
            "{count} 个进程分到 {machines} 台机器，每台 {each} 个：实际只启动 {whole} 个"
        )
    };
    let finding = RULE
        .finding(processes.place, message)
        .with_related(given.place, message!("{machines} machines", "{machines} 台机器"))
        .with_help(message!("set the total over all machines", "请写所有机器的进程总数"));
    let total = count.checked_mul(machines).filter(|_| each == 0 && processes.key.is_some());
    Some(match total {
        Some(total) => finding.with_fix(Fix {
            title: message!("write {total}: {count} per machine", "写作 {total}：每台 {count} 个"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(processes.place, total.to_string())],
        }),
        None => finding,
    })
}

fn rank(start: &AccelerateLaunch<'_>, machines: i64, given: &LaunchValue) -> Option<Finding> {
    let (rank, at) = start.number("machine_rank").filter(|(rank, _)| *rank >= machines || *rank < 0)?;
    let last = machines - 1;
    let finding = RULE.finding(
        at.place,
        message!(
            "`machine_rank` is {rank}, but {machines} machines have ranks 0 to {last}",
            "`machine_rank` 为 {rank}，但 {machines} 台机器的编号为 0 到 {last}"
        ),
    );
    Some(
        finding
            .with_related(given.place, message!("{machines} machines", "{machines} 台机器"))
            .with_help(message!("machine ranks start at 0", "机器从 0 起编号")),
    )
}

//! # machines-without-address
//!
//! Several machines are configured without the address of the main process.
//!
//! ## Why it matters
//! With `num_machines` above 1 every machine must know `main_process_ip` (and, with one process per machine, `main_process_port`). The
//! single-process launcher fails with an assertion; torchrun gets the endpoint `None:29500`. DeepSpeed's own launchers need
//! `deepspeed_hostfile` instead: without it they get the path `None`.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 16
//! num_machines: 2
//! machine_rank: 0
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml --main_process_ip 10.0.0.1 --main_process_port 29511 train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 16
//! num_machines: 2
//! machine_rank: 0
//! ```
//!
//! ## Severity
//! An error if the launcher itself raises; info if the project has no command that could pass the address.
//!
//! ## Fix
//! None: the address is not known.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/launch.py:153` (assertion), `:216-226` (endpoint), `:454` (host file), run.
//!
//! # 中文
//!
//! 配置了多台机器，却没有主进程的地址。
//!
//! ## 为什么重要
//! `num_machines` 大于 1 时，每台机器都必须知道 `main_process_ip`（每台一个进程时还有 `main_process_port`）。单进程启动器会因断言报错；torchrun 则得到
//! 端点 `None:29500`。DeepSpeed 自己的启动器需要 `deepspeed_hostfile`：没有时得到的路径是 `None`。
//!
//! ## 严重程度
//! 启动器自己报错时为错误；看不到可能给出地址的命令时为提示。
//!
//! ## 修复
//! 无：地址未知。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/launch.py:153`（断言）、`:216-226`（端点）、`:454`（主机文件），实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, Message, Severity, Value, message};
use vramlint_semantic::accelerate::{AccelerateLaunch, LaunchMethod};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::Hangs, Symptom::RefusedAtStart],
    ..Rule::new("VL111", "machines-without-address", Severity::Warning, page!("machines_without_address.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some((machines, given)) = start.number("num_machines").filter(|(machines, _)| *machines > 1) else { continue };
        let Some((severity, message, help)) = lacks(start, machines) else { continue };
        if !out.mark_reported(given.place) {
            continue;
        }
        let severity = if start.is_alone() { Severity::Info } else { severity };
        let mut finding = RULE.finding(given.place, message).with_severity(severity).with_help(help);
        if let Some(command) = start.command().filter(|command| command.file != given.place.file) {
            finding = finding.with_related(command, message!("this command does not set it", "该命令没有给出"));
        }
        out.push(finding);
    }
}

fn lacks(start: &AccelerateLaunch<'_>, machines: i64) -> Option<(Severity, Message, Message)> {
    let absent = |key: &str| match start.top_level(key) {
        Evaluated::Absent => true,
        Evaluated::Known(given) => given.value == Value::Null,
        Evaluated::Unknown(_) => false,
    };
    let address = message!(
        "set `main_process_ip` and `main_process_port`, in the file or as flags",
        "请在文件中或以参数给出 `main_process_ip` 与 `main_process_port`"
    );
    match start.method()? {
        LaunchMethod::Single => {
            let missing: Vec<&str> = ["main_process_ip", "main_process_port"].into_iter().filter(|key| absent(key)).collect();
            let names = missing.join(", ");
            (!missing.is_empty()).then(|| {
                let message = message!(
                    "accelerate rejects {machines} machines without {names}",
                    "没有 {names} 时 accelerate 拒绝 {machines} 台机器"
                );
                (Severity::Error, message, address)
            })
        }
        LaunchMethod::DeepSpeed if !is_standard(start)? => {
            let absent = match start.block("deepspeed_config", "deepspeed_hostfile") {
                Evaluated::Absent => true,
                Evaluated::Known(given) => given.value == Value::Null,
                Evaluated::Unknown(_) => false,
            };
            let message = message!(
                "{machines} machines without `deepspeed_hostfile`: DeepSpeed's launcher gets the path `None`",
                "{machines} 台机器却没有 `deepspeed_hostfile`：DeepSpeed 的启动器得到的路径是 `None`"
            );
            let help = message!(
                "set `deepspeed_hostfile`, or set `deepspeed_multinode_launcher: standard` and start every machine by hand",
                "设置 `deepspeed_hostfile`，或设置 `deepspeed_multinode_launcher: standard` 并逐台启动"
            );
            absent.then_some((Severity::Warning, message, help))
        }
        LaunchMethod::Torchrun | LaunchMethod::DeepSpeed => absent("main_process_ip").then(|| {
            let message = message!(
                "{machines} machines without `main_process_ip`: the processes connect to `None`",
                "{machines} 台机器却没有 `main_process_ip`：各进程会连接 `None`"
            );
            (Severity::Warning, message, address)
        }),
        LaunchMethod::Tpu | LaunchMethod::SageMaker => None,
    }
}

/// Whether accelerate's own torchrun starts DeepSpeed on every machine; `None` if not known.
fn is_standard(start: &AccelerateLaunch<'_>) -> Option<bool> {
    match start.block("deepspeed_config", "deepspeed_multinode_launcher") {
        Evaluated::Absent => Some(false),
        Evaluated::Unknown(_) => None,
        Evaluated::Known(given) => Some(given.text() == Some("standard")),
    }
}

//! # unknown-launch-flag
//!
//! A flag before the script does not exist in `accelerate launch` or `torchrun`.
//!
//! ## Why it matters
//! The launcher stops before it starts anything: `unrecognized arguments`. The two launchers have different names for the same thing
//! (`--num_processes` counts all processes, `--nproc_per_node` those of one machine), and accelerate accepts no abbreviations.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --multi_gpu --nproc_per_node 4 train.py
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --multi_gpu --num_processes 4 train.py --nproc_per_node 4
//! ```
//!
//! ## Severity
//! For a flag that only some versions of accelerate have: info if the version is not known, silent if it has the flag.
//!
//! ## When it stays silent
//! If words before the flag are not known: the script may be one of them.
//!
//! ## Fix
//! Unsafe: the flag with the nearest name.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/launch.py`, torch 2.15.0 `distributed/run.py`, run: `unrecognized arguments`. The flags of 13 releases
//! of accelerate from 0.20.3 on were compared.
//!
//! # 中文
//!
//! 脚本之前有 `accelerate launch` 或 `torchrun` 没有的参数。
//!
//! ## 为什么重要
//! 启动器在启动任何进程之前就会停止：`unrecognized arguments`。两者对同一件事的叫法不同（`--num_processes` 是进程总数，`--nproc_per_node` 是单机进程数），且
//! accelerate 不接受缩写。
//!
//! ## 严重程度
//! 仅某些 accelerate 版本才有的参数：版本未知时为提示，该版本有此参数时不报告。
//!
//! ## 何时不报
//! 参数之前有无法得知的词：脚本可能就在其中。
//!
//! ## 修复
//! 不安全：改为名称最接近的参数。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/launch.py`、torch 2.15.0 `distributed/run.py`，实际运行：`unrecognized arguments`。比较了 accelerate 0.20.3 起 13 个版本的参数。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Finding, Fix, Severity, message};
use vramlint_catalog::flags::{self, Launcher};
use vramlint_catalog::keys;
use vramlint_edit as edit;
use vramlint_resolve::launch::{Launch, LaunchFlag};
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL120", "unknown-launch-flag", Severity::Error, page!("unknown_launch_flag.rs"), check)
};

/// Flags that only older versions of accelerate have, with the first version without them.
const GONE: &[(&str, &str)] = &[
    ("--use_xpu", "1.13"),
    ("--ipex", "1.13"),
    ("--mpirun_ccl", "1.13"),
    ("--tp_size", "1.10"),
    ("--use_tp", "1.10"),
    ("--fsdp_backward_prefetch_policy", "1.0"),
    ("--use_mps_device", "0.20"),
    ("--mps", "0.20"),
    ("--fp16", "0.20"),
    ("--deepspeed_fields_from_accelerate_config", "0.20"),
];

/// The other launcher's name for a flag.
const ELSEWHERE: &[(Launcher, &str, &str)] = &[
    (Launcher::Accelerate, "nproc_per_node", "--num_processes"),
    (Launcher::Accelerate, "num_gpus", "--num_processes"),
    (Launcher::Accelerate, "nnodes", "--num_machines"),
    (Launcher::Accelerate, "num_nodes", "--num_machines"),
    (Launcher::Accelerate, "node_rank", "--machine_rank"),
    (Launcher::Accelerate, "master_addr", "--main_process_ip"),
    (Launcher::Accelerate, "master_port", "--main_process_port"),
    (Launcher::Accelerate, "config", "--config_file"),
    (Launcher::Accelerate, "deepspeed", "--deepspeed_config_file"),
    (Launcher::Torchrun, "num_processes", "--nproc_per_node"),
    (Launcher::Torchrun, "num_gpus", "--nproc_per_node"),
    (Launcher::Torchrun, "num_machines", "--nnodes"),
    (Launcher::Torchrun, "num_nodes", "--nnodes"),
    (Launcher::Torchrun, "machine_rank", "--node_rank"),
    (Launcher::Torchrun, "main_process_ip", "--master_addr"),
    (Launcher::Torchrun, "main_process_port", "--master_port"),
];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for launch in &cx.project.launches {
        if !matches!(launch.launcher, Launcher::Accelerate | Launcher::Torchrun) || launch.has_unknown_flags {
            continue;
        }
        for flag in &launch.flags {
            if let Some(finding) = judge(cx, launch, flag).filter(|finding| out.mark_reported(finding.place)) {
                out.push(finding);
            }
        }
    }
}

fn judge(cx: &Context<'_>, launch: &Launch, flag: &LaunchFlag) -> Option<Finding> {
    let place = FileRange::new(launch.file, flag.word);
    let name = flag.name.as_str();
    if let Some((name, until)) = GONE.iter().find(|(gone, _)| launch.launcher == Launcher::Accelerate && *gone == name) {
        let gate = version_gate::evaluate(cx.project, launch.file, &VersionRange::since("accelerate", until), Severity::Error)?;
        let message = message!("accelerate launch no longer has {name}", "accelerate launch 已没有参数 {name}");
        let finding = gate.annotate(RULE.finding(place, message));
        return Some(match gate.pin_hint {
            Some(help) => finding.with_help(help),
            None => finding.with_help(message!("remove it", "去掉它")),
        });
    }
    // `--` ends the flags, and a lone dash is a positional argument.
    let long = name.strip_prefix("--").filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    if flag.known || long.is_none() || abbreviates(launch.launcher, name) {
        return None;
    }
    let who = if launch.launcher == Launcher::Accelerate { "accelerate launch" } else { "torchrun" };
    let finding = RULE.finding(place, message!("{who} does not have a flag {name}", "{who} 没有参数 {name}"));
    let Some(meant) = meant(launch.launcher, name) else {
        return Some(finding.with_help(message!(
            "remove it, or move it after the script if it belongs to the script",
            "去掉它；若是脚本自己的参数，请写在脚本之后"
        )));
    };
    let finding = finding.with_help(message!("did you mean `{meant}`?", "是否想写 `{meant}`？"));
    let text = flag.word.slice(&cx.project.file(launch.file).text);
    Some(match text.strip_prefix(name) {
        Some(rest) if rest.is_empty() || rest.starts_with('=') => finding.with_fix(Fix {
            title: message!("write `{meant}`", "改写为 `{meant}`"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(place, format!("{meant}{rest}"))],
        }),
        _ => finding,
    })
}

/// Whether torchrun accepts it as an abbreviation, or finds several matches: the result depends on Python.
fn abbreviates(launcher: Launcher, name: &str) -> bool {
    let starts = |flag: &flags::Flag| flag.names.iter().any(|known| known.starts_with(name));
    launcher == Launcher::Torchrun && flags::flags(launcher).iter().any(starts)
}

fn meant(launcher: Launcher, name: &str) -> Option<&'static str> {
    let bare = name.trim_start_matches('-').replace('-', "_");
    let elsewhere = ELSEWHERE.iter().find(|(own, other, _)| *own == launcher && *other == bare).map(|(_, _, meant)| *meant);
    let gone = |name: &&str| GONE.iter().any(|(gone, _)| gone == name);
    let known = || flags::flags(launcher).iter().map(|flag| flag.names[0]).filter(|name| !gone(name));
    elsewhere.or_else(|| keys::nearest(&format!("--{bare}"), known()))
}

//! # conflicting-launch-flags
//!
//! Two flags of `accelerate launch` exclude each other.
//!
//! ## Why it matters
//! `--cpu`, `--multi_gpu`, `--tpu`, `--use_deepspeed` and `--use_fsdp` each select a distributed mode. accelerate accepts one of them; with
//! two it raises a `ValueError` before it reads the file. `--use_parallelism_config` requires `--use_fsdp`, and `--module` cannot be
//! combined with `--no_python`.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --multi_gpu --use_deepspeed --num_processes 2 train.py
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --use_deepspeed --num_processes 2 train.py
//! ```
//!
//! ## Fix
//! None: the intended flag is not known.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/launch.py:1204` and `:1211`, `utils/launch.py:81` and `:247`, run: `You can only use one of`,
//! `You cannot use --use_parallelism_config without --use_fsdp`.
//!
//! # 中文
//!
//! `accelerate launch` 的参数互相排斥。
//!
//! ## 为什么重要
//! `--cpu`、`--multi_gpu`、`--tpu`、`--use_deepspeed`、`--use_fsdp` 各选择一种分布式模式。accelerate 只接受其中一个；出现两个时，在读取配置文件之前就
//! 报 `ValueError`。`--use_parallelism_config` 需要 `--use_fsdp`；`--module` 不能与 `--no_python` 同用。
//!
//! ## 修复
//! 无：无法得知两者中哪一个才是本意。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/launch.py:1204` 与 `:1211`、`utils/launch.py:81` 与 `:247`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, message};
use vramlint_semantic::accelerate::AccelerateLaunch;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL104", "conflicting-launch-flags", Severity::Error, page!("conflicting_launch_flags.rs"), check)
};

/// The mode flags, of which accelerate accepts one.
const MODES: &[&str] = &["--cpu", "--multi_gpu", "--tpu", "--use_deepspeed", "--use_fsdp"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches().iter().filter(|start| !start.is_alone()) {
        for finding in [modes(start), lonely(start), module(start)].into_iter().flatten() {
            if out.mark_reported(finding.place) {
                out.push(finding);
            }
        }
    }
}

fn flag_and_place<'f>(start: &AccelerateLaunch<'_>, flag: &'f str) -> Option<(&'f str, FileRange)> {
    start.flag(flag).map(|found| (flag, found.word))
}

fn modes(start: &AccelerateLaunch<'_>) -> Option<vramlint_base::Finding> {
    let mut given: Vec<_> = MODES.iter().filter_map(|flag| flag_and_place(start, flag)).collect();
    given.sort_by_key(|(_, place)| *place);
    let [(first, first_at), (second, second_at), ..] = given.as_slice() else { return None };
    Some(
        clash((first, *first_at), (second, *second_at))
            .with_help(message!("keep only the flag of the intended mode", "只保留所需模式的参数")),
    )
}

fn lonely(start: &AccelerateLaunch<'_>) -> Option<vramlint_base::Finding> {
    let (flag, at) = flag_and_place(start, "--use_parallelism_config")?;
    if start.may_hide_flags() || start.flag("--use_fsdp").is_some() {
        return None;
    }
    let finding = RULE.finding(
        at,
        message!(
            "`accelerate launch` rejects `{flag}` without `--use_fsdp`",
            "没有 `--use_fsdp` 时 `accelerate launch` 拒绝 `{flag}`"
        ),
    );
    Some(finding.with_help(message!(
        "add `--use_fsdp --fsdp_version 2`, or pass a file with a `parallelism_config`",
        "加上 `--use_fsdp --fsdp_version 2`，或指定含 `parallelism_config` 的配置文件"
    )))
}

fn module(start: &AccelerateLaunch<'_>) -> Option<vramlint_base::Finding> {
    Some(clash(flag_and_place(start, "--module")?, flag_and_place(start, "--no_python")?))
}

fn clash((first, first_at): (&str, FileRange), (second, second_at): (&str, FileRange)) -> vramlint_base::Finding {
    RULE.finding(
        second_at,
        message!(
            "`accelerate launch` rejects `{second}` together with `{first}`",
            "`accelerate launch` 拒绝同时使用 `{second}` 与 `{first}`"
        ),
    )
    .with_related(first_at, message!("`{first}` is set here", "`{first}` 在此给出"))
}

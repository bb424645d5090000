//! # flag-without-its-mode
//!
//! Flags of `accelerate launch` that the chosen mode does not read.
//!
//! ## Why it matters
//! The launcher takes every flag and hands on those of the mode that it starts. `--gradient_accumulation_steps` and `--zero_stage` reach the run
//! only with DeepSpeed, `--fsdp_*` only with FSDP, `--parallelism_config_*` only with `--use_parallelism_config` or the file's block, `--fp8_*`
//! only with `fp8`. Elsewhere they are dropped without a message: the batch or the memory is not what the command says.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --multi_gpu --num_processes 2 --gradient_accumulation_steps 4 train.py
//! ```
//!
//! ## Fine
//! ```bash file=launch.sh
//! accelerate launch --use_deepspeed --num_processes 2 --zero_stage 2 --gradient_accumulation_steps 4 train.py
//! ```
//!
//! ## Fix
//! None: the flag or the mode may be the one that was meant.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/launch.py:305-352`, `:355-410` and `:430-560` (what each mode exports), run.
//!
//! # 中文
//!
//! 所选模式不会读取的 `accelerate launch` 参数。
//!
//! ## 为什么重要
//! 启动器接受所有参数，但只传递所启动模式的那些。`--gradient_accumulation_steps` 与 `--zero_stage` 只在 DeepSpeed 下生效，`--fsdp_*` 只在 FSDP 下，
//! `--parallelism_config_*` 只在 `--use_parallelism_config` 或文件中有该块时，`--fp8_*` 只在 `fp8` 下。其余情况会被丢弃且没有提示：批次或显存与命令所写不符。
//!
//! ## 修复
//! 无：本意可能是该参数，也可能是该模式。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/launch.py:305-352`、`:355-410`、`:430-560`（各模式导出的内容），实际运行。

use crate::accelerate::{Answer, Start, Type, starts};
use crate::rule::Build;
use crate::{Context, Group, Rule, Sink};
use vramlint_base::{Place, Severity, message};
use vramlint_catalog::flags::Launcher;
use vramlint_resolve::launch::{Launch, LaunchFlag};

pub(crate) static RULE: Rule = Rule {
    code: "VL115",
    name: "flag-without-its-mode",
    group: Group::Launch,
    severity: Severity::Warning,
    since: "0.1.0",
    source: include_str!("flag_without_its_mode.rs"),
    check: Some(check),
};

/// Flags of a mode: how they start, which do not belong to it, and what turns the mode on.
const DEEPSPEED: &[&str] =
    &["--zero_stage", "--offload_", "--gradient_accumulation_steps", "--gradient_clipping", "--zero3_", "--deepspeed_"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in starts(cx.project) {
        let Some(launch) = start.launch.filter(|launch| launch.launcher == Launcher::Accelerate) else { continue };
        let Some(kind) = start.kind() else { continue };
        let cpu = start.flag("--cpu").is_some();
        let is = |name: &str| kind.name == name && !cpu;
        let modes: [(&[&str], bool, &str); 5] = [
            (DEEPSPEED, is("DEEPSPEED"), "--use_deepspeed"),
            (&["--fsdp_"], is("FSDP"), "--use_fsdp"),
            (&["--megatron_lm_"], is("MEGATRON_LM"), "--use_megatron_lm"),
            (&["--parallelism_config_"], splits(&start).unwrap_or(true), "--use_parallelism_config"),
            (&["--fp8_"], precise(&start), "--mixed_precision fp8"),
        ];
        for (prefixes, on, needs) in modes.into_iter().filter(|(_, on, _)| !on) {
            debug_assert!(!on);
            let of_mode = |flag: &&LaunchFlag| flag.known && prefixes.iter().any(|prefix| flag.name.starts_with(prefix));
            let mut given = launch.flags.iter().filter(of_mode);
            let Some(first) = given.next() else { continue };
            let others: Vec<&LaunchFlag> = given.collect();
            out.push(finding(&start, &kind, launch, first, &others, needs));
        }
    }
}

/// Whether the sizes of a parallelism configuration are read; `None` where not known.
fn splits(start: &Start<'_>) -> Option<bool> {
    if start.flag("--use_parallelism_config").is_some() {
        return Some(true);
    }
    if start.kind()?.by_flag {
        return Some(false);
    }
    let root = start.root()?;
    Some(root.get("parallelism_config").is_some_and(|block| block.entries().next().is_some()))
}

/// Whether fp8 may be on.
fn precise(start: &Start<'_>) -> bool {
    match start.top("mixed_precision") {
        Answer::Nothing => false,
        Answer::Unknown => true,
        Answer::Is(given) => given.text().is_some_and(|text| text.eq_ignore_ascii_case("fp8")),
    }
}

fn finding(
    start: &Start<'_>,
    kind: &Type,
    launch: &Launch,
    first: &LaunchFlag,
    others: &[&LaunchFlag],
    needs: &str,
) -> vramlint_base::Finding {
    let (flag, name) = (&first.name, &kind.name);
    let message = if needs.ends_with("fp8") || needs.ends_with("parallelism_config") {
        message!("{flag} has no effect without {needs}", "没有 {needs} 时 {flag} 不生效")
    } else if start.flag("--cpu").is_some() {
        message!("{flag} has no effect with --cpu", "使用 --cpu 时 {flag} 不生效")
    } else {
        message!("{flag} has no effect with distributed_type {name}", "distributed_type 为 {name} 时 {flag} 不生效")
    };
    let mut finding = RULE.finding(Place::new(launch.file, first.word), message);
    for other in others {
        finding = finding.related(Place::new(launch.file, other.word), message!("this one neither", "此参数同样不生效"));
    }
    finding = finding.related(kind.place, message!("the type is {name}", "类型为 {name}"));
    if flag == "--gradient_accumulation_steps" {
        return finding.help(message!(
            "give it to Accelerator(gradient_accumulation_steps=...) or to the trainer's arguments",
            "请写入 Accelerator(gradient_accumulation_steps=...) 或 Trainer 的参数"
        ));
    }
    finding.help(message!("add {needs}, or leave the flag out", "加上 {needs}，或去掉该参数"))
}

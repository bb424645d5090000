//! # flag-without-its-mode
//!
//! A flag of `accelerate launch` has no effect in the selected mode.
//!
//! ## Why it matters
//! The launcher accepts every flag but passes on only those of the mode that it starts. `--gradient_accumulation_steps` and `--zero_stage`
//! take effect only with DeepSpeed, `--fsdp_*` only with FSDP, `--parallelism_config_*` only with `--use_parallelism_config` or the block
//! in the file, `--fp8_*` only with `fp8`. Otherwise they are silently dropped, and the batch size or the memory differs from the command.
//! With a DeepSpeed JSON, the DeepSpeed flags only fill in the `"auto"` of their key.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --multi_gpu --num_processes 2 --gradient_accumulation_steps 4 train.py
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --use_deepspeed --num_processes 2 --zero_stage 2 --gradient_accumulation_steps 4 train.py
//! ```
//!
//! ## Fix
//! None: either the flag or the mode may be intended.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/launch.py:305-352`, `:355-410` and `:430-560` (what each mode exports), `utils/dataclasses.py:1292-1320`
//! (what fills in a JSON), run.
//!
//! # 中文
//!
//! `accelerate launch` 的参数在所选模式下不起作用。
//!
//! ## 为什么重要
//! 启动器接受所有参数，但只传递所启动模式的那些。`--gradient_accumulation_steps` 与 `--zero_stage` 只在 DeepSpeed 下生效，`--fsdp_*` 只在 FSDP 下，
//! `--parallelism_config_*` 只在 `--use_parallelism_config` 或文件中有该块时，`--fp8_*` 只在 `fp8` 下。其余情况会被静默丢弃：批大小或显存与命令所写不
//! 符。有 DeepSpeed JSON 时，DeepSpeed 的参数只填充对应键的 `"auto"`，此外不起作用。
//!
//! ## 修复
//! 无：本意可能是该参数，也可能是该模式。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/launch.py:305-352`、`:355-410`、`:430-560`（各模式导出的内容）、`utils/dataclasses.py:1292-1320`（填充 JSON 的内容），实际运行。

use crate::{Context, DiagnosticTag, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, FileRange, Finding, Severity, Value, message};
use vramlint_catalog::flags::Launcher;
use vramlint_resolve::launch::{Launch, LaunchFlag};
use vramlint_semantic::accelerate::{AccelerateLaunch, DistributedType, deepspeed_json};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect],
    tag: Some(DiagnosticTag::Unnecessary),
    ..Rule::new("VL115", "flag-without-its-mode", Severity::Warning, page!("flag_without_its_mode.rs"), check)
};

/// Flags of a mode: their prefix, the exceptions, and what turns the mode on.
const DEEPSPEED: &[&str] =
    &["--zero_stage", "--offload_", "--gradient_accumulation_steps", "--gradient_clipping", "--zero3_", "--deepspeed_"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some(launch) = start.launch.filter(|launch| launch.launcher == Launcher::Accelerate) else { continue };
        let Some(kind) = start.distributed_type() else { continue };
        let cpu = start.flag("--cpu").is_some();
        let is = |name: &str| kind.name == name && !cpu;
        let modes: [(&[&str], bool, &str); 5] = [
            (DEEPSPEED, is("DEEPSPEED"), "--use_deepspeed"),
            (&["--fsdp_"], is("FSDP"), "--use_fsdp"),
            (&["--megatron_lm_"], is("MEGATRON_LM"), "--use_megatron_lm"),
            (&["--parallelism_config_"], splits(start).unwrap_or(true), "--use_parallelism_config"),
            (&["--fp8_"], precise(start), "--mixed_precision fp8"),
        ];
        for (prefixes, _, needs) in modes.into_iter().filter(|(_, on, _)| !on) {
            let of_mode = |flag: &&LaunchFlag| flag.known && prefixes.iter().any(|prefix| flag.name.starts_with(prefix));
            let mut given = launch.flags.iter().filter(of_mode);
            let Some(first) = given.next() else { continue };
            let others: Vec<&LaunchFlag> = given.collect();
            out.push(finding(start, &kind, launch, first, &others, needs));
        }
        out.findings.extend(beside_json(start, launch));
    }
}

/// Flags that only fill the `auto` entries of a DeepSpeed JSON (utils/dataclasses.py:1292-1320), and which ones.
const FILLING: &[(&str, &[&str])] = &[
    ("--zero_stage", &["zero_optimization", "stage"]),
    ("--gradient_accumulation_steps", &["gradient_accumulation_steps"]),
    ("--gradient_clipping", &["gradient_clipping"]),
    ("--offload_optimizer_device", &["zero_optimization", "offload_optimizer", "device"]),
    ("--offload_param_device", &["zero_optimization", "offload_param", "device"]),
    ("--zero3_save_16bit_model", &["zero_optimization", "stage3_gather_16bit_weights_on_model_save"]),
];

/// Flags next to a DeepSpeed JSON that has another value, or none.
fn beside_json(start: &AccelerateLaunch<'_>, launch: &Launch) -> Vec<Finding> {
    let Some(json) = deepspeed_json::deepspeed_json(start) else { return Vec::new() };
    let dropped = FILLING.iter().filter_map(|(name, path)| {
        let flag = launch.flag(name)?;
        let asked = flag.values.first()?.text()?.to_lowercase();
        let (said, place) = match json.value(path) {
            Some((_, Value::Text(text))) if text == "auto" => return None,
            Some((place, Value::Text(text))) => (text.to_lowercase(), place),
            Some((place, value)) => (value.to_string().to_lowercase(), place),
            None if json.certain && asked != "none" && asked != "false" => (String::new(), json.named),
            None => return None,
        };
        let number = |text: &str| text.parse::<f64>().ok();
        if said == asked || number(&said).is_some() && number(&said) == number(&asked) {
            return None;
        }
        let key = path.join(".");
        let message = if said.is_empty() {
            message!(
                "`{name} {asked}` has no effect: the DeepSpeed JSON has no `{key}`",
                "`{name} {asked}` 不起作用：DeepSpeed JSON 中没有 `{key}`"
            )
        } else {
            message!(
                "`{name} {asked}` has no effect: the DeepSpeed JSON sets `{key}` to {said}",
                "`{name} {asked}` 不起作用：DeepSpeed JSON 将 `{key}` 设为 {said}"
            )
        };
        let finding =
            RULE.finding(FileRange::new(launch.file, flag.word), message).with_related(place, message!("set here", "在此设置"));
        Some(finding.with_help(message!(
            "set the value in the JSON, or set it to \"auto\" there so that the flag fills it in",
            "请在 JSON 中设置取值，或在该处写 \"auto\" 由参数填充"
        )))
    });
    dropped.collect()
}

/// Whether the sizes of a parallelism configuration are read; `None` if not known.
fn splits(start: &AccelerateLaunch<'_>) -> Option<bool> {
    if start.flag("--use_parallelism_config").is_some() {
        return Some(true);
    }
    if start.distributed_type()?.by_flag {
        return Some(false);
    }
    let root = start.root()?;
    Some(root.get("parallelism_config").is_some_and(|block| block.entries().next().is_some()))
}

/// Whether fp8 may be on.
fn precise(start: &AccelerateLaunch<'_>) -> bool {
    match start.top_level("mixed_precision") {
        Evaluated::Absent => false,
        Evaluated::Unknown(_) => true,
        Evaluated::Known(given) => given.text().is_some_and(|text| text.eq_ignore_ascii_case("fp8")),
    }
}

fn finding(
    start: &AccelerateLaunch<'_>,
    kind: &DistributedType,
    launch: &Launch,
    first: &LaunchFlag,
    others: &[&LaunchFlag],
    needs: &str,
) -> Finding {
    let (flag, name) = (&first.name, &kind.name);
    let message = if needs.ends_with("fp8") || needs.ends_with("parallelism_config") {
        message!("`{flag}` has no effect without {needs}", "没有 {needs} 时 `{flag}` 不起作用")
    } else if start.flag("--cpu").is_some() {
        message!("`{flag}` has no effect with `--cpu`", "使用 `--cpu` 时 `{flag}` 不起作用")
    } else {
        message!("`{flag}` has no effect with `distributed_type` {name}", "`distributed_type` 为 {name} 时 `{flag}` 不起作用")
    };
    let mut finding = RULE.finding(FileRange::new(launch.file, first.word), message);
    for other in others {
        finding = finding.with_related(
            FileRange::new(launch.file, other.word),
            message!("this flag has no effect either", "此参数同样不起作用"),
        );
    }
    finding = finding.with_related(kind.place, message!("`distributed_type` is {name}", "`distributed_type` 为 {name}"));
    if flag == "--gradient_accumulation_steps" {
        return finding.with_help(message!(
            "pass it to `Accelerator(gradient_accumulation_steps=...)` or set it in the trainer's arguments",
            "请写入 `Accelerator(gradient_accumulation_steps=...)` 或 Trainer 的参数"
        ));
    }
    finding.with_help(message!("add {needs}, or remove the flag", "加上 {needs}，或去掉该参数"))
}

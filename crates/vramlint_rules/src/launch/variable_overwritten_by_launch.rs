//! # variable-overwritten-by-launch
//!
//! `accelerate launch` overrides an environment variable that the script sets.
//!
//! ## Why it matters
//! The launcher overrides the environment of the processes: `ACCELERATE_MIXED_PRECISION` becomes the value of the flag or the file, else
//! `no`; `ACCELERATE_DYNAMO_BACKEND` likewise; `CUDA_VISIBLE_DEVICES` becomes `gpu_ids` unless that is `all`; with FSDP every `FSDP_*`
//! variable becomes the value of the file or the launcher's default. What the script exports is silently lost: bf16 requested this way
//! trains in fp32. `OMP_NUM_THREADS` becomes `--num_cpu_threads_per_process` if that is set; `MASTER_PORT` and `WORLD_SIZE` become the
//! values that the launcher computes.
//!
//! ## Severity
//! Info for `MASTER_PORT` and `WORLD_SIZE`, which scripts also export for other commands.
//!
//! ## Example
//! ```bash file=launch.sh
//! export ACCELERATE_MIXED_PRECISION=bf16
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! ```
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator()
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml --mixed_precision bf16 train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! ```
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator()
//! ```
//!
//! ## When it stays silent
//! If the launch results in the same value, and for the precision if the code passes `mixed_precision` itself.
//!
//! ## Fix
//! None: set the value as a flag or in the file.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/launch.py:166-200` and `:267-345`, run with each variable.
//!
//! # 中文
//!
//! `accelerate launch` 会覆盖脚本设置的环境变量。
//!
//! ## 为什么重要
//! 启动器会覆盖进程的环境变量：`ACCELERATE_MIXED_PRECISION` 变为参数或文件所写，否则为 `no`；`ACCELERATE_DYNAMO_BACKEND` 同理；`gpu_ids` 不是 `all`
//! 时 `CUDA_VISIBLE_DEVICES` 变为 `gpu_ids`；使用 FSDP 时所有 `FSDP_*` 设置变为文件或启动器默认值。脚本导出的值会静默丢失：以这种方式要求 bf16，实际以
//! fp32 训练。给出 `--num_cpu_threads_per_process` 时 `OMP_NUM_THREADS` 变为该值；`MASTER_PORT` 与 `WORLD_SIZE` 变为启动器自己算出的值。
//!
//! ## 严重程度
//! `MASTER_PORT` 与 `WORLD_SIZE` 仅作提示：脚本也常为其他命令导出它们。
//!
//! ## 何时不报
//! 启动后得到的值相同时；以及代码自己给出 `mixed_precision` 时（精度）。
//!
//! ## 修复
//! 无：请以参数或在文件中给出该值。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/launch.py:166-200` 与 `:267-345`，对每个变量实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, FileRange, Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_catalog::flags::Launcher;
use vramlint_semantic::accelerate::{AccelerateLaunch, LaunchMethod};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect],
    ..Rule::new("VL116", "variable-overwritten-by-launch", Severity::Warning, page!("variable_overwritten_by_launch.rs"), check)
};

/// FSDP variables that the launcher always writes, with the setting and its default (utils/launch.py:305-345).
const FSDP: &[(&str, &str, &str)] = &[
    ("FSDP_VERSION", "fsdp_version", "1"),
    ("FSDP_SHARDING_STRATEGY", "fsdp_sharding_strategy", "FULL_SHARD"),
    ("FSDP_RESHARD_AFTER_FORWARD", "fsdp_reshard_after_forward", "true"),
    ("FSDP_OFFLOAD_PARAMS", "fsdp_offload_params", "false"),
    ("FSDP_MIN_NUM_PARAMS", "fsdp_min_num_params", "100000000"),
    ("FSDP_USE_ORIG_PARAMS", "fsdp_use_orig_params", "true"),
    ("FSDP_CPU_RAM_EFFICIENT_LOADING", "fsdp_cpu_ram_efficient_loading", "true"),
    ("FSDP_SYNC_MODULE_STATES", "fsdp_sync_module_states", "true"),
    ("FSDP_ACTIVATION_CHECKPOINTING", "fsdp_activation_checkpointing", "false"),
];

/// Variables that every launcher of accelerate writes for one machine, regardless of what it reads (utils/launch.py:167-190 and :275-300).
const ALWAYS: &[&str] =
    &["ACCELERATE_MIXED_PRECISION", "ACCELERATE_DYNAMO_BACKEND", "OMP_NUM_THREADS", "MASTER_PORT", "WORLD_SIZE"];

/// Variables that scripts export for several commands, or without need: info only.
const USUAL: &[&str] = &["MASTER_PORT", "WORLD_SIZE"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some(launch) = start.launch.filter(|launch| launch.launcher == Launcher::Accelerate) else { continue };
        if start.may_hide() {
            continue;
        }
        for variable in &launch.environment {
            let Some(asked) = variable.value.text().filter(|_| !variable.conditional) else { continue };
            // A command without a file uses the user's default file if there is one: report only variables that are written in any case.
            if start.file.is_none() && !ALWAYS.contains(&variable.name.as_str()) {
                continue;
            }
            let Some((now, by)) = overwritten(start, &variable.name, asked) else { continue };
            let place = launch.variable_place(variable);
            if !out.mark_reported(place) {
                continue;
            }
            let name = &variable.name;
            let mut finding = RULE.finding(
                place,
                message!(
                    "`accelerate launch` overrides `{name}`: processes see {now}, not {asked}",
                    "`accelerate launch` 会覆盖 `{name}`：进程得到的是 {now}，而不是 {asked}"
                ),
            );
            if USUAL.contains(&name.as_str()) {
                finding = finding.with_severity(Severity::Info);
            }
            if let Some(by) = by {
                finding = finding.with_related(by, message!("set here", "在此设置"));
            } else if let Some(command) = start.command() {
                finding = finding.with_related(command, message!("neither a flag nor the file sets it", "参数与文件均未设置"));
            }
            out.push(finding.with_help(message!("set it as a flag or in the file", "请以参数或在文件中给出")));
        }
    }
}

/// What the processes get instead, and where that is set.
fn overwritten(start: &AccelerateLaunch<'_>, name: &str, asked: &str) -> Option<(String, Option<FileRange>)> {
    let (answer, default) = match name {
        "ACCELERATE_MIXED_PRECISION" if !given_in_code(start) => (start.top_level("mixed_precision"), "no"),
        "ACCELERATE_DYNAMO_BACKEND" => (start.block("dynamo_config", "dynamo_backend"), "no"),
        "CUDA_VISIBLE_DEVICES" => {
            let (ids, given) = start.gpu_ids()?;
            let ids = ids.join(",");
            let same = ids == asked.replace([' ', '"', '\''], "");
            return (!same && matches!(start.method()?, LaunchMethod::Single | LaunchMethod::Torchrun | LaunchMethod::DeepSpeed))
                .then_some((ids, Some(given.place)));
        }
        // The DeepSpeed launcher does not touch the variable (utils/launch.py:430-560).
        "OMP_NUM_THREADS" if matches!(start.method()?, LaunchMethod::Single | LaunchMethod::Torchrun) => {
            let given = start.top_level("num_cpu_threads_per_process").known()?;
            let now = given.as_int()?.to_string();
            return (now != asked).then_some((now, Some(given.place)));
        }
        // torchrun passes its own values to its processes.
        "MASTER_PORT"
            if matches!(start.method()?, LaunchMethod::Torchrun | LaunchMethod::DeepSpeed) && start.machines() == Some(1) =>
        {
            (start.top_level("main_process_port"), "29500")
        }
        "WORLD_SIZE" if matches!(start.method()?, LaunchMethod::Torchrun | LaunchMethod::DeepSpeed) => {
            let (count, given) = start.processes()?;
            let now = count.to_string();
            return (now != asked).then_some((now, Some(given.place)));
        }
        _ => {
            let (_, key, default) = FSDP.iter().find(|(variable, _, _)| *variable == name)?;
            if start.distributed_type()?.name != "FSDP" || start.method()? != LaunchMethod::Torchrun {
                return None;
            }
            (start.block("fsdp_config", key), *default)
        }
    };
    let (now, place) = match answer {
        Evaluated::Unknown(_) => return None,
        Evaluated::Absent => (default.to_owned(), None),
        Evaluated::Known(given) => match &given.value {
            Value::Null => (default.to_owned(), None),
            Value::Text(text) => (text.clone(), Some(given.place)),
            other => (other.to_string(), Some(given.place)),
        },
    };
    (!now.eq_ignore_ascii_case(asked)).then_some((now, place))
}

/// Whether the code may set the precision itself, which takes precedence.
fn given_in_code(start: &AccelerateLaunch<'_>) -> bool {
    let Some(code) = start.run.and_then(|run| run.code.as_deref()) else { return true };
    code.accelerator.is_none() || code.candidates.iter().any(|(concept, _)| *concept == Concept::MixedPrecision)
}

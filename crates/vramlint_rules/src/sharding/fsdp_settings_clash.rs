//! # fsdp-settings-clash
//!
//! A combination of FSDP settings that accelerate rejects.
//!
//! ## Why it matters
//! The launcher raises an error if `fsdp_cpu_ram_efficient_loading` is on (the default, for version 2 too) and
//! `fsdp_sync_module_states` is `false`: only rank 0 would have weights. `Accelerator()` raises an error if
//! `fsdp_activation_checkpointing_offload` is on without `fsdp_activation_checkpointing` or with version 1, and if version 2 uses
//! `LOCAL_STATE_DICT`. In Python the plugin rejects `forward_prefetch` with version 2, and a boolean `reshard_after_forward` with
//! version 1.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 2
//! fsdp_config:
//!   fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
//!   fsdp_sync_module_states: false
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 2
//! fsdp_config:
//!   fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
//!   fsdp_cpu_ram_efficient_loading: false
//!   fsdp_sync_module_states: false
//! ```
//!
//! ## Severity
//! `fsdp_sync_module_states` as the string `'false'`, as a flag sets it, passes the launcher: `Accelerator()` then warns and turns
//! it on. Activation offload: info if accelerate's version is unknown, silent before 1.15.
//!
//! ## Fix
//! Unsafe: `fsdp_sync_module_states: true`, `fsdp_activation_checkpointing_offload: false`, `SHARDED_STATE_DICT`.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/launch.py:306`, `utils/dataclasses.py:1968`, `:1970`, `:2001`, `:2070`, run, each; the plugin's `:1881`
//! and `:1955`, run.
//!
//! # 中文
//!
//! accelerate 拒绝同时使用的 FSDP 设置。
//!
//! ## 为什么重要
//! `fsdp_cpu_ram_efficient_loading` 开启（默认如此，版本 2 也是）而 `fsdp_sync_module_states` 为 `false` 时启动器会报错：否则只有 rank 0 有权
//! 重。`fsdp_activation_checkpointing_offload` 开启却没有 `fsdp_activation_checkpointing`，或用于版本 1，以及版本 2 使用
//! `LOCAL_STATE_DICT` 时，`Accelerator()` 会报错。在 Python 中，插件拒绝版本 2 的 `forward_prefetch`，以及版本 1 中布尔值的
//! `reshard_after_forward`。
//!
//! ## 严重程度
//! `fsdp_sync_module_states` 为字符串 `'false'`（参数就是如此给出）时能通过启动器：`Accelerator()` 会警告并将其打开。激活卸载：accelerate 版本未知时为提示，1.15 之前不报告。
//!
//! ## 修复
//! 不安全：`fsdp_sync_module_states: true`、`fsdp_activation_checkpointing_offload: false`、`SHARDED_STATE_DICT`。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/launch.py:306`、`utils/dataclasses.py:1968`、`:1970`、`:2001`、`:2070`，逐项实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::value_readers::{python_truth, str_to_bool};
use vramlint_base::{Applicability, Evaluated, Finding, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::code::LibraryCall;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::accelerate::{AccelerateLaunch, LaunchValue};
use vramlint_semantic::{calls, version_gate};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL502", "fsdp-settings-clash", Severity::Error, page!("fsdp_settings_clash.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project).filter(|at| at.call().is("accelerate", "FullyShardedDataParallelPlugin")) {
        if let Some(finding) = plugin(at.call()).filter(|finding| out.mark_reported(finding.place)) {
            out.push(finding);
        }
    }
    for start in cx.accelerate_launches() {
        if start.distributed_type().is_none_or(|kind| kind.name != "FSDP") || start.flag("--cpu").is_some() {
            continue;
        }
        for finding in [loading(start), offload(cx, start), state_dict(start)].into_iter().flatten() {
            if out.mark_reported(finding.place) {
                out.push(finding);
            }
        }
    }
}

/// Arguments that the plugin itself rejects (utils/dataclasses.py:1876-1884 and :1955).
fn plugin(call: &LibraryCall) -> Option<Finding> {
    let version = call.constant_argument("fsdp_version").and_then(Value::as_int)?;
    let reshard = call.argument("reshard_after_forward", None);
    let prefetch = call.argument("forward_prefetch", None);
    let (argument, what) =
        match (version, reshard.and_then(|argument| argument.constant()), prefetch.and_then(|argument| argument.constant())) {
            (1, Some(Value::Bool(value)), _) => (
                reshard?,
                message!(
                    "FSDP 1 rejects reshard_after_forward={value}: it expects the name of a strategy",
                    "FSDP 1 拒绝 reshard_after_forward={value}：它需要策略名称"
                ),
            ),
            (2, _, Some(value @ Value::Bool(_))) => (
                prefetch?,
                message!(
                    "FSDP 2 rejects forward_prefetch={value}: it does not support prefetching",
                    "FSDP 2 拒绝 forward_prefetch={value}：它没有该功能"
                ),
            ),
            (2, Some(Value::Text(text)), _) if str_to_bool(text).is_none() => (
                reshard?,
                message!(
                    "FSDP 2 rejects reshard_after_forward='{text}': it expects a boolean",
                    "FSDP 2 拒绝 reshard_after_forward='{text}'：它需要布尔值"
                ),
            ),
            _ => return None,
        };
    let finding = RULE.finding(argument.place, what);
    Some(match call.argument("fsdp_version", None) {
        Some(version) => finding.with_related(version.place, message!("the version is set here", "版本在此设置")),
        None => finding,
    })
}

/// A setting of the block.
fn setting(start: &AccelerateLaunch<'_>, key: &str) -> Evaluated<LaunchValue> {
    start.block("fsdp_config", key)
}

fn loading(start: &AccelerateLaunch<'_>) -> Option<Finding> {
    let sync = setting(start, "fsdp_sync_module_states").known()?;
    let (on, loading) = match setting(start, "fsdp_cpu_ram_efficient_loading") {
        Evaluated::Absent => (true, None),
        Evaluated::Unknown(_) => return None,
        // The launcher tests Python truthiness.
        Evaluated::Known(given) => (python_truth(&given.value), Some(given)),
    };
    let falsy = matches!(sync.value, Value::Bool(false) | Value::Null | Value::Int(0));
    let meant_on = loading.as_ref().is_none_or(|given| given.as_bool() == Some(true));
    let finding = if falsy && on {
        RULE.finding(
            sync.place,
            message!(
                "accelerate rejects fsdp_sync_module_states false while `fsdp_cpu_ram_efficient_loading` is on",
                "fsdp_cpu_ram_efficient_loading 开启时 accelerate 拒绝 fsdp_sync_module_states 为 false"
            ),
        )
    } else if sync.as_bool() == Some(false) && meant_on && start.fsdp_version()? == 1 {
        RULE.finding(
            sync.place,
            message!(
                "Accelerator() turns `fsdp_sync_module_states` on: `fsdp_cpu_ram_efficient_loading` requires it",
                "Accelerator() 会打开 fsdp_sync_module_states：fsdp_cpu_ram_efficient_loading 需要它"
            ),
        )
        .with_severity(Severity::Warning)
    } else {
        return None;
    };
    let finding = match loading {
        Some(given) => {
            finding.with_related(given.place, message!("loading on rank 0 alone is set here", "此处设置为只在 rank 0 加载"))
        }
        None => finding,
    };
    let help = message!(
        "set `fsdp_sync_module_states: true`, or `fsdp_cpu_ram_efficient_loading: false` (the default is true)",
        "请设置 `fsdp_sync_module_states: true`，或 `fsdp_cpu_ram_efficient_loading: false`（默认为 true）"
    );
    Some(write(finding.with_help(help), &sync, "true"))
}

/// The key came with 1.15 at the latest; 1.13 does not read it.
const OFFLOAD: VersionRange = VersionRange::since("accelerate", "1.15");

fn offload(cx: &Context<'_>, start: &AccelerateLaunch<'_>) -> Option<Finding> {
    let given = setting(start, "fsdp_activation_checkpointing_offload").known().filter(|given| given.as_bool() == Some(true))?;
    let checkpointing = match setting(start, "fsdp_activation_checkpointing") {
        Evaluated::Absent => Some(false),
        Evaluated::Unknown(_) => None,
        Evaluated::Known(given) => given.as_bool(),
    };
    let (lacks, why) = if checkpointing == Some(false) {
        let why = message!(
            "accelerate 1.15 rejects `fsdp_activation_checkpointing_offload` without `fsdp_activation_checkpointing`",
            "没有 fsdp_activation_checkpointing 时 accelerate 1.15 拒绝 fsdp_activation_checkpointing_offload"
        );
        ("fsdp_activation_checkpointing: true", why)
    } else if start.fsdp_version() == Some(1) {
        let why = message!(
            "accelerate 1.15 rejects `fsdp_activation_checkpointing_offload` with FSDP 1",
            "使用 FSDP 1 时 accelerate 1.15 拒绝 fsdp_activation_checkpointing_offload"
        );
        ("fsdp_version: 2", why)
    } else {
        return None;
    };
    let severity = version_gate::severity(cx.project, given.place.file, &OFFLOAD, Severity::Error)?;
    let finding = RULE.finding(given.entry(), why).with_severity(severity);
    Some(write(finding.with_help(message!("set `{lacks}`, or turn it off", "请设置 `{lacks}`，或将其关闭")), &given, "false"))
}

fn state_dict(start: &AccelerateLaunch<'_>) -> Option<Finding> {
    let given = setting(start, "fsdp_state_dict_type").known()?;
    let local = given.text().is_some_and(|text| text.eq_ignore_ascii_case("LOCAL_STATE_DICT"));
    if !local || start.fsdp_version() != Some(2) {
        return None;
    }
    let finding = RULE.finding(
        given.place,
        message!("Accelerator() rejects LOCAL_STATE_DICT with FSDP 2", "使用 FSDP 2 时 Accelerator() 拒绝 LOCAL_STATE_DICT"),
    );
    let help = message!("write SHARDED_STATE_DICT or FULL_STATE_DICT", "请写 SHARDED_STATE_DICT 或 FULL_STATE_DICT");
    Some(write(finding.with_help(help), &given, "SHARDED_STATE_DICT"))
}

fn write(finding: Finding, given: &LaunchValue, text: &str) -> Finding {
    let json_text = given.key.is_some() && matches!(given.value, Value::Text(_)) && text != "true" && text != "false";
    let text = if json_text { given_quoted(given, text) } else { text.to_owned() };
    finding.with_fix(Fix {
        title: message!("write {text}", "写作 {text}"),
        applicability: Applicability::Unsafe,
        edits: vec![edit::replace(given.place, text)],
    })
}

/// The new value in the quotes of the old one: the lengths show whether it has any.
fn given_quoted(given: &LaunchValue, text: &str) -> String {
    let quoted = given.text().is_some_and(|old| given.place.range.len() as usize == old.len() + 2);
    if quoted { format!("\"{text}\"") } else { text.to_owned() }
}

//! # fp8-not-available
//!
//! `mixed_precision: fp8` needs a backend that is not available.
//!
//! ## Why it matters
//! The launcher requires TransformerEngine, torchao or MS-AMP and stops before it starts a process if none is installed. `--fp8_backend`
//! accepts `te`, `ao` and `msamp` in lower case only, and `Accelerator()` then rejects the lower-case name: only `backend: TE` in the file
//! works. MS-AMP does not work with FSDP or ZeRO 3, and torchao under FSDP does not work with `fsdp_cpu_ram_efficient_loading`.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --multi_gpu --num_processes 2 --mixed_precision fp8 --fp8_backend te train.py
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --multi_gpu --num_processes 2 --mixed_precision bf16 train.py
//! ```
//!
//! ## Severity
//! If the libraries are missing: an error if the project pins torch and accelerate and lists none of them, a warning if it only does not
//! list them. Silent if the project does not list its dependencies, or if a script, an image or its code mentions one of the libraries or
//! one of NVIDIA's images, which include TransformerEngine.
//!
//! ## Fix
//! None.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/launch.py:178`, run: `FP8 is not available on this machine`; `commands/launch.py:791` and `accelerator.py:4400`,
//! run: `'te' is not a valid FP8BackendType`; `accelerator.py:519` and `:606`, `utils/dataclasses.py:1346`, read.
//!
//! # 中文
//!
//! `mixed_precision: fp8` 需要的后端不可用。
//!
//! ## 为什么重要
//! 启动器要求安装 TransformerEngine、torchao 或 MS-AMP，一个都没有时不启动任何进程就停止。`--fp8_backend` 只接受小写的 `te`、`ao`、`msamp`，而
//! `Accelerator()` 又拒绝小写名称：只有文件中的 `backend: TE` 可用。MS-AMP 不能与 FSDP 或 ZeRO 3 同用；FSDP 下的 torchao 不能与
//! `fsdp_cpu_ram_efficient_loading` 同用。
//!
//! ## 严重程度
//! 缺少这些库时：项目固定了 torch 与 accelerate 的版本却未列出它们为错误，仅未列出为警告；项目未列出依赖时不报告；脚本、镜像或代码提到其中某个库，或提到自带
//! TransformerEngine 的 NVIDIA 镜像时，也不报告。
//!
//! ## 修复
//! 无。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/launch.py:178`，实际运行：`FP8 is not available on this machine`；`commands/launch.py:791` 与 `accelerator.py:4400`，实际运行；
//! `accelerator.py:519` 与 `:606`、`utils/dataclasses.py:1346`，阅读源码。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, Finding, Severity, message};
use vramlint_resolve::versions::{VersionEvidence, VersionSpec};
use vramlint_resolve::{Feature, SourceFile};
use vramlint_semantic::accelerate::{AccelerateLaunch, LaunchValue};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL118", "fp8-not-available", Severity::Warning, page!("fp8_not_available.rs"), check)
};

/// Libraries that provide fp8.
const LIBRARIES: &[&str] = &[
    "transformer-engine",
    "transformer-engine-torch",
    "transformer-engine-cu11",
    "transformer-engine-cu12",
    "transformer-engine-cu13",
    "torchao",
    "ms-amp",
    "msamp",
];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some(precision) = start.top_level("mixed_precision").known() else { continue };
        if !precision.text().is_some_and(|text| text.eq_ignore_ascii_case("fp8")) {
            continue;
        }
        for finding in [spelling(start), library(cx, &precision), sharding(start)].into_iter().flatten() {
            if out.mark_reported(finding.place) {
                out.push(finding);
            }
        }
    }
}

fn spelling(start: &AccelerateLaunch<'_>) -> Option<Finding> {
    let given = start.block("fp8_config", "fp8_backend").known()?;
    let text = given.text()?;
    let upper = text.to_uppercase();
    if text == upper || !["TE", "AO", "MSAMP"].contains(&upper.as_str()) {
        return None;
    }
    let finding = RULE.finding(
        given.place,
        message!(
            "`Accelerator()` rejects the fp8 backend {text}; its name is {upper}",
            "`Accelerator()` 拒绝 fp8 后端 {text}；其名称为 {upper}"
        ),
    );
    let help = if given.by_flag() {
        message!(
            "the flag accepts no other spelling: set `backend: {upper}` under `fp8_config` in accelerate's file",
            "该参数不接受其他写法：请在 accelerate 文件的 `fp8_config` 下写 `backend: {upper}`"
        )
    } else {
        message!("write {upper}", "写作 {upper}")
    };
    Some(finding.with_severity(Severity::Error).with_help(help))
}

fn library(cx: &Context<'_>, precision: &LaunchValue) -> Option<Finding> {
    let file = precision.place.file;
    let version_of = |name: &str| cx.project.library(file, name);
    version_of("accelerate")?;
    let elsewhere = |file: &SourceFile| !file.is_data() && cx.project.features(file.id).has(Feature::Fp8Library);
    if LIBRARIES.iter().any(|name| version_of(name).is_some()) || cx.project.files.iter().any(elsewhere) {
        return None;
    }
    let pinned = |name: &str| matches!(version_of(name), Some(VersionEvidence { version: VersionSpec::Exact(_), .. }));
    let severity = if pinned("torch") && pinned("accelerate") { Severity::Error } else { Severity::Warning };
    let finding = RULE.finding(
        precision.place,
        message!(
            "fp8 needs TransformerEngine, torchao or MS-AMP, but the project lists none of them",
            "fp8 需要 TransformerEngine、torchao 或 MS-AMP，而项目均未列出"
        ),
    );
    Some(finding.with_severity(severity).with_help(message!("install one of them, or use bf16", "安装其中之一，或改为 bf16")))
}

fn sharding(start: &AccelerateLaunch<'_>) -> Option<Finding> {
    let backend = start.block("fp8_config", "fp8_backend").known()?;
    let kind = start.distributed_type()?;
    let fsdp = kind.name == "FSDP";
    let (what, severity) = match backend.text()?.to_uppercase().as_str() {
        "MSAMP" if fsdp => ("FSDP".to_owned(), Severity::Error),
        "MSAMP" if kind.name == "DEEPSPEED" && start.zero_stage() == Some(3) => ("ZeRO 3".to_owned(), Severity::Error),
        "AO" if fsdp && efficient(start)? => ("fsdp_cpu_ram_efficient_loading".to_owned(), Severity::Error),
        _ => return None,
    };
    let name = backend.text()?.to_uppercase();
    let finding = RULE.finding(
        backend.entry(),
        message!(
            "`Accelerator()` rejects fp8 with {name} together with {what}",
            "`Accelerator()` 拒绝同时使用 {name} 的 fp8 与 {what}"
        ),
    );
    let finding = finding.with_severity(severity).with_related(kind.place, message!("`distributed_type`", "`distributed_type`"));
    Some(finding.with_help(message!("choose another backend, or turn {what} off", "换用其他后端，或关闭 {what}")))
}

/// Whether only rank 0 loads the checkpoint, which is the default.
fn efficient(start: &AccelerateLaunch<'_>) -> Option<bool> {
    match start.block("fsdp_config", "fsdp_cpu_ram_efficient_loading") {
        Evaluated::Absent => Some(true),
        Evaluated::Unknown(_) => None,
        Evaluated::Known(given) => given.as_bool(),
    }
}

//! # setting-overridden
//!
//! Two places of one run set the same setting to different values, and one of them is silently ignored.
//!
//! ## Why it matters
//! Every tool has its own precedence: a flag overrides accelerate's file, the DeepSpeed JSON overrides the flag, a literal in the code
//! overrides both. Whoever edits the ignored value trains exactly as before without noticing.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml --num_processes 8 train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! compute_environment: LOCAL_MACHINE
//! distributed_type: MULTI_GPU
//! num_processes: 4
//! ```
//! ```python file=train.py
//! print("training")
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml --num_processes 8 train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! compute_environment: LOCAL_MACHINE
//! distributed_type: MULTI_GPU
//! num_processes: 8
//! ```
//! ```python file=train.py
//! print("training")
//! ```
//!
//! ## Severity
//! Info for a flag that overrides a file, which is common and often intended. A warning if the ignored place is one that people edit: a
//! flag, an environment variable, an argument of a call.
//!
//! ## When it stays silent
//! For defaults and fallbacks, for a key of the project's own file next to its code, for values in a branch, for a value that takes effect
//! in another run of the project, and if another rule reports more (accumulation, devices, DeepSpeed's JSON and the Trainer).
//!
//! ## Sources
//! accelerate 1.15.0 `commands/launch.py:1278`, `utils/dataclasses.py:1439`, run; each finding shows the precedence.
//!
//! # 中文
//!
//! 同一次运行中有两处给同一设置写了不同的值，其中一处被静默忽略。
//!
//! ## 为什么重要
//! 每个工具都有自己的优先顺序：启动参数覆盖 accelerate 的文件，DeepSpeed JSON 覆盖参数，代码中的字面值又覆盖两者。修改被忽略的值，训练与之前毫无差别，却不易察
//! 觉。
//!
//! ## 严重程度
//! 以参数覆盖文件很常见，也往往是有意的：仅作提示。若被忽略的正是人们常改的地方（参数、环境变量、调用的实参），则为警告。
//!
//! ## 何时不报
//! 各类默认值与后备值；项目自有文件的键与其代码之间；分支中的值；在项目的另一次运行中生效的值；另有专门规则说明的情形（梯度累积、设备、
//! DeepSpeed JSON 与 Trainer 不一致）。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/launch.py:1278`、`utils/dataclasses.py:1439`，实际运行；每条报告都附有优先顺序。

use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::BTreeMap;
use vramlint_base::{FileRange, Finding, Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_resolve::{Candidate, FileKind, Origin, Run, Setting};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect, Symptom::OtherBatch],
    ..Rule::new("VL180", "setting-overridden", Severity::Warning, page!("setting_overridden.rs"), check)
};

/// Settings whose precedence no other rule reports. Those derived from others (the world size) would repeat them.
const CONCEPTS: &[Concept] = &[
    Concept::NumProcesses,
    Concept::NumMachines,
    Concept::MixedPrecision,
    Concept::LearningRate,
    Concept::Epochs,
    Concept::MaxSteps,
    Concept::SequenceLength,
    Concept::GradientCheckpointing,
    Concept::LoraR,
    Concept::LoraAlpha,
    Concept::DataloaderWorkers,
];

fn check(cx: &Context<'_>, out: &mut Sink) {
    // Candidates that lose in every run that they are part of; `None` for one that takes effect somewhere or is unresolved.
    let mut losers: BTreeMap<(FileRange, Concept), Option<Finding>> = BTreeMap::new();
    for run in &cx.project.runs {
        for concept in CONCEPTS {
            let Some(setting) = run.settings.get(concept) else { continue };
            for candidate in &setting.candidates {
                let Some(place) = candidate.origin.place() else { continue };
                let found = contradiction(cx, run, *concept, setting, candidate);
                match losers.entry((place, *concept)) {
                    std::collections::btree_map::Entry::Vacant(entry) => _ = entry.insert(found),
                    std::collections::btree_map::Entry::Occupied(mut entry) if found.is_none() => _ = entry.insert(None),
                    std::collections::btree_map::Entry::Occupied(_) => {}
                }
            }
        }
    }
    out.findings.extend(losers.into_values().flatten());
}

/// The finding for a candidate that loses to another value.
fn contradiction(cx: &Context<'_>, run: &Run, concept: Concept, setting: &Setting, loser: &Candidate) -> Option<Finding> {
    let winner = setting.winning()?;
    let (place, winning_place) = (loser.origin.place()?, winner.origin.place()?);
    let (lost, won) = (loser.known()?, winner.known()?);
    let certain = [loser, winner].iter().all(|candidate| candidate.condition.is_none() && candidate.assumptions.is_empty());
    if !certain || place == winning_place || agree(lost, won) || is_off(lost) || cx.project.is_documentation_snippet(place.file) {
        return None;
    }
    if [loser, winner].iter().any(|candidate| is_default_in_code(run, concept, candidate)) || own_file_and_code(cx, loser, winner)
    {
        return None;
    }
    // `bf16: true` says the precision without naming it.
    if concept == Concept::MixedPrecision && [lost, won].iter().any(|value| value.as_bool().is_some()) {
        return None;
    }
    let severity = severity(&loser.origin, &winner.origin)?;
    // Precision under DeepSpeed's JSON has its own rule.
    if concept == Concept::MixedPrecision && run.deepspeed.is_some() {
        return None;
    }
    let (name, by) = (concept.name(), cx.project.file(winning_place.file).name());
    let finding = RULE
        .finding(
            place,
            message!("{name} {lost} has no effect: {by} sets it to {won}", "{name} 的值 {lost} 不起作用：{by} 将其设为 {won}"),
        )
        .with_severity(severity)
        .with_related(winning_place, message!("effective value: {won}", "生效的值：{won}"))
        .with_run(&run.id);
    let Some(precedence) = setting.precedence else { return Some(finding) };
    let order = precedence.order;
    Some(finding.with_help(message!("precedence: {order}", "优先顺序：{order}")))
}

/// Whether a value in code counts only where nothing else is given: the fallback of `.get`, the default of a field or of an option, a
/// constant that is not seen to reach a library.
fn is_default_in_code(run: &Run, concept: Concept, candidate: &Candidate) -> bool {
    let Origin::Code { place, .. } = &candidate.origin else { return matches!(candidate.origin, Origin::OptionDefault { .. }) };
    let known = run.code.iter().flat_map(|code| &code.candidates);
    let mut same = known.filter(|(of, code)| *of == concept && code.candidate.origin.place() == Some(*place));
    same.any(|(_, code)| code.fallback || code.option.is_some() || !code.reaches_call)
}

/// Whether the values stand in a file of the project's own and in code: what a key of such a file means, the code decides.
fn own_file_and_code(cx: &Context<'_>, one: &Candidate, other: &Candidate) -> bool {
    let own = |candidate: &Candidate| match &candidate.origin {
        Origin::File { place, .. } => matches!(cx.project.kind(place.file), FileKind::Training | FileKind::Other),
        _ => false,
    };
    let code = |candidate: &Candidate| matches!(candidate.origin, Origin::Code { .. });
    own(one) && code(other) || code(one) && own(other)
}

/// Severity of an override: an overridden default is not reported, a flag over a file is common.
fn severity(loser: &Origin, winner: &Origin) -> Option<Severity> {
    match (loser, winner) {
        (Origin::File { .. }, Origin::Flag { .. } | Origin::Env { .. }) => Some(Severity::Info),
        (Origin::File { .. } | Origin::Flag { .. } | Origin::Env { .. }, Origin::Code { .. } | Origin::File { .. })
        | (Origin::Env { .. }, Origin::Flag { .. })
        | (Origin::Flag { .. } | Origin::Code { .. }, Origin::Env { .. })
        | (Origin::Code { .. }, Origin::File { .. }) => Some(Severity::Warning),
        _ => None,
    }
}

fn agree(one: &Value, other: &Value) -> bool {
    one == other || one.as_float().is_some() && one.as_float() == other.as_float()
}

/// What configuration wizards write for "not wanted".
fn is_off(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(false)) || value.as_str() == Some("no")
}

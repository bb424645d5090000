//! The edits of a plan: those of its changes, joined.

use super::adapter_edits::adapters;
use super::fixes;
use vramlint_base::{Edit, Value};
use vramlint_catalog::Concept;
use vramlint_catalog::frameworks::FixValue;
use vramlint_edit as edit;
use vramlint_estimate::RunEstimate;
use vramlint_estimate::repairs::Change;
use vramlint_memory::setup::Scheme;
use vramlint_resolve::{Project, Run};

/// The edits that make all of `changes`, in every file that sets their values. `None` unless all of them are known.
pub fn plan_edits(project: &Project, run: &Run, changes: &[Change], before: &RunEstimate) -> Option<Vec<Edit>> {
    let edits: Option<Vec<Vec<Edit>>> = changes.iter().map(|change| change_edits(project, run, *change, before)).collect();
    joined_edits(edits?.concat())
}

/// The edits of one change, for who estimates the edited project: what code computes from an edited value, and what a framework makes of
/// the keys of adapters, may be as the change has it.
pub fn edits_to_verify(project: &Project, run: &Run, change: Change, before: &RunEstimate) -> Option<Vec<Edit>> {
    change_edits(project, run, change, before).or_else(|| match change {
        Change::Batch { rows, .. } => fixes::rows(project, run, before.setup.micro_batch, rows),
        Change::Adapters(quantization) if before.setup.lora.is_none() => adapters(project, run, quantization, false),
        _ => None,
    })
}

/// The edits of one change.
fn change_edits(project: &Project, run: &Run, change: Change, before: &RunEstimate) -> Option<Vec<Edit>> {
    let setup = &before.setup;
    let setting = |concept: Concept| run.settings.get(&concept);
    match change {
        Change::Rank(rank) => {
            let old = setup.lora.as_ref()?.r;
            let mut edits = fixes::numbers(project, setting(Concept::LoraR)?, old, rank)?;
            edits.extend(alpha(project, run, old, rank)?);
            Some(edits)
        }
        Change::Length(tokens) => fixes::numbers(project, setting(Concept::SequenceLength)?, setup.sequence_length, tokens),
        Change::Completion(tokens) => {
            fixes::numbers(project, setting(Concept::MaxCompletionLength)?, setup.generation?.completion, tokens)
        }
        Change::EvaluationBatch(rows) => evaluation_batch(project, run, setup.evaluation_batch?, rows),
        Change::Attention(_) => fixes::word(project, setting(Concept::Attention)?, "eager", "sdpa").map(|edit| vec![edit]),
        Change::NoCheckpointing => fixes::checkpointing(project, run, false),
        Change::ExpandableSegments => exported(project, run),
        Change::Shard(scheme) => stage(project, run, scheme),
        Change::OffloadOptimizer => offload(project, run, Concept::OffloadOptimizer, "offload_optimizer"),
        Change::OffloadParameters => offload(project, run, Concept::OffloadParam, "offload_param"),
        Change::Adapters(quantization) if setup.lora.is_some() => adapters(project, run, quantization, true),
        Change::Adapters(_) | Change::ReferenceByAdapter => None,
        Change::Batch { .. } | Change::Checkpointing | Change::Loss(_) | Change::Optimizer(_) => {
            fixes::edits(project, run, change, before)
        }
    }
}

/// The scale of the adapters in proportion to their rank, where it is written. Empty if it is a default, which no rank changes.
fn alpha(project: &Project, run: &Run, old: u64, new: u64) -> Option<Vec<Edit>> {
    let Some(setting) = run.settings.get(&Concept::LoraAlpha) else { return Some(Vec::new()) };
    let winner = setting.winning()?;
    if winner.origin.place().is_none() {
        return Some(Vec::new());
    }
    let alpha = u64::try_from(winner.known()?.as_int()?).ok()?;
    let scaled = alpha.checked_mul(new)?;
    if old == 0 || !scaled.is_multiple_of(old) {
        return None;
    }
    // An alpha that is computed from the rank follows it.
    fixes::numbers(project, setting, alpha, scaled / old)
}

fn evaluation_batch(project: &Project, run: &Run, old: u64, new: u64) -> Option<Vec<Edit>> {
    let written = run
        .settings
        .get(&Concept::EvaluationBatch)
        .filter(|setting| setting.winning().is_some_and(|winner| winner.origin.place().is_some()));
    match written {
        Some(setting) => fixes::numbers(project, setting, old, new),
        None => fixes::beside_rows(project, run, "per_device_eval_batch_size", FixValue::Number(new)).map(|edit| vec![edit]),
    }
}

/// `export PYTORCH_CUDA_ALLOC_CONF=…` on a line of its own before the launch, which all releases of torch read. Only in scripts of a
/// shell, and only if nothing sets the variable.
fn exported(project: &Project, run: &Run) -> Option<Vec<Edit>> {
    if run.settings.contains_key(&Concept::AllocatorConf) {
        return None;
    }
    let launch = run.launch.as_ref().filter(|launch| launch.called_at.is_none() && !launch.conditional && !launch.in_loop)?;
    let file = project.file(launch.file);
    if !file.is_script() || matches!(file.extension().as_str(), "ps1" | "bat" | "cmd") {
        return None;
    }
    Some(vec![edit::insert_line_above(file, launch.range.start, "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True")])
}

/// The stage in DeepSpeed's file, where it is written; else the framework's own file for it.
fn stage(project: &Project, run: &Run, scheme: Scheme) -> Option<Vec<Edit>> {
    let new = match scheme {
        Scheme::Zero2 => 2_u32,
        Scheme::Zero3 => 3,
        _ => return None,
    };
    let Some(setting) = run.settings.get(&Concept::ZeroStage).filter(|setting| fixes::is_written(setting)) else {
        let preset = run.dialect.framework().zero_presets.iter().find(|(_, stage)| *stage == i64::from(new))?;
        let edit = fixes::beside_rows(project, run, "deepspeed", FixValue::Word(preset.0))?;
        return Some(vec![edit]);
    };
    let old = u64::try_from(setting.value()?.as_int()?).ok()?;
    let own = |name: &str| run.dialect.framework().zero_presets.iter().find(|(preset, _)| *preset == name);
    match setting
        .winning()
        .and_then(|winner| winner.origin.place())
        .map(|place| place.range.slice(&project.file(place.file).text))
    {
        Some(name) if own(name).is_some() => {
            let preset = run.dialect.framework().zero_presets.iter().find(|(_, stage)| *stage == i64::from(new))?;
            fixes::word(project, setting, name, preset.0).map(|edit| vec![edit])
        }
        _ => fixes::numbers(project, setting, old, new.into()),
    }
}

/// The device of accelerate's file, or an entry of DeepSpeed's.
fn offload(project: &Project, run: &Run, concept: Concept, section: &str) -> Option<Vec<Edit>> {
    if let Some(setting) = run.settings.get(&concept).filter(|setting| fixes::is_written(setting)) {
        return fixes::word(project, setting, "none", "cpu").map(|edit| vec![edit]);
    }
    let file = project.file(run.deepspeed?);
    edit::put(file, &["zero_optimization", section], "device", &Value::Text("cpu".to_owned())).map(|edit| vec![edit])
}

/// The edits in order, those that touch made one: two insertions at one place follow each other. `None` if two replace the same bytes.
pub fn joined_edits(mut edits: Vec<Edit>) -> Option<Vec<Edit>> {
    edits.sort_by_key(|edit| edit.place);
    let mut out: Vec<Edit> = Vec::new();
    for edit in edits {
        let Some(last) =
            out.last_mut().filter(|last| last.place.file == edit.place.file && edit.place.range.start <= last.place.range.end)
        else {
            out.push(edit);
            continue;
        };
        if *last == edit {
            continue;
        }
        if edit.place.range.start < last.place.range.end {
            return None;
        }
        last.text.push_str(&edit.text);
        last.place.range = last.place.range.cover(edit.place.range);
    }
    Some(out)
}

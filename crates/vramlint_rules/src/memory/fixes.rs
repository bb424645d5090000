//! Repairs as fixes: the edits that make them, if every place is known.

use crate::memory::format::gib;
use crate::memory::insert_setting;
use vramlint_base::{Applicability, Edit, Fix, Message, Value, message};
use vramlint_catalog::frameworks::FixValue;
use vramlint_catalog::precedence::LaunchPath;
use vramlint_catalog::{Concept, classes};
use vramlint_edit as edit;
use vramlint_estimate::repairs::Change;
use vramlint_estimate::{FitOptions, Plan, Repair, RunEstimate, TrainingEffect, fit};
use vramlint_memory::setup::Optimizer;
use vramlint_resolve::{Candidate, Origin, Project, Run, Setting};

/// How many repairs of a kind are listed.
const TOLD: usize = 4;

/// The help: single changes that make the run fit and keep the training the same, then those that change it, then the
pub(super) fn help(found: &[Repair], estimate: &RunEstimate) -> Message {
    let repairs_that = |keeps: &dyn Fn(TrainingEffect) -> bool| -> Vec<&Repair> {
        found.iter().filter(|repair| repair.fits && keeps(repair.effect)).take(TOLD).collect()
    };
    let same = repairs_that(&|keeps| keeps != TrainingEffect::Different);
    let differs = repairs_that(&|keeps| keeps == TrainingEffect::Different);
    let list = |repairs: &[&Repair]| {
        let each = |repair: &&Repair| {
            let (needs, gained) = (gib(repair.estimate.peak), gib(repair.gained));
            let Message { en, zh } = &repair.title;
            message!("{en} ({needs}, {gained} less)", "{zh}（需 {needs}，少 {gained}）")
        };
        let all: Vec<Message> = repairs.iter().map(each).collect();
        Message {
            en: all.iter().map(|one| one.en.as_str()).collect::<Vec<_>>().join("; "),
            zh: all.iter().map(|one| one.zh.as_str()).collect::<Vec<_>>().join("；"),
        }
    };
    let (keep, change) = (list(&same), list(&differs));
    let text = match (same.is_empty(), differs.is_empty()) {
        (false, true) => Message { en: format!("to fit: {}", keep.en), zh: format!("可放下的改法：{}", keep.zh) },
        (false, false) => fitting(&keep, &change),
        (true, false) => only_differing(&change),
        (true, true) => plan(estimate).map_or_else(|| nothing_alone(found), |plan| together(&plan, estimate)),
    };
    match crate::memory::format::assumptions(estimate) {
        Some(Message { en, zh }) => {
            let Message { en: own, zh: own_zh } = text;
            Message { en: format!("{own}\n{en}"), zh: format!("{own_zh}\n{zh}") }
        }
        None => text,
    }
}

fn fitting(keep: &Message, change: &Message) -> Message {
    Message {
        en: format!("to fit: {}; or, changing the training: {}", keep.en, change.en),
        zh: format!("可放下的改法：{}；或改变训练内容：{}", keep.zh, change.zh),
    }
}

fn only_differing(change: &Message) -> Message {
    Message {
        en: format!("no single change fits without changing the training; with a change: {}", change.en),
        zh: format!("没有哪一项改动既能放下又不改变训练；改变训练内容则可：{}", change.zh),
    }
}

/// The best combination of changes that fits, where no single one does.
fn plan(estimate: &RunEstimate) -> Option<Plan> {
    let limit = estimate.capacity.as_ref()?.bytes;
    let options = FitOptions { limit, keep: Vec::new(), max_slowdown: None, most: 1 };
    fit(estimate, &options).plans.into_iter().next()
}

fn together(plan: &Plan, estimate: &RunEstimate) -> Message {
    let (needs, Message { en, zh }) = (gib(plan.estimate.peak), plan.title(&estimate.setup));
    message!(
        "no single change makes it fit; together these do: {en} ({needs})",
        "没有哪一项改动能让它放下；合在一起则可：{zh}（需 {needs}）"
    )
}

fn nothing_alone(found: &[Repair]) -> Message {
    let Some(best) = found.iter().max_by_key(|repair| repair.gained) else {
        return message!("no single change makes it fit", "没有哪一项改动能让它放下");
    };
    let (needs, Message { en, zh }) = (gib(best.estimate.peak), &best.title);
    message!(
        "no single change makes it fit; the largest gain is from: {en} ({needs})",
        "没有哪一项改动能让它放下；收益最大的是：{zh}（需 {needs}）"
    )
}

/// The fixes of the repairs that fit, the best first.
pub(super) fn fixes(project: &Project, run: &Run, found: &[Repair], before: &RunEstimate) -> Vec<Fix> {
    let fitting: Vec<&Repair> = found.iter().filter(|repair| repair.fits).collect();
    if fitting.is_empty() {
        return plan(before).and_then(|plan| plan_fix(project, run, &plan, before)).into_iter().collect();
    }
    fitting.into_iter().filter_map(|repair| fix(project, run, repair, before)).collect()
}

/// A plan as one fix.
fn plan_fix(project: &Project, run: &Run, plan: &Plan, before: &RunEstimate) -> Option<Fix> {
    let edits = super::plan_edits(project, run, &plan.changes, before)?;
    let (needs, Message { en, zh }) = (gib(plan.estimate.peak), plan.title(&before.setup));
    Some(Fix { title: message!("{en} ({needs})", "{zh}（{needs}）"), applicability: Applicability::Unsafe, edits })
}

/// A repair as a fix; `None` unless all its edits are known. It changes what runs, so it is always unsafe.
pub(super) fn fix(project: &Project, run: &Run, repair: &Repair, before: &RunEstimate) -> Option<Fix> {
    let edits = edits(project, run, repair.change, before)?;
    let (needs, Message { en, zh }) = (gib(repair.estimate.peak), &repair.title);
    Some(Fix { title: message!("{en} ({needs})", "{zh}（需 {needs}）"), applicability: Applicability::Unsafe, edits })
}

/// The edits of a change, for those that a finding offers.
pub(super) fn edits(project: &Project, run: &Run, change: Change, before: &RunEstimate) -> Option<Vec<Edit>> {
    let setup = &before.setup;
    Some(match change {
        Change::Batch { rows, accumulation } => {
            batch(project, run, (setup.micro_batch, rows), (setup.accumulation, accumulation))?
        }
        Change::Checkpointing => checkpointing(project, run, true)?,
        Change::Loss(_) => vec![beside_rows(project, run, run.dialect.framework().fixes.liger?, FixValue::True)?],
        Change::Optimizer(optimizer) => optimizer_named(project, run, optimizer)?,
        _ => return None,
    })
}

/// The micro-batch alone, where code computes the accumulation: often from the batch of a step, which then stays what it is. Only for
/// edits that are verified.
pub(super) fn rows(project: &Project, run: &Run, old: u64, new: u64) -> Option<Vec<Edit>> {
    let accumulation = run.settings.get(&Concept::GradientAccumulationSteps)?.winning()?;
    let is_computed = matches!(accumulation.origin, Origin::Code { .. } | Origin::Derived { .. });
    is_computed.then(|| numbers(project, run.settings.get(&Concept::MicroBatch)?, old, new)).flatten()
}

/// Micro-batch and accumulation, at every place that sets them.
fn batch(project: &Project, run: &Run, rows: (u64, u64), steps: (u64, u64)) -> Option<Vec<Edit>> {
    let mut edits = numbers(project, run.settings.get(&Concept::MicroBatch)?, rows.0, rows.1)?;
    let written =
        run.settings.get(&Concept::GradientAccumulationSteps).and_then(|setting| numbers(project, setting, steps.0, steps.1));
    if let Some(more) = written {
        edits.extend(more);
    } else {
        // A key is added only over a default: it would contradict a value computed elsewhere.
        let winner = run.settings.get(&Concept::GradientAccumulationSteps).and_then(Setting::winning);
        let by_default = winner.is_some_and(|winner| matches!(winner.origin, Origin::Default { .. }));
        let key = by_default.then(|| run.dialect.framework().fixes.accumulation).flatten()?;
        edits.push(beside_rows(project, run, key, FixValue::Number(steps.1))?);
    }
    edits.sort_by_key(|edit| (edit.place, edit.text.clone()));
    edits.dedup();
    Some(edits)
}

/// A setting's number at every place that sets it; `None` if it is not written as a plain number, or a branch chooses it.
pub(super) fn numbers(project: &Project, setting: &Setting, old: u64, new: u64) -> Option<Vec<Edit>> {
    let winner = setting.winning()?;
    if setting.candidates.iter().any(|candidate| candidate.condition.is_some())
        || winner.known()?.as_int() != i64::try_from(old).ok()
    {
        return None;
    }
    let first = number(project, winner, old, new)?;
    let others = setting.candidates.iter().filter(|other| other.known() == winner.known());
    let mut edits: Vec<Edit> =
        std::iter::once(first).chain(others.filter_map(|other| number(project, other, old, new))).collect();
    edits.sort_by_key(|edit| edit.place);
    edits.dedup();
    Some(edits)
}

fn number(project: &Project, candidate: &Candidate, old: u64, new: u64) -> Option<Edit> {
    let (exact, bare) = insert_setting::unquoted(project, candidate.origin.place()?)?;
    (bare.parse() == Ok(old)).then(|| edit::replace(exact, new.to_string()))
}

/// The other value if it is written, else a new entry next to the micro-batch.
pub(super) fn checkpointing(project: &Project, run: &Run, on: bool) -> Option<Vec<Edit>> {
    let setting = run.settings.get(&Concept::GradientCheckpointing);
    let written = setting.and_then(Setting::winning).and_then(|winner| winner.origin.place());
    let Some(place) = written else {
        // What is on without being written is on by default.
        if !on {
            return None;
        }
        let key = run.dialect.framework().fixes.checkpointing?;
        return beside_rows(project, run, key, FixValue::True).map(|edit| vec![edit]);
    };
    // `disable_gradient_checkpointing: true` is the negation of the setting.
    let other = match place.range.slice(&project.file(place.file).text) {
        "false" => "true",
        "False" => "True",
        "true" => "false",
        "True" => "False",
        _ => return None,
    };
    (setting?.value() == Some(&Value::Bool(!on))).then(|| vec![edit::replace(place, other)])
}

/// Replaces `adamw_torch` and similar names.
fn optimizer_named(project: &Project, run: &Run, optimizer: Optimizer) -> Option<Vec<Edit>> {
    let new = match optimizer {
        Optimizer::AdamWFused => "adamw_torch_fused",
        Optimizer::AdamW8bit => "adamw_bnb_8bit",
        Optimizer::PagedAdamW8bit => "paged_adamw_8bit",
        _ => return None,
    };
    let written = run.settings.get(&Concept::Optimizer).filter(|setting| is_written(setting));
    let Some(setting) = written else {
        let key = run.dialect.framework().fixes.optimizer?;
        return beside_rows(project, run, key, FixValue::Word(new)).map(|edit| vec![edit]);
    };
    ["adamw_torch", "adamw_torch_fused", "adamw_hf"]
        .iter()
        .find_map(|old| word(project, setting, old, new))
        .map(|edit| vec![edit])
}

/// Replaces the word of a setting, in the quotes that it has; `None` if it is written in another way.
pub(super) fn word(project: &Project, setting: &Setting, old: &str, new: &str) -> Option<Edit> {
    let (exact, bare) = insert_setting::unquoted(project, setting.winning()?.origin.place()?)?;
    (bare == old).then(|| edit::replace(exact, new))
}

/// Whether a file says the value, rather than a default.
pub(super) fn is_written(setting: &Setting) -> bool {
    setting.winning().is_some_and(|winner| !matches!(winner.origin, Origin::Default { .. }))
}

/// A new entry next to the micro-batch, which a run always has.
pub(super) fn beside_rows(project: &Project, run: &Run, key: &str, value: FixValue) -> Option<Edit> {
    let rows = run.settings.get(&Concept::MicroBatch)?.winning()?;
    if matches!(rows.origin, Origin::Flag { .. }) && !accepts_flag(project, run, key) {
        return None;
    }
    insert_setting::beside(project, rows, key, value)
}

/// Whether the program that a command runs takes a flag: the framework's own does; a script if it declares the option, or if its parser
/// fills a class that has it.
fn accepts_flag(project: &Project, run: &Run, key: &str) -> bool {
    accepts(project, run, key, true)
}

/// Whether the program of a run takes a key, in a file or from a flag.
pub(super) fn accepts_key(project: &Project, run: &Run, key: &str) -> bool {
    let in_file = run.settings.get(&Concept::MicroBatch).and_then(Setting::winning);
    accepts(project, run, key, in_file.is_none_or(|rows| !matches!(rows.origin, Origin::File { .. })))
}

fn accepts(project: &Project, run: &Run, key: &str, by_flag: bool) -> bool {
    let Some(code) = run.entry.and_then(|entry| project.code(entry)) else {
        let framework = run.launch.as_ref().is_some_and(|launch| launch.launcher.spec().path == LaunchPath::Framework);
        return framework || !by_flag;
    };
    let is_option = |name: &String| name.trim_start_matches('-').replace('-', "_") == key;
    let of_class = |class: &String| classes::find(class).is_some_and(|class| class.field(key).is_some());
    code.options.iter().any(|option| option.names.iter().any(is_option))
        || code.parsers.iter().any(|parser| (parser.command_line || !by_flag) && parser.classes.iter().any(of_class))
}

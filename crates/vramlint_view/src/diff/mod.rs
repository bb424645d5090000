//! What a change of the files does to each run: settings, estimates, findings.

mod markdown;
mod text;

pub use markdown::markdown;
pub use text::text;

use std::collections::{BTreeMap, BTreeSet};
use vramlint_base::{Finding, Value};
use vramlint_catalog::Concept;
use vramlint_estimate::{RunEstimate, Verdict};
use vramlint_project::Report;
use vramlint_resolve::Run;

/// What became of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A setting or the estimate differs.
    Changed,
    /// Nothing differs.
    Same,
    /// Only the new files have it.
    Added,
    /// Only the old files have it.
    Removed,
}

impl Status {
    /// Name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Same => "same",
            Self::Added => "added",
            Self::Removed => "removed",
        }
    }
}

/// A setting with both values; `None` if it is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingDiff {
    /// Its name in `vramlint runs`, or that of a figure that follows from several.
    pub name: &'static str,
    /// The old value.
    pub base: Option<Value>,
    /// The new value.
    pub head: Option<Value>,
}

/// Memory of one GPU and of the host in bytes, and whether it fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Peak of one GPU.
    pub peak: u64,
    /// Its lower bound.
    pub low: u64,
    /// Its upper bound.
    pub high: u64,
    /// Peak of the host.
    pub host: u64,
    /// The verdict, if the target is known.
    pub verdict: Option<Verdict>,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunDiff {
    /// Its id in the new files; in the old ones if it is gone.
    pub id: String,
    /// Its id in the old files, where it has another.
    pub base_id: Option<String>,
    /// What became of it.
    pub status: Status,
    /// The settings that differ, the most important first.
    pub settings: Vec<SettingDiff>,
    /// The old estimate, if there is one.
    pub base: Option<Memory>,
    /// The new estimate, if there is one.
    pub head: Option<Memory>,
}

/// A comparison.
#[derive(Debug)]
pub struct Diff<'a> {
    /// Every run of either side, in the order of the new files, then those that are gone.
    pub runs: Vec<RunDiff>,
    /// Findings that only the new files have.
    pub new: Vec<&'a Finding>,
    /// Findings that only the old files have.
    pub gone: Vec<&'a Finding>,
}

/// Settings that say most about a training, in the order in which they are shown. Others follow in the order of `vramlint runs`.
const FIRST: &[&str] = &[
    "effective_batch",
    "tokens_per_step",
    "learning_rate",
    LEARNING_RATE_PER_SAMPLE,
    "mixed_precision",
    "weights_dtype",
    "quantization",
    "method",
    TRAINABLE,
    "world_size",
    "micro_batch",
    "gradient_accumulation_steps",
    "sequence_length",
];
/// The learning rate over the samples of an optimizer step: what a change of both leaves as it was.
pub const LEARNING_RATE_PER_SAMPLE: &str = "learning_rate_per_sample";
/// Parameters that are trained.
pub const TRAINABLE: &str = "trainable";

/// Compares the old with the new report.
pub fn diff<'a>(base: &'a Report, head: &'a Report) -> Diff<'a> {
    let (old, new) = (runs(base), runs(head));
    let pairs = pairs(base, head, &old, &new);
    let mut found: Vec<RunDiff> = new
        .iter()
        .enumerate()
        .map(|(index, (run, estimate))| match pairs.get(&index) {
            Some(before) => compared(old[*before], (run, *estimate)),
            None => alone(run, *estimate, Status::Added),
        })
        .collect();
    let kept: BTreeSet<usize> = pairs.values().copied().collect();
    found.extend(
        old.iter()
            .enumerate()
            .filter(|(index, _)| !kept.contains(index))
            .map(|(_, (run, estimate))| alone(run, *estimate, Status::Removed)),
    );
    Diff { runs: found, new: only_in(head, base), gone: only_in(base, head) }
}

type Estimated<'a> = (&'a Run, Option<&'a RunEstimate>);

fn runs(report: &Report) -> Vec<Estimated<'_>> {
    report.estimated_runs().map(|(run, found)| (run, found.as_ref().ok())).collect()
}

/// The old run of each new one, by their indices: the same id and entry script; else, of those left over, the only one of the same file
/// and script, since a command that is added above gives the others new numbers.
fn pairs(base: &Report, head: &Report, old: &[Estimated<'_>], new: &[Estimated<'_>]) -> BTreeMap<usize, usize> {
    let script = |report: &Report, run: &Run| {
        let file = report.project.file(run.place.file).path.clone();
        (file, run.entry.map(|entry| report.project.file(entry).path.clone()))
    };
    let mut pairs = BTreeMap::new();
    let mut free: BTreeSet<usize> = (0..old.len()).collect();
    for (index, (run, _)) in new.iter().enumerate() {
        let same = |other: &usize| old[*other].0.id == run.id && script(base, old[*other].0) == script(head, run);
        if let Some(before) = free.iter().copied().find(|other| same(other)) {
            free.remove(&before);
            pairs.insert(index, before);
        }
    }
    for (index, (run, _)) in new.iter().enumerate() {
        if pairs.contains_key(&index) {
            continue;
        }
        let mut alike = free.iter().copied().filter(|other| script(base, old[*other].0) == script(head, run));
        let only = alike.next().filter(|_| alike.next().is_none());
        let by_id = || free.iter().copied().find(|other| old[*other].0.id == run.id);
        if let Some(before) = only.or_else(by_id) {
            free.remove(&before);
            pairs.insert(index, before);
        }
    }
    pairs
}

fn alone(run: &Run, estimate: Option<&RunEstimate>, status: Status) -> RunDiff {
    let memory = estimate.map(memory);
    let (base, head) = if status == Status::Added { (None, memory) } else { (memory, None) };
    RunDiff { id: run.id.clone(), base_id: None, status, settings: Vec::new(), base, head }
}

fn compared(old: Estimated<'_>, new: Estimated<'_>) -> RunDiff {
    let (before, after) = (values(old), values(new));
    let names: BTreeSet<&'static str> = before.keys().chain(after.keys()).copied().collect();
    let mut settings: Vec<SettingDiff> = names
        .into_iter()
        .map(|name| SettingDiff { name, base: before.get(name).cloned(), head: after.get(name).cloned() })
        .filter(|setting| setting.base != setting.head)
        .collect();
    settings.sort_by_key(|setting| rank(setting.name));
    let (base, head) = (old.1.map(memory), new.1.map(memory));
    let status = if settings.is_empty() && base == head { Status::Same } else { Status::Changed };
    let base_id = (old.0.id != new.0.id).then(|| old.0.id.clone());
    RunDiff { id: new.0.id.clone(), base_id, status, settings, base, head }
}

/// Place of a setting in the list.
fn rank(name: &str) -> usize {
    let later = || Concept::ALL.iter().position(|concept| concept.name() == name).unwrap_or(Concept::ALL.len());
    FIRST.iter().position(|own| *own == name).unwrap_or_else(|| FIRST.len() + later())
}

/// Every known value of a run.
fn values((run, estimate): Estimated<'_>) -> BTreeMap<&'static str, Value> {
    let mut values: BTreeMap<&'static str, Value> =
        run.settings.iter().filter_map(|(concept, setting)| Some((concept.name(), setting.value()?.clone()))).collect();
    let rate = values.get("learning_rate").and_then(number);
    let samples = values.get("effective_batch").and_then(number).filter(|samples| *samples > 0.0);
    if let (Some(rate), Some(samples)) = (rate, samples) {
        values.insert(LEARNING_RATE_PER_SAMPLE, Value::Float(significant(rate / samples)));
    }
    if let Some(trainable) = estimate.and_then(|found| i64::try_from(found.estimate.trainable).ok()) {
        values.insert(TRAINABLE, Value::Int(trainable));
    }
    values
}

/// A number, also one that YAML keeps as a text: `2e-5`.
fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_str()?.trim().parse().ok()).filter(|number: &f64| number.is_finite())
}

/// Four significant digits.
fn significant(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

fn memory(found: &RunEstimate) -> Memory {
    let estimate = &found.estimate;
    Memory {
        peak: estimate.peak,
        low: found.floor.min(estimate.low),
        high: estimate.high,
        host: estimate.host.peak,
        verdict: found.verdict,
    }
}

/// Findings of `report` that `other` does not have: by rule, file and message, as often as they occur. Lines may move, and the numbers of a
/// message may differ.
fn only_in<'a>(report: &'a Report, other: &Report) -> Vec<&'a Finding> {
    let key = |report: &Report, finding: &Finding| {
        let place = report.project.to_host(finding.place);
        (finding.code, report.project.file(place.file).path.clone(), without_numbers(&finding.message.en))
    };
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for finding in &other.findings {
        *known.entry(key(other, finding)).or_default() += 1;
    }
    let mut is_new = |finding: &&Finding| match known.get_mut(&key(report, finding)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    report.findings.iter().filter(|finding| is_new(finding)).collect()
}

fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let c = if c.is_ascii_digit() || c == '.' { '#' } else { c };
        if c != '#' || !out.ends_with('#') {
            out.push(c);
        }
    }
    out
}

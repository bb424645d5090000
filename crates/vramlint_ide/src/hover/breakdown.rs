//! The memory of a run as an aligned table, the arithmetic of the part that a setting affects, and what changing the setting would
//! do.

use super::what_if::{self, Step, affected_part};
use crate::summary::gib;
use vramlint_base::{Lang, message, text};
use vramlint_catalog::Concept;
use vramlint_estimate::{RunEstimate, Verdict};
use vramlint_memory::estimate::{Part, Phase};
use vramlint_project::Report;
use vramlint_resolve::Run;
use vramlint_view::estimate::format::{gib_value, in_lang, phase_phrase};
use vramlint_view::table::{cut, pad, widest};

/// Maximum number of parts; the rest is summed up.
const ROWS: usize = 6;
/// Maximum columns of a name.
const NAME: usize = 30;

/// The memory of one GPU, for the hover of a setting. `has_memory_finding`: a finding at the location already reports whether it
/// fits.
pub(super) fn breakdown(
    report: &Report,
    run: &Run,
    found: &RunEstimate,
    concept: Concept,
    has_memory_finding: bool,
    lang: Lang,
) -> String {
    let id = super::provenance::tick(&run.id);
    let head = match &found.unverified {
        None => message!("Memory of one GPU in `{id}`:", "`{id}` 中单块 GPU 的显存："),
        Some(why) => {
            let (en, zh) = (&why.en, &why.zh);
            message!("Memory of one GPU in `{id}`, a rough estimate ({en}):", "`{id}` 中单块 GPU 的显存，仅为粗估（{zh}）：")
        }
    };
    let mut lines = table(found, has_memory_finding, lang);
    let changes = changes(report, run, found, concept, lang);
    if !changes.is_empty() {
        lines.push(String::new());
        lines.extend(changes);
    }
    let mut section = format!("{}\n\n```text\n{}\n```", head.get(lang), lines.join("\n"));
    if let Some(text) = formula(found, concept, lang) {
        section.push_str(&format!("\n\n{text}"));
    }
    section
}

/// Parts, largest first, then the peak and the GPU.
fn table(found: &RunEstimate, has_memory_finding: bool, lang: Lang) -> Vec<String> {
    let estimate = &found.estimate;
    let mut parts: Vec<(&str, u64)> = Part::ALL
        .iter()
        .zip(estimate.parts)
        .filter(|(_, bytes)| *bytes > 0)
        .map(|(part, bytes)| (in_lang(part.label(), lang), bytes))
        .collect();
    parts.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    if parts.len() > ROWS {
        let rest = parts.split_off(ROWS - 1).iter().map(|(_, bytes)| bytes).sum();
        parts.push((pick(lang, "everything else", "其余"), rest));
    }
    let (low, high, at) =
        (gib_value(estimate.low.min(found.floor)), gib_value(estimate.high), phase_phrase(estimate.peak_phase, lang));
    let peak = message!("{at}; {low} to {high}", "{at}；{low} 至 {high}").get(lang).to_owned();
    let mut rows: Vec<(String, u64, String)> =
        parts.into_iter().map(|(name, bytes)| (name.to_owned(), bytes, percent(bytes, estimate.peak))).collect();
    let parted = rows.len();
    rows.push((pick(lang, "peak", "峰值").to_owned(), estimate.peak, peak));
    if let Some(gpu) = &found.capacity {
        let text = if has_memory_finding { String::new() } else { verdict(found, gpu.bytes, lang) };
        rows.push((cut(gpu.name.get(lang), NAME), gpu.bytes, text));
    }
    let names = widest(rows.iter().map(|(name, ..)| name.as_str()), NAME);
    let mut lines: Vec<String> = rows
        .into_iter()
        .map(|(name, bytes, rest)| format!("{} {:>8} GiB  {rest}", pad(&name, names), gib_value(bytes)).trim_end().to_owned())
        .collect();
    lines.insert(parted, "─".repeat(names + 13));
    lines
}

fn verdict(found: &RunEstimate, gpu: u64, lang: Lang) -> String {
    let difference = gib(gpu.abs_diff(found.estimate.peak));
    let over = found.estimate.peak > gpu;
    let text = match found.verdict {
        Some(Verdict::Fits) => message!("fits, {difference} to spare", "放得下，余 {difference}"),
        Some(Verdict::DoesNotFit) => message!("does not fit, {difference} short", "放不下，缺 {difference}"),
        Some(Verdict::MayNotFit) if over => message!("may not fit, {difference} short", "可能放不下，缺 {difference}"),
        Some(Verdict::MayNotFit) => message!("may not fit, {difference} to spare", "可能放不下，余 {difference}"),
        None => return String::new(),
    };
    text.get(lang).to_owned()
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { String::new() } else { format!("{:3.0} %", text::percent(part, whole)) }
}

/// One line for each step, aligned.
fn changes(report: &Report, run: &Run, found: &RunEstimate, concept: Concept, lang: Lang) -> Vec<String> {
    // A value that the run leaves open has no step: the setup holds the heaviest possible value.
    if run.value(concept).is_none() {
        return Vec::new();
    }
    let estimated = |step: Step| {
        let estimate = report.estimate_under(&found.model.arch, &step.setup)?;
        Some((format!("{} {} -> {}:", concept.name(), step.from, step.to), estimate.peak, estimate.tensors))
    };
    // If the setup differs from the written value, a step from one is not a step from the other.
    let starts_at_written_value = |step: &Step| run.int(concept).is_none_or(|value| step.from.parse() == Ok(value));
    let estimated: Vec<(String, u64, u64)> =
        what_if::steps(concept, found).into_iter().filter(starts_at_written_value).filter_map(estimated).collect();
    let names = widest(estimated.iter().map(|(name, ..)| name.as_str()), NAME * 2);
    let before = gib(found.estimate.peak);
    let line = |(name, peak, tensors): (String, u64, u64)| {
        let mut note =
            fragmentation_note((found.estimate.peak, found.estimate.tensors), (peak, tensors), lang).unwrap_or_default();
        if found.capacity.as_ref().is_some_and(|gpu| peak > gpu.bytes && found.estimate.peak <= gpu.bytes) {
            note.push_str(pick(lang, "  exceeds GPU memory", "  超出 GPU 显存"));
        }
        format!("{} {before} -> {} GiB{note}", pad(&name, names), gib(peak))
    };
    estimated.into_iter().map(line).collect()
}

/// Says that fragmentation turns a change around: the tensors move against the peak. Each of `before` and `after` holds peak and tensors in
/// bytes.
fn fragmentation_note(before: (u64, u64), after: (u64, u64), lang: Lang) -> Option<String> {
    let against = after.0.cmp(&before.0) == before.1.cmp(&after.1) && after.0 != before.0;
    let (from, to) = (gib(before.1), gib(after.1));
    against.then(|| {
        let text = message!("  (fragmentation; tensors {from} -> {to} GiB)", "  （碎片所致；张量 {from} -> {to} GiB）");
        text.get(lang).to_owned()
    })
}

/// The largest item of the part that a setting affects, with its arithmetic.
fn formula(found: &RunEstimate, concept: Concept, lang: Lang) -> Option<String> {
    let part = affected_part(concept, found)?;
    // During the optimizer step no forward activations are left: what counts as activations then belongs to the optimizer.
    let forward_is_over = matches!(found.estimate.peak_phase, Phase::Optimizer | Phase::Load);
    if forward_is_over && matches!(part, Part::Activations | Part::Logits) {
        return None;
    }
    let items = found.estimate.items.iter().filter(|item| item.part == part && !item.formula.is_empty());
    let item = items.max_by_key(|item| item.bytes).filter(|item| item.bytes > 0)?;
    let (name, label, size) = (in_lang(part.label(), lang), in_lang(item.label, lang), gib_value(item.bytes));
    let formula = super::provenance::tick(&item.formula);
    Some(message!("{name}: {label} {size} GiB = `{formula}`", "{name}：{label} {size} GiB = `{formula}`").get(lang).to_owned())
}

fn pick(lang: Lang, en: &'static str, zh: &'static str) -> &'static str {
    match lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragmentation_that_turns_a_change_around_is_said() {
        const GIB: u64 = 1 << 30;
        let note = |before, after| fragmentation_note(before, after, Lang::En);
        assert_eq!(note((9 * GIB, 8 * GIB), (10 * GIB, 7 * GIB)).as_deref(), Some("  (fragmentation; tensors 8.0 -> 7.0 GiB)"));
        assert_eq!(note((9 * GIB, 8 * GIB), (8 * GIB, 7 * GIB)), None);
        assert_eq!(note((9 * GIB, 8 * GIB), (9 * GIB, 7 * GIB)), None);
        assert_eq!(note((9 * GIB, 8 * GIB), (8 * GIB, 8 * GIB)), None);
    }
}

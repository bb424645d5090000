//! The candidates of a value in each run, and which one takes effect.

use crate::markdown::inline;
use vramlint_base::{Lang, message};
use vramlint_project::Report;
use vramlint_resolve::{Candidate, Origin, Resolved, Run, Setting};
use vramlint_view::origin::{origin, show};

/// Maximum number of listed groups of runs.
const RUNS: usize = 3;
/// Maximum number of listed candidates per run.
const CANDIDATES: usize = 6;

/// One line for each candidate of each run, with the effective one marked. Runs with equal candidates are grouped.
pub(super) fn provenance(report: &Report, runs: &[(&Run, &Setting, usize)], lang: Lang) -> String {
    let mut groups: Vec<(Vec<&Run>, Vec<String>)> = Vec::new();
    for (run, setting, candidate_here) in runs {
        let lines = lines(report, setting, *candidate_here, lang);
        match groups.iter_mut().find(|(_, own)| *own == lines) {
            Some((group, _)) => group.push(run),
            None => groups.push((vec![run], lines)),
        }
    }
    let shown = groups.iter().take(RUNS).map(|(group, lines)| format!("{}\n{}", head(group, lang), lines.join("\n")));
    let mut text = shown.collect::<Vec<_>>().join("\n\n");
    let omitted: usize = groups.iter().skip(RUNS).map(|(group, _)| group.len()).sum();
    if omitted > 0 {
        let more = message!("\n\nand other values in {omitted} more runs", "\n\n另有 {omitted} 个训练任务取其他值");
        text.push_str(more.get(lang));
    }
    text
}

fn head(runs: &[&Run], lang: Lang) -> String {
    let text = match runs {
        [run] => {
            let id = &run.id;
            message!("In `{id}`:\n", "在 `{id}` 中：\n")
        }
        [first, ..] => {
            let (count, id) = (runs.len(), &first.id);
            message!("In {count} runs, `{id}` the first:\n", "在 {count} 个训练任务中（首个为 `{id}`）：\n")
        }
        [] => message!("", ""),
    };
    text.get(lang).to_owned()
}

/// The candidates, highest precedence first.
fn lines(report: &Report, setting: &Setting, candidate_here: usize, lang: Lang) -> Vec<String> {
    let mut order: Vec<usize> = (0..setting.candidates.len()).collect();
    // The winner comes first, regardless of the order of discovery.
    order.sort_by_key(|index| (Some(*index) != setting.winner, *index));
    let mut lines: Vec<String> = Vec::new();
    for index in order {
        let Some(candidate) = setting.candidates.get(index) else { continue };
        let line = line(report, candidate, Some(index) == setting.winner, index == candidate_here, lang);
        // A file that a flag names may appear twice.
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let omitted = lines.len().saturating_sub(CANDIDATES);
    if omitted > 0 {
        lines.truncate(CANDIDATES);
        lines.push(message!("- and {omitted} more", "- 另有 {omitted} 处").get(lang).to_owned());
    }
    if setting.winner.is_none() {
        let open = message!("- cannot determine which value takes effect", "- 无法确定哪个值生效");
        lines.push(open.get(lang).to_owned());
    } else if let Some(order) = order_if_contested(setting) {
        lines.push(message!("- order: {order}", "- 优先级：{order}").get(lang).to_owned());
    }
    lines
}

/// The order of precedence, if another candidate has a different value.
fn order_if_contested(setting: &Setting) -> Option<&'static str> {
    let winner = setting.winning()?;
    let mut others =
        setting.candidates.iter().filter(|candidate| candidate.condition.is_none() && candidate.value != winner.value);
    others.find(|candidate| !is_default(candidate)).and(setting.precedence).map(|precedence| precedence.order)
}

/// Whether the value is a default or an assumption.
fn is_default(candidate: &Candidate) -> bool {
    matches!(candidate.origin, Origin::Default { .. } | Origin::Assumed { .. })
}

fn line(report: &Report, candidate: &Candidate, wins: bool, candidate_here: bool, lang: Lang) -> String {
    let mut text = match &candidate.value {
        Resolved::Known(value) => format!("- `{}`", tick(&show(value))),
        Resolved::Unknown(_) => message!("- not known", "- 未知").get(lang).to_owned(),
    };
    let from = origin(&report.project, &candidate.origin, lang);
    if candidate_here && candidate.origin.place().is_some() {
        text.push_str(message!(" here", " 此处").get(lang));
    } else if !from.is_empty() {
        text.push_str(&format!(" {}", inline(&from)));
    }
    if let Some(condition) = &candidate.condition {
        let condition = tick(condition);
        text.push_str(message!(", if `{condition}`", "，当 `{condition}` 时").get(lang));
    }
    if let Resolved::Unknown(why) = &candidate.value {
        let why = inline(why.get(lang));
        text.push_str(message!(" ({why})", "（{why}）").get(lang));
    }
    if wins {
        text.push_str(message!(" ← effective", " ← 生效").get(lang));
    }
    text
}

/// Text for a code span.
pub(super) fn tick(text: &str) -> String {
    text.replace(['`', '\n', '\r'], " ")
}

//! The comparison as a table for a terminal.

use super::{Diff, Memory, RunDiff, SettingDiff, Status};
use crate::estimate::format::{gib, pick};
use crate::origin::show;
use crate::span::path_and_line;
use crate::table::{cut, pad, widest};
use crate::{StyleRole, Styler};
use vramlint_base::visible::one_line;
use vramlint_base::{Finding, Lang, Message, Value, message};
use vramlint_project::Report;

/// Maximum columns of a name.
const NAME: usize = 48;

/// The comparison. Runs that are the same are counted.
pub fn text(diff: &Diff<'_>, base: &Report, head: &Report, lang: Lang, styler: Styler) -> String {
    let mut blocks: Vec<String> = Vec::new();
    for run in diff.runs.iter().filter(|run| run.status != Status::Same) {
        blocks.push(run_lines(run, lang, styler).join("\n") + "\n");
    }
    let same = diff.runs.iter().filter(|run| run.status == Status::Same).count();
    for (findings, report, title) in [
        (&diff.new, head, message!("new findings", "新增的问题")),
        (&diff.gone, base, message!("findings that are gone", "消失的问题")),
    ] {
        if !findings.is_empty() {
            let mut lines = vec![styler(title.get(lang), StyleRole::Strong)];
            lines.extend(findings.iter().map(|finding| format!("  {}", finding_line(finding, report, lang))));
            blocks.push(lines.join("\n") + "\n");
        }
    }
    if blocks.is_empty() {
        blocks.push(
            message!("no run and no finding differs ({same} runs)\n", "训练任务与问题均无变化（{same} 个任务）\n")
                .get(lang)
                .to_owned(),
        );
    }
    blocks.join("\n")
}

fn run_lines(run: &RunDiff, lang: Lang, styler: Styler) -> Vec<String> {
    let name = styler(&cut(&run.id, NAME * 2), StyleRole::Strong);
    let moved = run.base_id.as_ref().map(|id| message!(" (was {id})", "（原为 {id}）").get(lang).to_owned()).unwrap_or_default();
    let mut lines = vec![format!("{name}{}  {}", one_line(&moved), status(run.status).get(lang))];
    let rows: Vec<(String, String, String)> = run
        .settings
        .iter()
        .map(row)
        .chain(memory_rows(run, lang))
        .map(|(name, base, head)| (one_line(&name).into_owned(), one_line(&base).into_owned(), one_line(&head).into_owned()))
        .collect();
    let names = widest(rows.iter().map(|row| row.0.as_str()), NAME);
    let bases = widest(rows.iter().map(|row| row.1.as_str()), NAME);
    for (name, base, head) in &rows {
        lines.push(format!("  {}  {} -> {head}", pad(name, names), pad(base, bases)));
    }
    lines
}

pub(super) fn status(status: Status) -> Message {
    match status {
        Status::Changed => message!("changed", "有变化"),
        Status::Same => message!("same", "无变化"),
        Status::Added => message!("added", "新增"),
        Status::Removed => message!("removed", "已移除"),
    }
}

pub(super) fn row(setting: &SettingDiff) -> (String, String, String) {
    let shown = |value: &Option<Value>| value.as_ref().map_or_else(|| "?".to_owned(), show);
    (setting.name.to_owned(), shown(&setting.base), shown(&setting.head))
}

/// Memory of the GPU and of the host, where they differ.
pub(super) fn memory_rows(run: &RunDiff, lang: Lang) -> Vec<(String, String, String)> {
    let (base, head) = (run.base, run.head);
    if base == head {
        return Vec::new();
    }
    let of = |memory: Option<Memory>, bytes: fn(Memory) -> u64| memory.map(bytes);
    let mut rows = Vec::new();
    let mut push = |name: Message, bytes: fn(Memory) -> u64| {
        let (from, to) = (of(base, bytes), of(head, bytes));
        if from != to {
            let shown = |bytes: Option<u64>| bytes.map_or_else(|| "?".to_owned(), gib);
            let change = from.zip(to).map(|(from, to)| difference(from, to)).unwrap_or_default();
            rows.push((name.get(lang).to_owned(), shown(from), format!("{}{change}", shown(to))));
        }
    };
    push(message!("memory", "显存"), |memory| memory.peak);
    push(message!("memory, upper bound", "显存上界"), |memory| memory.high);
    push(message!("host memory", "主机内存"), |memory| memory.host);
    rows
}

/// ` (+1.20 GiB)`.
fn difference(from: u64, to: u64) -> String {
    let sign = if to >= from { '+' } else { '-' };
    format!(" ({sign}{})", gib(from.abs_diff(to)))
}

pub(super) fn finding_line(finding: &Finding, report: &Report, lang: Lang) -> String {
    let place = path_and_line(&report.project, finding.place);
    let severity = finding.severity.name();
    let text = pick(lang, finding.message.en.as_str(), finding.message.zh.as_str());
    one_line(&format!("{place} {severity}[{}] {text}", finding.code)).into_owned()
}

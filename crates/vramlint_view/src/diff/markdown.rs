//! The comparison as Markdown, for a pull request.

use super::text::{finding_line, memory_rows, row, status};
use super::{Diff, Status};
use std::fmt::Write;
use vramlint_base::visible::one_line;
use vramlint_base::{Lang, message};
use vramlint_project::Report;

/// A table for each run that differs, then the findings.
pub fn markdown(diff: &Diff<'_>, base: &Report, head: &Report, lang: Lang) -> String {
    let mut out = String::new();
    for run in diff.runs.iter().filter(|run| run.status != Status::Same) {
        let status = status(run.status);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "### {} ({})\n", escaped(&run.id), status.get(lang));
        let rows: Vec<_> = run.settings.iter().map(row).chain(memory_rows(run, lang)).collect();
        if rows.is_empty() {
            continue;
        }
        out.push_str(message!("| setting | before | after |", "| 设置 | 之前 | 之后 |").get(lang));
        out.push_str("\n| --- | --- | --- |\n");
        for (name, before, after) in rows {
            let _ = writeln!(out, "| {} | {} | {} |", escaped(&name), escaped(&before), escaped(&after));
        }
        out.push('\n');
    }
    for (findings, report, title) in [
        (&diff.new, head, message!("New findings", "新增的问题")),
        (&diff.gone, base, message!("Findings that are gone", "消失的问题")),
    ] {
        if !findings.is_empty() {
            let _ = writeln!(out, "### {}\n", title.get(lang));
            for finding in findings {
                let _ = writeln!(out, "- {}", escaped(&finding_line(finding, report, lang)));
            }
            out.push('\n');
        }
    }
    if out.is_empty() {
        out.push_str(message!("No run and no finding differs.\n", "训练任务与问题均无变化。\n").get(lang));
    }
    out
}

/// Text in which no character is Markdown or HTML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in one_line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '@' | '!' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

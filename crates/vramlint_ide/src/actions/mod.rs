//! Code actions: fixes, suppressions, and repairs of runs that do not fit.

mod repair;

use std::collections::BTreeSet;
use vramlint_base::{Applicability, Edit, FileId, Finding, Lang, TextRange};
use vramlint_project::explanation::explain_file;
use vramlint_project::fix::{breaks, safe_fixes};
use vramlint_project::{Report, ignore_edit};
use vramlint_resolve::SourceFile;

/// The kind of an action; editors group and filter by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActionKind {
    /// A fix of a finding.
    QuickFix,
    /// Every safe fix of the file; also on save.
    FixAll,
    /// A comment that suppresses a finding.
    Suppress,
    /// A change that makes a run fit its GPU, with the same effective batch size.
    Repair,
    /// Shows the page of the rule.
    ExplainRule,
    /// Shows what decided the settings of a line.
    ExplainLine,
}

/// A page that an action shows instead of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// That of a rule, by its name.
    Rule(&'static str),
    /// What `vramlint why` says of a line, from 1.
    Line(u32),
}

/// A code action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What it does, in the imperative.
    pub title: String,
    /// The kind.
    pub kind: ActionKind,
    /// The edits, in one or several host files.
    pub edits: Vec<Edit>,
    /// Index of the finding that it resolves, in the findings of the report.
    pub finding: Option<usize>,
    /// Whether the editor may apply it as the default.
    pub preferred: bool,
    /// The page to show, instead of an edit.
    pub page: Option<Page>,
}

/// The actions in a range of a host file: for every finding on one of its lines.
pub fn actions(report: &Report, file: FileId, range: TextRange, lang: Lang) -> Vec<Action> {
    let project = &report.project;
    let Some(text) = project.files.get(file.0 as usize).filter(|text| text.host.is_none()) else { return Vec::new() };
    let here: Vec<(usize, &Finding)> = findings_at(report, text, range).collect();
    let repairs = repair::repairs(report, text, range, &here, lang);
    let chosen: Vec<&[Edit]> = repairs.iter().map(|repair| repair.edits.as_slice()).collect();
    let mut found = Vec::new();
    for (number, finding) in &here {
        found.extend(fixes(report, *number, finding, lang).into_iter().filter(|fix| !chosen.contains(&fix.edits.as_slice())));
    }
    found.extend(repairs);
    found.extend(fix_all(report, file, lang));
    found.extend(suppressions(report, &here, lang));
    found.extend(pages(&here, lang));
    found.extend(explain_line(report, text, range, lang));
    found
}

/// Offers to explain the first line of a range, if it sets something of a run.
fn explain_line(report: &Report, file: &SourceFile, range: TextRange, lang: Lang) -> Option<Action> {
    let line = file.lines().line_of(range.start) + 1;
    let explanation = explain_file(report, file, Some(line));
    let [(_, first, _), rest @ ..] = explanation.settings.as_slice() else { return None };
    let name = first.name();
    let more = rest.iter().any(|(_, concept, _)| concept != first);
    let title = match (lang, more) {
        (Lang::En, false) => format!("explain what decides `{name}`"),
        (Lang::En, true) => "explain what decides the settings of this line".to_owned(),
        (Lang::Zh, false) => format!("说明 `{name}` 由什么决定"),
        (Lang::Zh, true) => "说明这一行的设置由什么决定".to_owned(),
    };
    let (kind, page) = (ActionKind::ExplainLine, Some(Page::Line(line)));
    Some(Action { title, kind, edits: Vec::new(), finding: None, preferred: false, page })
}

/// The findings on the lines of a range.
fn findings_at<'a>(report: &'a Report, file: &'a SourceFile, range: TextRange) -> impl Iterator<Item = (usize, &'a Finding)> {
    let lines = lines(file, range);
    let in_file = report.findings.iter().enumerate().filter(|(_, finding)| finding.place.file == file.id);
    in_file.filter(move |(_, finding)| {
        let (first, last) = self::lines(file, finding.place.range);
        first <= lines.1 && lines.0 <= last
    })
}

/// First and last line of a range, from 0.
fn lines(file: &SourceFile, range: TextRange) -> (u32, u32) {
    (file.lines().line_of(range.start), file.lines().line_of(range.end.max(range.start)))
}

/// The fixes of a finding, except those for display only.
fn fixes(report: &Report, number: usize, finding: &Finding, lang: Lang) -> Vec<Action> {
    let safe = finding.fixes.iter().filter(|fix| fix.applicability == Applicability::Safe).count();
    let offered = finding.fixes.iter().filter(|fix| fix.applicability != Applicability::Display);
    let sound = offered.filter(|fix| !fix.edits.is_empty() && !breaks(&report.project, &fix.edits));
    let action = |fix: &vramlint_base::Fix| Action {
        title: fix.title.get(lang).to_owned(),
        kind: ActionKind::QuickFix,
        edits: fix.edits.clone(),
        finding: Some(number),
        preferred: safe == 1 && fix.applicability == Applicability::Safe,
        page: None,
    };
    sound.map(action).collect()
}

/// All safe fixes of a file at once. A fix that conflicts with another one follows in the next report.
fn fix_all(report: &Report, file: FileId, lang: Lang) -> Option<Action> {
    let file_findings: Vec<Finding> = report.findings.iter().filter(|finding| finding.place.file == file).cloned().collect();
    let fixes = safe_fixes(&report.project, &file_findings);
    let edits: Vec<Edit> = fixes.iter().flat_map(|fix| fix.edits.iter().cloned()).collect();
    if edits.is_empty() || breaks(&report.project, &edits) {
        return None;
    }
    let count = fixes.len();
    let title = match lang {
        Lang::En if count == 1 => "apply the safe fix in this file".to_owned(),
        Lang::En => format!("apply {count} safe fixes in this file"),
        Lang::Zh => format!("应用此文件的 {count} 处安全修复"),
    };
    Some(Action { title, kind: ActionKind::FixAll, edits, finding: None, preferred: false, page: None })
}

/// A comment for each rule with a finding here; in files without comments, an entry in the configuration.
fn suppressions(report: &Report, here: &[(usize, &Finding)], lang: Lang) -> Vec<Action> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (number, finding) in here {
        let line = report.project.file(finding.place.file).lines().line_of(finding.place.range.start);
        if !seen.insert((finding.name, line)) {
            continue;
        }
        let Some(edit) = ignore_edit(&report.project, finding) else { continue };
        let name = finding.name;
        let title = match (lang, edit.place.file == finding.place.file) {
            (Lang::En, true) => format!("ignore `{name}` here"),
            (Lang::En, false) => format!("ignore `{name}` in this file (in the configuration)"),
            (Lang::Zh, true) => format!("在此处忽略 `{name}`"),
            (Lang::Zh, false) => format!("在配置中对此文件忽略 `{name}`"),
        };
        let kind = ActionKind::Suppress;
        found.push(Action { title, kind, edits: vec![edit], finding: Some(*number), preferred: false, page: None });
    }
    found
}

/// The page of each rule with a finding here.
fn pages(here: &[(usize, &Finding)], lang: Lang) -> Vec<Action> {
    let mut seen = BTreeSet::new();
    let first = here.iter().filter(|(_, finding)| seen.insert(finding.name));
    let action = |(number, finding): &(usize, &Finding)| {
        let name = finding.name;
        let title = match lang {
            Lang::En => format!("explain `{name}`"),
            Lang::Zh => format!("查看 `{name}` 的说明"),
        };
        Action {
            title,
            kind: ActionKind::ExplainRule,
            edits: Vec::new(),
            finding: Some(*number),
            preferred: false,
            page: Some(Page::Rule(name)),
        }
    };
    first.map(action).collect()
}

#[cfg(test)]
mod tests;

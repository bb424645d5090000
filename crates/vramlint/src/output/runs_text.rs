//! `runs` as a table: every setting, its value, who set it, and what that overrides.

use super::place::short;
use super::table::{pad, widest};
use owo_colors::OwoColorize;
use std::fmt::Write;
use vramlint_base::{Lang, Value, message};
use vramlint_catalog::Concept;
use vramlint_project::Report;
use vramlint_resolve::{Candidate, Origin, Project, Resolved, Run, Setting};

/// Every run of what was asked for.
pub(crate) fn all(report: &Report, lang: Lang, colour: bool) -> String {
    let drawn: Vec<String> = report.runs().map(|run| one(&report.project, run, lang, colour)).collect();
    if drawn.is_empty() {
        let files = report.files;
        let said = message!("No training run found in {files} files", "在 {files} 个文件中未找到训练任务");
        return format!("{}\n", said.get(lang));
    }
    drawn.join("\n")
}

/// A line: name, value, origin.
struct Line {
    name: String,
    value: String,
    origin: String,
}

fn one(project: &Project, run: &Run, lang: Lang, colour: bool) -> String {
    let lines: Vec<Line> = Concept::ALL
        .iter()
        .filter_map(|concept| run.settings.get(concept).map(|setting| (*concept, setting)))
        .filter(|(_, setting)| !setting.candidates.is_empty())
        .flat_map(|(concept, setting)| setting_lines(project, concept, setting, lang))
        .collect();
    let names = widest(lines.iter().map(|line| line.name.as_str()), 40);
    let values = widest(lines.iter().map(|line| line.value.as_str()), 40);
    let place = short(project, run.place);
    let mut text = if colour { format!("{}  {}\n", run.id.bold(), place.dimmed()) } else { format!("{}  {place}\n", run.id) };
    for line in lines {
        let origin = if colour { line.origin.dimmed().to_string() } else { line.origin };
        let row = format!("  {}  {}  {origin}", pad(&line.name, names), pad(&line.value, values));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", row.trim_end());
    }
    for (path, at) in &run.absent {
        let at = short(project, *at);
        let said = message!("{path} is not in the project (named at {at})", "{path} 不在项目中（见 {at}）");
        let _ = writeln!(text, "  {}", said.get(lang));
    }
    text
}

fn setting_lines(project: &Project, concept: Concept, setting: &Setting, lang: Lang) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut name = concept.name().to_owned();
    match setting.winning() {
        Some(winner) => {
            lines.push(line(project, std::mem::take(&mut name), winner, lang));
            for assumption in &winner.assumptions {
                lines.push(Line { name: String::new(), value: String::new(), origin: assumption.get(lang).to_owned() });
            }
            let losers = setting.candidates.iter().enumerate().filter(|(index, _)| Some(*index) != setting.winner);
            lines.extend(losers.map(|(_, loser)| overridden(project, loser, lang)));
        }
        None => {
            let why = message!("not decided in what the project shows", "项目中看不出由谁决定");
            lines.push(Line { name, value: "?".into(), origin: why.get(lang).to_owned() });
            lines.extend(setting.candidates.iter().map(|candidate| {
                let shown = line(project, String::new(), candidate, lang);
                Line { value: format!("  {}", shown.value), ..shown }
            }));
        }
    }
    if let Some(precedence) = setting.precedence.filter(|_| lines.len() > 1) {
        lines.push(Line { name: String::new(), value: String::new(), origin: precedence.order.to_owned() });
    }
    lines
}

fn line(project: &Project, name: String, candidate: &Candidate, lang: Lang) -> Line {
    let (value, why) = match &candidate.value {
        Resolved::Known(value) => (show(value), None),
        Resolved::Unknown(why) => ("?".to_owned(), Some(why.get(lang).to_owned())),
    };
    let origin = origin(project, &candidate.origin, lang);
    let origin = why.map_or(origin.clone(), |why| if origin.is_empty() { why.clone() } else { format!("{why}; {origin}") });
    Line { name, value, origin }
}

fn overridden(project: &Project, candidate: &Candidate, lang: Lang) -> Line {
    let shown = line(project, String::new(), candidate, lang);
    let (value, from) = (shown.value, shown.origin);
    let said = match &candidate.condition {
        Some(condition) => message!("{value} if {condition}: {from}", "当 {condition} 时为 {value}：{from}"),
        None => message!("overrides {value}: {from}", "覆盖 {value}：{from}"),
    };
    Line { name: String::new(), value: String::new(), origin: said.get(lang).to_owned() }
}

fn show(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Bool(true) => "true".into(),
        Value::Bool(false) => "false".into(),
        Value::Null => "null".into(),
        other => other.to_string(),
    }
}

fn origin(project: &Project, origin: &Origin, lang: Lang) -> String {
    let at = origin.place().map(|place| short(project, place)).unwrap_or_default();
    match origin {
        Origin::File { route, .. } => format!("{at} {route}"),
        Origin::Flag { flag, .. } => format!("{at} {flag}"),
        Origin::Env { name, .. } => format!("{at} ${name}"),
        Origin::Code { name, .. } => format!("{at} {name}"),
        Origin::OptionDefault { option, .. } => {
            message!("{at} default of --{option}", "{at} --{option} 的默认值").get(lang).to_owned()
        }
        Origin::Target { key, file } => {
            let file = file.as_deref().unwrap_or("vramlint.toml");
            format!("{file} [target] {key}")
        }
        Origin::Default { tool, source } => {
            message!("default of {tool} ({source})", "{tool} 的默认值（{source}）").get(lang).to_owned()
        }
        Origin::Derived { formula, .. } => formula.clone(),
        Origin::Assumed { why } => why.get(lang).to_owned(),
    }
}

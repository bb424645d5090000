//! `runs` for reading: a table a run.

use super::origin::told;
use super::{Parts, parts};
use crate::colour::paint;
use owo_colors::Style;
use std::fmt::Write;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
use vramlint_base::{Lang, Place, Value, message};
use vramlint_catalog::Concept;
use vramlint_project::Report;
use vramlint_resolve::{Candidate, Origin, Project, Resolved, Run, Setting};

/// Columns that a value takes at most before the table leaves its grid.
const VALUE: usize = 28;
/// Columns of a command or a value that are shown.
const LONGEST: usize = 100;

/// How to show a table.
#[derive(Clone, Copy)]
struct Table<'a> {
    project: &'a Project,
    lang: Lang,
    colour: bool,
    sources: bool,
}

/// A line of the table: name and value are aligned, the rest follows.
struct Row {
    name: String,
    value: String,
    rest: String,
}

/// Every run of the reported files; with the proof of each precedence if `sources`.
pub(crate) fn text(report: &Report, lang: Lang, colour: bool, sources: bool) -> String {
    let view = Table { project: &report.project, lang, colour, sources };
    let runs: Vec<String> = report.runs().map(|run| view.run(run)).collect();
    if runs.is_empty() {
        let files = report.files;
        let s = if files == 1 { "" } else { "s" };
        return message!("No training runs in {files} file{s}\n", "在 {files} 个文件中没有训练任务\n").get(lang).to_owned();
    }
    runs.join("\n")
}

impl Table<'_> {
    fn run(&self, run: &Run) -> String {
        let mut out = self.head(run);
        let rows: Vec<Row> = Concept::ALL
            .iter()
            .filter_map(|concept| Some((*concept, run.settings.get(concept)?)))
            .flat_map(|(concept, setting)| self.rows(concept, setting))
            .collect();
        let width = |of: fn(&Row) -> &String, most: usize| rows.iter().map(|row| of(row).width()).max().unwrap_or(0).min(most);
        let (names, values) = (width(|row| &row.name, usize::MAX), width(|row| &row.value, VALUE));
        for row in &rows {
            let name = paint(&padded(&row.name, names), Style::new().bold(), self.colour);
            let line = format!("  {name}  {}  {}", padded(&row.value, values), row.rest);
            let _ = writeln!(out, "{}", line.trim_end());
        }
        out
    }

    /// Name, place and command; files; references to files that are not there.
    fn head(&self, run: &Run) -> String {
        let id = paint(&run.id, Style::new().green().bold(), self.colour);
        let mut out = format!("{id}  {}\n", self.at(run.place));
        let host = self.project.to_host(run.place);
        let source = host.range.slice(&self.project.file(host.file).text);
        if run.launch.is_some() {
            let command: Vec<&str> = source.split_whitespace().filter(|word| *word != "\\" && *word != "`").collect();
            let _ = writeln!(out, "  {}", paint(&cut(&command.join(" ")), Style::new().dimmed(), self.colour));
        }
        let mut files: Vec<&str> = run.files.iter().map(|id| self.project.file(*id).path.as_str()).collect();
        files.dedup();
        let files = files.join(", ");
        let _ = writeln!(out, "  {}", message!("files: {files}", "文件：{files}").get(self.lang));
        for (path, place) in &run.absent {
            let at = self.at(*place);
            let line = message!("not found: {path} (named at {at})", "未找到：{path}（见 {at}）");
            let _ = writeln!(out, "  {}", line.get(self.lang));
        }
        out.push('\n');
        out
    }

    fn at(&self, place: Place) -> String {
        let (file, start, _) = self.project.position(place);
        format!("{}:{}", file.path, start.line)
    }

    fn rows(&self, concept: Concept, setting: &Setting) -> Vec<Row> {
        let Parts { winner, overridden, alternatives } = parts(setting);
        let mut notes = Vec::new();
        let (value, rest) = if let Some(candidate) = winner {
            notes.extend(self.assumptions(candidate));
            notes.extend(overridden.iter().filter(|loser| is_said(loser)).map(|loser| self.loser(candidate, loser)));
            (self.value(concept, &candidate.value), self.who(candidate))
        } else {
            notes.extend(overridden.iter().map(|candidate| self.maybe(candidate)));
            let why = message!("what wins is not decided in these files", "由谁决定在这些文件中看不出来");
            (self.unknown(), why.get(self.lang).to_owned())
        };
        notes.extend(alternatives.iter().map(|candidate| self.maybe(candidate)));
        // The order matters only where somebody lost.
        if let Some(precedence) = setting.precedence.filter(|_| !notes.is_empty() && setting.candidates.len() > 1) {
            let (order, source) = (precedence.order, precedence.source);
            notes.push(message!("order: {order}", "优先顺序：{order}").get(self.lang).to_owned());
            if self.sources {
                notes.push(message!("source: {source}", "依据：{source}").get(self.lang).to_owned());
            }
        }
        let first = Row { name: concept.name().to_owned(), value, rest };
        let note = |text: String| Row {
            name: String::new(),
            value: String::new(),
            rest: paint(&text, Style::new().dimmed(), self.colour),
        };
        std::iter::once(first).chain(notes.into_iter().map(|text| note(format!("  {text}")))).collect()
    }

    /// Who set it, or why it is not known.
    fn who(&self, candidate: &Candidate) -> String {
        let said = told(self.project, &candidate.origin, self.lang);
        let mut text = match (&candidate.value, &candidate.origin) {
            (Resolved::Unknown(why), Origin::Derived { formula, .. }) if formula.is_empty() => why.get(self.lang).to_owned(),
            (Resolved::Unknown(why), _) => {
                let why = why.get(self.lang);
                format!("{why}{}{said}", message!("; ", "；").get(self.lang))
            }
            (Resolved::Known(_), _) => said,
        };
        if let Some(condition) = &candidate.condition {
            text += message!(" (if {condition})", "（当 {condition}）").get(self.lang);
        }
        text
    }

    fn loser(&self, winner: &Candidate, loser: &Candidate) -> String {
        let (value, who) = (self.bare(&loser.value), told(self.project, &loser.origin, self.lang));
        let same = winner.known().is_some() && winner.known() == loser.known();
        let said = if same {
            message!("also said by {who}", "{who} 也给出同样的值")
        } else {
            message!("overrides {value} from {who}", "覆盖了 {who} 给出的 {value}")
        };
        said.get(self.lang).to_owned()
    }

    fn maybe(&self, candidate: &Candidate) -> String {
        let (value, who) = (self.bare(&candidate.value), self.who(candidate));
        message!("may be {value}: {who}", "可能是 {value}：{who}").get(self.lang).to_owned()
    }

    fn assumptions(&self, candidate: &Candidate) -> Vec<String> {
        let told = candidate.assumptions.iter().map(|assumption| {
            let (en, zh) = (&assumption.en, &assumption.zh);
            message!("assuming {en}", "假定 {zh}").get(self.lang).to_owned()
        });
        told.collect()
    }

    fn unknown(&self) -> String {
        message!("unknown", "未知").get(self.lang).to_owned()
    }

    fn bare(&self, value: &Resolved) -> String {
        match value {
            Resolved::Known(value) => cut(&plain(value)),
            Resolved::Unknown(_) => self.unknown(),
        }
    }

    fn value(&self, concept: Concept, value: &Resolved) -> String {
        let text = self.bare(value);
        let Resolved::Known(Value::Int(n)) = value else { return text };
        match unit(concept.unit(), *n, self.lang) {
            "" => text,
            unit => format!("{text} {unit}"),
        }
    }
}

/// Whether somebody wrote it: that a default was not needed is no news.
fn is_said(candidate: &Candidate) -> bool {
    !matches!(candidate.origin, Origin::Default { .. } | Origin::Assumed { .. } | Origin::Derived { .. })
}

/// The unit of `n` of them.
fn unit(unit: &'static str, n: i64, lang: Lang) -> &'static str {
    match (lang, unit) {
        (Lang::En, "processes") if n == 1 => "process",
        (Lang::En, _) if n == 1 => unit.strip_suffix('s').unwrap_or(unit),
        (Lang::Zh, "processes") => "个进程",
        (Lang::Zh, "machines") => "台机器",
        (Lang::Zh, "rows") => "条",
        (Lang::Zh, "steps") => "步",
        (Lang::Zh, "tokens") => "个 token",
        (Lang::Zh, "completions") => "个回复",
        (Lang::Zh, "prompts") => "个提示",
        (Lang::Zh, "epochs") => "轮",
        _ => unit,
    }
}

/// Text without quotes, unless it could be taken for something else: the text `'2e-5'` is not the number.
fn plain(value: &Value) -> String {
    let ambiguous = |text: &str| {
        let word = text.trim().to_lowercase();
        word.len() != text.len()
            || word.is_empty()
            || word.parse::<f64>().is_ok()
            || ["true", "false", "null"].contains(&word.as_str())
    };
    match value {
        Value::Text(text) if !ambiguous(text) => text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect(),
        value => value.to_string().chars().map(|c| if c.is_control() { ' ' } else { c }).collect(),
    }
}

/// At most [`LONGEST`] columns.
fn cut(text: &str) -> String {
    if text.width() <= LONGEST {
        return text.to_owned();
    }
    let mut columns = 0;
    let fits = |c: &char| {
        columns += c.width().unwrap_or(0);
        columns < LONGEST
    };
    let mut shown: String = text.chars().take_while(fits).collect();
    shown.push('…');
    shown
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

#[cfg(test)]
mod tests;

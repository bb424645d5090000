//! `runs` as a table: every setting, its value, its origin, and what it overrides.

use crate::estimate::{self, EstimateReport, reports};
use crate::origin::{VALUE, origin, show};
use crate::span::{path_and_line, span};
use crate::table::{cut, pad, widest};
use crate::{StyleRole, Styler};
use std::fmt::Write;
use vramlint_base::visible::one_line;
use vramlint_base::{Lang, Message, message};
use vramlint_catalog::Concept;
use vramlint_project::Report;
use vramlint_resolve::versions::VersionSpec;
use vramlint_resolve::{Candidate, Origin, Project, Resolved, Run, Setting};

/// Libraries whose version changes what a run does.
const LIBRARIES: [&str; 13] = [
    "accelerate",
    "axolotl",
    "bitsandbytes",
    "deepspeed",
    "llamafactory",
    "ms-swift",
    "openrlhf",
    "peft",
    "torch",
    "torchtune",
    "transformers",
    "trl",
    "unsloth",
];

/// One run with its estimate, or why it has none. Details that the project does not set are left out.
pub fn render_run(project: &Project, run: &Run, report: &Result<EstimateReport, Message>, lang: Lang, styler: Styler) -> String {
    Table { project, lang, styler, verbose: false }.run(run, report)
}

/// Every selected run. Details that the project does not set are left out unless `verbose`.
pub fn render_all(report: &Report, lang: Lang, styler: Styler, verbose: bool) -> String {
    let table = Table { project: &report.project, lang, styler, verbose };
    let drawn: Vec<String> = report.runs().zip(reports(report, lang)).map(|(run, report)| table.run(run, &report)).collect();
    if drawn.is_empty() {
        let files = report.files;
        let s = if files == 1 { "" } else { "s" };
        let text = message!("No training run found in {files} file{s}", "在 {files} 个文件中未找到训练任务");
        return format!("{}\n", text.get(lang));
    }
    drawn.join("\n")
}

/// A row: name, value, and a remark on its origin.
#[derive(Default)]
struct Line {
    name: String,
    value: String,
    remark: String,
    /// Whether the value is a default or an assumption.
    faint: bool,
}

struct Table<'a> {
    project: &'a Project,
    lang: Lang,
    styler: Styler,
    verbose: bool,
}

impl Table<'_> {
    fn run(&self, run: &Run, report: &Result<EstimateReport, Message>) -> String {
        let lines: Vec<Line> = Concept::ALL
            .iter()
            .filter_map(|concept| run.settings.get(concept).map(|setting| (*concept, setting)))
            .filter(|(_, setting)| !setting.candidates.is_empty())
            .filter(|(concept, setting)| self.verbose || !concept.is_detail() || set_by_project(setting))
            .flat_map(|(concept, setting)| self.setting(concept, setting))
            .chain(self.libraries(run))
            .chain(self.estimate(report))
            .collect();
        let names = widest(lines.iter().map(|line| line.name.as_str()), VALUE);
        let values = widest(lines.iter().map(|line| line.value.as_str()), VALUE);
        let mut text = self.head(run);
        for Line { name, value, remark, faint } in lines {
            let (value, remark) = (one_line(&value), one_line(&remark));
            let value = (self.styler)(&pad(&value, values), if faint { StyleRole::Faint } else { StyleRole::Strong });
            let row = format!("  {}  {value}  {}", pad(&name, names), (self.styler)(&remark, StyleRole::Faint));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", row.trim_end());
        }
        for (path, named_at) in &run.missing_files {
            let at = path_and_line(self.project, *named_at);
            let absent = message!("{path} is not in the project (named at {at})", "{path} 不在项目中（见 {at}）");
            let _ = writeln!(text, "  {}", one_line(absent.get(self.lang)));
        }
        text
    }

    /// The known versions of the libraries that matter for training; of all tracked libraries if `verbose`.
    fn libraries(&self, run: &Run) -> Vec<Line> {
        let mut lines = Vec::new();
        for (name, evidence) in self.project.libraries_for(run.place.file) {
            let any = matches!(&evidence.version, VersionSpec::Range(specifiers) if specifiers.is_empty());
            if !self.verbose && (any || !LIBRARIES.contains(&name)) {
                continue;
            }
            let remark = evidence.place.filter(|_| !evidence.source.contains(", "));
            let remark = remark.map_or_else(|| evidence.source.clone(), |place| path_and_line(self.project, place));
            lines.push(Line { name: name.to_owned(), value: cut(&evidence.version.to_string(), VALUE), remark, faint: any });
        }
        lines
    }

    /// The memory of one GPU and of the host.
    fn estimate(&self, report: &Result<EstimateReport, Message>) -> Vec<Line> {
        let lines = match report {
            Ok(report) => estimate::lines(report, self.lang),
            Err(why) => vec![("?".to_owned(), self.say(why))],
        };
        let name = |first: bool| if first { "estimate".to_owned() } else { String::new() };
        let line = |(index, (value, remark))| Line { name: name(index == 0), value, remark, faint: false };
        lines.into_iter().enumerate().map(line).collect()
    }

    /// The name of the run, and its location unless the name contains it.
    fn head(&self, run: &Run) -> String {
        let at = span(self.project, run.place);
        let (path, line) = (&at.path, at.start.line);
        let id_names_file = run.id.strip_prefix(path).is_some_and(|rest| rest.starts_with('#'));
        let place =
            if id_names_file { message!("line {line}", "第 {line} 行") } else { message!("{path}:{line}", "{path}:{line}") };
        let (id, place) = (one_line(&run.id), one_line(place.get(self.lang)));
        format!("{}  {}\n", (self.styler)(&id, StyleRole::Strong), (self.styler)(&place, StyleRole::Faint))
    }

    fn setting(&self, concept: Concept, setting: &Setting) -> Vec<Line> {
        let name = concept.name().to_owned();
        let Some(winner) = setting.winning() else { return self.undecided(name, setting) };
        let faint = matches!(winner.origin, Origin::Default { .. } | Origin::Assumed { .. });
        let mut lines = vec![Line { name, faint, ..self.line(winner) }];
        let remark = |remark: String| Line { remark, ..Line::default() };
        lines.extend(winner.assumptions.iter().map(|assumption| remark(self.say(assumption))));
        let (mut shown, mut contested) = (vec![self.origin(&winner.origin)], false);
        for (index, loser) in setting.candidates.iter().enumerate() {
            let origin = self.origin(&loser.origin);
            // Overriding a default needs no remark.
            let is_default = matches!(loser.origin, Origin::Default { .. } | Origin::Assumed { .. });
            if Some(index) == setting.winner || is_default || shown.contains(&origin) && loser.condition.is_none() {
                continue;
            }
            contested |= loser.condition.is_none() && loser.value != winner.value;
            lines.push(remark(self.loser(loser, winner, &origin)));
            shown.push(origin);
        }
        if let Some(precedence) = setting.precedence.filter(|_| contested) {
            let order = precedence.order;
            lines.push(remark(self.say(&message!("order: {order}", "优先级：{order}"))));
        }
        lines
    }

    /// Several candidates, and the project does not show which one takes effect.
    fn undecided(&self, name: String, setting: &Setting) -> Vec<Line> {
        if let [only] = setting.candidates.as_slice()
            && only.condition.is_none()
        {
            // A single candidate with an unknown value.
            return vec![Line { name, ..self.line(only) }];
        }
        let why = message!("cannot determine which value takes effect", "无法确定哪个值生效");
        let mut lines = vec![Line { name, value: "?".into(), remark: self.say(&why), faint: false }];
        lines.extend(setting.candidates.iter().map(|candidate| {
            let line = self.line(candidate);
            Line { value: format!("  {}", line.value), ..line }
        }));
        lines
    }

    fn line(&self, candidate: &Candidate) -> Line {
        let origin = self.origin(&candidate.origin);
        let (value, remark) = match &candidate.value {
            Resolved::Known(value) => (show(value), origin),
            // The formula of an unknown value is not informative.
            Resolved::Unknown(why) if matches!(candidate.origin, Origin::Derived { .. }) => ("?".to_owned(), self.say(why)),
            Resolved::Unknown(why) if origin.is_empty() => ("?".to_owned(), self.say(why)),
            Resolved::Unknown(why) => {
                let why = why.get(self.lang);
                ("?".to_owned(), self.say(&message!("{origin} ({why})", "{origin}（{why}）")))
            }
        };
        Line { value, remark, ..Line::default() }
    }

    fn loser(&self, loser: &Candidate, winner: &Candidate, origin: &str) -> String {
        let value = loser.known().map_or_else(|| "?".to_owned(), show);
        self.say(&match &loser.condition {
            Some(condition) => message!("{value} if {condition}: {origin}", "当 {condition} 时为 {value}：{origin}"),
            None if loser.value == winner.value => message!("the same at {origin}", "同样的值：{origin}"),
            None => message!("overrides {value}: {origin}", "覆盖 {value}：{origin}"),
        })
    }

    fn say(&self, message: &Message) -> String {
        message.get(self.lang).to_owned()
    }

    fn origin(&self, source: &Origin) -> String {
        origin(self.project, source, self.lang)
    }
}

/// Whether the project sets the value.
fn set_by_project(setting: &Setting) -> bool {
    setting.candidates.iter().any(|one| !matches!(one.origin, Origin::Default { .. } | Origin::Assumed { .. }))
}

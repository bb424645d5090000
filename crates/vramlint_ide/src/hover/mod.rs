//! What is under the pointer.

mod breakdown;
mod doc;
mod environment;
mod model;
mod steps;
#[cfg(test)]
mod tests;
mod who;
mod words;

use crate::at::{Told, told};
use crate::summary;
use crate::within::Spot;
use vramlint_base::{FileId, FileRange, Finding, Lang, TextRange, Value, message};
use vramlint_catalog::Concept;
use vramlint_project::Report;
use vramlint_resolve::{Origin, Run};
use vramlint_view::table::cut;

/// A text about a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it is about, in the whole file.
    pub range: TextRange,
    /// Markdown that reads as plain text too.
    pub text: String,
}

/// Columns of a name in a heading.
const NAME: usize = 60;
/// Settings of one place that are told.
const SETTINGS: usize = 2;

/// What is to be said about the place at `offset` of a whole file; never what a finding there says already.
pub fn hover(report: &Report, file: FileId, offset: u32, lang: Lang) -> Option<Hover> {
    let spot = Spot::of(&report.project, file, offset)?;
    let found = report.findings.iter().filter(|finding| finding.place.file == file && touches(finding.place.range, offset));
    let page = Page { report, spot, lang, findings: found.collect() };
    let (place, sections) =
        page.variable().or_else(|| page.setting()).or_else(|| page.model_name()).or_else(|| page.command())?;
    let said = |text: &String| {
        let repeats = |finding: &&Finding| text.contains(finding.message.get(lang));
        !text.is_empty() && !page.findings.iter().any(repeats)
    };
    let text = sections.into_iter().filter(said).collect::<Vec<_>>().join("\n\n");
    if text.is_empty() {
        return None;
    }
    let host = report.project.to_host(place);
    // What stands in another file is no answer about this one.
    (host.file == file).then_some(Hover { range: host.range, text })
}

/// The name under which a setting is written at its place.
fn written(told: &Told<'_>) -> String {
    let candidate = told.runs.first().and_then(|(_, setting, index)| setting.candidates.get(*index));
    let name = candidate.and_then(|candidate| match &candidate.origin {
        Origin::File { key_path, .. } => key_path.rsplit('.').next(),
        Origin::Flag { flag: name, .. } | Origin::Env { name, .. } | Origin::Code { name, .. } => Some(name.as_str()),
        Origin::OptionDefault { option, .. } => Some(option.as_str()),
        _ => None,
    });
    name.filter(|name| !name.is_empty()).unwrap_or(told.concept.name()).to_owned()
}

const fn touches(range: TextRange, offset: u32) -> bool {
    range.start <= offset && offset <= range.end
}

type Sections = (FileRange, Vec<String>);

struct Page<'a> {
    report: &'a Report,
    spot: Spot,
    lang: Lang,
    /// Findings at the place.
    findings: Vec<&'a Finding>,
}

impl<'a> Page<'a> {
    /// A variable of the environment.
    fn variable(&self) -> Option<Sections> {
        let said = environment::environment(self.report, self.spot, self.lang)?;
        let mut sections = vec![said.text];
        let settings = told(&self.report.project, self.spot);
        if let Some(told) = settings.iter().find(|told| told.concept == said.concept) {
            sections.push(who::who(self.report, &told.runs, self.lang));
            sections.extend(self.memory(told));
        }
        Some((said.place, sections))
    }

    /// A key or a value that a run takes, or that the catalogue knows.
    fn setting(&self) -> Option<Sections> {
        let project = &self.report.project;
        let doc = doc::doc(project, self.spot);
        let mut settings = told(project, self.spot);
        if settings.is_empty() {
            // On a keyword or a flag: what its value sets.
            let value = doc.as_ref().and_then(|doc| doc.value).or_else(|| doc::value_of_option(project, self.spot));
            settings = value.map_or_else(Vec::new, |value| self.told_within(value));
        }
        let Some(first) = settings.first() else {
            let doc = doc?;
            let mut sections = vec![self.heading(&doc.name, None, doc.owner())];
            sections.extend(doc.about(None, self.lang));
            sections.extend(doc.facts(self.is_gone(), self.lang));
            // A heading alone says nothing.
            return (sections.len() > 1).then_some((doc.place, sections));
        };
        // Where a key stands for several settings, the smallest place that the catalogue knows counts.
        let place = doc
            .as_ref()
            .map(|doc| doc.place)
            .filter(|place| place.range.len() < first.place.range.len() || !self.spot.covers(first.place))
            .unwrap_or(first.place);
        let name = doc.as_ref().map_or_else(|| written(first), |doc| doc.name.clone());
        let mut sections = vec![self.heading(&name, Some(first.concept), doc.as_ref().and_then(doc::Doc::owner))];
        let about = doc.as_ref().and_then(|doc| doc.about(Some(first.concept), self.lang));
        sections.push(about.unwrap_or_else(|| words::about(first.concept, self.lang).to_owned()));
        sections.extend(doc.as_ref().and_then(|doc| doc.facts(self.is_gone(), self.lang)));
        for (number, told) in settings.iter().take(SETTINGS).enumerate() {
            if number > 0 {
                let (name, about) = (told.concept.name(), words::about(told.concept, self.lang));
                sections.push(message!("Also `{name}`: {about}", "也是 `{name}`：{about}").get(self.lang).to_owned());
            }
            sections.extend(self.particular(told));
            sections.push(who::who(self.report, &told.runs, self.lang));
        }
        sections.extend(settings.iter().find_map(|told| self.memory(told)));
        Some((place, sections))
    }

    /// The settings that a value of this text sets.
    fn told_within(&self, value: FileRange) -> Vec<Told<'a>> {
        if value.file != self.spot.file {
            return Vec::new();
        }
        let mut settings = told(&self.report.project, Spot { offset: value.range.start, ..self.spot });
        settings.retain(|told| value.range.contains(told.place.range));
        settings
    }

    /// What a value does here beyond what its key does.
    fn particular(&self, told: &Told<'a>) -> Option<String> {
        let (run, setting, index) = told.runs.first()?;
        match told.concept {
            // A finding there tells it already.
            Concept::DeviceMap if self.findings.iter().any(|finding| finding.name.starts_with("device-map")) => None,
            Concept::DeviceMap => environment::device_map(run, *index, self.lang),
            Concept::Model | Concept::ReferenceModel | Concept::RewardModel => {
                let Some(Value::Text(id)) = setting.candidates.get(*index)?.known() else { return None };
                model::model(self.report, id, self.lang)
            }
            Concept::VisibleDevices => {
                let Some(Value::Text(text)) = setting.candidates.get(*index)?.known() else { return None };
                Some(environment::visible_cards(text, self.lang))
            }
            _ => None,
        }
    }

    /// What the first of the runs needs that can be estimated, where the setting decides about it.
    fn memory(&self, told: &Told<'a>) -> Option<String> {
        if !steps::drives(told.concept) {
            return None;
        }
        let judged = self.findings.iter().any(|finding| finding.code.starts_with("VL3"));
        let with = |run: &'a Run| summary::estimate(self.report, run).map(|found| (run, found));
        // A run in which this place decides is told before one in which it is overruled.
        let wins = told.runs.iter().filter(|(_, setting, index)| setting.winner == Some(*index));
        let (run, found) = wins.chain(&told.runs).find_map(|(run, ..)| with(run))?;
        Some(breakdown::breakdown(self.report, run, found, told.concept, judged, self.lang))
    }

    /// A model of the hub that is only named: in code, in a list, in prose.
    fn model_name(&self) -> Option<Sections> {
        let text = &self.report.project.file(self.spot.file).text;
        let (name, range) = model::name_at(text, self.spot.offset)?;
        Some((FileRange::new(self.spot.file, range), vec![model::model(self.report, name, self.lang)?]))
    }

    /// The words of a command up to its first flag, or the script: what the run comes to.
    fn command(&self) -> Option<Sections> {
        let project = &self.report.project;
        let runs = project.runs.iter().filter(|run| run.place.file == self.spot.file && self.spot.within(run.place.range));
        let mut found = None;
        for run in runs {
            let Some(launch) = &run.launch else { continue };
            let first =
                launch.flags.iter().map(|flag| flag.word.start).chain(launch.script.as_ref().map(|word| word.range.start)).min();
            let program =
                TextRange::new(launch.range.start, first.unwrap_or(launch.range.end).clamp(launch.range.start, launch.range.end));
            let script = launch.script.as_ref().map(|word| word.range).filter(|range| self.spot.within(*range));
            let Some(range) = script.or_else(|| self.spot.within(program).then_some(program)) else { continue };
            let (place, lines) = found.get_or_insert_with(|| (FileRange::new(launch.file, range), Vec::new()));
            let _: &FileRange = place;
            lines.push(self.summary(run));
        }
        found
    }

    fn summary(&self, run: &Run) -> String {
        let mut lines = vec![format!("**`{}`**", who::tick(&run.id))];
        let words = summary::words(self.report, run, self.lang);
        if !words.is_empty() {
            lines.push(words.join(" · "));
        }
        let name = |concept: Concept| run.text(concept).map(|text| format!("`{}`", who::tick(&cut(text, NAME))));
        let task = run.task.as_ref().map(|task| format!("`{}`", who::tick(task)));
        let what: Vec<String> = name(Concept::Model).into_iter().chain(task).chain(name(Concept::Method)).collect();
        if !what.is_empty() {
            lines.push(what.join(" · "));
        }
        if let Some(Err(why)) = self.report.estimate(run) {
            let why = why.get(self.lang);
            lines.push(message!("no estimate: {why}", "无法估算：{why}").get(self.lang).to_owned());
        }
        lines.join("\n\n")
    }

    /// The name as it is written, the setting that it is, and whose it is.
    fn heading(&self, name: &str, concept: Option<Concept>, owner: Option<&str>) -> String {
        let mut text = format!("**`{}`**", who::tick(&cut(name, NAME)));
        if let Some(concept) = concept.filter(|concept| concept.name() != name) {
            text.push_str(&format!(" = {}", concept.name()));
        }
        if let Some(unit) = concept.map(|concept| words::unit(concept, self.lang)).filter(|unit| !unit.is_empty()) {
            text.push_str(&format!(" ({unit})"));
        }
        if let Some(owner) = owner {
            text.push_str(&format!(" · `{owner}`"));
        }
        text
    }

    /// Whether a finding at the place says that the key is gone or does nothing.
    fn is_gone(&self) -> bool {
        self.findings.iter().any(|finding| vramlint_rules::find(finding.name).is_some_and(|rule| rule.tag.is_some()))
    }
}

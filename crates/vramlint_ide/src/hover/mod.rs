//! Hovers.

mod breakdown;
mod catalog_entry;
mod environment;
mod model;
mod provenance;
#[cfg(test)]
mod tests;
mod what_if;

use crate::cursor::{SettingAt, settings_at};
use crate::embedded::FilePosition;
use crate::markdown::inline;
use crate::summary;
use vramlint_base::{FileId, FileRange, Finding, Lang, TextRange, Value, message};
use vramlint_catalog::{Concept, LibraryVersions};
use vramlint_project::Report;
use vramlint_resolve::{Origin, Run};
use vramlint_view::table::cut;

/// A hover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The range that it describes, in the host file.
    pub range: TextRange,
    /// Markdown that also reads well as plain text.
    pub text: String,
}

/// Maximum columns of a name in a heading.
const NAME: usize = 60;
/// Maximum number of settings in one hover.
const SETTINGS: usize = 2;

/// The hover at `offset` of a host file; never repeats the findings there.
pub fn hover(report: &Report, file: FileId, offset: u32, lang: Lang) -> Option<Hover> {
    let position = FilePosition::innermost(&report.project, file, offset)?;
    let found = report.findings.iter().filter(|finding| finding.place.file == file && touches(finding.place.range, offset));
    let context = HoverContext { report, position, lang, findings: found.collect() };
    let (place, sections) =
        context.variable().or_else(|| context.setting()).or_else(|| context.model_name()).or_else(|| context.command())?;
    let is_new = |section: &String| {
        let repeats = |finding: &&Finding| section.contains(finding.message.get(lang));
        !section.is_empty() && !context.findings.iter().any(repeats)
    };
    let text = sections.into_iter().filter(is_new).collect::<Vec<_>>().join("\n\n");
    if text.is_empty() {
        return None;
    }
    let host = report.project.to_host(place);
    // A range in another file is no answer about this one.
    (host.file == file).then_some(Hover { range: host.range, text })
}

/// The name under which a setting is written.
fn written_name(at: &SettingAt<'_>) -> String {
    let candidate = at.runs.first().and_then(|(_, setting, index)| setting.candidates.get(*index));
    let name = candidate.and_then(|candidate| match &candidate.origin {
        Origin::File { key_path, .. } => key_path.rsplit('.').next(),
        Origin::Flag { flag: name, .. }
        | Origin::Documented { flag: name, .. }
        | Origin::Env { name, .. }
        | Origin::Code { name, .. } => Some(name.as_str()),
        Origin::OptionDefault { option, .. } => Some(option.as_str()),
        _ => None,
    });
    name.filter(|name| !name.is_empty()).unwrap_or(at.concept.name()).to_owned()
}

const fn touches(range: TextRange, offset: u32) -> bool {
    range.start <= offset && offset <= range.end
}

type Sections = (FileRange, Vec<String>);

struct HoverContext<'a> {
    report: &'a Report,
    position: FilePosition,
    lang: Lang,
    /// Findings at the position.
    findings: Vec<&'a Finding>,
}

impl<'a> HoverContext<'a> {
    /// An environment variable.
    fn variable(&self) -> Option<Sections> {
        let variable = environment::variable(self.report, self.position, self.lang)?;
        let mut sections = vec![variable.text];
        let settings = settings_at(&self.report.project, self.position);
        if let Some(setting) = settings.iter().find(|setting| setting.concept == variable.concept) {
            sections.push(provenance::provenance(self.report, &setting.runs, self.lang));
            sections.extend(self.memory(setting));
        }
        Some((variable.place, sections))
    }

    /// A key or value that a run reads or the catalog knows.
    fn setting(&self) -> Option<Sections> {
        let project = &self.report.project;
        let entry = catalog_entry::find(project, self.position);
        let mut settings = settings_at(project, self.position);
        if settings.is_empty() {
            // On a keyword or a flag: the settings of its value.
            let value =
                entry.as_ref().and_then(|entry| entry.value).or_else(|| catalog_entry::value_of_option(project, self.position));
            settings = value.map_or_else(Vec::new, |value| self.settings_in(value));
        }
        let Some(first) = settings.first() else {
            let entry = entry?;
            let mut sections = vec![self.heading(&entry.name, None, entry.owner())];
            sections.extend(entry.about(None, self.lang));
            sections.extend(entry.facts(self.has_lifecycle_finding(), &self.library_versions(), self.lang));
            // A heading alone is not informative.
            return (sections.len() > 1).then_some((entry.place, sections));
        };
        // If a key sets several settings, use the smallest range that the catalog knows.
        let place = entry
            .as_ref()
            .map(|entry| entry.place)
            .filter(|place| place.range.len() < first.place.range.len() || !self.position.is_in(first.place))
            .unwrap_or(first.place);
        let name = entry.as_ref().map_or_else(|| written_name(first), |entry| entry.name.clone());
        let mut sections =
            vec![self.heading(&name, Some(first.concept), entry.as_ref().and_then(catalog_entry::CatalogEntry::owner))];
        let about = entry.as_ref().and_then(|entry| entry.about(Some(first.concept), self.lang));
        sections.push(about.unwrap_or_else(|| first.concept.about(self.lang).to_owned()));
        sections.extend(
            entry.as_ref().and_then(|entry| entry.facts(self.has_lifecycle_finding(), &self.library_versions(), self.lang)),
        );
        for (number, setting) in settings.iter().take(SETTINGS).enumerate() {
            if number > 0 {
                let (name, about) = (setting.concept.name(), setting.concept.about(self.lang));
                sections.push(message!("Also `{name}`: {about}", "也是 `{name}`：{about}").get(self.lang).to_owned());
            }
            sections.extend(self.value_effect(setting));
            sections.push(provenance::provenance(self.report, &setting.runs, self.lang));
        }
        sections.extend(settings.iter().find_map(|setting| self.memory(setting)));
        Some((place, sections))
    }

    /// The settings that a value sets.
    fn settings_in(&self, value: FileRange) -> Vec<SettingAt<'a>> {
        if value.file != self.position.file {
            return Vec::new();
        }
        let mut settings = settings_at(&self.report.project, FilePosition { offset: value.range.start, ..self.position });
        settings.retain(|setting| value.range.contains(setting.place.range));
        settings
    }

    /// What the value does here, in addition to the key.
    fn value_effect(&self, at: &SettingAt<'a>) -> Option<String> {
        let (run, setting, index) = at.runs.first()?;
        match at.concept {
            // A finding already reports it.
            Concept::DeviceMap if self.findings.iter().any(|finding| finding.name.starts_with("device-map")) => None,
            Concept::DeviceMap => environment::device_map(run, *index, self.lang),
            Concept::Model | Concept::ReferenceModel | Concept::RewardModel => {
                let Some(Value::Text(id)) = setting.candidates.get(*index)?.known() else { return None };
                model::model(self.report, id, self.lang)
            }
            Concept::VisibleDevices => {
                let Some(Value::Text(text)) = setting.candidates.get(*index)?.known() else { return None };
                Some(environment::visible_gpus(text, self.lang))
            }
            _ => None,
        }
    }

    /// The memory of the first run with an estimate, if the setting affects it.
    fn memory(&self, at: &SettingAt<'a>) -> Option<String> {
        if !what_if::affects_memory(at.concept) {
            return None;
        }
        let has_memory_finding = self.findings.iter().any(|finding| finding.code.starts_with("VL3"));
        let estimated = |run: &'a Run| summary::estimate(self.report, run).map(|found| (run, found));
        // Prefer a run in which this value takes effect.
        let wins = at.runs.iter().filter(|(_, setting, index)| setting.winner == Some(*index));
        let (run, found) = wins.chain(&at.runs).find_map(|(run, ..)| estimated(run))?;
        Some(breakdown::breakdown(self.report, run, found, at.concept, has_memory_finding, self.lang))
    }

    /// A hub model that is only mentioned: in code, in a list, in prose.
    fn model_name(&self) -> Option<Sections> {
        let text = &self.report.project.file(self.position.file).text;
        let (name, range) = model::name_at(text, self.position.offset)?;
        Some((FileRange::new(self.position.file, range), vec![model::model(self.report, name, self.lang)?]))
    }

    /// The command up to its first flag, or the script: a summary of the run.
    fn command(&self) -> Option<Sections> {
        let project = &self.report.project;
        let runs =
            project.runs.iter().filter(|run| run.place.file == self.position.file && self.position.is_in_range(run.place.range));
        let mut found = None;
        for run in runs {
            let Some(launch) = &run.launch else { continue };
            let first =
                launch.flags.iter().map(|flag| flag.word.start).chain(launch.script.as_ref().map(|word| word.range.start)).min();
            let program =
                TextRange::new(launch.range.start, first.unwrap_or(launch.range.end).clamp(launch.range.start, launch.range.end));
            let script = launch.script.as_ref().map(|word| word.range).filter(|range| self.position.is_in_range(*range));
            let Some(range) = script.or_else(|| self.position.is_in_range(program).then_some(program)) else { continue };
            let (place, lines) = found.get_or_insert_with(|| (FileRange::new(launch.file, range), Vec::new()));
            let _: &FileRange = place;
            lines.push(self.summary(run));
        }
        found
    }

    fn summary(&self, run: &Run) -> String {
        let mut lines = vec![format!("**`{}`**", provenance::tick(&run.id))];
        let parts = summary::parts(self.report, run, self.lang);
        if !parts.is_empty() {
            lines.push(parts.join(" · "));
        }
        let name = |concept: Concept| run.text(concept).map(|text| format!("`{}`", provenance::tick(&cut(text, NAME))));
        let task = run.task.as_ref().map(|task| format!("`{}`", provenance::tick(task)));
        let what: Vec<String> = name(Concept::Model).into_iter().chain(task).chain(name(Concept::Method)).collect();
        if !what.is_empty() {
            lines.push(what.join(" · "));
        }
        if let Some(Err(why)) = self.report.estimate(run) {
            let why = inline(why.get(self.lang));
            lines.push(message!("no estimate: {why}", "无法估算：{why}").get(self.lang).to_owned());
        }
        lines.join("\n\n")
    }

    /// The written name, the setting, and the tool that it belongs to.
    fn heading(&self, name: &str, concept: Option<Concept>, owner: Option<&str>) -> String {
        let mut text = format!("**`{}`**", provenance::tick(&cut(name, NAME)));
        if let Some(concept) = concept.filter(|concept| concept.name() != name) {
            text.push_str(&format!(" = {}", concept.name()));
        }
        if let Some(unit) = concept.map(|concept| concept.unit_in(self.lang)).filter(|unit| !unit.is_empty()) {
            text.push_str(&format!(" ({unit})"));
        }
        if let Some(owner) = owner {
            text.push_str(&format!(" · `{owner}`"));
        }
        text
    }

    /// The library releases with which the file runs.
    fn library_versions(&self) -> LibraryVersions {
        self.report.project.library_versions(self.position.file)
    }

    /// Whether a finding at the position reports that the key is removed or has no effect.
    fn has_lifecycle_finding(&self) -> bool {
        self.findings.iter().any(|finding| vramlint_rules::find(finding.name).is_some_and(|rule| rule.tag.is_some()))
    }
}

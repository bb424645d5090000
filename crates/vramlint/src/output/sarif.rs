//! `sarif`: SARIF 2.1.0, for GitHub code scanning and other tools.
//!
//! Choices, by section of the standard: columns are UTF-16 code units, declared explicitly (3.14.17), which most tools assume; the
//! base of relative URIs stays unresolved (3.14.14), so that the file does not reveal local paths; the message links every related
//! location (3.11.6), because GitHub shows only linked ones.

use super::fingerprint::fingerprints;
use super::sarif_schema::{
    Address, Automation, Base, Bases, Change, Configuration, Driver, FixForm, FixProperties, Help, Log, Mark, OfResult, OfRule,
    Physical, Region, Replacement, ResultForm, RuleForm, Run, Text, Tool,
};
use super::uri::{Reference, reference};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use vramlint_base::{Applicability, FileId, FileRange, Finding, Fix, Lang, Severity};
use vramlint_project::Report;
use vramlint_resolve::Project;
use vramlint_rules::{Rule, find};

/// The base of relative URIs; GitHub resolves it to the root of the repository.
const ROOT: &str = "%SRCROOT%";
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// One log with one run.
pub(super) fn render(report: &Report, lang: Lang) -> String {
    let rules: BTreeMap<&str, &'static Rule> =
        report.findings.iter().filter_map(|finding| Some((finding.code, find(finding.code)?))).collect();
    let writer = Writer { project: &report.project, cwd: std::env::current_dir().ok(), lang };
    let index = |code: &str| rules.keys().position(|known| *known == code);
    let known = report.findings.iter().zip(fingerprints(report));
    let run = Run {
        tool: Tool {
            driver: Driver {
                name: "vramlint",
                version: env!("CARGO_PKG_VERSION"),
                semantic_version: env!("CARGO_PKG_VERSION"),
                information_uri: repository(),
                rules: rules.values().map(|rule| described(rule, lang)).collect(),
            },
        },
        automation_details: Automation { id: "vramlint/" },
        language: if lang == Lang::Zh { "zh" } else { "en" },
        column_kind: "utf16CodeUnits",
        newline_sequences: ["\r\n", "\n", "\r"],
        original_uri_base_ids: Bases { root: Base { description: text("the folder in which vramlint was started") } },
        results: known.map(|(finding, fingerprint)| writer.result(finding, index(finding.code), fingerprint)).collect(),
    };
    super::serialize::to_string(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] })
}

/// The URL of the project, if the manifest has one.
fn repository() -> Option<&'static str> {
    Some(env!("CARGO_PKG_REPOSITORY")).filter(|address| !address.is_empty())
}

fn described(rule: &Rule, lang: Lang) -> RuleForm {
    let page = rule.page(lang);
    let suffix = if lang == Lang::Zh { ".zh" } else { "" };
    RuleForm {
        id: rule.code,
        name: rule.name,
        short_description: text(&page.summary),
        full_description: text(&page.summary),
        help: Help { text: page.body.clone(), markdown: format!("# {} {}\n\n{}\n", rule.code, rule.name, page.body) },
        help_uri: repository().map(|address| format!("{address}/blob/main/docs/rules/{}{suffix}.md", rule.name)),
        default_configuration: Configuration { level: level(rule.severity) },
        properties: OfRule {
            tags: [rule.group.about(Lang::En)],
            problem_severity: match rule.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "recommendation",
            },
        },
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// Escapes text so that it contains no links such as `[a](b)`.
fn text(plain: &str) -> Text {
    Text { text: if plain.contains("](") { escaped(plain) } else { plain.to_owned() } }
}

fn escaped(plain: &str) -> String {
    plain.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

/// Writes locations and their content.
struct Writer<'a> {
    project: &'a Project,
    cwd: Option<PathBuf>,
    lang: Lang,
}

impl<'a> Writer<'a> {
    fn result(&self, finding: &'a Finding, rule_index: Option<usize>, fingerprint: String) -> ResultForm<'a> {
        let related: Vec<Mark> = (1..)
            .zip(&finding.related)
            .map(|(id, related)| Mark {
                id: Some(id),
                message: Some(text(related.message.get(self.lang))),
                physical_location: self.physical(related.place),
            })
            .collect();
        ResultForm {
            rule_id: finding.code,
            rule_index,
            level: level(finding.severity),
            message: Text { text: self.message(finding) },
            locations: [Mark { id: None, message: None, physical_location: self.physical(finding.place) }],
            related_locations: related,
            partial_fingerprints: BTreeMap::from([("vramlintLine/v1", fingerprint)]),
            fixes: finding
                .fixes
                .iter()
                .filter(|fix| fix.applicability > Applicability::Display)
                .map(|fix| self.fix(fix))
                .collect(),
            properties: finding.run.as_deref().map(|run| OfResult { run }),
        }
    }

    /// The message, a link for each related location, and the help.
    fn message(&self, finding: &Finding) -> String {
        let links = !finding.related.is_empty();
        let written = |plain: &str| if links { escaped(plain) } else { text(plain).text };
        let mut all = written(finding.message.get(self.lang));
        for (id, related) in (1..).zip(&finding.related) {
            let (file, start, _) = self.project.position(related.place);
            let label = format!("{}:{}: {}", file.path, start.line, related.message.get(self.lang));
            // Writing to a string cannot fail.
            let _ = write!(all, "\n[{}]({id})", escaped(&label));
        }
        if let Some(help) = &finding.help {
            let _ = write!(all, "\n{}", written(help.get(self.lang)));
        }
        all
    }

    fn fix(&self, fix: &'a Fix) -> FixForm<'a> {
        let mut by_file: BTreeMap<FileId, Vec<Replacement<'a>>> = BTreeMap::new();
        for edit in &fix.edits {
            let replacement =
                Replacement { deleted_region: self.region(edit.place), inserted_content: Text { text: &edit.text } };
            by_file.entry(self.project.to_host(edit.place).file).or_default().push(replacement);
        }
        FixForm {
            description: text(fix.title.get(self.lang)),
            artifact_changes: by_file
                .into_iter()
                .map(|(file, replacements)| Change { artifact_location: self.address(file), replacements })
                .collect(),
            properties: FixProperties { applicability: fix.applicability.name() },
        }
    }

    fn physical(&self, place: FileRange) -> Physical {
        Physical { artifact_location: self.address(self.project.to_host(place).file), region: self.region(place) }
    }

    fn address(&self, file: FileId) -> Address {
        match reference(&self.project.file(file).path, self.cwd.as_deref()) {
            Reference::Below(uri) => Address { uri, uri_base_id: Some(ROOT) },
            Reference::Elsewhere(uri) => Address { uri, uri_base_id: None },
        }
    }

    fn region(&self, place: FileRange) -> Region {
        let place = self.project.to_host(place);
        let file = self.project.file(place.file);
        let position = |offset: u32| {
            let line = file.lines().line_of(offset);
            let before = file.text.get(file.lines().line_start(line) as usize..offset as usize).unwrap_or_default();
            (line + 1, before.encode_utf16().count() + 1)
        };
        let ((start_line, start_column), (end_line, end_column)) = (position(place.range.start), position(place.range.end));
        Region { start_line, start_column, end_line, end_column }
    }
}

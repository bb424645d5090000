//! Post-processing of findings: host mapping, selection, severity, suppression, ordering.

use crate::config::raw::Level;
use crate::config::{Config, Preset};
use crate::discovery::paths::{absolute, relative};
use crate::fix::host_edits::fix_in_host;
use crate::one_cause::keep_one_per_cause;
use crate::rule_selection::{RuleList, SelectionLayer, configured_level};
use crate::suppress::Suppressions;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use vramlint_base::{FileId, Finding, Severity};
use vramlint_resolve::Project;
use vramlint_rules::engine::{self, INTERNAL_ERROR};

/// Turns the findings of the rules into the findings of the report.
pub(crate) struct FindingPipeline<'a> {
    /// The project that the findings are about.
    pub project: &'a Project,
    /// The rules.
    pub rules: &'a RuleList,
    /// Working directory.
    pub cwd: &'a Path,
    /// Configurations, by number of the policy.
    pub configs: &'a [Config],
    /// Codes of the enabled rules, by number of the policy.
    pub selected: &'a [BTreeSet<&'static str>],
    /// `--preset`.
    pub preset: Option<Preset>,
    /// Rule selection on the command line.
    pub choice: &'a SelectionLayer,
    /// Whether the projects of all reported files were read completely; otherwise a suppression may only seem unused.
    pub complete: bool,
}

impl FindingPipeline<'_> {
    /// The findings that are reported, in order.
    pub(crate) fn process(&self, found: Vec<Finding>) -> Vec<Finding> {
        let mut suppressions = Suppressions::read(self.project, self.rules);
        let failed = found.iter().any(|finding| finding.code == INTERNAL_ERROR.code);
        let mut found = found;
        keep_one_per_cause(self.project, &mut found, |finding| self.is_enabled(finding.place.file, finding.code));
        let mut out = Vec::new();
        for finding in found {
            let finding = self.in_host(finding);
            // Checked first, so that a suppression counts as used even if its finding is dropped for another reason.
            let suppressed = suppressions.suppress(self.project, &finding);
            let enabled = self.project.file(finding.place.file).reported && self.is_enabled(finding.place.file, finding.code);
            if enabled && !suppressed {
                out.push(finding);
            }
        }
        let mut own = suppressions.invalid();
        if self.complete && !failed {
            let runs = |entry: &crate::suppress::Entry, file| {
                let mut codes = self.rules.codes().filter(|code| entry.selector.matches(code) && !is_own(code)).peekable();
                codes.peek().is_some() && codes.all(|code| self.is_enabled(file, code))
            };
            own.extend(suppressions.unused(self.project, runs));
        }
        own.retain(|finding| {
            let file = finding.place.file;
            self.project.file(file).reported && self.is_enabled(file, finding.code) && !suppressions.names(self.project, finding)
        });
        out.extend(own);
        self.assign_severity(&mut out);
        self.sort_and_deduplicate(out)
    }

    /// Maps every range of a finding to its host file. Fixes that cannot be mapped reliably are dropped.
    fn in_host(&self, mut finding: Finding) -> Finding {
        finding.fixes = finding.fixes.iter().filter_map(|fix| fix_in_host(self.project, fix)).collect();
        finding.place = self.project.to_host(finding.place);
        for related in &mut finding.related {
            related.place = self.project.to_host(related.place);
        }
        finding
    }

    /// Whether a rule is enabled for a file.
    fn is_enabled(&self, file: FileId, code: &str) -> bool {
        let file = self.project.file(file);
        let (Some(config), Some(selected)) = (self.configs.get(file.policy), self.selected.get(file.policy)) else {
            return false;
        };
        let per_file = || {
            let relative = relative(&absolute(self.cwd, Path::new(&file.path)), &config.root);
            config.per_file_ignores.iter().any(|ignore| ignore.holds(&relative, code))
        };
        selected.contains(code)
            && configured_level(&config.levels, code) != Some(Level::Off)
            && (config.per_file_ignores.is_empty() || !per_file())
    }

    /// Sets the severity of every finding, and drops the findings that the preset excludes.
    fn assign_severity(&self, findings: &mut Vec<Finding>) {
        findings.retain_mut(|finding| {
            let config = self.configs.get(self.project.file(finding.place.file).policy);
            let level = config.and_then(|config| configured_level(&config.levels, finding.code)).and_then(Level::severity);
            finding.severity = level.unwrap_or(finding.severity);
            match self.preset.or(config.and_then(|config| config.preset)).unwrap_or_default() {
                Preset::Strict if level.is_none() => finding.severity = finding.severity.max(Severity::Warning),
                Preset::Recommended | Preset::Strict => {}
                Preset::Errors => {
                    let named = config.map(|config| &config.choice).into_iter().chain([self.choice]);
                    let named = named.flat_map(|choice| &choice.extend).any(|selector| selector.matches(finding.code));
                    return finding.severity == Severity::Error || named;
                }
            }
            true
        });
    }

    /// Sorts by path, range and code, and drops duplicates, such as the same finding for two runs.
    fn sort_and_deduplicate(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        let paths: HashMap<FileId, &str> = self.project.files.iter().map(|file| (file.id, file.path.as_str())).collect();
        let path = |finding: &Finding| paths.get(&finding.place.file).copied().unwrap_or_default();
        findings.sort_by(|a, b| {
            (path(a), a.place.range, a.code, &a.message.en, &a.run).cmp(&(path(b), b.place.range, b.code, &b.message.en, &b.run))
        });
        let mut seen = HashSet::new();
        findings.retain(|finding| seen.insert((finding.code, finding.place, finding.message.clone())));
        findings
    }
}

fn is_own(code: &str) -> bool {
    engine::RULES.iter().any(|own| own.code == code)
}

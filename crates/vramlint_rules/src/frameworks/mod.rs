//! Checks of the frameworks that read a whole training from one file (or one command line): Axolotl, LLaMA-Factory,
//! torchtune, ms-swift, OpenRLHF.

pub(crate) mod refusals;

use crate::{Context, Rule, Sink};
use vramlint_base::{Finding, Message, Severity, message};
use vramlint_catalog::Dialect;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::frameworks::FrameworkConfig;
use vramlint_semantic::version_gate;

/// A combination that a framework rejects.
pub(crate) struct Refusal {
    /// The key to change first.
    pub(crate) at: &'static str,
    /// The other keys that take part.
    pub(crate) with: Vec<&'static str>,
    /// What is wrong.
    pub(crate) what: Message,
    /// What to do.
    pub(crate) help: Message,
    /// The versions that it applies to; `None` for all.
    pub(crate) span: Option<VersionRange>,
    /// The severity.
    pub(crate) severity: Severity,
    /// The library that raises, if the framework leaves the check to it.
    pub(crate) by: Option<&'static str>,
}

/// Checks the keys of one framework.
pub(crate) type Check = fn(&FrameworkConfig<'_>) -> Option<Refusal>;

impl Refusal {
    /// Rejected by every version.
    pub(crate) fn new(at: &'static str, with: &[&'static str], what: Message, help: Message) -> Self {
        Self { at, with: with.to_vec(), what, help, span: None, severity: Severity::Error, by: None }
    }

    /// Rejected by a library that the framework calls.
    pub(crate) fn by(mut self, library: &'static str) -> Self {
        self.by = Some(library);
        self
    }

    /// From a version on.
    pub(crate) fn since(mut self, library: &'static str, version: &'static str) -> Self {
        self.span = Some(VersionRange::since(library, version));
        self
    }

    /// Up to a version, which accepts it.
    pub(crate) fn until(mut self, library: &'static str, version: &'static str) -> Self {
        self.span = Some(VersionRange::until(library, version));
        self
    }

    /// From a version on, up to one that accepts it.
    pub(crate) fn between(mut self, library: &'static str, since: &'static str, until: &'static str) -> Self {
        self.span = Some(VersionRange { library, since: Some(since), until: Some(until) });
        self
    }

    /// Reported as info.
    pub(crate) fn info(mut self) -> Self {
        self.severity = Severity::Info;
        self
    }

    /// Reported as a warning: it runs, but not as intended.
    pub(crate) fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }
}

/// The severity of a single rejected key. A file that no command starts, for a framework of unknown version, may be meant for a
pub(crate) fn of_one_key(cx: &Context<'_>, keys: &FrameworkConfig<'_>) -> Severity {
    let known = cx.project.library(keys.file.id, keys.tool()).is_some();
    if known || keys.is_launched() { Severity::Error } else { Severity::Warning }
}

/// Runs the checks of a rule on every training that a framework reads.
pub(crate) fn run(cx: &Context<'_>, rule: &Rule, checks: &[(Dialect, Check)], out: &mut Sink) {
    run_with(cx, rule, checks, out, |_, _, finding| finding);
}

/// Like [`run`]; `finish` completes each finding, for example with fixes.
pub(crate) fn run_with(
    cx: &Context<'_>,
    rule: &Rule,
    checks: &[(Dialect, Check)],
    out: &mut Sink,
    finish: impl Fn(&FrameworkConfig<'_>, &Refusal, Finding) -> Finding,
) {
    for keys in cx.framework_configs() {
        let all = checks.iter().copied().chain(refusals::of_rule(rule.name));
        for (_, check) in all.filter(|(dialect, _)| *dialect == keys.dialect) {
            let Some(refusal) = check(keys) else { continue };
            let Some(place) = keys.place(refusal.at) else { continue };
            let Some(severity) = severity(cx, keys, &refusal) else { continue };
            if !out.mark_reported(place) {
                continue;
            }
            let what = title(keys, &refusal, severity);
            let mut finding = rule.finding(place, what).with_severity(severity).with_help(refusal.help.clone());
            for other in &refusal.with {
                if let Some(at) = keys.place(other).filter(|at| *at != place) {
                    finding = finding.with_related(at, message!("`{other}` is set here", "`{other}` 在此设置"));
                }
            }
            out.push(finish(keys, &refusal, finding));
        }
    }
}

/// The message: who rejects the combination, and since which version if the project's version is unknown.
fn title(keys: &FrameworkConfig<'_>, refusal: &Refusal, severity: Severity) -> Message {
    let Message { en, zh } = &refusal.what;
    let span = refusal.span.as_ref().filter(|_| severity == Severity::Info);
    let refused = refusal.severity == Severity::Error;
    let who = refusal.by.unwrap_or(keys.name());
    let version = |span: &VersionRange| span.since.map(|since| (true, since)).or(span.until.map(|until| (false, until)));
    match (span.and_then(version), refused) {
        (Some((true, since)), true) => {
            message!("{who} rejects this since {since}: {en}", "{who} 自 {since} 起拒绝：{zh}")
        }
        (Some((false, until)), true) => {
            message!("{who} rejects this until {until}: {en}", "{until} 之前的 {who} 拒绝：{zh}")
        }
        (None, true) => message!("{who} rejects this: {en}", "{who} 拒绝：{zh}"),
        (Some((true, since)), false) => message!("{en} (since {who} {since})", "{zh}（自 {who} {since} 起）"),
        (Some((false, until)), false) => message!("{en} (until {who} {until})", "{zh}（{who} {until} 之前）"),
        (None, false) => refusal.what.clone(),
    }
}

fn severity(cx: &Context<'_>, keys: &FrameworkConfig<'_>, refusal: &Refusal) -> Option<Severity> {
    match &refusal.span {
        Some(span) => version_gate::severity(cx.project, keys.file.id, span, refusal.severity),
        None => Some(refusal.severity),
    }
}

/// Whether the project brings the framework's source, and a file of it mentions the name: a fork, or the framework itself.
pub(crate) fn source_mentions(cx: &Context<'_>, keys: &FrameworkConfig<'_>, name: &str) -> bool {
    let Some(class) = keys.class() else { return false };
    let package = class.name.split('.').next().unwrap_or(&class.name);
    let inside = |path: &str| path.rsplit_once('/').is_some_and(|(folder, _)| folder.split('/').any(|part| part == package));
    cx.project.files.iter().any(|file| file.is_python() && inside(&file.path) && file.mentions(name))
}

//! What the frameworks that read a whole training from one file (or one command line) make of it: Axolotl, LLaMA-Factory,
//! torchtune, ms-swift, OpenRLHF.

pub(crate) mod refusals;

use crate::rule::ReportedPlaces;
use crate::{Context, Rule, Sink};
use vramlint_base::{Finding, Message, Severity, message};
use vramlint_catalog::Dialect;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::frameworks::FrameworkConfig;
use vramlint_semantic::version_gate;

/// A combination that a framework does not take.
pub(crate) struct Refusal {
    /// The key to change first.
    pub(crate) at: &'static str,
    /// The other keys that take part.
    pub(crate) with: Vec<&'static str>,
    /// What is wrong.
    pub(crate) what: Message,
    /// What to do.
    pub(crate) help: Message,
    /// For which versions; all that are looked at where `None`.
    pub(crate) span: Option<VersionRange>,
    /// How grave it is.
    pub(crate) severity: Severity,
    /// Who refuses, where the framework leaves it to a library.
    pub(crate) by: Option<&'static str>,
}

/// Looks at the keys of one framework.
pub(crate) type Check = fn(&FrameworkConfig<'_>) -> Option<Refusal>;

impl Refusal {
    /// Refused by every version that is looked at.
    pub(crate) fn new(at: &'static str, with: &[&'static str], what: Message, help: Message) -> Self {
        Self { at, with: with.to_vec(), what, help, span: None, severity: Severity::Error, by: None }
    }

    /// Refused by a library that the framework calls.
    pub(crate) fn by(mut self, library: &'static str) -> Self {
        self.by = Some(library);
        self
    }

    /// From a version on.
    pub(crate) fn since(mut self, library: &'static str, version: &'static str) -> Self {
        self.span = Some(VersionRange::since(library, version));
        self
    }

    /// Up to a version, which takes it.
    pub(crate) fn until(mut self, library: &'static str, version: &'static str) -> Self {
        self.span = Some(VersionRange::until(library, version));
        self
    }

    /// From a version on, up to one that takes it.
    pub(crate) fn between(mut self, library: &'static str, since: &'static str, until: &'static str) -> Self {
        self.span = Some(VersionRange { library, since: Some(since), until: Some(until) });
        self
    }

    /// It is said for information.
    pub(crate) fn info(mut self) -> Self {
        self.severity = Severity::Info;
        self
    }

    /// It runs, and not as it is meant.
    pub(crate) fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }
}

/// How grave a refusal of a single key is. A file that nothing in the project starts and whose reader has no known version may be
/// meant for a checkout that our tables do not know.
pub(crate) fn of_one_key(cx: &Context<'_>, keys: &FrameworkConfig<'_>) -> Severity {
    let known = cx.project.library(keys.file.id, keys.tool()).is_some();
    if known || keys.is_launched() { Severity::Error } else { Severity::Warning }
}

/// Runs the checks of a rule on every training that a framework reads.
pub(crate) fn run(cx: &Context<'_>, rule: &Rule, checks: &[(Dialect, Check)], out: &mut Sink) {
    run_with(cx, rule, checks, out, |_, _, finding| finding);
}

/// As [`run`], with a last look at each finding: for fixes.
pub(crate) fn run_with(
    cx: &Context<'_>,
    rule: &Rule,
    checks: &[(Dialect, Check)],
    out: &mut Sink,
    finish: impl Fn(&FrameworkConfig<'_>, &Refusal, Finding) -> Finding,
) {
    let mut reported = ReportedPlaces::default();
    for keys in cx.framework_configs() {
        let all = checks.iter().copied().chain(refusals::of_rule(rule.name));
        for (_, check) in all.filter(|(dialect, _)| *dialect == keys.dialect) {
            let Some(refusal) = check(&keys) else { continue };
            let Some(place) = keys.place(refusal.at) else { continue };
            let Some(severity) = severity(cx, &keys, &refusal) else { continue };
            if !reported.insert(place) {
                continue;
            }
            let what = title(&keys, &refusal, severity);
            let mut finding = rule.finding(place, what).with_severity(severity).with_help(refusal.help.clone());
            for other in &refusal.with {
                if let Some(at) = keys.place(other).filter(|at| *at != place) {
                    finding = finding.with_related(at, message!("{other} is set here", "{other} 在此设置"));
                }
            }
            out.push(finish(&keys, &refusal, finding));
        }
    }
}

/// What is said: who refuses it, and for which versions where the project's own is not known.
fn title(keys: &FrameworkConfig<'_>, refusal: &Refusal, severity: Severity) -> Message {
    let Message { en, zh } = &refusal.what;
    let span = refusal.span.as_ref().filter(|_| severity == Severity::Info);
    let refused = refusal.severity == Severity::Error;
    let who = refusal.by.unwrap_or(keys.name());
    let version = |span: &VersionRange| span.since.map(|since| (true, since)).or(span.until.map(|until| (false, until)));
    match (span.and_then(version), refused) {
        (Some((true, since)), true) => {
            message!("{who} refuses this since {since}: {en}", "{who} 自 {since} 起会拒绝：{zh}")
        }
        (Some((false, until)), true) => {
            message!("{who} before {until} refuses this: {en}", "{until} 之前的 {who} 会拒绝：{zh}")
        }
        (None, true) => message!("{who} refuses this: {en}", "{who} 会拒绝：{zh}"),
        (Some((true, since)), false) => message!("{en} (since {who} {since})", "{zh}（自 {who} {since} 起）"),
        (Some((false, until)), false) => message!("{en} (before {who} {until})", "{zh}（{who} {until} 之前）"),
        (None, false) => refusal.what.clone(),
    }
}

fn severity(cx: &Context<'_>, keys: &FrameworkConfig<'_>, refusal: &Refusal) -> Option<Severity> {
    match &refusal.span {
        Some(span) => version_gate::severity(cx.project, keys.file.id, span, refusal.severity),
        None => Some(refusal.severity),
    }
}

//! What the frameworks that read a whole training from one file (or one command line) make of it: Axolotl, LLaMA-Factory,
//! torchtune, ms-swift, OpenRLHF.

mod keys;
pub(crate) mod refusals;

pub(crate) use keys::{Keys, Setting, every};

use crate::rule::{Build, Once};
use crate::{Context, Rule, Sink, gate};
use vramlint_base::{Finding, Message, Severity, message};
use vramlint_resolve::Kind;
use vramlint_resolve::versions::Span;

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
    pub(crate) span: Option<Span>,
    /// How grave it is.
    pub(crate) severity: Severity,
}

/// Looks at the keys of one framework.
pub(crate) type Check = fn(&Keys<'_>) -> Option<Refusal>;

impl Refusal {
    /// Refused by every version that is looked at.
    pub(crate) fn new(at: &'static str, with: &[&'static str], what: Message, help: Message) -> Self {
        Self { at, with: with.to_vec(), what, help, span: None, severity: Severity::Error }
    }

    /// From a version on.
    pub(crate) fn since(mut self, library: &'static str, version: &'static str) -> Self {
        self.span = Some(Span::since(library, version));
        self
    }

    /// Up to a version, which takes it.
    pub(crate) fn until(mut self, library: &'static str, version: &'static str) -> Self {
        self.span = Some(Span::until(library, version));
        self
    }

    /// From a version on, up to one that takes it.
    pub(crate) fn between(mut self, library: &'static str, since: &'static str, until: &'static str) -> Self {
        self.span = Some(Span { library, since: Some(since), until: Some(until) });
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
pub(crate) fn of_one_key(cx: &Context<'_>, keys: &Keys<'_>) -> Severity {
    let known = cx.project.library(keys.file.id, keys.tool()).is_some();
    if known || keys.is_launched() { Severity::Error } else { Severity::Warning }
}

/// Runs the checks of a rule on every training that a framework reads.
pub(crate) fn run(cx: &Context<'_>, rule: &Rule, checks: &[(Kind, Check)], out: &mut Sink) {
    run_with(cx, rule, checks, out, |_, _, finding| finding);
}

/// As [`run`], with a last look at each finding: for fixes.
pub(crate) fn run_with(
    cx: &Context<'_>,
    rule: &Rule,
    checks: &[(Kind, Check)],
    out: &mut Sink,
    finish: impl Fn(&Keys<'_>, &Refusal, Finding) -> Finding,
) {
    let mut once = Once::default();
    for keys in every(cx.project) {
        for (_, check) in checks.iter().filter(|(kind, _)| *kind == keys.kind) {
            let Some(refusal) = check(&keys) else { continue };
            let Some(place) = keys.place(refusal.at) else { continue };
            let Some(severity) = severity(cx, &keys, &refusal) else { continue };
            if !once.first(place) {
                continue;
            }
            let what = match refusal.span {
                Some(Span { since: Some(version), .. }) if severity == Severity::Info => Message {
                    en: format!("{} (since {} {version})", refusal.what.en, keys.tool()),
                    zh: format!("{}（自 {} {version} 起）", refusal.what.zh, keys.tool()),
                },
                Some(Span { until: Some(version), .. }) if severity == Severity::Info => Message {
                    en: format!("{} (before {} {version})", refusal.what.en, keys.tool()),
                    zh: format!("{}（{} {version} 之前）", refusal.what.zh, keys.tool()),
                },
                _ => refusal.what.clone(),
            };
            let mut finding = rule.finding(place, what).severity(severity).help(refusal.help.clone());
            for other in &refusal.with {
                if let Some(at) = keys.place(other).filter(|at| *at != place) {
                    finding = finding.related(at, message!("{other} is set here", "{other} 在此设置"));
                }
            }
            out.push(finish(&keys, &refusal, finding));
        }
    }
}

fn severity(cx: &Context<'_>, keys: &Keys<'_>, refusal: &Refusal) -> Option<Severity> {
    match &refusal.span {
        Some(span) => gate::severity(cx, keys.file.id, span, refusal.severity),
        None => Some(refusal.severity),
    }
}

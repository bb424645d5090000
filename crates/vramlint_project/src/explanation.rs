//! Why vramlint says what it says of a file, and why it is silent: the kind of the file, its runs, what decided each setting, and which
//! unknown value silenced which rule.

use crate::backend::Backend;
use crate::discovery::paths::{absolute, shown};
use crate::report::Report;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use vramlint_base::{FileId, Message, message};
use vramlint_catalog::Concept;
use vramlint_resolve::{Candidate, Origin, Project, Resolved, Run, Setting, SourceFile, Syntax};
use vramlint_rules::{Context, Rule, Sink};
use vramlint_semantic::Semantics;

/// The rule that compares estimates with the GPU. It is silent if there is no estimate.
const DOES_NOT_FIT: &str = "does-not-fit";

/// What is known about a file or about one of its lines.
#[derive(Debug)]
pub struct Explanation<'a> {
    /// The project.
    pub project: &'a Project,
    /// The file.
    pub file: &'a SourceFile,
    /// The line that was asked for, from 1.
    pub line: Option<u32>,
    /// What the file is: the kind of a data file, or `python`, `script`, `text`, `unreadable`.
    pub kind: &'static str,
    /// Why it is that.
    pub kind_reason: Message,
    /// The runs in which the file or the line takes part.
    pub runs: Vec<&'a Run>,
    /// Their settings; those that the line sets, if a line was asked for.
    pub settings: Vec<(&'a Run, Concept, &'a Setting)>,
    /// The rules that an unknown value silenced.
    pub silent: Vec<SilentRule>,
}

/// A rule that says nothing about a run because a value is unknown.
#[derive(Clone, Debug)]
pub struct SilentRule {
    /// The rule.
    pub rule: &'static Rule,
    /// The id of the run.
    pub run: String,
    /// What is unknown, and why.
    pub because: Message,
    /// The setting that would settle it.
    pub settle_with: Option<Concept>,
}

/// Explains a file of a report, or a line of it; `cwd` is the working directory of its request. `None` if the report does not contain the file.
pub fn explain<'a>(report: &'a Report, cwd: &Path, path: &Path, line: Option<u32>) -> Option<Explanation<'a>> {
    let project = &*report.project;
    let path = shown(&absolute(cwd, path), cwd);
    let file = project.files.iter().find(|file| file.host.is_none() && file.path == path)?;
    Some(explain_file(report, file, line))
}

/// Explains a file on disk of a report, or a line of it.
pub fn explain_file<'a>(report: &'a Report, file: &'a SourceFile, line: Option<u32>) -> Explanation<'a> {
    let project = &*report.project;
    let takes_part = |run: &&Run| run.files.iter().any(|id| host_of(project, *id) == file.id);
    let mut runs: Vec<&Run> = project.runs.iter().filter(takes_part).collect();
    let (kind, kind_reason) = kind_of(project, file, &runs);
    let mut settings: Vec<(&Run, Concept, &Setting)> = Vec::new();
    for run in &runs {
        let set = run.settings.iter().filter(|(_, setting)| !setting.candidates.is_empty());
        let set = set.filter(|(_, setting)| line.is_none_or(|line| touches(project, setting, file.id, line)));
        settings.extend(set.map(|(concept, setting)| (*run, *concept, setting)));
    }
    if let Some(line) = line {
        let starts = |run: &Run| {
            let (at, start, end) = project.position(run.place);
            at.id == file.id && (start.line..=end.line).contains(&line)
        };
        runs.retain(|run| starts(run) || settings.iter().any(|(other, ..)| other.id == run.id));
    }
    let silent = silent_rules(report, &runs);
    Explanation { project, file, line, kind, kind_reason, runs, settings, silent }
}

/// The file on disk that contains a file.
fn host_of(project: &Project, id: FileId) -> FileId {
    project.file(id).host.as_ref().map_or(id, |(host, _)| host_of(project, *host))
}

/// Whether a candidate of the setting is on this line of the file.
fn touches(project: &Project, setting: &Setting, file: FileId, line: u32) -> bool {
    setting.candidates.iter().filter_map(|candidate| candidate.origin.place()).any(|place| {
        let (at, start, end) = project.position(place);
        at.id == file && (start.line..=end.line).contains(&line)
    })
}

fn kind_of(project: &Project, file: &SourceFile, runs: &[&Run]) -> (&'static str, Message) {
    let ids = runs.iter().take(3).map(|run| run.id.as_str()).collect::<Vec<_>>().join(", ");
    match file.syntax() {
        Syntax::Data(_) => {
            let class = project.class(file.id);
            (class.kind.name(), class.reason.clone())
        }
        Syntax::Python(_) if runs.iter().any(|run| run.entry == Some(file.id)) => {
            ("python", message!("the entry script of {ids}", "{ids} 的入口脚本"))
        }
        Syntax::Python(_) if !runs.is_empty() => ("python", message!("code that {ids} reaches", "{ids} 会执行到的代码")),
        Syntax::Python(_) => ("python", message!("no training reaches it", "没有训练任务会执行到它")),
        Syntax::Script(_) => {
            let launches = project.launches.iter().filter(|launch| launch.file == file.id).count();
            ("script", message!("launch commands in it: {launches}", "其中的启动命令数：{launches}"))
        }
        Syntax::Text => {
            let blocks =
                project.files.iter().filter(|other| other.host.as_ref().is_some_and(|(host, _)| *host == file.id)).count();
            ("text", message!("embedded code blocks in it: {blocks}", "其中的代码块数：{blocks}"))
        }
        Syntax::Unreadable => ("unreadable", message!("it cannot be read", "无法读取")),
    }
}

/// The rules that report nothing about a run and asked for one of its unknown settings.
fn silent_rules(report: &Report, runs: &[&Run]) -> Vec<SilentRule> {
    let semantics = Semantics::new(&report.project);
    let context =
        Context { project: &report.project, models: &report.models, estimates: &report.estimates, semantics: &semantics };
    // The shared views read settings when they are first made; that is not the doing of one rule.
    let _ = (context.accelerate_launches(), context.deepspeed_configs(), context.framework_configs(), context.trainers());
    let estimates: Vec<Option<&Message>> = runs.iter().map(|run| report.estimate(run)?.as_ref().err()).collect();
    for run in runs {
        run.unknown_reads.take();
    }
    let mut silent = Vec::new();
    for rule in Backend::standard().rules {
        let mut sink = Sink::default();
        // A rule that panics has told so in the check.
        if catch_unwind(AssertUnwindSafe(|| rule.run(&context, &mut sink))).is_err() {
            continue;
        }
        let reported: BTreeSet<&str> = sink.findings.iter().filter_map(|finding| finding.run.as_deref()).collect();
        for (run, estimate) in runs.iter().zip(&estimates) {
            let unknown = run.unknown_reads.take().into_iter().next();
            if reported.contains(run.id.as_str()) {
                continue;
            }
            let (because, settle_with) = match (unknown, estimate) {
                (_, Some(why)) if rule.name == DOES_NOT_FIT => {
                    let model = run.settings.get(&Concept::Model).is_none_or(|setting| setting.value().is_none());
                    ((*why).clone(), model.then_some(Concept::Model))
                }
                (Some(concept), _) => {
                    let root = root_cause(run, concept, 0);
                    (reason(run, root), Some(root))
                }
                _ => continue,
            };
            silent.push(SilentRule { rule, run: run.id.clone(), because, settle_with });
        }
    }
    silent.sort_by(|a, b| (&a.run, a.rule.code).cmp(&(&b.run, b.rule.code)));
    silent
}

/// The setting behind a derived one that is unknown.
fn root_cause(run: &Run, concept: Concept, depth: u32) -> Concept {
    let winner = run.settings.get(&concept).and_then(Setting::winning);
    let Some(Candidate { origin: Origin::Derived { inputs, .. }, .. }) = winner else { return concept };
    let unknown = inputs.iter().find(|input| run.settings.get(input).is_none_or(|setting| setting.value().is_none()));
    match unknown {
        Some(input) if depth < 4 => root_cause(run, *input, depth + 1),
        _ => concept,
    }
}

/// Why a setting is unknown.
fn reason(run: &Run, concept: Concept) -> Message {
    let name = concept.name();
    let Some(setting) = run.settings.get(&concept) else { return message!("{name} is not set", "未设置 {name}") };
    if let Some(Resolved::Unknown(why)) = deciding(setting).map(|candidate| &candidate.value) {
        let Message { en, zh } = why;
        return message!("{name} is unknown: {en}", "{name} 未知：{zh}");
    }
    let count = setting.candidates.len();
    message!("{name} is unknown: {count} sources set it differently", "{name} 未知：{count} 处的设置不一致")
}

/// The candidate that decides a setting: the winner, or the only one, whose value is unknown.
pub fn deciding(setting: &Setting) -> Option<&Candidate> {
    let only = || if let [only] = setting.candidates.as_slice() { Some(only) } else { None };
    setting.winning().or_else(only)
}

/// Why a candidate is not the value of its setting; `None` for the one that decides.
pub fn why_lost(setting: &Setting, index: usize) -> Option<Message> {
    let candidate = setting.candidates.get(index)?;
    let winner = deciding(setting);
    if winner.is_some_and(|winner| std::ptr::eq(winner, candidate)) {
        return None;
    }
    let Some(winner) = winner else {
        return Some(message!("the project does not show which value takes effect", "项目没有表明哪个值生效"));
    };
    if let Some(condition) = &candidate.condition {
        return Some(message!("it holds only if `{condition}`", "仅当 `{condition}` 时成立"));
    }
    if candidate.value == winner.value {
        return Some(message!("it is the same value", "是同样的值"));
    }
    if matches!(candidate.origin, Origin::User { .. }) {
        return Some(message!("the project writes another value", "项目写明了另一个值"));
    }
    if matches!(winner.origin, Origin::User { .. }) {
        return Some(message!("it is unknown, and the user gives a value", "它未知，而用户给出了值"));
    }
    Some(setting.precedence.map_or_else(
        || message!("another source takes precedence", "另一处的设置优先"),
        |precedence| {
            let (order, source) = (precedence.order, precedence.source);
            message!("the order is {order} ({source})", "优先级为 {order}（{source}）")
        },
    ))
}

/// Splits `PATH:LINE`. A path that exists with its colon is a path.
pub fn split_line(text: &str, exists: impl Fn(&Path) -> bool) -> (&str, Option<u32>) {
    if exists(Path::new(text)) {
        return (text, None);
    }
    match text.rsplit_once(':') {
        Some((path, line)) => match line.parse::<u32>() {
            Ok(line) if line > 0 => (path, Some(line)),
            _ => (text, None),
        },
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_follows_the_last_colon() {
        let none = |_: &Path| false;
        assert_eq!(split_line("train.py:12", none), ("train.py", Some(12)));
        assert_eq!(split_line("C:\\a\\train.py", none), ("C:\\a\\train.py", None));
        assert_eq!(split_line("train.py:0", none), ("train.py:0", None));
        assert_eq!(split_line("a:12", |path| path == Path::new("a:12")), ("a:12", None));
    }
}

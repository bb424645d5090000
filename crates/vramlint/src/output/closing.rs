//! The closing line of the formats for people.

use super::{View, best_fix};
use std::time::Duration;
use vramlint_base::{Applicability, Lang, Severity};

/// How many findings, files and runs; what can be fixed; the time if asked.
pub(crate) fn closing(view: &View<'_>, fixed: usize, unsafe_fixes: bool, time: Option<Duration>) -> String {
    let zh = view.lang == Lang::Zh;
    let where_ = place(view, zh);
    let found: Vec<String> = [Severity::Error, Severity::Warning, Severity::Info]
        .into_iter()
        .filter_map(|severity| counted(view.count(severity), severity, zh))
        .collect();
    let mut line = match (found.is_empty(), zh) {
        (true, false) => format!("No findings in {where_}"),
        (true, true) => format!("在{where_}中没有发现问题"),
        (false, false) => format!("Found {} in {where_}", found.join(", ")),
        (false, true) => format!("在{where_}中发现 {}", found.join("、")),
    };
    let parts = [fixed_part(fixed, zh), fixable_part(view, unsafe_fixes, zh), time.map(|time| time_part(time, zh))];
    for part in parts.iter().flatten() {
        line.push_str(if zh { "；" } else { "; " });
        line.push_str(part);
    }
    line.push('\n');
    line
}

fn place(view: &View<'_>, zh: bool) -> String {
    let (files, runs) = (view.report.files, view.report.runs().count());
    let s = |n: usize| if n == 1 { "" } else { "s" };
    if zh {
        format!(" {files} 个文件（{runs} 个训练任务）")
    } else {
        format!("{files} file{} ({runs} run{})", s(files), s(runs))
    }
}

fn counted(n: usize, severity: Severity, zh: bool) -> Option<String> {
    let word = match (severity, zh) {
        _ if n == 0 => return None,
        (Severity::Error, true) => "个错误",
        (Severity::Warning, true) => "个警告",
        (Severity::Info, true) => "条提示",
        (Severity::Error, false) if n > 1 => "errors",
        (Severity::Warning, false) if n > 1 => "warnings",
        // Advice is not counted in the plural: 2 info.
        (_, false) => severity.name(),
    };
    Some(format!("{n} {word}"))
}

fn fixed_part(fixed: usize, zh: bool) -> Option<String> {
    let text = if zh { format!("已修复 {fixed} 个") } else { format!("{fixed} fixed") };
    (fixed > 0).then_some(text)
}

/// What `--fix` would do, and what it would do besides with `--unsafe-fixes`.
fn fixable_part(view: &View<'_>, unsafe_fixes: bool, zh: bool) -> Option<String> {
    let of = |wanted| view.report.findings.iter().filter(|finding| best_fix(finding) == Some(wanted)).count();
    let (safe, not_safe) = (of(Applicability::Safe), of(Applicability::Unsafe));
    let (n, flags) = match (safe, not_safe) {
        (0, 0) => return None,
        (_, 1..) if unsafe_fixes || safe == 0 => (safe + not_safe, "--fix --unsafe-fixes"),
        _ => (safe, "--fix"),
    };
    let more = if flags == "--fix" { not_safe } else { 0 };
    Some(match (zh, more) {
        (false, 0) => format!("{n} fixable with {flags}"),
        (false, more) => format!("{n} fixable with {flags}, {more} more with --unsafe-fixes"),
        (true, 0) => format!("{n} 个可用 {flags} 修复"),
        (true, more) => format!("{n} 个可用 {flags} 修复，加上 --unsafe-fixes 还可修复 {more} 个"),
    })
}

fn time_part(time: Duration, zh: bool) -> String {
    let seconds = time.as_secs_f64();
    if zh { format!("用时 {seconds:.2} 秒") } else { format!("took {seconds:.2} s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fixture, finding, with_fix};

    fn line(fixture: Fixture, lang: Lang, fixed: usize, unsafe_fixes: bool) -> String {
        let report = fixture.report();
        closing(&View { report: &report, lang, colour: false }, fixed, unsafe_fixes, None)
    }

    fn one(severity: Severity) -> impl Fn(&vramlint_resolve::Project) -> vramlint_base::Finding {
        move |project| vramlint_base::Finding { severity, ..finding(0, "4")(project) }
    }

    #[test]
    fn counts_agree_with_their_words() {
        let files = [("a.yaml", "a: 4\n"), ("b.yaml", "")];
        assert_eq!(line(Fixture::new(&files), Lang::En, 0, false), "No findings in 2 files (0 runs)\n");
        assert_eq!(
            line(Fixture::new(&files[..1]), Lang::Zh, 3, false),
            "在 1 个文件（0 个训练任务）中没有发现问题；已修复 3 个\n"
        );
        let some =
            || Fixture::new(&files).finding(one(Severity::Error)).finding(one(Severity::Warning)).finding(one(Severity::Warning));
        assert_eq!(line(some(), Lang::En, 0, false), "Found 1 error, 2 warnings in 2 files (0 runs)\n");
        assert_eq!(line(some(), Lang::Zh, 0, false), "在 2 个文件（0 个训练任务）中发现 1 个错误、2 个警告\n");
    }

    #[test]
    fn fixes_are_counted_by_what_applies_them() {
        let fix = |how| with_fix(finding(0, "4"), how, "8");
        let unsafe_only = || Fixture::new(&[("a.yaml", "a: 4\n")]).finding(fix(Applicability::Unsafe));
        let both = || unsafe_only().finding(fix(Applicability::Safe)).finding(fix(Applicability::Display));
        let end = |text: String| text.split_once("; ").map(|(_, end)| end.trim_end().to_owned());
        assert_eq!(end(line(unsafe_only(), Lang::En, 0, false)).as_deref(), Some("1 fixable with --fix --unsafe-fixes"));
        assert_eq!(end(line(both(), Lang::En, 0, false)).as_deref(), Some("1 fixable with --fix, 1 more with --unsafe-fixes"));
        assert_eq!(end(line(both(), Lang::En, 0, true)).as_deref(), Some("2 fixable with --fix --unsafe-fixes"));
        assert_eq!(end(line(both(), Lang::En, 2, true)).as_deref(), Some("2 fixed; 2 fixable with --fix --unsafe-fixes"));
    }
}

//! `--statistics`: findings counted by rule.

use super::{View, best_fix};
use crate::cli::Format;
use crate::colour::{of_severity, paint};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use vramlint_base::{Applicability, Severity};

#[derive(Serialize)]
struct Tally<'a> {
    code: &'a str,
    name: &'a str,
    severity: &'static str,
    count: usize,
    fixable: usize,
}

/// The counts, the most frequent rule first: a table, or a list for the JSON formats.
pub(crate) fn statistics(view: &View<'_>, format: Format) -> anyhow::Result<String> {
    let counts = counts(view);
    Ok(match format {
        Format::Json => serde_json::to_string_pretty(&counts.iter().map(|(_, count)| count).collect::<Vec<_>>())? + "\n",
        Format::Jsonl => {
            let mut out = String::new();
            for (_, count) in &counts {
                out += &serde_json::to_string(count)?;
                out.push('\n');
            }
            out
        }
        _ => table(&counts, view.colour),
    })
}

/// A rule may have several severities; the gravest is told.
fn counts<'a>(view: &View<'a>) -> Vec<(Severity, Tally<'a>)> {
    let mut by_rule: BTreeMap<&str, (Severity, Tally<'a>)> = BTreeMap::new();
    for finding in &view.report.findings {
        let (severity, count) = by_rule.entry(finding.code).or_insert_with(|| {
            let fresh = Tally { code: finding.code, name: finding.name, severity: "", count: 0, fixable: 0 };
            (finding.severity, fresh)
        });
        *severity = finding.severity.max(*severity);
        count.severity = severity.name();
        count.count += 1;
        count.fixable += usize::from(best_fix(finding) == Some(Applicability::Safe));
    }
    let mut counts: Vec<_> = by_rule.into_values().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(count.count));
    counts
}

fn table(counts: &[(Severity, Tally<'_>)], colour: bool) -> String {
    let width = counts.first().map_or(0, |(_, count)| count.count.to_string().len());
    let mut out = String::new();
    for (severity, count) in counts {
        let word = paint(&format!("{:7}", count.severity), of_severity(*severity), colour);
        let fixable = if count.fixable > 0 { format!("  [{} --fix]", count.fixable) } else { String::new() };
        let _ = writeln!(out, "{:>width$}  {}  {word}  {}{fixable}", count.count, count.code, count.name);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fixture, finding, with_fix};
    use vramlint_base::{Finding, Lang};

    #[test]
    fn the_most_frequent_rule_comes_first() {
        let rare = |project: &vramlint_resolve::Project| Finding { code: "VL001", name: "rare", ..finding(0, "4")(project) };
        let report = Fixture::new(&[("a.yaml", "a: 4\n")])
            .finding(rare)
            .finding(finding(0, "4"))
            .finding(with_fix(
                |project| Finding { severity: Severity::Error, ..finding(0, "4")(project) },
                Applicability::Safe,
                "8",
            ))
            .report();
        let view = View { report: &report, lang: Lang::En, colour: false };
        insta::assert_snapshot!(statistics(&view, Format::Full).expect("rendered"), @r"
        2  VL999  error    odd-value  [1 --fix]
        1  VL001  warning  rare
        ");
        let json: serde_json::Value = serde_json::from_str(&statistics(&view, Format::Json).expect("rendered")).expect("JSON");
        assert_eq!(json[0]["count"], 2);
        assert_eq!(json[1]["fixable"], 0);
        assert_eq!(statistics(&view, Format::Jsonl).expect("rendered").lines().count(), 2);
    }
}

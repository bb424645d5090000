//! `vramlint rule`.

use crate::cli::{Look, RuleArgs, RuleFormat};
use crate::exit::{Status, fault};
use crate::output::severity_word;
use crate::{colour, language, stream};
use colour::{of_severity, paint};
use owo_colors::Style;
use serde::Serialize;
use std::fmt::Write;
use vramlint_base::{Lang, message};
use vramlint_catalog::keys::nearest;
use vramlint_rules::{RULES, Rule, find};

/// Runs the command.
pub(super) fn run(args: &RuleArgs, look: &Look) -> anyhow::Result<Status> {
    let lang = language::decide(look.lang, None);
    let colour = colour::of_stdout(look.color);
    let text = match &args.rule {
        Some(name) => of(&[named(name)?], args.output_format, true, lang, colour)?,
        None if args.all || args.output_format != RuleFormat::Text => of(RULES, args.output_format, false, lang, colour)?,
        None => list(RULES, lang, colour),
    };
    stream::print(text.as_bytes())?;
    Ok(Status::Clean)
}

fn named(name: &str) -> anyhow::Result<&'static Rule> {
    let name = name.trim();
    let known = find(name).or_else(|| find(&name.to_lowercase().replace('_', "-")));
    known.ok_or_else(|| match near(name) {
        Some(rule) => {
            let (code, near) = (rule.code, rule.name);
            fault(message!(
                "there is no rule `{name}`; did you mean {near} ({code})?",
                "没有规则 `{name}`；是否想写 {near}（{code}）？"
            ))
        }
        None => fault(message!(
            "there is no rule `{name}`; `vramlint rule` lists them all",
            "没有规则 `{name}`；`vramlint rule` 会列出所有规则"
        )),
    })
}

fn near(name: &str) -> Option<&'static Rule> {
    nearest(name, RULES.iter().flat_map(|rule| [rule.name, rule.code])).and_then(find)
}

fn of(rules: &[&Rule], format: RuleFormat, single: bool, lang: Lang, colour: bool) -> anyhow::Result<String> {
    Ok(match format {
        RuleFormat::Json => {
            let pages: Vec<JsonRule<'_>> = rules.iter().map(|rule| JsonRule::new(rule, lang)).collect();
            let text = match pages.as_slice() {
                [page] if single => serde_json::to_string_pretty(page)?,
                pages => serde_json::to_string_pretty(pages)?,
            };
            text + "\n"
        }
        RuleFormat::Markdown => rules.iter().map(|rule| markdown(rule, lang)).collect::<Vec<_>>().join("\n"),
        RuleFormat::Text => rules.iter().map(|rule| text(rule, lang, colour)).collect::<Vec<_>>().join("\n"),
    })
}

/// One line a rule.
fn list(rules: &[&Rule], lang: Lang, colour: bool) -> String {
    let width = rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    rules.iter().fold(String::new(), |mut out, rule| {
        let name = paint(&format!("{:width$}", rule.name), Style::new().bold(), colour);
        let code = paint(rule.code, of_severity(rule.severity), colour);
        let _ = writeln!(out, "{code}  {name}  {}", rule.page(lang).summary);
        out
    })
}

fn markdown(rule: &Rule, lang: Lang) -> String {
    let severity = severity_word(rule.severity, lang);
    let since = rule.since;
    let facts = message!("Severity: {severity}. Since {since}.", "级别：{severity}。自 {since} 起。");
    format!("# {} {}\n\n{}\n\n{}\n", rule.code, rule.name, facts.get(lang), rule.page(lang).body)
}

/// The page for a terminal: headings stand out, and code is indented instead of fenced.
fn text(rule: &Rule, lang: Lang, colour: bool) -> String {
    let code = paint(rule.code, of_severity(rule.severity), colour);
    let name = paint(rule.name, Style::new().bold(), colour);
    let severity = severity_word(rule.severity, lang);
    let since = rule.since;
    let facts = message!("({severity}, since {since})", "（{severity}，自 {since} 起）");
    let mut out = format!("{code} {name} {}\n\n", facts.get(lang));
    let mut in_code = false;
    for line in rule.page(lang).body.lines() {
        if let Some(info) = line.strip_prefix("```") {
            in_code = !in_code;
            if let Some(file) = info.split_whitespace().find_map(|word| word.strip_prefix("file=")) {
                let _ = writeln!(out, "  {}", paint(&format!("{file}:"), Style::new().dimmed(), colour));
            }
        } else if in_code && !line.is_empty() {
            let _ = writeln!(out, "    {line}");
        } else if let Some(heading) = line.strip_prefix("## ").filter(|_| !in_code) {
            let _ = writeln!(out, "{}", paint(heading, Style::new().bold().underline(), colour));
        } else {
            let _ = writeln!(out, "{line}");
        }
    }
    out
}

#[derive(Serialize)]
struct JsonRule<'a> {
    code: &'a str,
    name: &'a str,
    group: &'a str,
    severity: &'static str,
    since: &'a str,
    summary: String,
    page: String,
}

impl<'a> JsonRule<'a> {
    fn new(rule: &'a Rule, lang: Lang) -> Self {
        let page = rule.page(lang);
        Self {
            code: rule.code,
            name: rule.name,
            group: rule.group.prefix(),
            severity: rule.severity.name(),
            since: rule.since,
            summary: page.summary,
            page: page.body,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vramlint_base::Severity;
    use vramlint_rules::Group;

    static RULE: Rule = Rule {
        code: "VL999",
        name: "odd-value",
        group: Group::Environment,
        severity: Severity::Warning,
        since: "0.1.0",
        source: "//! # odd-value\n//!\n//! A value is odd.\n//!\n//! ## Example\n//! ```yaml file=a.yaml\n//! ## 3\n//! a: 3\n\
                 //! ```\n//!\n//! # 中文\n//!\n//! 值很奇怪。\n",
        check: None,
    };

    #[test]
    fn a_page_for_the_terminal() {
        insta::assert_snapshot!(text(&RULE, Lang::En, false), @r#"
        VL999 odd-value (warning, since 0.1.0)

        A value is odd.

        Example
          a.yaml:
            ## 3
            a: 3
        "#);
        insta::assert_snapshot!(text(&RULE, Lang::Zh, false), @r#"
        VL999 odd-value （警告，自 0.1.0 起）

        值很奇怪。
        "#);
        assert!(text(&RULE, Lang::En, true).contains("\u{1b}["));
    }

    #[test]
    fn other_formats_hold_the_same_page() {
        let json = |single| of(&[&RULE], RuleFormat::Json, single, Lang::En, false).expect("rendered");
        let one: serde_json::Value = serde_json::from_str(&json(true)).expect("JSON");
        assert_eq!(one["summary"], "A value is odd.");
        assert_eq!(one["group"], "VL8");
        let many: serde_json::Value = serde_json::from_str(&json(false)).expect("JSON");
        assert_eq!(many[0], one);
        assert!(markdown(&RULE, Lang::Zh).starts_with("# VL999 odd-value\n\n级别：警告。自 0.1.0 起。\n\n值很奇怪。"));
        assert_eq!(list(&[&RULE], Lang::En, false), "VL999  odd-value  A value is odd.\n");
    }

    #[test]
    fn rules_are_found_by_name_and_code_and_near_ones_are_named() {
        for rule in RULES {
            for name in [rule.name.to_owned(), rule.code.to_lowercase(), rule.name.replace('-', "_").to_uppercase()] {
                assert_eq!(named(&name).expect("found").code, rule.code);
            }
            let error = named(&format!("{}x", rule.name)).expect_err("unknown");
            assert!(error.to_string().contains(rule.name), "{error}");
        }
        assert!(named("warmup").expect_err("unknown").to_string().contains("lists them all"));
    }
}

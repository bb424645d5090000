//! `vramlint rule`.

use crate::cli::{RuleArgs, RuleFormat};
use crate::exit::{Status, user_error};
use crate::language;
use crate::stdio::print_stdout;
use anyhow::Result;
use serde::Serialize;
use vramlint_base::{Lang, Message, message, suggest};
use vramlint_rules::{RULES, Rule, find};

/// Prints the page of one rule or of all rules.
pub(crate) fn run(args: &RuleArgs) -> Result<Status> {
    let lang = language::resolve(args.lang, None);
    let rules: Vec<&Rule> = match &args.rule {
        None => RULES.to_vec(),
        Some(name) => match find(name) {
            Some(rule) => vec![rule],
            None => return Err(user_error(unknown(name))),
        },
    };
    print_stdout(
        &match args.output_format {
            RuleFormat::Json => json(&rules, lang, args.all)?,
            RuleFormat::Markdown | RuleFormat::Text => {
                rules.iter().map(|rule| markdown(rule, lang)).collect::<Vec<_>>().join("\n\n")
            }
        },
        false,
    )?;
    Ok(Status::Clean)
}

fn unknown(name: &str) -> Message {
    match suggest(name, RULES.iter().flat_map(|rule| [rule.name, rule.code])) {
        Some(near) => message!("unknown rule `{name}`; did you mean `{near}`?", "未知的规则 `{name}`；是否想写 `{near}`？"),
        None => message!(
            "unknown rule `{name}`; `vramlint rule --all` lists all rules",
            "未知的规则 `{name}`；`vramlint rule --all` 可查看全部规则"
        ),
    }
}

fn markdown(rule: &Rule, lang: Lang) -> String {
    let (code, name, severity, since) = (rule.code, rule.name, rule.severity.name(), rule.since);
    let line = match lang {
        Lang::En => format!("Severity: {severity}. Since {since}."),
        Lang::Zh => format!("级别：{severity}。自 {since} 起。"),
    };
    format!("# {code} {name}\n\n{line}\n\n{}\n", rule.page(lang).body)
}

#[derive(Serialize)]
struct RuleJson {
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    since: &'static str,
    summary: String,
    page: String,
}

fn json(rules: &[&Rule], lang: Lang, all: bool) -> Result<String> {
    let pages: Vec<RuleJson> = rules
        .iter()
        .map(|rule| {
            let page = rule.page(lang);
            RuleJson {
                code: rule.code,
                name: rule.name,
                severity: rule.severity.name(),
                since: rule.since,
                summary: page.summary,
                page: page.body,
            }
        })
        .collect();
    Ok(match pages.first() {
        Some(page) if !all => serde_json::to_string_pretty(page)?,
        _ => serde_json::to_string_pretty(&pages)?,
    })
}

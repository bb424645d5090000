//! The style sheet of CONTRIBUTING.md, as far as a test can check it: every message in the sources, every message that a case
//! expects, and the pages of the rules.

use vramlint_rules::RULES;
use vramlint_test::{Document, case_documents, files_below, workspace_root};

/// Words and phrases that the style sheet replaces, in English.
const ENGLISH: &[&str] = &[
    "card",
    "cards",
    "truth value",
    "truth values",
    "whole number",
    "whole numbers",
    "expected is",
    "is expected",
    "refuse",
    "refuses",
    "refused",
    "refusing",
    "refusal",
    "nobody",
    "somebody",
    "the arm",
    "an arm",
    "arms",
    "behind",
    "beside",
    "is no multiple",
    "told",
    "tells",
    "grave",
    "graver",
    "belongs into",
    "of no use",
];

/// The same in Chinese.
const CHINESE: &[&str] = &["显卡", "单卡", "多卡", "每卡", "真值", "整数数字"];

/// Longest message in characters, with the values of the cases filled in.
const LONGEST: usize = 140;

/// The same for messages that quote a list, of a file or of what a library accepts.
const LONGEST_WITH_LIST: usize = 200;

/// The phrases of a list that a text contains as whole words, outside of backticks and quotes.
fn forbidden<'a>(text: &str, phrases: &[&'a str]) -> Vec<&'a str> {
    let mut plain = String::new();
    for (i, part) in text.split('`').enumerate() {
        plain += if i % 2 == 0 { part } else { "x" };
    }
    let lower = plain.to_lowercase();
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let whole_word = |at: usize, phrase: &str| {
        !phrase.is_ascii() || !is_letter(lower[..at].chars().next_back()) && !is_letter(lower[at + phrase.len()..].chars().next())
    };
    phrases.iter().copied().filter(|phrase| lower.match_indices(phrase).any(|(at, _)| whole_word(at, phrase))).collect()
}

#[test]
fn phrases_are_found_as_words_outside_of_code() {
    assert_eq!(forbidden("the file is refused by the card", ENGLISH), ["card", "refused"]);
    assert_eq!(forbidden("discarded `card` refusedly card-mostly-empty", ENGLISH), Vec::<&str>::new());
    assert_eq!(forbidden("每卡显存", CHINESE), ["每卡"]);
}

/// The string literals of every `message!("English", "中文")` in a source file, with their line.
fn messages(source: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    for (at, _) in source.match_indices("message!(") {
        let mut rest = &source[at + "message!(".len()..];
        let mut literal = || {
            let start = rest.find('"')?;
            // Anything but blanks in front of the quote is an expression, not a literal.
            rest[..start].trim_matches([' ', '\n', ',']).is_empty().then_some(())?;
            let body = &rest[start + 1..];
            let mut escaped = false;
            let end = body.find(|c| {
                let closes = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                closes
            })?;
            rest = &body[end + 1..];
            Some(body[..end].to_owned())
        };
        if let (Some(english), Some(chinese)) = (literal(), literal()) {
            found.push((source[..at].matches('\n').count() + 1, english, chinese));
        }
    }
    found
}

#[test]
fn messages_in_the_sources_follow_the_style_sheet() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    let root = workspace_root();
    for path in files_below(&root.join("crates")) {
        // Relative: the checkout itself may lie below a folder called tests.
        let shown = path.strip_prefix(&root).expect("below the root").display().to_string();
        if path.extension().is_none_or(|end| end != "rs") || shown.contains("/tests") {
            continue;
        }
        for (line, english, chinese) in messages(&std::fs::read_to_string(&path).expect("readable")) {
            seen += 1;
            let phrases: Vec<&str> = forbidden(&english, ENGLISH).into_iter().chain(forbidden(&chinese, CHINESE)).collect();
            if !phrases.is_empty() {
                wrong.push(format!("{shown}:{line}: {phrases:?} in {english:?} / {chinese:?}"));
            }
            // Hovers are prose.
            if english.ends_with('.') && !english.ends_with("...") && !shown.contains("/hover/") {
                wrong.push(format!("{shown}:{line}: a full stop in {english:?}"));
            }
        }
    }
    assert!(seen > 1000, "only {seen} messages");
    assert!(wrong.is_empty(), "{} messages\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn printed_messages_are_short_and_follow_the_style_sheet() {
    let mut wrong = Vec::new();
    for case in case_documents("tests/rules").iter().flat_map(Document::cases) {
        for finding in &case.findings {
            let message = finding.splitn(4, ' ').nth(3).unwrap_or_default();
            let message = message.rsplit_once(" | related ").map_or(message, |(message, _)| message);
            let phrases = forbidden(message, ENGLISH);
            let lists = message.contains("one of: ") || message.contains("['");
            if !phrases.is_empty() || message.chars().count() > if lists { LONGEST_WITH_LIST } else { LONGEST } {
                wrong.push(format!("{} ({} characters, {phrases:?}): {message}", case.id(), message.chars().count()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} messages\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn pages_of_rules_follow_the_style_sheet() {
    let mut wrong = Vec::new();
    for rule in RULES.iter() {
        let mut code = false;
        let (mut phrases, mut chinese) = (ENGLISH, false);
        for line in rule.head.lines().map_while(|line| line.strip_prefix("//!")) {
            if line.trim_start().starts_with("```") {
                code = !code;
            }
            if line.trim() == "# 中文" {
                (phrases, chinese) = (CHINESE, true);
            }
            let found = forbidden(line, phrases);
            if !code && !found.is_empty() {
                wrong.push(format!("{}{}: {found:?} in {}", rule.name, if chinese { " (zh)" } else { "" }, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} lines\n{}", wrong.len(), wrong.join("\n"));
}

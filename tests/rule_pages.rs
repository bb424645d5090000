//! Every rule has a page in both languages, and the page's own examples behave as it says.

mod common;

use common::check_folder;
use std::collections::BTreeSet;
use vramlint_base::Lang;
use vramlint_rules::RULES;

/// Blocks of a section that carry a file name: name and text.
fn blocks(page: &str, heading: &str) -> Vec<(String, String)> {
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).unwrap_or("");
    let mut found = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in section.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = info
                    .split_whitespace()
                    .find_map(|word| word.strip_prefix("file="))
                    .map(|name| (name.to_owned(), String::new()));
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

fn check_blocks(blocks: &[(String, String)]) -> BTreeSet<&'static str> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in blocks {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("inside the folder")).expect("writable");
        std::fs::write(path, text).expect("writable");
    }
    check_folder(folder.path()).findings().map(|finding| finding.name).collect()
}

#[test]
fn examples_are_found_and_their_corrections_are_not() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for rule in RULES.iter() {
        let page = format!("\n{}", rule.page(Lang::En).body);
        let bad = blocks(&page, "Example");
        if !bad.is_empty() {
            tried += 1;
            let found = check_blocks(&bad);
            if !found.contains(rule.name) {
                wrong.push(format!("{}: the example of its page is not found: {found:?}", rule.name));
            }
        }
        let corrected = blocks(&page, "Use instead");
        if bad.is_empty() != corrected.is_empty() {
            wrong.push(format!("{}: an example and its correction come together", rule.name));
        }
        if !corrected.is_empty() {
            let found = check_blocks(&corrected);
            if !found.is_empty() {
                wrong.push(format!("{}: its correction gives {found:?}", rule.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried >= 9, "only {tried} pages have examples");
}

#[test]
fn pages_are_whole_in_both_languages() {
    for rule in RULES.iter() {
        let (en, zh) = (rule.page(Lang::En), rule.page(Lang::Zh));
        assert!(rule.head.starts_with(&format!("//! # {}\n", rule.name)), "{}: the page starts with the name", rule.name);
        for page in [&en, &zh] {
            assert!(!page.summary.is_empty() && page.summary.chars().count() < 200, "{}: {:?}", rule.name, page.summary);
        }
        assert!(en.body.contains("## Why it matters") && zh.body.contains("## 为什么重要"), "{}: says why", rule.name);
        assert!(en.summary.is_ascii(), "{}: the English page is English", rule.name);
        assert!(zh.summary.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{}: the Chinese page is Chinese", rule.name);
    }
}

#[test]
fn codes_and_names_are_unique_and_in_order() {
    let codes: Vec<&str> = RULES.iter().map(|rule| rule.code).collect();
    let mut sorted = codes.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(codes, sorted, "RULES is sorted by code, each once");
    assert_eq!(RULES.iter().map(|rule| rule.name).collect::<BTreeSet<_>>().len(), RULES.len());
    for rule in RULES.iter() {
        assert!(rule.code.starts_with(rule.group.prefix()), "{} is of {:?}", rule.code, rule.group);
    }
}

#[test]
fn every_file_of_a_rule_is_registered() {
    let families = vramlint_test::workspace_root().join("crates/vramlint_rules/src");
    for path in vramlint_test::files_below(&families) {
        let text = std::fs::read_to_string(&path).expect("readable");
        if text.contains("static RULE: Rule") && !path.ends_with("rule.rs") {
            // A rule with a folder of its own stands in its `mod.rs`.
            let own = if path.ends_with("mod.rs") { path.parent().expect("in a folder") } else { path.as_path() };
            let name = own.file_stem().and_then(|stem| stem.to_str()).expect("named").replace('_', "-");
            assert!(RULES.iter().any(|rule| rule.name == name), "{name} is not in the registry");
        }
    }
}

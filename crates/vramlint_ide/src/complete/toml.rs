//! `vramlint.toml`, and `[tool.vramlint]` of `pyproject.toml`: by lines, because an unfinished table is not valid TOML.

use super::builder::{CompletionBuilder, Item};
use super::sources::{add_gpus, add_rules};
use super::target_syntax::TargetSyntax;
use super::{CompletionContext, CompletionKind};
use vramlint_catalog::keys::KeyType;
use vramlint_catalog::releases;
use vramlint_project::config;
use vramlint_resolve::SourceFile;

/// Whether a file is a configuration of vramlint.
pub(super) fn is_configuration(file: &SourceFile) -> bool {
    file.host.is_none() && matches!(file.name(), "vramlint.toml" | ".vramlint.toml" | "pyproject.toml")
}

/// The completions at the cursor.
pub(super) fn completions(cx: &CompletionContext<'_>) -> Option<CompletionBuilder> {
    let line = cx.line();
    if ends_in_comment(line) {
        return None;
    }
    let prefix: &[&str] = if cx.file.name() == "pyproject.toml" { &["tool", "vramlint"] } else { &[] };
    if let Some(header) = line.trim_start().strip_prefix('[') {
        return tables(cx, header.trim_start_matches('['), prefix);
    }
    let table = table(cx);
    let inside = table.strip_prefix(prefix).filter(|_| table.len() >= prefix.len())?;
    match line.split_once('=') {
        None => keys(cx, inside),
        Some((key, value)) => values(cx, inside, key.trim().trim_matches('"'), value.trim_start()),
    }
    .or_else(|| list(cx, inside))
}

/// The table of the cursor.
fn table<'a>(cx: &'a CompletionContext<'_>) -> Vec<&'a str> {
    let above = &cx.before()[..cx.line_start()];
    let headers = above.lines().rev().map(|line| line.trim_start_matches('\u{feff}').trim());
    let header = headers.into_iter().find(|line| line.starts_with('[') && line.contains(']') && !line.contains('"'));
    let name = header.map_or("", |line| line.trim_start_matches('[').split(']').next().unwrap_or_default());
    name.split('.').map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn tables(cx: &CompletionContext<'_>, typed: &str, prefix: &[&str]) -> Option<CompletionBuilder> {
    if typed.contains([']', '"']) {
        return None;
    }
    let mut completions = CompletionBuilder::new(cx.offset - typed.len(), cx.offset, typed);
    let root = config::schema();
    let close = if cx.rest().starts_with(']') { "" } else { "]" };
    let mut add = |path: &[&str], about: &str| {
        let name = prefix.iter().chain(path).copied().collect::<Vec<_>>().join(".");
        completions.add(item(&name, format!("{name}{close}"), about, String::new(), CompletionKind::Key));
    };
    if !prefix.is_empty() {
        add(&[], root["description"].as_str().unwrap_or_default());
    }
    for (name, own) in root["properties"].as_object().into_iter().flatten() {
        if own["type"] == "object" {
            add(&[name.as_str()], own["description"].as_str().unwrap_or_default());
            for (inner, below) in
                own["properties"].as_object().into_iter().flatten().filter(|(_, below)| below["type"] == "object")
            {
                add(&[name.as_str(), inner.as_str()], below["description"].as_str().unwrap_or_default());
            }
        }
    }
    Some(completions)
}

fn item(label: &str, text: String, about: &str, detail: String, kind: CompletionKind) -> Item {
    Item { label: label.to_owned(), detail, documentation: about.to_owned(), text, kind, deprecated: false, weight: 0 }
}

fn keys(cx: &CompletionContext<'_>, table: &[&str]) -> Option<CompletionBuilder> {
    let typed = cx.line().trim_start();
    if typed.contains(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_') {
        return None;
    }
    let mut completions = CompletionBuilder::new(cx.offset - typed.len(), cx.offset, typed);
    let taken = taken(cx);
    let has_equals = cx.rest().trim_start_matches(|c: char| c.is_alphanumeric() || c == '-').trim_start().starts_with('=');
    let write = |name: &str| if has_equals { name.to_owned() } else { format!("{name} = ") };
    if table == ["versions"] {
        for name in releases::names().filter(|name| !taken.contains(name)) {
            completions.add(item(name, write(name), "", String::new(), CompletionKind::Key));
        }
        return Some(completions);
    }
    let mut own = config::schema();
    for part in table {
        own = &own["properties"][*part];
        own = if own["items"].is_object() { &own["items"] } else { own };
    }
    for (name, key) in own["properties"].as_object().into_iter().flatten() {
        // A table has its own header.
        if key["type"] != "object" && !taken.contains(&name.as_str()) {
            let detail = key["type"].as_str().unwrap_or_default().to_owned();
            completions.add(item(
                name,
                write(name),
                key["description"].as_str().unwrap_or_default(),
                detail,
                CompletionKind::Key,
            ));
        }
    }
    Some(completions)
}

/// The keys of the same table.
fn taken<'a>(cx: &'a CompletionContext<'_>) -> Vec<&'a str> {
    let above = &cx.before()[..cx.line_start()];
    let below = cx.after().split_once('\n').map_or("", |(_, below)| below);
    let own = |lines: &mut dyn Iterator<Item = &'a str>| -> Vec<&'a str> {
        let own = lines.take_while(|line| !line.trim_start().starts_with('['));
        own.filter_map(|line| line.split_once('=')).map(|(key, _)| key.trim().trim_matches('"')).collect()
    };
    let mut found = own(&mut above.lines().rev());
    found.extend(own(&mut below.lines()));
    found
}

fn values(cx: &CompletionContext<'_>, table: &[&str], key: &str, value: &str) -> Option<CompletionBuilder> {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let typed = if quote.is_some() { &value[1..] } else { value };
    if value.starts_with('[') || quote.is_some_and(|quote| typed.contains(quote)) {
        return None;
    }
    let mut completions = CompletionBuilder::new(cx.offset - typed.len(), cx.offset, typed);
    if table == ["target"] && key == "gpu" {
        add_gpus(cx, &mut completions, quote);
        return Some(completions);
    }
    let mut own = config::schema();
    for part in table {
        own = &own["properties"][*part];
    }
    let own = if own["properties"][key].is_object() { &own["properties"][key] } else { &own["additionalProperties"] };
    for value_name in own["enum"].as_array().into_iter().flatten().filter_map(|value_name| value_name.as_str()) {
        let text = TargetSyntax::Toml.value(KeyType::Text, value_name, quote);
        completions.add(item(
            value_name,
            text,
            own["description"].as_str().unwrap_or_default(),
            String::new(),
            CompletionKind::Value,
        ));
    }
    Some(completions)
}

/// Rules in a list: `select`, `ignore`, or those of a glob.
fn list(cx: &CompletionContext<'_>, table: &[&str]) -> Option<CompletionBuilder> {
    if table.first() != Some(&"lint") {
        return None;
    }
    let before = cx.before();
    let open = before.rfind('[').filter(|open| !before[*open..].contains(']'))?;
    let key = before[..open].rsplit('\n').next()?.split('=').next()?.trim();
    let rules = ["select", "extend-select", "ignore"].contains(&key) || table == ["lint", "per-file-ignores"];
    let item = before[open + 1..].rsplit([',', '\n']).next()?.trim_start();
    let quote = item.chars().next().filter(|c| matches!(c, '"' | '\''));
    let typed = if quote.is_some() { &item[1..] } else { item };
    if !rules || quote.is_some_and(|quote| typed.contains(quote)) {
        return None;
    }
    let mut completions = CompletionBuilder::new(cx.offset - typed.len(), cx.offset, typed);
    add_rules(cx, &mut completions, |name| TargetSyntax::Toml.value(KeyType::Text, name, quote));
    Some(completions)
}

/// Whether the end of a line is in a comment.
fn ends_in_comment(line: &str) -> bool {
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '#') => return true,
            _ => {}
        }
    }
    false
}

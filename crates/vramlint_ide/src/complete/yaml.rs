//! Keys and values of YAML, by indentation.

use super::builder::CompletionBuilder;
use super::catalog_item::{Availability, CatalogItem, VersionFilter};
use super::sources::{add_files, add_models, kind_of_file};
use super::target_syntax::TargetSyntax;
use super::{CompletionContext, vocabulary};
use vramlint_base::Value;
use vramlint_catalog::{Concept, Dialect, dialect};

/// The parts of a line.
#[derive(Clone, Debug, Default)]
struct Line<'a> {
    /// Columns of the dashes before the key.
    dashes: Vec<usize>,
    /// Column after the dashes.
    column: usize,
    /// The key, if there is one.
    key: Option<&'a str>,
    /// The text after the colon, or the whole line.
    value: &'a str,
}

/// What is completed.
enum CursorTarget<'a> {
    /// A key and its typed prefix.
    Key(&'a str),
    /// The value of a key, its typed prefix, and the opening quote.
    Value(&'a str, &'a str, Option<char>),
}

/// The completions at the cursor.
pub(super) fn completions(cx: &CompletionContext<'_>) -> Option<CompletionBuilder> {
    let line = cx.line();
    if line.contains('\t') || in_comment(line) || line.starts_with("---") {
        return None;
    }
    let current = parse_line(line);
    let target = cursor_target(&current)?;
    let path = path(cx, &current)?;
    let taken = siblings(cx, &current);
    let kind = vocabulary::kind(cx);
    let known = vocabulary::block_items(cx, kind, &path, &taken);
    let dialect = kind.dialect();
    // An item of a list is a value of the list's key.
    if let (CursorTarget::Key(typed), Some((item, [above @ .., list]))) = (&target, path.split_last())
        && item == "[]"
        && known.is_empty()
    {
        let known = vocabulary::block_items(cx, kind, above, std::slice::from_ref(list));
        let list = known.iter().filter(|known| known.name() == list).copied().collect::<Vec<_>>();
        return Some(values(cx, dialect, above, list.first()?.name(), typed, None, &list));
    }
    match target {
        CursorTarget::Key(typed) => Some(keys(cx, dialect, typed, &known, &taken)),
        CursorTarget::Value(key, typed, quoted) => Some(values(cx, dialect, &path, key, typed, quoted, &known)),
    }
}

fn keys(
    cx: &CompletionContext<'_>,
    dialect: Option<Dialect>,
    typed: &str,
    known: &[CatalogItem],
    taken: &[String],
) -> CompletionBuilder {
    let versions = VersionFilter::new(cx.project, cx.file.id);
    let colon = cx.rest().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').starts_with(':');
    let mut completions = CompletionBuilder::new(cx.offset - typed.len(), cx.offset, typed);
    for known in known {
        if !completions.matches_typed(known.name()) || taken.iter().any(|key| key == known.name()) {
            continue;
        }
        let availability = versions.availability(*known);
        if availability != Availability::Unavailable {
            let text = if colon { known.name().to_owned() } else { format!("{}: ", known.name()) };
            completions.add(versions.key(*known, text, availability, cx.lang, weight(dialect, *known)));
        }
    }
    completions
}

/// Required keys first, then those that affect memory and batch sizes.
pub(super) fn weight(dialect: Option<Dialect>, known: CatalogItem) -> u32 {
    if known.required() {
        return 0;
    }
    let has_meaning = dialect.is_some_and(|dialect| dialect::meaning(dialect, &[known.name()], &Value::Int(1)).is_some());
    if has_meaning { 1 } else { 2 }
}

fn values(
    cx: &CompletionContext<'_>,
    dialect: Option<Dialect>,
    path: &[String],
    key: &str,
    typed: &str,
    quoted: Option<char>,
    known: &[CatalogItem],
) -> CompletionBuilder {
    let mut completions = CompletionBuilder::new(cx.offset - typed.len(), cx.offset, typed);
    add_values(cx, &mut completions, TargetSyntax::Yaml, &ValueRequest { dialect, path, key, quoted }, known);
    completions
}

/// The key whose values are completed.
pub(super) struct ValueRequest<'a> {
    pub dialect: Option<Dialect>,
    pub path: &'a [String],
    pub key: &'a str,
    pub quoted: Option<char>,
}

/// The values of a key, in any language.
pub(super) fn add_values(
    cx: &CompletionContext<'_>,
    completions: &mut CompletionBuilder,
    syntax: TargetSyntax,
    request: &ValueRequest<'_>,
    known: &[CatalogItem],
) {
    let ValueRequest { dialect, path, key, quoted } = *request;
    let row = known.iter().find(|known| known.name() == key);
    if dialect.is_some() && is_model(dialect, path, key) {
        return add_models(cx, completions, syntax, quoted);
    }
    if let Some(kind) = kind_of_file(key).filter(|_| row.is_some() || dialect.is_some()) {
        add_files(cx, completions, syntax, quoted, kind);
    }
    if let Some(row) = row {
        let versions = VersionFilter::new(cx.project, cx.file.id);
        for (value, deprecated) in versions.values(*row) {
            completions.add(versions.value(*row, syntax, value, quoted, deprecated, cx.lang));
        }
    }
}

/// Whether a key refers to a model.
pub(super) fn is_model(dialect: Option<Dialect>, path: &[String], key: &str) -> bool {
    let keys: Vec<&str> = path.iter().map(String::as_str).chain([key]).collect();
    let meaning = dialect.and_then(|dialect| dialect::meaning(dialect, &keys, &Value::Text("a/b".to_owned())));
    meaning.is_some_and(|meaning| matches!(meaning.concept, Concept::Model | Concept::ReferenceModel | Concept::RewardModel))
}

/// Whether the end of a text is in a comment.
fn in_comment(text: &str) -> bool {
    let (mut quote, mut before) = (None, ' ');
    for c in text.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            // A quote opens only at the start of a value.
            (None, '\'' | '"') if " :[{,-".contains(before) => quote = Some(c),
            (None, '#') if before.is_whitespace() => return true,
            _ => {}
        }
        before = c;
    }
    false
}

fn parse_line(line: &str) -> Line<'_> {
    let line = line.trim_end_matches(['\r', '\n']);
    let mut column = line.len() - line.trim_start_matches(' ').len();
    let mut dashes = Vec::new();
    while let Some(rest) = line[column..].strip_prefix("- ") {
        dashes.push(column);
        column += 2 + rest.len() - rest.trim_start_matches(' ').len();
    }
    let body = &line[column..];
    let colon = body.match_indices(':').map(|(at, _)| at).find(|at| body[at + 1..].is_empty() || body[at + 1..].starts_with(' '));
    let key = colon.map(|at| body[..at].trim().trim_matches(['"', '\''])).filter(|key| !key.is_empty());
    let value = colon.filter(|_| key.is_some()).map_or(body, |at| body[at + 1..].trim_start());
    Line { dashes, column, key, value }
}

fn cursor_target<'a>(line: &Line<'a>) -> Option<CursorTarget<'a>> {
    let Some(key) = line.key else {
        let plain = line.value.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        return plain.then_some(CursorTarget::Key(line.value));
    };
    let value = line.value;
    if value.starts_with(['|', '>', '&', '*', '!', '[', '{']) {
        return None;
    }
    let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let typed = if quote.is_some() { &value[1..] } else { value };
    // After the closing quote, or after a word and a space, the value is complete.
    let complete = quote.is_some_and(|quote| typed.contains(quote)) || quote.is_none() && typed.trim_end().len() < typed.len();
    (!complete).then_some(CursorTarget::Value(key, typed, quote))
}

/// Whether a line is empty or a comment.
fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// The keys of the enclosing blocks, outermost first; `None` inside a multi-line string.
fn path(cx: &CompletionContext<'_>, current: &Line<'_>) -> Option<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    let (mut need, mut same) = (current.column, false);
    let push_dashes = |line: &Line<'_>, found: &mut Vec<String>, need: &mut usize, same: &mut bool| {
        for dash in line.dashes.iter().rev() {
            found.push("[]".to_owned());
            (*need, *same) = (*dash, true);
        }
    };
    push_dashes(current, &mut found, &mut need, &mut same);
    let above = &cx.before()[..cx.line_start()];
    for text in above.split('\n').rev().skip(1) {
        let text = text.trim_start_matches('\u{feff}');
        if text.starts_with("---") || need == 0 && !same {
            break;
        }
        if is_blank(text) {
            continue;
        }
        let line = parse_line(text);
        if line.column < need || same && line.column == need && line.dashes.is_empty() {
            let value = line.value.split(" #").next().unwrap_or_default().trim();
            let opens = value.is_empty() || value.starts_with(['&', '!', '#']);
            let key = line.key.filter(|_| opens)?;
            found.push(key.to_owned());
            (need, same) = (line.column, false);
            push_dashes(&line, &mut found, &mut need, &mut same);
        } else if let Some(dash) = line.dashes.iter().rev().find(|dash| **dash < need) {
            found.push("[]".to_owned());
            (need, same) = (*dash, true);
        }
    }
    found.reverse();
    Some(found)
}

/// The keys of the same block, without the one at the cursor.
fn siblings(cx: &CompletionContext<'_>, current: &Line<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let column = current.column;
    let above = &cx.before()[..cx.line_start()];
    if current.dashes.is_empty() {
        for text in above.split('\n').rev().skip(1).filter(|text| !is_blank(text)) {
            let text = text.trim_start_matches('\u{feff}');
            let line = parse_line(text);
            if text.starts_with("---") || line.column < column {
                break;
            }
            if line.column == column {
                found.extend(line.key.map(str::to_owned));
                if !line.dashes.is_empty() {
                    break;
                }
            }
        }
    }
    let below = cx.after().split_once('\n').map_or("", |(_, below)| below);
    for text in below.split('\n').filter(|text| !is_blank(text)) {
        let line = parse_line(text);
        let outside = line.column < column || line.dashes.first().is_some_and(|dash| *dash < column);
        if text.starts_with("---") || outside {
            break;
        }
        if line.column == column && line.dashes.is_empty() {
            found.extend(line.key.map(str::to_owned));
        }
    }
    found
}

//! Keyword arguments of library calls, and their values.

use super::builder::{CompletionBuilder, Item};
use super::catalog_item::{Availability, CatalogItem, VersionFilter};
use super::common_values;
use super::json;
use super::sources::{add_files, add_models, kind_of_file};
use super::target_syntax::TargetSyntax;
use super::yaml::{is_model, weight};
use super::{CompletionContext, CompletionKind, vocabulary};
use vramlint_catalog::Dialect;
use vramlint_syntax::python::Module;

/// A bracket that is open at the cursor.
#[derive(Debug, Default)]
struct OpenBracket {
    /// The callee, for the bracket of a call.
    callee: String,
    keywords: Vec<String>,
    /// The index of the argument, and what is written of it.
    number: usize,
    argument: Argument,
    /// Start of the bracket, for a dict.
    dict: Option<usize>,
    /// The keyword whose value it is.
    keyword: Option<String>,
}

/// The argument that is being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Argument {
    #[default]
    Nothing,
    /// A name so far.
    Name(String),
    /// `name=` without a value.
    Keyword(String),
    /// A complete argument.
    Whole,
}

/// A token.
#[derive(Debug)]
enum Token<'a> {
    Name(&'a str),
    /// A string, and whether it is closed.
    Text {
        start: usize,
        closed: bool,
        quote: char,
    },
    Comment,
    Mark(char),
    Line,
}

/// The completions at the cursor.
pub(super) fn completions(cx: &CompletionContext<'_>, module: &Module) -> Option<CompletionBuilder> {
    let before = cx.before();
    let mut frames: Vec<OpenBracket> = Vec::new();
    let (mut at, mut dotted, mut quoted) = (0, String::new(), None);
    let mut word = "";
    while let Some((token, end)) = next(before, at) {
        let last = end == before.len();
        let start = at;
        at = end;
        match &token {
            Token::Comment if last => return None,
            Token::Text { start, closed: false, quote } if last => quoted = Some((*start, *quote)),
            Token::Name(name) if last => {
                word = name;
                // The receiver decides.
                if dotted.ends_with('.') {
                    return None;
                }
            }
            _ => {
                if matches!(token, Token::Name(name) if is_statement(before, start, name)) {
                    // An earlier bracket was never closed.
                    frames.clear();
                }
                step(&mut frames, &mut dotted, &token, end);
            }
        }
    }
    if frames.last().is_some_and(|frame| frame.dict.is_some()) {
        return dict(cx, &frames);
    }
    let frame = frames.last_mut().filter(|frame| !frame.callee.is_empty())?;
    let callee = std::mem::take(&mut frame.callee);
    let class = vocabulary::class_of_callee(module, &callee)?;
    let taken: Vec<String> = frame.keywords.iter().cloned().chain(following_keys(cx.after())).collect();
    let known = vocabulary::fields(&[class]);
    let value = |name: &str, quoted: Option<(usize, char)>| {
        let start = quoted.map_or(cx.offset - word.len(), |(start, _)| start);
        Some(values(cx, start, name, quoted.map(|(_, quote)| quote), &known))
    };
    match (&frame.argument, quoted) {
        (Argument::Keyword(name), quoted) => value(name, quoted),
        (Argument::Nothing, Some(_)) => {
            let own = class.fields().find(|field| field.position == Some(frame.number));
            let loads = callee.ends_with(".from_pretrained") && frame.number == 0;
            let name = own.map_or(if loads { "pretrained_model_name_or_path" } else { "" }, |field| field.name.as_str());
            if name.is_empty() { None } else { value(name, quoted) }
        }
        (Argument::Nothing, None) => Some(keywords(cx, word, &known, &taken)),
        _ => None,
    }
}

fn keywords(cx: &CompletionContext<'_>, typed: &str, known: &[CatalogItem], taken: &[String]) -> CompletionBuilder {
    let versions = VersionFilter::new(cx.project, cx.file.id);
    let rest = cx.rest().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let has_equals = rest.trim_start().starts_with('=');
    let mut completions = CompletionBuilder::new(cx.offset - typed.len(), cx.offset, typed);
    for known in known {
        if !completions.matches_typed(known.name()) || taken.iter().any(|key| key == known.name()) {
            continue;
        }
        let availability = versions.availability(*known);
        if availability != Availability::Unavailable {
            let text = if has_equals { known.name().to_owned() } else { format!("{}=", known.name()) };
            completions.add(versions.key(*known, text, availability, cx.lang, weight(Some(Dialect::HfTrainer), *known)));
        }
    }
    completions
}

fn values(
    cx: &CompletionContext<'_>,
    start: usize,
    name: &str,
    quoted: Option<char>,
    known: &[CatalogItem],
) -> CompletionBuilder {
    let mut completions = CompletionBuilder::new(start, cx.offset, cx.before().get(start..).unwrap_or_default());
    let dialects = [Dialect::HfTrainer, Dialect::Trl, Dialect::Unsloth];
    if name == "pretrained_model_name_or_path" || dialects.iter().any(|dialect| is_model(Some(*dialect), &[], name)) {
        add_models(cx, &mut completions, TargetSyntax::Python, quoted);
        return completions;
    }
    if let Some(kind) = kind_of_file(name) {
        add_files(cx, &mut completions, TargetSyntax::Python, quoted, kind);
    }
    if quoted.is_none() && common_values::is_dtype(name) {
        for value in common_values::values(name).iter().filter(|value| **value != "auto") {
            let label = format!("torch.{value}");
            let (detail, documentation) = (String::new(), String::new());
            let kind = CompletionKind::Value;
            completions.add(Item { text: label.clone(), label, detail, documentation, kind, deprecated: false, weight: 0 });
        }
    }
    if let Some(row) = known.iter().find(|known| known.name() == name) {
        let show = quoted.is_none() || row.kind() != vramlint_catalog::keys::KeyType::Bool;
        let versions = VersionFilter::new(cx.project, cx.file.id);
        for (value, deprecated) in versions.values(*row).into_iter().filter(|_| show) {
            completions.add(versions.value(*row, TargetSyntax::Python, value, quoted, deprecated, cx.lang));
        }
    }
    completions
}

/// Keys that occur only in DeepSpeed configurations.
const DEEPSPEED_ONLY_KEYS: &[&str] = &["zero_optimization", "train_micro_batch_size_per_gpu", "train_batch_size"];

/// Completions in a DeepSpeed configuration that is a Python dict.
fn dict(cx: &CompletionContext<'_>, frames: &[OpenBracket]) -> Option<CompletionBuilder> {
    let outermost = frames.iter().rev().take_while(|frame| frame.dict.is_some()).last()?;
    json::completions_in(cx, TargetSyntax::Python, outermost.dict?, |at| {
        let is_deepspeed_argument =
            outermost.keyword.as_deref().is_some_and(|name| matches!(name, "deepspeed" | "hf_ds_config" | "config_params"));
        let has_deepspeed_key = at.root.iter().any(|key| DEEPSPEED_ONLY_KEYS.contains(&key.as_str()));
        (is_deepspeed_argument || has_deepspeed_key).then(|| (vocabulary::deepspeed_items(&at.path), Some(Dialect::DeepSpeed)))
    })
}

/// Processes a token that ends at `end`.
fn step(frames: &mut Vec<OpenBracket>, dotted: &mut String, token: &Token<'_>, end: usize) {
    let name = match token {
        Token::Name(name) => {
            if dotted.ends_with('.') {
                dotted.push_str(name);
            } else {
                (*name).clone_into(dotted);
            }
            if let Some(frame) = frames.last_mut() {
                frame.argument = match &frame.argument {
                    Argument::Nothing => Argument::Name((*name).to_owned()),
                    _ => Argument::Whole,
                };
            }
            return;
        }
        Token::Mark('.') if !dotted.is_empty() => {
            dotted.push('.');
            if let Some(frame) = frames.last_mut() {
                frame.argument = Argument::Whole;
            }
            return;
        }
        _ => std::mem::take(dotted),
    };
    match token {
        Token::Mark('(') => {
            if let Some(frame) = frames.last_mut() {
                frame.argument = Argument::Whole;
            }
            frames.push(OpenBracket { callee: name, ..OpenBracket::default() });
        }
        Token::Mark(mark @ ('[' | '{')) => {
            let before = frames.last_mut().map(|frame| std::mem::replace(&mut frame.argument, Argument::Whole));
            let keyword = if let Some(Argument::Keyword(name)) = before { Some(name) } else { None };
            frames.push(OpenBracket { dict: (*mark == '{').then_some(end - 1), keyword, ..OpenBracket::default() });
        }
        Token::Mark(')' | ']' | '}') => _ = frames.pop(),
        Token::Mark(',') => {
            if let Some(frame) = frames.last_mut() {
                frame.argument = Argument::Nothing;
                frame.number += 1;
            }
        }
        Token::Mark(mark) => {
            if let Some(frame) = frames.last_mut() {
                frame.argument = match (mark, std::mem::take(&mut frame.argument)) {
                    ('=', Argument::Name(name)) => {
                        frame.keywords.push(name.clone());
                        Argument::Keyword(name)
                    }
                    _ => Argument::Whole,
                };
            }
        }
        Token::Text { .. } => {
            if let Some(frame) = frames.last_mut() {
                frame.argument = Argument::Whole;
            }
        }
        Token::Comment | Token::Line | Token::Name(_) => {}
    }
}

/// Whether a keyword starts a statement: first on its line, where no bracketed expression has such a keyword.
fn is_statement(text: &str, start: usize, name: &str) -> bool {
    let line = text[..start].rsplit('\n').next().unwrap_or_default();
    let words = ["def", "class", "import", "from", "return", "with", "raise", "try", "while", "elif", "except", "del", "assert"];
    line.trim().is_empty() && words.contains(&name)
}

/// The token at an offset and its end; leading whitespace belongs to it.
fn next(text: &str, at: usize) -> Option<(Token<'_>, usize)> {
    let rest = text.get(at..)?;
    let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\\', '\u{feff}', '\u{c}']).len();
    let start = at + blank;
    let c = text[start..].chars().next()?;
    let end = start + c.len_utf8();
    Some(match c {
        '\n' => (Token::Line, end),
        '#' => (Token::Comment, text[start..].find('\n').map_or(text.len(), |length| start + length)),
        '\'' | '"' => string(text, start, c),
        c if c.is_alphanumeric() || c == '_' => {
            let length = text[start..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len() - start);
            let name = &text[start..start + length];
            match text[start + length..].chars().next() {
                // The prefix of a string.
                Some(quote @ ('\'' | '"')) if length <= 2 && name.chars().all(|c| "rbfuRBFU".contains(c)) => {
                    string(text, start + length, quote)
                }
                _ => (Token::Name(name), start + length),
            }
        }
        // `==`, `!=`, `<=`, `>=` and `:=` assign no keyword.
        '=' | '!' | '<' | '>' | ':' if text[end..].starts_with('=') => (Token::Mark('?'), end + 1),
        c => (Token::Mark(c), end),
    })
}

fn string(text: &str, start: usize, quote: char) -> (Token<'_>, usize) {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let long = text[start..].starts_with(&triple);
    let open = start + if long { 3 } else { 1 };
    let mut escaped = false;
    for (offset, c) in text[open..].char_indices() {
        let at = open + offset;
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if !long => return (Token::Text { start: open, closed: true, quote }, at),
            _ if c == quote && long && text[at..].starts_with(&triple) => {
                return (Token::Text { start: open, closed: true, quote }, at + 3);
            }
            _ if c == quote && !long => return (Token::Text { start: open, closed: true, quote }, at + 1),
            _ => {}
        }
    }
    (Token::Text { start: open, closed: false, quote }, text.len())
}

/// The keywords of the same call after the cursor.
fn following_keys(text: &str) -> Vec<String> {
    let mut frames = vec![OpenBracket { argument: Argument::Whole, ..OpenBracket::default() }];
    let (mut at, mut dotted) = (0, String::new());
    // The rest of the word at the cursor.
    if let Some((Token::Name(_), end)) = next(text, 0).filter(|_| text.starts_with(|c: char| c.is_alphanumeric() || c == '_')) {
        at = end;
    }
    while let Some((token, end)) = next(text, at) {
        if matches!(token, Token::Name(name) if is_statement(text, end - name.len(), name)) {
            break;
        }
        if frames.len() == 1 && matches!(token, Token::Mark(')' | ']' | '}')) {
            break;
        }
        step(&mut frames, &mut dotted, &token, end);
        at = end;
    }
    frames.into_iter().next().map(|frame| frame.keywords).unwrap_or_default()
}

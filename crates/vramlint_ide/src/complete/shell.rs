//! Flags of launch commands and their values.

use super::builder::{CompletionBuilder, Item};
use super::catalog_item::{Availability, CatalogItem, VersionFilter};
use super::sources::{add_files, add_models, add_programs, kind_of_file};
use super::target_syntax::TargetSyntax;
use super::yaml::is_model;
use super::{CompletionContext, CompletionKind, vocabulary};
use vramlint_base::Lang;
use vramlint_catalog::Dialect;
use vramlint_catalog::classes;
use vramlint_catalog::flags::{self, Arity, Flag, Launcher};
use vramlint_catalog::keys::KeyType;

/// An unquoted word of the command.
#[derive(Clone, Debug)]
struct Word {
    text: String,
    start: usize,
    /// The quote that is open at the cursor.
    quote: Option<char>,
}

/// The completions at the cursor.
pub(super) fn completions(cx: &CompletionContext<'_>) -> Option<CompletionBuilder> {
    let mut words = words(cx)?;
    let current = words.pop()?;
    let first = words.iter().position(|word| !is_assignment(&word.text))?;
    let wrapped = WRAPPERS.contains(&words[first].text.rsplit('/').next().unwrap_or_default());
    let last = if wrapped { words.len() } else { first + 1 };
    let position = (first..last).find_map(|at| launcher(&words[at..]).map(|(launcher, used)| (launcher, at + used)));
    let (launcher, from) = position?;
    let arguments = &words[from..];
    // The launcher has no flags before the configuration.
    if launcher.is_all_arguments && (!arguments.is_empty() || current.text.starts_with('-')) {
        return option_completions(cx, launcher, "", arguments, &current);
    }
    let flags_of_launcher = LauncherFlags { launcher };
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        if !word.text.starts_with('-') {
            return option_completions(cx, launcher, &word.text, &arguments[at + 1..], &current);
        }
        let name = word.text.split('=').next().unwrap_or_default();
        let flag = flags::flag(launcher, name);
        let module = matches!(name, "-m" | "--module");
        let takes_value = flag.is_some_and(|flag| flag.arity == Arity::One) && name == word.text;
        // The module is the program.
        if module && flag.is_none_or(|flag| flag.arity == Arity::Switch) && arguments.len() > at + 1 {
            return option_completions(cx, launcher, &arguments[at + 1].text, &arguments[at + 2..], &current);
        }
        if takes_value && at + 1 == arguments.len() && !current.text.starts_with('-') {
            return Some(value(cx, name, flags_of_launcher.row(name), &current, &current.text));
        }
        at += if takes_value { 2 } else { 1 };
    }
    if let Some((name, typed)) = current.text.split_once('=').filter(|(name, _)| name.starts_with('-')) {
        return Some(value(cx, name, flags_of_launcher.row(name), &current, typed));
    }
    if current.quote.is_some() {
        return None;
    }
    let mut completions = CompletionBuilder::new(current.start, cx.offset, &current.text);
    if !current.text.starts_with('-') {
        program_completions(cx, launcher, &mut completions);
    }
    if current.text.is_empty() || current.text.starts_with('-') {
        flags_of_launcher.add(cx, &mut completions, arguments);
    }
    Some(completions)
}

/// Programs that run the command after them.
#[rustfmt::skip]
const WRAPPERS: &[&str] = &[
    "env", "nohup", "time", "exec", "sudo", "command", "nice", "ionice", "numactl", "timeout", "stdbuf", "srun", "mpirun", "mpiexec",
    "uv", "uvx", "poetry", "pipenv", "pdm", "conda", "micromamba", "docker", "podman", "singularity", "apptainer", "nsys", "ssh",
    "then", "do", "else", "if", "!", "{", "RUN", "CMD",
];

/// `CUDA_VISIBLE_DEVICES=0` before a command.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// What can be written instead of the program.
fn program_completions(cx: &CompletionContext<'_>, launcher: Launcher, completions: &mut CompletionBuilder) {
    launcher.subcommands().for_each(|word| completions.add(plain_item(word, CompletionKind::Value)));
    if launcher.config.is_first {
        add_files(cx, completions, TargetSyntax::Shell, None, vramlint_resolve::FileKind::is_training);
    } else if launcher.subcommands().next().is_none() {
        add_programs(cx, completions);
    }
}

/// The options of the program.
fn option_completions(
    cx: &CompletionContext<'_>,
    launcher: Launcher,
    script: &str,
    arguments: &[Word],
    current: &Word,
) -> Option<CompletionBuilder> {
    let (known, own) = vocabulary::program_options(cx.project, cx.file, launcher, script);
    let find = |name: &str| {
        let name = name.trim_start_matches('-').replace('-', "_");
        known.iter().copied().find(|known| known.name() == name)
    };
    if let Some((name, typed)) = current.text.split_once('=').filter(|(name, _)| name.starts_with('-')) {
        return Some(value(cx, name, find(name), current, typed));
    }
    let last = arguments.last().map(|word| word.text.as_str());
    if let Some(flag) = last.filter(|word| word.starts_with('-') && !word.contains('='))
        && !current.text.starts_with('-')
    {
        return Some(value(cx, flag, find(flag), current, &current.text));
    }
    if current.quote.is_some() || !current.text.is_empty() && !current.text.starts_with('-') {
        return None;
    }
    let versions = VersionFilter::new(cx.project, cx.file.id);
    let taken = |name: &str| arguments.iter().any(|word| word.text.split('=').next() == Some(name));
    let mut completions = CompletionBuilder::new(current.start, cx.offset, &current.text);
    for known in &known {
        let name = format!("--{}", known.name());
        let availability = versions.availability(*known);
        if availability != Availability::Unavailable && !taken(&name) && completions.matches_typed(&name) {
            let draft = versions.key(*known, format!("{name} "), availability, cx.lang, 1);
            completions.add(Item { label: name, ..draft });
        }
    }
    for name in own.iter().filter(|name| !taken(name)) {
        completions.add(Item { text: format!("{name} "), ..plain_item(name, CompletionKind::Key) });
    }
    Some(completions)
}

fn plain_item(word: &str, kind: CompletionKind) -> Item {
    let label = word.to_owned();
    Item { text: label.clone(), label, detail: String::new(), documentation: String::new(), kind, deprecated: false, weight: 0 }
}

/// The values of a flag; `typed` is the part of the current word that belongs to the value.
fn value(cx: &CompletionContext<'_>, name: &str, row: Option<CatalogItem>, current: &Word, typed: &str) -> CompletionBuilder {
    let mut completions = CompletionBuilder::new(cx.offset - typed.len(), cx.offset, typed);
    let quoted = current.quote;
    let key = name.trim_start_matches('-').replace('-', "_");
    let by_command = |dialect: &&Dialect| dialect.files.is_some();
    if Dialect::ALL.iter().filter(by_command).any(|dialect| is_model(Some(*dialect), &[], &key)) {
        add_models(cx, &mut completions, TargetSyntax::Shell, quoted);
        return completions;
    }
    if let Some(kind) = kind_of_file(&key) {
        add_files(cx, &mut completions, TargetSyntax::Shell, quoted, kind);
    }
    if let Some(row) = row {
        let versions = VersionFilter::new(cx.project, cx.file.id);
        for (value, deprecated) in versions.values(row) {
            completions.add(versions.value(row, TargetSyntax::Shell, value, quoted, deprecated, cx.lang));
        }
    }
    completions
}

/// The flags of a launcher with their catalog rows.
struct LauncherFlags {
    launcher: Launcher,
}

impl LauncherFlags {
    /// The row of a flag; only accelerate's launcher has rows.
    fn row(&self, name: &str) -> Option<CatalogItem> {
        if self.launcher != Launcher::Accelerate {
            return None;
        }
        let name = name.trim_start_matches('-').replace('-', "_");
        classes::find("accelerate.launch")?.field(&name).map(CatalogItem::Field)
    }

    fn add(&self, cx: &CompletionContext<'_>, completions: &mut CompletionBuilder, arguments: &[Word]) {
        let versions = VersionFilter::new(cx.project, cx.file.id);
        for flag in flags::flags(self.launcher) {
            let taken = arguments.iter().any(|word| flag.names.contains(&word.text.split('=').next().unwrap_or_default()));
            let name = flag.names.iter().find(|name| name.starts_with("--")).or(flag.names.first());
            let Some(name) = name.filter(|name| !taken && completions.matches_typed(name)) else { continue };
            let text = if flag.arity == Arity::One { format!("{name} ") } else { (*name).to_owned() };
            let row = self.row(name);
            let availability = row.map_or(Availability::Available, |row| versions.availability(row));
            if availability == Availability::Unavailable {
                continue;
            }
            let weight = u32::from(flag.concept.is_none());
            let draft = match row.filter(|row| row.kind() != KeyType::Bool || flag.arity == Arity::One) {
                Some(row) => versions.key(row, text, availability, cx.lang, weight),
                None => Item { text, weight, ..plain_item(name, CompletionKind::Key) },
            };
            let documentation = row.map_or(draft.documentation, |row| row.documentation(cx.lang));
            let detail = if draft.detail.is_empty() { arity_text(flag, cx.lang) } else { draft.detail };
            completions.add(Item { label: (*name).to_owned(), detail, documentation, ..draft });
        }
    }
}

/// What a flag without a row takes.
fn arity_text(flag: &Flag, lang: Lang) -> String {
    let takes_value = match (flag.arity, lang) {
        (Arity::Switch, Lang::En) => "switch",
        (Arity::Switch, Lang::Zh) => "开关",
        (Arity::One, Lang::En) => "takes a value",
        (Arity::One, Lang::Zh) => "带一个值",
        (Arity::Many, Lang::En) => "takes values",
        (Arity::Many, Lang::Zh) => "带若干值",
    };
    flag.concept.map_or_else(|| takes_value.to_owned(), |concept| format!("{takes_value}: {}", concept.name()))
}

/// The launcher at the start of the words, and how many words it takes.
fn launcher(words: &[Word]) -> Option<(Launcher, usize)> {
    let texts: Vec<Option<&str>> = words.iter().map(|word| Some(word.text.as_str())).collect();
    match Launcher::of_words(&texts) {
        // What it starts is still to come.
        Some((Launcher::Python, _)) if texts.len() < 2 || texts[1] == Some("-m") && texts.len() < 3 => None,
        None if texts.len() == 1 => Some((Launcher::of_program(&words[0].text)?, 1)),
        found => found,
    }
}

/// The words of the command up to the cursor, the last one at the cursor; `None` in a comment.
fn words(cx: &CompletionContext<'_>) -> Option<Vec<Word>> {
    let mark = match cx.file.extension().as_str() {
        "ps1" => '`',
        "bat" | "cmd" => '^',
        _ => '\\',
    };
    let before = cx.before();
    let mut start = cx.line_start();
    // Find the first line of the command.
    while let Some(above) =
        start.checked_sub(1).map(|end| &before[..end]).filter(|above| above.trim_end_matches('\r').ends_with(mark))
    {
        start = above.rfind('\n').map_or(0, |at| at + 1);
    }
    let mut words: Vec<Word> = Vec::new();
    let mut current: Option<Word> = None;
    let mut quote: Option<char> = None;
    let mut letters = before[start..].char_indices().peekable();
    while let Some((offset, c)) = letters.next() {
        let at = start + offset;
        let goes_on = c == mark && letters.peek().is_some_and(|(_, next)| matches!(next, '\n' | '\r'));
        if goes_on && quote.is_none() {
            words.extend(current.take());
            while letters.next_if(|(_, next)| matches!(next, '\n' | '\r')).is_some() {}
            continue;
        }
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), '\n') => return None,
            (None, '\'' | '"') => {
                current.get_or_insert_with(|| Word { text: String::new(), start: at, quote: None });
                quote = Some(c);
            }
            (None, '#') if current.is_none() => return None,
            (None, ';' | '|' | '&' | '(' | ')' | '\n') => {
                words.clear();
                current = None;
            }
            (None, _) if c.is_whitespace() => words.extend(current.take()),
            _ => push(&mut current, at, c),
        }
    }
    let mut last = current.unwrap_or(Word { text: String::new(), start: cx.offset, quote: None });
    last.quote = quote;
    words.push(last);
    Some(words)
}

fn push(current: &mut Option<Word>, at: usize, c: char) {
    current.get_or_insert_with(|| Word { text: String::new(), start: at, quote: None }).text.push(c);
}

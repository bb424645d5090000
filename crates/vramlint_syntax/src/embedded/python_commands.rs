//! Commands that a Python program starts: `subprocess.run(["torchrun", …])`, `os.system("python train.py …")`.

use super::head_commands::starts_program;
use super::pieces::Pieces;
use super::{Embedded, Language};
use crate::python::{self, Argument, ArgumentKind, Call, Expr, ExprKind, Module, StmtKind};
use memchr::memmem;
use std::collections::{BTreeMap, BTreeSet};
use vramlint_base::Value;

/// Functions that start the command in their first argument, by the last part of their name.
const STARTERS: &[&str] = &["system", "popen", "Popen", "run", "call", "check_call", "check_output", "run_command", "run_cmd"];
/// What a program that starts others mentions.
const MODULES: &[&str] = &["subprocess", "os.system", "os.popen", "os.exec"];
/// What a command that trains mentions.
const PROGRAMS: &[&str] = &["torchrun", "accelerate", "deepspeed", "llamafactory-cli", "axolotl", ".py"];
/// Bytes of a program that is read at most.
const MAX_BYTES: usize = 200_000;
/// A word that is not known.
const UNKNOWN: &str = "${_}";

/// The commands that a program starts: lists of words that begin with a launcher, and strings that a starting function takes.
pub fn python_commands(text: &str) -> Option<Embedded> {
    let has = |words: &[&str]| words.iter().any(|word| memmem::find(text.as_bytes(), word.as_bytes()).is_some());
    if text.len() > MAX_BYTES || !has(MODULES) || !has(PROGRAMS) {
        return None;
    }
    let module = python::parse(text);
    let program = Program::read(&module);
    let mut pieces = Pieces::new(text);
    for located in module.statements() {
        let statement = located.stmt;
        let assigned = match &statement.kind {
            StmtKind::Assign { targets, .. } => targets.first().and_then(Expr::as_name),
            _ => None,
        };
        for expr in statement.expressions() {
            program.add_commands(text, expr, assigned, &mut pieces);
        }
    }
    let found = pieces.finish(Language::Bash, None)?;
    Some(Embedded { is_executed: true, ..found })
}

/// What is known of the names of a program.
#[derive(Default)]
struct Program<'a> {
    /// Values that a name has once and for all.
    constants: BTreeMap<&'a str, &'a Value>,
    /// The options that lists get after they are made, by the name of the list.
    growing: BTreeMap<&'a str, Vec<&'a str>>,
    /// Names that a starting function takes.
    started: BTreeSet<&'a str>,
}

impl<'a> Program<'a> {
    fn read(module: &'a Module) -> Self {
        let mut program = Self::default();
        let mut seen = BTreeSet::new();
        for located in module.statements() {
            let statement = located.stmt;
            match &statement.kind {
                StmtKind::Assign { targets, value: Some(value), .. } => {
                    for name in targets.iter().filter_map(Expr::as_name) {
                        match value.as_value() {
                            Some(value) if seen.insert(name) => program.constants.insert(name, value),
                            _ => program.constants.remove(name),
                        };
                        seen.insert(name);
                    }
                }
                StmtKind::AugAssign { target, value, .. } => program.grow(target, value),
                _ => {}
            }
        }
        for site in module.calls() {
            if let ExprKind::Attribute(list, name, _) = &site.call.callee.kind
                && matches!(name.as_str(), "append" | "extend" | "insert")
            {
                site.call.args.iter().for_each(|argument| program.grow(list, &argument.value));
            }
            if is_starter(site.call) {
                program.started.extend(first(site.call).map(unsplit).and_then(Expr::as_name));
            }
        }
        program
    }

    /// Notes what a list gets.
    fn grow(&mut self, list: &'a Expr, value: &'a Expr) {
        let Some(name) = list.as_name() else { return };
        let options = self.growing.entry(name).or_default();
        let is_option =
            |word: &&str| word.starts_with("--") && word[2..].bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
        options.extend(value.walk().filter_map(Expr::as_str).filter(is_option));
    }

    fn add_commands(&self, text: &str, expr: &Expr, assigned: Option<&str>, pieces: &mut Pieces<'_>) {
        let mut words = Vec::new();
        let closed = flatten(expr, &mut words);
        if self.is_command(text, &words) {
            for (number, word) in words.iter().enumerate() {
                if number > 0 {
                    pieces.add(word.range.start as usize, " ");
                }
                self.add_word(text, word, pieces);
            }
            let added = assigned.and_then(|name| self.growing.get(name));
            let end = expr.range.end as usize;
            for option in added.into_iter().flatten() {
                pieces.add(end, &format!(" {option} \"{UNKNOWN}\""));
            }
            if !closed || added.is_some() {
                pieces.add(end, &format!(" \"{UNKNOWN}\""));
            }
            return pieces.end_line(expr.range.end as usize);
        }
        let is_started = assigned.is_some_and(|name| self.started.contains(name));
        if is_started && self.add_line(text, expr, pieces) {
            return;
        }
        if let Some(call) = expr.as_call().filter(|call| is_starter(call))
            && let Some(command) = first(call).map(unsplit)
            && self.add_line(text, command, pieces)
        {
            return;
        }
        for child in expr.children() {
            self.add_commands(text, child, assigned, pieces);
        }
    }

    /// Whether words begin with a launcher and what it starts.
    fn is_command(&self, text: &str, words: &[&Expr]) -> bool {
        let shown: Vec<String> = words.iter().take(4).map(|word| self.shown(text, word)).collect();
        words.len() >= 2 && starts_program(&shown.join(" "))
    }

    /// A word as far as it is known.
    fn shown(&self, text: &str, word: &Expr) -> String {
        match &word.kind {
            ExprKind::Value(value) => written(value),
            ExprKind::Attribute(..) if word.dotted().as_deref() == Some("sys.executable") => "python".to_owned(),
            ExprKind::Name(name) => self.constants.get(name.as_str()).map_or_else(|| UNKNOWN.to_owned(), |value| written(value)),
            ExprKind::FString(_) => self.filled(word.range.slice(text)),
            _ => UNKNOWN.to_owned(),
        }
    }

    /// The text of an f-string, with the values of the names in it that are known. `raw` may hold several literals in a row.
    fn filled(&self, raw: &str) -> String {
        let mut found = String::new();
        let mut rest = raw;
        while let Some(start) = rest.find(['"', '\'']) {
            let quote = &rest[start..=start];
            let triple = quote.repeat(3);
            let mark = if rest[start..].starts_with(&triple) { triple.as_str() } else { quote };
            let is_filled = rest[..start].ends_with(['f', 'F']) || rest[..start].to_lowercase().ends_with("fr");
            let own = &rest[start + mark.len()..];
            let end = own.find(mark).unwrap_or(own.len());
            self.fill(&own[..end], is_filled, &mut found);
            rest = own.get(end + mark.len()..).unwrap_or("");
        }
        found
    }

    fn fill(&self, literal: &str, is_filled: bool, found: &mut String) {
        let mut rest = literal;
        while let Some(at) = rest.find('{').filter(|_| is_filled) {
            found.push_str(&rest[..at]);
            if let Some(after) = rest[at..].strip_prefix("{{") {
                found.push('{');
                rest = after;
                continue;
            }
            let end = rest[at..].find('}').map_or(rest.len(), |end| at + end);
            let name = rest[at + 1..end].trim();
            found.push_str(&self.constants.get(name).map_or_else(|| UNKNOWN.to_owned(), |value| written(value)));
            rest = rest.get(end + 1..).unwrap_or("");
        }
        found.push_str(&rest.replace("}}", "}"));
    }

    /// Takes one word of a list.
    fn add_word(&self, text: &str, word: &Expr, pieces: &mut Pieces<'_>) {
        let at = word.range.start as usize;
        let shown = self.shown(text, word);
        let known = shown.replace(UNKNOWN, "");
        if known.contains(['$', '`', '\\', '"']) {
            return pieces.add(at, UNKNOWN);
        }
        let simple =
            known.chars().all(|c| c.is_alphanumeric() || "_-./:=,@%+".contains(c)) && known == shown && !shown.is_empty();
        let quote = if simple { "" } else { "\"" };
        pieces.add(at, quote);
        match inner(text, word) {
            Some(range) => pieces.copy(range),
            None => pieces.add(at, &shown),
        }
        pieces.add(word.range.end as usize, quote);
    }

    /// Takes a string that starts a program. Returns whether it does.
    fn add_line(&self, text: &str, command: &Expr, pieces: &mut Pieces<'_>) -> bool {
        let shown = self.shown(text, command);
        let is_text = matches!(command.kind, ExprKind::FString(_)) || command.as_str().is_some();
        if !is_text || !shown.lines().any(|line| starts_program(line.trim())) {
            return false;
        }
        match inner(text, command) {
            Some(range) => pieces.copy(range),
            None => pieces.add(command.range.start as usize, &shown),
        }
        pieces.end_line(command.range.end as usize);
        true
    }
}

/// The items of a list, or of a sum of lists; `false` if there are others that are not visible.
fn flatten<'e>(expr: &'e Expr, words: &mut Vec<&'e Expr>) -> bool {
    match &expr.kind {
        ExprKind::List(items) => {
            words.extend(items.iter().filter(|item| !matches!(item.kind, ExprKind::Other(_))));
            !items.iter().any(|item| matches!(item.kind, ExprKind::Other(_)))
        }
        ExprKind::Binary(left, "+", right) => {
            let whole = flatten(left, words);
            !words.is_empty() && flatten(right, words) && whole
        }
        _ => false,
    }
}

/// A value as a word of a command.
fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The place of a string without its quotes, if it is written as it reads.
fn inner(text: &str, expr: &Expr) -> Option<std::ops::Range<usize>> {
    let own = expr.as_str().filter(|own| !own.is_empty())?;
    let range = expr.range.as_usize();
    let raw = text.get(range.clone())?;
    let start = raw.find(own).filter(|start| raw.len() - own.len() - start <= 3 && *start <= 4)?;
    Some(range.start + start..range.start + start + own.len())
}

fn is_starter(call: &Call) -> bool {
    call.callee.dotted().is_some_and(|name| STARTERS.contains(&name.rsplit('.').next().unwrap_or("")))
}

/// The command that `shlex.split(command)` or `command.split()` splits into words.
fn unsplit(expr: &Expr) -> &Expr {
    let Some(call) = expr.as_call() else { return expr };
    match &call.callee.kind {
        _ if call.callee.dotted().as_deref() == Some("shlex.split") => first(call).unwrap_or(expr),
        ExprKind::Attribute(command, name, _) if name == "split" && call.args.is_empty() => command,
        _ => expr,
    }
}

fn first(call: &Call) -> Option<&Expr> {
    call.args.first().filter(|argument: &&Argument| argument.kind == ArgumentKind::Positional).map(|argument| &argument.value)
}

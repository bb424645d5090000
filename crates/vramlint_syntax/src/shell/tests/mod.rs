//! Text in, expectation out.

mod bash_flow;
mod bash_words;
mod other;
mod robust;

use super::{Script, Word};
use std::fmt::Write;

/// Commands one per line: marks, environment, words. `?` is an unknown word; words with blanks are in `'…'`.
fn commands(script: &Script) -> String {
    let mut out = String::new();
    for command in &script.commands {
        let mut marks = Vec::new();
        marks.extend(command.function.as_ref().map(|name| format!("fn {name}")));
        marks.extend(command.in_loop.then(|| "loop".to_owned()));
        marks.extend(command.conditional.then(|| "maybe".to_owned()));
        if !marks.is_empty() {
            write!(out, "[{}] ", marks.join(", ")).expect("a string takes everything");
        }
        for assignment in &command.environment {
            write!(out, "{}={}; ", assignment.name, word(&assignment.value)).expect("a string takes everything");
        }
        out.push_str(&command.words.iter().map(word).collect::<Vec<_>>().join(" "));
        out.push('\n');
    }
    out
}

fn word(word: &Word) -> String {
    let mut out = match word.text() {
        None => "?".to_owned(),
        Some(text) if text.is_empty() || text.contains([' ', '\n']) => format!("'{text}'"),
        Some(text) => text.to_owned(),
    };
    for assumption in &word.assumptions {
        write!(out, "{{{}={}}}", assumption.variable, assumption.value).expect("a string takes everything");
    }
    out
}

/// The words of the last command with the text of their places and sources: `4 <- $A <- 4`.
fn origins(text: &str, script: &Script) -> String {
    let last = script.commands.last().expect("the script has a command");
    let mut out = String::new();
    for part in &last.words {
        write!(out, "{} @ {}", word(part), part.range.slice(text)).expect("a string takes everything");
        for source in &part.sources {
            write!(out, " <- {}", source.slice(text)).expect("a string takes everything");
        }
        out.push('\n');
    }
    out
}

/// Compares, blind to indentation.
#[track_caller]
fn same(got: &str, expected: &str) {
    let clean = |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(clean(got), clean(expected));
}

/// Every range inside the text, at character boundaries.
fn assert_in_bounds(text: &str, script: &Script) {
    let check = |range: vramlint_base::TextRange, what: &str| {
        assert!(text.get(range.as_usize()).is_some(), "{what} {range:?} of {} in {text:?}", text.len());
    };
    let check_word = |word: &Word| {
        check(word.range, "word");
        word.sources.iter().for_each(|source| check(*source, "source"));
        word.assumptions.iter().for_each(|assumption| check(assumption.range, "assumption"));
    };
    for command in &script.commands {
        check(command.range, "command");
        command.words.iter().for_each(check_word);
    }
    for assignment in script.assignments.iter().chain(script.commands.iter().flat_map(|command| &command.environment)) {
        check(assignment.range, "assignment");
        check(assignment.name_range, "name");
        check_word(&assignment.value);
    }
    script.comments.iter().for_each(|comment| check(comment.range, "comment"));
    for directive in &script.directives {
        check(directive.range, "directive");
        directive.words.iter().for_each(check_word);
    }
    for error in &script.errors {
        check(error.range, "error");
        assert!(!error.range.is_empty() || error.range.end as usize == text.len());
    }
}

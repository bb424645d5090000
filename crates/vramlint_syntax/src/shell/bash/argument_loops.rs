//! Loops that read the arguments of the script, round by round, where the arguments are known: `while [ $# -gt 0 ]; do case $1 in …`,
//! `while getopts "m:l:" flag; do …`.

use super::super::scope::{Directory, Positional, nowhere};
use super::super::spanned_text::{Field, Piece, text_of};
use super::super::variables::{Value, Variable};
use super::conditions::depends_on_caller;
use super::walk::{Context, Flow, Walker};
use std::rc::Rc;
use tree_sitter::Node;
use vramlint_base::TextRange;

/// Rounds that are walked; a loop with more is read as any other.
const ROUNDS: usize = 128;

/// What a loop changes, as it is before the first round.
struct Before {
    mark: usize,
    commands: usize,
    assignments: usize,
    positional: Positional,
    directory: Directory,
}

impl<'t> Walker<'t> {
    /// Walks the rounds of a loop over arguments that are known. `false` if this is none; then nothing has changed.
    pub(super) fn argument_loop(&mut self, node: Node<'t>, context: &Context) -> bool {
        let known = matches!(self.scope.positional, Positional::Words { complete: true, .. });
        let Some(body) = node.child_by_field_name("body") else { return false };
        if !known || context.unsure() || node.kind() == "c_style_for_statement" {
            return false;
        }
        let before = Before {
            mark: self.scope.variables.mark(),
            commands: self.script.commands.len(),
            assignments: self.scope.assignments.len(),
            positional: self.scope.positional.clone(),
            directory: self.scope.directory.clone(),
        };
        let done = match node.child_by_field_name("condition") {
            Some(condition) if self.slice(node).starts_with("while") => self.while_loop(condition, body, context),
            Some(_) => false,
            None => self.each_argument(node, body, context),
        };
        if !done {
            self.scope.variables.take_back(before.mark);
            self.script.commands.truncate(before.commands);
            self.scope.assignments.truncate(before.assignments);
            self.scope.positional = before.positional;
            self.scope.directory = before.directory;
        }
        done
    }

    fn while_loop(&mut self, condition: Node<'t>, body: Node<'t>, context: &Context) -> bool {
        if let Some((letters, name)) = self.getopts_words(condition) {
            return self.option_rounds(&letters, &name, condition, body, context);
        }
        let test = self.slice(condition);
        let reads = depends_on_caller(test) || matches!(test, "true" | ":") && self.slice(body).contains("shift");
        reads && self.rounds(condition, body, context)
    }

    /// `for argument in "$@"; do`, `for argument; do`.
    fn each_argument(&mut self, node: Node<'t>, body: Node<'t>, context: &Context) -> bool {
        let Some(variable) = node.child_by_field_name("variable") else { return false };
        let mut cursor = node.walk();
        let over: Vec<&str> = node.children_by_field_name("value", &mut cursor).map(|value| self.slice(value)).collect();
        if !matches!(over[..], [] | ["\"$@\"" | "$@" | "$*" | "\"${@}\""]) {
            return false;
        }
        let Positional::Words { words, .. } = self.scope.positional.clone() else { return false };
        if words.len() > ROUNDS {
            return false;
        }
        for (field, place) in words {
            self.set_by_loop(self.slice(variable), field, place);
            match self.round(body, context) {
                Some(true) => {}
                Some(false) => return true,
                None => return false,
            }
        }
        true
    }

    fn rounds(&mut self, condition: Node<'t>, body: Node<'t>, context: &Context) -> bool {
        for _ in 0..ROUNDS {
            let endless = matches!(self.slice(condition), "true" | ":");
            match self.decide(condition) {
                _ if endless => {}
                Some(decision) if !decision.assumptions.is_empty() => return false,
                Some(decision) if !decision.holds => return true,
                Some(_) => {}
                None => return false,
            }
            match self.round(body, context) {
                Some(true) => {}
                Some(false) => return true,
                None => return false,
            }
        }
        false
    }

    /// One round: whether another may follow; `None` if it ends the script, or if what is left of the arguments is not known.
    fn round(&mut self, body: Node<'t>, context: &Context) -> Option<bool> {
        self.breaks = false;
        let flow = self.statement(body, context);
        let known = matches!(self.scope.positional, Positional::Words { complete: true, .. });
        if flow == Flow::Leaves || !known || self.scope.work_left == 0 {
            return None;
        }
        Some(!std::mem::take(&mut self.breaks))
    }

    /// The letters and the variable of `getopts LETTERS NAME`.
    fn getopts_words(&mut self, condition: Node<'t>) -> Option<(String, String)> {
        let mut words = self.slice(condition).split_whitespace();
        if words.next()? != "getopts" {
            return None;
        }
        let letters = words.next()?.trim_matches(['"', '\'']).to_owned();
        let name = words.next()?.trim_end_matches(';').to_owned();
        (!letters.contains('$') && super::outline::is_name(&name)).then_some((letters, name))
    }

    /// The rounds of `while getopts`: one for each option.
    fn option_rounds(&mut self, letters: &str, name: &str, condition: Node<'t>, body: Node<'t>, context: &Context) -> bool {
        let Positional::Words { words, .. } = self.scope.positional.clone() else { return false };
        let place = TextRange::of(condition.byte_range());
        let mut left = words.into_iter();
        while let Some((field, _)) = left.next() {
            let Some(text) = text_of(&field) else { return false };
            let Some(mut cluster) = text.strip_prefix('-').filter(|rest| !rest.is_empty() && *rest != "-") else { break };
            while let Some(letter) = cluster.chars().next() {
                let Some(at) = letters.find(letter).filter(|_| letter != ':') else { return false };
                cluster = &cluster[letter.len_utf8()..];
                if letters[at + letter.len_utf8()..].starts_with(':') {
                    let value = if cluster.is_empty() {
                        let Some((next, _)) = left.next() else { return false };
                        next
                    } else {
                        // `-mVALUE`: the end of the word.
                        let length = cluster.len();
                        match &field[..] {
                            [piece] => vec![piece.slice(text.len() - length, text.len())],
                            _ => return false,
                        }
                    };
                    cluster = "";
                    self.set_by_loop("OPTARG", value, place);
                }
                self.set_by_loop(name, vec![Piece::literal(&letter.to_string(), place, false)], place);
                if self.round(body, context) != Some(true) {
                    return false;
                }
            }
        }
        true
    }

    fn set_by_loop(&mut self, name: &str, field: Field, place: TextRange) {
        let variable = Variable { value: Value::Text(field), exported: false, made: nowhere(name, place) };
        self.scope.variables.put(name, Some(Rc::new(variable)));
    }
}

//! Scripts inside words: `bash -c "…"` and `eval "…"`. Their commands are commands of the script too.

use super::super::scope::Scope;
use super::super::spanned_text::{Field, Piece, assumptions_of, sources_of, text_of};
use super::super::variables::{Value, Variable};
use super::super::{Assignment, Command, Word, WordValue};
use super::walk::{Context, Walker};
use std::rc::Rc;
use vramlint_base::TextRange;

/// Scripts in scripts in scripts that are read.
const DEPTH: usize = 3;

/// Stands for unknown text inside the inner script: a character that no script uses (the end of a private area of Unicode).
const UNKNOWN: char = '\u{10fffd}';

/// The place of what the outer script hands in: it has none in the inner text.
const ELSEWHERE: TextRange = TextRange { start: u32::MAX, end: u32::MAX };

impl Walker<'_> {
    /// Reads the script in the words of a command, if there is one.
    pub(super) fn nested(&mut self, words: &[(Field, TextRange)], environment: &[Assignment], context: &Context) {
        if let Some(field) = inner_script(words) {
            self.run_inner(&field, is_eval(words), environment, context);
        }
    }

    /// Reads a script that is text of this one.
    pub(super) fn run_inner(&mut self, field: &Field, is_eval: bool, environment: &[Assignment], context: &Context) {
        if self.nesting >= DEPTH {
            return;
        }
        let Some(inner) = Inner::of(field).filter(|inner| inner.end <= self.nested_left) else { return };
        self.nested_left -= inner.end;
        let Some(script) = super::walk_text(&inner.text, handed_in(environment), self.nesting + 1) else { return };
        // What `eval` runs is the command; a shell of its own is one more, with flags around it that may matter.
        if is_eval && !script.commands.is_empty() {
            self.script.commands.pop();
        }
        let outer = self.scope.directory.clone();
        for command in script.commands {
            let words: Vec<Word> = command.words.iter().map(|word| inner.word(word)).collect();
            let mut all: Vec<Assignment> = command.environment.iter().map(|assignment| inner.assignment(assignment)).collect();
            let own: Vec<String> = all.iter().map(|assignment| assignment.name.clone()).collect();
            all.extend(environment.iter().filter(|outer| !own.contains(&outer.name)).cloned());
            if self.environment_left < all.len() {
                return;
            }
            self.environment_left -= all.len();
            self.script.commands.push(Command {
                range: inner.place(command.range),
                words,
                environment: all,
                function: context.function.as_deref().map(str::to_owned),
                in_loop: context.in_loop || command.in_loop,
                conditional: context.conditional || command.conditional,
                directory: outer.after(command.directory.as_deref()),
            });
        }
    }
}

fn is_eval(words: &[(Field, TextRange)]) -> bool {
    words.first().is_some_and(|(field, _)| text_of(field).as_deref() == Some("eval"))
}

/// The text that `bash -c` or `eval` runs.
fn inner_script(words: &[(Field, TextRange)]) -> Option<Field> {
    let text = |nth: usize| words.get(nth).and_then(|(field, _)| text_of(field));
    if is_eval(words) {
        let mut all = Field::new();
        for (field, range) in &words[1..] {
            all.extend(field.iter().cloned());
            all.push(Piece::literal(" ", TextRange::at(range.end), false));
        }
        return Some(all);
    }
    let program = text(0).map(|text| text.rsplit('/').next().unwrap_or(&text).to_owned());
    if program.as_deref().is_some_and(|program| REMOTE.contains(&program)) {
        // `ssh HOST "cd DIR && …"`
        let script = |(field, _): &&(Field, TextRange)| field.iter().any(|p| p.text.as_deref().is_some_and(|t| t.contains(' ')));
        return words.iter().skip(1).rev().find(script).map(|(field, _)| field.clone());
    }
    if program.as_deref() == Some("sbatch") {
        return wrapped(words);
    }
    let shell = (0..words.len()).find(|nth| {
        let text = text(*nth);
        matches!(text.as_deref().and_then(|text| text.rsplit('/').next()), Some("bash" | "sh" | "zsh" | "dash"))
    })?;
    let mut nth = shell + 1;
    while let Some(flag) = text(nth).filter(|text| text.starts_with('-') && !text.starts_with("--")) {
        nth += 1;
        if flag.ends_with('c') {
            return words.get(nth).map(|(field, _)| field.clone());
        }
    }
    None
}

/// Programs that hand a script in one of their words to a shell elsewhere.
const REMOTE: [&str; 4] = ["ssh", "pdsh", "tmux", "screen"];

/// `sbatch --wrap "…"`, `sbatch --wrap="…"`.
fn wrapped(words: &[(Field, TextRange)]) -> Option<Field> {
    for (nth, (field, _)) in words.iter().enumerate() {
        if text_of(field).as_deref() == Some("--wrap") {
            return words.get(nth + 1).map(|(field, _)| field.clone());
        }
        let inline =
            field.first().and_then(|piece| piece.text.as_deref()?.strip_prefix("--wrap=").map(|rest| (piece, rest.len())));
        if let Some((piece, length)) = inline {
            let whole = piece.text.as_deref().map_or(0, str::len);
            return Some([piece.slice(whole - length, whole)].into_iter().chain(field[1..].iter().cloned()).collect());
        }
    }
    None
}

/// The end of a path whose beginning is not known.
fn after_unknown(text: &str) -> Option<String> {
    let known = &text[text.rfind(UNKNOWN)? + UNKNOWN.len_utf8()..];
    let end = &known[known.find('/')?..];
    (!end.trim_matches('/').is_empty()).then(|| end.to_owned())
}

/// Exported variables, as the inner shell sees them.
fn handed_in(environment: &[Assignment]) -> Scope {
    let mut scope = Scope::new();
    for assignment in environment {
        let piece = match assignment.value.text() {
            Some(text) => Piece { assumptions: assignment.value.assumptions.clone(), ..Piece::literal(text, ELSEWHERE, false) },
            None => Piece::unknown(ELSEWHERE, false),
        };
        let mut made = assignment.clone();
        made.value.range = ELSEWHERE;
        let variable = Variable { value: Value::Text(vec![piece]), exported: false, made: Rc::new(made) };
        scope.variables.put(&assignment.name, Some(Rc::new(variable)));
    }
    scope
}

/// The inner text, and where its parts come from.
struct Inner {
    text: String,
    /// Where each piece begins in the text.
    pieces: Vec<(usize, Piece)>,
    end: usize,
}

impl Inner {
    fn of(field: &[Piece]) -> Option<Self> {
        let mut text = String::new();
        let mut pieces = Vec::new();
        for piece in field {
            pieces.push((text.len(), piece.clone()));
            match &piece.text {
                Some(known) if known.contains(UNKNOWN) => return None,
                Some(known) => text.push_str(known),
                None => text.push(UNKNOWN),
            }
        }
        let end = text.len();
        (end > 0 && end <= super::super::spanned_text::TEXT_LIMIT).then_some(Self { text, pieces, end })
    }

    /// The pieces after a stretch of the inner text.
    fn behind(&self, range: TextRange) -> Field {
        let (start, end) = (range.start as usize, range.end as usize);
        let mut field = Field::new();
        for (nth, (from, piece)) in self.pieces.iter().enumerate() {
            let to = self.pieces.get(nth + 1).map_or(self.end, |(next, _)| *next);
            if *from < end && start < to {
                let within = start.max(*from) - from..end.min(to) - from;
                field.push(if piece.text.is_some() { piece.slice(within.start, within.end) } else { piece.clone() });
            }
        }
        if field.is_empty() {
            let before = self.pieces.iter().rev().find(|(from, _)| *from <= start);
            field.extend(before.map(|(_, piece)| piece.clone()));
        }
        field
    }

    fn place(&self, range: TextRange) -> TextRange {
        let field = self.behind(range);
        let places = field.iter().map(|piece| if piece.derived { piece.place } else { piece.leaf });
        places.reduce(TextRange::cover).unwrap_or_default()
    }

    fn word(&self, word: &Word) -> Word {
        let field = self.behind(word.range);
        let hidden = word.text().is_none_or(|text| text.contains(UNKNOWN));
        let mut sources = sources_of(&field);
        sources.extend(word.sources.iter().filter(|source| **source != ELSEWHERE).map(|source| self.place(*source)));
        let mut assumptions = assumptions_of(&field);
        for assumption in &word.assumptions {
            let mut assumption = assumption.clone();
            if self.text.get(assumption.range.as_usize()) == Some(assumption.value.as_str()) {
                assumption.range = self.place(assumption.range);
            }
            assumptions.push(assumption);
        }
        Word {
            range: self.place(word.range),
            value: if hidden { WordValue::Unknown } else { word.value.clone() },
            sources,
            assumptions,
            path_end: word.path_end.clone().or_else(|| word.text().filter(|_| hidden).and_then(after_unknown)),
            origin: None,
        }
    }

    fn assignment(&self, assignment: &Assignment) -> Assignment {
        Assignment {
            range: self.place(assignment.range),
            name: assignment.name.clone(),
            name_range: self.place(assignment.name_range),
            value: self.word(&assignment.value),
            ..assignment.clone()
        }
    }
}

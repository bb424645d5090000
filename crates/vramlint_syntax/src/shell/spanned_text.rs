//! Text that remembers where each part of it was written.

use super::{Assumption, Word, WordValue};
use std::rc::Rc;
use vramlint_base::TextRange;

/// Longest text, in bytes, that expansion makes; longer becomes unknown. Bounds `A="$A$A"` written many times.
pub(super) const TEXT_LIMIT: usize = 64 * 1024;
/// Most pieces that one text is made of; more become unknown.
const PIECE_LIMIT: usize = 256;
/// Most sources that one word lists: bounds long chains of variables.
const SOURCE_LIMIT: usize = 32;

/// A part of an expanded word.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent properties, not states
pub(super) struct Piece {
    /// The text; `None` where it is not known.
    pub(super) text: Option<Rc<str>>,
    /// Whether an unknown text depends on nothing but what the caller passes or types.
    pub(super) caller: bool,
    /// Where it is in the word at hand: the text itself, or the `$A` that it came from.
    pub(super) place: TextRange,
    /// Where its text was written, without quotes.
    pub(super) leaf: TextRange,
    /// Whether the bytes at `leaf` are the text itself.
    pub(super) verbatim: bool,
    /// The whole word at `leaf`, quotes included, where this piece is all of it.
    pub(super) whole: Option<TextRange>,
    /// The value of the variable that it came from last.
    pub(super) of: Option<TextRange>,
    /// The uses between the word at hand and `leaf`, outermost first.
    pub(super) via: Vec<TextRange>,
    /// Whether it came from a variable, a default or arithmetic.
    pub(super) derived: bool,
    /// Whether blanks in it part words: an expansion outside quotes.
    pub(super) splits: bool,
    /// What was assumed for it.
    pub(super) assumptions: Vec<Assumption>,
}

/// The pieces of one word.
pub(super) type Field = Vec<Piece>;

impl Piece {
    /// Text that is in the word itself.
    pub(super) fn literal(text: &str, place: TextRange, verbatim: bool) -> Self {
        Self {
            text: Some(Rc::from(text)),
            caller: false,
            place,
            leaf: place,
            verbatim,
            whole: None,
            of: None,
            via: Vec::new(),
            derived: false,
            splits: false,
            assumptions: Vec::new(),
        }
    }

    /// Text that cannot be known.
    pub(super) fn unknown(place: TextRange, caller: bool) -> Self {
        Self { text: None, caller, verbatim: false, ..Self::literal("", place, false) }
    }

    /// A part of it, by bytes of its text.
    pub(super) fn slice(&self, start: usize, end: usize) -> Self {
        let text = self.text.as_deref().unwrap_or("");
        if start == 0 && end == text.len() {
            return self.clone();
        }
        let leaf =
            if self.verbatim { TextRange::new(self.leaf.start + start as u32, self.leaf.start + end as u32) } else { self.leaf };
        Self { text: Some(Rc::from(text.get(start..end).unwrap_or(""))), leaf, whole: None, ..self.clone() }
    }
}

/// The text of a field, where all of it is known.
pub(super) fn text_of(field: &[Piece]) -> Option<String> {
    let mut text = String::new();
    for piece in field {
        text.push_str(piece.text.as_deref()?);
    }
    Some(text)
}

/// Whether a field is unknown for no other reason than the caller.
pub(super) fn depends_on_caller(field: &[Piece]) -> bool {
    let mut unknown = field.iter().filter(|piece| piece.text.is_none()).peekable();
    unknown.peek().is_some() && unknown.all(|piece| piece.caller)
}

/// The assumptions of a field, each once.
pub(super) fn assumptions_of(field: &[Piece]) -> Vec<Assumption> {
    let mut all: Vec<Assumption> = Vec::new();
    for assumption in field.iter().flat_map(|piece| &piece.assumptions) {
        if all.len() < SOURCE_LIMIT && !all.contains(assumption) {
            all.push(assumption.clone());
        }
    }
    all
}

/// Where the derived parts of a field were written.
pub(super) fn sources_of(field: &[Piece]) -> Vec<TextRange> {
    let mut sources = Vec::new();
    let mut at = 0;
    while at < field.len() && sources.len() < SOURCE_LIMIT {
        let piece = &field[at];
        let run =
            field[at..].iter().take_while(|other| other.derived && other.place == piece.place && other.of == piece.of).count();
        if run > 1 {
            sources.extend(piece.of);
            for inner in &field[at..at + run] {
                sources.extend((!inner.via.is_empty()).then(|| inner.whole.unwrap_or(inner.leaf)));
            }
        } else if piece.derived && piece.text.is_some() {
            sources.extend(piece.via.iter().copied());
            sources.push(piece.whole.unwrap_or(piece.leaf));
        } else if piece.derived {
            sources.extend(piece.of);
        }
        at += run.max(1);
    }
    sources.truncate(SOURCE_LIMIT);
    sources.dedup();
    sources
}

/// A field as a word of the tree.
pub(super) fn to_word(field: &[Piece], range: TextRange) -> Word {
    let value = text_of(field).map_or(WordValue::Unknown, WordValue::Known);
    Word { range, value, sources: sources_of(field), assumptions: assumptions_of(field), path_end: path_end(field), origin: None }
}

/// The known end of a path, from the first `/` after its last unknown part.
fn path_end(field: &[Piece]) -> Option<String> {
    let unknown = field.iter().rposition(|piece| piece.text.is_none())?;
    let known = text_of(&field[unknown + 1..])?;
    let end = &known[known.find('/')?..];
    (!end.trim_matches('/').is_empty() && !end.contains([' ', ',', ':', '='])).then(|| end.to_owned())
}

/// A value as it is kept in a variable: literal text now has a place to point back at, derived text one step more on its way.
pub(super) fn stored(mut field: Field, value: TextRange) -> Field {
    let too_large = field.len() > PIECE_LIMIT
        || field.iter().map(|piece| piece.text.as_ref().map_or(0, |t| t.len())).sum::<usize>() > TEXT_LIMIT;
    if too_large {
        return vec![Piece::unknown(value, false)];
    }
    let alone = field.len() == 1;
    for piece in &mut field {
        if piece.derived {
            if piece.via.len() < SOURCE_LIMIT {
                piece.via.insert(0, piece.place);
            }
        } else if alone {
            piece.whole = Some(value);
        }
        piece.splits = false;
    }
    field
}

/// Pieces of a variable's value, used at `place`.
pub(super) fn used(field: &[Piece], value: TextRange, place: TextRange, splits: bool) -> Field {
    let piece = |piece: &Piece| Piece { place, of: Some(value), derived: true, splits, ..piece.clone() };
    if field.is_empty() {
        return vec![Piece { leaf: value, ..piece(&Piece::literal("", place, false)) }];
    }
    field.iter().map(piece).collect()
}

/// Parts a field at the blanks of its splitting pieces, as the shell does after expansion.
pub(super) fn split(field: Field) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    let mut current: Option<Field> = None;
    for piece in field {
        let Some(text) = piece.text.clone().filter(|_| piece.splits) else {
            current.get_or_insert_default().push(piece);
            continue;
        };
        let mut start = 0;
        for (at, _) in text.match_indices([' ', '\t', '\n', '\r']) {
            if at > start {
                current.get_or_insert_default().push(piece.slice(start, at));
            }
            fields.extend(current.take());
            start = at + 1;
        }
        if start < text.len() {
            current.get_or_insert_default().push(piece.slice(start, text.len()));
        }
    }
    fields.extend(current);
    fields
}

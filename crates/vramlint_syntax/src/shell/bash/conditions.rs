//! What a test tells.

use super::super::Assumption;
use super::super::spanned_text::{Field, assumptions_of, text_of};
use super::walk::Walker;
use std::ops::Range;
use tree_sitter::Node;

/// Whether a test holds, and what was assumed to know it.
pub(super) struct Decision {
    pub(super) holds: bool,
    pub(super) assumptions: Vec<Assumption>,
}

impl Decision {
    pub(super) const fn yes() -> Self {
        Self { holds: true, assumptions: Vec::new() }
    }

    pub(super) const fn no() -> Self {
        Self { holds: false, assumptions: Vec::new() }
    }

    fn of(holds: bool, fields: &[&Field]) -> Self {
        Self { holds, assumptions: fields.iter().flat_map(|field| assumptions_of(field)).collect() }
    }
}

/// Tests in tests that are followed.
const DEPTH: usize = 8;

impl<'t> Walker<'t> {
    /// Whether a test holds, where the script itself tells.
    pub(super) fn decide(&mut self, test: Node<'t>) -> Option<Decision> {
        self.decide_within(test, DEPTH)
    }

    fn decide_within(&mut self, test: Node<'t>, depth: usize) -> Option<Decision> {
        let depth = depth.checked_sub(1)?;
        match test.kind() {
            "test_command" | "parenthesized_expression"
                if test.named_child_count() == 1 && !self.slice(test).starts_with("((") =>
            {
                self.decide_within(test.named_child(0)?, depth)
            }
            "negated_command" => {
                let inner = self.decide_within(test.named_child(0)?, depth)?;
                Some(Decision { holds: !inner.holds, ..inner })
            }
            "command" => match self.slice(test) {
                "true" => Some(Decision::yes()),
                "false" => Some(Decision::no()),
                word if plain_variable(word).is_some() => {
                    let field = self.operand(test);
                    match text_of(&field)?.as_str() {
                        "true" => Some(Decision::of(true, &[&field])),
                        "false" => Some(Decision::of(false, &[&field])),
                        _ => None,
                    }
                }
                _ => None,
            },
            "compound_statement" => self.decide_arithmetic(test),
            "word" | "string" | "raw_string" | "simple_expansion" | "expansion" | "concatenation" => {
                let field = self.operand(test);
                let holds = !text_of(&field)?.is_empty();
                // `[ "${A:-}" ]` asks whether the caller sets it.
                (holds || assumptions_of(&field).is_empty()).then(|| Decision::of(holds, &[&field]))
            }
            "list" | "binary_expression" => self.decide_binary(test, depth),
            "unary_expression" => {
                let operator = self.slice(test.child_by_field_name("operator")?);
                let operand = test.named_child(test.named_child_count().checked_sub(1)? as u32)?;
                if operator == "!" {
                    let inner = self.decide_within(operand, depth)?;
                    return Some(Decision { holds: !inner.holds, ..inner });
                }
                let field = self.operand(operand);
                let empty = text_of(&field)?.is_empty();
                if empty && !assumptions_of(&field).is_empty() {
                    // `[ -z "${A:-}" ]` asks whether the caller sets it.
                    return None;
                }
                match operator {
                    "-z" => Some(Decision::of(empty, &[&field])),
                    "-n" => Some(Decision::of(!empty, &[&field])),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn decide_binary(&mut self, test: Node<'t>, depth: usize) -> Option<Decision> {
        let (left, right) = (test.child(0)?, test.child(test.child_count().checked_sub(1)?)?);
        let operator = self.text.get(left.end_byte()..right.start_byte())?.trim();
        if matches!(operator, "&&" | "||" | "-a" | "-o") {
            let any = matches!(operator, "||" | "-o");
            let first = self.decide_within(left, depth);
            if first.as_ref().is_some_and(|first| first.holds == any) {
                return first;
            }
            let second = self.decide_within(right, depth);
            if second.as_ref().is_some_and(|second| second.holds == any) {
                return second;
            }
            let (first, second) = (first?, second?);
            return Some(Decision { holds: !any, assumptions: [first.assumptions, second.assumptions].concat() });
        }
        let pattern = matches!(operator, "=" | "==" | "!=") && self.slice(right).contains(['*', '?', '[']);
        let (first, second) = (self.operand(left), self.operand(right));
        let (a, b) = (text_of(&first)?, if pattern { self.slice(right).to_owned() } else { text_of(&second)? });
        let number = |text: &str| text.trim().parse::<i64>().ok();
        let holds = match operator {
            "=" | "==" => matches_pattern(&b, &a) || !pattern && a == b,
            "!=" => !(matches_pattern(&b, &a) || !pattern && a == b),
            "-eq" => number(&a)? == number(&b)?,
            "-ne" => number(&a)? != number(&b)?,
            "-gt" => number(&a)? > number(&b)?,
            "-ge" => number(&a)? >= number(&b)?,
            "-lt" => number(&a)? < number(&b)?,
            "-le" => number(&a)? <= number(&b)?,
            // By their text, inside `[[ ]]`.
            ">" => a > b,
            "<" => a < b,
            _ => return None,
        };
        Some(Decision::of(holds, &[&first, &second]))
    }

    /// `(( $# ))`, `(( $# > 0 ))`.
    fn decide_arithmetic(&mut self, test: Node<'t>) -> Option<Decision> {
        let whole = test.byte_range();
        let inner = whole.start + 2..whole.end.checked_sub(2)?;
        self.slice(test).strip_prefix("((")?.strip_suffix("))")?;
        let field = super::expand::text(self.text, inner, &mut self.scope);
        let text = text_of(&field)?.replace(['"', ' '], "");
        let number = |text: &str| text.parse::<i64>().ok();
        let compared = |operator: &str| text.split_once(operator).and_then(|(a, b)| Some((number(a)?, number(b)?)));
        let holds = if let Some(value) = number(&text) {
            value != 0
        } else if let Some((a, b)) = compared(">=") {
            a >= b
        } else if let Some((a, b)) = compared("<=") {
            a <= b
        } else if let Some((a, b)) = compared("!=") {
            a != b
        } else if let Some((a, b)) = compared("==") {
            a == b
        } else if let Some((a, b)) = compared(">") {
            a > b
        } else if let Some((a, b)) = compared("<") {
            a < b
        } else {
            return None;
        };
        Some(Decision::of(holds, &[&field]))
    }

    fn operand(&mut self, node: Node<'t>) -> Field {
        super::expand::text(self.text, node.byte_range(), &mut self.scope)
    }

    /// The variable that a test compares with a text, and the place of the text: `[ "$MODE" = "multi" ]`.
    pub(super) fn tested_equal(&self, test: Node<'t>) -> Option<(String, Range<usize>)> {
        let inner = test.named_child(0).filter(|_| test.kind() == "test_command")?;
        let (left, right) = (inner.child(0)?, inner.child(inner.child_count().checked_sub(1)?)?);
        let operator = self.text.get(left.end_byte()..right.start_byte())?.trim();
        let plain = inner.kind() == "binary_expression" && matches!(operator, "=" | "==");
        let literal = !self.slice(right).contains(['$', '*', '?', '[', '`']);
        let name = plain_variable(self.slice(left)).filter(|_| plain && literal)?;
        Some((name.to_owned(), right.byte_range()))
    }
}

/// The variable that a word consists of: `$A`, `"${A}"`.
pub(super) fn plain_variable(word: &str) -> Option<&str> {
    let name = word.trim().trim_matches('"').strip_prefix('$')?;
    let name = name.strip_prefix('{').map_or(Some(name), |name| name.strip_suffix('}'))?;
    super::outline::is_name(name).then_some(name)
}

/// Whether a pattern of `case` or `[[ = ]]` is this text; only `*` at its ends is read.
pub(super) fn matches_pattern(pattern: &str, text: &str) -> bool {
    let pattern = pattern.trim();
    let open = (pattern.starts_with('*'), pattern.ends_with('*'));
    let inner = pattern.trim_matches('*').trim_matches(['"', '\'']);
    match open {
        (true, true) => text.contains(inner),
        (true, false) => text.ends_with(inner),
        (false, true) => text.starts_with(inner),
        (false, false) => text == inner,
    }
}

/// Whether what the caller passes decides: `$1`, `$#`, `$@`, `${1}`, `$OPTARG`.
pub(super) fn depends_on_caller(test: &str) -> bool {
    let mut rest = test;
    while let Some(dollar) = rest.find('$') {
        rest = rest[dollar + 1..].trim_start_matches('{');
        let callers = rest.starts_with(|c: char| matches!(c, '1'..='9' | '#' | '@' | '*')) || rest.starts_with("OPTARG");
        if callers {
            return true;
        }
    }
    false
}

/// The variable whose being empty leads on: `[ -z "$A" ]`, `[[ -z ${A+x} ]]`, `[ "$A" = "" ]`, and with `or`: `[ -n "$A" ] ||`.
pub(super) fn empty_variable(test: &str, or: bool) -> Option<&str> {
    let inner = test.trim().trim_start_matches("test ").trim_start_matches('[').trim_end_matches(']').trim();
    let (inner, negated) = inner.strip_prefix('!').map_or((inner, false), |inner| (inner.trim(), true));
    let (word, asks_empty) = if let Some(word) = inner.strip_prefix("-z ") {
        (word, true)
    } else if let Some(word) = inner.strip_prefix("-n ") {
        (word, false)
    } else if let Some((word, operand)) = inner.split_once("==").or_else(|| inner.split_once('=')) {
        if !matches!(operand.trim(), "\"\"" | "''") || word.trim_end().ends_with('!') {
            return None;
        }
        (word, true)
    } else {
        return None;
    };
    if (asks_empty != negated) == or {
        return None;
    }
    let name = word.trim().trim_matches('"').strip_prefix('$')?;
    let name = name.strip_prefix('{').map_or(name, |name| name.trim_end_matches('}'));
    let name = name.split([':', '+', '-']).next().unwrap_or(name);
    super::outline::is_name(name).then_some(name)
}

//! Numbers and text.

use super::{Lowering, range};
use crate::python::ExprKind;
use ruff_python_ast::{self as ast, FStringPart, InterpolatedStringElement, Number};
use vramlint_base::{TextRange, Value};

/// Digits of an integer that we convert; `CPython` stops at 4300 (`sys.int_info.default_max_str_digits`).
const MAX_DIGITS: usize = 4300;

impl Lowering<'_> {
    pub(super) fn number(number: &Number) -> ExprKind {
        match number {
            Number::Int(int) => whole(int).map_or_else(|| ExprKind::Other(Vec::new()), ExprKind::Value),
            Number::Float(float) => ExprKind::Value(Value::Float(*float)),
            Number::Complex { .. } => ExprKind::Other(Vec::new()),
        }
    }

    pub(super) fn text(&self, node: &ast::ExprStringLiteral) -> ExprKind {
        ExprKind::Value(Value::Text(self.line_breaks(node.value.to_str().to_owned(), range(node.range))))
    }

    /// `CPython` reads every line break of a file as `\n`, in a triple-quoted text too.
    fn line_breaks(&self, text: String, place: TextRange) -> String {
        if place.slice(self.text).contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
    }

    /// An f-string; one without any expression is text like any other.
    pub(super) fn f_string(&mut self, node: &ast::ExprFString) -> ExprKind {
        let mut expressions = Vec::new();
        let mut text = String::new();
        let mut constant = true;
        for part in &node.value {
            match part {
                FStringPart::Literal(literal) => text.push_str(literal),
                FStringPart::FString(part) => {
                    for element in &part.elements {
                        if let InterpolatedStringElement::Literal(literal) = element {
                            text.push_str(literal);
                        } else {
                            constant = false;
                        }
                        self.element(element, &mut expressions);
                    }
                }
            }
        }
        if !constant {
            return ExprKind::FString(expressions);
        }
        ExprKind::Value(Value::Text(self.line_breaks(text, range(node.range))))
    }

    /// The expressions of one element, those of its format included.
    pub(super) fn element(&mut self, element: &InterpolatedStringElement, out: &mut Vec<crate::python::Expr>) {
        let InterpolatedStringElement::Interpolation(element) = element else { return };
        out.push(self.expression(&element.expression));
        self.expressions += 1;
        if self.expressions < crate::python::MAX_EXPRESSION_DEPTH {
            for inner in element.format_spec.iter().flat_map(|spec| &spec.elements) {
                self.element(inner, out);
            }
        }
        self.expressions -= 1;
    }
}

/// An integer of any base and size; `None` for one that is absurdly long.
fn whole(int: &ast::Int) -> Option<Value> {
    if let Some(small) = int.as_i64() {
        return Some(Value::Int(small));
    }
    if let Some(small) = int.as_u64() {
        return Some(Value::BigInt(small.to_string()));
    }
    let token = int.to_string().replace('_', "").to_ascii_lowercase();
    let (digits, base) = match token.get(..2) {
        Some("0x") => (&token[2..], 16),
        Some("0o") => (&token[2..], 8),
        Some("0b") => (&token[2..], 2),
        _ => (token.as_str(), 10),
    };
    if digits.len() > MAX_DIGITS || !digits.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    if base == 10 {
        return Some(Value::BigInt(digits.trim_start_matches('0').to_owned()));
    }
    Some(Value::BigInt(decimal(digits, base)))
}

/// Digits of another base in base ten. Quadratic, on a bounded length.
fn decimal(digits: &str, base: u32) -> String {
    const LIMB: u64 = 1_000_000_000;
    let mut limbs: Vec<u64> = vec![0];
    for digit in digits.chars().filter_map(|c| c.to_digit(base)) {
        let mut carry = u64::from(digit);
        for limb in &mut limbs {
            let value = *limb * u64::from(base) + carry;
            *limb = value % LIMB;
            carry = value / LIMB;
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let mut limbs = limbs.into_iter().rev();
    let first = limbs.next().unwrap_or(0).to_string();
    std::iter::once(first).chain(limbs.map(|limb| format!("{limb:09}"))).collect()
}

//! Which of a model's parameters a condition selects, by their names or positions: `"lm_head" not in name`, `i < 8`.

use super::value::AbstractValue;
use std::fmt;
use std::rc::Rc;
use vramlint_base::Value;

/// Maximum nesting of a condition.
const DEPTH: u32 = 12;

/// A condition on the name of a parameter, or on the position of the layer that a loop visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Selection {
    /// The name compares so with a text: `has`, `starts`, `ends`, `is`.
    Name(&'static str, Rc<str>),
    /// The position compares so with a number.
    Position(&'static str, i64),
    Not(Rc<Selection>),
    And(Rc<Selection>, Rc<Selection>),
    Or(Rc<Selection>, Rc<Selection>),
}

impl Selection {
    /// A comparison of what a loop visits with a known value: `word in name`, `name == word`, `position < number`.
    pub(super) fn compared(left: &AbstractValue, op: &str, right: &AbstractValue) -> Option<Self> {
        use super::value::ValueKind::{ParameterName, Position, Scalar};
        let (a, b) = (&left.single()?.kind, &right.single()?.kind);
        let (positive, negated) = match op {
            "not in" => ("in", true),
            "!=" => ("==", true),
            other => (other, false),
        };
        let found = match (a, positive, b) {
            (Scalar(Value::Text(word)), "in", ParameterName) => Self::Name("has", word.as_str().into()),
            (ParameterName, "==", Scalar(Value::Text(word))) => Self::Name("is", word.as_str().into()),
            (ParameterName, "in", _) => Self::any_of("is", right)?,
            (Position, "in", super::value::ValueKind::Items(items)) => {
                let numbers = items.iter().map(|item| item.constant()?.as_int()).collect::<Option<Vec<_>>>()?;
                numbers.into_iter().map(|number| Self::Position("==", number)).reduce(Self::or)?
            }
            (Position, op, Scalar(number)) => Self::Position(order(op)?, number.as_int()?),
            (Scalar(number), op, Position) => Self::Position(order(mirrored(op))?, number.as_int()?),
            _ => return None,
        };
        Some(if negated { found.negated() } else { found })
    }

    /// That the name compares so with one of these words.
    pub(super) fn any_of(how: &'static str, words: &AbstractValue) -> Option<Self> {
        use super::value::ValueKind::{Items, Scalar};
        match &words.single()?.kind {
            Scalar(Value::Text(word)) => Some(Self::Name(how, word.as_str().into())),
            Items(items) => {
                let words = items.iter().map(|item| item.constant()?.as_str()).collect::<Option<Vec<_>>>()?;
                words.into_iter().map(|word| Self::Name(how, word.into())).reduce(Self::or)
            }
            _ => None,
        }
    }

    /// What `any` (or `all`) of these conditions, some of which are decided, comes to. `Err`: it is decided.
    pub(super) fn joined(
        of_any: bool,
        items: &[AbstractValue],
        truth: impl Fn(&AbstractValue) -> Option<bool>,
    ) -> Option<Result<Self, bool>> {
        let mut whole: Option<Self> = None;
        for item in items {
            match (truth(item), Self::of(item)) {
                (Some(known), _) if known == of_any => return Some(Err(of_any)),
                (Some(_), _) => {}
                (None, Some(one)) => {
                    let one = one.as_ref().clone();
                    whole = Some(match whole {
                        None => one,
                        Some(before) if of_any => before.or(one),
                        Some(before) => before.and(one),
                    });
                }
                (None, None) => return None,
            }
        }
        Some(whole.ok_or(!of_any))
    }

    /// The condition that a value is.
    pub(super) fn of(val: &AbstractValue) -> Option<Rc<Self>> {
        match &val.single()?.kind {
            super::value::ValueKind::Selection(selection) => Some(Rc::clone(selection)),
            _ => None,
        }
    }

    pub(super) fn negated(self) -> Self {
        match self {
            Self::Not(inner) => inner.as_ref().clone(),
            other => Self::Not(Rc::new(other)),
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self::And(Rc::new(self), Rc::new(other))
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self::Or(Rc::new(self), Rc::new(other))
    }

    /// Whether it is small enough to be written.
    pub(super) fn is_short(&self) -> bool {
        self.depth() <= DEPTH
    }

    fn depth(&self) -> u32 {
        match self {
            Self::Name(..) | Self::Position(..) => 1,
            Self::Not(inner) => 1 + inner.depth(),
            Self::And(a, b) | Self::Or(a, b) => 1 + a.depth().max(b.depth()),
        }
    }
}

fn order(op: &str) -> Option<&'static str> {
    ["<", "<=", ">", ">=", "=="].into_iter().find(|known| *known == op)
}

fn mirrored(op: &str) -> &str {
    match op {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        other => other,
    }
}

/// As the estimate reads it: `not (name has "norm")`, `(position < 8) or (name is "lm_head.weight")`.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(how, word) => write!(f, "name {how} {word:?}"),
            Self::Position(op, number) => write!(f, "position {op} {number}"),
            Self::Not(inner) => write!(f, "not ({inner})"),
            Self::And(a, b) => write!(f, "({a}) and ({b})"),
            Self::Or(a, b) => write!(f, "({a}) or ({b})"),
        }
    }
}

//! What is wrong with a value, and how to say it.

use vramlint_base::{Message, Value, message};
use vramlint_catalog::keys::KeyType;

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Violation {
    /// Null, where that is not known to be the same as leaving it out.
    Null,
    /// Of another type.
    Type {
        /// The type that is wanted.
        wanted: KeyType,
        /// The value.
        got: Value,
        /// What was certainly meant.
        meant: Option<Value>,
    },
    /// Outside the set of values.
    Set {
        /// The set.
        values: Vec<String>,
        /// The value; of a list, the item.
        got: Value,
        /// The value that was meant, as far as spelling tells.
        meant: Option<Value>,
    },
    /// Outside the range.
    Range {
        /// The bound that it breaks.
        bound: Bound,
    },
}

/// A bound of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// At least this.
    AtLeast(f64),
    /// More than this.
    Above(f64),
    /// At most this.
    AtMost(f64),
    /// Less than this.
    Below(f64),
}

/// As many values as a message lists.
const LISTED: usize = 8;

impl Violation {
    /// What is wanted instead, as the end of a sentence: `a whole number is expected, not text`.
    pub fn expected(&self) -> Message {
        match self {
            Self::Null => message!("expected a value, got null", "应有值，不能为 null"),
            Self::Type { wanted, got, .. } => {
                let (Message { en, zh }, Message { en: is, zh: is_zh }) = (name(*wanted), type_of(got));
                message!("expected {en}, got {is}", "应为{zh}，而不是{is_zh}")
            }
            Self::Set { values, .. } => {
                let listed = values.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>();
                let more = if values.len() > LISTED { ", …" } else { "" };
                let (en, zh) = (listed.join(", "), listed.join("、"));
                message!("expected one of: {en}{more}", "应为 {zh}{more} 之一")
            }
            Self::Range { bound } => match bound {
                Bound::AtLeast(least) => message!("it must be at least {least}", "不得小于 {least}"),
                Bound::Above(bound) => message!("it must be greater than {bound}", "必须大于 {bound}"),
                Bound::AtMost(most) => message!("it must be at most {most}", "不得大于 {most}"),
                Bound::Below(bound) => message!("it must be less than {bound}", "必须小于 {bound}"),
            },
        }
    }

    /// What was meant, as far as that is evident.
    pub fn intended_value(&self) -> Option<&Value> {
        match self {
            Self::Type { meant, .. } | Self::Set { meant, .. } => meant.as_ref(),
            Self::Null | Self::Range { .. } => None,
        }
    }
}

/// A type as people call it.
fn name(kind: KeyType) -> Message {
    match kind {
        KeyType::Bool => message!("a boolean", "布尔值"),
        KeyType::Int => message!("an integer", "整数"),
        KeyType::Float => message!("a number", "数字"),
        KeyType::Text => message!("a string", "字符串"),
        KeyType::List => message!("a list", "列表"),
        KeyType::Map => message!("a mapping", "映射"),
        KeyType::Any => message!("another value", "其他值"),
    }
}

fn type_of(value: &Value) -> Message {
    match value {
        Value::Null => message!("null", " null"),
        Value::Bool(_) => message!("a boolean", "布尔值"),
        Value::Int(_) | Value::BigInt(_) => message!("an integer", "整数"),
        Value::Float(_) => message!("a float", "浮点数"),
        Value::Text(_) => message!("a string", "字符串"),
        Value::Timestamp(_) => message!("a date", "日期"),
        Value::List(_) => message!("a list", "列表"),
        Value::Map(_) => message!("a mapping", "映射"),
    }
}

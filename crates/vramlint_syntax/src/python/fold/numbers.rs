//! Arithmetic of Python's `int` (as far as 64 bits go) and `float`.

use vramlint_base::Value;

/// Integers up to here are exact as floating point: 2^53.
const EXACT: u64 = 1 << 53;

/// A number; a boolean counts as 0 or 1, as in Python.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    pub(super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(truth) => Some(Self::Int(i64::from(*truth))),
            Value::Int(int) => Some(Self::Int(*int)),
            Value::Float(float) => Some(Self::Float(*float)),
            _ => None,
        }
    }

    /// As floating point; `None` for an integer that is not exact as such.
    #[allow(clippy::cast_precision_loss)] // checked one line above
    pub(super) fn float(self) -> Option<f64> {
        match self {
            Self::Int(int) if int.unsigned_abs() > EXACT => None,
            Self::Int(int) => Some(int as f64),
            Self::Float(float) => Some(float),
        }
    }
}

/// `left op right`; `None` where Python raises, the result leaves 64 bits, or the operator is no arithmetic.
pub(super) fn arithmetic(left: Number, op: &str, right: Number) -> Option<Value> {
    match (left, right) {
        (Number::Int(left), Number::Int(right)) => of_ints(left, op, right),
        _ => of_floats(left.float()?, op, right.float()?).map(Value::Float),
    }
}

fn of_ints(left: i64, op: &str, right: i64) -> Option<Value> {
    let result = match op {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "//" => floor_div(left, right),
        "%" => floor_div(left, right)?.checked_mul(right).and_then(|whole| left.checked_sub(whole)),
        "**" if right >= 0 => power(left, right),
        "/" | "**" => return of_floats(Number::Int(left).float()?, op, Number::Int(right).float()?).map(Value::Float),
        "<<" => u32::try_from(right).ok().filter(|by| *by < 63).and_then(|by| left.checked_mul(1 << by)),
        ">>" => u32::try_from(right).ok().map(|by| left >> by.min(63)),
        "&" => Some(left & right),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        _ => None,
    };
    result.map(Value::Int)
}

/// Rounds down, as `//` does.
fn floor_div(left: i64, right: i64) -> Option<i64> {
    let quotient = left.checked_div(right)?;
    let inexact = left.checked_rem(right)? != 0;
    if inexact && (left < 0) != (right < 0) { quotient.checked_sub(1) } else { Some(quotient) }
}

fn power(base: i64, exponent: i64) -> Option<i64> {
    match (base, exponent) {
        (0 | 1, _) => Some(if exponent == 0 { 1 } else { base }),
        (-1, _) => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        _ => base.checked_pow(u32::try_from(exponent).ok()?),
    }
}

fn of_floats(left: f64, op: &str, right: f64) -> Option<f64> {
    match op {
        "+" => Some(left + right),
        "-" => Some(left - right),
        "*" => Some(left * right),
        "/" if right != 0.0 => Some(left / right),
        "//" | "%" if right != 0.0 && left.is_finite() && right.is_finite() => {
            let (quotient, rest) = divmod(left, right);
            Some(if op == "%" { rest } else { quotient })
        }
        "**" if !(left == 0.0 && right < 0.0) => {
            // Python raises on overflow and leaves the real numbers for a root of a negative one.
            Some(left.powf(right)).filter(|result| result.is_finite() && left.is_finite() && right.is_finite())
        }
        _ => None,
    }
}

/// Quotient and remainder as `CPython`'s `_float_div_mod` (`Objects/floatobject.c`, 3.12) has them: the remainder takes the sign of
/// the divisor, the quotient is rounded down, and zeros keep their signs. The divisor is not zero.
fn divmod(left: f64, right: f64) -> (f64, f64) {
    let mut rest = left % right;
    let mut quotient = (left - rest) / right;
    if rest == 0.0 {
        rest = 0.0_f64.copysign(right);
    } else if (rest < 0.0) != (right < 0.0) {
        rest += right;
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return (0.0_f64.copysign(left / right), rest);
    }
    let floor = quotient.floor();
    (if quotient - floor > 0.5 { floor + 1.0 } else { floor }, rest)
}

/// `int(text)`: blanks around, a sign, digits with single underscores between them.
pub(super) fn int_of_text(text: &str) -> Option<i64> {
    digits(text.trim())?.parse().ok()
}

/// `float(text)`: also `2e-5`, `.5`, `inf`, `nan`.
pub(super) fn float_of_text(text: &str) -> Option<f64> {
    digits(text.trim())?.parse().ok()
}

/// The text without the underscores that Python allows between digits; `None` for others.
fn digits(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'_' && !(digit(at.checked_sub(1)) && digit(Some(at + 1))) {
            return None;
        }
    }
    Some(text.replace('_', ""))
}

/// The whole part of a number, if it fits.
#[allow(clippy::cast_possible_truncation)] // within 2^53, checked
pub(super) fn truncated(float: f64) -> Option<i64> {
    #[allow(clippy::cast_precision_loss)] // 2^53 is exact
    let limit = EXACT as f64;
    (float.abs() <= limit).then_some(float as i64)
}

/// `repr` of a floating-point number: `0.1`, `1e-05`, `1.5e+16`, `inf`.
pub fn python_repr(float: f64) -> String {
    if !float.is_finite() {
        return if float.is_nan() { "nan".to_owned() } else { format!("{float}") };
    }
    let magnitude = float.abs();
    if magnitude == 0.0 || (1e-4..1e16).contains(&magnitude) {
        return format!("{float:?}");
    }
    let text = format!("{float:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
    format!("{mantissa}e{sign}{exponent:0>2}")
}

//! Numbers as Python reads them, and as PyYAML's constructors do.

use crate::Value;
use std::fmt::Write as _;

/// Python's `int(text, base)` for the bases 2, 8, 10 and 16: surrounding blanks, one sign, the prefix of the base, single
/// underscores between digits.
pub fn python_int(text: &str, base: u32) -> Option<Value> {
    let text = text.trim();
    let (negative, digits) = split_sign(text);
    let marks: &[&str] = match base {
        2 => &["0b", "0B"],
        8 => &["0o", "0O"],
        16 => &["0x", "0X"],
        _ => &[],
    };
    let marked = marks.iter().find_map(|mark| digits.strip_prefix(mark));
    // After a prefix one underscore may follow at once: `0x_ff`.
    let digits = marked.map_or(digits, |rest| rest.strip_prefix('_').unwrap_or(rest));
    whole(&without_underscores(digits)?, base, negative)
}

/// Python's `float(text)`: surrounding blanks, one sign, single underscores between digits, `inf`, `infinity`, `nan`.
pub fn python_float(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = |b: u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-' | b'_');
    let (_, unsigned) = split_sign(text);
    let named = ["inf", "infinity", "nan"].iter().any(|name| unsigned.eq_ignore_ascii_case(name));
    if named {
        return text.parse().ok();
    }
    if !text.bytes().all(plain) || !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    without_underscores(text)?.parse().ok()
}

/// PyYAML's `construct_yaml_int`. `octal_by_zero` is YAML 1.1 (`010` is eight); under 1.2, `0o10` is.
/// `None` where Python raises.
pub fn yaml_int(text: &str, octal_by_zero: bool) -> Option<Value> {
    let text = text.replace('_', "");
    let (negative, digits) = split_sign(&text);
    let number = match digits.as_bytes() {
        [] => return None,
        b"0" => Value::Int(0),
        [b'0', b'b', ..] => python_int(&digits[2..], 2)?,
        [b'0', b'x', ..] => python_int(&digits[2..], 16)?,
        [b'0', b'o', ..] if !octal_by_zero => python_int(&digits[2..], 8)?,
        [b'0', ..] if octal_by_zero => python_int(digits, 8)?,
        _ if octal_by_zero && digits.contains(':') => sixty_based(digits)?,
        _ => python_int(digits, 10)?,
    };
    Some(if negative { negated(number) } else { number })
}

/// PyYAML's `construct_yaml_float`. `clock` is YAML 1.1 (`1:30.5`). `None` where Python raises.
pub fn yaml_float(text: &str, clock: bool) -> Option<f64> {
    let text = text.replace('_', "").to_lowercase();
    let (negative, digits) = split_sign(&text);
    let number = match digits {
        "" => return None,
        ".inf" => f64::INFINITY,
        ".nan" => f64::NAN,
        _ if clock && digits.contains(':') => {
            // Summed from the last group on, as PyYAML does, so that rounding agrees.
            let (mut sum, mut base) = (0.0, 1.0);
            for part in digits.rsplit(':') {
                sum += python_float(part)? * base;
                base *= 60.0;
            }
            sum
        }
        _ => python_float(digits)?,
    };
    Some(if negative { -number } else { number })
}

/// The sign, and what follows it.
pub fn split_sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// Removes underscores; `None` where one does not stand between two digits.
fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_hexdigit);
    let misplaced = (0..bytes.len()).any(|i| bytes[i] == b'_' && !(digit(i.checked_sub(1)) && digit(Some(i + 1))));
    (!misplaced).then(|| text.replace('_', ""))
}

/// `1:30:00`: groups of sixty.
fn sixty_based(text: &str) -> Option<Value> {
    let mut sum = Digits::default();
    for part in text.split(':') {
        sum.multiply_add(60, 0);
        // Groups after the first have at most two digits, unless the tag is written (`!!int 1:300`).
        let part = digits_of(part.trim(), 10)?;
        sum.add(&part);
    }
    Some(sum.value(false))
}

fn whole(digits: &str, base: u32, negative: bool) -> Option<Value> {
    if let Ok(number) = i64::from_str_radix(digits, base)
        && !digits.starts_with(['+', '-'])
    {
        return Some(Value::Int(if negative { -number } else { number }));
    }
    digits_of(digits, base).map(|digits| digits.value(negative))
}

fn digits_of(text: &str, base: u32) -> Option<Digits> {
    let mut out = Digits::default();
    for c in text.chars() {
        out.multiply_add(base, c.to_digit(base)?);
    }
    (!text.is_empty()).then_some(out)
}

fn negated(number: Value) -> Value {
    match number {
        Value::Int(n) => n.checked_neg().map_or_else(|| Value::BigInt(n.to_string().replace('-', "")), Value::Int),
        Value::BigInt(digits) => match digits.strip_prefix('-') {
            Some(positive) => Value::BigInt(positive.to_string()),
            // -2^63 fits although 2^63 does not.
            None => format!("-{digits}").parse().map_or_else(|_| Value::BigInt(format!("-{digits}")), Value::Int),
        },
        other => other,
    }
}

/// Digits to base 10^9, the lowest first: enough arithmetic to print an integer of any base.
#[derive(Default)]
struct Digits(Vec<u32>);

impl Digits {
    const BASE: u64 = 1_000_000_000;
    /// Longest number that is worked out, in digits of [`Self::BASE`]: Python rejects text of more than 4300 digits.
    const LONGEST: usize = 500;

    fn multiply_add(&mut self, factor: u32, carry: u32) {
        let mut carry = u64::from(carry);
        for digit in &mut self.0 {
            carry += u64::from(*digit) * u64::from(factor);
            *digit = (carry % Self::BASE) as u32;
            carry /= Self::BASE;
        }
        if carry > 0 && self.0.len() < Self::LONGEST {
            self.0.push(carry as u32);
        }
    }

    fn add(&mut self, other: &Self) {
        let mut carry = 0;
        for i in 0..self.0.len().max(other.0.len()) {
            if i == self.0.len() {
                self.0.push(0);
            }
            carry += u64::from(self.0[i]) + u64::from(other.0.get(i).copied().unwrap_or(0));
            self.0[i] = (carry % Self::BASE) as u32;
            carry /= Self::BASE;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn value(&self, negative: bool) -> Value {
        let mut text = String::new();
        if negative {
            text.push('-');
        }
        let top = self.0.iter().rposition(|digit| *digit != 0).unwrap_or(0);
        text.push_str(&self.0.get(top).copied().unwrap_or(0).to_string());
        for digit in self.0[..top.min(self.0.len())].iter().rev() {
            let _ = write!(text, "{digit:09}");
        }
        text.parse().map_or(Value::BigInt(text), Value::Int)
    }
}

//! The implicit types of plain scalars: the patterns that each loader tries, matched by hand.
//!
//! Sources: PyYAML 6.0.3 `resolver.py`; OmegaConf 2.4.0 `_yaml.py` (adds one float pattern, drops timestamps);
//! ruamel.yaml 0.19.1 `resolver.py` (the entries for version 1.2).

use crate::data::Loader;

/// The type that a loader gives to a plain scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Implicit {
    /// `~`, `null`, nothing.
    Null,
    /// A boolean.
    Bool,
    /// An integer.
    Int,
    /// A floating-point number.
    Float,
    /// A date, or a date with a time.
    Timestamp,
    /// `<<`.
    Merge,
    /// `=`, the "default value" of YAML 1.1.
    DefaultValue,
    /// Anything else.
    Text,
}

/// The type of the plain text `text`. JSON has its own literals and is not asked here.
pub(crate) fn implicit(text: &str, loader: Loader) -> Implicit {
    let Some(first) = text.bytes().next() else { return Implicit::Null };
    match first {
        b'~' if text == "~" => Implicit::Null,
        b'<' if text == "<<" => Implicit::Merge,
        b'=' if text == "=" => Implicit::DefaultValue,
        b'n' | b'N' if matches!(text, "null" | "Null" | "NULL") => Implicit::Null,
        b'a'..=b'z' | b'A'..=b'Z' if boolean(text, loader).is_some() => Implicit::Bool,
        b'-' | b'+' | b'.' | b'0'..=b'9' => number(text.as_bytes(), loader),
        _ => Implicit::Text,
    }
}

/// The boolean that `text` spells, if it spells one.
pub(crate) fn boolean(text: &str, loader: Loader) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ if loader == Loader::Yaml12 => None,
        "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

/// Float is tried before int, and int before timestamp, as all three libraries do.
fn number(text: &[u8], loader: Loader) -> Implicit {
    let (float, int) = match loader {
        Loader::Yaml12 => (float_12(text), int_12(text)),
        Loader::OmegaConf => (float_11(text) || float_omegaconf(text), int_11(text)),
        _ => (float_11(text), int_11(text)),
    };
    if float {
        Implicit::Float
    } else if int {
        Implicit::Int
    } else if loader != Loader::OmegaConf && timestamp(text) {
        Implicit::Timestamp
    } else {
        Implicit::Text
    }
}

/// A place in a text, moved on by what matches.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { rest: text }
    }

    /// Takes one byte if it fits.
    fn one(&mut self, fits: impl Fn(u8) -> bool) -> bool {
        match self.rest.split_first() {
            Some((byte, rest)) if fits(*byte) => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// Takes bytes as long as they fit, at most `most`; returns how many.
    fn many(&mut self, most: usize, fits: impl Fn(u8) -> bool) -> usize {
        let count = self.rest.iter().take(most).take_while(|byte| fits(**byte)).count();
        self.rest = &self.rest[count..];
        count
    }

    fn sign(&mut self) -> bool {
        self.one(|b| matches!(b, b'-' | b'+'))
    }

    fn byte(&mut self, byte: u8) -> bool {
        self.one(|b| b == byte)
    }

    fn end(self) -> bool {
        self.rest.is_empty()
    }

    /// `[0-9][0-9_]*`
    fn digits(&mut self) -> bool {
        self.one(|b| b.is_ascii_digit()) && {
            self.many(usize::MAX, digit_or_underscore);
            true
        }
    }

    /// `[eE]`, then a sign (required or not), then digits.
    fn exponent(&mut self, sign_required: bool) -> bool {
        self.one(|b| matches!(b, b'e' | b'E'))
            && (self.sign() || !sign_required)
            && self.many(usize::MAX, |b| b.is_ascii_digit()) > 0
    }

    /// Nothing more, or an exponent and nothing more.
    fn ends_with_exponent(mut self, sign_required: bool) -> bool {
        self.end() || self.exponent(sign_required) && self.end()
    }

    /// `(:[0-5]?[0-9])+`; `false` where a group does not fit.
    fn sixtieths(&mut self) -> bool {
        let mut groups = 0;
        while self.byte(b':') {
            let before = self.rest;
            let count = self.many(2, |b| b.is_ascii_digit());
            if count == 0 || count == 2 && !matches!(before[0], b'0'..=b'5') {
                return false;
            }
            groups += 1;
        }
        groups > 0
    }
}

fn digit_or_underscore(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'_'
}

/// `[-+]?\.(inf|Inf|INF)` and `\.(nan|NaN|NAN)`.
fn special_float(text: &[u8]) -> bool {
    let unsigned = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    matches!(unsigned, b".inf" | b".Inf" | b".INF") || matches!(text, b".nan" | b".NaN" | b".NAN")
}

/// YAML 1.1 floats: a point is required, and the exponent needs its sign.
fn float_11(text: &[u8]) -> bool {
    let mut at = Cursor::new(text);
    if at.byte(b'.') {
        return special_float(text) || at.digits() && at.ends_with_exponent(true);
    }
    at.sign();
    if !at.digits() {
        return special_float(text);
    }
    let mut clock = at;
    if at.byte(b'.') {
        at.many(usize::MAX, digit_or_underscore);
        return at.ends_with_exponent(true);
    }
    clock.sixtieths() && clock.byte(b'.') && {
        clock.many(usize::MAX, digit_or_underscore);
        clock.end()
    }
}

/// What OmegaConf takes besides: no point needed, no sign in the exponent needed; underscores only between digits.
fn float_omegaconf(text: &[u8]) -> bool {
    let mut at = Cursor::new(text);
    at.sign();
    let digit = |b: u8| b.is_ascii_digit();
    loop {
        if at.many(usize::MAX, digit) == 0 {
            return false;
        }
        if !at.byte(b'_') {
            break;
        }
    }
    if at.byte(b'.') {
        at.many(usize::MAX, digit_or_underscore);
        return at.ends_with_exponent(false);
    }
    at.exponent(false) && at.end()
}

/// Floats of ruamel.yaml under version 1.2.
fn float_12(text: &[u8]) -> bool {
    if special_float(text) {
        return true;
    }
    let mut at = Cursor::new(text);
    at.sign();
    if at.byte(b'.') {
        // `[0-9_]+` would take `._` too, which the constructor then cannot read.
        let fraction = at.rest;
        let length = at.many(usize::MAX, digit_or_underscore);
        return fraction[..length].iter().any(u8::is_ascii_digit) && at.ends_with_exponent(true);
    }
    if !at.digits() {
        return false;
    }
    if at.byte(b'.') {
        at.many(usize::MAX, digit_or_underscore);
        return at.ends_with_exponent(false);
    }
    at.exponent(false) && at.end()
}

/// YAML 1.1 integers: binary, octal with a leading 0, decimal, hexadecimal, sexagesimal.
fn int_11(text: &[u8]) -> bool {
    let mut at = Cursor::new(text);
    at.sign();
    if let Some(prefixed) = prefixed_int(at) {
        return prefixed;
    }
    if at.byte(b'0') {
        at.many(usize::MAX, |b| matches!(b, b'0'..=b'7' | b'_'));
        return at.end();
    }
    at.digits() && (at.end() || at.sixtieths() && at.end())
}

/// Integers of ruamel.yaml under version 1.2: a leading 0 means nothing, octal needs `0o`.
fn int_12(text: &[u8]) -> bool {
    let mut at = Cursor::new(text);
    at.sign();
    if let Some(prefixed) = prefixed_int(at) {
        return prefixed;
    }
    if let Some(octal) = at.rest.strip_prefix(b"0o") {
        return !octal.is_empty() && octal.iter().all(|b| matches!(b, b'0'..=b'7' | b'_'));
    }
    // The pattern takes a sign with underscores alone, which the constructor then cannot read.
    at.rest.iter().any(u8::is_ascii_digit) && at.rest.iter().copied().all(digit_or_underscore)
}

/// `0b…` and `0x…`; `None` where neither prefix is there.
fn prefixed_int(at: Cursor<'_>) -> Option<bool> {
    let binary = at.rest.strip_prefix(b"0b").map(|d| !d.is_empty() && d.iter().all(|b| matches!(b, b'0' | b'1' | b'_')));
    let hexadecimal = || {
        let digits = at.rest.strip_prefix(b"0x")?;
        Some(!digits.is_empty() && digits.iter().all(|b| b.is_ascii_hexdigit() || *b == b'_'))
    };
    binary.or_else(hexadecimal)
}

/// `2024-01-01`, or a date with a time and perhaps a zone. Days that do not exist match too.
fn timestamp(text: &[u8]) -> bool {
    timestamp_parts(text, false).is_some()
}

/// The numbers of a timestamp, as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Timestamp {
    pub(crate) year: u32,
    pub(crate) month: u32,
    pub(crate) day: u32,
    pub(crate) hour: u32,
    pub(crate) minute: u32,
    pub(crate) second: u32,
    /// Distance from UTC in minutes, without its sign.
    pub(crate) zone: u32,
}

/// Reads a timestamp. A date alone needs two digits for month and day, unless `explicit` (`!!timestamp 2024-1-2`).
pub(crate) fn timestamp_parts(text: &[u8], explicit: bool) -> Option<Timestamp> {
    let mut at = Cursor::new(text);
    let mut out = Timestamp::default();
    let month_digits;
    let day_digits;
    (out.year, _) = field(&mut at, 4, 4)?;
    at.byte(b'-').then_some(())?;
    (out.month, month_digits) = field(&mut at, 1, 2)?;
    at.byte(b'-').then_some(())?;
    (out.day, day_digits) = field(&mut at, 1, 2)?;
    if at.end() {
        return (explicit || month_digits == 2 && day_digits == 2).then_some(out);
    }
    if !at.one(|b| matches!(b, b'T' | b't')) && at.many(usize::MAX, |b| matches!(b, b' ' | b'\t')) == 0 {
        return None;
    }
    (out.hour, _) = field(&mut at, 1, 2)?;
    at.byte(b':').then_some(())?;
    (out.minute, _) = field(&mut at, 2, 2)?;
    at.byte(b':').then_some(())?;
    (out.second, _) = field(&mut at, 2, 2)?;
    if at.byte(b'.') {
        at.many(usize::MAX, |b| b.is_ascii_digit());
    }
    if at.end() {
        return Some(out);
    }
    at.many(usize::MAX, |b| matches!(b, b' ' | b'\t'));
    if at.byte(b'Z') {
        return at.end().then_some(out);
    }
    at.sign().then_some(())?;
    let (zone_hour, _) = field(&mut at, 1, 2)?;
    out.zone = zone_hour * 60;
    if at.byte(b':') {
        out.zone += field(&mut at, 2, 2)?.0;
    }
    at.end().then_some(out)
}

/// A number of `least` to `most` digits, and how many there were.
fn field(at: &mut Cursor<'_>, least: usize, most: usize) -> Option<(u32, usize)> {
    let before = at.rest;
    let count = at.many(most, |b| b.is_ascii_digit());
    let number = before[..count].iter().fold(0, |n, b| n * 10 + u32::from(b - b'0'));
    (count >= least).then_some((number, count))
}

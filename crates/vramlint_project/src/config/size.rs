//! Memory sizes with units. `GiB` is 1024³ bytes, `GB` is 1000³ bytes; the two are never confused.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use std::borrow::Cow;
use vramlint_base::{Message, message};

/// A size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

/// Lowest plausible size, bytes; below it, the unit is missing.
const MIN_MEMORY: u64 = 1 << 20;

/// Units in lower case, with their bytes.
const UNITS: [(&str, u64); 9] = [
    ("b", 1),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
];

impl Size {
    /// Parses `24GiB`, `20480 MiB`, `64GB`, `23.5GiB` or plain bytes.
    pub fn parse(text: &str) -> Result<Self, Message> {
        let trimmed = text.trim();
        let split = trimmed.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(split);
        let number = number.replace('_', "");
        let unit = unit.trim().to_lowercase();
        let bytes = if unit.is_empty() {
            1
        } else if let Some((_, bytes)) = UNITS.iter().find(|(name, _)| *name == unit) {
            *bytes
        } else if let ("k" | "m" | "g" | "t", letter) = (unit.as_str(), unit.to_uppercase()) {
            return Err(message!(
                "`{text}` is ambiguous: write {letter}iB (powers of 1024) or {letter}B (powers of 1000)",
                "`{text}` 有歧义：请写 {letter}iB（1024 的幂）或 {letter}B（1000 的幂）"
            ));
        } else {
            return Err(not_a_size(text));
        };
        let bytes = multiply(&number, bytes).ok_or_else(|| not_a_size(text))?;
        Self::of_bytes(bytes)
    }

    /// A size in bytes; an error if it is so small that the unit must be missing.
    pub fn of_bytes(bytes: u64) -> Result<Self, Message> {
        if bytes < MIN_MEMORY {
            return Err(message!(
                "{bytes} bytes is too small for a memory size; write a unit, as in `24GiB`",
                "{bytes} 字节作为内存大小太小；请写明单位，例如 `24GiB`"
            ));
        }
        Ok(Self(bytes))
    }
}

fn not_a_size(text: &str) -> Message {
    message!(
        "`{text}` is not a size; write for example `24GiB`, `20480MiB` or `64GB`",
        "`{text}` 不是有效的大小；请写成例如 `24GiB`、`20480MiB` 或 `64GB`"
    )
}

/// `number` (decimal, possibly with a fraction) × `unit`, rounded to bytes.
#[allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // fractions of a unit need no more than 53 bits
fn multiply(number: &str, unit: u64) -> Option<u64> {
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(unit).filter(|bytes| i64::try_from(*bytes).is_ok());
    }
    let bytes = number.parse::<f64>().ok()? * unit as f64;
    (bytes.is_finite() && bytes < i64::MAX as f64).then(|| bytes.round() as u64)
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Size;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a size such as \"24GiB\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Size, E> {
                Size::parse(text).map_err(|message| E::custom(SizeError::encode(&message)))
            }
            fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<Size, E> {
                Size::of_bytes(u64::try_from(bytes).unwrap_or(0)).map_err(|message| E::custom(SizeError::encode(&message)))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// Carries a message in two languages through serde, whose errors hold one string.
pub(crate) struct SizeError;

impl SizeError {
    const BETWEEN: char = '\u{1f}';

    fn encode(message: &Message) -> String {
        format!("{}{}{}", message.en, Self::BETWEEN, message.zh)
    }

    /// The message in two languages if the error comes from [`Size`]; otherwise the same text twice.
    pub(crate) fn decode(text: &str) -> Message {
        let (en, zh) = text.split_once(Self::BETWEEN).unwrap_or((text, text));
        Message { en: en.to_owned(), zh: zh.to_owned() }
    }
}

impl JsonSchema for Size {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "integer"], "examples": ["24GiB", "80GB"] })
    }
}

#[cfg(test)]
mod tests {
    use super::Size;

    #[test]
    fn powers_of_1024_and_of_1000_are_kept_apart() {
        let bytes = |text| Size::parse(text).map(|size| size.0);
        assert_eq!(bytes("24GiB"), Ok(24 << 30));
        assert_eq!(bytes("24 gib"), Ok(24 << 30));
        assert_eq!(bytes("20480MiB"), Ok(20 << 30));
        assert_eq!(bytes("64GB"), Ok(64_000_000_000));
        assert_eq!(bytes("24 GB"), Ok(24_000_000_000));
        assert_eq!(bytes("23.5GiB"), Ok(25_232_932_864));
        assert_eq!(bytes("25769803776"), Ok(24 << 30));
        assert_eq!(bytes("1TiB"), Ok(1 << 40));
    }

    #[test]
    fn nonsense_is_refused_with_a_reason() {
        for text in ["", "GiB", "big", "-24GiB", "24Gi", "1.2.3GiB", "99999999999TiB", "NaN", "２４GiB", "显存"] {
            let error = Size::parse(text).expect_err(text);
            assert!(error.en.contains("is not a size"), "{text}: {}", error.en);
        }
        assert!(Size::parse("24G").expect_err("ambiguous").en.contains("GiB (powers of 1024) or GB"));
        assert!(Size::parse("24").expect_err("no unit").en.contains("write a unit"));
        assert!(Size::parse("0GiB").is_err());
    }
}

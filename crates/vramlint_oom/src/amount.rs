//! Amounts of memory as messages print them.

/// The unit of an amount. Allocators divide by 1024, also where they print `MB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// 2^10 bytes.
    KiB,
    /// 2^20 bytes.
    MiB,
    /// 2^30 bytes.
    GiB,
    /// 2^40 bytes.
    TiB,
}

impl Unit {
    /// The unit that `word` names. `None` if it names none.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "B" | "byte" | "bytes" => Self::Bytes,
            "KiB" | "KB" | "kB" | "K" => Self::KiB,
            "MiB" | "MB" | "M" => Self::MiB,
            "GiB" | "GB" | "G" => Self::GiB,
            "TiB" | "TB" | "T" => Self::TiB,
            _ => return None,
        })
    }

    /// The unit as `KiB`, `MiB`…
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::KiB => "KiB",
            Self::MiB => "MiB",
            Self::GiB => "GiB",
            Self::TiB => "TiB",
        }
    }

    const fn in_mib(self) -> f64 {
        match self {
            Self::Bytes => 1.0 / 1_048_576.0,
            Self::KiB => 1.0 / 1024.0,
            Self::MiB => 1.0,
            Self::GiB => 1024.0,
            Self::TiB => 1_048_576.0,
        }
    }
}

/// An amount of memory as a message prints it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount {
    /// The number, with the digits that the message gives.
    pub value: f64,
    /// The unit of `value`.
    pub unit: Unit,
}

impl Amount {
    /// The amount with this number and unit, as texts.
    pub(crate) fn parse(value: &str, unit: &str) -> Option<Self> {
        Some(Self { value: value.parse().ok().filter(|value: &f64| value.is_finite())?, unit: Unit::parse(unit)? })
    }

    /// A number of bytes.
    pub(crate) fn bytes(value: &str) -> Option<Self> {
        Self::parse(value, "bytes")
    }

    /// In MiB, to two decimals.
    pub fn mib(self) -> f64 {
        hundredths(self.value * self.unit.in_mib())
    }

    /// In bytes, as exact as the message.
    pub fn in_bytes(self) -> f64 {
        self.value * self.unit.in_mib() * 1_048_576.0
    }
}

/// `value` to two decimals.
pub(crate) fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_keeps_what_was_printed() {
        let amount = Amount::parse("10.57", "GiB").expect("legal");
        assert_eq!((amount.value, amount.unit.name(), amount.mib()), (10.57, "GiB", 10823.68));
        assert_eq!(Amount::parse("0", "bytes").map(Amount::mib), Some(0.0));
        assert_eq!(Amount::parse("62914560", "kB").map(Amount::mib), Some(61440.0));
        assert_eq!(Amount::parse("1.2.3", "GiB"), None);
        assert_eq!(Amount::parse("1", "Gibs"), None);
    }
}

//! Formatting of quantities.

/// Bytes in GiB, without the unit.
#[allow(clippy::cast_precision_loss)] // a few decimals of a GiB
pub fn gib(bytes: u64, decimals: usize) -> String {
    format!("{:.decimals$}", bytes as f64 / f64::from(1 << 30))
}

/// `part` of `whole` in percent; 0 of nothing.
#[allow(clippy::cast_precision_loss)] // a few decimals of a percent
pub fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_rounded() {
        assert_eq!((gib(25_757_220_864, 2), gib(61 << 30, 1)), ("23.99".to_owned(), "61.0".to_owned()));
        assert!((percent(1, 4) - 25.0).abs() < f64::EPSILON && percent(1, 0) == 0.0);
    }
}

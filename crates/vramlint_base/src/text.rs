//! Formatting of quantities: bytes, percentages, counts with their noun.

/// Bytes in GiB, without the unit.
#[allow(clippy::cast_precision_loss)] // a few decimals of a GiB
pub fn gib(bytes: u64, decimals: usize) -> String {
    format!("{:.decimals$}", bytes as f64 / f64::from(1 << 30))
}

/// Bytes as GiB with one decimal, or as MiB below one GiB, with the unit.
pub fn format_size(bytes: u64) -> String {
    if bytes < 1 << 30 { format!("{} MiB", bytes >> 20) } else { format!("{} GiB", gib(bytes, 1)) }
}

/// `part` of `whole` in percent; 0 if `whole` is 0.
#[allow(clippy::cast_precision_loss)] // a few decimals of a percent
pub fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// `part` of `whole` in percent, rounded to an integer; a `whole` of 0 counts as 1.
pub fn percent_rounded(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole.max(1)));
    u64::try_from((part * 100 + whole / 2) / whole).unwrap_or(u64::MAX)
}

/// A count with its English noun: `1 process`, `2 processes`.
pub fn count_noun(count: i64, noun: &str) -> String {
    let ending = match noun {
        _ if count == 1 => "",
        _ if noun.ends_with('s') || noun.ends_with('x') || noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{count} {noun}{ending}")
}

/// [`count_noun`] for lengths.
pub fn len_noun(count: usize, noun: &str) -> String {
    count_noun(i64::try_from(count).unwrap_or(i64::MAX), noun)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_rounded() {
        assert_eq!((gib(25_757_220_864, 2), gib(61 << 30, 1)), ("23.99".to_owned(), "61.0".to_owned()));
        assert_eq!((format_size(512 << 20).as_str(), format_size(3 << 29).as_str()), ("512 MiB", "1.5 GiB"));
        assert!((percent(1, 4) - 25.0).abs() < f64::EPSILON && percent(1, 0) == 0.0);
        assert_eq!((percent_rounded(1, 3), percent_rounded(2, 3), percent_rounded(0, 0)), (33, 67, 0));
    }

    #[test]
    fn nouns_follow_their_count() {
        assert_eq!(count_noun(1, "process"), "1 process");
        assert_eq!(count_noun(2, "process"), "2 processes");
        assert_eq!(len_noun(0, "file"), "0 files");
        assert_eq!(count_noun(3, "fix"), "3 fixes");
    }
}

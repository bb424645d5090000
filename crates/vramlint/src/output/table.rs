//! Columns that line up, whatever the width of the letters.

use unicode_width::UnicodeWidthStr;

/// `text`, filled with blanks to `width` columns. Wider text stays as it is.
pub(crate) fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// Columns that the widest of `texts` takes, `most` at most.
pub(crate) fn widest<'a>(texts: impl Iterator<Item = &'a str>, most: usize) -> usize {
    texts.map(UnicodeWidthStr::width).filter(|width| *width <= most).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_take_two_columns() {
        assert_eq!(pad("批", 4), "批  ");
        assert_eq!(pad("ab", 4), "ab  ");
        assert_eq!(widest(["批量", "abc"].into_iter(), 80), 4);
    }
}

//! Aligned columns for characters of any width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
use vramlint_base::visible::one_line;

/// `text` padded with spaces to `width` columns. Wider text is unchanged.
pub fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// Rows as lines with aligned columns, two spaces apart; the last column is not padded.
pub fn align<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(|column| if column + 1 < N { width(column) } else { 0 });
    let line = |row: &[String; N]| row.iter().zip(widths).map(|(cell, width)| pad(cell, width)).collect::<Vec<_>>().join("  ");
    rows.iter().map(line).collect()
}

/// The width of the widest text that has at most `most` columns.
pub fn widest<'a>(texts: impl Iterator<Item = &'a str>, most: usize) -> usize {
    texts.map(UnicodeWidthStr::width).filter(|width| *width <= most).max().unwrap_or(0)
}

/// `text` on one line of at most `width` columns; `…` marks a cut. Control characters become visible.
pub fn cut(text: &str, width: usize) -> String {
    let text = one_line(text);
    if text.width() <= width {
        return text.into_owned();
    }
    let mut columns = 0;
    let fits = |c: &char| {
        columns += c.width().unwrap_or(0);
        columns < width
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_take_two_columns() {
        assert_eq!(pad("批", 4), "批  ");
        assert_eq!(pad("ab", 4), "ab  ");
        assert_eq!(align(&[["批".to_owned(), "x".to_owned()], ["abc".to_owned(), "yy".to_owned()]]), ["批   x", "abc  yy"]);
        assert_eq!(widest(["批量", "abc"].into_iter(), 80), 4);
    }
}

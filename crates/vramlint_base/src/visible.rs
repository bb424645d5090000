//! Text of a file, made safe to show: no character of it moves a cursor, starts a command of a terminal or reorders what stands beside it.
//!
//! This is the one definition of such characters; terminals, logs, annotations and pages all use it.

use std::borrow::Cow;

/// Whether a character acts on what shows it instead of being shown: control characters (C0, DEL, C1), line and paragraph separators,
/// marks of direction, deprecated format characters, annotations, tags, and the byte order mark.
pub fn acts_on_display(c: char) -> bool {
    // Nearly all characters of a text: ASCII, and most that Chinese is written with.
    if matches!(c, ' '..='~' | '\u{2070}'..='\u{fefe}') {
        return false;
    }
    c.is_control()
        || matches!(c,
            '\u{61c}'
            | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// `text` on one line: line breaks and tabs are replaced too.
pub fn one_line(text: &str) -> Cow<'_, str> {
    replaced(text, |_| false)
}

/// `text` with its line breaks (`\n`); everything else that acts is replaced.
pub fn several_lines(text: &str) -> Cow<'_, str> {
    replaced(text, |c| c == '\n')
}

fn replaced(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    let acts = |c: char| acts_on_display(c) && !keep(c);
    // Nearly every text is plain, and most of them are ASCII.
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| if acts(c) { picture(c) } else { c }).collect::<String>().into()
}

/// What stands for a character that acts: the picture of a control character, else the replacement character.
pub fn picture(c: char) -> char {
    match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        _ => '\u{fffd}',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_becomes_visible_and_the_rest_stays() {
        assert_eq!(one_line("a\x1b[31m\u{9b}b\r\n\t\u{7f}"), "a␛[31m\u{fffd}b␍␊␉␡");
        assert_eq!(one_line("\u{202e}\u{2028}\u{2066}\u{feff}\u{61c}\u{e0041}"), "\u{fffd}".repeat(6));
        assert_eq!(several_lines("a\nb\rc"), "a\nb␍c");
        for text in ["批量 64 × 2", "👩\u{200d}🔬", "é\u{301}", ""] {
            assert!(matches!(one_line(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }
}

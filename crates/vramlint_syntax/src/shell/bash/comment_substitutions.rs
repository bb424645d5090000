//! Comments between continued lines, which people write as a substitution: `` `# QLoRA` \ ``. It runs nothing and leaves no word.
//!
//! The parser takes the closing backtick for a part of the comment and loses the rest of the command.

use std::borrow::Cow;

/// The text for the parser: such comments are spaces in it, so that every place stays.
pub(super) fn blanked(text: &str) -> Cow<'_, str> {
    let mut bytes = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find("`#").map(|at| from + at) {
        from = start + 2;
        let line = text[from..].lines().next().unwrap_or_default();
        let Some(end) = line.find('`').map(|at| from + at + 1) else { continue };
        let apart = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
        if apart(start.checked_sub(1).and_then(|before| text.as_bytes().get(before))) && apart(text.as_bytes().get(end)) {
            if bytes.is_empty() {
                bytes = text.as_bytes().to_vec();
            }
            bytes[start..end].fill(b' ');
        }
        from = end;
    }
    // Whole comments are blanked, from one backtick to the next.
    match String::from_utf8(bytes) {
        Ok(blanked) if !blanked.is_empty() => Cow::Owned(blanked),
        _ => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay() {
        for text in ["a \\\n  `# 显存` \\\n  --b 1", "`# x`", "a `# b` `# c` d\r\n"] {
            let blank = blanked(text);
            assert_eq!(blank.len(), text.len(), "{text}");
            assert!(!blank.contains('#'), "{blank}");
        }
    }

    #[test]
    fn everything_else_stays() {
        for text in ["", "a `b`", "a `#", "a `# b\nc`", "a`# b`", "a `# b`c", "\"x `#y`z\""] {
            assert_eq!(blanked(text), text);
        }
    }
}

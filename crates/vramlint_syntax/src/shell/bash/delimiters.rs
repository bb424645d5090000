//! Finds the end of nested quotes and substitutions without recursion.

/// The offset after the mark that closes what was opened just before `at`, or `None` where it stays open before `end`.
///
/// `closer` is `)` for `$(`, `}` for `${`, `"` or `` ` ``. A `)` of a `case` pattern inside `$( )` ends it too early: callers
/// only use the result inside words whose ends the parser found, or to fall silent.
pub(super) fn closing(text: &str, mut at: usize, end: usize, closer: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = end.min(bytes.len());
    let mut open = vec![closer];
    let mut quotes = usize::from(closer == b'"');
    while at < end {
        let innermost = *open.last()?;
        let byte = bytes[at];
        let next = bytes.get(at + 1).copied().unwrap_or(0);
        if byte == b'\\' {
            at += 2;
            continue;
        }
        if byte == innermost {
            quotes -= usize::from(byte == b'"');
            open.pop();
            at += 1;
            if open.is_empty() {
                return Some(at);
            }
            continue;
        }
        match (innermost, byte) {
            (b'`', _) => {}
            (_, b'$') if next == b'(' || next == b'{' => {
                open.push(if next == b'(' { b')' } else { b'}' });
                at += 1;
            }
            (_, b'`') => open.push(b'`'),
            (b'"', _) => {}
            (_, b'"') => {
                open.push(b'"');
                quotes += 1;
            }
            (b')', b'\'') => at = quote_end(bytes, at + 1, end)?,
            (b'}', b'\'') if quotes == 0 => at = quote_end(bytes, at + 1, end)?,
            (b')', b'(') => open.push(b')'),
            (b')', b'#') if at > 0 && bytes[at - 1].is_ascii_whitespace() => {
                while at + 1 < end && bytes[at + 1] != b'\n' {
                    at += 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The offset of the quote that closes `'…'`.
fn quote_end(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    bytes.get(start..end)?.iter().position(|b| *b == b'\'').map(|length| start + length)
}

//! Writing to standard output and standard error.
//!
//! Formats escape what they quote. Text that leaves through here is checked once more, so that a forgotten place cannot send the bytes
//! of a file to a terminal.

use anyhow::Result;
use std::io::{self, Write};
use std::path::Path;
use vramlint_base::visible::{acts_on_display, one_line, picture};
use vramlint_project::write_file;

/// Prints text to standard output, ending with a line break. `color`: whether it may hold styles.
pub(crate) fn print_stdout(text: &str, color: bool) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(guarded(text, color).as_bytes())?;
    if !text.is_empty() && !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(())
}

/// Writes bytes to standard output as they are.
pub(crate) fn write_stdout(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// Writes a file that the command line names, whole or not at all. A link is followed, since the user named it.
pub(crate) fn write_named(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = path.canonicalize();
    write_file(target.as_deref().unwrap_or(path), bytes)
}

/// Prints a line to standard error. Unlike `eprintln!`, it does not panic if standard error is closed.
pub(crate) fn print_stderr(line: &str) {
    let _ = writeln!(io::stderr(), "{}", one_line(line));
}

/// `text` without characters that act on a terminal, line breaks and tabs excepted. With `color`, sequences that set a style
/// (`ESC [ … m`) stay.
pub(crate) fn guarded(text: &str, color: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if color { style_length(rest) } else { 0 };
        if length > 0 {
            out.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        out.push(if acts_on_display(c) && !matches!(c, '\n' | '\t') { picture(c) } else { c });
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// Longest parameters of a style, bytes.
const LONGEST_STYLE: usize = 16;

/// Length of the sequence at the start of `text` that sets a style; 0 if there is none.
fn style_length(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\x1b[") else { return 0 };
    let digits = parameters.bytes().take(LONGEST_STYLE).take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
    if parameters[digits..].starts_with('m') { digits + 3 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn only_styles_pass_and_only_with_color() {
        let text = "\x1b[1;31mbad\x1b[0m\t\x1b]0;title\x07\x1b[2J\r\u{9b}2J\u{202e}\n";
        assert_eq!(guarded(text, true), "\x1b[1;31mbad\x1b[0m\t␛]0;title␇␛[2J␍\u{fffd}2J\u{fffd}\n");
        assert!(!guarded(text, false).contains('\x1b'));
        assert_eq!(guarded("批 64\n", false), "批 64\n");
    }
}

//! Writing to standard output and standard error.

use anyhow::Result;
use std::io::{self, Write};

/// Prints text to standard output, ending with a line break.
pub(crate) fn print_stdout(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
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

/// Prints a line to standard error. Unlike `eprintln!`, it does not panic if standard error is closed.
pub(crate) fn print_stderr(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

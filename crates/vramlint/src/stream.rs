//! Where text goes: standard output or a file, in one piece, so that a failure leaves nothing half printed.

use crate::exit::{fault, is_broken_pipe};
use std::io::Write;
use std::path::Path;
use vramlint_base::message;

/// Prints to standard output. A reader that has gone is no failure.
pub(crate) fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(bytes).and_then(|()| out.flush());
    match written.map_err(anyhow::Error::from) {
        Err(error) if !is_broken_pipe(&error) => Err(error.context("standard output")),
        _ => Ok(()),
    }
}

/// Writes a file that the user named.
pub(crate) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).map_err(|error| {
        let path = path.display();
        fault(message!("cannot write {path}: {error}", "无法写入 {path}：{error}"))
    })
}

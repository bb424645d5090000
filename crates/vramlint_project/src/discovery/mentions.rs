//! What a text may mention of other files: paths, and modules that Python code imports or a command starts.

use super::file_format::FileFormat;
use vramlint_syntax::python::{Import, scan_imports};

/// Substrings that may be paths.
pub(crate) fn path_tokens(text: &str) -> impl Iterator<Item = &str> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '@');
    let separator = move |c: char| !part(c);
    text.split(separator).map(|token| token.trim_matches(|c| matches!(c, '.' | '/'))).filter(|token| !token.is_empty())
}

/// Calls `found` with each module: the number of leading dots, and the dotted name.
pub(crate) fn modules(text: &str, format: FileFormat, found: &mut dyn FnMut(usize, &str)) {
    if format == FileFormat::Python {
        // The package of `from . import …` names no file of its own.
        for Import { level, module } in scan_imports(text).iter().filter(|import| !import.module.is_empty()) {
            found(*level as usize, module);
        }
        return;
    }
    let mut words = text.split_ascii_whitespace();
    while let Some(word) = words.next() {
        if matches!(word, "-m" | "--module")
            && let Some(module) = words.next()
        {
            found(0, module);
        }
    }
}

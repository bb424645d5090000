//! What a text may mention of other files: paths, and modules that Python code imports or a command starts.

use super::file_format::FileFormat;

/// Substrings that may be paths.
pub(crate) fn path_tokens(text: &str) -> impl Iterator<Item = &str> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '@');
    let separator = move |c: char| !part(c);
    text.split(separator).map(|token| token.trim_matches(|c| matches!(c, '.' | '/'))).filter(|token| !token.is_empty())
}

/// Calls `found` with each module: the number of leading dots, and the dotted name.
pub(crate) fn modules(text: &str, format: FileFormat, found: &mut dyn FnMut(usize, &str)) {
    if format == FileFormat::Python {
        for line in text.lines() {
            imports(line.trim_start(), found);
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

/// The modules in an import statement; an imported name may be a module of the package.
fn imports(line: &str, found: &mut dyn FnMut(usize, &str)) {
    if let Some(rest) = line.strip_prefix("import ") {
        for module in rest.split(',') {
            found(0, module.split_whitespace().next().unwrap_or(""));
        }
    } else if let Some(rest) = line.strip_prefix("from ") {
        let Some((module, names)) = rest.split_once(" import ") else { return };
        let dots = module.trim_start().bytes().take_while(|byte| *byte == b'.').count();
        let module = module.trim().trim_start_matches('.');
        if !module.is_empty() {
            found(dots, module);
        }
        for name in names.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|name| !name.is_empty()) {
            if module.is_empty() {
                found(dots, name);
            } else {
                found(dots, &format!("{module}.{name}"));
            }
        }
    }
}

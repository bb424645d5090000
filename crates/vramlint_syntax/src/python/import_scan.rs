//! Imports found in the text of a module, without parsing it.
//!
//! Strings and comments are skipped as Python skips them, but only up to the last place that looks like an import, so that a module
//! costs little more than one search for the word.

use memchr::{memchr, memchr2, memchr3, memmem, memrchr};

/// A module that an import statement names. `from a import b` names two: `a`, and `a.b`, which may be a module as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The dots of a relative import.
    pub level: u32,
    /// The dotted name; empty for the package of `from . import …`.
    pub module: Box<str>,
}

/// The imports of a module, in order, wherever they stand.
pub fn scan_imports(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    visit_statements(text, |start| {
        Words { rest: &text[start..], in_brackets: false }.read_statement(&mut found);
    });
    found
}

/// A module of nothing but the import statements of a text, one to a line.
pub fn import_statements(text: &str) -> String {
    let mut out = String::new();
    visit_statements(text, |start| {
        let left = Words { rest: &text[start..], in_brackets: false }.read_statement(&mut Vec::new());
        out.push_str(&text[start..text.len() - left.len()]);
        out.push('\n');
    });
    out
}

/// Calls `visit` with the place of each import statement, in order.
fn visit_statements(text: &str, mut visit: impl FnMut(usize)) {
    let mut literals = LiteralSkipper { bytes: text.as_bytes(), at: 0 };
    let (mut from, finder) = (0, memmem::Finder::new("import"));
    while let Some(at) = finder.find(&text.as_bytes()[from..]).map(|offset| from + offset) {
        from = at + "import".len();
        if let Some(start) = statement_start(text, at).filter(|start| literals.is_code(*start)) {
            visit(start);
        }
    }
}

/// Where the statement begins whose word `import` stands at `at`; `None` if it is part of another word or statement.
fn statement_start(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if !matches!(bytes.get(at + "import".len()), Some(b' ' | b'\t' | b'(' | b'\\' | b'*')) {
        return None;
    }
    let line_start = |at: usize| memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
    let is_continued = |line: &[u8]| line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\");
    let mut line = line_start(at);
    while line > 0 && is_continued(&bytes[..line - 1]) {
        line = line_start(line - 1);
    }
    // What stands before it on the line: another statement, or the head of a block.
    let before = &text[line..at];
    let own =
        before[before.rfind([';', ':']).map_or(0, |colon| colon + 1)..].trim_start_matches(['\u{feff}', ' ', '\t', '\u{c}']);
    let is_from = own.strip_prefix("from").is_some_and(|rest| rest.starts_with([' ', '\t', '.', '\\']));
    (own.is_empty() || is_from).then_some(at - own.len())
}

/// Skips strings and comments.
struct LiteralSkipper<'a> {
    bytes: &'a [u8],
    /// Where code goes on; everything before was skipped.
    at: usize,
}

impl LiteralSkipper<'_> {
    /// Whether a place stands outside strings and comments. Places must come in order.
    fn is_code(&mut self, place: usize) -> bool {
        while self.at < place {
            let Some(found) = memchr3(b'"', b'\'', b'#', &self.bytes[self.at..place]) else {
                self.at = place;
                break;
            };
            let start = self.at + found;
            let quote = self.bytes[start];
            self.at = if quote == b'#' {
                self.next(start, b'\n')
            } else if self.bytes[start..].starts_with(&[quote; 3]) {
                self.end_of_string(start + 3, quote, true)
            } else {
                self.end_of_string(start + 1, quote, false)
            };
        }
        self.at == place
    }

    fn next(&self, from: usize, byte: u8) -> usize {
        memchr(byte, &self.bytes[from..]).map_or(self.bytes.len(), |offset| from + offset)
    }

    /// The end of the string whose content starts at `from`. One in single quotes ends at the end of its line at the latest.
    fn end_of_string(&self, mut from: usize, quote: u8, is_triple: bool) -> usize {
        let line_end = if is_triple { b'\\' } else { b'\n' };
        loop {
            let rest = self.bytes.get(from..).unwrap_or_default();
            let next = if is_triple { memchr2(quote, b'\\', rest) } else { memchr3(quote, b'\\', line_end, rest) };
            let Some(at) = next.map(|offset| from + offset) else { return self.bytes.len() };
            from = match self.bytes[at] {
                b'\\' => at + 2,
                b'\n' => return at,
                _ if !is_triple => return at + 1,
                _ if self.bytes[at..].starts_with(&[quote; 3]) => return at + 3,
                _ => at + 1,
            };
        }
    }
}

/// The words of one statement.
struct Words<'a> {
    rest: &'a str,
    /// Whether newlines and comments are blank, as they are in brackets.
    in_brackets: bool,
}

impl<'a> Words<'a> {
    /// Reads the statement and returns what follows it.
    fn read_statement(mut self, found: &mut Vec<Import>) -> &'a str {
        if self.take("from").is_none() {
            self.take("import");
            loop {
                let module = self.dotted_name();
                if module.is_empty() {
                    return self.rest;
                }
                found.push(Import { level: 0, module: module.into() });
                self.skip_alias();
                if self.take(",").is_none() {
                    return self.rest;
                }
            }
        }
        let mut level = 0;
        while self.take(".").is_some() {
            level += 1;
        }
        self.skip_blanks();
        let is_import = self.rest.strip_prefix("import").is_some_and(|rest| rest.starts_with([' ', '\t', '(', '\\', '*']));
        let module = if is_import { "" } else { self.dotted_name() };
        if self.take("import").is_none() || level == 0 && module.is_empty() {
            return self.rest;
        }
        found.push(Import { level, module: module.into() });
        self.in_brackets = self.take("(").is_some();
        loop {
            let name = self.dotted_name();
            if name.is_empty() {
                break;
            }
            let full = if module.is_empty() { name.into() } else { format!("{module}.{name}").into() };
            found.push(Import { level, module: full });
            self.skip_alias();
            if self.take(",").is_none() {
                break;
            }
        }
        if self.in_brackets {
            self.take(")");
        } else {
            self.take("*");
        }
        self.rest
    }

    /// Takes this word if it comes next.
    fn take(&mut self, word: &str) -> Option<()> {
        self.skip_blanks();
        self.rest = self.rest.strip_prefix(word)?;
        Some(())
    }

    fn dotted_name(&mut self) -> &'a str {
        self.skip_blanks();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        name
    }

    fn skip_alias(&mut self) {
        self.skip_blanks();
        if self.rest.strip_prefix("as").is_some_and(|rest| rest.starts_with([' ', '\t'])) {
            self.rest = &self.rest[2..];
            self.dotted_name();
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\u{c}']);
            let continued = self.rest.strip_prefix("\\\n").or_else(|| self.rest.strip_prefix("\\\r\n"));
            self.rest = match continued {
                Some(rest) => rest,
                None if self.in_brackets && self.rest.starts_with(['\n', '\r']) => self.rest.trim_start(),
                None if self.in_brackets && self.rest.starts_with('#') => self.rest.split_once('\n').map_or("", |(_, rest)| rest),
                None => return,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(text: &str) -> Vec<String> {
        scan_imports(text).iter().map(|import| format!("{}{}", ".".repeat(import.level as usize), import.module)).collect()
    }

    #[test]
    fn every_form() {
        assert_eq!(scanned("import a, b.c as d ; import e\r\n"), ["a", "b.c", "e"]);
        assert_eq!(scanned("from a.b import c as d, e\n"), ["a.b", "a.b.c", "a.b.e"]);
        assert_eq!(scanned("from . import x\nfrom ..y import *\nfrom.z import w"), [".", ".x", "..y", ".z", ".z.w"]);
        assert_eq!(scanned("from a import (  # why\n    b,\n    c as d, # 注释\n)\nx = 1"), ["a", "a.b", "a.c"]);
        assert_eq!(scanned("from a \\\n  import \\\n  b\n"), ["a", "a.b"]);
        assert_eq!(scanned("try: import a\nexcept ImportError:\n    import b as import_b\n"), ["a", "b"]);
        assert_eq!(scanned("\u{feff}import 模型\n"), ["模型"]);
    }

    #[test]
    fn strings_comments_and_other_words() {
        let none: Vec<String> = Vec::new();
        assert_eq!(scanned("'''\nimport a\n'''\nimport b"), ["b"]);
        assert_eq!(scanned("x = \"\"\"it's\nfrom a import b\n\"\"\"\n# import c\nd = 'import e'\nimport f"), ["f"]);
        assert_eq!(scanned("x = 'it\\'s'\nimport a\ny = r'\\'\nimport b\n"), ["a", "b"]);
        assert_eq!(scanned("x = 'open\nimport a\n"), ["a"]);
        assert_eq!(scanned("importlib.import_module('a')\nis_import = 1\nreimport x\nyield from import_x"), none);
        assert_eq!(scanned("import"), none);
        assert_eq!(scanned("import \nfrom  import x\nimport ("), none);
    }

    #[test]
    fn statements_alone() {
        let text = "import a as b; x = 1\ndef f():\n    from . import (c,\n        d)  # why\n    from e import *\n";
        assert_eq!(import_statements(text), "import a as b\nfrom . import (c,\n        d)\nfrom e import *\n");
    }

    #[test]
    fn as_the_parser_sees_them() {
        let text = "import os\nif x:\n    from a.b import (c,\n        d)\nclass C:\n    import e.f as g\n    def h(self):\n        from .. import i\n";
        let mut parsed = Vec::new();
        for located in crate::python::parse(text).statements() {
            match &located.stmt.kind {
                crate::python::StmtKind::Import { module, .. } => parsed.push(module.clone()),
                crate::python::StmtKind::FromImport { module, level, names } => {
                    let dots = ".".repeat(*level as usize);
                    parsed.push(format!("{dots}{module}"));
                    let dot = if module.is_empty() { "" } else { "." };
                    parsed.extend(names.iter().map(|name| format!("{dots}{module}{dot}{}", name.name)));
                }
                _ => {}
            }
        }
        assert_eq!(scanned(text), parsed);
    }
}

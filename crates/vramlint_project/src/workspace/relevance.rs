//! Import-only skeletons of Python files that no rule inspects. The imports are kept because they make other files reachable.

use crate::source_loader::{ParsedSource, ParsedText};
use std::sync::Arc;
use vramlint_base::{FileId, LineIndex};
use vramlint_resolve::{FileFeatures, SourceFile, Syntax};

/// Summary of a Python file.
#[derive(Debug)]
pub(super) struct FileSummary {
    /// Whether a rule may report this file, or another file because of it.
    pub relevant: bool,
    /// The file reduced to its imports.
    pub skeleton: Arc<ParsedSource>,
}

impl FileSummary {
    /// Summarizes a parsed file.
    pub(super) fn of(loaded: &ParsedSource) -> Self {
        let Syntax::Python(module) = &loaded.parsed.syntax else {
            return Self { relevant: true, skeleton: Arc::new(ParsedSource::without_text(Syntax::Unreadable)) };
        };
        let relevant = loaded.has_errors()
            || !module.errors.is_empty()
            || vramlint_rules::is_relevant(&loaded.as_file(), FileFeatures::scan(&loaded.text));
        Self { relevant, skeleton: Arc::new(ParsedSource::without_text(Syntax::Python(module.imports_alone().into()))) }
    }
}

impl ParsedSource {
    fn without_text(syntax: Syntax) -> Self {
        Self::new("".into(), ParsedText { syntax, embedded: Vec::new(), panic: None })
    }

    fn as_file(&self) -> SourceFile {
        SourceFile {
            id: FileId(0),
            path: String::new(),
            text: Arc::clone(&self.text),
            lines: LineIndex::new(""),
            syntax: self.parsed.syntax.clone(),
            decode_errors: Vec::new(),
            host: None,
            policy: 0,
            reported: true,
        }
    }
}

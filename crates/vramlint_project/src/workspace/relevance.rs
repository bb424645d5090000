//! What remains of Python files that no rule has anything to say of: their imports, so that others are seen to be imported.

use crate::source_loader::{ParsedSource, ParsedText};
use std::sync::Arc;
use vramlint_base::{FileId, LineIndex};
use vramlint_resolve::{FileFeatures, SourceFile, Syntax};

/// What is kept of a Python file.
#[derive(Debug)]
pub(super) struct FileSummary {
    /// Whether a rule may say something of it, or of others because of it.
    pub relevant: bool,
    /// The file without everything but its imports.
    pub skeleton: Arc<ParsedSource>,
}

impl FileSummary {
    /// Of a file that was read.
    pub(super) fn of(loaded: &ParsedSource) -> Self {
        let Syntax::Python(module) = &loaded.parsed.syntax else {
            return Self { relevant: true, skeleton: Arc::new(ParsedSource::untexted(Syntax::Unreadable)) };
        };
        let relevant = loaded.has_errors()
            || !module.errors.is_empty()
            || vramlint_rules::is_relevant(&loaded.as_file(), FileFeatures::scan(&loaded.text));
        Self { relevant, skeleton: Arc::new(ParsedSource::untexted(Syntax::Python(module.imports_alone().into()))) }
    }
}

impl ParsedSource {
    fn untexted(syntax: Syntax) -> Self {
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

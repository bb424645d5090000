//! Import-only skeletons of Python files that no rule inspects. The imports are kept because they make other files reachable.

use crate::source_loader::{ParsedSource, ParsedText};
use std::sync::Arc;
use vramlint_base::FileId;
use vramlint_resolve::{SourceFile, SourceText, Syntax, SyntaxKind, SyntaxTree};
use vramlint_syntax::python;

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
        if loaded.parsed.tree.kind() != SyntaxKind::Python {
            return Self {
                relevant: true,
                skeleton: Arc::new(ParsedSource::without_embedded(SourceText::default(), Syntax::Unreadable.into())),
            };
        }
        let relevant = loaded.has_errors() || vramlint_rules::is_relevant(&loaded.as_file(), loaded.text.features());
        let imports = loaded.text.of_imports_alone();
        let text = imports.shared();
        let tree = SyntaxTree::lazy(SyntaxKind::Python, move || Ok(Syntax::Python(python::parse(&text).into())));
        Self { relevant, skeleton: Arc::new(ParsedSource::without_embedded(imports, tree)) }
    }
}

impl ParsedSource {
    fn without_embedded(text: SourceText, tree: SyntaxTree) -> Self {
        Self::new(text, ParsedText { tree, embedded: Vec::new(), panic: None })
    }

    fn as_file(&self) -> SourceFile {
        SourceFile {
            id: FileId(0),
            path: String::new(),
            text: self.text.clone(),
            tree: self.parsed.tree.clone(),
            decode_errors: Vec::new(),
            host: None,
            policy: 0,
            reported: true,
        }
    }
}

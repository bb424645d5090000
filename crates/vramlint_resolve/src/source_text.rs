//! The text of a file, with what is found in it without parsing.

use crate::features::{Feature, FileFeatures};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use vramlint_base::LineIndex;
use vramlint_syntax::python::{Import, import_statements, scan_imports};

/// A text. Clones share it and everything that was found in it; each of these is found when first asked for.
#[derive(Clone, Default)]
pub struct SourceText(Arc<Scanned>);

#[derive(Default)]
struct Scanned {
    text: Arc<str>,
    lines: OnceLock<LineIndex>,
    features: OnceLock<FileFeatures>,
    imports: OnceLock<Box<[Import]>>,
}

impl SourceText {
    /// The modules that a text imports, and whether it is that of a package with a version. It mentions nothing else.
    #[must_use]
    pub fn of_imports_alone(&self) -> Self {
        let text = import_statements(self).into();
        let features: FileFeatures = [Feature::PackageVersion].into_iter().filter(|kept| self.features().has(*kept)).collect();
        Self(Arc::new(Scanned { text, features: OnceLock::from(features), ..Scanned::default() }))
    }

    /// The text, shared.
    pub fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0.text)
    }

    /// The lines.
    pub fn line_index(&self) -> &LineIndex {
        self.0.lines.get_or_init(|| LineIndex::new(self))
    }

    /// What the text mentions.
    pub fn features(&self) -> FileFeatures {
        *self.0.features.get_or_init(|| FileFeatures::scan(self))
    }

    /// The imports of the text, read as Python.
    pub fn imports(&self) -> &[Import] {
        self.0.imports.get_or_init(|| scan_imports(self).into())
    }
}

impl Deref for SourceText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl<T: Into<Arc<str>>> From<T> for SourceText {
    fn from(text: T) -> Self {
        Self(Arc::new(Scanned { text: text.into(), ..Scanned::default() }))
    }
}

impl fmt::Debug for SourceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0.text, f)
    }
}

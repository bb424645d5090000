//! A parsed file of the project.

use crate::features::FileFeatures;
use crate::source_text::SourceText;
use crate::syntax_tree::{Syntax, SyntaxKind, SyntaxTree};
use std::sync::Arc;
use vramlint_base::{FileId, FileRange, LineIndex, TextRange};
use vramlint_syntax::SyntaxError;
use vramlint_syntax::data::DataFile;
use vramlint_syntax::embedded::Embedded;
use vramlint_syntax::python::{Import, Module};
use vramlint_syntax::shell::Script;

/// A file, or a text embedded in one.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its number: the index in [`crate::Project::files`].
    pub id: FileId,
    /// Path as displayed: relative to the working directory, with `/`. An embedded text has the path of its host.
    pub path: String,
    /// The text, with its lines and what it mentions.
    pub text: SourceText,
    /// The tree, parsed on first use.
    pub tree: SyntaxTree,
    /// Errors in its bytes: encoding, NUL.
    pub decode_errors: Vec<SyntaxError>,
    /// For an embedded text: the file that contains it, and the mapping back to that file.
    pub host: Option<(FileId, Arc<Embedded>)>,
    /// Index in [`crate::Project::policies`] of the configuration that governs it.
    pub policy: usize,
    /// Whether findings in it are reported; files read only for context are not.
    pub reported: bool,
}

impl SourceFile {
    /// The lines of the text.
    pub fn lines(&self) -> &LineIndex {
        self.text.line_index()
    }

    /// What the text mentions.
    pub fn features(&self) -> FileFeatures {
        self.text.features()
    }

    /// The imports of a Python file, wherever they stand. Parses nothing.
    pub fn imports(&self) -> &[Import] {
        if self.is_python() { self.text.imports() } else { &[] }
    }

    /// Whether the text holds a name that is known only at run time, such as that of another file. Fixed words are a
    /// [`crate::Feature`].
    pub fn mentions(&self, name: &str) -> bool {
        // The one search in the text of a file: everything else calls this or asks for a feature.
        self.text.contains(name)
    }

    /// The last part of the path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The folder, without a trailing `/`; empty for the working directory.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The extension in lower case, without the dot.
    pub fn extension(&self) -> String {
        self.name().rsplit_once('.').map_or(String::new(), |(_, extension)| extension.to_lowercase())
    }

    /// Whether the file is a test. Tests train tiny models on purpose and are not runs; what they call wrongly they may call so on
    /// purpose.
    pub fn is_test(&self) -> bool {
        let name = self.name();
        let folder = self.path.split('/').rev().skip(1).any(|part| matches!(part, "test" | "tests"));
        // A script may be called so that holds no tests.
        let holds_tests = || !self.is_python() || self.mentions("def test") || self.mentions("class Test");
        folder || (name.starts_with("test_") || name.ends_with("_test.py")) && holds_tests() || name == "conftest.py"
    }

    /// The first line: the place of what concerns the file as a whole.
    pub fn first_line(&self) -> FileRange {
        let end = self.text.find('\n').unwrap_or(self.text.len()) as u32;
        FileRange::new(self.id, TextRange::new(0, end))
    }

    /// The tree.
    pub fn syntax(&self) -> &Syntax {
        self.tree.get()
    }

    /// The data tree, for YAML and JSON.
    pub fn data(&self) -> Option<&DataFile> {
        match self.is_data().then(|| self.tree.get()) {
            Some(Syntax::Data(data)) => Some(data),
            _ => None,
        }
    }

    /// The module, for Python.
    pub fn python(&self) -> Option<&Module> {
        match self.is_python().then(|| self.tree.get()) {
            Some(Syntax::Python(module)) => Some(module),
            _ => None,
        }
    }

    /// The module, for Python that is wanted. Parses nothing otherwise.
    pub fn python_if(&self, is_wanted: bool) -> Option<&Module> {
        if is_wanted { self.python() } else { None }
    }

    /// The script, for shells.
    pub fn script(&self) -> Option<&Script> {
        match self.is_script().then(|| self.tree.get()) {
            Some(Syntax::Script(script)) => Some(script),
            _ => None,
        }
    }

    /// Whether the file is YAML or JSON. Parses nothing.
    pub fn is_data(&self) -> bool {
        matches!(self.tree.kind(), SyntaxKind::Yaml | SyntaxKind::Json)
    }

    /// Whether the file is JSON. Parses nothing.
    pub fn is_json(&self) -> bool {
        self.tree.kind() == SyntaxKind::Json
    }

    /// Whether the file is Python. Parses nothing.
    pub fn is_python(&self) -> bool {
        self.tree.kind() == SyntaxKind::Python
    }

    /// Whether the file is a script of a shell. Parses nothing.
    pub fn is_script(&self) -> bool {
        self.tree.kind() == SyntaxKind::Script
    }
}

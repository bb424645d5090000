//! A parsed file of the project.

use std::sync::Arc;
use vramlint_base::{FileId, FileRange, LineIndex, TextRange};
use vramlint_syntax::SyntaxError;
use vramlint_syntax::data::DataFile;
use vramlint_syntax::embedded::Embedded;
use vramlint_syntax::python::Module;
use vramlint_syntax::shell::Script;

/// A file, or a text embedded in one.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its number: the index in [`crate::Project::files`].
    pub id: FileId,
    /// Path as displayed: relative to the working directory, with `/`. An embedded text has the path of its host.
    pub path: String,
    /// The text.
    pub text: Arc<str>,
    /// Its lines.
    pub lines: LineIndex,
    /// The tree.
    pub syntax: Syntax,
    /// Errors in its bytes: encoding, NUL.
    pub decode_errors: Vec<SyntaxError>,
    /// For an embedded text: the file that contains it, and the mapping back to that file.
    pub host: Option<(FileId, Arc<Embedded>)>,
    /// Index in [`crate::Project::policies`] of the configuration that governs it.
    pub policy: usize,
    /// Whether findings in it are reported; files read only for context are not.
    pub reported: bool,
}

/// A syntax tree. Shared, because a file is parsed once and takes part in many projects.
#[derive(Clone, Debug)]
pub enum Syntax {
    /// YAML or JSON.
    Data(Arc<DataFile>),
    /// Python.
    Python(Arc<Module>),
    /// bash or PowerShell.
    Script(Arc<Script>),
    /// Text of which only embedded parts and prose are read: Markdown, a Makefile, a Dockerfile.
    Text,
    /// Not readable.
    Unreadable,
}

impl SourceFile {
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
        let holds_tests = || self.python().is_none() || self.mentions("def test") || self.mentions("class Test");
        folder || (name.starts_with("test_") || name.ends_with("_test.py")) && holds_tests() || name == "conftest.py"
    }

    /// The first line: the place of what concerns the file as a whole.
    pub fn first_line(&self) -> FileRange {
        let end = self.text.find('\n').unwrap_or(self.text.len()) as u32;
        FileRange::new(self.id, TextRange::new(0, end))
    }

    /// The data tree, for YAML and JSON.
    pub fn data(&self) -> Option<&DataFile> {
        if let Syntax::Data(data) = &self.syntax { Some(data) } else { None }
    }

    /// The module, for Python.
    pub fn python(&self) -> Option<&Module> {
        if let Syntax::Python(module) = &self.syntax { Some(module) } else { None }
    }

    /// The script, for shells.
    pub fn script(&self) -> Option<&Script> {
        if let Syntax::Script(script) = &self.syntax { Some(script) } else { None }
    }
}

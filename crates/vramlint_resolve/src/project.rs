//! All files of a project, what they are, and the runs that they make.

use crate::{KindGuess, Policy, Run, SourceFile};
use std::collections::HashMap;
use vramlint_base::{FileId, LineColumn, Place, TextRange};

/// A project, resolved.
#[derive(Debug, Default)]
pub struct Project {
    /// Every file, embedded ones behind their hosts.
    pub files: Vec<SourceFile>,
    /// What each file is, in the same order.
    pub kinds: Vec<KindGuess>,
    /// The configurations that govern them; at least one.
    pub policies: Vec<Policy>,
    /// The runs, in order of their place.
    pub runs: Vec<Run>,
    /// Whole files (not embedded ones) by path.
    pub by_path: HashMap<String, FileId>,
}

impl Project {
    /// Joins the files into runs. `files[i].id` must be `FileId(i)`.
    pub fn new(files: Vec<SourceFile>, policies: Vec<Policy>) -> Self {
        todo!("{} {}", files.len(), policies.len())
    }

    /// The file with this number.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The place in a whole file: places in embedded texts are carried to their host.
    pub fn to_host(&self, place: Place) -> Place {
        let file = self.file(place.file);
        match &file.host {
            Some((host, embedded)) => self.to_host(Place::new(*host, embedded.to_host(place.range))),
            None => place,
        }
    }

    /// Line and column of both ends of a place, in the whole file.
    pub fn position(&self, place: Place) -> (&SourceFile, LineColumn, LineColumn) {
        let Place { file, range: TextRange { start, end } } = self.to_host(place);
        let file = self.file(file);
        (file, file.lines.line_column(&file.text, start), file.lines.line_column(&file.text, end))
    }
}

//! The first phase of a project: its files, and what is declared for them.

use crate::features::{Feature, FileFeatures};
use crate::policy::Policy;
use crate::source::SourceFile;
use crate::versions::{FolderLibraries, RangeMatch, VersionEvidence, VersionRange};
use std::collections::BTreeMap;
use vramlint_base::{FileId, FileRange, LineColumn, TextRange};
use vramlint_catalog::LibraryVersions;

/// The package of a library which the catalogue describes. The code in it is not interpreted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryPackage {
    /// The folder as files of the project spell it, without a trailing `/`; empty for the working directory.
    pub folder: String,
    /// Whether it is vendored or installed; otherwise the project is the library's own repository.
    pub is_copy: bool,
}

impl LibraryPackage {
    /// Whether a file of this path belongs to it.
    pub fn holds(&self, path: &str) -> bool {
        let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        if self.folder.is_empty() { !path.starts_with("../") } else { below(&self.folder) }
    }
}

/// The files of a project with the configurations and library versions that hold for them.
#[derive(Clone, Debug, Default)]
pub struct SourceSet {
    /// Every file, embedded ones after their hosts. `files[i].id` is `FileId(i)`.
    pub files: Vec<SourceFile>,
    /// The configurations that govern the files; at least one.
    pub policies: Vec<Policy>,
    /// The libraries among the files which the catalogue describes.
    pub library_packages: Vec<LibraryPackage>,
    /// The library versions that the files of each folder name, outermost folder first.
    pub libraries: Vec<FolderLibraries>,
}

impl SourceSet {
    /// Files, the configurations that govern them, and the library versions around them. `files[i].id` must be `FileId(i)`.
    pub fn new(files: Vec<SourceFile>, policies: Vec<Policy>, libraries: Vec<FolderLibraries>) -> Self {
        debug_assert!(files.iter().enumerate().all(|(i, file)| file.id.0 as usize == i));
        let policies = if policies.is_empty() { vec![Policy::default()] } else { policies };
        Self { files, policies, libraries, library_packages: Vec::new() }
    }

    /// The same files, among which are these libraries.
    #[must_use]
    pub fn with_library_packages(mut self, packages: Vec<LibraryPackage>) -> Self {
        self.library_packages = packages;
        self
    }

    /// Whether a file belongs to a library which the catalogue describes.
    pub fn is_library_code(&self, id: FileId) -> bool {
        let path = &self.file(id).path;
        self.library_packages.iter().any(|package| package.holds(path))
    }

    /// Whether a file belongs to a vendored or installed copy of such a library: what is documented there, nobody here runs.
    pub fn is_library_copy(&self, id: FileId) -> bool {
        let path = &self.file(id).path;
        self.library_packages.iter().any(|package| package.is_copy && package.holds(path))
    }

    /// The file with this number.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The configuration that governs a file.
    pub fn policy(&self, id: FileId) -> &Policy {
        &self.policies[self.file(id).policy]
    }

    /// What the text of a file mentions.
    pub fn features(&self, id: FileId) -> FileFeatures {
        self.file(id).features()
    }

    /// Whether the text of at least one of these files has a feature.
    pub fn any_has<'a>(&self, files: impl IntoIterator<Item = &'a FileId>, feature: Feature) -> bool {
        files.into_iter().any(|file| self.features(*file).has(feature))
    }

    /// The version of a library (by its normalized name) that holds for a file: as declared in its configuration, else as named by the
    /// nearest enclosing folder that names one. A range there is narrowed by the lock file of a workspace further up.
    pub fn library(&self, file: FileId, name: &str) -> Option<&VersionEvidence> {
        if let Some(declared) = self.policy(file).versions.get(name) {
            return Some(declared);
        }
        let path = &self.file(file).path;
        let mut above = self.libraries.iter().rev().filter(|libraries| libraries.governs(path));
        let nearest = above.by_ref().find_map(|libraries| libraries.evidence.get(name))?;
        let locked = above.filter(|libraries| libraries.locks_below).find_map(|libraries| libraries.evidence.get(name));
        Some(locked.filter(|locked| locked.narrows(nearest)).unwrap_or(nearest))
    }

    /// The versions of all libraries that are known for a file, by name.
    pub fn libraries_for(&self, file: FileId) -> BTreeMap<&str, &VersionEvidence> {
        let path = &self.file(file).path;
        let above =
            self.libraries.iter().filter(|libraries| libraries.governs(path)).flat_map(|libraries| libraries.evidence.keys());
        let names = above.chain(self.policy(file).versions.keys());
        names.filter_map(|name| Some((name.as_str(), self.library(file, name)?))).collect()
    }

    /// The library releases with which the training of a file runs: the newest of those that may be installed.
    pub fn library_versions(&self, file: FileId) -> LibraryVersions {
        let known = self.libraries_for(file).into_iter();
        known.filter_map(|(name, evidence)| Some((name, evidence.newest_release()?))).collect()
    }

    /// Whether the versions that may be installed around a file lie in a range.
    pub fn version_matches(&self, file: FileId, range: &VersionRange) -> RangeMatch {
        self.library(file, range.library).map_or_else(|| range.match_unknown(), |evidence| evidence.matches(range))
    }

    /// Whether a file is a block of a document. What it belongs to is not known, so rules that need a whole project skip it. Recipes of
    /// a Makefile, a Dockerfile, a workflow or a job, and commands that a program executes, are not snippets: they run as they are.
    pub fn is_documentation_snippet(&self, id: FileId) -> bool {
        self.file(id).host.as_ref().is_some_and(|(host, embedded)| {
            let host = self.file(*host);
            let name = host.name().to_lowercase();
            let recipe = name.contains("makefile") || name.contains("dockerfile") || host.extension() == "mk";
            embedded.is_shown || !recipe && !host.is_data() && !embedded.is_executed
        })
    }

    /// The same place in the file on disk: places in embedded texts are mapped to their host.
    pub fn to_host(&self, place: FileRange) -> FileRange {
        match &self.file(place.file).host {
            Some((host, embedded)) => self.to_host(FileRange::new(*host, embedded.to_host(place.range))),
            None => place,
        }
    }

    /// The file on disk, and line and column of both ends of a place in it.
    pub fn position(&self, place: FileRange) -> (&SourceFile, LineColumn, LineColumn) {
        let FileRange { file, range: TextRange { start, end } } = self.to_host(place);
        let file = self.file(file);
        (file, file.lines().line_column(&file.text, start), file.lines().line_column(&file.text, end))
    }
}

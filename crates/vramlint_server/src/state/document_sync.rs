//! Changes of documents and files.

use super::folder::{Folder, analysis_request};
use super::{SETTLE_DELAY, ServerState};
use crate::analysis::OpenDocument;
use crate::documents::Document;
use crate::uri;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::time::Instant;
use tower_lsp_server::ls_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, FileChangeType,
};
use vramlint_project::{MAX_READ, read_file};

impl ServerState {
    pub(super) fn did_open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        let files = uri::untitled_path(&item.uri, &item.language_id);
        let path = files.map(|name| self.untitled_location(&name)).or_else(|| uri::to_path(&item.uri));
        // Ignore non-file documents (VCS diffs, notebook cells).
        let Some(path) = path else { return };
        let document = Document { uri: item.uri, path: path.clone(), version: item.version, text: item.text.into() };
        let as_on_disk = read_file(&path, MAX_READ).is_ok_and(|bytes| bytes == document.text.as_bytes());
        let (text, has_bom) = (Arc::clone(&document.text), document.has_bom());
        self.documents.insert(document.uri.as_str().to_owned(), document);
        self.update_open_documents();
        let folder_id = self
            .folder_of(&path)
            .filter(|folder_id| !self.folders[folder_id].detached)
            .unwrap_or_else(|| self.detached_folder(&path));
        let Some(folder) = self.folders.get_mut(&folder_id) else { return };
        folder.workspace.edit(&path, Some(text));
        if as_on_disk && !folder.detached && !has_bom {
            // The analysis is unchanged; only the status of the document is new.
            if folder.settled_at != Some(folder.revision) {
                folder.dirty.insert(path);
            }
            self.refresh_run_status(folder_id);
        } else {
            folder.dirty.insert(path);
            folder.changed(Instant::now() + SETTLE_DELAY);
        }
    }

    pub(super) async fn did_change(&mut self, params: DidChangeTextDocumentParams) {
        let encoding = self.capabilities.encoding;
        let uri = params.text_document.uri;
        let Some(document) = self.documents.get_mut(uri.as_str()) else {
            if uri::to_path(&uri).is_some() {
                self.sink.log(&format!("an edit of {}, which is not open", uri.as_str())).await;
            }
            return;
        };
        document.apply(params.content_changes, params.text_document.version, encoding);
        let (path, text) = (document.path.clone(), Arc::clone(&document.text));
        self.update_open_documents();
        self.document_edited(&path, Some(&text));
    }

    pub(super) fn did_close(&mut self, params: &DidCloseTextDocumentParams) {
        let Some(document) = self.documents.remove(params.text_document.uri.as_str()) else { return };
        self.update_open_documents();
        let path = document.path;
        let Some(folder_id) = self.folder_of(&path) else { return };
        let as_on_disk = read_file(&path, MAX_READ).is_ok_and(|bytes| bytes == document.text.as_bytes());
        let Some(folder) = self.folders.get_mut(&folder_id) else { return };
        if folder.detached {
            folder.files.remove(&path);
            self.rebuild(folder_id);
        } else if as_on_disk {
            folder.workspace.edit(&path, None);
        } else {
            self.document_edited(&path, None);
        }
    }

    pub(super) fn did_save(&mut self, params: &DidSaveTextDocumentParams) {
        let path = self.documents.get(params.text_document.uri.as_str()).map(|document| document.path.clone());
        let Some(path) = path.or_else(|| uri::to_path(&params.text_document.uri)) else { return };
        // The text is unchanged; only the file on disk is new.
        self.invalidate_on_disk(&[path]);
    }

    pub(super) fn did_change_on_disk(&mut self, params: &DidChangeWatchedFilesParams) {
        let changed = params.changes.iter().filter_map(|change| Some((uri::to_path(&change.uri)?, change.typ)));
        let changed: Vec<(PathBuf, FileChangeType)> = changed.collect();
        let paths: Vec<PathBuf> = changed.iter().map(|(path, _)| path.clone()).collect();
        self.invalidate_on_disk(&paths);
        for (path, kind) in changed {
            // An open document takes precedence over the file on disk.
            if self.open.contains_key(&path) && kind == FileChangeType::CHANGED {
                continue;
            }
            for folder in self.folders.values_mut().filter(|folder| path.starts_with(&folder.root)) {
                if kind == FileChangeType::CHANGED {
                    folder.dirty.insert(path.clone());
                }
                folder.changed(Instant::now() + SETTLE_DELAY);
            }
        }
    }

    fn invalidate_on_disk(&mut self, paths: &[PathBuf]) {
        for folder in self.folders.values_mut() {
            let here: Vec<PathBuf> = paths.iter().filter(|path| path.starts_with(&folder.root)).cloned().collect();
            if !here.is_empty() {
                folder.workspace.changed_on_disk(&here);
            }
        }
    }

    /// Applies an edit to every folder that reads the file.
    fn document_edited(&mut self, path: &Path, text: Option<&Arc<str>>) {
        let Some(answers) = self.folder_of(path) else { return };
        for (folder_id, folder) in self.folders.iter_mut().filter(|(_, folder)| path.starts_with(&folder.root)) {
            // A detached folder reads its own files and those around them.
            if folder.detached && *folder_id != answers {
                continue;
            }
            folder.workspace.edit(path, text.cloned());
            folder.changed(Instant::now() + SETTLE_DELAY);
            if *folder_id == answers {
                folder.dirty.insert(path.to_path_buf());
            }
        }
    }

    /// Where an untitled document is assumed to be saved: in the first open folder.
    fn untitled_location(&self, name: &Path) -> PathBuf {
        let first = self.folders.values().find(|folder| !folder.detached).map(|folder| folder.root.clone());
        first.or_else(|| std::env::current_dir().ok()).unwrap_or_default().join(name)
    }

    /// The detached folder of a file outside all open folders, with the file added to it.
    fn detached_folder(&mut self, path: &Path) -> u32 {
        let root = path.parent().unwrap_or(path).to_path_buf();
        let known =
            self.folders.iter().find(|(_, folder)| folder.detached && folder.root == root).map(|(folder_id, _)| *folder_id);
        let folder_id = known.unwrap_or_else(|| {
            let request = analysis_request(root.clone(), Vec::new(), None, vramlint_resolve::Target::default());
            self.add(Folder::new(root, true, request))
        });
        if let Some(folder) = self.folders.get_mut(&folder_id) {
            folder.files.insert(path.to_path_buf());
        }
        self.rebuild(folder_id);
        folder_id
    }

    /// Takes a snapshot of the open documents for analyses that start from now on.
    pub(super) fn update_open_documents(&mut self) {
        let open = self.documents.values().map(|document| {
            let Document { uri, path, version, .. } = document;
            (path.clone(), OpenDocument { uri: uri.clone(), version: *version, has_bom: document.has_bom() })
        });
        self.open = Arc::new(open.collect());
    }
}

//! Initialization, workspace folders and settings.

use super::folder::{Folder, analysis_request};
use super::{SETTLE_DELAY, ServerState, file_watch};
use crate::client_capabilities::ClientCapabilities;
use crate::event::Event;
use crate::settings::{Settings, lang_from_locale};
use crate::uri;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::time::Instant;
use tower_lsp_server::ls_types::{ConfigurationItem, DidChangeWorkspaceFoldersParams, Uri};
use vramlint_base::Message;
use vramlint_project::Request;
use vramlint_resolve::Target;

impl ServerState {
    /// Analyses may start now; notifications wait for `initialized`.
    pub(super) fn initialize(&mut self, params: &Value) {
        if self.started {
            return;
        }
        self.started = true;
        self.capabilities = ClientCapabilities::read(params);
        if let Some(locale) = params.get("locale").and_then(Value::as_str) {
            self.default_lang = lang_from_locale(locale);
        }
        let (settings, errors) = Settings::read(params.get("initializationOptions").unwrap_or(&Value::Null));
        self.settings = Arc::new(settings);
        self.log_messages(&errors);
        let root = |at: &Value| at.as_str().and_then(|uri| uri.parse::<Uri>().ok()).and_then(|uri| uri::to_path(&uri));
        let folders = params.get("workspaceFolders").and_then(Value::as_array);
        let mut roots: Vec<PathBuf> = folders.into_iter().flatten().filter_map(|folder| root(folder.get("uri")?)).collect();
        if folders.is_none() {
            let path = params.get("rootPath").and_then(Value::as_str).map(PathBuf::from);
            roots.extend(params.get("rootUri").and_then(root).or(path));
        }
        for root in roots {
            self.open_folder(&root);
        }
    }

    pub(super) async fn initialized(&mut self) {
        if self.ready {
            return;
        }
        self.ready = true;
        file_watch::register(&self.sink.client(), self.capabilities);
        self.request_settings();
        // Diagnostics that were found before the client was ready.
        self.republish_all().await;
        self.complete_settled().await;
    }

    pub(super) fn open_folder(&mut self, root: &Path) {
        if self.folders.values().any(|folder| folder.root == root && !folder.detached) {
            return;
        }
        let request = self.request_for(root.to_path_buf(), Vec::new());
        let mut folder = Folder::new(root.to_path_buf(), false, request);
        for document in self.documents.values().filter(|document| document.path.starts_with(root)) {
            folder.workspace.edit(&document.path, Some(Arc::clone(&document.text)));
        }
        folder.settle_at = Some(Instant::now());
        self.add(folder);
    }

    pub(super) fn add(&mut self, folder: Folder) -> u32 {
        self.next_folder += 1;
        self.folders.insert(self.next_folder, folder);
        self.next_folder
    }

    fn request_for(&mut self, root: PathBuf, paths: Vec<PathBuf>) -> Request {
        let settings = Arc::clone(&self.settings);
        let requested = Target { gpu: settings.gpu.clone(), memory: settings.gpu_memory, ..Target::default() };
        let target = self.host.target(requested).unwrap_or_else(|why| {
            self.log_messages(&[why]);
            Target { memory: settings.gpu_memory, ..Target::default() }
        });
        analysis_request(root, paths, settings.config.clone(), target)
    }

    /// Replaces the workspace of a folder with one for the current settings and open documents. Removes a detached folder without
    /// files.
    pub(super) fn rebuild(&mut self, folder_id: u32) {
        let Some(folder) = self.folders.get(&folder_id) else { return };
        let (root, detached, files) = (folder.root.clone(), folder.detached, folder.files.clone());
        if detached && files.is_empty() {
            self.drop_folder(folder_id);
            return;
        }
        let request = self.request_for(root.clone(), files.iter().cloned().collect());
        let mut workspace = vramlint_project::Workspace::new(request);
        for document in self.documents.values().filter(|document| document.path.starts_with(&root)) {
            if !detached || files.contains(&document.path) {
                workspace.edit(&document.path, Some(Arc::clone(&document.text)));
            }
        }
        if let Some(folder) = self.folders.get_mut(&folder_id) {
            folder.workspace = workspace;
            folder.changed(Instant::now() + if detached { SETTLE_DELAY } else { std::time::Duration::ZERO });
        }
    }

    pub(super) fn did_change_folders(&mut self, params: &DidChangeWorkspaceFoldersParams) {
        for gone in params.event.removed.iter().filter_map(|folder| uri::to_path(&folder.uri)) {
            let folder_id =
                self.folders.iter().find(|(_, folder)| folder.root == gone && !folder.detached).map(|(folder_id, _)| *folder_id);
            if let Some(folder_id) = folder_id {
                self.drop_folder(folder_id);
            }
        }
        for root in params.event.added.iter().filter_map(|folder| uri::to_path(&folder.uri)) {
            self.open_folder(&root);
        }
        self.reassign_documents();
    }

    /// Moves open documents of removed folders to detached folders, and removes detached folders inside open ones.
    fn reassign_documents(&mut self) {
        let paths: Vec<PathBuf> = self.documents.values().map(|document| document.path.clone()).collect();
        for path in paths {
            let holds = |folder: &&Folder| !folder.detached && path.starts_with(&folder.root);
            if self.folders.values().any(|folder| holds(&folder)) {
                let detached = self.folders.iter().find(|(_, folder)| folder.detached && folder.files.contains(&path));
                if let Some(folder_id) = detached.map(|(folder_id, _)| *folder_id) {
                    self.drop_folder(folder_id);
                }
            } else {
                let root = path.parent().unwrap_or(&path).to_path_buf();
                let request = self.request_for(root.clone(), Vec::new());
                let known = self.folders.iter().find(|(_, folder)| folder.root == root).map(|(folder_id, _)| *folder_id);
                let folder_id = known.unwrap_or_else(|| self.add(Folder::new(root, true, request)));
                if let Some(folder) = self.folders.get_mut(&folder_id) {
                    folder.files.insert(path);
                }
                self.rebuild(folder_id);
            }
        }
    }

    pub(super) fn did_change_configuration(&mut self, settings: &Value) {
        // Clients with `workspace/configuration` send no settings here.
        if self.capabilities.configuration && settings.get("vramlint").is_none() {
            self.request_settings();
        } else {
            self.configure(settings);
        }
    }

    fn request_settings(&self) {
        if !self.capabilities.configuration {
            return;
        }
        let (client, events) = (self.sink.client(), self.events.clone());
        tokio::spawn(async move {
            let item = ConfigurationItem { scope_uri: None, section: Some("vramlint".to_owned()) };
            // A client that does not answer keeps the settings of `initialize`.
            if let Ok(mut sections) = client.configuration(vec![item]).await
                && let Some(section) = sections.pop().filter(Value::is_object)
            {
                events.send(Event::Configured(section));
            }
        });
    }

    pub(super) fn configure(&mut self, section: &Value) {
        // A client without settings for this server sends null; the settings of `initialize` stay.
        if section.is_null() || section.as_object().is_some_and(serde_json::Map::is_empty) {
            return;
        }
        let (settings, errors) = Settings::read(section);
        self.log_messages(&errors);
        if *self.settings == settings {
            return;
        }
        let same = settings.finds_same_as(&self.settings);
        self.settings = Arc::new(settings);
        let folder_ids: Vec<u32> = self.folders.keys().copied().collect();
        for folder_id in folder_ids {
            if same {
                // Only the language of messages may have changed.
                if let Some(folder) = self.folders.get_mut(&folder_id) {
                    folder.changed(Instant::now());
                }
            } else {
                self.rebuild(folder_id);
            }
        }
        self.refresh_decorations();
    }

    fn log_messages(&self, messages: &[Message]) {
        let lang = self.settings.lang.unwrap_or(self.default_lang);
        for message in messages {
            self.events.send(Event::Log(message.get(lang).to_owned()));
        }
    }
}

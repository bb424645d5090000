//! The beginning of a session, its folders and its settings.

use super::events::Event;
use super::folder::{Folder, request};
use super::{Owner, QUIET, watch};
use crate::client::Abilities;
use crate::places;
use crate::settings::{Settings, language_of};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::time::Instant;
use tower_lsp_server::ls_types::{ConfigurationItem, DidChangeWorkspaceFoldersParams, Uri};
use vramlint_base::Message;
use vramlint_project::Request;
use vramlint_resolve::Target;

impl Owner {
    /// Nothing may be told before the client is ready, but work may begin.
    pub(super) fn initialize(&mut self, params: &Value) {
        if self.started {
            return;
        }
        self.started = true;
        self.abilities = Abilities::read(params);
        if let Some(locale) = params.get("locale").and_then(Value::as_str) {
            self.usual = language_of(locale);
        }
        let (settings, wrong) = Settings::read(params.get("initializationOptions").unwrap_or(&Value::Null));
        self.settings = Arc::new(settings);
        self.log_later(&wrong);
        let root = |at: &Value| at.as_str().and_then(|uri| uri.parse::<Uri>().ok()).and_then(|uri| places::file(&uri));
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
        watch::register(&self.voice.client(), self.abilities);
        self.ask_for_settings();
        // What was found before there was somebody to tell is told now.
        self.tell_all_again().await;
        self.tell_settled().await;
    }

    pub(super) fn open_folder(&mut self, root: &Path) {
        if self.folders.values().any(|folder| folder.root == root && !folder.loose) {
            return;
        }
        let request = self.request_of(root.to_path_buf(), Vec::new());
        let mut folder = Folder::new(root.to_path_buf(), false, request);
        for document in self.documents.values().filter(|document| document.path.starts_with(root)) {
            folder.workspace.edit(&document.path, Some(Arc::clone(&document.text)));
        }
        folder.quiet = Some(Instant::now());
        self.add(folder);
    }

    pub(super) fn add(&mut self, folder: Folder) -> u32 {
        self.next_folder += 1;
        self.folders.insert(self.next_folder, folder);
        self.next_folder
    }

    fn request_of(&mut self, root: PathBuf, paths: Vec<PathBuf>) -> Request {
        let settings = Arc::clone(&self.settings);
        let wished = Target { gpu: settings.gpu.clone(), memory: settings.gpu_memory, ..Target::default() };
        let target = self.binary.target(wished).unwrap_or_else(|why| {
            self.log_later(&[why]);
            Target { memory: settings.gpu_memory, ..Target::default() }
        });
        request(root, paths, settings.config.clone(), target)
    }

    /// Begins a folder anew, with the settings of now and the texts that are open in it. A loose one without files goes.
    pub(super) fn rebuild(&mut self, number: u32) {
        let Some(folder) = self.folders.get(&number) else { return };
        let (root, loose, named) = (folder.root.clone(), folder.loose, folder.named.clone());
        if loose && named.is_empty() {
            self.forget(number);
            return;
        }
        let request = self.request_of(root.clone(), named.iter().cloned().collect());
        let mut anew = vramlint_project::Workspace::new(request);
        for document in self.documents.values().filter(|document| document.path.starts_with(&root)) {
            if !loose || named.contains(&document.path) {
                anew.edit(&document.path, Some(Arc::clone(&document.text)));
            }
        }
        if let Some(folder) = self.folders.get_mut(&number) {
            folder.workspace = anew;
            folder.changed(Instant::now() + if loose { QUIET } else { std::time::Duration::ZERO });
        }
    }

    pub(super) fn did_change_folders(&mut self, params: &DidChangeWorkspaceFoldersParams) {
        for gone in params.event.removed.iter().filter_map(|folder| places::file(&folder.uri)) {
            let number = self.folders.iter().find(|(_, folder)| folder.root == gone && !folder.loose).map(|(number, _)| *number);
            if let Some(number) = number {
                self.forget(number);
            }
        }
        for root in params.event.added.iter().filter_map(|folder| places::file(&folder.uri)) {
            self.open_folder(&root);
        }
        self.place_anew();
    }

    /// Open texts whose folder went get a folder of their own; loose folders that lie in an open one go.
    fn place_anew(&mut self) {
        let paths: Vec<PathBuf> = self.documents.values().map(|document| document.path.clone()).collect();
        for path in paths {
            let holds = |folder: &&Folder| !folder.loose && path.starts_with(&folder.root);
            if self.folders.values().any(|folder| holds(&folder)) {
                let loose = self.folders.iter().find(|(_, folder)| folder.loose && folder.named.contains(&path));
                if let Some(number) = loose.map(|(number, _)| *number) {
                    self.forget(number);
                }
            } else {
                let root = path.parent().unwrap_or(&path).to_path_buf();
                let request = self.request_of(root.clone(), Vec::new());
                let known = self.folders.iter().find(|(_, folder)| folder.root == root).map(|(number, _)| *number);
                let number = known.unwrap_or_else(|| self.add(Folder::new(root, true, request)));
                if let Some(folder) = self.folders.get_mut(&number) {
                    folder.named.insert(path);
                }
                self.rebuild(number);
            }
        }
    }

    pub(super) fn did_change_configuration(&mut self, settings: &Value) {
        // Clients that are asked send nothing of use here.
        if self.abilities.configuration && settings.get("vramlint").is_none() {
            self.ask_for_settings();
        } else {
            self.configure(settings);
        }
    }

    fn ask_for_settings(&self) {
        if !self.abilities.configuration {
            return;
        }
        let (client, events) = (self.voice.client(), self.events.clone());
        tokio::spawn(async move {
            let item = ConfigurationItem { scope_uri: None, section: Some("vramlint".to_owned()) };
            // A client that does not answer keeps what it said at the beginning.
            if let Ok(mut sections) = client.configuration(vec![item]).await
                && let Some(section) = sections.pop().filter(Value::is_object)
            {
                events.send(Event::Configured(section));
            }
        });
    }

    pub(super) fn configure(&mut self, section: &Value) {
        // A client without settings of ours says so with nothing; what it said at the start holds.
        if section.is_null() || section.as_object().is_some_and(serde_json::Map::is_empty) {
            return;
        }
        let (settings, wrong) = Settings::read(section);
        self.log_later(&wrong);
        if *self.settings == settings {
            return;
        }
        let same = settings.finds_the_same_as(&self.settings);
        self.settings = Arc::new(settings);
        let numbers: Vec<u32> = self.folders.keys().copied().collect();
        for number in numbers {
            if same {
                // The words may be others.
                if let Some(folder) = self.folders.get_mut(&number) {
                    folder.changed(Instant::now());
                }
            } else {
                self.rebuild(number);
            }
        }
        self.refresh_decorations();
    }

    fn log_later(&self, messages: &[Message]) {
        let lang = self.settings.lang.unwrap_or(self.usual);
        for message in messages {
            self.events.send(Event::Log(message.get(lang).to_owned()));
        }
    }
}

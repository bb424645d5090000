//! The launch, entry script and data files that define a run.

use super::code_reader::CodeReader;
use super::copied_files;
use super::sources::cli;
use crate::code::{CodeFacts, LoadRole, LoadedFile, ScriptArguments};
use crate::file_graph::FileGraph;
use crate::kind::FileKind;
use crate::launch::Launch;
use std::collections::BTreeSet;
use std::sync::Arc;
use vramlint_base::{FileId, FileRange};
use vramlint_catalog::UnsupportedFramework;
use vramlint_catalog::flags::Launcher;
use vramlint_syntax::data::{Loader, NodeRef};
use vramlint_syntax::shell::Word;

/// The launch, entry script and data files that define a run.
#[derive(Debug)]
pub(super) struct RunSources {
    pub(super) place: FileRange,
    pub(super) launch: Option<Arc<Launch>>,
    pub(super) entry: Option<FileId>,
    pub(super) code: Option<Arc<CodeFacts>>,
    /// Training files that take part, with the loader if the code shows it.
    pub(super) training: Vec<(FileId, Option<Loader>)>,
    pub(super) accelerate: Option<FileId>,
    pub(super) deepspeed: Option<FileId>,
    /// Whether the trainer itself gets DeepSpeed's file: it then trains under DeepSpeed whatever the launcher's type is.
    pub(super) trainer_deepspeed: bool,
    /// Whether the code chooses between several of DeepSpeed's files.
    pub(super) deepspeed_is_open: bool,
    pub(super) missing_files: Vec<(String, FileRange)>,
    /// Files of a framework whose settings are not read.
    pub(super) unread: Vec<(FileId, UnsupportedFramework)>,
    /// Whether the script needs arguments that no command of the project gives.
    pub(super) lacks_arguments: bool,
}

impl RunSources {
    /// The sources of a launch command.
    pub(super) fn from_launch(reader: &CodeReader<'_>, launch: Arc<Launch>, entry: Option<FileId>) -> Self {
        let mut sources = Self::new(launch.place());
        sources.entry = entry;
        sources.code = entry.and_then(|entry| reader.code_with_args(entry, &cli::script_arguments(reader.graph, &launch)));
        sources.launch = Some(launch);
        sources.find_files(reader.graph);
        sources
    }

    /// The sources of a script that no command starts.
    pub(super) fn from_entry(reader: &CodeReader<'_>, entry: FileId) -> Self {
        let mut sources = Self::new(reader.graph.file(entry).first_line());
        sources.entry = Some(entry);
        let whatever = reader.code_with_args(entry, &ScriptArguments::default());
        // A script whose parser fills a library's arguments is made to be given some: its defaults are not the run.
        sources.lacks_arguments = whatever.as_ref().is_some_and(|code| code.parses_library_arguments());
        sources.code = if sources.lacks_arguments { whatever } else { reader.code_with_args(entry, &ScriptArguments::none()) };
        sources.find_files(reader.graph);
        sources
    }

    /// The sources of a training file that nothing reads.
    pub(super) fn from_training_file(graph: &FileGraph, file: FileId) -> Self {
        let mut sources = Self::new(graph.file(file).first_line());
        match graph.unsupported_framework(file) {
            Some(framework) => sources.unread.push((file, framework)),
            None => sources.training.push((file, None)),
        }
        sources.find_files(graph);
        sources
    }

    fn new(place: FileRange) -> Self {
        Self {
            place,
            launch: None,
            entry: None,
            code: None,
            training: Vec::new(),
            accelerate: None,
            deepspeed: None,
            trainer_deepspeed: false,
            deepspeed_is_open: false,
            missing_files: Vec::new(),
            unread: Vec::new(),
            lacks_arguments: false,
        }
    }

    /// Follows every reference to a data file.
    fn find_files(&mut self, graph: &FileGraph) {
        if let Some(launch) = self.launch.clone() {
            self.add_launcher_files(graph, &launch);
            self.add_argument_files(graph, &launch);
        }
        if let Some(code) = self.code.clone() {
            let of_deepspeed = code.loads.iter().filter(|load| load.role == LoadRole::DeepSpeed);
            let files: BTreeSet<FileId> = of_deepspeed.filter_map(|load| self.resolve_load(graph, load)?.ok()).collect();
            self.deepspeed_is_open = self.deepspeed.is_none() && files.len() > 1;
            for load in &code.loads {
                self.add_loaded_file(graph, load);
            }
        }
        for (id, _) in self.training.clone() {
            let file = graph.file(id);
            let key = graph.classified_kind(id).dialect().map_or(&["deepspeed"] as &[&str], |dialect| dialect.deepspeed_key);
            let Some(node) = file.data().and_then(|data| data.root()?.at(key)) else { continue };
            if let Some(path) = node.text().filter(|text| looks_like_path(text)) {
                self.trainer_deepspeed = true;
                self.add_reference(graph, path, FileRange::new(id, node.range()), FileKind::DeepSpeed);
            }
        }
        if let Some(id) = self.accelerate {
            let node = graph.file(id).data().and_then(|data| data.root()?.at(&["deepspeed_config", "deepspeed_config_file"]));
            if let Some((path, node)) = node.and_then(|node: NodeRef<'_>| node.text().map(|text| (text, node))) {
                self.add_reference(graph, path, FileRange::new(id, node.range()), FileKind::DeepSpeed);
            }
        }
    }

    fn add_launcher_files(&mut self, graph: &FileGraph, launch: &Launch) {
        for flag in &launch.flags {
            let kind = match (launch.launcher, flag.name.as_str()) {
                (Launcher::Accelerate, "--config_file") => FileKind::Accelerate,
                (_, "--deepspeed_config_file") => FileKind::DeepSpeed,
                _ => continue,
            };
            if let Some(word) = flag.values.first() {
                self.add_word_reference(graph, launch, word, kind);
            }
        }
        if launch.launcher.config.is_first
            && let Some(word) = &launch.script
        {
            self.add_word_reference(graph, launch, word, FileKind::Training);
        }
    }

    fn add_argument_files(&mut self, graph: &FileGraph, launch: &Launch) {
        let folder = launch.directory.as_str();
        for option in launch.options() {
            let Some(value) = &option.value else { continue };
            let kind = match option.name.as_str() {
                "deepspeed" | "deepspeed_config" | "deepspeed-config" | "ds_config" => FileKind::DeepSpeed,
                name if launch.launcher.config.accelerate_option == Some(name) => FileKind::Accelerate,
                _ => FileKind::Training,
            };
            // Of a path with an unknown beginning only what the project has is of use.
            let end = || value.word.path_end.as_deref().filter(|end| graph.path_resolver.resolve(end, folder).is_some());
            let Some(text) = value.text.as_deref().or_else(end) else { continue };
            let place = launch.value_place(value.word, value.range);
            self.trainer_deepspeed |= kind == FileKind::DeepSpeed && looks_like_path(text);
            let named = launch.named_file(&option.name, text, &graph.path_resolver);
            match named {
                Some(id) => self.add_file(graph, id, kind, self.loader_for(&option.name)),
                None if kind != FileKind::Training && looks_like_path(text) => self.add_missing(text.to_owned(), place, kind),
                None => {}
            }
        }
        // `train.py config.yaml`: a file by position.
        for word in &launch.arguments {
            let data = word.text().is_some_and(|value| {
                [".yaml", ".yml", ".json"].iter().any(|end| value.ends_with(end))
                    && !value.starts_with('-')
                    && !value.contains('=')
            });
            if data {
                self.add_word_reference(graph, launch, word, FileKind::Training);
            }
        }
    }

    /// The loader that the code uses for the file that an option names.
    fn loader_for(&self, option: &str) -> Option<Loader> {
        let option = option.replace('-', "_");
        self.code.as_ref()?.loads.iter().find(|load| load.option.as_deref() == Some(option.as_str()))?.loader
    }

    fn add_loaded_file(&mut self, graph: &FileGraph, load: &LoadedFile) {
        let kind = if load.role == LoadRole::DeepSpeed { FileKind::DeepSpeed } else { FileKind::Training };
        self.trainer_deepspeed |= kind == FileKind::DeepSpeed;
        match self.resolve_load(graph, load) {
            Some(Ok(id)) => self.add_file(graph, id, kind, load.loader),
            Some(Err(path)) => self.add_missing(path, load.place, kind),
            None => {}
        }
    }

    /// The file that code loads in this run, or the path at which there is none; `None` if the path is not known.
    pub(super) fn resolve_load(&self, graph: &FileGraph, load: &LoadedFile) -> Option<Result<FileId, String>> {
        if let Some(file) = load.file {
            return Some(Ok(file));
        }
        if let Some(file) = self.copied_source(graph, load) {
            return Some(Ok(file));
        }
        let own = graph.file(load.place.file).folder();
        let launch = self.launch.as_deref().map_or(own, |launch| launch.directory.as_str());
        // Paths on the command line are relative to where the command runs; paths in the code, as a rule, to the code.
        let (path, first, second) = match self.path_from_launch(load) {
            LoadPath::Known(path) => (path, launch, own),
            LoadPath::Unknown => return None,
            LoadPath::FromCode => (load.path.clone()?, own, launch),
        };
        let found = graph.path_resolver.resolve(&path, first).or_else(|| graph.path_resolver.resolve(&path, second));
        Some(found.ok_or(path))
    }

    /// The file of the project that the script copied for an option whose own path the project does not have.
    fn copied_source(&self, graph: &FileGraph, load: &LoadedFile) -> Option<FileId> {
        let (launch, code) = (self.launch.as_deref()?, self.code.as_deref()?);
        let option = load.option.as_deref()?;
        let given = launch.options().into_iter().rfind(|given| option_matches_dest(code, &given.name, option))?;
        copied_files::source_of_option(graph, launch, given.value.as_ref()?)
    }

    fn path_from_launch(&self, load: &LoadedFile) -> LoadPath {
        let Some(launch) = self.launch.as_deref() else { return LoadPath::FromCode };
        if let Some(option) = load.option.as_deref()
            && let Some(code) = self.code.as_deref()
            && let Some(given) = launch.options().iter().rfind(|given| option_matches_dest(code, &given.name, option))
        {
            let text = given.value.as_ref().and_then(|value| value.text.clone());
            return text.map_or(LoadPath::Unknown, LoadPath::Known);
        }
        let word = load.argument.and_then(|number| launch.arguments.get(number.checked_sub(1)?));
        match word {
            Some(word) => word.text().map_or(LoadPath::Unknown, |text| LoadPath::Known(text.to_owned())),
            None => LoadPath::FromCode,
        }
    }

    fn add_word_reference(&mut self, graph: &FileGraph, launch: &Launch, word: &Word, kind: FileKind) {
        let folder = launch.directory.as_str();
        if let Some(text) = word.path() {
            self.add_reference_from(graph, text, folder, launch.value_place(word, word.range), kind, None);
        }
    }

    fn add_reference(&mut self, graph: &FileGraph, path: &str, place: FileRange, kind: FileKind) {
        let folder = graph.file(place.file).folder();
        self.add_reference_from(graph, path, folder, place, kind, None);
    }

    fn add_reference_from(
        &mut self,
        graph: &FileGraph,
        path: &str,
        folder: &str,
        place: FileRange,
        wanted: FileKind,
        loader: Option<Loader>,
    ) {
        match graph.path_resolver.resolve(path, folder) {
            Some(id) => self.add_file(graph, id, wanted, loader),
            None => self.add_missing(path.to_owned(), place, wanted),
        }
    }

    fn add_missing(&mut self, path: String, place: FileRange, wanted: FileKind) {
        if matches!(wanted, FileKind::Accelerate | FileKind::DeepSpeed) {
            self.missing_files.push((path, place));
        }
    }

    /// Adds a file by its kind; if its content leaves the kind open, by the role in which it is named.
    fn add_file(&mut self, graph: &FileGraph, id: FileId, wanted: FileKind, loader: Option<Loader>) {
        if let Some(framework) = graph.unsupported_framework(id).filter(|_| wanted == FileKind::Training) {
            return self.unread.push((id, framework));
        }
        match (graph.classified_kind(id), wanted) {
            (_, FileKind::Accelerate) => self.accelerate = self.accelerate.or(Some(id)),
            // Only accelerate's launcher reads accelerate's file.
            (FileKind::Accelerate, _) => {}
            (FileKind::DeepSpeed, _) | (_, FileKind::DeepSpeed) => {
                self.deepspeed = self.deepspeed.or(Some(id).filter(|_| !self.deepspeed_is_open));
            }
            (kind, _) if kind.is_training() => match self.training.iter_mut().find(|(known, _)| *known == id) {
                Some((_, known)) => *known = known.or(loader),
                None => self.training.push((id, loader)),
            },
            _ => {}
        }
    }
}

/// The path of a file that code loads, as far as the launch sets it.
enum LoadPath {
    Known(String),
    Unknown,
    FromCode,
}

/// Whether an option on the command line is the one that the code calls `dest`.
pub(super) fn option_matches_dest(code: &CodeFacts, written: &str, dest: &str) -> bool {
    let declared = code.options.iter().find(|option| option.dest == dest);
    written.replace('-', "_") == dest
        || declared.is_some_and(|option| option.names.iter().any(|name| name.trim_start_matches('-') == written))
}

fn looks_like_path(text: &str) -> bool {
    text.ends_with(".json") || text.ends_with(".yaml") || text.ends_with(".yml")
}

//! What a run grows from, and every file that belongs to it.

use crate::code::{CodeFacts, LoadRole, LoadedFile};
use crate::kind::Kind;
use crate::launch::Launch;
use crate::project::Project;
use std::sync::Arc;
use vramlint_base::{FileId, FileRange};
use vramlint_catalog::flags::Launcher;
use vramlint_syntax::data::{Loader, NodeRef};
use vramlint_syntax::shell::Word;

/// What a run grows from.
#[derive(Debug)]
pub(super) struct Seed {
    pub(super) place: FileRange,
    pub(super) launch: Option<Arc<Launch>>,
    pub(super) entry: Option<FileId>,
    pub(super) code: Option<Arc<CodeFacts>>,
    /// Training files that take part, with the loader where the code shows it.
    pub(super) training: Vec<(FileId, Option<Loader>)>,
    pub(super) accelerate: Option<FileId>,
    pub(super) deepspeed: Option<FileId>,
    /// Whether the trainer itself is given DeepSpeed's file: it then trains under DeepSpeed whatever the launcher's type is.
    pub(super) trainer_deepspeed: bool,
    pub(super) absent: Vec<(String, FileRange)>,
}

impl Seed {
    /// From a command.
    pub(super) fn from_launch(project: &Project, launch: Arc<Launch>, entry: Option<FileId>) -> Self {
        let mut seed = Self::new(FileRange::new(launch.file, launch.range));
        seed.entry = entry;
        seed.code = entry.and_then(|entry| project.code_given(entry, &super::arguments::given(&launch)));
        seed.launch = Some(launch);
        seed.find_files(project);
        seed
    }

    /// From a script that no command starts.
    pub(super) fn from_entry(project: &Project, entry: FileId) -> Self {
        let mut seed = Self::new(super::find::whole(project.file(entry)));
        seed.entry = Some(entry);
        seed.code = project.code(entry);
        seed.find_files(project);
        seed
    }

    /// From a training file that nothing reads.
    pub(super) fn from_training_file(project: &Project, file: FileId) -> Self {
        let mut seed = Self::new(super::find::whole(project.file(file)));
        seed.training.push((file, None));
        seed.find_files(project);
        seed
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
            absent: Vec::new(),
        }
    }

    /// Follows every reference to a data file.
    fn find_files(&mut self, project: &Project) {
        if let Some(launch) = self.launch.clone() {
            self.by_launcher(project, &launch);
            self.by_arguments(project, &launch);
        }
        if let Some(code) = self.code.clone() {
            for load in &code.loads {
                self.by_load(project, load);
            }
        }
        for (id, _) in self.training.clone() {
            let file = project.file(id);
            let Some(node) = file.data().and_then(|data| data.root()?.get("deepspeed")) else { continue };
            if let Some(path) = node.text().filter(|text| looks_like_path(text)) {
                self.trainer_deepspeed = true;
                self.refer(project, path, FileRange::new(id, node.range()), Kind::DeepSpeed);
            }
        }
        if let Some(id) = self.accelerate {
            let node = project.file(id).data().and_then(|data| data.root()?.at(&["deepspeed_config", "deepspeed_config_file"]));
            if let Some((path, node)) = node.and_then(|node: NodeRef<'_>| node.text().map(|text| (text, node))) {
                self.refer(project, path, FileRange::new(id, node.range()), Kind::DeepSpeed);
            }
        }
    }

    fn by_launcher(&mut self, project: &Project, launch: &Launch) {
        for flag in &launch.flags {
            let kind = match (launch.launcher, flag.name.as_str()) {
                (Launcher::Accelerate, "--config_file") => Kind::Accelerate,
                (_, "--deepspeed_config_file") => Kind::DeepSpeed,
                _ => continue,
            };
            if let Some(word) = flag.values.first() {
                self.refer_word(project, launch, word, kind);
            }
        }
        if matches!(launch.launcher, Launcher::LlamaFactory | Launcher::Axolotl)
            && let Some(word) = &launch.script
        {
            self.refer_word(project, launch, word, Kind::Training);
        }
    }

    fn by_arguments(&mut self, project: &Project, launch: &Launch) {
        let folder = project.file(launch.file).folder();
        for option in launch.options() {
            let Some(value) = &option.value else { continue };
            let kind = match option.name.as_str() {
                "deepspeed" | "deepspeed_config" | "deepspeed-config" | "ds_config" => Kind::DeepSpeed,
                "accelerate_config" if launch.launcher == Launcher::Trl => Kind::Accelerate,
                _ => Kind::Training,
            };
            let Some(text) = value.text.as_deref() else { continue };
            let place = FileRange::new(launch.file, value.range);
            self.trainer_deepspeed |= kind == Kind::DeepSpeed && looks_like_path(text);
            if project.lookup.find(text, folder).is_some() || kind != Kind::Training && looks_like_path(text) {
                self.refer_from(project, text, folder, place, kind, self.loader_for(&option.name));
            }
        }
        // `train.py config.yaml`: a file by position.
        for word in &launch.arguments {
            let data = word.text().is_some_and(|text| {
                [".yaml", ".yml", ".json"].iter().any(|end| text.ends_with(end)) && !text.starts_with('-') && !text.contains('=')
            });
            if data {
                self.refer_word(project, launch, word, Kind::Training);
            }
        }
    }

    /// The loader that the code uses for the file that an option names.
    fn loader_for(&self, option: &str) -> Option<Loader> {
        let option = option.replace('-', "_");
        self.code.as_ref()?.loads.iter().find(|load| load.option.as_deref() == Some(option.as_str()))?.loader
    }

    fn by_load(&mut self, project: &Project, load: &LoadedFile) {
        let kind = if load.role == LoadRole::DeepSpeed { Kind::DeepSpeed } else { Kind::Training };
        self.trainer_deepspeed |= kind == Kind::DeepSpeed;
        match self.loaded(project, load) {
            Some(Ok(id)) => self.take(project, id, kind, load.loader),
            Some(Err(path)) => self.lacks(path, load.place, kind),
            None => {}
        }
    }

    /// The file that code loads in this run, or the path at which there is none; `None` where the path is not known.
    pub(super) fn loaded(&self, project: &Project, load: &LoadedFile) -> Option<Result<FileId, String>> {
        let own = project.file(load.place.file).folder();
        let launch = self.launch.as_deref().map_or(own, |launch| project.file(launch.file).folder());
        // What the command line names is relative to where the command runs; what the code names, as a rule, to the code.
        let (path, first, second) = match self.given_path(load) {
            Given::Path(path) => (path, launch, own),
            Given::Unknown => return None,
            Given::No => (load.path.clone()?, own, launch),
        };
        let found = project.lookup.find(&path, first).or_else(|| project.lookup.find(&path, second));
        Some(found.ok_or(path))
    }

    fn given_path(&self, load: &LoadedFile) -> Given {
        let Some(launch) = self.launch.as_deref() else { return Given::No };
        if let Some(option) = load.option.as_deref()
            && let Some(code) = self.code.as_deref()
            && let Some(given) = launch.options().iter().rfind(|given| same_option(code, &given.name, option))
        {
            let text = given.value.as_ref().and_then(|value| value.text.clone());
            return text.map_or(Given::Unknown, Given::Path);
        }
        let word = load.argument.and_then(|number| launch.arguments.get(number.checked_sub(1)?));
        match word {
            Some(word) => word.text().map_or(Given::Unknown, |text| Given::Path(text.to_owned())),
            None => Given::No,
        }
    }

    fn refer_word(&mut self, project: &Project, launch: &Launch, word: &Word, kind: Kind) {
        let folder = project.file(launch.file).folder();
        if let Some(text) = word.text() {
            self.refer_from(project, text, folder, FileRange::new(launch.file, word.range), kind, None);
        }
    }

    fn refer(&mut self, project: &Project, path: &str, place: FileRange, kind: Kind) {
        let folder = project.file(place.file).folder();
        self.refer_from(project, path, folder, place, kind, None);
    }

    fn refer_from(
        &mut self,
        project: &Project,
        path: &str,
        folder: &str,
        place: FileRange,
        wanted: Kind,
        loader: Option<Loader>,
    ) {
        match project.lookup.find(path, folder) {
            Some(id) => self.take(project, id, wanted, loader),
            None => self.lacks(path.to_owned(), place, wanted),
        }
    }

    fn lacks(&mut self, path: String, place: FileRange, wanted: Kind) {
        if matches!(wanted, Kind::Accelerate | Kind::DeepSpeed) {
            self.absent.push((path, place));
        }
    }

    /// Takes a file in, by what it is; what it is called for decides where the file itself leaves it open.
    fn take(&mut self, project: &Project, id: FileId, wanted: Kind, loader: Option<Loader>) {
        match (project.kind(id), wanted) {
            (_, Kind::Accelerate) => self.accelerate = self.accelerate.or(Some(id)),
            // Only its launcher reads accelerate's file.
            (Kind::Accelerate, _) => {}
            (Kind::DeepSpeed, _) | (_, Kind::DeepSpeed) => self.deepspeed = self.deepspeed.or(Some(id)),
            (kind, _) if kind.is_training() => match self.training.iter_mut().find(|(known, _)| *known == id) {
                Some((_, known)) => *known = known.or(loader),
                None => self.training.push((id, loader)),
            },
            _ => {}
        }
    }
}

/// The path of a file that code loads, as far as the launch gives it.
enum Given {
    Path(String),
    Unknown,
    No,
}

/// Whether an option as it is written on the command line is the one that the code calls `dest`.
pub(super) fn same_option(code: &CodeFacts, written: &str, dest: &str) -> bool {
    let declared = code.options.iter().find(|option| option.dest == dest);
    written.replace('-', "_") == dest
        || declared.is_some_and(|option| option.names.iter().any(|name| name.trim_start_matches('-') == written))
}

fn looks_like_path(text: &str) -> bool {
    text.ends_with(".json") || text.ends_with(".yaml") || text.ends_with(".yml")
}

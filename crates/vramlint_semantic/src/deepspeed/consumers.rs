//! Who reads a DeepSpeed configuration: what is fine for one reader is rejected, ignored or filled in by another.
//!
//! Facts: DeepSpeed's own reader takes Hjson and resolves no `auto` (deepspeed 0.19.8 `runtime/config.py:444`); accelerate and
//! transformers read strict JSON and fill some `auto` (accelerate 1.15.0 `utils/deepspeed.py:143`, `utils/dataclasses.py:1335`;
//! transformers 5.23.0 `integrations/deepspeed.py:100`). All run.

use vramlint_base::FileId;
use vramlint_catalog::Dialect;
use vramlint_catalog::flags::Launcher;
use vramlint_resolve::code::{CodeFacts, LoadRole};
use vramlint_resolve::{ConfigConsumer, DeepSpeedDict, Feature, FileKind, Project, Run};
use vramlint_syntax::data::{DataFile, NodeRef};

/// The consumers that one use of a file may have: a set, since a project does not always show which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consumers(u8);

impl Consumers {
    /// `deepspeed.initialize(config="ds.json")`, `--deepspeed_config ds.json`.
    pub const PLAIN: Self = Self(1);
    /// transformers' Trainer and what is built on it.
    pub const TRAINER: Self = Self(2);
    /// A loop with `Accelerator()`.
    pub const ACCELERATE: Self = Self(4);
    /// Both of Hugging Face.
    pub const HUGGING_FACE: Self = Self(2 | 4);
    /// Any of the three.
    pub const KNOWN: Self = Self(1 | 2 | 4);
    /// Code that may change or complete the configuration before anything reads it.
    const OTHER: Self = Self(8);
    /// Nothing is known.
    const ANY: Self = Self(1 | 2 | 4 | 8);

    /// Whether no other reader than these is possible.
    pub const fn within(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// One use of a configuration.
#[derive(Clone, Copy, Debug)]
pub struct ConfigUse<'a> {
    /// Who may read it there.
    pub consumers: Consumers,
    /// The run, where one is known.
    pub run: Option<&'a Run>,
}

/// Every use of a DeepSpeed file; never empty.
pub fn uses<'a>(project: &'a Project, file: FileId) -> Vec<ConfigUse<'a>> {
    let runs = project.runs_of(file).filter(|run| run.deepspeed == Some(file));
    let mut found: Vec<ConfigUse<'a>> =
        runs.filter_map(|run| Some(ConfigUse { consumers: consumers_in_run(project, run, file)?, run: Some(run) })).collect();
    if found.is_empty() {
        let consumers = if named_by_accelerate(project, file) { Consumers::HUGGING_FACE } else { Consumers::ANY };
        found.push(ConfigUse { consumers, run: None });
    }
    found
}

/// Every use of a dict in code; never empty.
pub fn uses_of_dict<'a>(project: &'a Project, dict: &DeepSpeedDict) -> Vec<ConfigUse<'a>> {
    let known = match dict.consumer {
        Some(ConfigConsumer::Engine) => Consumers::PLAIN,
        Some(ConfigConsumer::Trainer) => Consumers::TRAINER,
        Some(ConfigConsumer::Accelerate) => Consumers::ACCELERATE,
        None => Consumers::ANY,
    };
    let of_run = |run: &'a Run| {
        // A plugin may be made for a Trainer, which then fills in what it knows.
        let trains =
            dict.consumer == Some(ConfigConsumer::Accelerate) && !matches!(run.dialect, Dialect::Accelerate | Dialect::Plain);
        let consumers = if trains { Consumers::HUGGING_FACE } else { known };
        ConfigUse { consumers: if dict.complete { consumers } else { consumers.or(Consumers::OTHER) }, run: Some(run) }
    };
    let mut found: Vec<ConfigUse<'a>> = dict.runs.iter().filter_map(|index| project.runs.get(*index)).map(of_run).collect();
    if found.is_empty() {
        let consumers = if dict.complete { known } else { known.or(Consumers::OTHER) };
        found.push(ConfigUse { consumers, run: None });
    }
    found
}

/// Whether a file of accelerate that no run uses names it.
fn named_by_accelerate(project: &Project, file: FileId) -> bool {
    let by = |other: &vramlint_resolve::SourceFile| {
        let named =
            other.data().and_then(DataFile::root).and_then(|root| root.at(&["deepspeed_config", "deepspeed_config_file"]));
        named.and_then(NodeRef::text).and_then(|path| project.path_resolver.resolve(path, other.folder())) == Some(file)
    };
    project.files_of(FileKind::Accelerate).any(by)
}

/// Who reads the file in a run; `None` where the run names it and does not use it.
fn consumers_in_run(project: &Project, run: &Run, file: FileId) -> Option<Consumers> {
    let by_accelerate = run.accelerate.is_some() && by_accelerate_alone(project, run, file);
    if by_accelerate && run.text(vramlint_catalog::Concept::DistributedType).is_some_and(|kind| kind != "DEEPSPEED") {
        return None;
    }
    let engine = run.code.as_deref().is_some_and(|code| calls_engine(project, code));
    let changed = run.code.as_deref().is_some_and(|code| passes_through_code(project, code, file));
    let consumers = match run.dialect {
        dialect if dialect.is_hf_trainer => {
            if engine {
                Consumers::TRAINER.or(Consumers::PLAIN)
            } else {
                Consumers::TRAINER
            }
        }
        Dialect::Accelerate => {
            if engine {
                Consumers::ACCELERATE.or(Consumers::PLAIN)
            } else {
                Consumers::ACCELERATE
            }
        }
        Dialect::DeepSpeed | Dialect::Plain if engine => {
            let loop_of_accelerate = run.code.as_deref().is_some_and(|code| code.accelerator.is_some());
            if loop_of_accelerate || run.accelerate.is_some() { Consumers::KNOWN } else { Consumers::PLAIN }
        }
        Dialect::Plain | Dialect::DeepSpeed => by_command(run),
        _ => Consumers::ANY,
    };
    Some(if changed { consumers.or(Consumers::OTHER) } else { consumers })
}

/// Who reads it where the code is not in the project, or does not show it.
fn by_command(run: &Run) -> Consumers {
    let Some(launch) = run.launch.as_deref() else { return Consumers::ANY };
    // The launcher hands the file to accelerate, and only `Accelerator()` or a Trainer looks there.
    if launch.launcher == Launcher::Accelerate && (run.accelerate.is_some() || launch.flag("--deepspeed_config_file").is_some()) {
        return Consumers::HUGGING_FACE;
    }
    if run.code.is_some() {
        return Consumers::ANY;
    }
    let options = launch.options();
    let has = |name: &str| options.iter().any(|option| option.name.replace('-', "_") == name);
    let file_given = options.iter().any(|option| option.name == "deepspeed" && option.value.is_some());
    // `--deepspeed FILE` is a field of TrainingArguments; so is `--output_dir`. DeepSpeed's own options are a switch and
    // `--deepspeed_config FILE` (deepspeed/__init__.py, add_config_arguments).
    if file_given && has("output_dir") {
        Consumers::TRAINER
    } else if !file_given && has("deepspeed") && has("deepspeed_config") {
        Consumers::PLAIN
    } else {
        Consumers::ANY
    }
}

/// Whether the run has the file from accelerate's file or flag alone, not from the trainer's arguments.
fn by_accelerate_alone(project: &Project, run: &Run, file: FileId) -> bool {
    let options = run.launch.as_deref().is_some_and(|launch| launch.options().iter().any(|option| option.name == "deepspeed"));
    let code = run.code.as_deref().is_some_and(|code| code.loads.iter().any(|load| load.role == LoadRole::DeepSpeed));
    let training = run.files.iter().filter(|id| project.kind(**id).is_training()).any(|id| {
        let data = project.file(*id).data().and_then(DataFile::root);
        data.is_some_and(|root| root.get("deepspeed").is_some())
    });
    !options && !code && !training && Some(file) == run.deepspeed
}

/// Whether the code makes an engine itself.
fn calls_engine(project: &Project, code: &CodeFacts) -> bool {
    code.calls.iter().any(|call| call.path == "deepspeed.initialize")
        || project.any_has(&code.files, Feature::DeepSpeedInitialize)
}

/// Whether the code reads the file itself and passes on what it made of it.
fn passes_through_code(project: &Project, code: &CodeFacts, file: FileId) -> bool {
    let loaded = code.loads.iter().filter(|load| load.role == LoadRole::DeepSpeed && load.loader.is_some());
    loaded.into_iter().any(|load| {
        let folder = project.file(load.place.file).folder();
        load.path.as_deref().is_none_or(|path| project.path_resolver.resolve(path, folder) == Some(file))
    })
}

//! A training run as data: what starts it, the files that take part, and its settings.

use super::unknown_reads::UnknownReads;
use crate::code::CodeFacts;
use crate::kind;
use crate::launch::Launch;
use crate::setting::Setting;
use std::collections::BTreeMap;
use std::sync::Arc;
use vramlint_base::{FileId, FileRange, Message, Value};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::{Concept, Dialect, UnsupportedFramework};

/// A training run.
#[derive(Clone, Debug)]
pub struct Run {
    /// `launch.sh#1`: the file that starts it and its number there.
    pub id: String,
    /// The command that starts it; the entry script or the training YAML if no command is known.
    pub place: FileRange,
    /// What starts it; `None` if no command is known.
    pub launcher: Option<Launcher>,
    /// The command, if one is known.
    pub launch: Option<Arc<Launch>>,
    /// The vocabulary of the framework that trains.
    pub dialect: Dialect,
    /// `sft`, `dpo`, `grpo`…, if known.
    pub task: Option<String>,
    /// The entry script, if it is in the project.
    pub entry: Option<FileId>,
    /// The facts of its code, if the entry is in the project.
    pub code: Option<Arc<CodeFacts>>,
    /// accelerate's file, if one is named and present.
    pub accelerate: Option<FileId>,
    /// DeepSpeed's file, if one is named and present.
    pub deepspeed: Option<FileId>,
    /// Every file that takes part, in the order in which they were found.
    pub files: Vec<FileId>,
    /// References to files that do not exist: the path, and the place that names it.
    pub missing_files: Vec<(String, FileRange)>,
    /// The framework that trains, where its settings are not read.
    pub unsupported: Option<UnsupportedFramework>,
    /// What the model's folder holds, if the project fills it.
    pub folder_model: Option<FolderModel>,
    /// Every setting that is written, has a default or can be derived.
    pub settings: BTreeMap<Concept, Setting>,
    /// The unknown settings that were asked for.
    pub unknown_reads: UnknownReads,
}

/// The model in a folder that a download or another run fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderModel {
    /// The folder, as the run names it.
    pub folder: String,
    /// The model.
    pub model: String,
    /// What fills the folder.
    pub why: Message,
}

impl Run {
    /// Why nothing is known of its training, where the framework is not supported.
    pub fn not_read(&self) -> Option<Message> {
        self.unsupported.map(kind::not_read)
    }

    /// The value of a setting, if known.
    pub fn value(&self, concept: Concept) -> Option<&Value> {
        let setting = self.settings.get(&concept)?;
        let value = setting.value();
        if value.is_none() {
            self.unknown_reads.add(concept);
        }
        value
    }

    /// The integer value of a setting, if known.
    pub fn int(&self, concept: Concept) -> Option<i64> {
        self.value(concept).and_then(Value::as_int)
    }

    /// The string value of a setting, if known.
    pub fn text(&self, concept: Concept) -> Option<&str> {
        self.value(concept).and_then(Value::as_str)
    }
}

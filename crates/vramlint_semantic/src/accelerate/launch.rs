//! One way in which accelerate's launcher is started: a command with its file, either alone.

use super::LaunchValue;
use crate::accelerate::loose_launches;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use vramlint_base::{Edit, Evaluated, FileId, FileRange, TextRange, UnknownReason, Value, is_templated};
use vramlint_catalog::flags::{self, Arity, Launcher};
use vramlint_edit as edit;
use vramlint_resolve::launch::Launch;
use vramlint_resolve::{FileKind, Project, Run, SourceFile};
use vramlint_syntax::data::{DataFile, Loader, NodeRef};
use vramlint_syntax::shell::Word;

/// A command with the file that it names, a command without one, or a file that no command is seen to use.
#[derive(Clone, Copy, Debug)]
pub struct AccelerateLaunch<'a> {
    /// The project.
    pub project: &'a Project,
    /// accelerate's file.
    pub file: Option<&'a SourceFile>,
    /// The command.
    pub launch: Option<&'a Launch>,
    /// The training that it starts; `None` for a script that only evaluates.
    pub run: Option<&'a Run>,
    /// Whether a file is named that is not there.
    absent: bool,
}

/// A flag of the command.
#[derive(Clone, Debug)]
pub struct Flag {
    /// The flag's own word.
    pub word: FileRange,
    /// Its value, and where.
    value: Option<(Option<String>, FileRange)>,
}

/// Every start of the project: its commands, then the files that none of them uses.
pub fn accelerate_launches(project: &Project) -> Vec<AccelerateLaunch<'_>> {
    let mut runs: HashMap<*const Launch, &Run> = HashMap::new();
    for run in &project.runs {
        if let Some(launch) = &run.launch {
            runs.entry(Arc::as_ptr(launch)).or_insert(run);
        }
    }
    let run_of = |launch: &Arc<Launch>| runs.get(&Arc::as_ptr(launch)).copied();
    let mut starts: Vec<AccelerateLaunch<'_>> =
        project.launches.iter().filter_map(|launch| from_launch(project, launch, run_of(launch))).collect();
    let used: HashSet<FileId> = starts.iter().filter_map(|start| start.file.map(|file| file.id)).collect();
    let unused = project.files_of(FileKind::Accelerate).filter(|file| !used.contains(&file.id));
    starts.extend(unused.map(|file| AccelerateLaunch { project, file: Some(file), launch: None, run: None, absent: false }));
    starts
}

fn from_launch<'a>(project: &'a Project, launch: &'a Launch, run: Option<&'a Run>) -> Option<AccelerateLaunch<'a>> {
    match launch.launcher {
        Launcher::Accelerate => {
            let named = launch.flag("--config_file");
            let path = named.and_then(|flag| flag.values.first()).and_then(Word::text);
            let file = path.and_then(|path| project.path_resolver.resolve(path, launch.directory.as_str()));
            let absent = named.is_some() && file.is_none();
            Some(AccelerateLaunch { project, file: file.map(|id| project.file(id)), launch: Some(launch), run, absent })
        }
        // Its own file of the launcher; the ones that it ships are not in the project.
        Launcher::Trl => {
            let run = run?;
            let file = run.accelerate.map(|id| project.file(id))?;
            Some(AccelerateLaunch { project, file: Some(file), launch: Some(launch), run: Some(run), absent: false })
        }
        _ => None,
    }
}

impl<'a> AccelerateLaunch<'a> {
    /// Whether no command is seen to use the file.
    pub fn is_alone(&self) -> bool {
        self.launch.is_none()
    }

    /// Whether flags or keys may be there that are not seen.
    pub fn may_hide(&self) -> bool {
        self.absent || self.launch.is_some_and(|launch| launch.has_unknown_flags)
    }

    /// Whether flags may be there that are not seen.
    pub fn may_hide_flags(&self) -> bool {
        self.launch.is_some_and(|launch| launch.has_unknown_flags)
    }

    /// The root of the file, where it is a mapping.
    pub fn root(&self) -> Option<NodeRef<'a>> {
        self.file.and_then(SourceFile::data).and_then(DataFile::root).filter(|root| root.is_mapping())
    }

    /// Who reads the file.
    pub fn loader(&self) -> Loader {
        if self.file.and_then(SourceFile::data).is_some_and(|data| data.json) { Loader::Json } else { Loader::PyYaml }
    }

    /// The flag with this canonical name.
    pub fn flag(&self, name: &str) -> Option<Flag> {
        let launch = self.launch?;
        let place = |range| FileRange::new(launch.file, range);
        if let Some(found) = launch.flag(name) {
            let value = found.values.first().map(|word| (word.text().map(str::to_owned), place(word.range)));
            return Some(Flag { word: place(found.word), value });
        }
        if launch.launcher != Launcher::Trl {
            return None;
        }
        // What TRL does not know itself it hands to `accelerate launch`.
        let options = launch.options();
        let known = flags::flag(Launcher::Accelerate, name)?;
        let option = options.iter().rfind(|option| known.names.contains(&format!("--{}", option.name).as_str()))?;
        let value = option.value.as_ref().map(|value| (value.text.clone(), place(value.range)));
        Some(Flag { word: place(option.word), value })
    }

    /// A setting of the top level: its flag, else its key.
    pub fn top_level(&self, key: &str) -> Evaluated<LaunchValue> {
        self.answer(key, &[&[key]])
    }

    /// A setting of a block of the file, with and without the prefix that the launcher adds where it is missing.
    pub fn block(&self, block: &str, key: &str) -> Evaluated<LaunchValue> {
        let bare = match block {
            "fsdp_config" => key.strip_prefix("fsdp_"),
            "fp8_config" => key.strip_prefix("fp8_"),
            "dynamo_config" => key.strip_prefix("dynamo_"),
            _ => None,
        };
        match bare {
            Some(bare) => self.answer(key, &[&[block, key], &[block, bare]]),
            None => self.answer(key, &[&[block, key]]),
        }
    }

    fn answer(&self, key: &str, paths: &[&[&str]]) -> Evaluated<LaunchValue> {
        let name = format!("--{key}");
        if let Some(flag) = self.flag(&name) {
            let switch = flags::flag(Launcher::Accelerate, &name).is_some_and(|known| known.arity == Arity::Switch);
            return match flag.value {
                None if switch => Evaluated::Known(LaunchValue { value: Value::Bool(true), place: flag.word, key: None }),
                Some((Some(text), place)) => Evaluated::Known(LaunchValue { value: Value::Text(text), place, key: None }),
                _ => Evaluated::Unknown(UnknownReason::Unseen),
            };
        }
        let Some(file) = self.file else {
            return if self.may_hide() { Evaluated::Unknown(UnknownReason::Unseen) } else { Evaluated::Absent };
        };
        if self.may_hide() || self.is_alone() && loose_launches::give(self.project, file.id, &name) {
            return Evaluated::Unknown(UnknownReason::Unseen);
        }
        let Some(root) = self.root() else { return Evaluated::Unknown(UnknownReason::Unseen) };
        let found = paths.iter().find_map(|path| {
            let (last, parents) = path.split_last()?;
            root.at(parents)?.entry(last)
        });
        match found {
            None => Evaluated::Absent,
            Some((key, node)) => self.in_file(file, key, node),
        }
    }

    /// What an entry of the file is, as the launcher gets it.
    fn in_file(&self, file: &SourceFile, key: NodeRef<'_>, node: NodeRef<'_>) -> Evaluated<LaunchValue> {
        match node.value(self.loader()) {
            Some(value) if value.as_str().is_some_and(is_templated) => Evaluated::Unknown(UnknownReason::Templated),
            Some(value) => Evaluated::Known(LaunchValue {
                value,
                place: FileRange::new(file.id, if node.range().is_empty() { key.range() } else { node.range() }),
                key: Some(FileRange::new(file.id, key.range())),
            }),
            _ => Evaluated::Unknown(UnknownReason::Unseen),
        }
    }

    /// Takes a word out of the command, with the blank in front of it.
    pub fn without_word(&self, word: FileRange) -> Option<Edit> {
        let text = &self.project.file(word.file).text;
        let before = text.get(..word.range.start as usize)?;
        before.ends_with(' ').then(|| {
            let range = TextRange::new(word.range.start - 1, word.range.end);
            edit::replace(FileRange::new(word.file, range), "")
        })
    }

    /// The command, where there is one.
    pub fn command(&self) -> Option<FileRange> {
        self.launch.map(|launch| FileRange::new(launch.file, launch.range))
    }
}

//! A DeepSpeed configuration as rules look at it: values by path, the stage, and who reads it.

use crate::deepspeed::consumers::{self, ConfigUse, Consumers};
use crate::version_gate;
use std::collections::BTreeSet;
use vramlint_base::value_readers::{pydantic_bool, pydantic_int};
use vramlint_base::{Evaluated, FileId, FileRange, Severity, UnknownReason, Value, is_templated};
use vramlint_catalog::keys::Key;
use vramlint_resolve::versions::{RangeMatch, VersionRange};
use vramlint_resolve::{DeepSpeedDict, FileKind, Project, SourceFile};
use vramlint_syntax::RefusedBy;
use vramlint_syntax::data::{Loader, NodeRef};

/// A configuration of DeepSpeed.
#[derive(Debug)]
pub struct DeepSpeedConfig<'a> {
    /// The file, or the Python file in which it is a dict.
    pub file: &'a SourceFile,
    /// Its root, a mapping.
    pub root: NodeRef<'a>,
    /// Who uses it; never empty.
    pub uses: Vec<ConfigUse<'a>>,
    loader: Loader,
}

/// An entry of a configuration.
#[derive(Clone, Copy, Debug)]
pub struct ConfigEntry<'a> {
    /// The key.
    pub key: NodeRef<'a>,
    /// The value.
    pub value: NodeRef<'a>,
}

/// Every configuration of DeepSpeed in the project that can be read: by what it says, or since a run trains with it.
pub fn deepspeed_configs(project: &Project) -> Vec<DeepSpeedConfig<'_>> {
    let named: BTreeSet<FileId> = project.runs.iter().filter_map(|run| run.deepspeed).collect();
    let of_engine = |file: &&SourceFile| project.kind(file.id) == FileKind::DeepSpeed || named.contains(&file.id);
    let files = project.files.iter().filter(of_engine).filter_map(|file| config(project, file));
    files.chain(project.deepspeed_dicts().iter().filter_map(|dict| in_code(project, dict))).collect()
}

/// A dict in Python code.
fn in_code<'a>(project: &'a Project, dict: &'a DeepSpeedDict) -> Option<DeepSpeedConfig<'a>> {
    let uses = consumers::uses_of_dict(project, dict);
    Some(DeepSpeedConfig { file: project.file(dict.file), root: dict.data.root()?, uses, loader: Loader::Json })
}

fn config<'a>(project: &'a Project, file: &'a SourceFile) -> Option<DeepSpeedConfig<'a>> {
    let data = file.data()?;
    // What the parser made of a broken file is not what is written there.
    let broken = data.errors.iter().any(|error| error.refused_by == RefusedBy::All);
    let root = data.root().filter(|root| root.is_mapping() && !broken && !project.is_documentation_snippet(file.id))?;
    let loader = if data.json { Loader::Json } else { Loader::PyYaml };
    Some(DeepSpeedConfig { file, root, uses: consumers::uses(project, file.id), loader })
}

impl<'a> DeepSpeedConfig<'a> {
    /// Whether it is written in braces, as JSON and Python's dicts are.
    pub fn is_braced(&self) -> bool {
        self.loader == Loader::Json
    }

    /// The first use by no other consumers than these.
    pub fn read_by(&self, consumers: Consumers) -> Option<&ConfigUse<'a>> {
        self.uses.iter().find(|one| one.consumers.within(consumers))
    }

    /// The entry at a path with dots.
    pub fn entry(&self, path: &str) -> Option<ConfigEntry<'a>> {
        let (parents, name) = path.rsplit_once('.').unwrap_or(("", path));
        let block = if parents.is_empty() { Some(self.root) } else { self.block(parents) };
        block?.entry(name).map(|(key, value)| ConfigEntry { key, value })
    }

    /// The mapping at a path with dots.
    pub fn block(&self, path: &str) -> Option<NodeRef<'a>> {
        path.split('.').try_fold(self.root, NodeRef::get).filter(|node| node.is_mapping())
    }

    /// What is at a path with dots.
    pub fn setting(&self, path: &str) -> Evaluated<Value> {
        self.entry(path).map_or(Evaluated::Absent, |item| self.setting_of(item.value))
    }

    /// What a value says.
    pub fn setting_of(&self, node: NodeRef<'a>) -> Evaluated<Value> {
        match node.value(self.loader) {
            Some(Value::Text(text)) if text == "auto" => Evaluated::Unknown(UnknownReason::Auto),
            Some(Value::Text(text)) if is_templated(&text) => Evaluated::Unknown(UnknownReason::Templated),
            Some(value) => Evaluated::Known(value),
            None => Evaluated::Unknown(UnknownReason::Templated),
        }
    }

    /// The value at a path, where it is known.
    pub fn value(&self, path: &str) -> Option<Value> {
        if let Evaluated::Known(value) = self.setting(path) { Some(value) } else { None }
    }

    /// A boolean as pydantic takes it, with the default of the key; `None` where it is not known.
    pub fn flag(&self, path: &str, default: bool) -> Option<bool> {
        match self.setting(path) {
            // Where `auto` reaches DeepSpeed, its models drop it (runtime/config_utils.py:56); who fills it is not asked here.
            Evaluated::Absent => Some(default),
            Evaluated::Known(value) => pydantic_bool(&value),
            Evaluated::Unknown(_) => None,
        }
    }

    /// The stage of ZeRO, where every reader takes the same; 0 where nothing names it.
    pub fn stage(&self) -> Option<i64> {
        if self.block("zero_optimization").is_none() {
            match self.setting("zero_optimization") {
                Evaluated::Absent => return Some(0),
                Evaluated::Known(Value::Bool(on)) => return Some(i64::from(on)),
                _ => return None,
            }
        }
        match self.setting("zero_optimization.stage") {
            Evaluated::Absent => Some(0),
            Evaluated::Known(value) => pydantic_int(&value).filter(|stage| (0..=3).contains(stage)),
            // accelerate takes 2 unless its launcher says otherwise, DeepSpeed itself 0.
            Evaluated::Unknown(UnknownReason::Auto) if self.uses.iter().all(|one| one.consumers == Consumers::PLAIN) => Some(0),
            Evaluated::Unknown(_) => None,
        }
    }

    /// The place of an entry.
    pub fn place(&self, item: ConfigEntry<'a>) -> FileRange {
        FileRange::new(self.file.id, item.key.range().cover(item.value.range()))
    }

    /// The place of a value.
    pub fn value_place(&self, item: ConfigEntry<'a>) -> FileRange {
        FileRange::new(self.file.id, item.value.range())
    }

    /// The place of a key.
    pub fn key_place(&self, item: ConfigEntry<'a>) -> FileRange {
        FileRange::new(self.file.id, item.key.range())
    }

    /// Where to point when something is missing from the whole file: its first line.
    pub fn head(&self) -> FileRange {
        let range = self.root.range();
        let text = range.slice(&self.file.text);
        let first = text.find(['\n', '\r']).unwrap_or(text.len()).max(1) as u32;
        FileRange::new(self.file.id, vramlint_base::TextRange::new(range.start, range.start + first))
    }

    /// Every leaf and block of the file with its path, in order.
    pub fn visit(&self, visit: &mut dyn FnMut(&str, ConfigEntry<'a>)) {
        walk(self.root, "", visit);
    }
}

/// Nesting that is looked at.
const DEPTH: usize = 8;

fn walk<'a>(node: NodeRef<'a>, path: &str, visit: &mut dyn FnMut(&str, ConfigEntry<'a>)) {
    for (key, value) in node.entries() {
        let Some(name) = key.text() else { continue };
        let inner = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        visit(&inner, ConfigEntry { key, value });
        if value.is_mapping() && inner.matches('.').count() < DEPTH {
            walk(value, &inner, visit);
        }
    }
}

/// Whether a key of the table is one of a block's: its path begins there.
pub fn inside(key: &Key, block: &str) -> bool {
    key.path.strip_prefix(block).is_some_and(|rest| rest.starts_with('.'))
}

/// The severity of what DeepSpeed rejects from a version on and older ones, which may still be in use, do not: an error where the
/// project has such a version, advice where its version is not known.
pub fn recent(project: &Project, file: FileId, since: &'static str) -> Option<Severity> {
    version_gate::severity(project, file, &VersionRange::since("deepspeed", since), Severity::Error)
}

/// The severity of what every version rejects but those that a project pins and are no longer in use elsewhere.
pub fn unless_older(project: &Project, file: FileId, since: &'static str) -> Option<Severity> {
    (project.version_matches(file, &VersionRange::since("deepspeed", since)) != RangeMatch::Never).then_some(Severity::Error)
}

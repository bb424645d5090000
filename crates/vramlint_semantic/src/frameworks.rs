//! The settings of one training as its framework sees them: the file, and the options of the command over it.

use std::collections::BTreeMap;
use vramlint_base::{Applicability, FileRange, Fix, Value, has_template_mark, message};
use vramlint_catalog::classes::{self, Class};
use vramlint_catalog::flags::Launcher;
use vramlint_edit as edit;
use vramlint_resolve::launch::Launch;
use vramlint_resolve::{FileKind, Project, Run, SourceFile};
use vramlint_syntax::data::{Loader, NodeRef};

/// The settings of one training.
#[derive(Debug)]
pub struct FrameworkConfig<'a> {
    /// The framework.
    pub kind: FileKind,
    /// Where most of them stand: the file, else the script with the command.
    pub file: &'a SourceFile,
    /// The project.
    pub project: &'a Project,
    /// The command, where one is known.
    pub launch: Option<&'a Launch>,
    /// By name, blocks by their path with dots.
    settings: BTreeMap<String, FrameworkSetting>,
}

/// One setting as it is written.
#[derive(Debug)]
pub struct FrameworkSetting {
    /// `None` for a value that is not known.
    pub value: Option<Value>,
    /// Where the value stands; of a switch the flag itself.
    pub place: FileRange,
    /// Where its name stands.
    pub key: FileRange,
    /// Whether a flag or an override of the command gives it.
    pub by_flag: bool,
    /// Whether it stands in a block of its file.
    pub nested: bool,
}

/// Depth of blocks that is looked into.
const DEPTH: usize = 3;

const FRAMEWORKS: &[FileKind] =
    &[FileKind::Axolotl, FileKind::LlamaFactory, FileKind::Torchtune, FileKind::MsSwift, FileKind::OpenRlhf];

/// Every training that one of these frameworks reads.
pub fn framework_configs(project: &Project) -> Vec<FrameworkConfig<'_>> {
    let mut found = Vec::new();
    let data = project.files.iter().filter(|file| FRAMEWORKS.contains(&project.kind(file.id)) && file.data().is_some());
    for file in data.filter(|file| !project.is_documentation_snippet(file.id)) {
        let kind = project.kind(file.id);
        let mut runs = project.runs_of(file.id).filter(|run| run.launch.is_some()).peekable();
        if runs.peek().is_none() {
            found.extend(keys(project, kind, Some(file), None));
        }
        for run in runs {
            found.extend(keys(project, kind, Some(file), run.launch.as_deref()));
        }
    }
    for run in &project.runs {
        let Some(kind) = by_flags(project, run) else { continue };
        found.extend(keys(project, kind, None, run.launch.as_deref()));
    }
    found
}

/// The framework of a command that gives everything by flags.
fn by_flags(project: &Project, run: &Run) -> Option<FileKind> {
    let launch = run.launch.as_deref()?;
    let of_file = run.files.iter().any(|file| FRAMEWORKS.contains(&project.kind(*file)));
    let module = launch.module.as_ref().and_then(|word| word.text()).unwrap_or_default();
    match launch.launcher {
        _ if of_file => None,
        Launcher::Swift => Some(FileKind::MsSwift),
        Launcher::LlamaFactory => Some(FileKind::LlamaFactory),
        _ if module.starts_with("openrlhf.cli.") => Some(FileKind::OpenRlhf),
        _ => None,
    }
}

fn keys<'a>(
    project: &'a Project,
    kind: FileKind,
    file: Option<&'a SourceFile>,
    launch: Option<&'a Launch>,
) -> Option<FrameworkConfig<'a>> {
    let mut settings = BTreeMap::new();
    if let Some(file) = file {
        let data = file.data()?;
        let loader = match kind {
            _ if data.json => Loader::Json,
            FileKind::LlamaFactory | FileKind::Torchtune => Loader::OmegaConf,
            _ => Loader::PyYaml,
        };
        collect(file, data.root()?, loader, "", DEPTH, &mut settings);
    }
    if let Some(launch) = launch {
        // `"$@"` may say anything else.
        if launch.has_unknown_flags || launch.arguments.iter().any(|word| word.text().is_none()) {
            return None;
        }
        for option in launch.options() {
            let name = option.name.trim_start_matches('+').replace('-', "_");
            let (value, place) = match &option.value {
                Some(value) => (value.text.as_deref().map(typed), value.range),
                None => (Some(Value::Bool(true)), option.word),
            };
            let at = |range| FileRange::new(launch.file, range);
            let setting = FrameworkSetting { value, place: at(place), key: at(option.word), by_flag: true, nested: false };
            settings.insert(name, setting);
        }
    }
    let file = file.or_else(|| launch.map(|launch| project.file(launch.file)))?;
    Some(FrameworkConfig { kind, file, project, launch, settings })
}

fn collect(
    file: &SourceFile,
    node: NodeRef<'_>,
    loader: Loader,
    prefix: &str,
    depth: usize,
    into: &mut BTreeMap<String, FrameworkSetting>,
) {
    // Merge keys bring in what stands elsewhere; what is written here wins.
    for (key, value) in node.entries() {
        let Some(name) = key.text() else { continue };
        let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
        if value.is_mapping() && depth > 1 {
            collect(file, value, loader, &path, depth - 1, into);
        }
        let templated = value.text().is_some_and(has_template_mark);
        // A list that begins below its key is told at the key.
        let below =
            || file.text.get(key.range().end as usize..value.range().start as usize).is_some_and(|gap| gap.contains('\n'));
        let block = !value.range().is_empty() && value.text().is_none() && !value.is_mapping() && below();
        let value_at = if value.range().is_empty() || block { key.range() } else { value.range() };
        let made = if templated { None } else { value.value(loader) };
        let at = |range| FileRange::new(file.id, range);
        let nested = !prefix.is_empty();
        into.insert(path, FrameworkSetting { value: made, place: at(value_at), key: at(key.range()), by_flag: false, nested });
    }
}

/// What argparse makes of a word, near enough: truth values and numbers, else text.
fn typed(text: &str) -> Value {
    match text {
        "true" | "True" => Value::Bool(true),
        "false" | "False" => Value::Bool(false),
        "null" | "None" => Value::Null,
        _ => text
            .parse()
            .map(Value::Int)
            .or_else(|_| text.parse().map(Value::Float))
            .unwrap_or_else(|_| Value::Text(text.to_owned())),
    }
}

impl FrameworkConfig<'_> {
    /// The tool as its package is called.
    pub fn tool(&self) -> &'static str {
        match self.kind {
            FileKind::Axolotl => "axolotl",
            FileKind::LlamaFactory => "llamafactory",
            FileKind::Torchtune => "torchtune",
            FileKind::MsSwift => "ms-swift",
            _ => "openrlhf",
        }
    }

    /// The tool as it calls itself.
    pub fn name(&self) -> &'static str {
        match self.kind {
            FileKind::Axolotl => "Axolotl",
            FileKind::LlamaFactory => "LLaMA-Factory",
            FileKind::Torchtune => "torchtune",
            FileKind::MsSwift => "ms-swift",
            _ => "OpenRLHF",
        }
    }

    /// Every setting that stands for itself: those of blocks are left out.
    pub fn top_level(&self) -> impl Iterator<Item = (&str, &FrameworkSetting)> {
        self.settings.iter().filter(|(_, setting)| !setting.nested).map(|(name, setting)| (name.as_str(), setting))
    }

    /// Whether its command is seen, so that nobody else reads the file.
    pub fn is_launched(&self) -> bool {
        self.launch.is_some()
    }

    /// The fix that gives a setting another name; `None` if its flag is written together with its value.
    pub fn rename_fix(&self, setting: &FrameworkSetting, name: &str) -> Option<Fix> {
        let file = self.project.file(setting.key.file);
        let edit = if setting.by_flag {
            let flag = setting.key.range.slice(&file.text);
            let dashes = &flag[..flag.len() - flag.trim_start_matches('-').len()];
            if dashes.is_empty() || flag.contains('=') {
                return None;
            }
            edit::replace(setting.key, format!("{dashes}{name}"))
        } else {
            let root = file.data()?.root()?;
            let (key, _) = root.entries().find(|(key, _)| key.range() == setting.key.range)?;
            edit::rename_key(file, root, key, name)?
        };
        let title = message!("rename it to `{name}`", "改名为 `{name}`");
        Some(Fix { title, applicability: Applicability::Unsafe, edits: vec![edit] })
    }

    /// What the framework takes, by its releases.
    pub fn class(&self) -> Option<&'static Class> {
        let module = || Some(self.launch?.module.as_ref()?.text()?.to_owned());
        let task = || self.launch?.script.as_ref()?.text();
        let name = match self.kind {
            FileKind::Axolotl => "axolotl.config".to_owned(),
            // Its other commands fill other classes.
            FileKind::LlamaFactory if self.launch.is_some() || self.is_set("do_train") => "llamafactory.train".to_owned(),
            FileKind::MsSwift => match task()? {
                "sft" | "pt" => "swift.sft".to_owned(),
                "rlhf" => "swift.rlhf".to_owned(),
                _ => return None,
            },
            FileKind::OpenRlhf => module()?,
            _ => return None,
        };
        classes::find(&name)
    }

    /// The value of a setting, where it is set and known.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.settings.get(key)?.value.as_ref()
    }

    /// Where a setting's value stands.
    pub fn place(&self, key: &str) -> Option<FileRange> {
        self.settings.get(key).map(|setting| setting.place)
    }

    /// Whether a setting is certainly something that Python takes for true.
    pub fn is_on(&self, key: &str) -> bool {
        self.value(key).is_some_and(truthy)
    }

    /// Whether a setting is certainly absent, or something that Python takes for false.
    pub fn is_off(&self, key: &str) -> bool {
        self.settings.get(key).is_none_or(|setting| setting.value.as_ref().is_some_and(|value| !truthy(value)))
    }

    /// Whether a setting is certainly absent or null.
    pub fn is_unset(&self, key: &str) -> bool {
        self.settings.get(key).is_none_or(|setting| matches!(setting.value, Some(Value::Null)))
    }

    /// Whether a setting is certainly given and not null.
    pub fn is_set(&self, key: &str) -> bool {
        self.value(key).is_some_and(|value| *value != Value::Null)
    }

    /// The text of a setting.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.value(key)?.as_str()
    }

    /// The whole number of a setting.
    pub fn int(&self, key: &str) -> Option<i64> {
        self.value(key)?.as_int()
    }

    /// The number of a setting.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.value(key)?.as_float()
    }

    /// The ZeRO stage of the DeepSpeed file that a setting names, where the project has that file.
    pub fn zero_stage(&self, key: &str) -> Option<i64> {
        let path = self.text(key)?;
        match path {
            "zero3" | "zero3_offload" if self.kind == FileKind::MsSwift => return Some(3),
            "zero0" | "zero1" | "zero2" | "zero2_offload" if self.kind == FileKind::MsSwift => return Some(2),
            _ => {}
        }
        let folders = [self.file.folder(), self.launch.map_or("", |launch| self.project.file(launch.file).folder())];
        let named = folders.iter().find_map(|folder| self.project.path_resolver.resolve(path, folder))?;
        let root = self.project.file(named).data()?.root()?;
        root.at(&["zero_optimization", "stage"])?.value(Loader::Json)?.as_int()
    }
}

/// Python's truth of a value.
fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Int(number) => *number != 0,
        Value::Float(number) => *number != 0.0,
        Value::Text(text) => !text.is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Map(entries) => !entries.is_empty(),
        Value::BigInt(_) | Value::Timestamp(_) => true,
    }
}

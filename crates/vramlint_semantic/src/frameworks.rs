//! The settings of one training as its framework sees them: the file, and the options of the command over it.

use std::collections::{BTreeMap, BTreeSet};
use vramlint_base::value_readers::{argparse_word_or_null, python_truth};
use vramlint_base::{Applicability, FileId, FileRange, Fix, Value, has_template_mark, message};
use vramlint_catalog::Dialect;
use vramlint_catalog::classes::{self, Class};
use vramlint_catalog::frameworks::ConfigLoader;
use vramlint_edit as edit;
use vramlint_resolve::launch::Launch;
use vramlint_resolve::{FileKind, Project, Run, SourceFile};
use vramlint_syntax::data::{Loader, NodeRef};

/// The settings of one training.
#[derive(Debug)]
pub struct FrameworkConfig<'a> {
    /// The framework.
    pub dialect: Dialect,
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
    /// Where the value is; of a switch the flag itself.
    pub place: FileRange,
    /// Where its name is.
    pub key: FileRange,
    /// Whether a flag or an override of the command gives it.
    pub by_flag: bool,
    /// Whether it is in a block of its file.
    pub nested: bool,
}

/// Depth of blocks that is looked into.
const DEPTH: usize = 3;

/// The framework whose file, which is a whole training, this is.
fn framework_of(project: &Project, file: FileId) -> Option<Dialect> {
    match project.kind(file) {
        FileKind::Framework(dialect) if dialect.is_standalone => Some(dialect),
        _ => None,
    }
}

/// Every training that one of these frameworks reads.
pub fn framework_configs(project: &Project) -> Vec<FrameworkConfig<'_>> {
    let mut found = Vec::new();
    for file in project.files.iter().filter(|file| file.is_data() && !project.is_documentation_snippet(file.id)) {
        let Some(dialect) = framework_of(project, file.id) else { continue };
        let mut runs = project.runs_of(file.id).filter(|run| run.launch.is_some()).peekable();
        if runs.peek().is_none() {
            found.extend(keys(project, dialect, Some(file), None));
        }
        for run in runs {
            found.extend(keys(project, dialect, Some(file), run.launch.as_deref()));
        }
    }
    for run in &project.runs {
        let Some(dialect) = by_flags(project, run) else { continue };
        found.extend(keys(project, dialect, None, run.launch.as_deref()));
    }
    found
}

/// The framework of a command that gives everything by flags.
fn by_flags(project: &Project, run: &Run) -> Option<Dialect> {
    let launch = run.launch.as_deref()?;
    if run.files.iter().any(|file| framework_of(project, *file).is_some()) {
        return None;
    }
    if launch.launcher.is_enough {
        return launch.launcher.dialect;
    }
    let module = launch.module.as_ref().and_then(|word| word.text()).unwrap_or_default();
    Dialect::of_module(module).filter(|dialect| dialect.classes.by_module && classes::find(module).is_some())
}

fn keys<'a>(
    project: &'a Project,
    dialect: Dialect,
    file: Option<&'a SourceFile>,
    launch: Option<&'a Launch>,
) -> Option<FrameworkConfig<'a>> {
    let mut settings = BTreeMap::new();
    if let Some(file) = file {
        let data = file.data()?;
        let loader = match dialect.files.map(|files| files.loader) {
            _ if data.json => Loader::Json,
            Some(ConfigLoader::OmegaConf | ConfigLoader::JsonArgparse) => Loader::OmegaConf,
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
            if launch.launcher.config.option == Some(name.as_str()) && launch.launcher.is_enough {
                continue;
            }
            let (value, place) = match &option.value {
                Some(value) => (value.text.as_deref().map(argparse_word_or_null), value.range),
                None => (Some(Value::Bool(true)), option.word),
            };
            let at = |range| FileRange::new(launch.file, range);
            let setting = FrameworkSetting { value, place: at(place), key: at(option.word), by_flag: true, nested: false };
            settings.insert(name, setting);
        }
    }
    let file = file.or_else(|| launch.map(|launch| project.file(launch.file)))?;
    Some(FrameworkConfig { dialect, file, project, launch, settings })
}

fn collect(
    file: &SourceFile,
    node: NodeRef<'_>,
    loader: Loader,
    prefix: &str,
    depth: usize,
    into: &mut BTreeMap<String, FrameworkSetting>,
) {
    // Merge keys bring in what is elsewhere; what is written here wins.
    for (key, value) in node.entries() {
        let Some(name) = key.text() else { continue };
        let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
        if value.is_mapping() && depth > 1 {
            collect(file, value, loader, &path, depth - 1, into);
        }
        let templated = value.text().is_some_and(has_template_mark);
        // A list that begins below its key is reported at the key.
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

impl FrameworkConfig<'_> {
    /// The tool as its package is called.
    pub fn tool(&self) -> &'static str {
        self.dialect.framework().package
    }

    /// The tool as it calls itself.
    pub fn name(&self) -> &'static str {
        self.dialect.framework().name
    }

    /// Every setting that is on its own: those of blocks only where the framework's class has the keys of the block.
    pub fn top_level(&self) -> impl Iterator<Item = (&str, &FrameworkSetting)> {
        let blocks: BTreeSet<&str> =
            self.class().into_iter().flat_map(Class::fields).filter_map(|field| Some(field.name.rsplit_once('.')?.0)).collect();
        // A block whose keys belong to a class of another package: `data.num_workers`.
        let open = self.class().into_iter().flat_map(Class::fields).map(|field| field.name.as_str());
        let open: BTreeSet<&str> = open.filter(|name| !name.contains('.') && !blocks.contains(name)).collect();
        let counts = move |name: &str, setting: &FrameworkSetting| match name.rsplit_once('.') {
            Some((block, _)) if setting.nested => blocks.contains(block),
            Some((block, _)) => !open.contains(block.split('.').next().unwrap_or(block)),
            None => true,
        };
        let settings = self.settings.iter().filter(move |(name, setting)| counts(name, setting));
        settings.map(|(name, setting)| (name.as_str(), setting))
    }

    /// Whether its command is seen, so that no other program reads the file.
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
        let classes = &self.dialect.framework().classes;
        if !classes.complete {
            return None;
        }
        let by_key = || classes.by_key.iter().find(|(key, _)| self.is_set(key)).map(|(_, class)| *class);
        let name = match self.launch {
            Some(launch) if classes.by_module => launch.module.as_ref()?.text()?,
            Some(launch) if !classes.by_command.is_empty() => classes.of_command(launch.script.as_ref()?.text()?)?,
            None if !classes.by_command.is_empty() || !classes.by_key.is_empty() => by_key()?,
            _ => classes.usual?,
        };
        classes::find(name)
    }

    /// The value of a setting, where it is set and known.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.settings.get(key)?.value.as_ref()
    }

    /// Where a setting's value is.
    pub fn place(&self, key: &str) -> Option<FileRange> {
        self.settings.get(key).map(|setting| setting.place)
    }

    /// Whether a setting is certainly something that Python takes for true.
    pub fn is_on(&self, key: &str) -> bool {
        self.value(key).is_some_and(python_truth)
    }

    /// Whether a setting is certainly absent, or something that Python takes for false.
    pub fn is_off(&self, key: &str) -> bool {
        self.settings.get(key).is_none_or(|setting| setting.value.as_ref().is_some_and(|value| !python_truth(value)))
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

    /// The integer of a setting.
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
        if let Some((_, stage)) = self.dialect.framework().zero_presets.iter().find(|(preset, _)| *preset == path) {
            return Some(*stage);
        }
        let folders = [self.file.folder(), self.launch.map_or("", |launch| launch.directory.as_str())];
        let named = folders.iter().find_map(|folder| self.project.path_resolver.resolve(path, folder))?;
        let root = self.project.file(named).data()?.root()?;
        root.at(&["zero_optimization", "stage"])?.value(Loader::Json)?.as_int()
    }
}

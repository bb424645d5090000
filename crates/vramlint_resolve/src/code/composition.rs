//! Configurations of several files: what Hydra composes by `defaults` lists and what OmegaConf merges.
//!
//! Source: hydra-core 1.3.2 `hydra/_internal/defaults_list.py` and `hydra/core/default_element.py`.

use super::script_arguments::{GivenOption, ScriptArguments};
use super::sources::Sources;
use std::collections::{HashMap, HashSet};
use vramlint_base::FileId;
use vramlint_syntax::data::{DataFile, NodeRef};

/// Maximum number of parts of a configuration.
const MAX_LAYERS: usize = 200;
/// Maximum nesting of `defaults` lists.
const MAX_DEPTH: usize = 10;

/// A part of a configuration. The keys of a later one replace those of an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Its file; `None` if it is not known.
    pub file: Option<FileId>,
    /// The keys below which its content stands.
    pub package: Vec<String>,
}

/// What a composed configuration has at a route of keys.
pub(crate) enum LayeredNode<'a> {
    /// A part that is not known decides.
    Unknown,
    /// Nothing.
    Absent,
    /// A scalar or a list: its file, its route in that file, the node.
    Value(FileId, Vec<String>, NodeRef<'a>),
    /// A mapping, by its keys as written, `<<` too.
    Block(Vec<String>),
}

/// Looks up a route of keys in the parts of a configuration.
pub(crate) fn layered_node<'a>(
    layers: &[Layer],
    route: &[String],
    data: impl Fn(FileId) -> Option<&'a DataFile>,
) -> LayeredNode<'a> {
    let mut keys: Option<Vec<String>> = None;
    let mut is_missing = false;
    for layer in layers.iter().rev() {
        let Some(rest) = route.strip_prefix(layer.package.as_slice()) else {
            if let Some([next, ..]) = layer.package.strip_prefix(route) {
                add_key(keys.get_or_insert_default(), next);
            }
            continue;
        };
        let Some((file, root)) = layer.file.and_then(|file| Some((file, data(file)?))) else { return LayeredNode::Unknown };
        // A file without content.
        let Some(root) = root.root() else { continue };
        // The list itself is no part of the configuration.
        let has_list = root.get("defaults").is_some_and(|list| !list.is_mapping());
        if has_list && rest.first().is_some_and(|key| key == "defaults") {
            continue;
        }
        let Some(node) = rest.iter().try_fold(root, |node, key| node.get(key)) else { continue };
        if node.is_mapping() {
            let keys = keys.get_or_insert_default();
            for (key, _) in node.entries() {
                match key.text() {
                    Some("defaults") if has_list && rest.is_empty() => {}
                    Some(key) => add_key(keys, key),
                    None => return LayeredNode::Unknown,
                }
            }
        } else if keys.is_some() {
            break;
        } else if node.text() == Some("???") {
            // Another part must give it.
            is_missing = true;
        } else {
            return LayeredNode::Value(file, rest.to_vec(), node);
        }
    }
    match keys {
        Some(keys) => LayeredNode::Block(keys),
        None if is_missing => LayeredNode::Unknown,
        None => LayeredNode::Absent,
    }
}

fn add_key(keys: &mut Vec<String>, key: &str) {
    if !keys.iter().any(|known| known == key) {
        keys.push(key.to_owned());
    }
}

/// What is chosen of a group.
#[derive(Clone, Debug)]
enum Choice {
    /// Something that is not known.
    Unknown,
    /// These configurations; none for `null`.
    Names(Vec<String>),
}

/// An item of a `defaults` list.
enum DefaultsItem {
    /// `_self_`
    Own,
    /// `name`, `group/name@package`
    Config { path: String, package: Option<String>, optional: bool },
    /// `group@package: option`
    Group { group: String, package: Option<String>, choice: Choice, optional: bool, replaces: bool },
}

/// A configuration that a `defaults` list names.
struct Config<'p> {
    /// As it is named: relative to the folder of the naming one, or absolute.
    path: String,
    /// The package that is written after `@`.
    package: Option<String>,
    optional: bool,
    /// The group of the naming one.
    base: &'p str,
    /// The package of the naming one.
    parent_package: &'p str,
}

/// Composes a configuration.
struct Composer<'s, 'a> {
    sources: &'s Sources<'a>,
    /// The folder of the configurations.
    folder: &'s str,
    /// By group, what the command line or an `override` chooses.
    choices: HashMap<String, Choice>,
    used: HashSet<String>,
    deleted: Vec<String>,
    appended: Vec<GivenOption>,
    /// Last first.
    layers: Vec<Layer>,
}

/// The parts of a configuration that Hydra composes, and the words of the command line that choose among groups.
pub(super) fn compose(
    sources: &Sources<'_>,
    folder: &str,
    name: &str,
    arguments: &ScriptArguments,
) -> (Vec<Layer>, HashSet<String>) {
    let is_group = |name: &str| {
        let group = name.split('@').next().unwrap_or(name);
        sources.paths.has_folder(&super::modules::join_path(folder, group))
    };
    let given: Vec<&GivenOption> = arguments.options.iter().filter(|given| given.assigned && is_group(&given.name)).collect();
    let deleted = arguments.words.iter().flatten().flatten().filter_map(|word| word.strip_prefix('~'));
    let deleted: Vec<String> = deleted.map(|word| word.split('=').next().unwrap_or(word).to_owned()).collect();
    let mut appended: Vec<GivenOption> = Vec::new();
    loop {
        let choices = given.iter().map(|given| (given.name.clone(), chosen_on_command_line(given))).collect();
        let mut composer = Composer {
            sources,
            folder,
            choices,
            used: HashSet::new(),
            deleted: deleted.clone(),
            appended: appended.clone(),
            layers: Vec::new(),
        };
        let path = name.trim_end_matches(".yaml").to_owned();
        let root = Config { path, package: None, optional: false, base: "", parent_package: "" };
        composer.add(&root, true, 0);
        // `+group=option`: what no list names is added to the list.
        let unused: Vec<GivenOption> =
            given.iter().filter(|given| !composer.used.contains(&given.name)).map(|given| (*given).clone()).collect();
        if unused.is_empty() || !appended.is_empty() {
            let mut layers = composer.layers;
            layers.reverse();
            return (layers, given.iter().map(|given| given.name.clone()).collect());
        }
        appended = unused;
    }
}

fn chosen_on_command_line(given: &GivenOption) -> Choice {
    match given.words.as_slice() {
        [Some(text)] if text == "null" => Choice::Names(Vec::new()),
        [Some(text)] => match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            Some(list) => Choice::Names(list.split(',').map(|name| name.trim().to_owned()).collect()),
            // A sweep over several options.
            None if text.contains([',', '(', '{', '$', '*']) => Choice::Unknown,
            None => Choice::Names(vec![text.clone()]),
        },
        _ => Choice::Unknown,
    }
}

impl Composer<'_, '_> {
    fn push_unknown(&mut self, package: &str) {
        self.layers.push(Layer { file: None, package: keys_of(package) });
    }

    /// Adds a configuration with all that its list names, the last first.
    fn add(&mut self, config: &Config<'_>, is_root: bool, depth: usize) {
        let path = absolute(config.base, &config.path);
        let group = path.rsplit_once('/').map_or("", |(group, _)| group);
        let full = super::modules::join_path(self.folder, &format!("{}.yaml", path.trim_end_matches(".yaml")));
        let file = self.sources.paths.resolve_exact(&full).and_then(|id| self.sources.file(id));
        if self.layers.len() >= MAX_LAYERS || depth > MAX_DEPTH {
            return self.push_unknown("");
        }
        let Some(file) = file else {
            // Hydra brings those of its own group.
            let own = group.split('/').next() == Some("hydra");
            return match (own, config.optional) {
                (true, _) => self.push_unknown("hydra"),
                (false, true) => {}
                (false, false) => self.push_unknown(""),
            };
        };
        let relative = config.path.trim_start_matches('/').rsplit_once('/').map_or("", |(group, _)| group);
        let header = package_header(&file.text).map(|header| match header {
            "_global_" | "" => "_global_".to_owned(),
            "_group_" => format!("_global_.{}", group.replace('/', ".")),
            header if header.starts_with("_global_.") => header.to_owned(),
            header => format!("_global_.{header}"),
        });
        let package = final_package(config.parent_package, config.package.as_deref().or(header.as_deref()), relative);
        let own = Layer { file: Some(file.id), package: keys_of(&package) };
        let Some(root) = file.data().and_then(DataFile::root) else { return self.layers.push(own) };
        let Some(mut items) = root.get("defaults").map_or(Some(Vec::new()), defaults_items) else {
            self.push_unknown("");
            return;
        };
        if !items.iter().any(|item| matches!(item, DefaultsItem::Own)) {
            items.push(DefaultsItem::Own);
        }
        if is_root {
            items.extend(self.appended.iter().map(|given| {
                let (group, package) = split_package(&given.name);
                let choice = chosen_on_command_line(given);
                DefaultsItem::Group { group, package, choice, optional: false, replaces: false }
            }));
        }
        for item in &items {
            if let DefaultsItem::Group { group: name, package: own, choice, replaces: true, .. } = item {
                let key = override_key(group, name, &package, own.as_deref());
                self.choices.entry(key).or_insert_with(|| choice.clone());
            }
        }
        for item in items.into_iter().rev() {
            match item {
                DefaultsItem::Own => self.layers.push(own.clone()),
                DefaultsItem::Group { replaces: true, .. } => {}
                DefaultsItem::Config { path, package: own, optional } => {
                    self.add(&Config { path, package: own, optional, base: group, parent_package: &package }, false, depth + 1);
                }
                DefaultsItem::Group { group: name, package: own, choice, optional, .. } => {
                    let key = override_key(group, &name, &package, own.as_deref());
                    self.used.insert(key.clone());
                    if self.deleted.contains(&key) {
                        continue;
                    }
                    let choice = self.choices.get(&key).cloned().unwrap_or(choice);
                    let Choice::Names(names) = choice else {
                        let folder = super::modules::join_path(self.folder, &absolute(group, &name));
                        let relocated = self.sources.files.iter().any(|file| {
                            file.folder() == folder && (package_header(&file.text).is_some() || file.text.contains("defaults:"))
                        });
                        let known = final_package(&package, own.as_deref(), &name.trim_start_matches('/').replace('/', "."));
                        self.push_unknown(if relocated { "" } else { &known });
                        continue;
                    };
                    for option in names.into_iter().rev() {
                        let path = format!("{name}/{option}");
                        let config = Config { path, package: own.clone(), optional, base: group, parent_package: &package };
                        self.add(&config, false, depth + 1);
                    }
                }
            }
        }
    }
}

/// The path of a configuration from the folder of all of them.
fn absolute(base: &str, path: &str) -> String {
    match path.strip_prefix('/') {
        Some(path) => path.to_owned(),
        None if base.is_empty() => path.to_owned(),
        None => format!("{base}/{path}"),
    }
}

/// The package of a configuration: below that of the naming one, unless it says `_global_`.
fn final_package(parent: &str, own: Option<&str>, group: &str) -> String {
    let own = match own {
        Some("_here_") => String::new(),
        Some(own) => own.to_owned(),
        None => group.replace('/', "."),
    };
    let joined = [parent, &own].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
    match joined.rfind("_global_") {
        Some(at) => joined[at + "_global_".len()..].trim_start_matches('.').to_owned(),
        None => joined,
    }
}

/// The name under which a choice among a group is replaced.
fn override_key(base: &str, group: &str, parent_package: &str, package: Option<&str>) -> String {
    let path = absolute(base, group);
    let own = final_package(parent_package, package, group.trim_start_matches('/'));
    match own.as_str() {
        own if own == path.replace('/', ".") => path,
        "" => format!("{path}@_global_"),
        own => format!("{path}@{own}"),
    }
}

fn keys_of(package: &str) -> Vec<String> {
    package.split('.').filter(|key| !key.is_empty()).map(str::to_owned).collect()
}

/// `# @package model` in the comments at the start of a file.
fn package_header(text: &str) -> Option<&str> {
    text.lines()
        .map(str::trim)
        .take_while(|line| line.is_empty() || line.starts_with('#'))
        .find_map(|line| line.trim_start_matches('#').trim().strip_prefix("@package"))
        .map(str::trim)
}

/// The items of a `defaults` list; `None` if one of them is not readable.
fn defaults_items(list: NodeRef<'_>) -> Option<Vec<DefaultsItem>> {
    list.items().map(defaults_item).collect()
}

fn defaults_item(item: NodeRef<'_>) -> Option<DefaultsItem> {
    if let Some(text) = item.text() {
        if text == "_self_" {
            return Some(DefaultsItem::Own);
        }
        let (optional, text) = text.strip_prefix("optional ").map_or((false, text), |rest| (true, rest.trim()));
        let (path, package) = split_package(text);
        return (!path.contains("${")).then_some(DefaultsItem::Config { path, package, optional });
    }
    let mut entries = item.entries();
    let (Some((key, value)), None) = (entries.next(), entries.next()) else { return None };
    let mut words: Vec<&str> = key.text()?.split_whitespace().collect();
    let name = words.pop()?;
    let (group, package) = split_package(name);
    let names: Vec<Option<&str>> =
        if value.text().is_some() { vec![value.text()] } else { value.items().map(NodeRef::text).collect() };
    let is_open = |name: &&str| name.contains("${") || *name == "???";
    let choice = match names.into_iter().collect::<Option<Vec<&str>>>() {
        Some(names) if names.as_slice() == ["null"] || names.as_slice() == ["~"] => Choice::Names(Vec::new()),
        Some(names) if !names.iter().any(is_open) => Choice::Names(names.into_iter().map(str::to_owned).collect()),
        _ => Choice::Unknown,
    };
    let (optional, replaces) = (words.contains(&"optional"), words.contains(&"override"));
    Some(DefaultsItem::Group { group, package, choice, optional, replaces })
}

/// `group@package` as its two parts.
fn split_package(name: &str) -> (String, Option<String>) {
    match name.split_once('@') {
        Some((name, package)) => (name.to_owned(), Some(package.to_owned())),
        None => (name.to_owned(), None),
    }
}

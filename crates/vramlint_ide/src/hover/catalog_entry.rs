//! The catalog entry of a key, an argument or a flag: type, values, default, and releases.

use super::provenance::tick;
use crate::cursor::key_at;
use crate::embedded::FilePosition;
use vramlint_base::{FileRange, Lang, message};
use vramlint_catalog::classes::{self, Class, Field};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::keys::{self, Key, KeyType, Standing};
use vramlint_catalog::{Concept, LibraryVersions};
use vramlint_resolve::{FileKind, Project};

/// Maximum number of listed values.
const VALUES: usize = 12;
/// Maximum columns of a default.
const DEFAULT: usize = 48;

/// A key, argument or flag that the catalog knows.
#[derive(Clone, Debug)]
pub(super) struct CatalogEntry {
    /// The name as it is written.
    pub name: String,
    /// The hovered range, in the innermost file.
    pub place: FileRange,
    /// The range of its value, if that is not the hovered one.
    pub value: Option<FileRange>,
    /// The row of the catalog.
    source: Option<Source>,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Key(&'static Key),
    Field(&'static Class, &'static Field),
}

/// The key, argument or flag at a position.
pub(super) fn find(project: &Project, position: FilePosition) -> Option<CatalogEntry> {
    from_data_file(project, position)
        .or_else(|| from_python_dict(project, position))
        .or_else(|| from_arguments(project, position))
        .or_else(|| from_call(project, position))
        .or_else(|| from_flag(project, position))
}

/// The keys of a kind of file.
fn key_table(kind: FileKind) -> Option<&'static [Key]> {
    match kind {
        FileKind::Accelerate => Some(keys::accelerate()),
        FileKind::DeepSpeed => Some(keys::deepspeed()),
        _ => None,
    }
}

/// The class whose fields a kind of file sets.
fn argument_class(kind: FileKind) -> Option<&'static Class> {
    match kind {
        FileKind::Framework(dialect) => classes::find(dialect.classes.usual?),
        _ => None,
    }
}

fn from_data_file(project: &Project, position: FilePosition) -> Option<CatalogEntry> {
    let found = key_at(project.file(position.file).data()?, position.offset)?;
    let path = found.path.join(".");
    let kind = project.kind(position.file);
    let source = match key_table(kind) {
        Some(keys) => keys::find(keys, &path).map(Source::Key),
        // Keys of nested framework blocks differ from top-level keys of the same name.
        None => argument_class(kind)
            .filter(|_| found.path.len() == 1)
            .and_then(|class| Some(Source::Field(class, class.field(&path)?))),
    };
    let name = found.path.last()?.clone();
    let place = FileRange::new(position.file, if found.on_key { found.key } else { found.value });
    Some(CatalogEntry { name, place, value: None, source: Some(source?) })
}

/// A key of a DeepSpeed configuration in Python.
fn from_python_dict(project: &Project, position: FilePosition) -> Option<CatalogEntry> {
    project.file(position.file).python()?;
    project.deepspeed_dicts().iter().filter(|dict| dict.file == position.file).find_map(|dict| {
        let found = key_at(&dict.data, position.offset)?;
        let source = keys::find(keys::deepspeed(), &found.path.join(".")).map(Source::Key)?;
        let place = FileRange::new(position.file, if found.on_key { found.key } else { found.value });
        let value = Some(FileRange::new(position.file, found.value));
        Some(CatalogEntry { name: found.path.last()?.clone(), place, value, source: Some(source) })
    })
}

/// A field of an argument class, however it is set.
fn from_arguments(project: &Project, position: FilePosition) -> Option<CatalogEntry> {
    for set in project.arguments() {
        for given in &set.arguments {
            let Some(place) = [given.key_place, given.value_place].into_iter().find(|place| position.is_in(*place)) else {
                continue;
            };
            let mut fields = set
                .classes
                .iter()
                .filter_map(|name| classes::find(name))
                .filter_map(|class| Some((class, class.field(&given.key)?)));
            if let Some((class, field)) = fields.next() {
                let (name, value) = (given.key.clone(), Some(given.value_place));
                return Some(CatalogEntry { name, place, value, source: Some(Source::Field(class, field)) });
            }
        }
    }
    None
}

/// A keyword of a library call.
fn from_call(project: &Project, position: FilePosition) -> Option<CatalogEntry> {
    project.file(position.file).python()?;
    for call in project.calls() {
        let call = call.call();
        if call.file != position.file || !position.is_in(call.place) {
            continue;
        }
        for argument in call.arguments.iter().filter(|argument| argument.is_explicit && position.is_in(argument.place)) {
            let (Some(name), Some(class)) = (&argument.name, classes::find(&call.path)) else { continue };
            if let Some(field) = class.field(name) {
                let value = argument.values.first().map(|value| value.place);
                return Some(CatalogEntry {
                    name: name.clone(),
                    place: argument.place,
                    value,
                    source: Some(Source::Field(class, field)),
                });
            }
        }
    }
    None
}

/// A flag of a launcher.
fn from_flag(project: &Project, position: FilePosition) -> Option<CatalogEntry> {
    let launches = project.launches.iter().map(AsRef::as_ref).chain(project.documented_launches());
    for launch in launches.filter(|launch| launch.file == position.file && position.is_in_range(launch.range)) {
        for flag in &launch.flags {
            let range = std::iter::once(flag.word)
                .chain(flag.values.iter().map(|value| value.range))
                .find(|range| position.is_in_range(*range));
            let Some(range) = range.filter(|_| flag.known) else { continue };
            let plain = flag.name.trim_start_matches('-').replace('-', "_");
            let source = (launch.launcher == Launcher::Accelerate)
                .then(|| classes::find("accelerate.launch").and_then(|class| Some(Source::Field(class, class.field(&plain)?))))
                .flatten()
                .or_else(|| {
                    let key = keys::find(keys::accelerate(), &plain).filter(|_| launch.launcher == Launcher::Accelerate)?;
                    Some(Source::Key(key))
                });
            let value = flag.values.first().map(|word| FileRange::new(position.file, word.range));
            return Some(CatalogEntry { name: flag.name.clone(), place: FileRange::new(position.file, range), value, source });
        }
    }
    None
}

impl CatalogEntry {
    /// What it does: the catalog's description unless it only repeats the name, else that of the concept.
    pub(super) fn about(&self, concept: Option<Concept>, lang: Lang) -> Option<String> {
        let own = match self.source {
            Some(Source::Key(key)) => Some(key.about.as_str()),
            Some(Source::Field(_, field)) => Some(field.about.as_str()),
            None => None,
        };
        let own = own.filter(|text| !text.is_empty()).map(sentence);
        let concept_text = concept.map(|concept| concept.about(lang).to_owned());
        // The catalog is in English.
        match lang {
            Lang::En => own.or(concept_text),
            Lang::Zh => concept_text.or(own),
        }
    }

    /// Type, values, the default in the releases in use, and its own releases in one line.
    pub(super) fn facts(&self, omit_removal: bool, versions: &LibraryVersions, lang: Lang) -> Option<String> {
        let mut facts = Vec::new();
        let in_lang = |message: vramlint_base::Message| message.get(lang).to_owned();
        let (kind, values, default, library) = match self.source? {
            Source::Key(key) => (key.kind, &key.values, key.default_in(versions), key.library()),
            Source::Field(_, field) => (field.kind, &field.values, field.default_in(versions), field.library.as_str()),
        };
        if values.is_empty() {
            facts.extend(kind_name(kind, lang).map(str::to_owned));
        } else {
            let list: Vec<String> = values.iter().take(VALUES).map(|value| format!("`{}`", tick(value))).collect();
            let more = if values.len() > VALUES { ", …" } else { "" };
            let list = list.join(", ");
            facts.push(in_lang(message!("values: {list}{more}", "取值：{list}{more}")));
        }
        if let Some(default) = default {
            let default = tick(&vramlint_view::table::cut(default, DEFAULT));
            facts.push(in_lang(message!("default: `{default}`", "默认：`{default}`")));
        }
        facts.extend(self.release_range(library, omit_removal, lang));
        if facts.is_empty() { None } else { Some(facts.join(" · ")) }
    }

    /// The releases that have it. `omit_removal`: a finding already reports its removal.
    fn release_range(&self, library: &str, omit_removal: bool, lang: Lang) -> Vec<String> {
        let (since, until, instead, deprecated, standing) = match self.source {
            Some(Source::Key(key)) => (&key.since, &key.until, &key.instead, &None, key.standing),
            Some(Source::Field(_, field)) => (&field.since, &field.until, &field.instead, &field.deprecated, Standing::Current),
            None => return Vec::new(),
        };
        let in_lang = |message: vramlint_base::Message| message.get(lang).to_owned();
        let mut facts = Vec::new();
        if let Some(since) = since {
            facts.push(in_lang(message!("since {library} {since}", "自 {library} {since} 起")));
        }
        if omit_removal {
            return facts;
        }
        if let Some(until) = until {
            facts.push(in_lang(message!("removed in {library} {until}", "在 {library} {until} 中移除")));
        } else if let Some(deprecated) = deprecated {
            facts.push(in_lang(message!("deprecated since {library} {deprecated}", "自 {library} {deprecated} 起弃用")));
        } else if standing == Standing::Ignored {
            facts.push(in_lang(message!("accepted but ignored", "接受但忽略")));
        }
        if let Some(instead) = instead {
            let instead = tick(instead);
            facts.push(in_lang(message!("use `{instead}`", "请改用 `{instead}`")));
        }
        facts
    }

    /// The tool or class that it belongs to.
    pub(super) fn owner(&self) -> Option<&'static str> {
        match self.source? {
            Source::Key(key) => key.source.split(' ').next(),
            // Programs have internal names.
            Source::Field(class, _) if class.name.ends_with(".config") || class.name.ends_with(".train") => {
                Some(class.library.as_str())
            }
            Source::Field(class, _) => Some(class.name.as_str()),
        }
    }
}

/// The range of the value of a command-line option, for the word that names the option.
pub(super) fn value_of_option(project: &Project, position: FilePosition) -> Option<FileRange> {
    let launches = project.launches.iter().filter(|launch| launch.file == position.file && position.is_in_range(launch.range));
    let values = launches.flat_map(|launch| launch.options()).filter(|option| position.is_in_range(option.word));
    values.filter_map(|option| option.value).map(|value| FileRange::new(position.file, value.range)).next()
}

/// Capitalized and with a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

fn kind_name(kind: KeyType, lang: Lang) -> Option<&'static str> {
    let (en, zh) = match kind {
        KeyType::Bool => ("boolean", "布尔值"),
        KeyType::Int => ("integer", "整数"),
        KeyType::Float => ("float", "浮点数"),
        KeyType::Text => ("string", "字符串"),
        KeyType::List => ("list", "列表"),
        KeyType::Map => ("mapping", "映射"),
        KeyType::Any => return None,
    };
    Some(if lang == Lang::Zh { zh } else { en })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_becomes_a_sentence() {
        assert_eq!(sentence("processes"), "Processes.");
    }
}

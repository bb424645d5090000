//! What the catalogue says of a key, an argument or a flag: its type, values, default, and the releases that have it.

use super::who::tick;
use super::words;
use crate::at::data_key;
use crate::within::Spot;
use vramlint_base::{FileRange, Lang, message};
use vramlint_catalog::Concept;
use vramlint_catalog::classes::{self, Class, Field};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::keys::{self, Key, KeyType, Standing};
use vramlint_resolve::{FileKind, Project};

/// Values that are listed at most.
const VALUES: usize = 12;
/// Columns of a default at most.
const DEFAULT: usize = 48;

/// What is known of a key, wherever it is written.
#[derive(Clone, Debug)]
pub(super) struct Doc {
    /// Its name, as it is written.
    pub name: String,
    /// The place that was asked about, in the text of the spot.
    pub place: FileRange,
    /// Where its value is written, where that is another place than the one asked about.
    pub value: Option<FileRange>,
    /// The entry of the catalogue, if there is one.
    known: Option<Known>,
}

#[derive(Clone, Copy, Debug)]
enum Known {
    Key(&'static Key),
    Field(&'static Class, &'static Field),
}

/// The key, argument or flag at a spot, where it is one of a tool.
pub(super) fn doc(project: &Project, spot: Spot) -> Option<Doc> {
    of_data(project, spot)
        .or_else(|| of_dict(project, spot))
        .or_else(|| of_arguments(project, spot))
        .or_else(|| of_call(project, spot))
        .or_else(|| of_flag(project, spot))
}

/// The keys of a kind of file.
fn table(kind: FileKind) -> Option<&'static [Key]> {
    match kind {
        FileKind::Accelerate => Some(keys::accelerate()),
        FileKind::DeepSpeed => Some(keys::deepspeed()),
        _ => None,
    }
}

/// The arguments of a framework that one kind of file holds.
fn class(kind: FileKind) -> Option<&'static Class> {
    classes::find(match kind {
        FileKind::Axolotl => "axolotl.config",
        FileKind::LlamaFactory => "llamafactory.train",
        FileKind::Torchtune => "torchtune.recipe",
        FileKind::MsSwift => "swift.sft",
        FileKind::HfTrainer => "transformers.TrainingArguments",
        _ => return None,
    })
}

fn of_data(project: &Project, spot: Spot) -> Option<Doc> {
    let found = data_key(project.file(spot.file).data()?, spot.offset)?;
    let path = found.path.join(".");
    let kind = project.kind(spot.file);
    let known = match table(kind) {
        Some(keys) => keys::find(keys, &path).map(Known::Key),
        // Blocks of a framework have keys of their own, which are not those of the same name outside.
        None => class(kind).filter(|_| found.path.len() == 1).and_then(|class| Some(Known::Field(class, class.field(&path)?))),
    };
    let name = found.path.last()?.clone();
    let place = FileRange::new(spot.file, if found.on_key { found.key } else { found.value });
    Some(Doc { name, place, value: None, known: Some(known?) })
}

/// A key of DeepSpeed's configuration that Python code holds.
fn of_dict(project: &Project, spot: Spot) -> Option<Doc> {
    project.file(spot.file).python()?;
    project.deepspeed_dicts().iter().filter(|dict| dict.file == spot.file).find_map(|dict| {
        let found = data_key(&dict.data, spot.offset)?;
        let known = keys::find(keys::deepspeed(), &found.path.join(".")).map(Known::Key)?;
        let place = FileRange::new(spot.file, if found.on_key { found.key } else { found.value });
        let value = Some(FileRange::new(spot.file, found.value));
        Some(Doc { name: found.path.last()?.clone(), place, value, known: Some(known) })
    })
}

/// What an argument class is given, in any way.
fn of_arguments(project: &Project, spot: Spot) -> Option<Doc> {
    for set in project.arguments() {
        for given in &set.arguments {
            let Some(place) = [given.key_place, given.value_place].into_iter().find(|place| spot.covers(*place)) else {
                continue;
            };
            let mut fields = set
                .classes
                .iter()
                .filter_map(|name| classes::find(name))
                .filter_map(|class| Some((class, class.field(&given.key)?)));
            if let Some((class, field)) = fields.next() {
                let (name, value) = (given.key.clone(), Some(given.value_place));
                return Some(Doc { name, place, value, known: Some(Known::Field(class, field)) });
            }
        }
    }
    None
}

/// A keyword of a call of a library.
fn of_call(project: &Project, spot: Spot) -> Option<Doc> {
    project.file(spot.file).python()?;
    for call in project.calls() {
        let call = call.call();
        if call.file != spot.file || !spot.covers(call.place) {
            continue;
        }
        for argument in call.arguments.iter().filter(|argument| argument.is_explicit && spot.covers(argument.place)) {
            let (Some(name), Some(class)) = (&argument.name, classes::find(&call.path)) else { continue };
            if let Some(field) = class.field(name) {
                let value = argument.values.first().map(|value| value.place);
                return Some(Doc { name: name.clone(), place: argument.place, value, known: Some(Known::Field(class, field)) });
            }
        }
    }
    None
}

/// A flag of a launcher.
fn of_flag(project: &Project, spot: Spot) -> Option<Doc> {
    let launches = project.launches.iter().map(AsRef::as_ref).chain(project.documented_launches());
    for launch in launches.filter(|launch| launch.file == spot.file && spot.within(launch.range)) {
        for flag in &launch.flags {
            let range =
                std::iter::once(flag.word).chain(flag.values.iter().map(|value| value.range)).find(|range| spot.within(*range));
            let Some(range) = range.filter(|_| flag.known) else { continue };
            let plain = flag.name.trim_start_matches('-').replace('-', "_");
            let known = (launch.launcher == Launcher::Accelerate)
                .then(|| classes::find("accelerate.launch").and_then(|class| Some(Known::Field(class, class.field(&plain)?))))
                .flatten()
                .or_else(|| {
                    let key = keys::find(keys::accelerate(), &plain).filter(|_| launch.launcher == Launcher::Accelerate)?;
                    Some(Known::Key(key))
                });
            let value = flag.values.first().map(|word| FileRange::new(spot.file, word.range));
            return Some(Doc { name: flag.name.clone(), place: FileRange::new(spot.file, range), value, known });
        }
    }
    None
}

impl Doc {
    /// What it does; the words of the setting where the catalogue has none that say more than the name.
    pub(super) fn about(&self, concept: Option<Concept>, lang: Lang) -> Option<String> {
        let own = match self.known {
            Some(Known::Key(key)) => Some(key.about.as_str()),
            Some(Known::Field(_, field)) => Some(field.about.as_str()),
            None => None,
        };
        let path = match self.known {
            Some(Known::Key(key)) => key.path.as_str(),
            _ => self.name.as_str(),
        };
        let own = own.filter(|text| says_more(text, path)).map(sentence);
        let of_concept = concept.map(|concept| words::about(concept, lang).to_owned());
        // The catalogue speaks English.
        match lang {
            Lang::En => own.or(of_concept),
            Lang::Zh => of_concept.or(own),
        }
    }

    /// Type, values, default and releases in one line.
    pub(super) fn facts(&self, told: bool, lang: Lang) -> Option<String> {
        let mut facts = Vec::new();
        let say = |message: vramlint_base::Message| message.get(lang).to_owned();
        let (kind, values, default, library) = match self.known? {
            Known::Key(key) => (key.kind, &key.values, key.default.as_deref(), key.source.split(' ').next().unwrap_or_default()),
            Known::Field(_, field) => (field.kind, &field.values, field.default.as_deref(), field.library.as_str()),
        };
        if values.is_empty() {
            facts.extend(kind_name(kind, lang).map(str::to_owned));
        } else {
            let list: Vec<String> = values.iter().take(VALUES).map(|value| format!("`{}`", tick(value))).collect();
            let more = if values.len() > VALUES { ", …" } else { "" };
            let list = list.join(", ");
            facts.push(say(message!("values: {list}{more}", "取值：{list}{more}")));
        }
        if let Some(default) = default {
            let default = tick(&vramlint_view::table::cut(default, DEFAULT));
            facts.push(say(message!("default: `{default}`", "默认：`{default}`")));
        }
        facts.extend(self.span(library, told, lang));
        if facts.is_empty() { None } else { Some(facts.join(" · ")) }
    }

    /// Since and until which release. What a finding at the place tells is not told again.
    fn span(&self, library: &str, told: bool, lang: Lang) -> Vec<String> {
        let (since, until, instead, deprecated, standing) = match self.known {
            Some(Known::Key(key)) => (&key.since, &key.until, &key.instead, &None, key.standing),
            Some(Known::Field(_, field)) => (&field.since, &field.until, &field.instead, &field.deprecated, Standing::Current),
            None => return Vec::new(),
        };
        let say = |message: vramlint_base::Message| message.get(lang).to_owned();
        let mut facts = Vec::new();
        if let Some(since) = since {
            facts.push(say(message!("since {library} {since}", "自 {library} {since} 起")));
        }
        if told {
            return facts;
        }
        if let Some(until) = until {
            facts.push(say(message!("gone in {library} {until}", "在 {library} {until} 中移除")));
        } else if let Some(deprecated) = deprecated {
            facts.push(say(message!("deprecated since {library} {deprecated}", "自 {library} {deprecated} 起弃用")));
        } else if standing == Standing::Ignored {
            facts.push(say(message!("accepted and not read", "接受但不读取")));
        }
        if let Some(instead) = instead {
            let instead = tick(instead);
            facts.push(say(message!("now `{instead}`", "现为 `{instead}`")));
        }
        facts
    }

    /// The tool or class that takes it.
    pub(super) fn owner(&self) -> Option<&'static str> {
        match self.known? {
            Known::Key(key) => key.source.split(' ').next(),
            // Programs have a name of ours.
            Known::Field(class, _) if class.name.ends_with(".config") || class.name.ends_with(".train") => {
                Some(class.library.as_str())
            }
            Known::Field(class, _) => Some(class.name.as_str()),
        }
    }
}

/// Where the value of an option of a command is written, for the word that names the option.
pub(super) fn value_of_option(project: &Project, spot: Spot) -> Option<FileRange> {
    let launches = project.launches.iter().filter(|launch| launch.file == spot.file && spot.within(launch.range));
    let values = launches.flat_map(|launch| launch.options()).filter(|option| spot.within(option.word));
    values.filter_map(|option| option.value).map(|value| FileRange::new(spot.file, value.range)).next()
}

/// Whether a description says more than the path: `activation checkpointing: number checkpoints` does not.
fn says_more(text: &str, path: &str) -> bool {
    let letters =
        |text: &str| text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect::<String>();
    let own = letters(text);
    !own.is_empty() && !letters(path).contains(&own)
}

/// With a full stop, which the catalogue leaves out.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

fn kind_name(kind: KeyType, lang: Lang) -> Option<&'static str> {
    let (en, zh) = match kind {
        KeyType::Bool => ("true or false", "布尔值"),
        KeyType::Int => ("a whole number", "整数"),
        KeyType::Float => ("a number", "数字"),
        KeyType::Text => ("text", "文本"),
        KeyType::List => ("a list", "列表"),
        KeyType::Map => ("a mapping", "映射"),
        KeyType::Any => return None,
    };
    Some(if lang == Lang::Zh { zh } else { en })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_that_repeats_the_path_is_none() {
        assert!(!says_more("activation checkpointing: number checkpoints", "activation_checkpointing.number_checkpoints"));
        assert!(!says_more("", "x"));
        assert!(says_more("Processes on all machines together", "num_processes"));
        assert_eq!(sentence("processes"), "Processes.");
    }
}

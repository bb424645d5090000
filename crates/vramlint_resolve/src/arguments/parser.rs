//! Arguments that a parser collects from files and from a command line.

use super::{ArgumentEntry, ArgumentReader, ArgumentSet, PassedBy, classes, config_file};
use crate::code::{CodeFacts, LoadRole, LoadedFile, ParserUse};
use crate::kind::FileKind;
use crate::launch::Launch;
use crate::project::Project;
use crate::run::sources::data_file::loader_of;
use std::collections::BTreeSet;
use vramlint_base::value_readers::argparse_word;
use vramlint_base::{FileId, FileRange, Value};
use vramlint_catalog::Dialect;
use vramlint_catalog::classes::find;
use vramlint_catalog::flags::{self, Launcher};
use vramlint_syntax::data::Loader;
use vramlint_syntax::shell::Word;

/// The set that a parser of the code fills, for one launch or for none. Adds the files that it reads to `read`.
pub(super) fn from_parser(
    project: &Project,
    code: &CodeFacts,
    parser: &ParserUse,
    launch: Option<&Launch>,
    run: Option<usize>,
    read: &mut BTreeSet<FileId>,
) -> Option<ArgumentSet> {
    let names: Vec<String> = parser.classes.iter().filter_map(|path| classes::class_name(path)).collect();
    if !names.iter().any(|name| classes::is_training_class(name)) {
        return None;
    }
    let mut set = ArgumentSet {
        // An unknown class of a library may take any key.
        open: parser.open || names.len() < parser.classes.len(),
        classes: names,
        other_names: code.options.iter().map(|option| option.dest.clone()).collect(),
        arguments: Vec::new(),
        redefined: code.options.iter().map(|option| option.dest.clone()).collect(),
        strict: !parser.lenient,
        reader: ArgumentReader::Parser,
        place: launch.map_or(parser.place, Launch::place),
        run,
        call: None,
        tolerates_errors: false,
    };
    let loads: Vec<&LoadedFile> =
        code.loads.iter().filter(|load| load.role == LoadRole::Arguments && parser.loads.contains(&load.place)).collect();
    let own = own_defaults(code, &set);
    if parser.trl || loads.is_empty() {
        let launch = launch?;
        add_command_line(&mut set, launch);
        for load in loads {
            match load_target(project, launch, load) {
                LoadTarget::File(id) => add_file(project, &mut set, id, load.loader, read),
                LoadTarget::Unknown => set.open = true,
                LoadTarget::Unused => {}
            }
        }
        add_defaults(&mut set, own);
        return Some(set);
    }
    // The parser reads either the named file or the command line.
    let named = loads.iter().find_map(|load| match launch {
        Some(launch) => match load_target(project, launch, load) {
            LoadTarget::File(id) => Some((id, load.loader)),
            _ => None,
        },
        None => constant_path(project, load).map(|id| (id, load.loader)),
    });
    if let Some((id, loader)) = named {
        set.reader = ArgumentReader::File;
        set.place = FileRange::new(id, project.file(id).first_line().range);
        add_file(project, &mut set, id, loader, read);
        add_defaults(&mut set, own);
        return Some(set);
    }
    let launch = launch.filter(|_| parser.command_line)?;
    if loads.iter().any(|load| matches!(load_target(project, launch, load), LoadTarget::Unknown)) {
        return None;
    }
    add_command_line(&mut set, launch);
    add_defaults(&mut set, own);
    Some(set)
}

/// The defaults that classes of the project give to fields of a library's class, by which they replace the library's.
fn own_defaults(code: &CodeFacts, set: &ArgumentSet) -> Vec<ArgumentEntry> {
    let inherited = |name: &str| set.classes.iter().filter_map(|class| find(class)).any(|class| class.field(name).is_some());
    let own = code.options.iter().filter(|option| inherited(&option.dest));
    own.map(|option| {
        let place = option.default_place.unwrap_or(option.place);
        ArgumentEntry {
            key: option.dest.clone(),
            key_place: option.place,
            place,
            value: option.default.clone(),
            value_place: place,
            by: PassedBy::Uncertain,
            entries: Vec::new(),
        }
    })
    .collect()
}

/// Adds what is not given.
fn add_defaults(set: &mut ArgumentSet, defaults: Vec<ArgumentEntry>) {
    for default in defaults {
        if set.get(&default.key).is_none() {
            set.arguments.push(default);
        }
    }
}

/// The set of `trl sft --config FILE …`.
pub(super) fn from_trl_command(
    project: &Project,
    launch: &Launch,
    run: Option<usize>,
    read: &mut BTreeSet<FileId>,
) -> Option<ArgumentSet> {
    let command = launch.script.as_ref().and_then(Word::text)?;
    let classes = classes::classes_of_trl_command(command)?;
    let mut set = ArgumentSet {
        classes: classes.iter().map(|name| (*name).to_owned()).collect(),
        // Other flags go to `accelerate launch`.
        other_names: flags::flags(Launcher::Accelerate)
            .iter()
            .flat_map(|flag| flag.names)
            .map(|name| name.trim_start_matches('-').replace('-', "_"))
            .chain(["accelerate_config".to_owned(), "env".to_owned()])
            .chain(classes::TRL_COMMAND_KEYS.iter().map(|name| (*name).to_owned()))
            .collect(),
        arguments: Vec::new(),
        redefined: Vec::new(),
        open: false,
        strict: true,
        reader: ArgumentReader::Parser,
        place: launch.place(),
        run,
        call: None,
        tolerates_errors: false,
    };
    add_command_line(&mut set, launch);
    if let Some(option) = launch.options().iter().rfind(|option| option.name == "config") {
        let text = option.value.as_ref().and_then(|value| value.text.as_deref());
        match text.and_then(|text| project.path_resolver.resolve(text, launch.directory.as_str())) {
            Some(id) => add_file(project, &mut set, id, Some(Loader::TrlParser), read),
            None => set.open = true,
        }
    }
    Some(set)
}

/// The set of a file that its keys or its launcher identify.
pub(super) fn from_file(project: &Project, id: FileId, reader: ArgumentReader, run: Option<usize>) -> ArgumentSet {
    let source = project.file(id);
    let kind = project.kind(id);
    let class = if kind == FileKind::Framework(Dialect::LlamaFactory) {
        "transformers.Seq2SeqTrainingArguments"
    } else {
        "transformers.TrainingArguments"
    };
    let mut set = ArgumentSet {
        classes: vec![class.to_owned()],
        other_names: Vec::new(),
        arguments: Vec::new(),
        redefined: Vec::new(),
        open: true,
        strict: false,
        reader,
        place: source.first_line(),
        run,
        call: None,
        tolerates_errors: false,
    };
    add_file(project, &mut set, id, Some(loader_of(source, kind)), &mut BTreeSet::new());
    set
}

fn add_file(project: &Project, set: &mut ArgumentSet, id: FileId, loader: Option<Loader>, read: &mut BTreeSet<FileId>) {
    let source = project.file(id);
    read.insert(id);
    if !source.is_data() {
        set.open = true;
        return;
    }
    let loader = loader.unwrap_or_else(|| loader_of(source, project.kind(id)));
    set.open |= config_file::has_merge_key(source);
    // TRL's parser removes `env`, the environment variables, first.
    set.arguments.extend(
        config_file::entries(source, loader)
            .into_iter()
            .filter(|given| set.reader != ArgumentReader::Parser || given.key != "env"),
    );
}

/// Adds the flags of the command line; the last of several wins.
fn add_command_line(set: &mut ArgumentSet, launch: &Launch) {
    let hidden = launch.arguments.iter().enumerate().any(|(number, word)| {
        let after_flag =
            || number > 0 && launch.arguments[number - 1].text().is_some_and(|word| word.starts_with('-') && !word.contains('='));
        word.text().is_none() && !launch.unknown_value_options.contains_key(&number) && !after_flag()
    });
    set.open |= hidden || launch.has_unknown_flags;
    let mut given = Vec::new();
    for option in launch.options() {
        if option.name == "config" {
            continue;
        }
        let key_place = FileRange::new(launch.file, option.word);
        let (value, value_place) = match &option.value {
            Some(value) => {
                let assumed = !value.word.assumptions.is_empty();
                let text = value.text.as_deref().filter(|_| !assumed);
                (text.map(argparse_word), launch.value_place(value.word, value.range))
            }
            None => (Some(Value::Bool(true)), key_place),
        };
        let place = FileRange::new(launch.file, key_place.range.cover(value_place.range));
        given.push(ArgumentEntry {
            key: option.name.replace('-', "_"),
            key_place,
            place,
            value,
            value_place,
            by: PassedBy::Flag,
            entries: Vec::new(),
        });
    }
    given.reverse();
    set.arguments.extend(given);
}

/// The file of a load in one launch.
enum LoadTarget {
    /// In the project.
    File(FileId),
    /// Not known.
    Unknown,
    /// The launch does not use the load.
    Unused,
}

fn load_target(project: &Project, launch: &Launch, load: &LoadedFile) -> LoadTarget {
    let folder = launch.directory.as_str();
    let own = project.file(load.place.file).folder();
    let find = |text: &str| project.path_resolver.resolve(text, folder).or_else(|| project.path_resolver.resolve(text, own));
    if let Some(option) = &load.option {
        let options = launch.options();
        let Some(given) = options.iter().rfind(|given| given.name.replace('-', "_") == *option) else {
            return LoadTarget::Unused;
        };
        let text = given.value.as_ref().and_then(|value| value.text.as_deref());
        return text.and_then(find).map_or(LoadTarget::Unknown, LoadTarget::File);
    }
    if let Some(number) = load.argument {
        let Some(word) = number.checked_sub(1).and_then(|at| launch.arguments.get(at)) else { return LoadTarget::Unused };
        let Some(text) = word.text() else { return LoadTarget::Unknown };
        let json = load.loader == Some(Loader::Json);
        let fits = if json { text.ends_with(".json") } else { text.ends_with(".yaml") || text.ends_with(".yml") };
        return if fits { find(text).map_or(LoadTarget::Unknown, LoadTarget::File) } else { LoadTarget::Unused };
    }
    match constant_path(project, load) {
        Some(id) => LoadTarget::File(id),
        None => LoadTarget::Unknown,
    }
}

fn constant_path(project: &Project, load: &LoadedFile) -> Option<FileId> {
    let path = load.path.as_deref().filter(|_| load.option.is_none())?;
    project.path_resolver.resolve(path, project.file(load.place.file).folder())
}

//! From the words of a command to a [`Launch`].

use super::{Launch, LaunchFlag, wrappers};
use crate::SourceFile;
use crate::path_resolver::PathResolver;
use std::collections::BTreeMap;
use vramlint_base::{FileId, TextRange};
use vramlint_catalog::Dialect;
use vramlint_catalog::flags::{self, Arity, Launcher};
use vramlint_syntax::shell::{Command, Script, Word, WordValue};

/// Every launch of a script, in order.
pub fn from_script(file: &SourceFile, script: &Script, paths: &PathResolver) -> Vec<Launch> {
    from_commands(file, &script.commands, paths)
}

/// Every launch among the commands of a file, in order.
pub(super) fn from_commands(file: &SourceFile, commands: &[Command], paths: &PathResolver) -> Vec<Launch> {
    let launches = commands.iter().filter_map(|command| {
        let directory = command.directory.as_deref().and_then(|path| paths.resolve_folder(path, file.folder()));
        let launch = from_command(file.id, &file.text, command)?;
        Some(Launch { directory: directory.unwrap_or_else(|| file.folder().to_owned()), ..launch })
    });
    launches.collect()
}

/// The launch in a command, if it is one. `text` is the text of the file, for the names of flags whose value is not known.
fn from_command(file: FileId, text: &str, command: &Command) -> Option<Launch> {
    let words = wrappers::strip(&command.words);
    let (launcher, rest) = launcher_of(words, text)?;
    let mut launch = Launch {
        file,
        range: command.range,
        launcher,
        flags: Vec::new(),
        script: None,
        module: None,
        arguments: Vec::new(),
        unknown_value_options: BTreeMap::new(),
        environment: command.environment.clone(),
        has_unknown_flags: false,
        directory: String::new(),
        documented: false,
        called_at: None,
        is_completed_by_calls: false,
        in_loop: command.in_loop,
        conditional: command.conditional,
    };
    if launcher.is_all_arguments {
        framework_arguments(&mut launch, rest);
    } else {
        read_flags(&mut launch, text, rest);
    }
    normalize_module_switch(&mut launch);
    name_framework(&mut launch);
    launch.unknown_value_options = unknown_value_options(&launch.arguments, text);
    let starts = launch.script.is_some() || launch.module.is_some();
    (starts || launcher.is_all_arguments && !launch.arguments.is_empty()).then_some(launch)
}

/// The launcher at the front, and the words after it.
fn launcher_of<'a>(words: &'a [Word], source: &str) -> Option<(Launcher, &'a [Word])> {
    let mut texts: Vec<Option<&str>> = words.iter().map(Word::text).collect();
    let first = words.first()?;
    // `uv run train.py`, `./train.py`: the script itself is the program.
    if first.text().is_some_and(|text| text.ends_with(".py")) {
        return Some((Launcher::Python, words));
    }
    if texts[0].is_none() {
        // `$VENV/bin/python`, `$PYTHON`
        let named = || first.range.slice(source).to_lowercase().contains("python").then_some("python");
        texts[0] = first.path_end.as_deref().or_else(named);
    }
    let (launcher, own) = Launcher::of_words(&texts)?;
    Some((launcher, words.get(own..).unwrap_or(&[])))
}

fn read_flags(launch: &mut Launch, source: &str, words: &[Word]) {
    let mut at = 0;
    while at < words.len() {
        let word = &words[at];
        let Some(text) = word.text() else {
            if let Some(flag) = flag_of_unknown(launch.launcher, source, word) {
                launch.flags.push(flag);
            } else if words[at + 1..].iter().any(looks_like_script) || at + 1 == words.len() && launch.flags.is_empty() {
                // A variable with flags (`$EXTRA`): the script comes later.
                launch.has_unknown_flags = true;
            } else {
                return take_script(launch, words, at);
            }
            at += 1;
            continue;
        };
        if !text.starts_with('-') || text == "-" {
            return take_script(launch, words, at);
        }
        if launch.launcher == Launcher::Python && text == "-c" {
            return;
        }
        let (spelling, inline) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let known = flags::flag(launch.launcher, spelling);
        let inline = inline.map(|value| tail_word(word, value));
        let is_inline = inline.is_some();
        if known.is_some_and(|flag| matches!(flag.names[0], "-m" | "--module")) && is_module_with_name(launch.launcher) {
            let taken = usize::from(inline.is_none());
            launch.module = inline.or_else(|| words.get(at + 1).cloned());
            launch.arguments = words.get(at + 1 + taken..).unwrap_or(&[]).to_vec();
            return;
        }
        at += 1;
        let values = match inline {
            Some(value) => vec![value],
            None => values_of(known, &words[at..]),
        };
        at += if is_inline { 0 } else { values.len() };
        launch.flags.push(LaunchFlag {
            name: known.map_or_else(|| spelling.to_owned(), |flag| flag.names[0].to_owned()),
            word: word.range,
            known: known.is_some(),
            values,
        });
    }
}

/// `llamafactory-cli train [FILE] …`: every word is an argument of the training, after an optional file.
fn framework_arguments(launch: &mut Launch, words: &[Word]) {
    let file = words.first().is_some_and(|word| word.text().is_none_or(|word| !word.starts_with('-') && !word.contains('=')));
    launch.script = words.first().filter(|_| file).cloned();
    launch.arguments = words[usize::from(file)..].to_vec();
}

/// `--batch_size=$1` and `training.lr=$LR` with unknown values: the names of the options, by the number of the word.
pub(super) fn unknown_value_options(words: &[Word], source: &str) -> BTreeMap<usize, String> {
    // `--batch=$N` says its name where it stands, `$ARGS` where the variable is set.
    let name_at = |place: &TextRange| {
        let (name, _) = place.slice(source).trim_matches(['"', '\'']).split_once('=')?;
        let plain = name.chars().all(|c| c.is_alphanumeric() || "._-/+@".contains(c));
        (plain && !name.is_empty()).then(|| name.trim_start_matches(['-', '+']).to_owned())
    };
    let name = |word: &Word| std::iter::once(&word.range).chain(&word.sources).find_map(name_at);
    let unknown = words.iter().enumerate().filter(|(_, word)| word.text().is_none());
    unknown.filter_map(|(number, word)| Some((number, name(word)?))).collect()
}

fn take_script(launch: &mut Launch, words: &[Word], at: usize) {
    launch.script = Some(words[at].clone());
    launch.arguments = words[at + 1..].to_vec();
}

/// The words that a flag takes.
fn values_of(known: Option<&flags::Flag>, rest: &[Word]) -> Vec<Word> {
    let plain = |word: &&Word| word.text().is_none_or(|text| !text.starts_with('-'));
    let wanted = match known.map(|flag| flag.arity) {
        Some(Arity::One) => 1,
        Some(Arity::Many) => rest.iter().take_while(plain).count(),
        Some(Arity::Switch) => 0,
        // A flag unknown to the launcher: the next word is its value unless it is a flag or a script.
        None => usize::from(rest.first().is_some_and(|next| plain(&next) && !looks_like_script(next))),
    };
    rest.iter().take(wanted).cloned().collect()
}

/// `--num_processes=$N` with an unknown `$N`: the flag is there, its value is not known.
fn flag_of_unknown(launcher: Launcher, source: &str, word: &Word) -> Option<LaunchFlag> {
    let written = word.sources.first().unwrap_or(&word.range).slice(source).trim_matches(['"', '\'']);
    let (name, _) = written.split_once('=').filter(|(name, _)| name.starts_with('-') && !name.contains('$'))?;
    let known = flags::flag(launcher, name);
    Some(LaunchFlag {
        name: known.map_or_else(|| name.to_owned(), |flag| flag.names[0].to_owned()),
        word: word.range,
        known: known.is_some(),
        values: vec![word.clone()],
    })
}

/// Launchers whose `-m` names the module in the next word and ends their own flags. For accelerate, torchrun and deepspeed
/// `-m` is a switch, and the module takes the place of the script.
fn is_module_with_name(launcher: Launcher) -> bool {
    launcher == Launcher::Python
}

/// `accelerate launch -m axolotl.cli.train x.yaml` trains with Axolotl's vocabulary; `-m package.module` is a module.
fn normalize_module_switch(launch: &mut Launch) {
    let switch = launch.flags.iter().any(|flag| matches!(flag.name.as_str(), "-m" | "--module"));
    if switch && launch.module.is_none() {
        launch.module = launch.script.take();
    }
}

/// `torchrun $(which llamafactory-cli) train x.yaml` starts the framework's module.
fn name_framework(launch: &mut Launch) {
    let Some(script) = launch.script.clone().filter(|_| launch.launcher.dialect.is_none()) else { return };
    let texts: Vec<Option<&str>> = std::iter::once(&script).chain(&launch.arguments).map(Word::text).collect();
    let program = Launcher::of_words(&texts).map(|(program, _)| program).filter(|program| program.dialect.is_some());
    let module = program.and_then(|program| program.modules.first()).map(|(module, _)| *module);
    if let Some(module) = module.filter(|module| Dialect::of_module(module).is_some()) {
        launch.module = Some(Word { value: WordValue::Known(module.to_owned()), ..script });
        launch.script = None;
    }
}

/// The value after `=` as a word of its own.
fn tail_word(word: &Word, value: &str) -> Word {
    let plain = word.sources.is_empty() && word.text().is_some_and(|text| text.len() == word.range.len() as usize);
    let range = if plain { TextRange::new(word.range.end - value.len() as u32, word.range.end) } else { word.range };
    Word {
        range,
        value: WordValue::Known(value.to_owned()),
        sources: word.sources.clone(),
        assumptions: word.assumptions.clone(),
        path_end: None,
        origin: word.origin,
    }
}

fn looks_like_script(word: &Word) -> bool {
    word.text().is_some_and(|text| {
        let text = text.trim_end_matches(['"', '\'']);
        [".py", ".sh", ".yaml", ".yml"].iter().any(|end| text.ends_with(end))
    })
}

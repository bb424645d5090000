//! Every launch of a project: those that scripts hold, and what they become where other scripts call theirs.

use super::joined_script::JoinedScript;
use super::parse::from_commands;
use super::script_calls::{ScriptCall, sourced_script};
use super::{Launch, documented};
use crate::SourceFile;
use crate::path_resolver::PathResolver;
use crate::source_set::SourceSet;
use std::collections::HashMap;
use std::sync::Arc;
use vramlint_base::{FileId, FileRange, TextRange};
use vramlint_syntax::shell::{Command, Word, WordValue};

/// Scripts that call scripts that call scripts.
const DEPTH: usize = 4;
/// Calls that are followed; the rest adds nothing.
const CALL_LIMIT: usize = 512;

/// The launches of a project.
#[derive(Debug, Default)]
pub(crate) struct Launches {
    /// Those in scripts, in order of file and place.
    pub(crate) written: Vec<Arc<Launch>>,
    /// Those in scripts that other scripts call with arguments, as each call has them.
    pub(crate) called: Vec<Arc<Launch>>,
}

/// Finds the launches of a project.
pub(crate) fn find_launches(sources: &SourceSet, paths: &PathResolver) -> Launches {
    let mut finder = Finder { sources, paths, called: Vec::new(), calls_left: CALL_LIMIT };
    let mut written = Vec::new();
    let (documents, scripts): (Vec<&SourceFile>, Vec<&SourceFile>) =
        sources.files.iter().filter(|file| file.is_script()).partition(|file| sources.is_documentation_snippet(file.id));
    for file in scripts {
        let commands = finder.commands(file);
        finder.follow(file, &commands, None, 0);
        written.extend(from_commands(file, &commands, paths));
    }
    let (mut called, calls_left) = (finder.take_called(), finder.calls_left);
    if calls_left > 0 {
        for file in documents {
            let commands = file.script().map_or(&[][..], |script| &script.commands);
            finder.follow(file, commands, None, 0);
        }
    }
    let mut index: HashMap<(FileId, TextRange), usize> = HashMap::new();
    for (nth, launch) in written.iter().enumerate() {
        index.insert((launch.file, launch.range), nth);
    }
    let unknown_before: Vec<usize> = written.iter().map(unknown_words).collect();
    called.retain(|launch| is_new(launch, &written, &index));
    // A document speaks where no script does.
    for launch in finder.take_called() {
        let own = index.get(&(launch.file, launch.range));
        let is_called = called.iter().any(|other| other.file == launch.file && other.range == launch.range);
        if own.is_some_and(|own| unknown_words(&launch) < unknown_before[*own]) && !is_called {
            called.push(launch);
        }
    }
    for launch in &called {
        if let Some(own) = index.get(&(launch.file, launch.range)).filter(|own| unknown_words(launch) < unknown_before[**own]) {
            written[*own].is_completed_by_calls = true;
        }
    }
    Launches { written: shared(written), called: shared(called) }
}

fn shared(launches: Vec<Launch>) -> Vec<Arc<Launch>> {
    launches.into_iter().map(Arc::new).collect()
}

struct Finder<'a> {
    sources: &'a SourceSet,
    paths: &'a PathResolver,
    called: Vec<Called>,
    calls_left: usize,
}

/// A launch in a script that is called.
struct Called {
    launch: Launch,
    /// The command that calls the script: the last of the chain.
    call: FileRange,
    /// Calls before it in the chain.
    depth: usize,
}

impl Finder<'_> {
    /// The commands of a script, with the variables of the scripts that it sources.
    fn commands(&self, file: &SourceFile) -> Vec<Command> {
        let own = file.script().map_or(&[][..], |script| &script.commands);
        if own.iter().any(|command| sourced_script(command, file, self.sources, self.paths).is_some()) {
            return JoinedScript::new(file, self.sources, self.paths, None).commands();
        }
        own.to_vec()
    }

    /// The launches collected so far, without those of scripts in the middle of a chain whose own caller tells more.
    fn take_called(&mut self) -> Vec<Launch> {
        let found = std::mem::take(&mut self.called);
        let completed = |one: &Called| {
            let same = |other: &&Called| {
                other.depth > one.depth
                    && other.call == one.call
                    && (other.launch.file, other.launch.range) == (one.launch.file, one.launch.range)
            };
            found.iter().filter(same).any(|other| unknown_words(&other.launch) < unknown_words(&one.launch))
        };
        let kept: Vec<bool> = found.iter().map(|one| one.depth > 0 || !completed(one)).collect();
        found.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(one, _)| one.launch).collect()
    }

    /// Collects the launches of the scripts that these commands call. `from`: the first call of the chain.
    fn follow(&mut self, file: &SourceFile, commands: &[Command], from: Option<&Origin>, depth: usize) {
        if depth == DEPTH {
            return;
        }
        for command in commands {
            let Some(mut call) = ScriptCall::of_command(command, file, self.sources, self.paths) else { continue };
            if self.calls_left == 0 {
                return;
            }
            self.calls_left -= 1;
            let documented = from.map_or_else(|| self.sources.is_documentation_snippet(file.id), |from| from.documented);
            if documented {
                call.arguments.iter_mut().for_each(without_placeholder);
            }
            let origin = Origin {
                place: from.map_or(FileRange::new(file.id, call.range), |from| from.place),
                in_loop: call.in_loop || from.is_some_and(|from| from.in_loop),
                conditional: call.conditional || from.is_some_and(|from| from.conditional),
                documented,
            };
            let script = self.sources.file(call.script);
            let commands = JoinedScript::new(script, self.sources, self.paths, Some(&call)).commands();
            self.follow(script, &commands, Some(&origin), depth + 1);
            for launch in from_commands(script, &commands, self.paths) {
                let launch = Launch {
                    called_at: Some(origin.place),
                    in_loop: launch.in_loop || origin.in_loop,
                    conditional: launch.conditional || origin.conditional,
                    documented,
                    ..launch
                };
                self.called.push(Called { launch, call: FileRange::new(file.id, call.range), depth });
            }
        }
    }
}

/// The first call of a chain.
struct Origin {
    place: FileRange,
    in_loop: bool,
    conditional: bool,
    documented: bool,
}

fn without_placeholder(word: &mut Word) {
    if word.text().is_some_and(documented::is_placeholder) {
        *word = Word { value: WordValue::Unknown, path_end: None, ..word.clone() };
    }
}

/// Whether a call gives a launch other words than it has by itself.
fn is_new(launch: &Launch, written: &[Launch], index: &HashMap<(FileId, TextRange), usize>) -> bool {
    let own = index.get(&(launch.file, launch.range)).map(|own| &written[*own]);
    own.is_none_or(|own| !words(own).map(Word::text).eq(words(launch).map(Word::text)))
}

fn words(launch: &Launch) -> impl Iterator<Item = &Word> {
    let flags = launch.flags.iter().flat_map(|flag| &flag.values);
    launch.script.iter().chain(&launch.module).chain(&launch.arguments).chain(flags)
}

fn unknown_words(launch: &Launch) -> usize {
    words(launch).filter(|word| word.text().is_none()).count()
}

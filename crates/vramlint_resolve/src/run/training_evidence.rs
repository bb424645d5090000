//! Whether what is started trains: by the code that it reaches, else by what its name and its options say.

use super::code_reader::CodeReader;
use super::framework_program;
use super::import_graph::imports_training_library;
use super::noise_training::trains_on_noise;
use super::sources::cli;
use super::unsupported;
use crate::code::{CodeFacts, ScriptArguments, TrainingPath};
use crate::features::Feature;
use crate::file_graph::FileGraph;
use crate::launch::Launch;
use vramlint_base::value_readers::argparse_word;
use vramlint_base::{FileId, FileRange};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::{Concept, Dialect, dialect};
use vramlint_syntax::shell::Word;

/// Whether a command trains.
///
/// What the started program reaches decides: an optimizer that steps, a trainer that is told to train. Where the program cannot be
/// followed (it is not in the project, it calls what it looks up by a name), its own name decides, and for launchers of several
/// processes its options.
pub(super) fn is_training_launch(reader: &CodeReader<'_>, launch: &Launch, entry: Option<FileId>) -> bool {
    let graph = reader.graph;
    let is_test = |place: FileRange| graph.file(graph.to_host(place).file).is_test();
    if is_test(FileRange::new(launch.file, launch.range)) || is_test(launch.place()) {
        return false;
    }
    if only_predicts(launch) || launch.options().iter().any(|option| option.name == "help") {
        return false;
    }
    if starts_itself(graph, launch) {
        return false;
    }
    let name = script_name(launch);
    let another_task = name.is_some_and(sounds_like_another_task) || is_in_evaluation_package(launch);
    let named = name.is_some_and(sounds_like_training);
    let several = matches!(launch.launcher, Launcher::Accelerate | Launcher::Torchrun | Launcher::DeepSpeed);
    if let Some(framework) = entry.and_then(|entry| framework_program::framework_of(graph, entry)) {
        return framework_program::trains(graph, framework, launch);
    }
    // A framework hands its work to processes that nothing here follows.
    if launch.launcher.dialect.is_some() || unsupported::framework_of_command(launch).is_some() {
        return !another_task && !settings_file(launch).is_some_and(is_for_another_task);
    }
    if let Some(entry) = entry
        && let Some(code) = reader.code_with_args(entry, &cli::script_arguments(reader.graph, launch))
    {
        if arguments_turn_training_off(reader, entry, &code) {
            return false;
        }
        return match reached(&code) {
            Reached::Training => !name.is_some_and(sounds_like_interface),
            Reached::Trainer => !another_task,
            // What trains may come from a library that is not known.
            Reached::Nothing => {
                let library = |file: &FileId| imports_training_library(graph, graph.file(*file));
                named && (several || code.files.iter().any(library)) || !another_task && has_training_options(launch)
            }
            Reached::Unknown => named || !another_task && has_training_options(launch),
        };
    }
    let framework = launch.module.as_ref().and_then(Word::text).is_some_and(|module| Dialect::of_module(module).is_some());
    match name {
        Some(_) => named || !another_task && (framework || several || has_training_options(launch)),
        None => several && !file_sounds_like_another_task(&graph.file(launch.file).path),
    }
}

/// Whether a program that trains reaches no training with the arguments of a command: `train.py --mode eval`.
fn arguments_turn_training_off(reader: &CodeReader<'_>, entry: FileId, with_arguments: &CodeFacts) -> bool {
    let trains = |code: &CodeFacts| code.training_path == Some(TrainingPath::Called);
    let otherwise = || reader.code_with_args(entry, &ScriptArguments::default());
    let is_followed = !with_arguments.is_cut_off && !with_arguments.tells_to_train;
    is_followed && !trains(with_arguments) && otherwise().is_some_and(|code| trains(&code))
}

/// Whether code of a package starts a module of the same package: a launcher of its own, not a run.
fn starts_itself(graph: &FileGraph, launch: &Launch) -> bool {
    let Some(module) = launch.module.as_ref().and_then(Word::text) else { return false };
    let host = graph.to_host(FileRange::new(launch.file, launch.range)).file;
    let package = unsupported::own_package(graph, host);
    package.is_some_and(|package| package.split('.').next() == module.split('.').next())
}

/// Whether the options ask transformers' Trainer, which does nothing that it is not asked for, for predictions and not for training.
fn only_predicts(launch: &Launch) -> bool {
    let options = launch.options();
    let asks = |name: &str| {
        let given = options.iter().rfind(|option| option.name.replace('-', "_") == name);
        given.is_some_and(|option| option.value.as_ref().is_none_or(|value| value.text.as_deref() != Some("False")))
    };
    let file = |word: &Word| word.text().is_none_or(|text| [".json", ".yaml", ".yml"].iter().any(|end| text.ends_with(end)));
    asks("do_predict") && !asks("do_train") && !launch.arguments.first().is_some_and(file)
}

/// Whether a module lies in a package for evaluation or inference: `package.evaluation.mteb`.
fn is_in_evaluation_package(launch: &Launch) -> bool {
    let Some(module) = launch.module.as_ref().and_then(Word::text) else { return false };
    let (packages, name) = module.rsplit_once('.').unwrap_or(("", module));
    let evaluates = |package: &str| ["eval", "infer", "predict"].iter().any(|begin| package.starts_with(begin));
    !sounds_like_training(name) && packages.split('.').any(evaluates)
}

/// Whether a script trains when it is started without a word.
pub(super) fn is_training_script(reader: &CodeReader<'_>, file: FileId, code: &CodeFacts) -> bool {
    let source = reader.graph.file(file);
    // It needs the arguments of a command, and none of the project starts it.
    // A framework's own modules are started by its program.
    let own = unsupported::own_package(reader.graph, file);
    let of_framework = own.is_some_and(|module| {
        let package = module.split('.').next().unwrap_or(&module);
        let mut entries = Dialect::ALL.iter().flat_map(|dialect| dialect.modules);
        entries.any(|entry| entry.path.split('.').next() == Some(package))
    });
    let is_program = framework_program::framework_of(reader.graph, file).is_some();
    if of_framework || is_program || framework_program::needs_configuration(reader.graph, file) {
        return false;
    }
    if sounds_like_measurement(source.name()) || source.python().is_some_and(trains_on_noise) {
        return false;
    }
    match reached(code) {
        Reached::Training => !sounds_like_interface(source.name()),
        Reached::Trainer => !sounds_like_another_task(source.name()),
        Reached::Nothing => false,
        Reached::Unknown => {
            let is_program = reader.graph.features(file).has(Feature::MainGuard);
            // A notebook calls the functions of `train.py`, which nothing in the project imports. `trainer.py` holds a class.
            let holds_training = code.training_path == Some(TrainingPath::UncalledInEntry)
                && !words_of(source.name()).iter().any(|word| word.starts_with("trainer"));
            (is_program || holds_training) && sounds_like_training(source.name()) && !file_sounds_like_another_task(&source.path)
        }
    }
}

/// What the code of a program reaches.
enum Reached {
    /// Code that changes weights.
    Training,
    /// A trainer that nothing visible tells to train.
    Trainer,
    /// None, though everything was followed.
    Nothing,
    /// Code that changes weights is there, and what calls it is not visible.
    Unknown,
}

fn reached(code: &CodeFacts) -> Reached {
    match code.training_path {
        Some(TrainingPath::Called) => Reached::Training,
        Some(TrainingPath::TrainerMade) => Reached::Trainer,
        Some(TrainingPath::UncalledInEntry | TrainingPath::UncalledInImport) => Reached::Unknown,
        None if code.is_cut_off => Reached::Unknown,
        None => Reached::Nothing,
    }
}

/// Whether the options of a command set at least two of the concepts that only training uses.
fn has_training_options(launch: &Launch) -> bool {
    const CONCEPTS: &[Concept] = &[
        Concept::MicroBatch,
        Concept::GradientAccumulationSteps,
        Concept::LearningRate,
        Concept::Epochs,
        Concept::MaxSteps,
        Concept::LoraR,
        Concept::Optimizer,
        Concept::GradientCheckpointing,
        Concept::NumGenerations,
    ];
    let mut found: Vec<Concept> = Vec::new();
    for option in launch.options() {
        let text = option.value.as_ref().and_then(|value| value.text.clone()).unwrap_or_default();
        let name = option.name.replace('-', "_");
        let value = argparse_word(&text);
        let meaning = [Dialect::HfTrainer, Dialect::Plain].into_iter().find_map(|own| dialect::meaning(own, &[&name], &value));
        if let Some(meaning) = meaning
            && CONCEPTS.contains(&meaning.concept)
            && !found.contains(&meaning.concept)
        {
            found.push(meaning.concept);
        }
    }
    found.len() >= 2
}

/// The file of settings that takes the place of a script.
fn settings_file(launch: &Launch) -> Option<&str> {
    let text = launch.script.as_ref()?.text()?;
    [".yaml", ".yml", ".json"].iter().any(|end| text.ends_with(end)).then_some(text)
}

/// The last part of the path of a script or module.
fn script_name(launch: &Launch) -> Option<&str> {
    let word = launch.script.as_ref().or(launch.module.as_ref())?;
    word.text()?.rsplit(['/', '\\']).next()
}

/// The words in the name of a script or module.
fn words_of(name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    let stem =
        name.rsplit_once('.').filter(|(_, end)| matches!(*end, "py" | "sh" | "slurm")).map_or(name.as_str(), |(stem, _)| stem);
    let stem = stem.rsplit('.').next().unwrap_or(stem);
    stem.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect()
}

/// Words for training, and beginnings of such words.
const TRAINING: &[&str] = &["sft", "dpo", "grpo", "ppo", "rlhf", "orpo", "kto", "gkd", "distill"];
const TRAINING_BEGINNINGS: &[&str] = &["train", "finetun", "pretrain"];

/// Beginnings of words for anything else.
const OTHER_TASKS: &[&str] = &[
    "eval", "test", "plot", "infer", "predict", "export", "merg", "download", "upload", "prepar", "preproc", "convert", "bench",
    "generat", "serve", "serving", "server", "demo", "chat", "tok", "visuali", "analy", "score", "scoring", "quantiz", "data",
    "sampl", "collect", "label", "setup", "util", "web", "gui",
];

fn sounds_like_training(name: &str) -> bool {
    let words = words_of(name);
    let begins = |word: &String| TRAINING_BEGINNINGS.iter().any(|begin| word.starts_with(begin));
    // `no_finetune.py`
    let denied = |at: usize| at > 0 && matches!(words[at - 1].as_str(), "no" | "not" | "without" | "non");
    words.iter().enumerate().any(|(at, word)| (begins(word) || TRAINING.contains(&word.as_str())) && !denied(at))
        && !words.iter().any(|word| begins_another_task(word))
}

/// Whether a program shows an interface, from which somebody may train.
fn sounds_like_interface(name: &str) -> bool {
    words_of(name).iter().any(|word| ["web", "gui", "gradio", "streamlit"].iter().any(|begin| word.starts_with(begin)))
}

/// Whether a program trains for its speed alone: `bench_step.py`, `cal_mfu.py`.
fn sounds_like_measurement(name: &str) -> bool {
    words_of(name)
        .iter()
        .any(|word| ["bench", "profil", "mfu", "flops", "throughput"].iter().any(|begin| word.starts_with(begin)))
}

fn begins_another_task(word: &str) -> bool {
    matches!(word, "app" | "api") || OTHER_TASKS.iter().any(|begin| word.starts_with(begin))
}

/// `train_and_evaluate.py` is none.
fn sounds_like_another_task(name: &str) -> bool {
    let words = words_of(name);
    let trains = |word: &String| TRAINING_BEGINNINGS.iter().any(|begin| word.starts_with(begin));
    words.iter().any(|word| begins_another_task(word)) && !words.iter().any(trains)
}

/// Whether the name of a file of settings, or one of its folders, says that it is for something else than training.
pub(super) fn is_for_another_task(path: &str) -> bool {
    const TASKS: &[&str] = &["eval", "infer", "predict", "preproc", "merg", "export"];
    let begins = |list: &[&str], word: &str| list.iter().any(|begin| word.starts_with(begin));
    path.split('/').any(|part| {
        let words: Vec<&str> = part.split(|c: char| !c.is_alphanumeric()).collect();
        words.iter().any(|word| begins(TASKS, &word.to_lowercase()))
            && !words.iter().any(|word| begins(TRAINING_BEGINNINGS, &word.to_lowercase()))
    })
}

/// Whether the name of a file or one of its folders says so.
fn file_sounds_like_another_task(path: &str) -> bool {
    path.split('/').any(sounds_like_another_task)
}

//! Builds runs: collects the candidates of every source and resolves each setting.

use super::launch_path::{launch_path, merge_policy};
use super::precedence::{CandidateSet, SourceLayer, known, unknown};
use super::run_sources::RunSources;
use super::sources::{cli, data_file, deepspeed, defaults, launcher, python, sharding};
use super::training_run::Run;
use super::unknown_reads::UnknownReads;
use super::world_size::WorldSizeInput;
use super::{
    batch_factors, derive, distribution_hints, framework_program, handed_on, releases_in_use, shared_ranks, training_kind,
    unsupported, vllm_mode,
};
use crate::code::CodeFacts;
use crate::file_graph::FileGraph;
use crate::launch::Launch;
use crate::setting::{Candidate, Origin};
use std::collections::{BTreeMap, BTreeSet};
use vramlint_base::value_readers::{argparse_word, spelled_bool};
use vramlint_base::{FileId, FileRange, Value, message};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::frameworks::TokenBatches;
use vramlint_catalog::{Concept, Dialect, LibraryVersions};
use vramlint_syntax::shell::Word;

/// The runs that start from these sources: one, or one per stage if the code trains several.
pub(super) fn build_runs(graph: &FileGraph, sources: &RunSources) -> Vec<Run> {
    let stages: BTreeSet<&'static str> = sources
        .code
        .iter()
        .flat_map(|code| &code.candidates)
        .filter(|(concept, _)| *concept == Concept::MicroBatch)
        .filter_map(|(_, candidate)| candidate.stage)
        .collect();
    if stages.len() < 2 {
        return vec![build_run(graph, sources, stages.first().copied())];
    }
    stages.iter().map(|stage| build_run(graph, sources, Some(stage))).collect()
}

fn build_run(graph: &FileGraph, sources: &RunSources, stage: Option<&'static str>) -> Run {
    // What a framework is started with decides; its own code has a branch for everything.
    let program = sources.entry.and_then(|entry| framework_program::framework_of(graph, entry));
    let code = sources.code.as_deref().filter(|_| program.is_none());
    let dialect = program.unwrap_or_else(|| dialect_of(graph, sources));
    let trainer = dialect.is_hf_trainer;
    let by_command = || {
        let script = || sources.launch.as_ref()?.script.as_ref().and_then(Word::text);
        let module = started_module(sources);
        dialect.task_of_command(module.as_deref().and_then(|module| module.rsplit('.').next()).or_else(script)?)
    };
    let by_code = || code.and_then(|code| code.task.clone());
    let task = stage.map(str::to_owned).or_else(by_code).or_else(|| by_command().map(str::to_owned));
    let world = world_size_input(graph, sources, dialect);
    let mut candidates = CandidateSet::default();
    launcher::add(&mut candidates, world.launch, world.accelerate, code);
    // A `num_gpus` in the code or in the project's files does not reach the launcher.
    let launcher = candidates.clone();
    let deepspeed = uses_deepspeed(&candidates, sources, dialect, code);
    let versions = releases_in_use::narrow(graph.library_versions(sources.place.file), graph, sources);
    let mut train_batch = None;
    if deepspeed {
        train_batch = add_deepspeed(&mut candidates, graph, sources, trainer, &versions);
    }
    let accelerate = sources.accelerate.map(|id| graph.file(id));
    sharding::add_accelerate(
        &mut candidates,
        sources.launch.as_deref(),
        accelerate,
        shared_ranks::replaces_parallelism_block(sources),
        &versions,
    );
    sharding::add_allocator(&mut candidates, sources.launch.as_deref(), code);
    if let Some(launch) = &sources.launch {
        cli::add(&mut candidates, launch, dialect, code, program.is_some());
        add_environment(&mut candidates, launch, deepspeed, trainer);
    }
    for (id, loader) in &sources.training {
        data_file::add_training(&mut candidates, graph, graph.file(*id), *loader, &versions);
    }
    if let Some(code) = code {
        python::add(&mut candidates, graph, sources, code, stage);
    }
    if let (Some(framework), Some(own)) = (program, &sources.code) {
        framework_program::add_own_defaults(&mut candidates, own, framework, task.as_deref(), &versions);
    }
    if let Some(code) = code {
        handed_on::drop_what_stays_behind(&mut candidates, &launcher, code);
        handed_on::doubt_offered_quantization(&mut candidates);
        handed_on::drop_longer_sequences(&mut candidates, dialect, task.as_deref(), &versions);
        handed_on::settle_unsloths_length(&mut candidates, code, task.as_deref());
    }
    handed_on::doubt_model_to_fill_in(&mut candidates);
    if distribution_hints::splits_batches(graph, code) {
        add_split(&mut candidates, sources);
    }
    defaults::add(&mut candidates, code, dialect, task.as_deref(), deepspeed, &versions);
    doubt_accelerates_defaults(&mut candidates, world.launch, world.accelerate_missing);
    if deepspeed && trainer && sources.deepspeed.is_none() {
        doubt_deepspeeds_settings(&mut candidates, sources);
    }
    if sources.lacks_arguments {
        candidates.forget_defaults(&message!(
            "the caller may give it on the command line; no command of the project starts this script",
            "调用者可以在命令行给出；项目中没有启动此脚本的命令"
        ));
    }
    forget_unread_files(&mut candidates, sources, dialect);
    forget_sequences(&mut candidates, sources, dialect);
    if trainer {
        candidates.prefer_trainers_precision(&launcher);
    }
    vllm_mode::resolve_mode(&mut candidates, dialect, &versions);
    vllm_mode::add_defaults(&mut candidates, dialect, &versions);
    if deepspeed && sources.missing_files.is_empty() && !sources.deepspeed_is_open {
        sharding::add_engine_defaults(&mut candidates, &versions);
    }

    let unread = unsupported::framework_of(graph, sources);
    let followed = unread.is_some_and(|framework| unsupported::is_followed(graph, sources, framework));
    if followed {
        candidates.keep_what_reaches_libraries(&launcher);
    }
    let world_size = world.resolve(&launcher, &candidates);
    let rows = world.nn_data_parallel_reason(&candidates);
    let path = launch_path(sources, dialect, deepspeed);
    let mut settings = candidates.resolve(
        |concept| merge_policy(concept, sources, dialect, path),
        // The trainer turns checkpointing on by its own arguments (transformers 5.23.0 trainer.py), a framework's script by its options.
        |concept| concept == Concept::GradientCheckpointing && trainer || !dialect.options.is_empty(),
    );
    settings.insert(Concept::WorldSize, world_size);
    if !followed {
        training_kind::add(&mut settings, graph, code, task.as_deref());
        if let (Dialect::Trl | Dialect::HfTrainer, None, None, [(file, _)]) =
            (dialect, code, &sources.launch, sources.training.as_slice())
        {
            training_kind::add_task_of_file(&mut settings, &graph.file(*file).path);
        }
    }
    training_kind::add_weights(&mut settings, dialect);
    training_kind::add_precision(&mut settings, graph, code, dialect);
    sharding::derive_strategy(&mut settings);
    sharding::derive_checkpointing(&mut settings);
    let mut run = new_run(graph, sources, dialect, task, settings);
    if let Some(framework) = unread {
        run.unsupported = Some(framework);
        if !followed {
            unsupported::forget_settings(&mut run, framework, sources.launch.as_deref());
            return run;
        }
    }
    if deepspeed && trainer {
        batch_factors::require_agreement(&mut run);
    }
    if let Some(total) = train_batch {
        batch_factors::from_train_batch(&mut run, total);
    }
    batch_factors::derive_accumulation(&mut run);
    batch_factors::raise_to_group(&mut run);
    derive::add(&mut run, rows);
    run
}

fn new_run(
    graph: &FileGraph,
    sources: &RunSources,
    dialect: Dialect,
    task: Option<String>,
    settings: BTreeMap<Concept, crate::Setting>,
) -> Run {
    Run {
        id: String::new(),
        place: sources.place,
        launcher: sources.launch.as_ref().map(|launch| launch.launcher),
        launch: sources.launch.clone(),
        dialect,
        task,
        entry: sources.entry,
        code: sources.code.clone(),
        accelerate: sources.accelerate,
        deepspeed: sources.deepspeed,
        files: files_of(graph, sources),
        missing_files: sources.missing_files.clone(),
        unsupported: None,
        settings,
        folder_model: None,
        unknown_reads: UnknownReads::default(),
    }
}

fn world_size_input<'a>(graph: &'a FileGraph, sources: &'a RunSources, dialect: Dialect) -> WorldSizeInput<'a> {
    let code = sources.code.as_deref();
    let launch = sources.launch.as_deref();
    let names_file = launch.is_some_and(|launch| match launch.launcher.config.accelerate_option {
        Some(option) => names_accelerate(graph, sources, launch, option),
        None => launch.launcher == Launcher::Accelerate && launch.flag("--config_file").is_some(),
    });
    WorldSizeInput {
        graph,
        file: sources.place.file,
        launch,
        accelerate: sources.accelerate.map(|id| graph.file(id)),
        accelerate_missing: sources.accelerate.is_none() && names_file,
        training: sources.training.iter().map(|(id, _)| graph.file(*id)).collect(),
        policy: graph.policy(sources.place.file),
        dialect,
        plain_loop: distribution_hints::is_plain_loop(graph, code, dialect),
        code,
        process_starter: distribution_hints::process_starter(graph, launch, code),
        shared_ranks: shared_ranks::shared_ranks(graph, sources, dialect),
    }
}

/// What a file of DeepSpeed's sets that is not in the project, or that is one of several. Its optimizer replaces the trainer's
/// (transformers 5.23.0 `integrations/deepspeed.py`).
fn doubt_deepspeeds_settings(candidates: &mut CandidateSet, sources: &RunSources) {
    let why = if sources.deepspeed_is_open {
        message!("the code chooses between several DeepSpeed files", "代码在多个 DeepSpeed 文件之间选择")
    } else if sources.missing_files.is_empty() {
        return;
    } else {
        message!("the DeepSpeed file is not in the project", "DeepSpeed 配置文件不在项目中")
    };
    candidates.doubt_default(Concept::Optimizer, None, &why);
    for concept in [Concept::ZeroStage, Concept::OffloadOptimizer, Concept::OffloadParam] {
        if sources.deepspeed_is_open && !candidates.has_explicit(concept) {
            let origin = Origin::Code { place: sources.place, name: "deepspeed".to_owned() };
            candidates.add(concept, SourceLayer::Decided, unknown(why.clone(), "", origin));
        }
    }
}

/// What `accelerate launch` reads from a file that is not in the project: the one that it is given, or the machine's own.
fn doubt_accelerates_defaults(candidates: &mut CandidateSet, launch: Option<&Launch>, is_missing: bool) {
    let tool = Some(Dialect::Accelerate.framework().name);
    if is_missing {
        let why = message!("the accelerate file is not in the project", "accelerate 配置文件不在项目中");
        candidates.doubt_default(Concept::MixedPrecision, tool, &why);
        candidates.doubt_default(Concept::GradientAccumulationSteps, tool, &why);
    } else if launch.is_some_and(|launch| launch.launcher == Launcher::Accelerate && launch.flag("--config_file").is_none()) {
        let why = message!("the file that `accelerate config` writes may set it", "`accelerate config` 写出的文件可能设置它");
        candidates.doubt_default(Concept::MixedPrecision, tool, &why);
    }
}

/// `trl sft --accelerate_config zero3`: a file, or the name of one that TRL ships. The YAML may have the key too.
fn names_accelerate(graph: &FileGraph, sources: &RunSources, launch: &Launch, name: &str) -> bool {
    let key = |id: FileId| graph.file(id).data().and_then(|data| data.root()?.get(name)).is_some();
    launch.options().iter().any(|option| option.name.replace('-', "_") == name) || sources.training.iter().any(|(id, _)| key(*id))
}

/// Adds what DeepSpeed's file, the launcher's flags and accelerate's block set. Returns `train_batch_size`.
fn add_deepspeed(
    candidates: &mut CandidateSet,
    graph: &FileGraph,
    sources: &RunSources,
    trainer: bool,
    versions: &LibraryVersions,
) -> Option<Candidate> {
    let mut train_batch = None;
    if let Some(id) = sources.deepspeed {
        deepspeed::add_file(candidates, graph.file(id), trainer, &mut train_batch);
        sharding::add_engine_file(candidates, graph.file(id), trainer);
        if sources.code.as_ref().is_some_and(|code| code.accelerator.is_some()) && !trainer {
            deepspeed::add_missing_accumulation(candidates, graph.file(id));
        }
    }
    let accelerate = |launch: &&Launch| launch.launcher.starts_accelerate;
    if let Some(launch) = sources.launch.as_deref().filter(accelerate) {
        deepspeed::add_flags(candidates, launch, trainer);
    }
    if let Some(id) = sources.accelerate {
        deepspeed::add_block(candidates, graph.file(id), trainer);
        if sources.deepspeed.is_none() && sources.missing_files.is_empty() && !candidates.has_explicit(Concept::ZeroStage) {
            defaults::add_default(candidates, Dialect::Accelerate, Concept::ZeroStage, versions);
        }
    }
    train_batch
}

/// With `split_batches` the batch of the data loader is that of all processes together: 8 becomes 4 + 4 on two (accelerate 1.15.0, run).
fn add_split(candidates: &mut CandidateSet, sources: &RunSources) {
    for concept in [Concept::MicroBatch, Concept::EffectiveBatch] {
        let why = message!("`split_batches` divides the data loader's batch", "`split_batches` 会切分数据加载器的批次");
        let origin = Origin::Code { place: sources.place, name: "split_batches".to_owned() };
        candidates.add(concept, SourceLayer::Decided, unknown(why, "", origin));
    }
}

/// Every file that takes part, without repetition.
fn files_of(graph: &FileGraph, sources: &RunSources) -> Vec<FileId> {
    let mut files = vec![sources.place.file];
    files.push(graph.to_host(sources.place).file);
    files.extend(sources.accelerate);
    files.extend(sources.deepspeed);
    files.extend(sources.training.iter().map(|(id, _)| *id));
    files.extend(sources.unread.iter().map(|(id, _)| *id));
    files.extend(sources.entry);
    files.extend(sources.code.iter().flat_map(|code| code.files.iter().copied()));
    let mut seen = BTreeSet::new();
    files.retain(|id| seen.insert(*id));
    files
}

/// The module that a launch starts, by its name or by its file in a checkout of a library that the project does not hold.
fn started_module(sources: &RunSources) -> Option<String> {
    let launch = sources.launch.as_ref()?;
    if let Some(module) = &launch.module {
        return module.text().map(str::to_owned);
    }
    sources.entry.is_none().then(|| Dialect::module_of_file(launch.script.as_ref()?.text()?)).flatten()
}

fn dialect_of(graph: &FileGraph, sources: &RunSources) -> Dialect {
    let by_launcher = sources
        .launch
        .as_ref()
        .and_then(|launch| launch.launcher.dialect.or_else(|| Dialect::of_module(&started_module(sources)?)));
    let by_file = || sources.training.iter().find_map(|(id, _)| graph.classified_kind(*id).dialect());
    let by_options = || {
        let options = sources.launch.as_ref()?.options();
        Dialect::of_options(&options.iter().map(|option| option.name.as_str()).collect::<Vec<_>>())
    };
    by_launcher
        .or_else(by_options)
        .or_else(|| sources.code.as_ref().and_then(|code| code.dialect))
        .or_else(by_file)
        .unwrap_or(Dialect::Plain)
}

/// What a file that nothing reads may set is not known.
fn forget_unread_files(candidates: &mut CandidateSet, sources: &RunSources, dialect: Dialect) {
    let Some(launch) = &sources.launch else { return };
    let options = launch.options();
    for file in dialect.unread_files {
        let Some(option) = options.iter().find(|option| option.name == file.option) else { continue };
        let name = file.option;
        let why = message!("the file of `--{name}` is not read", "`--{name}` 的文件未被读取");
        let Some(concepts) = file.sets else {
            candidates.forget_defaults(&why);
            continue;
        };
        let origin = Origin::Flag { place: FileRange::new(launch.file, option.word), flag: format!("--{name}") };
        for concept in concepts {
            candidates.add(*concept, SourceLayer::Decided, unknown(why.clone(), "", origin.clone()));
        }
    }
}

/// A micro-batch that is filled by tokens has no fixed number of sequences.
fn forget_sequences(candidates: &mut CandidateSet, sources: &RunSources, dialect: Dialect) {
    let Some(launch) = &sources.launch else { return };
    let (options, module) = (launch.options(), launch.module.as_ref().and_then(Word::text));
    for TokenBatches { option: name, on_by_default_in } in dialect.token_batches {
        let option = options.iter().rfind(|option| option.name == *name);
        let text = option.map(|option| option.value.as_ref().and_then(|value| value.text.as_deref()));
        let is_on = match text {
            Some(text) => text.is_none_or(|text| spelled_bool(&argparse_word(text)) != Some(false)),
            None => module.is_some_and(|module| on_by_default_in.contains(&module)),
        };
        if !is_on {
            continue;
        }
        let why = message!("`{name}` fills micro-batches by tokens", "`{name}` 按 token 数组成微批");
        let place = FileRange::new(launch.file, option.map_or(launch.range, |option| option.word));
        candidates.add(
            Concept::MicroBatch,
            SourceLayer::Decided,
            unknown(why, "", Origin::Flag { place, flag: (*name).to_owned() }),
        );
    }
}

/// Whether the run trains under DeepSpeed.
fn uses_deepspeed(candidates: &CandidateSet, sources: &RunSources, dialect: Dialect, code: Option<&CodeFacts>) -> bool {
    let engine = sources.launch.as_ref().is_some_and(|launch| launch.launcher == Launcher::DeepSpeed);
    if sources.trainer_deepspeed || engine || dialect.is_deepspeed {
        return true;
    }
    match candidates.current_value(Concept::DistributedType).and_then(Value::as_str) {
        Some(kind) => kind == "DEEPSPEED",
        // A loop that steps an optimizer of its own hands the file to no engine.
        None => {
            sources.deepspeed.is_some() && !(dialect == Dialect::Plain && code.is_some_and(|code| code.accumulates.is_some()))
        }
    }
}

/// Environment variables that set a concept. transformers' Trainer passes its own accumulation to accelerate; the variable does not
/// reach it.
fn add_environment(candidates: &mut CandidateSet, launch: &Launch, deepspeed: bool, trainer: bool) {
    let variables = [
        ("ACCELERATE_GRADIENT_ACCUMULATION_STEPS", Concept::GradientAccumulationSteps, !trainer),
        ("ACCELERATE_DEEPSPEED_ZERO_STAGE", Concept::ZeroStage, deepspeed),
    ];
    for (name, concept, holds) in variables {
        if let Some(variable) = launch.variable(name).filter(|_| holds) {
            let origin = Origin::Env { name: name.to_owned(), place: launch.variable_place(variable) };
            if let Some(text) = variable.value.text() {
                // It always beats the argument of Accelerator() (accelerate 1.15.0, run).
                candidates.add(concept, SourceLayer::LauncherEnvironment, known(argparse_word(text), text, origin));
            }
        }
    }
}

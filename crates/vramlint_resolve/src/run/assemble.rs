//! Joins launcher, files, code and arguments into runs.

use super::route::{join_for, route_of};
use super::seed::Seed;
use super::settle::{Layer, Offers, known, unknown};
use super::world::World;
use super::{Run, arguments, batch, data, deepspeed, defaults, derive, from_code, parallel, processes, sharding, spread, vllm};
use crate::launch::Launch;
use crate::project::Project;
use crate::setting::{Candidate, Origin};
use std::collections::{BTreeMap, BTreeSet};
use vramlint_base::{FileId, FileRange, Value, message};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::shell::Word;

/// The runs that grow from a seed: one, or one per stage where the code speaks of several.
pub(super) fn assemble(project: &Project, seed: &Seed) -> Vec<Run> {
    let stages: BTreeSet<&'static str> = seed
        .code
        .iter()
        .flat_map(|code| &code.candidates)
        .filter(|(concept, _)| *concept == Concept::MicroBatch)
        .filter_map(|(_, candidate)| candidate.stage)
        .collect();
    if stages.len() < 2 {
        return vec![one(project, seed, stages.first().copied())];
    }
    stages.iter().map(|stage| one(project, seed, Some(stage))).collect()
}

fn one(project: &Project, seed: &Seed, stage: Option<&'static str>) -> Run {
    let code = seed.code.as_deref();
    let dialect = dialect_of(project, seed);
    let trainer = is_trainer(dialect);
    let task = stage.map(str::to_owned).or_else(|| code.and_then(|code| code.task.clone()));
    let world = world(project, seed, dialect);
    let mut offers = Offers::default();
    processes::offer(&mut offers, world.launch, world.accelerate, code);
    // What the code and the project's files call `num_gpus` does not reach the launcher.
    let launcher = offers.clone();
    let deepspeed = uses_deepspeed(&offers, seed, dialect);
    let mut train_batch = None;
    if deepspeed {
        train_batch = offer_deepspeed(&mut offers, project, seed, trainer);
    }
    let accelerate = seed.accelerate.map(|id| project.file(id));
    sharding::offer_accelerate(&mut offers, seed.launch.as_deref(), accelerate, parallel::replaced(seed));
    sharding::offer_allocator(&mut offers, seed.launch.as_deref(), code);
    if let Some(launch) = &seed.launch {
        arguments::offer(&mut offers, launch, dialect, code);
        offer_environment(&mut offers, launch, deepspeed, trainer);
    }
    for (id, loader) in &seed.training {
        data::offer_training(&mut offers, project, project.file(*id), *loader);
    }
    if let Some(code) = code {
        from_code::offer(&mut offers, project, seed, code, stage);
    }
    if spread::splits_batches(project, code) {
        offer_split(&mut offers, seed);
    }
    defaults::offer(&mut offers, code, dialect, task.as_deref(), deepspeed);
    vllm::settle_mode(&mut offers, dialect);
    vllm::offer_defaults(&mut offers, dialect);
    if deepspeed && seed.absent.is_empty() {
        sharding::offer_engine_defaults(&mut offers);
    }

    let world_size = world.settle(&launcher, &offers);
    let rows = world.spreads_rows(&offers);
    let route = route_of(seed, dialect, deepspeed);
    let mut settings = offers.settle(|concept| join_for(concept, seed, dialect, route));
    settings.insert(Concept::WorldSize, world_size);
    sharding::derive_strategy(&mut settings);
    let mut run = new_run(project, seed, dialect, task, settings);
    if deepspeed && trainer {
        batch::must_agree(&mut run);
    }
    if let Some(total) = train_batch {
        batch::from_train_batch(&mut run, total);
    }
    batch::derive_accumulation(&mut run);
    derive::add(&mut run, rows);
    run
}

fn new_run(
    project: &Project,
    seed: &Seed,
    dialect: Dialect,
    task: Option<String>,
    settings: BTreeMap<Concept, crate::Setting>,
) -> Run {
    Run {
        id: String::new(),
        place: seed.place,
        launcher: seed.launch.as_ref().map(|launch| launch.launcher),
        launch: seed.launch.clone(),
        dialect,
        task,
        entry: seed.entry,
        code: seed.code.clone(),
        accelerate: seed.accelerate,
        deepspeed: seed.deepspeed,
        files: files_of(project, seed),
        absent: seed.absent.clone(),
        settings,
    }
}

fn world<'a>(project: &'a Project, seed: &'a Seed, dialect: Dialect) -> World<'a> {
    let code = seed.code.as_deref();
    let launch = seed.launch.as_deref();
    let names_file = launch.is_some_and(|launch| match launch.launcher {
        Launcher::Accelerate => launch.flag("--config_file").is_some(),
        Launcher::Trl => names_accelerate(project, seed, launch),
        _ => false,
    });
    World {
        launch,
        accelerate: seed.accelerate.map(|id| project.file(id)),
        accelerate_absent: seed.accelerate.is_none() && names_file,
        policy: project.policy(seed.place.file),
        dialect,
        plain_loop: spread::plain_loop(project, code, dialect),
        code,
        spreads: spread::word(project, launch, code),
        sharing: parallel::ranks(project, seed, dialect),
    }
}

/// `trl sft --accelerate_config zero3`: a file, or the name of one that TRL ships; the YAML may say it too.
fn names_accelerate(project: &Project, seed: &Seed, launch: &Launch) -> bool {
    let key = |id: FileId| project.file(id).data().and_then(|data| data.root()?.get("accelerate_config")).is_some();
    launch.options().iter().any(|option| option.name.replace('-', "_") == "accelerate_config")
        || seed.training.iter().any(|(id, _)| key(*id))
}

/// What DeepSpeed's file, the launcher's flags and its block offer; gives `train_batch_size` back.
fn offer_deepspeed(offers: &mut Offers, project: &Project, seed: &Seed, trainer: bool) -> Option<Candidate> {
    let mut train_batch = None;
    if let Some(id) = seed.deepspeed {
        deepspeed::offer_file(offers, project.file(id), trainer, &mut train_batch);
        sharding::offer_engine_file(offers, project.file(id), trainer);
        if seed.code.as_ref().is_some_and(|code| code.accelerator.is_some()) && !trainer {
            deepspeed::offer_missing_accumulation(offers, project.file(id));
        }
    }
    let accelerate = |launch: &&Launch| matches!(launch.launcher, Launcher::Accelerate | Launcher::Trl | Launcher::Axolotl);
    if let Some(launch) = seed.launch.as_deref().filter(accelerate) {
        deepspeed::offer_flags(offers, launch, trainer);
    }
    if let Some(id) = seed.accelerate {
        deepspeed::offer_block(offers, project.file(id), trainer);
        if seed.deepspeed.is_none() && seed.absent.is_empty() && !offers.has(Concept::ZeroStage) {
            offers.offer(Concept::ZeroStage, Layer::Default, deepspeed::default_stage());
        }
    }
    train_batch
}

/// Frameworks that train by transformers' Trainer: its arguments and DeepSpeed's numbers must agree.
const fn is_trainer(dialect: Dialect) -> bool {
    use Dialect::{Axolotl, HfTrainer, LlamaFactory, MsSwift, Trl, Unsloth};
    matches!(dialect, HfTrainer | Trl | LlamaFactory | Axolotl | MsSwift | Unsloth)
}

/// With `split_batches` the loader's batch is that of all processes together (trainers.md section 2).
fn offer_split(offers: &mut Offers, seed: &Seed) {
    for concept in [Concept::MicroBatch, Concept::EffectiveBatch] {
        let why = message!("split_batches divides the loader's batch", "split_batches 会切分数据加载器的批次");
        let origin = Origin::Code { place: seed.place, name: "split_batches".to_owned() };
        offers.offer(concept, Layer::Decided, unknown(why, "", origin));
    }
}

/// Every file that takes part, without repetition.
fn files_of(project: &Project, seed: &Seed) -> Vec<FileId> {
    let mut files = vec![seed.place.file];
    files.push(project.to_host(seed.place).file);
    files.extend(seed.accelerate);
    files.extend(seed.deepspeed);
    files.extend(seed.training.iter().map(|(id, _)| *id));
    files.extend(seed.entry);
    files.extend(seed.code.iter().flat_map(|code| code.files.iter().copied()));
    let mut seen = BTreeSet::new();
    files.retain(|id| seen.insert(*id));
    files
}

fn dialect_of(project: &Project, seed: &Seed) -> Dialect {
    let by_launcher = seed.launch.as_ref().and_then(|launch| match launch.launcher {
        Launcher::LlamaFactory => Some(Dialect::LlamaFactory),
        Launcher::Axolotl => Some(Dialect::Axolotl),
        Launcher::Tune => Some(Dialect::Torchtune),
        Launcher::Trl => Some(Dialect::Trl),
        Launcher::Swift => Some(Dialect::MsSwift),
        _ => match launch.module.as_ref().and_then(Word::text) {
            Some("axolotl.cli.train") => Some(Dialect::Axolotl),
            Some(module) if module.starts_with("openrlhf.") => Some(Dialect::OpenRlhf),
            Some(module) if module.starts_with("llamafactory.") => Some(Dialect::LlamaFactory),
            _ => None,
        },
    });
    let by_file = || seed.training.iter().find_map(|(id, _)| project.kind(*id).dialect());
    by_launcher.or_else(|| seed.code.as_ref().and_then(|code| code.dialect)).or_else(by_file).unwrap_or(Dialect::Plain)
}

/// Whether the run trains under DeepSpeed.
fn uses_deepspeed(offers: &Offers, seed: &Seed, dialect: Dialect) -> bool {
    let engine = seed.launch.as_ref().is_some_and(|launch| launch.launcher == Launcher::DeepSpeed);
    if seed.trainer_deepspeed || engine || dialect == Dialect::OpenRlhf {
        return true;
    }
    match offers.peek(Concept::DistributedType).and_then(Value::as_str) {
        Some(kind) => kind == "DEEPSPEED",
        None => seed.deepspeed.is_some(),
    }
}

/// Variables of the environment that set a concept. transformers' Trainer gives accelerate its own accumulation, which the
/// variable does not reach.
fn offer_environment(offers: &mut Offers, launch: &Launch, deepspeed: bool, trainer: bool) {
    let variables = [
        ("ACCELERATE_GRADIENT_ACCUMULATION_STEPS", Concept::GradientAccumulationSteps, !trainer),
        ("ACCELERATE_DEEPSPEED_ZERO_STAGE", Concept::ZeroStage, deepspeed),
    ];
    for (name, concept, holds) in variables {
        if let Some(variable) = launch.variable(name).filter(|_| holds) {
            let origin = Origin::Env { name: name.to_owned(), place: FileRange::new(launch.file, variable.range) };
            if let Some(text) = variable.value.text() {
                // Beats the argument of Accelerator() always (accelerate.md section 4).
                offers.offer(concept, Layer::LauncherEnvironment, known(arguments::typed(text), text, origin));
            }
        }
    }
}

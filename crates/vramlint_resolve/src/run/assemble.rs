//! Joins launcher, files, code and arguments into runs.

use super::settle::{Join, Layer, Offers, known};
use super::world::World;
use super::{Run, arguments, data, deepspeed, derive};
use crate::code::{CodeCandidate, CodeFacts, LoadRole, LoadedFile};
use crate::kind::Kind;
use crate::launch::Launch;
use crate::project::Project;
use crate::setting::{Candidate, Origin, Precedence, Resolved};
use std::collections::BTreeSet;
use std::sync::Arc;
use vramlint_base::{FileId, Place, Value, message};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::precedence::{Route, precedence};
use vramlint_catalog::{Concept, Dialect, dialect};
use vramlint_syntax::data::{Loader, NodeRef};
use vramlint_syntax::shell::Word;

/// What a run grows from.
#[derive(Debug)]
pub(super) struct Seed {
    place: Place,
    launch: Option<Arc<Launch>>,
    entry: Option<FileId>,
    code: Option<Arc<CodeFacts>>,
    /// Training files that take part, with the loader where the code shows it.
    training: Vec<(FileId, Option<Loader>)>,
    accelerate: Option<FileId>,
    deepspeed: Option<FileId>,
    absent: Vec<(String, Place)>,
}

impl Seed {
    /// From a command.
    pub(super) fn from_launch(project: &Project, launch: Arc<Launch>, entry: Option<FileId>) -> Self {
        let mut seed = Self::new(Place::new(launch.file, launch.range));
        seed.entry = entry;
        seed.code = entry.and_then(|entry| project.code_given(entry, &arguments::given(&launch)));
        seed.launch = Some(launch);
        seed.find_files(project);
        seed
    }

    /// From a script that no command starts.
    pub(super) fn from_entry(project: &Project, entry: FileId) -> Self {
        let mut seed = Self::new(super::find::whole(project.file(entry)));
        seed.entry = Some(entry);
        seed.code = project.code(entry);
        seed.find_files(project);
        seed
    }

    /// From a training file that nothing reads.
    pub(super) fn from_training_file(project: &Project, file: FileId) -> Self {
        let mut seed = Self::new(super::find::whole(project.file(file)));
        seed.training.push((file, None));
        seed.find_files(project);
        seed
    }

    fn new(place: Place) -> Self {
        Self {
            place,
            launch: None,
            entry: None,
            code: None,
            training: Vec::new(),
            accelerate: None,
            deepspeed: None,
            absent: Vec::new(),
        }
    }

    /// Follows every reference to a data file.
    fn find_files(&mut self, project: &Project) {
        if let Some(launch) = self.launch.clone() {
            self.by_launcher(project, &launch);
            self.by_arguments(project, &launch);
        }
        if let Some(code) = self.code.clone() {
            for load in &code.loads {
                self.by_load(project, load);
            }
        }
        for (id, _) in self.training.clone() {
            let file = project.file(id);
            let Some(node) = file.data().and_then(|data| data.root()?.get("deepspeed")) else { continue };
            if let Some(path) = node.text().filter(|text| looks_like_path(text)) {
                self.refer(project, path, Place::new(id, node.range()), Kind::DeepSpeed);
            }
        }
        if let Some(id) = self.accelerate {
            let node = project.file(id).data().and_then(|data| data.root()?.at(&["deepspeed_config", "deepspeed_config_file"]));
            if let Some((path, node)) = node.and_then(|node: NodeRef<'_>| node.text().map(|text| (text, node))) {
                self.refer(project, path, Place::new(id, node.range()), Kind::DeepSpeed);
            }
        }
    }

    fn by_launcher(&mut self, project: &Project, launch: &Launch) {
        for flag in &launch.flags {
            let kind = match (launch.launcher, flag.name.as_str()) {
                (Launcher::Accelerate, "--config_file") => Kind::Accelerate,
                (_, "--deepspeed_config_file") => Kind::DeepSpeed,
                _ => continue,
            };
            if let Some(word) = flag.values.first() {
                self.refer_word(project, launch, word, kind);
            }
        }
        if matches!(launch.launcher, Launcher::LlamaFactory | Launcher::Axolotl)
            && let Some(word) = &launch.script
        {
            self.refer_word(project, launch, word, Kind::Training);
        }
    }

    fn by_arguments(&mut self, project: &Project, launch: &Launch) {
        let folder = project.file(launch.file).folder();
        for option in launch.options() {
            let Some(value) = &option.value else { continue };
            let kind = match option.name.as_str() {
                "deepspeed" | "deepspeed_config" | "deepspeed-config" | "ds_config" => Kind::DeepSpeed,
                "accelerate_config" if launch.launcher == Launcher::Trl => Kind::Accelerate,
                _ => Kind::Training,
            };
            let Some(text) = value.text.as_deref() else { continue };
            let place = Place::new(launch.file, value.range);
            if project.lookup.find(text, folder).is_some() || kind != Kind::Training && looks_like_path(text) {
                self.refer_from(project, text, folder, place, kind, self.loader_for(&option.name));
            }
        }
        // `train.py config.yaml`: a file by position.
        for word in &launch.arguments {
            let data = word.text().is_some_and(|text| {
                [".yaml", ".yml", ".json"].iter().any(|end| text.ends_with(end)) && !text.starts_with('-') && !text.contains('=')
            });
            if data {
                self.refer_word(project, launch, word, Kind::Training);
            }
        }
    }

    /// The loader that the code uses for the file that an option names.
    fn loader_for(&self, option: &str) -> Option<Loader> {
        let option = option.replace('-', "_");
        self.code.as_ref()?.loads.iter().find(|load| load.option.as_deref() == Some(option.as_str()))?.loader
    }

    fn by_load(&mut self, project: &Project, load: &LoadedFile) {
        let folder = project.file(load.place.file).folder();
        let given = load.option.as_deref().and_then(|option| {
            let launch = self.launch.as_ref()?;
            let found = launch.options().into_iter().rfind(|o| o.name.replace('-', "_") == option)?;
            Some(found.value?.text)
        });
        let path = match given {
            Some(Some(text)) => text,
            Some(None) => return,
            None => match load.path.clone().or_else(|| self.word(load.argument?)) {
                Some(path) => path,
                None => return,
            },
        };
        let kind = if load.role == LoadRole::DeepSpeed { Kind::DeepSpeed } else { Kind::Training };
        self.refer_from(project, &path, folder, load.place, kind, load.loader);
    }

    /// The bare word of the command line with this number, counted from 1 as `sys.argv` does.
    fn word(&self, number: usize) -> Option<String> {
        let launch = self.launch.as_ref()?;
        launch.arguments.get(number.checked_sub(1)?)?.text().map(str::to_owned)
    }

    fn refer_word(&mut self, project: &Project, launch: &Launch, word: &Word, kind: Kind) {
        let folder = project.file(launch.file).folder();
        if let Some(text) = word.text() {
            self.refer_from(project, text, folder, Place::new(launch.file, word.range), kind, None);
        }
    }

    fn refer(&mut self, project: &Project, path: &str, place: Place, kind: Kind) {
        let folder = project.file(place.file).folder();
        self.refer_from(project, path, folder, place, kind, None);
    }

    /// Takes a file in, by what it is; what it is called for decides where the file itself leaves it open.
    fn refer_from(&mut self, project: &Project, path: &str, folder: &str, place: Place, wanted: Kind, loader: Option<Loader>) {
        let Some(id) = project.lookup.find(path, folder) else {
            if matches!(wanted, Kind::Accelerate | Kind::DeepSpeed) {
                self.absent.push((path.to_owned(), place));
            }
            return;
        };
        match (project.kind(id), wanted) {
            (Kind::Accelerate, _) | (_, Kind::Accelerate) => self.accelerate = self.accelerate.or(Some(id)),
            (Kind::DeepSpeed, _) | (_, Kind::DeepSpeed) => self.deepspeed = self.deepspeed.or(Some(id)),
            (kind, _) if kind.is_training() => match self.training.iter_mut().find(|(known, _)| *known == id) {
                Some((_, known)) => *known = known.or(loader),
                None => self.training.push((id, loader)),
            },
            _ => {}
        }
    }
}

fn looks_like_path(text: &str) -> bool {
    text.ends_with(".json") || text.ends_with(".yaml") || text.ends_with(".yml")
}

/// The runs that grow from a seed: one, or one per stage where the code speaks of several.
pub(super) fn assemble(project: &Project, seed: Seed) -> Vec<Run> {
    let stages: BTreeSet<&'static str> = seed
        .code
        .iter()
        .flat_map(|code| &code.candidates)
        .filter(|(concept, _)| *concept == Concept::MicroBatch)
        .filter_map(|(_, candidate)| candidate.stage)
        .collect();
    if stages.len() < 2 {
        return vec![one(project, &seed, stages.first().copied())];
    }
    stages.iter().map(|stage| one(project, &seed, Some(stage))).collect()
}

fn one(project: &Project, seed: &Seed, stage: Option<&'static str>) -> Run {
    let policy = project.policy(seed.place.file);
    let code = seed.code.as_deref();
    let dialect = dialect_of(project, seed);
    let task = stage.map(str::to_owned).or_else(|| code.and_then(|code| code.task.clone()));
    let mut offers = Offers::default();
    let mut train_batch = None;

    let world = World {
        launch: seed.launch.as_deref(),
        accelerate: seed.accelerate.map(|id| project.file(id)),
        accelerate_absent: seed.accelerate.is_none()
            && seed.launch.as_ref().is_some_and(|l| l.launcher == Launcher::Accelerate && l.flag("--config_file").is_some()),
        policy,
        plain_loop: plain_loop(project, seed, dialect),
    };
    world.offer(&mut offers);
    let deepspeed = uses_deepspeed(&offers, seed);
    if deepspeed {
        if let Some(id) = seed.deepspeed {
            deepspeed::offer_file(&mut offers, project.file(id), &mut train_batch);
        }
        if let Some(id) = seed.accelerate {
            deepspeed::offer_block(&mut offers, project.file(id));
            if seed.deepspeed.is_none() && seed.absent.is_empty() && !offers.has(Concept::ZeroStage) {
                offers.offer(Concept::ZeroStage, Layer::Default, deepspeed::default_stage());
            }
        }
    }
    if let Some(launch) = &seed.launch {
        arguments::offer(&mut offers, launch, dialect, code);
        offer_environment(&mut offers, launch);
    }
    for (id, loader) in &seed.training {
        data::offer_training(&mut offers, project, project.file(*id), *loader);
    }
    if let Some(code) = code {
        offer_code(&mut offers, project, seed, code, stage);
    }
    offer_defaults(&mut offers, code, dialect, task.as_deref(), deepspeed);

    let world_size = world.settle(&offers);
    let route = route_of(seed, dialect, deepspeed);
    let mut settings = offers.settle(|concept| join_for(concept, seed, dialect, route));
    settings.insert(Concept::WorldSize, world_size);
    let mut run = Run {
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
    };
    if let Some(total) = train_batch {
        from_train_batch(&mut run, total);
    }
    derive::add(&mut run);
    run
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
fn uses_deepspeed(offers: &Offers, seed: &Seed) -> bool {
    let engine = seed.launch.as_ref().is_some_and(|launch| launch.launcher == Launcher::DeepSpeed);
    match offers.peek(Concept::DistributedType).and_then(Value::as_str) {
        Some(kind) => kind == "DEEPSPEED",
        None => engine || seed.deepspeed.is_some(),
    }
}

/// Words of code that can spread over processes; a loop without any of them is one process.
const SPREADS: &[&str] = &[
    "accelerat",
    "torch.distributed",
    "DistributedDataParallel",
    "deepspeed",
    "Trainer",
    "lightning",
    "trl",
    "horovod",
    "fairscale",
    "colossalai",
    "init_process_group",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "import ray",
    "FullyShardedDataParallel",
    "fully_shard",
    "DataParallel",
];

fn plain_loop(project: &Project, seed: &Seed, dialect: Dialect) -> bool {
    let Some(code) = &seed.code else { return false };
    let loops = code.accumulates.is_some() && code.accelerator.is_none() && dialect == Dialect::Plain;
    loops && code.files.iter().all(|id| SPREADS.iter().all(|word| !project.file(*id).text.contains(word)))
}

/// Variables of the environment that set a concept.
fn offer_environment(offers: &mut Offers, launch: &Launch) {
    const VARIABLES: &[(&str, Concept)] = &[
        ("ACCELERATE_GRADIENT_ACCUMULATION_STEPS", Concept::GradientAccumulationSteps),
        ("ACCELERATE_DEEPSPEED_ZERO_STAGE", Concept::ZeroStage),
    ];
    for (name, concept) in VARIABLES {
        if let Some(variable) = launch.variable(name) {
            let origin = Origin::Env { name: (*name).to_owned(), place: Place::new(launch.file, variable.range) };
            if let Some(text) = variable.value.text() {
                // Beats the argument of Accelerator() always (accelerate.md section 4).
                offers.offer(*concept, Layer::Decided, known(arguments::typed(text), text, origin));
            }
        }
    }
}

fn offer_code(offers: &mut Offers, project: &Project, seed: &Seed, code: &CodeFacts, stage: Option<&str>) {
    for (concept, found) in &code.candidates {
        let other_stage = found.stage.is_some_and(|own| stage.is_some_and(|stage| stage != own));
        if other_stage || !found.used {
            continue;
        }
        if let Some(candidate) = from_loaded_file(project, seed, code, found) {
            offers.offer(*concept, Layer::Decided, candidate);
        } else if found.loaded_key.is_some() {
            // The file, or the key in it, is not there. With a fallback in the code the fallback speaks; else it stays unknown.
            let fallback = code.candidates.iter().any(|(other, rival)| other == concept && rival.fallback);
            if !fallback {
                offers.offer(*concept, Layer::Decided, found.candidate.clone());
            }
        } else if let Some(option) = &found.option {
            by_option(offers, seed, code, *concept, found, option);
        } else if !found.fallback || !offers.decided(*concept) {
            let layer = if found.reaches_call { Layer::Decided } else { Layer::Constant };
            offers.offer(*concept, layer, found.candidate.clone());
        }
    }
}

/// A value that an option of the command line feeds: the flag where the launch gives it, else the option's default.
fn by_option(offers: &mut Offers, seed: &Seed, code: &CodeFacts, concept: Concept, found: &CodeCandidate, option: &str) {
    let given = seed.launch.as_deref().is_some_and(|launch| launch.options().iter().any(|o| same_option(code, &o.name, option)));
    if given && found.reaches_call {
        promote_flag(offers, seed, code, concept, option);
    } else if !given {
        let layer = if found.reaches_call { Layer::Decided } else { Layer::OptionDefault };
        offers.offer(concept, layer, found.candidate.clone());
    }
}

fn same_option(code: &CodeFacts, written: &str, dest: &str) -> bool {
    let declared = code.options.iter().find(|option| option.dest == dest);
    written.replace('-', "_") == dest
        || declared.is_some_and(|option| option.names.iter().any(|name| name.trim_start_matches('-') == written))
}

fn promote_flag(offers: &mut Offers, seed: &Seed, code: &CodeFacts, concept: Concept, option: &str) {
    let Some(launch) = seed.launch.as_deref() else { return };
    let options = launch.options();
    let Some(value) = options.iter().rfind(|o| same_option(code, &o.name, option)).and_then(|o| o.value.as_ref()) else { return };
    let origin = Origin::Flag { place: Place::new(launch.file, value.range), flag: format!("--{option}") };
    let mut candidate = match &value.text {
        Some(text) => known(arguments::typed(text), text.clone(), origin),
        None => super::settle::unknown(message!("the script does not say", "脚本中没有给出"), "", origin),
    };
    candidate.assumptions = arguments::assumptions(value.word);
    offers.offer(concept, Layer::Decided, candidate);
}

/// The value of a key of a loaded file that code passes on.
fn from_loaded_file(project: &Project, seed: &Seed, code: &CodeFacts, found: &CodeCandidate) -> Option<Candidate> {
    let (index, keys) = found.loaded_key.as_ref()?;
    let load = code.loads.get(*index)?;
    let folder = project.file(load.place.file).folder();
    let by_option = load.option.as_deref().and_then(|option| {
        let options = seed.launch.as_ref()?.options();
        let given = options.iter().rfind(|o| same_option(code, &o.name, option))?;
        Some(given.value.as_ref().and_then(|value| value.text.clone()))
    });
    let path = match by_option {
        Some(given) => given?,
        None => load.path.clone()?,
    };
    let launch_folder = seed.launch.as_ref().map_or(folder, |launch| project.file(launch.file).folder());
    let id = project.lookup.find(&path, folder).or_else(|| project.lookup.find(&path, launch_folder))?;
    let file = project.file(id);
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    data::lookup(file, &keys, load.loader.unwrap_or_else(|| data::loader_of(file, project.kind(id))))
}

/// Defaults of the framework, and of code that shows no accumulation.
fn offer_defaults(offers: &mut Offers, code: Option<&CodeFacts>, dialect: Dialect, task: Option<&str>, deepspeed: bool) {
    let adapters = offers.has(Concept::LoraR)
        || offers.peek(Concept::Method).and_then(Value::as_str).is_some_and(|method| method.ends_with("lora"));
    for concept in Concept::ALL {
        let holds = match concept {
            Concept::LoraR | Concept::LoraAlpha | Concept::LoraTargets => adapters,
            Concept::ZeroStage | Concept::OffloadOptimizer | Concept::OffloadParam => deepspeed,
            _ => true,
        };
        if holds && let Some((value, source)) = dialect::default_of(dialect, *concept, task) {
            let origin = Origin::Default { tool: tool_name(dialect), source: source.to_owned() };
            offers.offer(*concept, Layer::Default, known(value, "", origin));
        }
    }
    let bare = code.and_then(|code| code.accelerator).is_some_and(|used| !used.accumulation_given);
    if bare && !offers.has(Concept::GradientAccumulationSteps) {
        // Without the argument nothing accumulates, unless the environment says so (accelerate 1.15.0 accelerator.py:541).
        let source = "accelerate 1.15.0 accelerator.py".to_owned();
        offers.offer(
            Concept::GradientAccumulationSteps,
            Layer::Default,
            known(Value::Int(1), "", Origin::Default { tool: "accelerate", source }),
        );
    }
    if code.and_then(|code| code.accumulates) == Some(false) {
        let why = message!("the training loop steps once per micro-batch", "训练循环每个微批次更新一次");
        offers.offer(Concept::GradientAccumulationSteps, Layer::Default, known(Value::Int(1), "", Origin::Assumed { why }));
    }
}

fn tool_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::HfTrainer => "transformers",
        Dialect::Trl => "TRL",
        Dialect::LlamaFactory => "LLaMA-Factory",
        Dialect::Axolotl => "Axolotl",
        Dialect::MsSwift => "ms-swift",
        Dialect::Torchtune => "torchtune",
        Dialect::OpenRlhf => "OpenRLHF",
        Dialect::Unsloth => "unsloth",
        Dialect::Lightning => "Lightning",
        Dialect::Accelerate => "accelerate",
        Dialect::DeepSpeed => "DeepSpeed",
        Dialect::Plain => "the project",
    }
}

/// DeepSpeed's third batch key: it gives the factor that nobody states.
fn from_train_batch(run: &mut Run, total: Candidate) {
    let stated = |run: &Run, concept: Concept| {
        run.settings
            .get(&concept)
            .and_then(|s| s.winning())
            .is_some_and(|c| !matches!(c.origin, Origin::Default { .. } | Origin::Assumed { .. }))
    };
    let Some(world) = run.int(Concept::WorldSize) else { return };
    let (micro, steps) = (stated(run, Concept::MicroBatch), stated(run, Concept::GradientAccumulationSteps));
    let (missing, other) = match (micro, steps) {
        (true, false) => (Concept::GradientAccumulationSteps, run.int(Concept::MicroBatch)),
        (false, true) => (Concept::MicroBatch, run.int(Concept::GradientAccumulationSteps)),
        (false, false) => (Concept::MicroBatch, Some(1)),
        (true, true) => return,
    };
    if let Some(candidate) = other.and_then(|other| deepspeed::quotient(&total, &[other, world], missing)) {
        let setting = run.settings.entry(missing).or_default();
        setting.candidates.insert(0, candidate);
        setting.winner = Some(0);
    }
    let setting = run.settings.entry(Concept::EffectiveBatch).or_default();
    if matches!(total.value, Resolved::Known(_)) {
        setting.candidates.insert(0, total);
        setting.winner = Some(0);
    }
}

/// How the run starts, for the table of who wins.
fn route_of(seed: &Seed, dialect: Dialect, deepspeed: bool) -> Route {
    match seed.launch.as_ref().map(|launch| launch.launcher) {
        Some(Launcher::Accelerate) if deepspeed => Route::AccelerateDeepSpeed,
        Some(Launcher::Accelerate) => Route::Accelerate,
        Some(Launcher::Torchrun) => Route::Torchrun,
        Some(Launcher::DeepSpeed) => Route::DeepSpeed,
        Some(Launcher::LlamaFactory | Launcher::Axolotl | Launcher::Tune | Launcher::Trl | Launcher::Swift) => Route::Framework,
        None if matches!(dialect, Dialect::LlamaFactory | Dialect::Axolotl | Dialect::Torchtune | Dialect::MsSwift) => {
            Route::Framework
        }
        Some(Launcher::Python) | None => Route::Python,
    }
}

/// Whether the tool itself orders command line, files and code for this concept; else code that the project does not show does.
fn join_for(concept: Concept, seed: &Seed, dialect: Dialect, route: Route) -> Join {
    let launchers_own = matches!(
        concept,
        Concept::NumProcesses
            | Concept::NumMachines
            | Concept::GpuIds
            | Concept::VisibleDevices
            | Concept::DistributedType
            | Concept::MixedPrecision
    );
    let parser = seed.code.as_ref().is_some_and(|code| code.loads.iter().any(|load| load.loader == Some(Loader::TrlParser)));
    let framework =
        matches!(dialect, Dialect::LlamaFactory | Dialect::Axolotl | Dialect::Torchtune | Dialect::MsSwift | Dialect::OpenRlhf);
    if !(launchers_own || parser || framework || route == Route::Framework) {
        return Join::Open;
    }
    let route = if launchers_own { route } else { Route::Framework };
    let (order, source) =
        precedence(route, concept).unwrap_or(("command line > file > default", "trl 1.16.0 trl/scripts/utils.py TrlParser"));
    Join::Ordered(Precedence { order, source })
}

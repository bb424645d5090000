//! From a resolved run to a setup: stated values, defaults of the libraries, and assumptions.
//!
//! Two setups are built in parallel. `upper` is estimated; it has the heaviest value of every setting that the run leaves open. `lower`
//! has the lightest value of everything that the project does not state: a run that does not fit even so does not fit, whatever the
//! project leaves out.

mod activations;
mod adapters;
mod batch;
mod commented_models;
mod dataloader;
mod device_map;
mod doubts;
#[cfg(test)]
mod framework_tests;
mod joint_model;
mod megatron;
mod model;
mod open_precision;
mod optimizer;
mod other_processes;
mod own_modules;
mod parallel;
mod precision;
mod project_files;
mod public_data;
mod resident_models;
mod setting_range;
mod task;
#[cfg(test)]
mod tests;
mod trained_by_rules;
mod trained_parts;
mod training_loop;
mod vllm;

use crate::capacity::gpu_of;
use crate::models::{Model, Models};
pub(crate) use doubts::Doubt;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::Setup;
use vramlint_memory::estimate::Assumption;
use vramlint_memory::setup::Platform;
use vramlint_resolve::code::library;
use vramlint_resolve::{Project, Run, Target};

/// A run with its setups.
#[derive(Clone, Debug)]
pub(crate) struct Mapped {
    /// The trained model.
    pub model: Model,
    /// The lightest candidate of the model.
    pub lower_model: Model,
    /// The setup to estimate.
    pub setup: Setup,
    /// The setup with the lightest value of everything that is not stated.
    pub lower: Setup,
    /// Assumptions.
    pub assumptions: Vec<Message>,
    /// Completions per prompt, for GRPO.
    pub num_generations: Option<u64>,
    /// Processes that share an optimizer step, if known.
    pub world: Option<u64>,
    /// Tokens of the longest row that the bounds allow for, if nothing states how long rows are.
    pub longest_row: Option<u64>,
    /// Rows of the smallest micro-batch that the bounds allow for, if the data decide how many a sample has.
    pub fewest_rows: Option<u64>,
    /// Whether the number of processes that share the work is open.
    pub open_world: bool,
    /// Whether the project compares distributions over the vocabulary with code of its own.
    pub own_divergence: bool,
    /// Whether all rows may have the same length, so that attention gets no mask: no tokenizer makes them.
    pub even_rows: bool,
    /// What reading the code leaves uncertain.
    pub doubts: Vec<Doubt>,
    /// Why a decisive value is unverified, if one is.
    pub unverified: Option<Message>,
}

/// Options that change the training step itself: optimizers that project gradients or train a part at a time
/// (LLaMA-Factory 0.9.6 hparams/finetuning_args.py), experts on the processor (KTransformers), layers that live on the host, ternary
/// layers (Axolotl 0.18.0 utils/schemas/config.py).
const NOT_MODELLED: &[&str] = &["mixture_of_depths", "use_kt", "layer_offloading", "use_onebitllms"];
/// Options that divide experts over GPUs, with a number of GPUs (Axolotl 0.18.0, ms-swift 4.6, LLaMA-Factory 0.9.6).
const EXPERT_PARALLEL: &[&str] = &["expert_parallel_size", "expert_model_parallel_size", "ep_size"];
/// Keys of recipes that hold several models (PPO and distillation of torchtune 0.7.0), and of LISA, which trains other layers from time to
/// time (ms-swift, Axolotl).
const OTHER_LOOPS: &[&str] = &["ppo_epochs", "ppo_batch_size", "teacher_checkpointer", "lisa_activated_layers", "lisa_n_layers"];
/// Keys that keep activations on the host: torchtune, TRL 1.16, Axolotl 0.18.
const OFFLOADED_ACTIVATIONS: &[&str] = &["enable_activation_offloading", "activation_offloading"];

struct Mapping<'a> {
    project: &'a Project,
    run: &'a Run,
    models: &'a Models,
    assumptions: Vec<Message>,
    longest_row: Option<u64>,
    open_world: bool,
    fewest_rows: Option<u64>,
    sample_documents: bool,
    in_evaluation_mode: bool,
    /// Whether the rows are as long as those of a public data set, which nothing cuts.
    public_rows_count: bool,
    unverified: Option<Message>,
    upper: Setup,
    lower: Setup,
}

/// Maps a run. An error says which setting is missing.
pub(crate) fn map(project: &Project, run: &Run, models: &Models) -> Result<Mapped, Message> {
    let (upper, lower) = (Setup::default(), Setup::default());
    let assumptions = Vec::new();
    let mut mapping = Mapping {
        project,
        run,
        models,
        assumptions,
        longest_row: None,
        open_world: false,
        fewest_rows: None,
        sample_documents: false,
        in_evaluation_mode: false,
        public_rows_count: false,
        unverified: None,
        upper,
        lower,
    };
    mapping.known_command()?;
    let (mut model, mut lower_model) = mapping.model_range()?;
    mapping.task(&model)?;
    if let Some(Assumption { en, zh }) = model.arch.unfit_for(mapping.upper.task) {
        return Err(Message { en, zh });
    }
    let (world, num_generations) = match run.dialect.estimate.megatron {
        Some(usual) => mapping.megatron(&model, usual)?,
        None => mapping.step(&model)?,
    };
    if mapping.in_evaluation_mode {
        model.arch.drop_nothing();
        lower_model.arch.drop_nothing();
    }
    let own_divergence = mapping.own_divergence(&model);
    let even_rows = mapping.may_have_even_rows();
    let doubts = mapping.doubts();
    let Mapping { assumptions, longest_row, open_world, fewest_rows, unverified, upper: setup, lower, .. } = mapping;
    Ok(Mapped {
        model,
        lower_model,
        setup,
        lower,
        assumptions,
        num_generations,
        world,
        longest_row,
        fewest_rows,
        open_world,
        own_divergence,
        even_rows,
        doubts,
        unverified,
    })
}

impl Mapping<'_> {
    /// Sets what the simulator plays. Returns the processes that share an optimizer step, if known, and completions per prompt.
    fn step(&mut self, model: &Model) -> Result<(Option<u64>, Option<u64>), Message> {
        let world = self.parallel(model)?;
        self.adapters(model)?;
        self.precision(model)?;
        self.fake_quantization();
        let num_generations = self.batch(model)?;
        self.spread_over_gpus(model)?;
        self.activations(model);
        self.optimizer()?;
        self.head_and_reference();
        self.loader();
        self.machine();
        self.teacher()?;
        self.own_loss();
        self.forward_calls();
        self.residents(model);
        self.reward_model();
        self.other_processes(model)?;
        Ok((world, num_generations))
    }

    /// Lists an assumption, once.
    fn assume(&mut self, what: Message) {
        if !self.assumptions.contains(&what) {
            self.assumptions.push(what);
        }
    }

    /// Lists an assumption about a decisive value that neither the project nor a library states.
    fn assume_unverified(&mut self, what: Message) {
        self.unverified.get_or_insert_with(|| what.clone());
        self.assume(what);
    }

    /// Applies a change to both setups.
    fn both(&mut self, change: impl Fn(&mut Setup)) {
        change(&mut self.upper);
        change(&mut self.lower);
    }

    /// Whether unsloth loads the trained model, and so replaces its loss, its checkpointing and the type of its adapters.
    fn by_unsloth(&self) -> bool {
        let loads = self.run.code.iter().flat_map(|code| &code.models);
        self.run.dialect == Dialect::Unsloth
            || loads.filter(|load| load.trained == Some(true)).any(|load| library(&load.class) == Some("unsloth"))
    }

    fn target(&self) -> &Target {
        &self.project.policy(self.run.place.file).target
    }

    /// Rejects runs without a training step (evaluation, merging, generation) and unsupported engines.
    fn known_command(&self) -> Result<(), Message> {
        if let Some(why) = self.run.not_read() {
            return Err(why);
        }
        // LLaMA-Factory 0.9.6 train/sft/workflow.py trains only with `do_train`; its other commands use the same file format.
        let framework = self.run.dialect.framework();
        let traits = &framework.estimate;
        if !traits.is_played {
            let name = framework.name;
            return Err(message!("estimates do not support {name}", "不支持对 {name} 的估算"));
        }
        if let Some(key) = traits.trains_if.filter(|key| !self.enables(key, &[])) {
            return Err(message!("{key} is not set: nothing is trained", "没有设置 {key}：不进行训练"));
        }
        if let Some(name) = self.bundled_config() {
            let by = framework.name;
            return Err(message!(
                "{name} is a configuration that ships with {by}: its settings are not read",
                "{name} 是 {by} 自带的配置：未读取其中的设置"
            ));
        }
        let recipe = traits.is_recipe;
        if recipe && !self.has(Concept::Optimizer) && !self.has_key("optimizer") {
            return Err(message!("no optimizer: nothing is trained", "没有优化器：不进行训练"));
        }
        // What Ray starts is counted where the framework says how many processes that are.
        if framework.ray_workers.is_none() && self.enables("use_ray", &[]) {
            return Err(message!("estimates do not support use_ray", "不支持估算 use_ray"));
        }
        if let Some(name) = NOT_MODELLED.iter().find(|name| self.enables(name, &["convert", "load"])) {
            return Err(message!("estimates do not support {name}", "不支持估算 {name}"));
        }
        if traits.megatron.is_some() {
            return Ok(());
        }
        if let Some(name) = EXPERT_PARALLEL.iter().find(|name| self.gives_above_one(name)) {
            return Err(message!("estimates do not support {name}", "不支持估算 {name}"));
        }
        if let Some(name) = OTHER_LOOPS.iter().find(|name| self.gives(name)) {
            return Err(message!(
                "estimates do not support the training loop that uses {name}",
                "不支持估算使用 {name} 的训练循环"
            ));
        }
        let megatron = ["tensor_model_parallel_size", "pipeline_model_parallel_size", "use_megatron"];
        if megatron.iter().any(|name| self.has_key(name)) {
            return Err(message!("estimates do not support Megatron", "不支持估算 Megatron"));
        }
        Ok(())
    }

    /// The name of a configuration that ships with the framework and that the project does not hold.
    fn bundled_config(&self) -> Option<String> {
        let launch = self.run.launch.as_ref()?;
        let config = launch.launcher.config;
        let option =
            launch.options().into_iter().rfind(|option| config.bundled.is_some() && config.option == Some(&option.name))?;
        let name = option.value?.text?;
        launch.named_file(&option.name, &name, &self.project.path_resolver).is_none().then_some(name)
    }

    /// Operating system, GPU and allocator.
    fn machine(&mut self) {
        let launch = self.project.file(self.run.place.file);
        let windows = match self.target().os.as_deref() {
            Some(os) => os.eq_ignore_ascii_case("windows"),
            None => matches!(launch.extension().as_str(), "ps1" | "bat" | "cmd"),
        };
        let capability = gpu_of(self.target()).and_then(|gpu| gpu.compute_capability);
        let expandable = self.expandable_segments() && !windows;
        self.both(|setup| {
            setup.platform = if windows { Platform::Windows } else { Platform::Linux };
            setup.capability = capability;
            setup.expandable_segments = expandable;
        });
    }

    /// `expandable_segments:True` in torch's variable, from the command, the code or a setting.
    fn expandable_segments(&self) -> bool {
        const NAMES: [&str; 2] = ["PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"];
        let on = |conf: &str| {
            let mut options = conf.split(',').filter_map(|option| option.split_once(':'));
            options.any(|(name, value)| name.trim() == "expandable_segments" && value.trim() == "True")
        };
        let command = self.run.launch.iter().flat_map(|launch| NAMES.iter().filter_map(|name| launch.variable(name)));
        let code = self.run.code.iter().flat_map(|code| &code.environment).filter(|(name, ..)| NAMES.contains(&name.as_str()));
        command.filter_map(|variable| variable.value.text()).any(on)
            || code.filter_map(|(_, value, _)| value.as_ref()?.as_str()).any(on)
            || self.value(Concept::AllocatorConf).and_then(Value::as_str).is_some_and(on)
    }
}

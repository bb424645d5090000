//! From a resolved run to a setup: what the files say, what the libraries do where they are silent, and what has to be assumed.
//!
//! Two setups grow side by side. The first is estimated; where the run leaves a value open it takes the heaviest. In the second,
//! everything that the project does not state has its lightest value: what needs too much even so does not fit, whatever the
//! project does not show.

mod activations;
mod adapters;
mod batch;
mod beside;
mod loader;
mod optimizer;
mod parallel;
mod precision;
mod said;
mod task;
#[cfg(test)]
mod tests;
mod vllm;
mod which;

use crate::capacity::card;
use crate::models::{Model, Models};
use vramlint_base::{Message, message};
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::Setup;
use vramlint_memory::setup::Platform;
use vramlint_resolve::{Project, Run, Target};

/// A run, mapped.
#[derive(Clone, Debug)]
pub(crate) struct Mapped {
    /// The model that is trained.
    pub model: Model,
    /// The lightest model that it may be.
    pub least_model: Model,
    /// The setup that is estimated.
    pub setup: Setup,
    /// The setup with the lightest values of everything that is not stated.
    pub least: Setup,
    /// What was taken for granted.
    pub assumptions: Vec<Message>,
    /// Completions of a prompt, for GRPO.
    pub num_generations: Option<u64>,
    /// Processes that share an optimizer step, where they are known.
    pub world: Option<u64>,
    /// Why a value that decides is only a guess, where one is.
    pub doubt: Option<Message>,
}

/// What changes a step so that it is another one: optimizers that step inside of backward or train a part at a time
/// (torchtune 0.7.0 recipes, LLaMA-Factory 0.9.6 hparams/finetuning_args.py).
const NOT_MODELLED: &[&str] = &[
    "optimizer_in_bwd",
    "use_galore",
    "use_apollo",
    "use_badam",
    "use_adam_mini",
    "use_llama_pro",
    "mixture_of_depths",
    "use_ray",
];
/// Keys of recipes that hold several models: PPO and distillation of torchtune 0.7.0.
const OTHER_LOOPS: &[&str] = &["ppo_epochs", "ppo_batch_size", "teacher_model", "teacher_checkpointer"];
/// Keys that keep activations on the host: torchtune, TRL 1.16, Axolotl 0.18.
const OFFLOADED_ACTIVATIONS: &[&str] = &["enable_activation_offloading", "activation_offloading"];

struct Mapping<'a> {
    project: &'a Project,
    run: &'a Run,
    models: &'a Models,
    assumptions: Vec<Message>,
    doubt: Option<Message>,
    most: Setup,
    least: Setup,
}

/// Maps a run. An error says which setting is missing.
pub(crate) fn map(project: &Project, run: &Run, models: &Models) -> Result<Mapped, Message> {
    let (most, least) = (Setup::default(), Setup::default());
    let mut mapping = Mapping { project, run, models, assumptions: Vec::new(), doubt: None, most, least };
    mapping.known_command()?;
    let (model, least_model) = mapping.which_model()?;
    mapping.task()?;
    let world = mapping.parallel(&model)?;
    mapping.adapters(&model)?;
    mapping.precision(&model)?;
    let num_generations = mapping.batch()?;
    mapping.activations();
    mapping.optimizer();
    mapping.head_and_reference();
    mapping.loader();
    mapping.machine();
    mapping.residents(&model);
    let Mapping { assumptions, doubt, most: setup, least, .. } = mapping;
    Ok(Mapped { model, least_model, setup, least, assumptions, num_generations, world, doubt })
}

impl Mapping<'_> {
    /// Lists something that is taken for granted, once.
    fn assume(&mut self, what: Message) {
        if !self.assumptions.contains(&what) {
            self.assumptions.push(what);
        }
    }

    /// Lists something that decides and is only a guess: neither the project nor a library says it.
    fn guess(&mut self, what: Message) {
        self.doubt.get_or_insert_with(|| what.clone());
        self.assume(what);
    }

    /// The same change to both setups.
    fn both(&mut self, change: impl Fn(&mut Setup)) {
        change(&mut self.most);
        change(&mut self.least);
    }

    fn target(&self) -> &Target {
        &self.project.policy(self.run.place.file).target
    }

    /// Whether a file of the run's code holds a word.
    fn code_says(&self, word: &str) -> bool {
        self.run.code.iter().flat_map(|code| &code.files).any(|file| self.project.file(*file).text.contains(word))
    }

    /// A run that only evaluates, merges or generates has no step to estimate, and not every engine is known.
    fn known_command(&self) -> Result<(), Message> {
        // LLaMA-Factory 0.9.6 train/sft/workflow.py trains only with `do_train`; its other commands share the form of the file.
        if self.run.dialect == Dialect::LlamaFactory && !self.is_written("do_train", &["true", "True", "yes", "1"]) {
            return Err(message!("do_train is not set: nothing is trained", "没有设置 do_train：不进行训练"));
        }
        let recipe = self.run.dialect == Dialect::Torchtune;
        if recipe && !self.says(Concept::Optimizer) && !self.file_has("optimizer") {
            return Err(message!("there is no optimizer: nothing is trained", "没有优化器：不进行训练"));
        }
        if let Some(name) = NOT_MODELLED.iter().find(|name| self.is_written(name, &["true", "True", "convert", "load"])) {
            return Err(message!("{name} is not estimated", "不估算 {name}"));
        }
        if let Some(name) = OTHER_LOOPS.iter().find(|name| self.file_has(name)) {
            return Err(message!("the loop that reads {name} is not estimated", "不估算使用 {name} 的训练循环"));
        }
        let megatron = ["tensor_model_parallel_size", "pipeline_model_parallel_size", "use_megatron"];
        if megatron.iter().any(|name| self.file_has(name)) {
            return Err(message!("Megatron's engine is not estimated", "不估算 Megatron 引擎"));
        }
        Ok(())
    }

    /// Whether a data file of the run, or its command, gives this key one of these values.
    fn is_written(&self, key: &str, values: &[&str]) -> bool {
        let in_line = |line: &str| {
            let entry =
                line.trim_start().trim_start_matches('"').strip_prefix(key).map(|rest| rest.trim_start_matches('"').trim_start());
            let value = entry.and_then(|rest| rest.strip_prefix(':')).map(|rest| rest.split('#').next().unwrap_or(rest));
            value.is_some_and(|value| values.contains(&value.trim().trim_matches([',', '"', '\''])))
        };
        let in_file = self.data_texts().any(|text| text.lines().any(in_line));
        let options = self.run.launch.iter().flat_map(|launch| launch.options());
        let given = |value: Option<&str>| value.is_none_or(|value| values.contains(&value));
        in_file
            || options
                .into_iter()
                .any(|option| option.name == key && given(option.value.as_ref().and_then(|v| v.text.as_deref())))
    }

    /// Whether a data file of the run has this key.
    fn file_has(&self, key: &str) -> bool {
        self.data_texts().any(|text| text.lines().any(|line| line.trim_start().trim_start_matches('"').starts_with(key)))
    }

    fn data_texts(&self) -> impl Iterator<Item = &str> {
        let files = self.run.files.iter().map(|file| self.project.file(*file));
        files.filter(|file| file.data().is_some()).map(|file| file.text.as_ref())
    }

    /// Operating system, card and allocator.
    fn machine(&mut self) {
        let launch = self.project.file(self.run.place.file);
        let windows = match self.target().os.as_deref() {
            Some(os) => os.eq_ignore_ascii_case("windows"),
            None => matches!(launch.extension().as_str(), "ps1" | "bat" | "cmd"),
        };
        let capability = card(self.target()).and_then(|gpu| gpu.compute_capability);
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
        let on = |text: &str| text.replace(' ', "").contains("expandable_segments:True");
        let command = self.run.launch.iter().flat_map(|launch| NAMES.iter().filter_map(|name| launch.variable(name)));
        let code = self.run.code.iter().flat_map(|code| &code.environment).filter(|(name, ..)| NAMES.contains(&name.as_str()));
        command.filter_map(|variable| variable.value.text()).any(on)
            || code.filter_map(|(_, value, _)| value.as_ref()?.as_str()).any(on)
            || said::setting(self.run, "allocator_conf").and_then(|conf| conf.value()?.as_str()).is_some_and(on)
    }
}

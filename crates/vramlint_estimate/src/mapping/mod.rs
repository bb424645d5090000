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
}

struct Mapping<'a> {
    project: &'a Project,
    run: &'a Run,
    models: &'a Models,
    assumptions: Vec<Message>,
    most: Setup,
    least: Setup,
}

/// Maps a run. An error says which setting is missing.
pub(crate) fn map(project: &Project, run: &Run, models: &Models) -> Result<Mapped, Message> {
    let (most, least) = (Setup::default(), Setup::default());
    let mut mapping = Mapping { project, run, models, assumptions: Vec::new(), most, least };
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
    let Mapping { assumptions, most: setup, least, .. } = mapping;
    Ok(Mapped { model, least_model, setup, least, assumptions, num_generations, world })
}

impl Mapping<'_> {
    /// Lists something that is taken for granted, once.
    fn assume(&mut self, what: Message) {
        if !self.assumptions.contains(&what) {
            self.assumptions.push(what);
        }
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

    /// A run that only evaluates or generates has no step to estimate.
    fn known_command(&self) -> Result<(), Message> {
        let idle = self.run.code.as_ref().is_some_and(|code| !code.trains()) && self.run.settings.is_empty();
        if idle {
            return Err(message!("nothing is seen to be trained", "没有看到训练过程"));
        }
        Ok(())
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

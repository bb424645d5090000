//! What transformers' Trainer knows when it reads a DeepSpeed file: its arguments, which fill `auto` and must agree with numbers.
//!
//! Facts: transformers 5.23.0 `integrations/deepspeed.py:100-290`, run.

use crate::deepspeed::config::DeepSpeedConfig;
use crate::deepspeed::consumers::{ConfigUse, Consumers};
use vramlint_base::{FileRange, Value};
use vramlint_resolve::Project;
use vramlint_resolve::arguments::{ArgumentEntry, ArgumentReader, ArgumentSet};

/// The arguments of a Trainer that reads a file.
pub struct TrainerArguments<'a> {
    /// The set.
    pub set: &'a ArgumentSet,
    /// The use of the file.
    pub one: ConfigUse<'a>,
}

/// The arguments of every Trainer that certainly reads a file.
pub fn trainer_arguments<'a>(project: &'a Project, config: &DeepSpeedConfig<'a>) -> Vec<TrainerArguments<'a>> {
    let uses = config.uses.iter().filter(|one| one.consumers.within(Consumers::TRAINER));
    uses.filter_map(|one| Some(TrainerArguments { set: set(project, one)?, one: *one })).collect()
}

/// The only set of training arguments of a run.
fn set<'a>(project: &'a Project, one: &ConfigUse<'a>) -> Option<&'a ArgumentSet> {
    let run = one.run?;
    let index = project.runs.iter().position(|other| std::ptr::eq(other, run))?;
    let mut sets = project
        .arguments()
        .iter()
        .filter(|set| set.run == Some(index) && set.training_class().is_some() && set.reader != ArgumentReader::Unknown);
    sets.next().filter(|_| sets.next().is_none())
}

/// The fields that DeepSpeed's keys are compared with, and their defaults (transformers 5.23.0 training_args.py).
const DEFAULTS: &[(&str, f64)] = &[
    ("per_device_train_batch_size", 8.0),
    ("gradient_accumulation_steps", 1.0),
    ("max_grad_norm", 1.0),
    ("adam_beta1", 0.9),
    ("adam_beta2", 0.999),
    ("adam_epsilon", 1e-8),
    ("weight_decay", 0.0),
];

impl<'a> TrainerArguments<'a> {
    /// What is given for a field.
    pub fn entry(&self, key: &str) -> Option<&'a ArgumentEntry> {
        self.set.get(key)
    }

    /// The place of a field, where it is given.
    pub fn place(&self, key: &str) -> Option<FileRange> {
        self.entry(key).map(|given| given.place)
    }

    /// The number of a field: what is given, else the default of the class; `None` where it is not known.
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.entry(key) {
            Some(given) => number(self.set.reader, given.value.as_ref()?),
            None if !self.set.lacks(key) => None,
            // TRL's classes have learning rates and precisions of their own, and the rest of transformers.
            None if key == "learning_rate" => self.is_transformers().then_some(5e-5),
            None => DEFAULTS.iter().find(|(name, _)| *name == key).map(|(_, default)| *default),
        }
    }

    /// The boolean of a switch; `None` where it is not known.
    pub fn switch(&self, key: &str) -> Option<bool> {
        match self.entry(key) {
            Some(_) => self.set.bool(key, false),
            None => (self.is_transformers() && self.set.lacks(key)).then_some(false),
        }
    }

    /// Whether the class is transformers' own.
    pub fn is_transformers(&self) -> bool {
        self.set.training_class().is_some_and(|class| class.starts_with("transformers."))
    }
}

/// The number that a reader makes of a value.
pub fn number(reader: ArgumentReader, value: &Value) -> Option<f64> {
    match value {
        Value::Text(text) if reader == ArgumentReader::Parser => text.trim().parse().ok(),
        Value::Bool(on) => Some(f64::from(u8::from(*on))),
        value => value.as_float(),
    }
}

//! What a flag of a command line is. The flags of each launcher are in its own file.

use crate::Concept;

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Nothing: `--multi_gpu`.
    Switch,
    /// One value.
    One,
    /// All words up to the next flag, none included: `--bf16`, `--bf16 true`, `--dataset a b`.
    Many,
}

/// A flag of a launcher.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Every spelling, the canonical one first, with dashes: `["--num_processes", "--num-processes", "-n"]`.
    pub names: &'static [&'static str],
    /// What it takes.
    pub arity: Arity,
    /// The concept that it sets, where it is one.
    pub concept: Option<Concept>,
    /// The value that a switch gives to the concept: `--multi_gpu` is `MULTI_GPU`.
    pub implied: Option<&'static str>,
    /// Whether the value holds for each machine, so that the whole is its product with the machines: `--nproc_per_node`.
    pub per_machine: bool,
}

impl Flag {
    pub(crate) const fn new(names: &'static [&'static str], arity: Arity, concept: Option<Concept>) -> Self {
        Self { names, arity, concept, implied: None, per_machine: false }
    }

    pub(crate) const fn switch(names: &'static [&'static str]) -> Self {
        Self::new(names, Arity::Switch, None)
    }

    pub(crate) const fn with_value(names: &'static [&'static str]) -> Self {
        Self::new(names, Arity::One, None)
    }

    pub(crate) const fn many(names: &'static [&'static str]) -> Self {
        Self::new(names, Arity::Many, None)
    }

    pub(crate) const fn sets(names: &'static [&'static str], concept: Concept) -> Self {
        Self::new(names, Arity::One, Some(concept))
    }

    pub(crate) const fn sets_per_machine(names: &'static [&'static str], concept: Concept) -> Self {
        Self { per_machine: true, ..Self::sets(names, concept) }
    }

    pub(crate) const fn implies(names: &'static [&'static str], concept: Concept, value: &'static str) -> Self {
        Self { implied: Some(value), ..Self::new(names, Arity::Switch, Some(concept)) }
    }
}

//! A loss that code of the project computes from logits: `compute_loss` of a trainer's subclass, or the body of a training loop. What it does
//! with tensors as large as the logits becomes steps that the simulator plays.

mod expression;
mod functions;
mod statement;
#[cfg(test)]
mod tests;

use functions::Functions;
use std::collections::HashMap;
use vramlint_memory::setup::{LossOp, LossStep, OwnLoss};
use vramlint_syntax::python::Module;

/// Maximum nesting of calls that are followed.
const MAX_DEPTH: usize = 6;
/// Maximum number of steps.
const MAX_STEPS: usize = 40;

/// The steps of the only loss that these modules compute by themselves. `None` if there is none, or if one of its steps is not known.
pub(crate) fn find(modules: &[&Module]) -> Option<OwnLoss> {
    let functions = Functions::of(modules);
    let mut reader = Reader::new(&functions);
    let by_loop = reader.entry(modules)?;
    reader.finish(by_loop)
}

/// Whether a trainer's subclass in these modules computes its loss.
pub(crate) fn has_compute_loss(modules: &[&Module]) -> bool {
    modules.iter().flat_map(|module| module.classes()).any(|(class, _)| statement::compute_loss(class).is_some())
}

/// What an expression stands for.
#[derive(Clone, Debug, PartialEq)]
enum Tensors {
    /// What a model returns: the step of its logits.
    Output { logits: usize, labels: bool },
    /// As many numbers as logits: the result of a step.
    Logits(usize),
    /// Computed from logits, and small.
    Small,
    /// A trained model, or a frozen one.
    Model { trained: bool },
    /// Several values.
    Tuple(Vec<Tensors>),
    /// Anything else.
    Other,
}

impl Tensors {
    /// The results of steps that it holds.
    fn steps(&self) -> Vec<usize> {
        match self {
            Self::Output { logits, .. } | Self::Logits(logits) => vec![*logits],
            Self::Tuple(items) => items.iter().flat_map(Self::steps).collect(),
            _ => Vec::new(),
        }
    }
}

/// The names of a function that runs.
#[derive(Default)]
struct Frame {
    names: HashMap<String, Tensors>,
    /// What it returns, once it has.
    returned: Option<Tensors>,
}

/// Follows the code from a call of the model to the loss.
struct Reader<'a> {
    functions: &'a Functions<'a>,
    frames: Vec<Frame>,
    steps: Vec<LossStep>,
    /// How many names hold the result of each step.
    holders: Vec<u32>,
    /// Results that are views of whole rows, or copies that are none.
    sliced: Vec<bool>,
    without_grad: u32,
    in_autocast: u32,
    /// Whether the loss is computed under autocast, once it is.
    loss_in_autocast: Option<bool>,
    /// Whether a step is not known.
    is_lost: bool,
}

impl<'a> Reader<'a> {
    fn new(functions: &'a Functions<'a>) -> Self {
        Self {
            functions,
            frames: vec![Frame::default()],
            steps: Vec::new(),
            holders: Vec::new(),
            sliced: Vec::new(),
            without_grad: 0,
            in_autocast: 0,
            loss_in_autocast: None,
            is_lost: false,
        }
    }

    /// Adds a step. Results that no name holds are gone once it has taken them.
    fn step(&mut self, op: LossOp, inputs: &[usize]) -> usize {
        let calls = matches!(op, LossOp::Student { .. } | LossOp::Teacher | LossOp::ModelLoss);
        if !calls {
            self.loss_in_autocast.get_or_insert(self.in_autocast > 0);
        }
        let number = self.steps.len();
        let mut frees: Vec<usize> = inputs.iter().copied().filter(|input| self.holders[*input] == 0).collect();
        frees.dedup();
        let is_sliced = match op {
            LossOp::Slice => true,
            LossOp::Copy => false,
            _ => !calls && inputs.first().is_some_and(|input| self.sliced[*input]) && op == LossOp::Slice,
        };
        self.steps.push(LossStep {
            op,
            inputs: inputs.to_vec(),
            frees: if op == LossOp::ModelLoss { Vec::new() } else { frees },
        });
        self.holders.push(0);
        self.sliced.push(is_sliced);
        self.is_lost |= number >= MAX_STEPS;
        number
    }

    /// A name gets a value; what it held before may be gone.
    fn bind(&mut self, name: &str, val: Tensors) {
        val.steps().iter().for_each(|step| self.holders[*step] += 1);
        let frame = self.frames.last_mut();
        let old = frame.and_then(|frame| frame.names.insert(name.to_owned(), val));
        if let Some(old) = old {
            self.release(&old, &[]);
        }
    }

    /// A name no longer holds a value. Results that nothing else holds, and that are not `kept`, are gone after the last step.
    fn release(&mut self, val: &Tensors, kept: &[usize]) {
        for step in val.steps() {
            self.holders[step] -= 1;
            if self.holders[step] == 0
                && !kept.contains(&step)
                && let Some(last) = self.steps.last_mut()
                && !last.frees.contains(&step)
            {
                last.frees.push(step);
            }
        }
    }

    fn lookup(&self, name: &str) -> Option<&Tensors> {
        self.frames.last()?.names.get(name)
    }

    /// The whole, if it computes something from the logits of the trained model that the model's own loss does not.
    fn finish(mut self, by_loop: bool) -> Option<OwnLoss> {
        let is_own = |step: &LossStep| matches!(step.op, LossOp::CrossEntropy | LossOp::Sum | LossOp::Gather);
        let asks = self.steps.iter().filter(|step| matches!(step.op, LossOp::Student { .. })).count();
        if self.is_lost || asks == 0 || !self.steps.iter().any(is_own) {
            return None;
        }
        let names = self.frames.pop().map(|frame| frame.names).unwrap_or_default();
        let keeps_output = by_loop && names.values().any(|val| matches!(val, Tensors::Output { .. }));
        let mut kept: Vec<usize> = names.values().flat_map(Tensors::steps).collect();
        kept.sort_unstable();
        kept.dedup();
        if !by_loop {
            // A method returns its loss alone.
            kept.clear();
        }
        let in_autocast = self.loss_in_autocast.unwrap_or(false);
        Some(OwnLoss { steps: self.steps, kept, kept_by_loop: by_loop, keeps_output, in_autocast })
    }
}

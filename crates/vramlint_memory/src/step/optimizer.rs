//! Clipping and the optimizer's step.

use crate::estimate::Part;
use crate::setup::{Optimizer, Setup};
use crate::tape::{ParamId, Tape, Tensor};

/// States that stay.
#[derive(Default)]
pub(super) struct OptimizerState {
    tensors: Vec<Tensor>,
    initialized: bool,
    /// Bytes of states in managed memory (paged optimizers).
    pub(super) managed: u64,
}

/// What the step needs to know of a trained parameter.
struct TrainedParam {
    numel: u64,
    columns: u64,
    rows: u64,
    width: u64,
    embedding: bool,
    linear: bool,
}

impl TrainedParam {
    /// Its short and its long side.
    fn sides(&self) -> (u64, u64) {
        (self.rows.min(self.columns), self.rows.max(self.columns))
    }
}

/// bitsandbytes 0.50: smaller parameters keep 32-bit states (`min_8bit_size`), and are never paged below the second bound.
const MIN_8BIT_SIZE: u64 = 4096;
const MIN_PAGED_SIZE: u64 = 100_000;
/// Numbers that share a scale in 8-bit states.
const BLOCK_8BIT: u64 = 256;

/// `clip_grad_norm_`: a norm per parameter, one over them.
pub(super) fn clip(t: &Tape, trained: &[ParamId]) {
    let norms: Vec<Tensor> = trained.iter().filter(|id| t.grad_bytes(**id).is_some()).map(|_| t.empty(1, 4)).collect();
    let stacked = t.empty(norms.len() as u64, 4);
    drop((norms, stacked));
}

/// One step. Matrices form one group, vectors another (the Trainer's weight decay).
pub(super) fn step(t: &Tape, trained: &[ParamId], setup: &Setup, state: &mut OptimizerState) {
    let all: Vec<TrainedParam> = trained
        .iter()
        .map(|id| {
            t.with_param(*id, |param| TrainedParam {
                numel: param.shape[0] * param.shape[1],
                rows: param.shape[0],
                columns: param.shape[1],
                width: param.width(),
                embedding: param.embedding,
                linear: param.linear,
            })
        })
        .collect();
    let (matrices, vectors): (Vec<&TrainedParam>, Vec<&TrainedParam>) = all.iter().partition(|param| param.rows > 1);
    // These go from parameter to parameter, and make the states of one only when they come to it.
    let one_by_one = matches!(setup.optimizer, Optimizer::Galore | Optimizer::Apollo | Optimizer::AdamMini);
    for group in [matrices, vectors] {
        if one_by_one {
            for param in group {
                if !state.initialized {
                    create_states(t, param, setup, state);
                }
                temporaries(t, &[param], setup);
            }
            continue;
        }
        if !state.initialized {
            for param in &group {
                create_states(t, param, setup, state);
            }
        }
        temporaries(t, &group, setup);
    }
    state.initialized = true;
}

fn create_states(t: &Tape, param: &TrainedParam, setup: &Setup, state: &mut OptimizerState) {
    let optimizer = setup.optimizer;
    let mut add_state = |numel: u64, width: u64| state.tensors.push(t.empty_as(numel, width, Part::Optimizer));
    match optimizer {
        Optimizer::AdamWFused => {
            // Only the fused kernel keeps its step count on the GPU.
            add_state(1, 4);
            add_state(param.numel, param.width);
            add_state(param.numel, param.width);
        }
        // The projection, and both moments of what is projected (galore_torch 1.0 adamw.py, apollo_torch 1.0.3 apollo.py).
        Optimizer::Galore | Optimizer::Apollo if param.linear => {
            let (short, long) = param.sides();
            let rank = setup.gradient_rank.min(short);
            add_state(rank * short, param.width);
            add_state(rank * long, param.width);
            add_state(rank * long, param.width);
        }
        Optimizer::AdamWForeach | Optimizer::AdamWForLoop | Optimizer::Galore | Optimizer::Apollo => {
            add_state(param.numel, param.width);
            add_state(param.numel, param.width);
        }
        Optimizer::AdamW8bit | Optimizer::PagedAdamW8bit | Optimizer::PagedAdamW32bit => {
            bitsandbytes(t, param, setup, 2, state);
        }
        Optimizer::Lion8bit | Optimizer::PagedLion8bit => bitsandbytes(t, param, setup, 1, state),
        Optimizer::Lion | Optimizer::SgdMomentum | Optimizer::RmsProp | Optimizer::Adagrad => add_state(param.numel, param.width),
        Optimizer::Adafactor => {
            if param.rows > 1 {
                add_state(param.rows, 4);
                add_state(param.columns, 4);
            } else {
                add_state(param.numel, 4);
            }
        }
        Optimizer::Muon => {
            add_state(param.numel, param.width);
            if param.rows == 1 || param.embedding {
                add_state(param.numel, param.width);
            }
        }
        // adam_mini 1.1 adam_mini.py: vectors keep a whole second moment.
        Optimizer::AdamMini => {
            add_state(param.numel, param.width);
            add_state(param.rows.max(if param.rows == 1 { param.numel } else { 1 }), param.width);
        }
        Optimizer::Sgd => {}
    }
}

/// States of bitsandbytes: 8 bits and a scale per block, or 32 bits for parameters that stay unquantized; paged states in managed memory.
fn bitsandbytes(t: &Tape, param: &TrainedParam, setup: &Setup, states: u64, state: &mut OptimizerState) {
    let optimizer = setup.optimizer;
    let paged = matches!(optimizer, Optimizer::PagedAdamW8bit | Optimizer::PagedAdamW32bit | Optimizer::PagedLion8bit);
    let is_8bit = optimizer != Optimizer::PagedAdamW32bit
        && param.numel >= MIN_8BIT_SIZE
        && (!param.embedding || setup.narrow_embedding_states);
    let width = if is_8bit { 1 } else { 4 };
    for _ in 0..states {
        if paged && param.numel >= MIN_PAGED_SIZE {
            state.managed += param.numel * width;
        } else {
            state.tensors.push(t.empty_as(param.numel, width, Part::Optimizer));
        }
    }
    if is_8bit {
        for _ in 0..states {
            state.tensors.push(t.empty_as(param.numel.div_ceil(BLOCK_8BIT), 4, Part::Optimizer));
        }
    }
}

fn temporaries(t: &Tape, group: &[&TrainedParam], setup: &Setup) {
    let optimizer = setup.optimizer;
    match optimizer {
        // All square roots of a group together.
        Optimizer::AdamWForeach | Optimizer::Adagrad | Optimizer::RmsProp => {
            let roots: Vec<Tensor> = group.iter().map(|param| t.empty(param.numel, param.width)).collect();
            drop(roots);
        }
        // The root, then its quotient; the denominator of the last parameter lives until the next one has its own.
        Optimizer::AdamWForLoop => {
            let mut last = None;
            for param in group {
                let root = t.empty(param.numel, param.width);
                let quotient = t.empty(param.numel, param.width);
                drop(root);
                last = Some(quotient);
            }
            drop(last);
        }
        Optimizer::Adafactor => {
            for param in group {
                adafactor(t, param);
            }
        }
        Optimizer::Lion | Optimizer::AdamMini => {
            for param in group {
                drop((t.empty(param.numel, param.width), t.empty(param.numel, param.width)));
            }
        }
        Optimizer::Galore | Optimizer::Apollo => {
            for param in group {
                low_rank(t, param, setup.gradient_rank, optimizer == Optimizer::Galore);
            }
        }
        Optimizer::Muon => {
            for param in group.iter().filter(|param| param.rows > 1 && !param.embedding) {
                // The update in bf16, and three products of the Newton-Schulz iteration over the short side.
                let short = param.rows.min(param.columns);
                let update = (t.empty(param.numel, param.width), t.empty(param.numel, 2));
                drop((t.empty(short * short, 2), t.empty(short * short, 2), t.empty(param.numel, 2), update));
            }
        }
        _ => {}
    }
}

/// The step of one parameter whose gradient is projected. GaLore decomposes the gradient in fp32 when it makes a projection: left vectors of
/// the long side, right ones of the short side; what the solver needs beside them does not count.
fn low_rank(t: &Tape, param: &TrainedParam, rank: u64, decomposes: bool) {
    if !param.linear {
        drop((t.empty(param.numel, param.width), t.empty(param.numel, param.width)));
        return;
    }
    let (short, long) = param.sides();
    if decomposes {
        // A copy by columns, the vectors of both sides.
        let copied = (param.width != 4).then(|| t.empty(param.numel, 4));
        drop((t.empty(param.numel, 4), t.empty(param.numel, 4), t.empty(short * short, 4), copied));
    }
    let low = rank.min(short) * long;
    let (projected, denominator, update) = (t.empty(low, param.width), t.empty(low, param.width), t.empty(low, param.width));
    // Back to the full shape, and scaled.
    let whole = t.empty(param.numel, param.width);
    drop((t.empty(param.numel, param.width), whole));
    drop((projected, denominator, update));
}

/// `transformers.optimization.Adafactor.step`: gradient and parameter in fp32, the update, and its negative.
fn adafactor(t: &Tape, param: &TrainedParam) {
    let copied = param.width != 4;
    let gradient = copied.then(|| t.empty(param.numel, 4));
    let weight = copied.then(|| t.empty(param.numel, 4));
    let square = t.empty(param.numel, 4);
    let mut update = t.empty(param.numel, 4);
    drop(square);
    if param.rows > 1 {
        t.reduce_scratch(param.columns, param.rows, false);
        let factored = t.empty(param.numel, 4);
        update = factored;
    }
    drop(t.empty(param.numel, 4));
    drop((update, weight, gradient));
}

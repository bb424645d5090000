//! A training run of two optimizer steps: what is loaded, and what each step takes and gives back.

pub(crate) mod compress;
mod generate;
mod loss;
mod optimizer;
pub(crate) mod profile;

use crate::arch::{Arch, Layer};
use crate::estimate::{Part, Phase, Words};
use crate::model::{Batch, Model, load};
use crate::setup::{Reference, Resident, Setup};
use crate::tape::{Device, Event, ParamId, Site, Tape};
use loss::Models;

static INPUTS: Words = Words { en: "inputs", zh: "输入" };
static BESIDE: Words = Words { en: "models beside", zh: "其他常驻模型" };
static STEP: Words = Words { en: "optimizer step", zh: "优化器更新" };

/// What was recorded.
pub(crate) struct Trace {
    /// Every event.
    pub(crate) events: Vec<Event>,
    /// How many of them belong to loading.
    pub(crate) loaded: usize,
    /// Parameters that are trained.
    pub(crate) trainable: u64,
    /// Blocks of memory that the events speak of.
    pub(crate) blocks: u32,
    /// States in managed memory.
    pub(crate) managed: u64,
}

/// Runs `arch` with the given blocks.
pub(crate) fn run(arch: &Arch, setup: &Setup, layers: &[(Layer, u64)]) -> Trace {
    let tape = Tape::new(device(setup));
    let policy = Model::new(arch, load(&tape, arch, setup, layers, false));
    let reference = (setup.reference == Reference::Copy).then(|| Model::new(arch, load(&tape, arch, setup, layers, true)));
    let models = Models { policy, reference };
    // Models beside it stay as they were loaded.
    let residents: Vec<Model> = setup.residents.iter().map(|resident| beside(&tape, resident)).collect();
    tape.empty_cache();
    let mut events = tape.take_events();
    let loaded = events.len();
    let trained: Vec<ParamId> = tape.param_ids().filter(|id| tape.with_param(*id, |param| param.trainable)).collect();
    let count = |id: &ParamId| tape.with_param(*id, |param| param.shape[0] * param.shape[1]);
    let trainable = trained.iter().map(count).sum();
    let mut state = optimizer::State::default();
    for _ in 0..2 {
        if let Some(round) = setup.generation {
            generate::generate(&tape, &models.policy, setup, round);
        }
        for _ in 0..setup.accumulation.max(1).min(2) {
            micro_step(&tape, &models, setup);
        }
        tape.at(Site { phase: Phase::Optimizer, layer: 0, name: &STEP });
        if setup.clip {
            optimizer::clip(&tape, &trained);
        }
        optimizer::step(&tape, &trained, setup, &mut state);
        for id in &trained {
            drop(tape.take_grad(*id));
        }
    }
    events.extend(tape.take_events());
    drop(residents);
    let blocks = tape.blocks();
    Trace { events, loaded, trainable, blocks, managed: state.managed }
}

/// A model that is only asked.
fn beside(tape: &Tape, resident: &Resident) -> Model {
    tape.at(Site { phase: Phase::Load, layer: 0, name: &BESIDE });
    let setup = Setup { weights: resident.weights, quantization: resident.quantization, ..Setup::default() };
    let loaded = load(tape, &resident.arch, &setup, &resident.arch.layers, true);
    Model::new(&resident.arch, loaded)
}

fn micro_step(tape: &Tape, models: &Models, setup: &Setup) {
    tape.at(Site { phase: Phase::Forward, layer: 0, name: &INPUTS });
    let batch = Batch { rows: setup.micro_batch * setup.task.rows(), seq: setup.sequence_length };
    let ids = tape.empty_as(batch.tokens(), 8, Part::Other);
    let mask = setup.padding_mask.then(|| tape.empty_as(batch.tokens(), 8, Part::Other));
    let loss = tape.autocast(setup.autocast.map(crate::setup::Dtype::bytes), |t| loss::loss(t, models, &ids, batch, setup));
    drop((ids, mask));
    tape.at(Site { phase: Phase::Loss, layer: 0, name: &loss::LOSS });
    tape.backward(loss);
}

fn device(setup: &Setup) -> Device {
    let hopper = setup.capability.is_some_and(|capability| capability >= 90);
    Device {
        // torch 2.15, aten/src/ATen/cuda/CUDABlas: 4096 KiB x 2 + 16 KiB x 8; 32 MiB from 9.0 on.
        cublas: if hopper { 32 << 20 } else { 8_519_680 },
        cublas_lt: 1 << 20,
        multiprocessors: if hopper { 132 } else { 108 },
        threads: 2048,
    }
}

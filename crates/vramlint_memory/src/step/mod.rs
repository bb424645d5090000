//! A training run of two optimizer steps: what is loaded, and what each step takes and gives back.

mod loss;
mod optimizer;
mod parallel;

use crate::arch::{Arch, Layer};
use crate::estimate::{Part, Phase, Words};
use crate::model::{Batch, Model, load};
use crate::setup::Setup;
use crate::tape::{Device, Event, ParamId, Site, Tape};
pub(crate) use parallel::Census;
use parallel::Scheme;

const INPUTS: Words = Words { en: "inputs", zh: "输入" };
const STEP: Words = Words { en: "optimizer step", zh: "优化器更新" };

/// What was recorded.
pub(crate) struct Trace {
    /// Every event.
    pub(crate) events: Vec<Event>,
    /// How many of them belong to loading.
    pub(crate) loaded: usize,
    /// Parameters, and those that are trained.
    pub(crate) parameters: u64,
    pub(crate) trainable: u64,
}

/// Runs `arch` with the given blocks.
pub(crate) fn run(arch: &Arch, setup: &Setup, layers: &[(Layer, u64)]) -> Trace {
    if let Some((local, own)) = parallel::shape::local(arch, setup) {
        let layers: Vec<(Layer, u64)> =
            layers.iter().map(|(layer, times)| (parallel::shape::layer(*layer, setup.parallel.tensor), *times)).collect();
        return run(&local, &own, &layers);
    }
    let tape = Tape::new(device(setup));
    let model = Model::new(arch, load(&tape, arch, setup, layers, false));
    tape.empty_cache();
    let mut events = tape.take_events();
    let trained: Vec<ParamId> = tape.param_ids().filter(|id| tape.with_param(*id, |param| param.trainable)).collect();
    let count = |id: &ParamId| tape.with_param(*id, |param| param.shape[0] * param.shape[1]);
    let trainable = trained.iter().map(count).sum();
    let parameters = tape.param_ids().map(|id| count(&id)).sum();
    let census = parallel::Census::new(arch, setup);
    let scheme = parallel::wrap(&tape, &model.loaded, &census, setup);
    let scheme = scheme.as_deref();
    tape.empty_cache();
    events.extend(tape.take_events());
    let loaded = events.len();
    // One for each group that is stepped on its own.
    let mut states: Vec<optimizer::State> = Vec::new();
    states.resize_with(scheme.map_or(1, Scheme::groups), Default::default);
    for _ in 0..2 {
        // A first micro-batch, one in between where ranks share them, and the last.
        let batches = setup.accumulation.clamp(1, if scheme.is_some() { 3 } else { 2 });
        for batch in 1..=batches {
            micro_step(&tape, &model, setup, scheme, batch == batches);
        }
        tape.at(Site { phase: Phase::Optimizer, layer: 0, name: &STEP });
        step(&tape, &trained, setup, scheme, &mut states);
    }
    events.extend(tape.take_events());
    Trace { events, loaded, parameters, trainable }
}

/// Clips and steps: the parameters themselves, or what a scheme has in their place.
fn step(t: &Tape, trained: &[ParamId], setup: &Setup, scheme: Option<&dyn Scheme>, states: &mut [optimizer::State]) {
    let all = scheme.map_or_else(|| trained.to_vec(), Scheme::optimized);
    let here = scheme.is_none_or(Scheme::steps_on_gpu);
    match scheme {
        Some(scheme) if !scheme.torch_clips() => scheme.norm(t),
        _ if setup.clip && here => optimizer::clip(t, &all),
        _ => {}
    }
    for (group, state) in states.iter_mut().enumerate() {
        let ids = scheme.map_or_else(|| trained.to_vec(), |scheme| scheme.begin_step(t, group));
        if here {
            optimizer::step(t, &ids, setup, state);
        }
        if let Some(scheme) = scheme {
            scheme.end_step(t, group);
        }
    }
    for id in &all {
        drop(t.take_grad(*id));
    }
}

fn micro_step(tape: &Tape, model: &Model, setup: &Setup, scheme: Option<&dyn Scheme>, last: bool) {
    tape.at(Site { phase: Phase::Forward, layer: 0, name: &INPUTS });
    let batch = Batch { rows: setup.micro_batch * setup.task.rows(), seq: setup.sequence_length };
    let ids = tape.empty_as(batch.tokens(), 8, Part::Other);
    let mask = setup.padding_mask.then(|| tape.empty_as(batch.tokens(), 8, Part::Other));
    if let Some(scheme) = scheme {
        scheme.begin_micro_batch(tape, last);
    }
    let autocast = setup.autocast.filter(|_| parallel::autocasts(setup)).map(crate::setup::Dtype::bytes);
    let loss = tape.autocast(autocast, |t| loss::loss(t, model, &ids, batch, setup));
    drop((ids, mask));
    if let Some(scheme) = scheme {
        scheme.end_forward(tape);
        scheme.begin_backward(tape);
    }
    tape.at(Site { phase: Phase::Loss, layer: 0, name: &loss::LOSS });
    tape.backward(loss);
    if let Some(scheme) = scheme {
        scheme.end_backward(tape);
    }
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

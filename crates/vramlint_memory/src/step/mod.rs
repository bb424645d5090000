//! A training run of two optimizer steps: model loading, and the allocations and frees of each step.

pub(crate) mod clamp;
mod generate;
pub(crate) mod layer_extrapolation;
mod loss;
pub(crate) mod memory_trace;
mod optimizer;
mod optimizer_in_backward;
mod parallel;
#[cfg(test)]
mod plan_tests;
#[cfg(test)]
mod random_setups;
pub(crate) mod replay;

use crate::arch::{Arch, Layer};
use crate::estimate::{Label, Part, Phase};
use crate::model::{Batch, Model, build};
use crate::setup::{Checkpointing, Head, KeptOutputs, Reference, Resident, Setup, Task};
use crate::tape::{Device, Hooks, ParamId, Record, Site, Tape, Tensor};
use loss::Models;
use optimizer_in_backward::OptimizerInBackward;
use parallel::DistributedEngine;
pub(crate) use parallel::ParamSizes;
use std::rc::Rc;

static INPUTS: Label = Label { en: "inputs", zh: "输入" };
static RESIDENTS: Label = Label { en: "other models", zh: "其他常驻模型" };
static STEP: Label = Label { en: "optimizer", zh: "优化器" };

/// Calls of the model for one backward that are played one by one. The rows of more of them count as one batch.
const CALLS_ONE_BY_ONE: u64 = 32;

/// What was recorded.
pub(crate) struct EventTrace {
    /// Every event.
    pub(crate) record: Record,
    /// How many of them belong to loading.
    pub(crate) loaded: usize,
    /// Parameters that are trained.
    pub(crate) trainable: u64,
    /// Number of memory blocks in the events.
    pub(crate) blocks: u32,
    /// States in managed memory.
    pub(crate) managed: u64,
}

/// Runs `arch` with these blocks.
pub(crate) fn run(arch: &Arch, setup: &Setup, layers: &[(Layer, u64)]) -> EventTrace {
    run_on(Tape::new(device(setup)), arch, setup, layers)
}

/// The same on an empty tape.
fn run_on(tape: Tape, arch: &Arch, setup: &Setup, layers: &[(Layer, u64)]) -> EventTrace {
    if let Some((local, own)) = parallel::tensor_parallel::local_shard(arch, setup) {
        let layers: Vec<(Layer, u64)> = layers
            .iter()
            .map(|(layer, times)| (parallel::tensor_parallel::shard_layer(layer, setup.parallel.tensor), *times))
            .collect();
        return run_on(tape, &local, &own, &layers);
    }
    tape.set_widened_outputs(setup.outputs_to_fp32);
    let policy = Model::new(arch, build(&tape, arch, setup, layers, false));
    let reference = (setup.reference == Reference::Copy).then(|| {
        tape.set_site(Site { phase: Phase::Load, layer: 0, name: &loss::REFERENCE });
        Model::new(arch, build(&tape, arch, setup, layers, true))
    });
    let teacher = setup.teacher.as_deref().map(|teacher| build_resident(&tape, teacher, Task::CausalLm));
    for frozen in reference.iter().chain(&teacher) {
        parallel::frozen_copy::shard(&tape, &frozen.modules, setup);
    }
    let models = Models { policy, reference, teacher };
    // Resident models stay as they were loaded, or are trained too.
    let first = tape.param_ids().count();
    let residents: Vec<Model> = setup.residents.iter().map(|resident| build_resident(&tape, resident, setup.task)).collect();
    let beside: Vec<ParamId> = tape.param_ids().skip(first).filter(|id| tape.with_param(*id, |param| param.trainable)).collect();
    tape.empty_cache();
    let trained: Vec<ParamId> = tape.param_ids().filter(|id| tape.with_param(*id, |param| param.trainable)).collect();
    let count = |id: &ParamId| tape.with_param(*id, |param| param.shape[0] * param.shape[1]);
    let trainable = trained.iter().map(count).sum();
    let engine = parallel::wrap(&tape, &models.policy.modules, arch, setup);
    let engine = engine.as_deref();
    let in_backward = (setup.optimizer_in_backward && engine.is_none()).then(|| Rc::new(OptimizerInBackward::new(setup)));
    if let Some(hooks) = &in_backward {
        tape.set_hooks(Some(Rc::clone(hooks) as Rc<dyn Hooks>));
    }
    tape.empty_cache();
    let loaded = tape.event_count();
    // One for each group that is stepped on its own.
    let mut states: Vec<optimizer::OptimizerState> = Vec::new();
    let alone = usize::try_from(setup.model_gpus).unwrap_or(1);
    states.resize_with(engine.map_or(alone, DistributedEngine::groups), Default::default);
    // The batch of images that a loop keeps until the next one is there.
    let mut kept = Vec::new();
    for _ in 0..2 {
        if let Some(round) = setup.generation.filter(|round| round.vllm_share.is_none()) {
            generate::generate(&tape, &models.policy, setup, round);
        }
        // A first micro-batch, a middle one if ranks share the work, and the last.
        let batches = setup.accumulation.clamp(1, if engine.is_some() { 3 } else { 2 });
        for batch in 1..=batches {
            let late: &[ParamId] = if setup.zeroes_after_forward && batch == 1 { &trained } else { &[] };
            micro_step(&tape, &models, setup, engine, (late, &beside, batch == batches), &mut kept);
        }
        tape.set_site(Site { phase: Phase::Optimizer, layer: 0, name: &STEP });
        if in_backward.is_none() {
            step(&tape, &trained, setup, engine, &mut states);
        }
    }
    if let Some(rows) = setup.evaluation_batch.filter(|_| engine.is_none()) {
        // transformers checkpoints only models in training mode.
        let checkpointing = if setup.evaluation_keeps_graph { Checkpointing::None } else { setup.checkpointing };
        // Liger writes all logits out unless the model trains (liger-kernel 0.8.5 `transformers/model/llama.py`: `skip_logits`).
        let head = if setup.head == Head::Liger { Head::FullLogits } else { setup.head };
        evaluate(&tape, &models, &Setup { micro_batch: rows, checkpointing, head, ..setup.clone() });
    }
    let record = tape.take_record();
    drop(residents);
    let blocks = tape.blocks();
    let managed = states.iter().map(|state| state.managed).sum::<u64>() + in_backward.map_or(0, |hooks| hooks.managed());
    EventTrace { record, loaded, trainable, blocks, managed }
}

/// A model beside the trained one.
fn build_resident(tape: &Tape, resident: &Resident, trained_for: Task) -> Model {
    tape.set_site(Site { phase: Phase::Load, layer: 0, name: &RESIDENTS });
    tape.set_gpu(0);
    let task = match (resident.scores, resident.trained) {
        (true, _) => Task::Reward,
        (false, true) => trained_for,
        (false, false) => Task::CausalLm,
    };
    let setup = Setup { task, weights: resident.weights, quantization: resident.quantization, ..Setup::default() };
    let loaded = build(tape, &resident.arch, &setup, &resident.arch.layers, !resident.trained);
    Model::new(&resident.arch, loaded)
}

/// Clips and steps: the parameters themselves, or what a scheme has in their place.
fn step(
    t: &Tape,
    trained: &[ParamId],
    setup: &Setup,
    engine: Option<&dyn DistributedEngine>,
    states: &mut [optimizer::OptimizerState],
) {
    let all = engine.map_or_else(|| trained.to_vec(), DistributedEngine::optimizer_params);
    let here = engine.is_none_or(DistributedEngine::steps_on_gpu);
    match engine {
        Some(engine) if !engine.clips_with_torch() => engine.compute_grad_norm(t),
        _ if setup.clip && here => optimizer::clip(t, &all),
        _ => {}
    }
    for (group, state) in states.iter_mut().enumerate() {
        // Without an engine, there is a group for each GPU of the process.
        let ids = engine.map_or_else(|| on_gpu(t, trained, group), |engine| engine.begin_step(t, group));
        if here {
            optimizer::step(t, &ids, setup, state);
        }
        if let Some(engine) = engine {
            engine.end_step(t, group);
        }
    }
    if setup.zeroes_after_forward && engine.is_none() {
        return;
    }
    for id in &all {
        drop(t.take_grad(*id));
    }
    t.set_gpu(0);
}

/// The parameters that this GPU holds; it becomes the current one.
fn on_gpu(t: &Tape, trained: &[ParamId], gpu: usize) -> Vec<ParamId> {
    let gpu = u8::try_from(gpu).unwrap_or(u8::MAX);
    t.set_gpu(gpu);
    trained.iter().copied().filter(|id| t.with_param(*id, |param| param.gpu) == gpu).collect()
}

/// Forward and loss of an evaluation (transformers 5.23 `Trainer.prediction_step`): the optimizer's states stay, gradients are gone.
fn evaluate(tape: &Tape, models: &Models, setup: &Setup) {
    tape.in_phase(Phase::Evaluate, |tape| {
        tape.set_gpu(models.policy.modules.placement.embedding);
        tape.set_site(Site { phase: Phase::Evaluate, layer: 0, name: &INPUTS });
        let batch = Batch { size: setup.micro_batch * setup.task.sequences_per_sample(), seq_len: setup.sequence_length };
        let ids = models.policy.input(tape, batch);
        let mask = setup.padding_mask.then(|| tape.empty_as(batch.tokens(), 8, Part::Other));
        let autocast = setup.autocast.map(crate::setup::Dtype::bytes);
        let forward = |t: &Tape| t.autocast(autocast, |t| loss::loss(t, models, &ids, batch, setup));
        drop(if setup.evaluation_keeps_graph { forward(tape) } else { tape.no_grad(forward) });
        drop((ids, mask));
    });
}

/// A forward and its backward. Between them the gradients of `late` are freed. Those of `beside`, which belong to other models that are
/// trained, follow what backward frees; `last`: the optimizer steps next.
fn micro_step(
    tape: &Tape,
    models: &Models,
    setup: &Setup,
    engine: Option<&dyn DistributedEngine>,
    (late, beside, last): (&[ParamId], &[ParamId], bool),
    kept: &mut Vec<Tensor>,
) {
    tape.set_gpu(models.policy.modules.placement.embedding);
    tape.set_site(Site { phase: Phase::Forward, layer: 0, name: &INPUTS });
    let calls = if setup.forward_calls > CALLS_ONE_BY_ONE { 1 } else { setup.forward_calls.max(1) };
    let batch = Batch { size: setup.rows() / calls, seq_len: setup.sequence_length };
    let inputs: Vec<(Tensor, Option<Tensor>)> = (0..calls)
        .map(|_| {
            let mask = || tape.empty_as(batch.tokens(), 8, Part::Other);
            (models.policy.input(tape, batch), setup.padding_mask.then(mask))
        })
        .collect();
    let sees = models.policy.modules.patches.is_some();
    let held: Vec<Tensor> = (1..setup.held_batches).filter(|_| sees).map(|_| models.policy.input(tape, batch)).collect();
    kept.clear();
    if let Some(engine) = engine {
        engine.begin_micro_batch(tape, last);
    }
    let autocast = setup.autocast.filter(|_| parallel::uses_autocast(setup)).map(crate::setup::Dtype::bytes);
    tape.begin_call(setup.kept_outputs != KeptOutputs::None, setup.use_cache && models.policy.causal);
    let loss = tape.autocast(autocast, |t| {
        let losses = inputs.iter().map(|(ids, _)| {
            if setup.outputs_to_fp32 {
                // accelerate makes each call of the model an autocast of its own.
                t.forget_copies();
            }
            let loss = loss::loss(t, models, ids, batch, setup);
            t.end_unnamed_call();
            loss
        });
        losses.reduce(|sum, loss| t.add(sum, loss))
    });
    tape.end_call();
    // Ids of tokens are too few to count.
    if sees {
        kept.extend(inputs.into_iter().map(|(pixels, _)| pixels).chain(held));
    } else {
        drop(inputs);
    }
    for id in late {
        drop(tape.take_grad(*id));
    }
    if let Some(engine) = engine {
        engine.end_forward(tape);
        engine.begin_backward(tape);
    }
    tape.set_site(Site { phase: Phase::Loss, layer: 0, name: &loss::LOSS });
    if let Some(loss) = loss {
        tape.backward(loss);
    }
    for id in beside.iter().filter(|id| tape.grad(**id).is_none()) {
        let like = tape.memory(*id);
        tape.set_grad(*id, Some(tape.empty_as(like.numel, like.width, Part::Gradients)));
    }
    if setup.own_loss.as_ref().is_some_and(|own| !own.kept_by_loop) {
        tape.forget_bound();
    }
    if setup.kept_outputs == KeptOutputs::Backward {
        tape.end_call();
    }
    if let Some(engine) = engine {
        engine.end_backward(tape);
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
        mixed_halves: setup.autocast.is_some_and(|half| half != setup.weights && half.bytes() == setup.weights.bytes()),
        adapted: setup.lora.is_some(),
    }
}

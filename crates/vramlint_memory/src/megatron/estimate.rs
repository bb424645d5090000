//! The answer for the rank that holds the most.

use super::activations::sum;
use super::rank::{RankMemory, fullest, replicas, thousandths};
use crate::arch::Arch;
use crate::estimate::constants::{Range, outside_megatron, spread};
use crate::estimate::{Assumption, Estimate, Host, HostItem, Item, Label, Moment, Part, Phase};
use crate::setup::Setup;
use crate::step::clamp::{clamp_setup, cut_lengths};

static WEIGHTS: Label = Label { en: "parameters of this rank", zh: "本进程的参数" };
static REFERENCE: Label = Label { en: "reference model", zh: "参考模型" };
static GRADIENTS: Label = Label { en: "gradient buffer", zh: "梯度缓冲区" };
static STATES: Label = Label { en: "optimizer states of this rank", zh: "本进程的优化器状态" };
static KEPT: Label =
    Label { en: "kept for the backward of micro-batches in flight", zh: "在途微批为反向保留的激活值" };
static AGAIN: Label = Label { en: "blocks in backward", zh: "反向中的块" };
static MOVED: Label = Label { en: "parameters that move to their buffer", zh: "正移入缓冲区的参数" };
static LOGITS: Label = Label { en: "logits and their softmax", zh: "logits 及其 softmax" };
static CONTEXT: Label = Label { en: "CUDA context, NCCL and workspaces", zh: "CUDA 上下文、NCCL 与工作区" };
static OUTSIDE: Label = Label { en: "other engine on the GPU", zh: "同卡的其他引擎" };

/// Groups of ranks that talk to each other: all, those of one copy of the model, those that the loss is averaged over, and one group for each
/// other way to divide the work.
fn groups(setup: &Setup) -> u64 {
    let (p, own) = (&setup.parallel, &setup.parallel.megatron);
    let (data, of_experts) = replicas(setup);
    let ways = [p.tensor, own.pipeline, p.context, own.expert, if own.expert > 1 { of_experts } else { 1 }];
    let divided = ways.iter().fold(0, |count, ranks| count + u64::from(*ranks > 1));
    if divided > 0 || data > 1 { divided + 3 } else { 0 }
}

/// The estimate of one setup.
pub(crate) fn estimate(arch: &Arch, setup: &Setup) -> Estimate {
    let asked = setup;
    let setup = &clamp_setup(arch, setup);
    let held = fullest(arch, setup);
    let outside =
        if setup.cuda_context { outside_megatron(groups(setup), setup.platform) } else { Range { low: 0, likely: 0, high: 0 } };
    let (below, above) = spread(arch.certainty(), arch.has_experts(), setup.parallel.scheme);
    let external = if setup.cuda_context { setup.external_bytes } else { 0 };
    let tensors = held.peak();
    let items = items(&held, outside.likely, external);
    let mut parts = [0_u64; 10];
    for item in &items {
        parts[item.part as usize] = parts[item.part as usize].saturating_add(item.bytes);
    }
    let own = &setup.parallel.megatron;
    let high = sum(&[tensors, thousandths(tensors, above), held.uneven, outside.high, external]);
    let mut assumptions: Vec<Assumption> = arch.assumptions().iter().cloned().chain(cut_lengths(asked, setup)).collect();
    assumptions.push(assumption(held.stage, own.pipeline));
    Estimate {
        parameters: arch.parameters(),
        trainable: held.trained,
        peak: parts.iter().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes)),
        peak_phase: held.phase(),
        tensors,
        reserved: tensors,
        parts,
        items,
        managed: 0,
        low: sum(&[tensors - thousandths(tensors, below), outside.low, external]),
        high,
        phases: phases(&held),
        host: host(&held, setup),
        assumptions,
    }
}

/// What the figures are: formulas, and those of which stage of a pipeline.
fn assumption(stage: u64, stages: u64) -> Assumption {
    let (en, zh) = if stages > 1 {
        (
            format!(", for stage {stage} of {stages} of the pipeline, which holds the most"),
            format!("，所列为占用最多的第 {stage}/{stages} 个流水线阶段"),
        )
    } else {
        (String::new(), String::new())
    };
    Assumption {
        en: format!("Megatron's memory is computed by formulas{en}: no step of it is simulated"),
        zh: format!("Megatron 的显存由公式计算{zh}：不模拟其训练步"),
    }
}

fn items(held: &RankMemory, context: u64, external: u64) -> Vec<Item> {
    let numbers = |count: u64, bytes: u64| format!("{count} parameters × {} B", bytes / count.max(1));
    let steps = |bytes: u64| if held.phase() == Phase::Load { 0 } else { bytes };
    let last = match held.phase() {
        Phase::Load => (Part::Weights, &MOVED, held.moved),
        Phase::Loss => (Part::Logits, &LOGITS, held.logits),
        _ => (Part::Activations, &AGAIN, held.again),
    };
    let all = [
        (Part::Weights, &WEIGHTS, held.weights, numbers(held.numbers, held.weights)),
        (Part::Weights, &REFERENCE, steps(held.reference), numbers(held.numbers, held.reference)),
        (Part::Gradients, &GRADIENTS, held.gradients, numbers(held.trained, held.gradients)),
        (Part::Optimizer, &STATES, steps(held.states), String::new()),
        (Part::Activations, &KEPT, steps(held.kept), String::new()),
        (last.0, last.1, last.2, String::new()),
        (Part::Other, &OUTSIDE, external, String::new()),
        (Part::Context, &CONTEXT, context, String::new()),
    ];
    all.into_iter()
        .filter(|(_, _, bytes, _)| *bytes > 0)
        .map(|(part, label, bytes, formula)| Item { part, label: *label, bytes, formula })
        .collect()
}

fn phases(held: &RankMemory) -> Vec<(Phase, u64)> {
    let (fixed, kept) = (held.fixed(), held.fixed().saturating_add(held.kept));
    let mut all = vec![(Phase::Load, held.load()), (Phase::Forward, kept)];
    if held.logits > 0 {
        all.push((Phase::Loss, kept.saturating_add(held.logits)));
    }
    all.push((Phase::Backward, kept.saturating_add(held.again)));
    all.push((Phase::Optimizer, fixed));
    all
}

/// Optimizer states that the host keeps for the ranks of a machine.
fn host(held: &RankMemory, setup: &Setup) -> Host {
    let ranks = setup.parallel.local.max(1);
    let bytes = held.on_host.saturating_mul(ranks);
    let label = Label { en: "optimizer states", zh: "优化器状态" };
    let parts =
        vec![HostItem { name: "optimizer_states", label, bytes, formula: format!("{ranks} ranks × {} B", held.on_host) }];
    Host { peak: bytes, parts: parts.into_iter().filter(|part| part.bytes > 0).collect() }
}

/// The moments of a step, one for each phase.
pub(crate) fn timeline(arch: &Arch, setup: &Setup) -> Vec<Moment> {
    let setup = &clamp_setup(arch, setup);
    let held = fullest(arch, setup);
    let moment = |phase: Phase, kept: u64, again: u64, logits: u64| {
        let mut parts = [0_u64; 8];
        parts[Part::Weights as usize] = held.weights.saturating_add(held.reference);
        parts[Part::Gradients as usize] = held.gradients;
        parts[Part::Optimizer as usize] = held.states;
        parts[Part::Activations as usize] = kept.saturating_add(again);
        parts[Part::Logits as usize] = logits;
        Moment {
            label: phase.name().to_owned(),
            phase,
            bytes: parts.iter().fold(0, |sum: u64, one| sum.saturating_add(*one)),
            parts,
        }
    };
    let mut all = vec![moment(Phase::Forward, held.kept, 0, 0)];
    if held.logits > 0 {
        all.push(moment(Phase::Loss, held.kept, 0, held.logits));
    }
    all.push(moment(Phase::Backward, held.kept, held.again, 0));
    all.push(moment(Phase::Optimizer, 0, 0, 0));
    all
}

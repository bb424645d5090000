//! What the fullest rank holds.

use super::activations::{Rows, block, product, sum};
use super::local::{self, Division, Share, adapters, table};
use super::stages::{Stage, stages};
use crate::arch::{Arch, Layer};
use crate::estimate::Phase;
use crate::setup::{Checkpointing, Dtype, Recompute, RecomputedParts, Reference, Setup, Task, TrainedParts};

/// Bytes that the softmax of a logit keeps until backward.
const SOFTMAX: u64 = 4;

/// What one rank of a stage holds, bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RankMemory {
    pub(super) stage: u64,
    pub(super) weights: u64,
    pub(super) reference: u64,
    pub(super) gradients: u64,
    pub(super) states: u64,
    pub(super) on_host: u64,
    pub(super) kept: u64,
    pub(super) again: u64,
    pub(super) logits: u64,
    /// While the parameters move to the buffer that ranks gather into: these of the group that moves last.
    pub(super) moved: u64,
    /// What the fullest of the expert ranks may hold on top.
    pub(super) uneven: u64,
    pub(super) numbers: u64,
    pub(super) trained: u64,
}

impl RankMemory {
    pub(super) fn fixed(&self) -> u64 {
        sum(&[self.weights, self.reference, self.gradients, self.states])
    }

    /// While the step runs.
    fn step(&self) -> u64 {
        sum(&[self.fixed(), self.kept, self.again.max(self.logits)])
    }

    /// While parameters get their buffers: no reference model and no states are there yet.
    pub(super) fn load(&self) -> u64 {
        sum(&[self.weights, self.gradients, self.moved])
    }

    pub(super) fn peak(&self) -> u64 {
        self.step().max(self.load())
    }

    pub(super) fn phase(&self) -> Phase {
        if self.load() > self.step() {
            Phase::Load
        } else if self.logits > self.again {
            Phase::Loss
        } else {
            Phase::Backward
        }
    }
}

/// The stage that holds the most.
pub(super) fn fullest(arch: &Arch, setup: &Setup) -> RankMemory {
    let own = &setup.parallel.megatron;
    let all = stages(arch, own, setup.accumulation);
    let held = all.iter().zip(1..).map(|(stage, number)| RankMemory { stage: number, ..memory_of(arch, setup, stage) });
    held.max_by_key(RankMemory::peak).unwrap_or_default()
}

fn memory_of(arch: &Arch, setup: &Setup, stage: &Stage) -> RankMemory {
    let own = &setup.parallel.megatron;
    let width = setup.weights.bytes();
    let (numbers, trained) = parameters(arch, setup, stage);
    let shared = |share: Share| {
        if !own.distributed_optimizer {
            return share.sum();
        }
        let (data, of_experts) = replicas(setup);
        share.dense.div_ceil(data).saturating_add(share.experts.div_ceil(of_experts))
    };
    let states = product(&[own.states, shared(trained)]);
    let on_host = thousandths(states, own.on_host.min(1000));
    let (kept, again, uneven) = activations(arch, setup, stage);
    let weights = product(&[width, numbers.sum()]);
    RankMemory {
        stage: 0,
        weights,
        reference: if setup.reference == Reference::Copy { weights } else { 0 },
        gradients: product(&[own.gradient, trained.sum()]),
        states: states - on_host,
        on_host,
        kept,
        again,
        logits: if stage.is_last { logits(arch, setup) } else { 0 },
        // `distributed/param_and_grad_buffer.py`: one buffer for what is no expert, then one for experts.
        moved: match trained {
            _ if !own.distributed_optimizer => 0,
            Share { experts: 0, dense } => product(&[width, dense]),
            Share { experts, .. } => product(&[width, experts]),
        },
        uneven,
        numbers: numbers.sum(),
        trained: trained.sum(),
    }
}

/// Ranks that share the states of what is no expert, and of experts (`core/parallel_state.py`: ranks of a context share them too).
pub(super) fn replicas(setup: &Setup) -> (u64, u64) {
    let (p, by) = (&setup.parallel, Division::of(setup));
    let data = product(&[p.world.max(1), p.context.max(1)]);
    let of_stage = product(&[data, by.tensor]);
    (data, (of_stage / product(&[by.expert, by.expert_tensor])).max(1))
}

/// The parameters of a rank of a stage, and those that it trains.
fn parameters(arch: &Arch, setup: &Setup, stage: &Stage) -> (Share, Share) {
    let by = Division::of(setup);
    let own = &setup.parallel.megatron;
    let dense = |numbers: u64| Share { dense: numbers, experts: 0 };
    let blocks = || stage.parts.iter().flatten();
    let of_blocks = runs(blocks()).fold(Share::default(), |sum, (layer, times)| {
        let one = local::block(arch, &layer, by);
        sum.plus(Share { dense: one.dense.saturating_mul(times), experts: one.experts.saturating_mul(times) })
    });
    let table = table(arch, by);
    let embeds = u64::from(stage.is_first);
    // A tied head has a copy of the table where the table is on another stage.
    let has_head = stage.is_last && predicts_tokens(setup.task);
    let head = u64::from(has_head && !(arch.head.tied && stage.is_first));
    let further = if stage.is_last {
        let joined = product(&[own.further_tokens, 2, arch.hidden, arch.hidden.div_ceil(by.tensor)]);
        let embeds_again = own.further_tokens > 0 && !stage.is_first;
        joined.saturating_add(if embeds_again { table } else { 0 })
    } else {
        0
    };
    let language = of_blocks.plus(dense(sum(&[table.saturating_mul(embeds + head), further, arch.hidden])));
    let tower = if stage.is_first { arch.unsimulated_parameters } else { 0 };
    let trained_tower =
        setup.trained.as_ref().map_or(0, |parts| if parts.tower { tower } else { 0 }.saturating_add(parts.beside));
    let Some(lora) = &setup.lora else {
        let trains_language = setup.trained.as_ref().is_none_or(TrainedParts::is_whole_language_model);
        let trained = if trains_language { language } else { Share::default() };
        return (language.plus(dense(tower)), trained.plus(dense(trained_tower)));
    };
    let adapters = runs(blocks()).fold(Share::default(), |sum, (layer, times)| {
        let one = adapters(arch, &layer, by, lora);
        sum.plus(Share { dense: one.dense.saturating_mul(times), experts: one.experts.saturating_mul(times) })
    });
    let saved = embeds * u64::from(lora.saved.embedding) + u64::from(has_head && lora.saved.head);
    let added = adapters.plus(dense(table.saturating_mul(saved)));
    (language.plus(dense(tower)).plus(added), added.plus(dense(trained_tower)))
}

/// Whether the head is that of a language model.
fn predicts_tokens(task: Task) -> bool {
    !matches!(
        task,
        Task::SequenceClassification | Task::Reward | Task::EmbeddingPairs | Task::EmbeddingTriplets | Task::TokenClassification
    )
}

/// Equal blocks that follow one another.
fn runs<'a>(blocks: impl Iterator<Item = &'a Layer>) -> impl Iterator<Item = (Layer, u64)> {
    let mut found: Vec<(Layer, u64)> = Vec::new();
    for block in blocks {
        match found.last_mut() {
            Some((last, times)) if last == block => *times += 1,
            _ => found.push((*block, 1)),
        }
    }
    found.into_iter()
}

/// What backward computes again: as Megatron is told, or every block on its own.
fn recompute(setup: &Setup) -> Recompute {
    match setup.parallel.megatron.recompute {
        Recompute::Nothing if setup.checkpointing != Checkpointing::None => Recompute::Groups(1),
        told => told,
    }
}

/// What is kept by the micro-batches in flight, what backward needs on top, and what uneven routing may add.
fn activations(arch: &Arch, setup: &Setup, stage: &Stage) -> (u64, u64, u64) {
    let own = &setup.parallel.megatron;
    let rows = Rows::of(setup, arch.hidden);
    let whole = RecomputedParts::default();
    let recompute = recompute(setup);
    let parts = match recompute {
        Recompute::Parts(parts) => parts,
        _ => whole,
    };
    let mut most = (0_u64, 0_u64, 0_u64);
    for blocks in &stage.parts {
        let (mut kept, mut again, mut routed) = (0_u64, 0_u64, 0_u64);
        let group = match recompute {
            Recompute::Groups(blocks) => blocks.max(1),
            _ => 1,
        };
        let (mut in_group, mut of_group, mut routed_of_group, mut number) = (0, 0_u64, 0_u64, 0);
        for (layer, times) in runs(blocks.iter()) {
            let full = block(&rows, &layer, whole);
            let short = block(&rows, &layer, parts);
            for _ in 0..times {
                let again_here = match recompute {
                    Recompute::Groups(_) => true,
                    Recompute::First(first) => number < first,
                    _ => false,
                };
                number += 1;
                if again_here {
                    if in_group == 0 {
                        kept = kept.saturating_add(rows.input());
                    }
                    in_group += 1;
                    of_group = of_group.saturating_add(full.kept);
                    routed_of_group = routed_of_group.saturating_add(full.routed);
                    again = again.max(of_group.saturating_add(full.backward));
                    routed = routed.max(routed_of_group);
                    if in_group == group {
                        (in_group, of_group, routed_of_group) = (0, 0, 0);
                    }
                } else {
                    kept = kept.saturating_add(short.kept);
                    routed = routed.saturating_add(short.routed);
                    again = again.max(full.kept.saturating_sub(short.kept).saturating_add(full.backward));
                }
            }
        }
        let of_all = (kept.saturating_mul(stage.in_flight), again, routed);
        if of_all.0.saturating_add(of_all.1) > most.0.saturating_add(most.1) {
            most = of_all;
        }
    }
    // Experts of one rank have no one to be uneven with.
    let uneven = if own.expert > 1 { most.2.saturating_mul(own.most_routed.saturating_sub(100)) / 100 } else { 0 };
    (most.0, most.1, uneven)
}

/// Logits at the loss, with the gathered input of the head, and the softmax of further tokens.
fn logits(arch: &Arch, setup: &Setup) -> u64 {
    if !predicts_tokens(setup.task) {
        return 0;
    }
    let own = &setup.parallel.megatron;
    let rows = Rows::of(setup, arch.hidden);
    let columns = arch.vocab.div_ceil(rows.by.tensor);
    let bytes = own.logit.saturating_add(own.further_tokens.saturating_mul(SOFTMAX));
    product(&[rows.tokens, columns, bytes]).saturating_add(product(&[Dtype::Bf16.bytes(), rows.tokens, arch.hidden]))
}

/// A share in thousandths.
pub(super) fn thousandths(bytes: u64, share: u64) -> u64 {
    u64::try_from(u128::from(bytes) * u128::from(share) / 1000).unwrap_or(u64::MAX)
}

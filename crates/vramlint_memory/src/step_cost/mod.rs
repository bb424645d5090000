//! What one optimizer step of one rank computes and moves: arithmetic over the same shapes that the simulator runs.
//!
//! Matrix products and attention count; norms, activations and the loss are left out. So the figures are lower bounds of the work, and two
//! setups of one model can be compared by them. A product of `m × k` by `k × n` is `2 × m × k × n` operations.

mod least;

use crate::arch::{Arch, Experts, Layer, Mlp, Order, Projection, Router};
use crate::setup::{Attention, Checkpointing, Head, Offload, Optimizer, Quantization, Reference, Scheme, Setup, Task};
use crate::step::ParamSizes;

/// The work of one optimizer step on one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepCost {
    /// Floating-point operations of forward passes: of the policy, a reference model and generation.
    pub forward_flops: f64,
    /// Operations of forward passes that backward repeats.
    pub recompute_flops: f64,
    /// Operations of backward.
    pub backward_flops: f64,
    /// Bytes between the GPU and its own memory: weights of each pass, states of the optimizer.
    pub memory_bytes: f64,
    /// Bytes that this rank sends to other GPUs.
    pub link_bytes: f64,
    /// Bytes between the GPU and its host.
    pub host_bytes: f64,
}

impl StepCost {
    /// All operations.
    pub fn flops(&self) -> f64 {
        self.forward_flops + self.recompute_flops + self.backward_flops
    }

    /// The work of one step of a setup.
    pub fn of(arch: &Arch, setup: &Setup) -> Self {
        let sizes = ParamSizes::new(arch, setup);
        let (total, trained) = (count(sizes.total()), count(sizes.trainable()));
        let passes = Passes::of(arch, setup);
        let steps = count(setup.accumulation.max(1));
        let trains_all = trained >= 0.5 * total;
        // Gradients flow to the inputs of every layer above a trained one; those of weights only where these are trained.
        let to_inputs = if setup.freeze_base && setup.lora.is_none() { 0.0 } else { 1.0 };
        let to_weights = if trains_all { 1.0 } else { trained / total.max(1.0) };
        let blocks_backward = passes.products * (to_inputs + to_weights) + 2.0 * passes.attention * to_inputs;
        let head_backward = passes.head * (1.0 + to_weights);
        let recompute = match setup.checkpointing {
            Checkpointing::None => 0.0,
            _ => passes.products + passes.attention,
        } + if setup.head == Head::Fused { passes.head } else { 0.0 };
        let reference = match setup.reference {
            Reference::None => 0.0,
            Reference::Copy | Reference::Adapter => passes.all(),
        };
        let generation = Generation::of(arch, setup, &passes);
        let weights = weight_bytes(setup, total) / count(setup.parallel.tensor.max(1));
        let reads = 2.0 + if recompute > 0.0 { 1.0 } else { 0.0 } + if reference > 0.0 { 1.0 } else { 0.0 };
        Self {
            forward_flops: steps * (passes.all() + reference) + generation.flops,
            recompute_flops: steps * recompute,
            backward_flops: steps * (blocks_backward + head_backward),
            memory_bytes: steps * reads * weights + optimizer_bytes(setup, trained) + generation.weight_reads * weights,
            link_bytes: link_bytes(setup, total, trained, steps),
            host_bytes: host_bytes(arch, setup, total, trained, steps),
        }
    }
}

#[allow(clippy::cast_precision_loss)] // operations are counted to a few digits
fn count(number: u64) -> f64 {
    number as f64
}

/// Operations of one forward over a micro-batch.
struct Passes {
    products: f64,
    attention: f64,
    head: f64,
    /// Products for one token.
    products_per_token: f64,
    /// Tokens of it on this rank.
    tokens: f64,
}

impl Passes {
    fn of(arch: &Arch, setup: &Setup) -> Self {
        let shares = count(setup.parallel.tensor.max(1)) * count(setup.parallel.context.max(1));
        let rows = count(setup.rows());
        let length = count(setup.sequence_length);
        let mut products_per_token = 0.0;
        let mut attention = 0.0;
        for (layer, times) in &arch.layers {
            products_per_token += count(*times) * 2.0 * count(active_parameters(arch, layer));
            let own = &layer.attention;
            let widths = count(own.heads) * (count(own.head_dim) + count(own.value_dim));
            if !matches!(own.projection, Projection::Convolution { .. }) {
                attention += count(*times) * 2.0 * widths * scores(arch, setup, own.window) * rows;
            }
        }
        let mut products = products_per_token * rows * length;
        if let Some(decoder) = arch.decoder {
            let target = if setup.target_length == 0 { length } else { count(setup.target_length) };
            let own = &decoder.layer.attention;
            let widths = count(own.heads) * (count(own.head_dim) + count(own.value_dim));
            // Attention to itself and to the source.
            products += count(decoder.blocks) * 2.0 * count(arch.layer_parameters(&decoder.layer)) * rows * target;
            attention += count(decoder.blocks) * 2.0 * widths * target * (0.5 * target + length) * rows;
        }
        let head = 2.0 * count(arch.width()) * count(head_columns(arch, setup)) * rows * count(head_tokens(arch, setup));
        let tokens = rows * length / shares;
        Self { products: products / shares, attention: attention / shares, head: head / shares, products_per_token, tokens }
    }

    fn all(&self) -> f64 {
        self.products + self.attention + self.head
    }
}

/// Scores of a head over a row: all pairs where they are written out, else those that are seen.
fn scores(arch: &Arch, setup: &Setup, window: Option<u64>) -> f64 {
    let length = count(setup.sequence_length);
    let window = window.map_or(length, |window| count(window).min(length));
    match setup.attention {
        Attention::Eager => length * length,
        _ if arch.causal => window * length - window * window / 2.0,
        _ => length * window,
    }
}

/// Tokens of a row whose logits are computed.
fn head_tokens(arch: &Arch, setup: &Setup) -> u64 {
    match setup.task {
        _ if arch.decoder.is_some() && setup.target_length > 0 => setup.target_length,
        Task::Grpo => setup.sequence_length.saturating_sub(setup.prompt_length),
        _ => setup.sequence_length,
    }
}

/// Columns of the head: the vocabulary, or a handful of classes.
fn head_columns(arch: &Arch, setup: &Setup) -> u64 {
    match setup.task {
        Task::SequenceClassification
        | Task::ImageClassification
        | Task::MultipleChoice
        | Task::TokenClassification
        | Task::QuestionAnswering
        | Task::Reward
        | Task::EmbeddingPairs
        | Task::EmbeddingTriplets => 1,
        _ => arch.vocabulary(),
    }
}

/// Parameters of a block whose products a token meets: no norms, no biases, of experts those that see it.
fn active_parameters(arch: &Arch, layer: &Layer) -> u64 {
    let (own, hidden) = (&layer.attention, arch.width());
    let is_usual = layer.beside.is_none() && layer.own_input.is_none() && !matches!(layer.order, Order::Alternating { .. });
    let attention = match own.projection {
        Projection::Latent { .. } | Projection::Lent { .. } | Projection::Convolution { .. } => None,
        _ => {
            Some(hidden * (own.heads * own.head_dim + own.kv_heads * (own.head_dim + own.value_dim) + own.heads * own.value_dim))
        }
    };
    if let (true, Some(attention)) = (is_usual, attention) {
        return attention + mlp_products(&layer.mlp, hidden);
    }
    let idle = |experts: &Experts| experts.count.saturating_sub(seen(experts)).saturating_mul(3 * hidden * experts.inner);
    let own = if let Mlp::Experts(experts) = &layer.mlp { idle(experts) } else { 0 };
    arch.layer_parameters(layer).saturating_sub(own).saturating_sub(layer.beside.as_ref().map_or(0, idle))
}

/// Experts that see a token.
const fn seen(experts: &Experts) -> u64 {
    if matches!(experts.router, Router::AllExperts) { experts.count } else { experts.active }
}

fn mlp_products(mlp: &Mlp, hidden: u64) -> u64 {
    match mlp {
        Mlp::Gated { inner, .. } => 3 * hidden * inner,
        Mlp::Plain { inner, .. } => 2 * hidden * inner,
        Mlp::Experts(experts) => {
            let shared = experts.shared.map_or(0, |shared| 3 * hidden * shared.inner);
            3 * hidden * experts.inner * seen(experts) + hidden * experts.count + shared
        }
    }
}

/// What a round of generation adds.
struct Generation {
    flops: f64,
    /// How often all weights are read: once for each new token of the round.
    weight_reads: f64,
}

impl Generation {
    fn of(arch: &Arch, setup: &Setup, passes: &Passes) -> Self {
        let Some(round) = setup.generation else { return Self { flops: 0.0, weight_reads: 0.0 } };
        let tokens = count(round.sequences) * (count(round.prompt) + count(round.completion));
        let head = 2.0 * count(arch.width()) * count(arch.vocabulary()) * count(round.sequences) * count(round.completion);
        Self {
            flops: passes.products_per_token * tokens / count(setup.parallel.tensor.max(1)) + head,
            weight_reads: count(round.completion),
        }
    }
}

/// Bytes of the weights as stored.
fn weight_bytes(setup: &Setup, parameters: f64) -> f64 {
    match setup.quantization {
        Quantization::None => parameters * count(setup.weights.bytes()),
        Quantization::Int8 => parameters,
        Quantization::FourBit { .. } => parameters * 0.5,
    }
}

/// Bytes that the optimizer reads and writes on the GPU: states, gradients, weights. States elsewhere count there.
fn optimizer_bytes(setup: &Setup, trained: f64) -> f64 {
    if setup.parallel.offload_optimizer != Offload::None {
        return 0.0;
    }
    let states = match setup.optimizer {
        Optimizer::AdamW8bit | Optimizer::PagedAdamW8bit => 2.0,
        Optimizer::Lion8bit | Optimizer::PagedLion8bit => 1.0,
        Optimizer::Sgd => 0.0,
        Optimizer::SgdMomentum | Optimizer::Lion | Optimizer::Adagrad | Optimizer::RmsProp => 4.0,
        _ => 8.0,
    };
    let weights = count(setup.weights.bytes());
    // States and weights are read and written, gradients read.
    trained * (2.0 * states + 2.0 * weights + weights) / state_shards(setup)
}

/// Ranks that share the states of the optimizer.
fn state_shards(setup: &Setup) -> f64 {
    match setup.parallel.scheme {
        Scheme::None | Scheme::Ddp => 1.0,
        _ => count(setup.parallel.world.max(1)),
    }
}

/// Bytes that this rank sends: rings of all-gather and reduce-scatter move `(n - 1) / n` of their tensor each.
fn link_bytes(setup: &Setup, total: f64, trained: f64, steps: f64) -> f64 {
    let ranks = count(setup.parallel.world.max(1));
    let ring = (ranks - 1.0) / ranks;
    let gradients = trained * count(setup.weights.bytes());
    let weights = total * count(setup.weights.bytes());
    let once = match setup.parallel.scheme {
        Scheme::None => 0.0,
        Scheme::Ddp | Scheme::Zero1 | Scheme::Megatron => 2.0 * gradients,
        // Each micro-batch is reduced, the weights are gathered once.
        Scheme::Zero2 => steps * gradients + gradients,
        Scheme::Zero3 | Scheme::Fsdp1 | Scheme::Fsdp2 => {
            let gathers = if setup.parallel.reshard || setup.parallel.scheme == Scheme::Zero3 { 2.0 } else { 1.0 };
            let reductions = if setup.parallel.defer_reduction { 1.0 } else { steps };
            steps * gathers * weights + reductions * gradients
        }
    };
    once * ring
}

/// Bytes over the bus to the host: gradients down and weights up for an optimizer there, weights for each pass, inputs of checkpointed
/// blocks, states in managed memory at worst.
fn host_bytes(arch: &Arch, setup: &Setup, total: f64, trained: f64, steps: f64) -> f64 {
    let shard = count(setup.parallel.world.max(1));
    let width = count(setup.weights.bytes());
    let mut bytes = 0.0;
    if setup.parallel.offload_optimizer != Offload::None {
        bytes += 2.0 * trained * width / shard;
    }
    if setup.parallel.offload_param != Offload::None {
        bytes += steps * 2.0 * total * width / shard;
    }
    if setup.checkpointing == Checkpointing::Offloaded {
        let inputs = count(setup.rows()) * count(setup.sequence_length) * count(arch.width()) * width;
        bytes += steps * 2.0 * inputs * count(arch.layers());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::{Lora, Parallel};

    fn seven_billion() -> Arch {
        Arch::from_parameters(7_000_000_000)
    }

    /// The usual rule: six operations per parameter and token, eight with checkpointing.
    #[test]
    fn a_full_step_takes_six_operations_per_parameter_and_token() {
        let setup = Setup { micro_batch: 2, sequence_length: 512, accumulation: 4, ..Setup::default() };
        let arch = seven_billion();
        let tokens = 2.0 * 512.0 * 4.0;
        let per_parameter = |setup: &Setup| StepCost::of(&arch, setup).flops() / tokens / count(arch.parameters());
        assert!((5.4..6.2).contains(&per_parameter(&setup)), "{}", per_parameter(&setup));
        let again = Setup { checkpointing: Checkpointing::NonReentrant, ..setup };
        assert!((7.2..8.3).contains(&per_parameter(&again)), "{}", per_parameter(&again));
    }

    #[test]
    fn adapters_save_the_gradients_of_weights() {
        let full = StepCost::of(&seven_billion(), &Setup::default());
        let lora = Setup { lora: Some(Lora { r: 16, ..Lora::default() }), ..Setup::default() };
        let adapters = StepCost::of(&seven_billion(), &lora);
        assert!((0.62..0.72).contains(&(adapters.flops() / full.flops())), "{}", adapters.flops() / full.flops());
    }

    #[test]
    fn the_same_batch_in_smaller_pieces_reads_the_weights_more_often() {
        let once = Setup { micro_batch: 8, ..Setup::default() };
        let pieces = Setup { micro_batch: 1, accumulation: 8, ..Setup::default() };
        let (once, pieces) = (StepCost::of(&seven_billion(), &once), StepCost::of(&seven_billion(), &pieces));
        assert!((once.flops() / pieces.flops() - 1.0).abs() < 1e-9);
        assert!(pieces.memory_bytes > 2.0 * once.memory_bytes);
    }

    #[test]
    fn sharding_of_weights_moves_more_than_that_of_gradients() {
        let with = |scheme| {
            let parallel = Parallel { scheme, world: 8, local: 8, ..Parallel::default() };
            StepCost::of(&seven_billion(), &Setup { parallel, accumulation: 4, ..Setup::default() }).link_bytes
        };
        assert!(with(Scheme::Ddp) < with(Scheme::Zero2) && with(Scheme::Zero2) < with(Scheme::Zero3));
        assert!(with(Scheme::None).abs() < 1.0);
    }
}

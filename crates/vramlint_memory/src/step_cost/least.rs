//! The least work of a step: what no implementation of it gets around.
//!
//! [`StepCost::of`] counts what a step usually does, so that two setups can be compared. A bound must hold for every run of the setup, so
//! this counts only what is certain: rows are as long as the setup says, and everything may be held in a cache that a GPU has. Compared with
//! `torch.utils.flop_counter` (torch 2.15, transformers 5.23, PEFT 0.21), operations of full training and of adapters agree to the last one,
//! but for what checkpointing leaves out: torch stops a recomputation once all that backward needs is there.

use super::{Generation, Passes, StepCost, count, weight_bytes};
use crate::arch::{Arch, Certainty, Layer, Mlp, Projection};
use crate::setup::{
    AdapterKind, Checkpointing, Dtype, Lora, Offload, Optimizer, Quantization, Reference, SavedModules, Scheme, Setup,
};
use crate::step::ParamSizes;

/// Weights that may stay in a cache between two passes, bytes. The largest is that of the Instinct MI300X (256 MiB).
const LARGEST_CACHE: f64 = 256.0 * 1024.0 * 1024.0;

impl StepCost {
    /// The least work of one step. Of links and host, the bytes in the busier direction count, since both directions run at once. `None` for
    /// Megatron-Core, whose pipelines and recomputation are not followed here.
    pub fn at_least(arch: &Arch, setup: &Setup) -> Option<Self> {
        if setup.parallel.scheme == Scheme::Megatron {
            return None;
        }
        let sizes = ParamSizes::new(arch, setup);
        let least = Least {
            arch,
            setup,
            total: count(sizes.total()),
            trained: count(sizes.trainable()),
            passes: Passes::of(arch, setup),
        };
        let generation = Generation::of(arch, setup, &least.passes);
        let steps = least.steps();
        Some(Self {
            forward_flops: steps * (least.forward() + least.adapters() + least.reference()) + generation.flops,
            recompute_flops: steps * least.recompute(),
            backward_flops: steps * least.backward(),
            memory_bytes: least.memory(&generation),
            link_bytes: least.links(),
            host_bytes: least.host(),
        })
    }
}

/// A step with its counts.
struct Least<'a> {
    arch: &'a Arch,
    setup: &'a Setup,
    total: f64,
    trained: f64,
    passes: Passes,
}

impl Least<'_> {
    fn steps(&self) -> f64 {
        count(self.setup.accumulation.max(1))
    }

    /// Scores of attention: only of families that were traced, since others may have layers without.
    fn attention(&self) -> f64 {
        if self.arch.certainty() == Certainty::Traced { self.passes.attention } else { 0.0 }
    }

    fn forward(&self) -> f64 {
        self.passes.products + self.attention() + self.passes.head
    }

    fn reference(&self) -> f64 {
        match self.setup.reference {
            Reference::None => 0.0,
            Reference::Copy | Reference::Adapter => self.forward(),
        }
    }

    /// Whether gradients reach the inputs of all blocks. Where a part is frozen, only those above it need them, and none are counted.
    fn reaches_inputs(&self) -> bool {
        let frozen = self.setup.freeze_base && self.setup.lora.is_none();
        !frozen && self.setup.trained.is_none()
    }

    /// Products of adapters of low rank in a forward pass; those of a model that trains more than them are not told apart.
    fn adapters(&self) -> f64 {
        match &self.setup.lora {
            Some(Lora { kind: AdapterKind::LowRank, saved: SavedModules { embedding: false, head: false }, .. })
                if super::head_columns(self.arch, self.setup) == self.arch.vocabulary() =>
            {
                2.0 * self.trained * self.passes.tokens
            }
            _ => 0.0,
        }
    }

    fn backward(&self) -> f64 {
        let (products, head) = (self.passes.products, self.passes.head);
        if self.setup.lora.is_some() {
            // Each gradient of an adapter is a product, and so is that of its input. Inputs of the first block need none, unless
            // checkpointing asks for them.
            let first =
                self.arch.layers.first().map_or(0.0, |(layer, _)| input_projections(self.arch, layer)) * 2.0 * self.passes.tokens;
            let lora_inputs = if self.arch.layers() == 0 { 0.0 } else { self.adapters() / count(self.arch.layers()) };
            let skipped = if self.setup.checkpointing == Checkpointing::None { first + lora_inputs } else { 0.0 };
            return (products + 2.0 * self.attention() + head + 2.0 * self.adapters() - skipped).max(0.0);
        }
        let to_weights = (self.trained / self.total.max(1.0)).min(1.0);
        let to_inputs = if self.reaches_inputs() { 1.0 } else { 0.0 };
        (products + head) * (to_inputs + to_weights) + 2.0 * self.attention() * to_inputs
    }

    fn recompute(&self) -> f64 {
        if !self.reaches_inputs() {
            return 0.0;
        }
        let blocks = self.passes.products + self.attention();
        match self.setup.checkpointing {
            Checkpointing::None => 0.0,
            // Nothing after the last saved tensor is computed again, which is the input of the last product of a block.
            Checkpointing::NonReentrant => (blocks - self.last_products()).max(0.0),
            Checkpointing::Reentrant | Checkpointing::Offloaded => blocks,
        }
    }

    /// The last products of all blocks in a forward pass.
    fn last_products(&self) -> f64 {
        let of = |layer: &Layer| match &layer.mlp {
            // Dropout saves a mask of what follows the product.
            _ if layer.dropout => 0,
            Mlp::Gated { inner, .. } | Mlp::Plain { inner, .. } => self.arch.width() * inner,
            Mlp::Experts(experts) => {
                self.arch.width() * (super::seen(experts) * experts.inner + experts.shared.map_or(0, |shared| shared.inner))
            }
        };
        let columns: u64 = self.arch.layers.iter().map(|(layer, times)| of(layer) * times).sum();
        2.0 * count(columns) * self.passes.tokens
    }

    /// The narrowest type in which weights may travel.
    fn width(&self) -> f64 {
        let autocast = self.setup.autocast.map_or(4, Dtype::bytes);
        count(self.setup.weights.bytes().min(autocast))
    }

    /// Bytes between the GPU and its memory: weights of products once in each pass, gradients once, the states of the optimizer.
    fn memory(&self, generation: &Generation) -> f64 {
        let tensor = count(self.setup.parallel.tensor.max(1));
        let blocks = self.passes.products_per_token / 2.0;
        let head = count(self.arch.width()) * count(super::head_columns(self.arch, self.setup));
        let stored = match self.setup.quantization {
            Quantization::None => self.width(),
            Quantization::Int8 => 1.0,
            Quantization::FourBit { .. } => 0.5,
        };
        let weights = (blocks * stored + head * self.width()) / tensor;
        let passes = 1.0
            + f64::from(u8::from(self.reaches_inputs()))
            + f64::from(u8::from(self.setup.reference != Reference::None))
            + f64::from(u8::from(matches!(self.setup.checkpointing, Checkpointing::Reentrant | Checkpointing::Offloaded)));
        let reads = if weights > LARGEST_CACHE { (self.steps() * passes + generation.weight_reads) * weights } else { 0.0 };
        let gradients = self.steps() * self.trained * self.gradient_width() / tensor;
        let gradients = if gradients > self.steps() * LARGEST_CACHE { gradients } else { 0.0 };
        reads + gradients + self.optimizer()
    }

    /// States and weights are read and written, gradients read, each once.
    fn optimizer(&self) -> f64 {
        if self.setup.parallel.offload_optimizer != Offload::None {
            return 0.0;
        }
        let width = self.gradient_width();
        let states = match self.setup.optimizer {
            Optimizer::AdamWFused | Optimizer::AdamWForeach | Optimizer::AdamWForLoop => 2.0 * width,
            Optimizer::PagedAdamW32bit => 8.0,
            Optimizer::AdamW8bit | Optimizer::PagedAdamW8bit => 2.0,
            Optimizer::Lion8bit | Optimizer::PagedLion8bit => 1.0,
            Optimizer::Lion
            | Optimizer::SgdMomentum
            | Optimizer::Adagrad
            | Optimizer::RmsProp
            | Optimizer::Muon
            | Optimizer::AdamMini => width,
            Optimizer::Adafactor | Optimizer::Sgd | Optimizer::Galore | Optimizer::Apollo => 0.0,
        };
        let bytes = self.trained * (2.0 * states + 3.0 * width) / super::state_shards(self.setup);
        if bytes > LARGEST_CACHE { bytes } else { 0.0 }
    }

    /// Bytes of a gradient and of a trained weight, at least.
    fn gradient_width(&self) -> f64 {
        let own = self.setup.lora.as_ref().and_then(|lora| lora.dtype).map_or(self.setup.weights.bytes(), Dtype::bytes);
        self.width().min(count(own))
    }

    /// Bytes in the busier direction. A rank receives what others hold of gathered weights and sends its share of what is reduced, however
    /// the links are used; that sums may be built inside a switch halves an all-reduce.
    fn links(&self) -> f64 {
        let ranks = count(self.setup.parallel.world.max(1));
        let others = (ranks - 1.0) / ranks;
        let gradients = self.trained * self.gradient_width();
        let received = self.gathered().max(match self.setup.parallel.scheme {
            Scheme::None => 0.0,
            _ => gradients,
        });
        let sent = match self.setup.parallel.scheme {
            Scheme::None => 0.0,
            Scheme::Zero2 => self.steps() * gradients,
            _ => gradients,
        };
        received.max(sent) * others
    }

    /// Bytes of the weights that a step gathers: once in a forward pass, and in backward those of all blocks but the last, which may still
    /// be there. DeepSpeed keeps up to `stage3_max_live_parameters` for reuse.
    fn gathered(&self) -> f64 {
        let parallel = &self.setup.parallel;
        let narrow = if parallel.quantized_weights { 0.5 } else { self.width() };
        let frozen = if self.setup.lora.is_some() { self.total - self.trained } else { self.total };
        let weights = (frozen * narrow).min(weight_bytes(self.setup, frozen));
        let layers = count(self.arch.layers().max(1));
        let blocks = (self.passes.products_per_token / 2.0 / self.total.max(1.0)).min(1.0) * weights * (layers - 1.0) / layers;
        match parallel.scheme {
            Scheme::Zero3 if self.total <= count(parallel.max_live) => weights,
            Scheme::Zero3 if parallel.hpz > 1 => self.steps() * weights,
            Scheme::Zero3 => self.steps() * (weights + blocks),
            Scheme::Fsdp1 | Scheme::Fsdp2 if parallel.reshard => self.steps() * (weights + blocks),
            Scheme::Fsdp1 | Scheme::Fsdp2 => weights,
            _ => 0.0,
        }
    }

    /// Bytes over the bus to the host in the busier direction.
    fn host(&self) -> f64 {
        let shard = count(self.setup.parallel.world.max(1));
        let (mut up, mut down) = (0.0, 0.0);
        if self.setup.parallel.offload_optimizer != Offload::None {
            down += self.trained * self.gradient_width() / shard;
            up += self.trained * self.gradient_width() / shard;
        }
        if self.setup.parallel.offload_param != Offload::None {
            up += self.gathered() / shard;
        }
        if self.setup.checkpointing == Checkpointing::Offloaded {
            let inputs = self.passes.tokens * count(self.arch.width()) * self.width() * count(self.arch.layers());
            up += self.steps() * inputs;
            down += self.steps() * inputs;
        }
        f64::max(up, down)
    }
}

/// Columns times rows of the projections that take the input of a block.
fn input_projections(arch: &Arch, layer: &Layer) -> f64 {
    let own = &layer.attention;
    match own.projection {
        Projection::Latent { .. } | Projection::Lent { .. } | Projection::Convolution { .. } => {
            count(arch.layer_parameters(layer))
        }
        _ => count(arch.width()) * count(own.heads * own.head_dim + own.kv_heads * (own.head_dim + own.value_dim)),
    }
}

#[cfg(test)]
mod tests;

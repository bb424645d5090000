//! Modules with their parameters.

use super::alternating::AlternatingBlock;
use super::per_layer::PerLayerBlock;
use crate::arch::{Layer, Norm, PositionStacks};
use crate::tape::{Linear, ParamId, Weight};

/// A norm with its parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NormModule {
    pub(crate) norm: Norm,
    pub(crate) columns: u64,
    pub(crate) weight: Option<ParamId>,
    pub(crate) bias: Option<ParamId>,
}

/// A linear layer with its adapter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinearModule {
    pub(crate) base: Linear,
    pub(crate) adapter: Option<Adapter>,
    pub(crate) scaling: Option<Scaling>,
    /// Its path inside the block, of which PEFT matches the end.
    pub(crate) name: &'static str,
}

/// A trained vector that scales the output of a layer, or its input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scaling {
    pub(crate) vector: ParamId,
    pub(crate) of_input: bool,
}

/// A low-rank adapter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adapter {
    pub(crate) down: Linear,
    pub(crate) up: Linear,
    pub(crate) dropout: bool,
    /// DoRA's magnitude.
    pub(crate) magnitude: Option<ParamId>,
}

/// Projections of an attention.
#[derive(Clone, Debug)]
pub(crate) enum Projections {
    Separate { q: LinearModule, k: LinearModule, v: LinearModule },
    Fused(LinearModule),
    Latent(LatentProjections),
    Convolution(ConvolutionModule),
    Lent(LentProjections),
    Segments(SegmentProjections),
}

/// An attention with its parameters.
#[derive(Clone, Debug)]
pub(crate) struct AttentionModule {
    pub(crate) projections: Projections,
    pub(crate) out: LinearModule,
    pub(crate) q_norm: Option<NormModule>,
    pub(crate) k_norm: Option<NormModule>,
    pub(crate) sinks: Option<ParamId>,
    /// Projections of distances: to keys, to queries (DeBERTa).
    pub(crate) distances: [Option<LinearModule>; 2],
    /// Biases of queries and values beside a matrix without (the first version of DeBERTa).
    pub(crate) biases: Option<[ParamId; 2]>,
}

/// An MLP with its parameters.
#[derive(Clone, Debug)]
pub(crate) enum MlpModule {
    Gated {
        gate: LinearModule,
        up: Option<LinearModule>,
        down: LinearModule,
    },
    Plain {
        up: LinearModule,
        down: LinearModule,
        /// Trained scalars of the activation.
        own: Option<[ParamId; 2]>,
    },
    Experts(ExpertsModule),
}

/// A block with its parameters.
#[derive(Clone, Debug)]
pub(crate) struct LayerModule {
    pub(crate) shape: Layer,
    /// From 1.
    pub(crate) number: u32,
    pub(crate) norms: Vec<NormModule>,
    pub(crate) attention: AttentionModule,
    pub(crate) mlp: MlpModule,
    /// Experts beside the MLP.
    pub(crate) beside: Option<BesideModule>,
    /// The part of its own input.
    pub(crate) per_layer: Option<PerLayerBlock>,
    /// What predicts and corrects streams.
    pub(crate) alternating: Option<AlternatingBlock>,
    /// Vectors by which the results of both halves are multiplied (DINOv2).
    pub(crate) vectors: Option<[ParamId; 2]>,
}

/// Experts beside an MLP.
#[derive(Clone, Debug)]
pub(crate) struct BesideModule {
    pub(crate) experts: ExpertsModule,
    /// What the router multiplies its normed input by, and the weights of each expert.
    pub(crate) scales: [ParamId; 2],
    /// After the MLP, before the experts, after them.
    pub(crate) norms: [NormModule; 3],
}

/// A block of a decoder that sees an encoder.
#[derive(Clone, Debug)]
pub(crate) struct CrossAttentionBlock {
    /// The block but for what looks at the encoder.
    pub(crate) own: LayerModule,
    pub(crate) cross: AttentionModule,
    pub(crate) norm: NormModule,
}

/// The decoder of an encoder-decoder model.
#[derive(Clone, Debug)]
pub(crate) struct DecoderModule {
    pub(crate) blocks: Vec<CrossAttentionBlock>,
    pub(crate) norm: Option<NormModule>,
    pub(crate) places: PlacesModule,
}

/// How the stacks of an encoder-decoder model know where a token is.
#[derive(Clone, Debug)]
pub(crate) enum PlacesModule {
    /// Biases by distance, of the encoder and of the decoder.
    Distances([ParamId; 2]),
    /// Embeddings of positions.
    Positions {
        shape: PositionStacks,
        /// The table of the decoder, unless it is a buffer.
        table: Option<ParamId>,
        embedding_norm: Option<NormModule>,
    },
}

/// Projections of a latent attention.
#[derive(Clone, Debug)]
pub(crate) struct LatentProjections {
    /// The query projection: one matrix, or down and up.
    pub(crate) q: Vec<LinearModule>,
    /// The norm between down and up.
    pub(crate) q_norm: Option<NormModule>,
    /// Down to keys and values, including the rotated part of the keys.
    pub(crate) kv_down: LinearModule,
    /// The norm of what is common to keys and values.
    pub(crate) kv_norm: NormModule,
    /// Up to keys and values of every head.
    pub(crate) kv_up: LinearModule,
}

/// Projections of an attention that may borrow keys and values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LentProjections {
    pub(crate) q: LinearModule,
    /// To keys and to values, if these are not the same; `None` if an earlier block has both.
    pub(crate) keys: Option<(LinearModule, Option<LinearModule>)>,
}

/// The parameters of an attention to contents, distances and segments (XLNet).
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentProjections {
    /// To queries, keys, values and distances.
    pub(crate) matrices: [ParamId; 4],
    /// Added to queries before they meet keys, distances and segments.
    pub(crate) biases: [ParamId; 3],
    pub(crate) segments: ParamId,
}

/// A short convolution behind one projection to what it multiplies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConvolutionModule {
    /// To both gates and the hidden states.
    pub(crate) input: LinearModule,
    pub(crate) filter: ParamId,
    pub(crate) bias: Option<ParamId>,
    /// Tokens that it sees.
    pub(crate) taps: u64,
}

/// Parameters of the experts of a block.
#[derive(Clone, Debug)]
pub(crate) struct ExpertsModule {
    /// What scores the experts.
    pub(crate) router: LinearModule,
    /// Gate and up of all experts.
    pub(crate) gate_up: Weight,
    /// The way down of all experts.
    pub(crate) down: Weight,
    /// Quantized experts are dequantized one at a time.
    pub(crate) one_by_one: bool,
    /// Biases of both.
    pub(crate) biases: Option<[ParamId; 2]>,
    /// The expert that sees every token.
    pub(crate) shared: Option<Box<MlpModule>>,
    /// Its gate.
    pub(crate) shared_gate: Option<LinearModule>,
    /// Adapters of all of it but the shared expert.
    pub(crate) adapters: ExpertAdapters,
}

/// The two factors added to a weight, or to the weight of each expert.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoraFactors {
    /// `lora_A`.
    pub(crate) down: ParamId,
    /// `lora_B`.
    pub(crate) up: ParamId,
}

/// Adapters of the experts of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ExpertAdapters {
    /// Of the router.
    pub(crate) router: Option<LoraFactors>,
    /// Of gate and up.
    pub(crate) gate_up: Option<LoraFactors>,
    /// Of the way down.
    pub(crate) down: Option<LoraFactors>,
}

impl LinearModule {
    fn without_adapter(self) -> Self {
        Self { adapter: None, scaling: None, ..self }
    }
}

impl LayerModule {
    /// Whether it gets nothing from other blocks but its input, and gives them nothing but its output.
    pub(super) fn is_self_contained(&self) -> bool {
        let lends = matches!(self.attention.projections, Projections::Lent(_));
        !lends && self.alternating.is_none() && self.per_layer.is_none() && self.shape.own_input.is_none()
    }

    /// The block with its adapters switched off.
    pub(crate) fn without_adapters(&self) -> Self {
        let mut layer = self.clone();
        layer.for_each_linear(&mut |module| *module = module.without_adapter());
        if let Some(experts) = layer.experts_mut() {
            experts.adapters = ExpertAdapters::default();
        }
        layer
    }

    /// Visits every linear layer that adapters may reach.
    pub(crate) fn for_each_linear(&mut self, visit: &mut dyn FnMut(&mut LinearModule)) {
        self.attention.for_each_linear(visit);
        self.mlp.for_each_linear(visit);
        if let Some(own) = &mut self.per_layer {
            visit(&mut own.gate);
            visit(&mut own.projection);
        }
        if let Some(alternating) = &mut self.alternating {
            alternating.laurel.iter_mut().for_each(visit);
        }
    }

    /// The matrices of its experts.
    pub(crate) fn expert_weights(&self) -> Vec<Weight> {
        self.experts().map_or_else(Vec::new, |experts| vec![experts.gate_up, experts.down])
    }

    /// Its experts, in the place of the MLP or beside it.
    pub(crate) fn experts(&self) -> Option<&ExpertsModule> {
        match (&self.mlp, &self.beside) {
            (MlpModule::Experts(experts), _) => Some(experts),
            (_, beside) => beside.as_ref().map(|beside| &beside.experts),
        }
    }

    /// The same, to be changed.
    pub(crate) fn experts_mut(&mut self) -> Option<&mut ExpertsModule> {
        match (&mut self.mlp, &mut self.beside) {
            (MlpModule::Experts(experts), _) => Some(experts),
            (_, beside) => beside.as_mut().map(|beside| &mut beside.experts),
        }
    }
}

impl AttentionModule {
    /// Visits every linear layer that adapters may reach.
    pub(crate) fn for_each_linear(&mut self, visit: &mut dyn FnMut(&mut LinearModule)) {
        match &mut self.projections {
            Projections::Separate { q, k, v } => [q, k, v].into_iter().for_each(&mut *visit),
            Projections::Fused(all) => visit(all),
            Projections::Lent(lent) => {
                visit(&mut lent.q);
                if let Some((keys, values)) = &mut lent.keys {
                    visit(keys);
                    values.iter_mut().for_each(&mut *visit);
                }
            }
            Projections::Convolution(convolution) => visit(&mut convolution.input),
            // PEFT adapts modules, and these matrices are none.
            Projections::Segments(_) => return,
            Projections::Latent(latent) => {
                latent.q.iter_mut().for_each(&mut *visit);
                visit(&mut latent.kv_down);
                visit(&mut latent.kv_up);
            }
        }
        self.distances.iter_mut().flatten().for_each(&mut *visit);
        visit(&mut self.out);
    }
}

impl MlpModule {
    fn for_each_linear(&mut self, visit: &mut dyn FnMut(&mut LinearModule)) {
        match self {
            Self::Gated { gate, up, down } => {
                visit(gate);
                if let Some(up) = up {
                    visit(up);
                }
                visit(down);
            }
            Self::Plain { up, down, .. } => {
                visit(up);
                visit(down);
            }
            Self::Experts(experts) => {
                if let Some(shared) = &mut experts.shared {
                    shared.for_each_linear(visit);
                }
                if let Some(gate) = &mut experts.shared_gate {
                    visit(gate);
                }
            }
        }
    }
}

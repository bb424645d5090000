//! Modules with their parameters.

use super::experts::ExpertsModule;
use super::folded::ExpertAdapters;
use super::latent::Latent;
use crate::arch::{Layer, Norm};
use crate::tape::{Linear, ParamId};

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
    /// Its path inside the block, of which PEFT matches the end.
    pub(crate) name: &'static str,
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
    Latent(Latent),
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
        /// Trained numbers of the activation.
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
}

/// A block of a decoder that sees an encoder.
#[derive(Clone, Debug)]
pub(crate) struct CrossModule {
    /// The block but for what looks at the encoder.
    pub(crate) own: LayerModule,
    pub(crate) cross: AttentionModule,
    pub(crate) norm: NormModule,
}

/// The decoder beside an encoder.
#[derive(Clone, Debug)]
pub(crate) struct DecoderModule {
    pub(crate) blocks: Vec<CrossModule>,
    pub(crate) norm: NormModule,
    /// Biases by distance, of the encoder and of the decoder.
    pub(crate) biases: [ParamId; 2],
}

impl LinearModule {
    fn without_adapter(self) -> Self {
        Self { adapter: None, ..self }
    }
}

impl LayerModule {
    /// The block with its adapters switched off.
    pub(crate) fn without_adapters(&self) -> Self {
        let mut layer = self.clone();
        layer.each_linear(&mut |module| *module = module.without_adapter());
        if let MlpModule::Experts(experts) = &mut layer.mlp {
            experts.adapters = ExpertAdapters::default();
        }
        layer
    }

    /// Visits every linear layer that adapters may reach.
    pub(crate) fn each_linear(&mut self, visit: &mut dyn FnMut(&mut LinearModule)) {
        self.attention.each_linear(visit);
        self.mlp.each_linear(visit);
    }
}

impl AttentionModule {
    /// Visits every linear layer that adapters may reach.
    pub(crate) fn each_linear(&mut self, visit: &mut dyn FnMut(&mut LinearModule)) {
        match &mut self.projections {
            Projections::Separate { q, k, v } => [q, k, v].into_iter().for_each(&mut *visit),
            Projections::Fused(all) => visit(all),
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
    fn each_linear(&mut self, visit: &mut dyn FnMut(&mut LinearModule)) {
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
                    shared.each_linear(visit);
                }
                if let Some(gate) = &mut experts.shared_gate {
                    visit(gate);
                }
            }
        }
    }
}

//! The model: its parameters on the tape, and its forward, written as the modeling code of transformers 5.23 is.

mod activation;
mod attention;
mod attention_kernel;
mod attention_sinks;
mod batch;
mod build;
mod build_adapters;
mod build_experts;
mod deberta;
mod decoder;
mod dora;
mod eager_attention;
mod embeddings;
mod experts;
mod gated_mlp;
mod latent;
mod linear;
mod mlp;
mod modules;
mod norm;
mod parametrized_adapters;
mod placement;
mod qkv;
mod rotary;
mod router;
mod shared;
mod short_convolution;
mod t5;

pub(crate) use activation::activate;
pub(crate) use batch::Batch;
pub(crate) use build::{Modules, OutputHead, build};
pub(crate) use decoder::Model;
pub(crate) use linear::linear;
pub(crate) use modules::LayerModule;
pub(crate) use norm::norm;
pub(crate) use placement::Placement;

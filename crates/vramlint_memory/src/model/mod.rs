//! The model: its parameters on the tape, and its forward, written as the modeling code of transformers 5.23 is.

mod attention;
mod deberta;
mod decoder;
mod dora;
mod embed;
mod experts;
mod folded;
mod latent;
mod layers;
mod load;
mod load_experts;
mod mlp;
mod norm;
mod project;
mod rotary;
mod router;
mod sinks;
mod t5;
mod written;

pub(crate) use decoder::{Batch, Model};
pub(crate) use layers::LayerModule;
pub(crate) use load::{Head, Loaded, load};
pub(crate) use mlp::{activate, linear};
pub(crate) use norm::norm;

//! Views of a resolved project that rules, estimates and the editor share.
//!
//! A view answers one question of the field (which DeepSpeed configurations are there, and which programs consume them; what does
//! `accelerate launch` make of its file and its flags) from a [`vramlint_resolve::Project`]. It reports nothing: rules do.

// `Option<bool>` and friends are answers here: `None` is "not known".
#![allow(clippy::doc_markdown)]

pub mod accelerate;
pub mod alloc_conf;
pub mod arguments;
pub mod calls;
pub mod class_fields;
pub mod deepspeed;
pub mod frameworks;
pub mod model_lifetime;
pub mod schema;
mod semantics;
pub mod trainers;
pub mod version_gate;

pub use semantics::Semantics;

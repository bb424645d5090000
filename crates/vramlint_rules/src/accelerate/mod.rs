//! What `accelerate launch` makes of its file and its flags, for the rules about both.

mod given;
mod hints;
pub(crate) mod json;
mod kind;
mod numbers;
mod start;

pub(crate) use given::{Answer, Given};
pub(crate) use kind::{Path, Type};
pub(crate) use start::{Start, starts};

//! What `accelerate launch` makes of its file and its flags, for the rules about both.

mod given;
mod hints;
mod kind;
mod numbers;
mod start;

pub(crate) use given::{Answer, Given};
pub(crate) use kind::{Path, Type};
pub(crate) use start::{Start, of_file, starts};

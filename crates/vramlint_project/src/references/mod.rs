//! Which files refer to which, by their bytes alone: what an edit or a request for a few files has to look at.

mod connected;
mod graph;
mod scan;

pub(crate) use connected::{connected, implicit_context, path_index};
pub(crate) use graph::ReferenceGraph;
pub(crate) use scan::PathIndex;

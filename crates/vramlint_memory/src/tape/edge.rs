//! Edges of the autograd graph.

/// A parameter of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ParamId(pub(crate) u32);

/// The target of a gradient that goes nowhere: that of a leaf that is no parameter.
pub(super) const LEAF: Edge = Edge::Node { node: u32::MAX, output: 0 };

/// The target of a gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// To an output of a node.
    Node {
        /// Its number on the stack.
        node: u32,
        /// Which of its outputs.
        output: u32,
    },
    /// To a parameter.
    Param(ParamId),
}

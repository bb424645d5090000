//! `VL6`: Python code.

pub(crate) mod identical_branches;

//! From a resolved run, or from flags, to a setup; from a setup to an estimate, a verdict and the changes that would make it fit. Pure.

pub mod models;
pub mod record;

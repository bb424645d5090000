//! Names that people choose in their own YAML and Python: no tool's own, so that there is no list of them.

use super::descriptor::{BatchArithmetic, COMMON, EstimateTraits, Framework, Loss};

/// The project itself.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "training",
    name: "the project",
    package: "the project",
    four_bits: ("fp4", false),
    batch: BatchArithmetic { source: "accelerate 1.15.0 accelerate/accelerator.py:2188", ..COMMON.batch },
    estimate: EstimateTraits { may_be_launched: false, loss: Loss::Whole, ..COMMON.estimate },
    ..COMMON
};

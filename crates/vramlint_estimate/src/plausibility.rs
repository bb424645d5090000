//! Whether an estimate is worth showing: a figure that no machine has says that something of the run is not visible.

use crate::run_estimate::RunEstimate;
use vramlint_base::text::format_size;
use vramlint_base::{Message, message};
use vramlint_catalog::{Concept, gpus};
use vramlint_memory::estimate::Part;
use vramlint_resolve::Run;

/// The most bytes on one GPU that an estimate may have: ten of the largest GPUs, and at most 1 TiB.
const MOST: u64 = 1 << 40;

/// The estimate, or why it is not shown.
pub(crate) fn plausible(estimate: RunEstimate, run: &Run) -> Result<RunEstimate, Message> {
    let largest = gpus::all().iter().map(gpus::Gpu::memory).max().unwrap_or(MOST);
    let need = estimate.estimate.peak;
    let states: u64 = [Part::Weights, Part::Gradients, Part::Optimizer].map(|part| estimate.part(part)).iter().sum();
    // A large model that nothing divides may really need so much; its batch does not.
    if need > MOST.min(largest.saturating_mul(10)) && states < need / 2 {
        let shown = format_size(need);
        return Err(message!(
            "{shown} for one GPU is not plausible: what divides the model or the batch is not visible",
            "单个 GPU {shown} 不合理：切分模型或批次的设置不可见"
        ));
    }
    // Nobody trains this on one GPU, and neither the launch nor the number of processes is in the project.
    let is_open = run.launch.is_none() && run.value(Concept::WorldSize).is_none() && estimate.setup.parallel.world <= 1;
    if is_open && estimate.estimate.low > largest && !estimate.certainly_too_large() {
        let shown = format_size(largest);
        return Err(message!(
            "no single GPU ({shown} at most) holds it, and the launch that divides it is not visible",
            "没有单个 GPU（最大 {shown}）能容纳它，而切分它的启动命令不可见"
        ));
    }
    Ok(estimate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_a_figure_that_some_machine_may_have() {
        assert!(gpus::all().iter().all(|gpu| gpu.memory() < MOST));
    }
}

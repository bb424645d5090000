//! Scratch memory of torch's reduction kernels (torch 2.15, `aten/src/ATen/native/cuda/Reduce.cuh`, `setReduceConfig`).

use super::Device;

const MAX_THREADS: u64 = 512;
const WARP: u64 = 32;
const MIN_VALUES: u64 = 16;
const MAX_VALUES: u64 = 256;

/// Staging bytes and semaphore bytes of a sum of `inputs` elements into each of `outputs`; both 0 if a single block suffices.
/// `fastest`: the reduced dimension is the contiguous one. Accumulation is in 4 bytes.
pub(super) fn scratch(device: Device, outputs: u64, inputs: u64, fastest: bool) -> (u64, u64) {
    if outputs == 0 || inputs == 0 {
        return (0, 0);
    }
    let (mut dim0, dim1) = if fastest { (inputs, outputs) } else { (outputs, inputs) };
    let mut vector = 1;
    if fastest && dim0 >= 128 {
        dim0 /= 4;
    } else if !fastest {
        vector = if outputs.is_multiple_of(4) {
            4
        } else if outputs.is_multiple_of(2) {
            2
        } else {
            1
        };
        dim0 /= vector;
    }
    let limit = MAX_THREADS / vector;
    let power = |n: u64| if n < limit { last_power(n) } else { limit };
    let (power0, power1) = (power(dim0), power(dim1));
    let mut width = power0.min(WARP);
    let height = power1.min(limit / width);
    width = power0.min(limit / height);
    let threads = width * height;
    let (mut step_input, mut step_output) = (1, 1);
    if fastest {
        step_input *= width;
    } else {
        step_output *= width;
    }
    let values = |step: u64| inputs.div_ceil(step);
    let across_warps = values(step_input) >= (height * 16).min(MAX_VALUES);
    if across_warps {
        step_input *= height;
    } else {
        step_output *= height;
    }
    let grid = (outputs / vector).div_ceil(step_output);
    let target = device.multiprocessors * (device.threads / threads.max(1));
    if !(across_warps && values(step_input) >= MAX_VALUES && grid <= target) {
        return (0, 0);
    }
    let most = values(step_input).div_ceil(MIN_VALUES);
    let least = values(step_input).div_ceil(MAX_VALUES);
    let blocks = target.div_ceil(grid.max(1)).clamp(least.min(most), most);
    if blocks <= 1 {
        return (0, 0);
    }
    let staging = 4 * outputs * blocks * if fastest { 1 } else { width * vector };
    (staging, 4 * grid)
}

fn last_power(n: u64) -> u64 {
    1 << n.max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    const A100: Device =
        Device { cublas: 0, cublas_lt: 0, multiprocessors: 108, threads: 2048, mixed_halves: false, adapted: false };

    #[test]
    fn scratch_of_a_weight_gradient_is_what_a_trace_shows() {
        // Traced with torch 2.15 at compute capability 8.0: 1,024 rows into 896 and into 128 sums.
        assert_eq!(scratch(A100, 896, 1024, false), (7_340_032, 28));
        assert_eq!(scratch(A100, 128, 1024, false), (1_048_576, 4));
    }

    #[test]
    fn short_sums_need_none() {
        assert_eq!(scratch(A100, 4096, 16, false), (0, 0));
        assert_eq!(scratch(A100, 0, 0, true), (0, 0));
    }
}

//! Allocations outside the caching allocator: drivers and libraries.

use super::device::empty;
use super::{event, exception_in, pattern};
use crate::amount::Amount;
use crate::event::{Device, DeviceTemplate, Event, Failure};
use crate::excerpt::Excerpt;

pattern!(
    DRIVER,
    r"(?P<backend>CUDA|HIP|NPU|XPU|cuda|hip)(?: driver| runtime)? ?(?:error|Error)(?: \(\d+\))? ?:? (?:\(\d+\) : )?(?:cudaErrorMemoryAllocation: |hipErrorOutOfMemory: )?out of memory|Triton Error \[(?P<triton>CUDA|HIP)\]: out of memory|(?P<constant>CUDA_ERROR_OUT_OF_MEMORY|hipErrorOutOfMemory)|error=2 : out of memory"
);
pattern!(NCCL, r"(?:[Cc]uda|HIP|Hip) failure[^'\n]{0,40}'out of memory'");
pattern!(BITSANDBYTES, r"Error out of memory at line \d+ in file");
pattern!(
    LIBRARY,
    r"(?P<library>CUBLAS|HIPBLAS|CUDNN|MIOPEN|CUFFT|HIPFFT|CUSOLVER|CUSPARSE|ROCBLAS)(?:_STATUS|_STATUS_)?_?ALLOC_FAILED"
);
pattern!(NCCL_BYTES, r"^Failed to CUDA (?:host |c|m)?(?:alloc|calloc|malloc)(?: async| host)? (?P<bytes>\d+) bytes");
pattern!(XLA_BYTES, r"(?:trying|failed) to allocate (?P<bytes>\d+) bytes|allocate [\d.]+[KMG]iB \((?P<exact>\d+) bytes\)");

/// `CUDA error: out of memory` and its like, at `ut of memory`.
pub(super) fn out_of_memory(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    let here = excerpt.line_before().1.len();
    // The line may hold several messages: the one that spans the anchor counts.
    let spans = |found: &regex::Match<'_>| found.start() <= here && here < found.end();
    if BITSANDBYTES.find_iter(&line).any(|found| spans(&found)) {
        return Some(without_numbers(excerpt, &line, "cuda", DeviceTemplate::Bitsandbytes, None));
    }
    if let Some(found) = NCCL.find_iter(&line).find(spans) {
        let backend = if found.as_str().starts_with(['H']) { "hip" } else { "cuda" };
        return Some(without_numbers(excerpt, &line, backend, DeviceTemplate::Nccl, None));
    }
    let found = DRIVER.captures_iter(&line).find(|found| found.get(0).is_some_and(|all| spans(&all)))?;
    let word = found
        .name("backend")
        .or(found.name("constant"))
        .or(found.name("triton"))
        .map_or("cuda", |word| word.as_str())
        .to_ascii_lowercase();
    let backend = word.get(..3).filter(|start| matches!(*start, "hip" | "npu" | "xpu")).unwrap_or("cuda");
    Some(without_numbers(excerpt, &line, backend, DeviceTemplate::Driver, None))
}

/// `CUBLAS_STATUS_ALLOC_FAILED` and its like.
pub(super) fn alloc_failed(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    let library = LIBRARY.captures(&line)?["library"].to_owned();
    let backend = if library.starts_with("HIP") || matches!(library.as_str(), "MIOPEN" | "ROCBLAS") { "hip" } else { "cuda" };
    let template = if matches!(library.as_str(), "CUBLAS" | "HIPBLAS" | "ROCBLAS") {
        DeviceTemplate::Cublas
    } else {
        DeviceTemplate::MathLibrary
    };
    Some(without_numbers(excerpt, &line, backend, template, None))
}

/// `Failed to CUDA calloc async 6291456 bytes`.
pub(super) fn nccl_allocation(excerpt: &Excerpt<'_>) -> Option<Event> {
    let requested = Amount::bytes(&NCCL_BYTES.captures(&excerpt.line_after())?["bytes"]);
    Some(without_numbers(excerpt, &excerpt.line(), "cuda", DeviceTemplate::Nccl, requested))
}

/// `RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes`, `OOM when allocating tensor`.
pub(super) fn xla(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    if !["ut of memory", "OOM when allocating", "Attempting to reserve"].iter().any(|words| line.contains(words)) {
        return None;
    }
    let requested =
        XLA_BYTES.captures(&line).and_then(|found| Amount::bytes(found.name("bytes").or(found.name("exact"))?.as_str()));
    Some(without_numbers(excerpt, &line, "cuda", DeviceTemplate::Xla, requested))
}

fn without_numbers(
    excerpt: &Excerpt<'_>,
    line: &str,
    backend: &str,
    template: DeviceTemplate,
    requested: Option<Amount>,
) -> Event {
    let device = Device { requested, ..empty(backend.to_owned(), template) };
    event(excerpt, exception_in(line), Failure::Device(Box::new(device)))
}

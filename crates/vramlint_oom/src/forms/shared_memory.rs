//! Shared memory of the host: data loaders, NCCL.

use super::{event, exception_in, number, pattern};
use crate::amount::Amount;
use crate::event::{Event, Failure, SharedMemory, SharedMemoryTemplate};
use crate::excerpt::Excerpt;

pattern!(WORKER, r"worker \(pid(?:\(s\))? (?P<pid>\d{1,9})\) is killed by signal: Bus error");
pattern!(UNEXPECTED, r"Unexpected bus error encountered in worker");
pattern!(
    TORCH_SHM,
    r"(?:unable to (?:write to file|allocate shared memory\(shm\) for file|resize file|mmap \d+ bytes from file|open shared memory object)) </?torch_[^>]*>.*?(?:No space left on device|Cannot allocate memory)"
);
pattern!(PYTHON_SHM, r"\[Errno 28\] No space left on device: '/dev/shm/");
pattern!(NCCL_SEGMENT, r"Error while (?:creating|attaching to) shared memory segment (?P<file>\S+) \(size (?P<bytes>\d+)\)");
pattern!(NCCL_EXTEND, r"NCCL WARN Error: failed to extend (?P<file>/dev/shm/\S+) to (?P<bytes>\d+) bytes");
pattern!(NCCL_FALLOCATE, r"NCCL WARN.*posix_fallocate failed.*No space left on device");

/// A bus error, or a file in `/dev/shm` that could not be written.
pub(super) fn read(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    if let Some(found) = WORKER.captures(&line) {
        return Some(shortage(excerpt, &line, SharedMemoryTemplate::DataLoaderBusError, number(&found, "pid"), None));
    }
    if UNEXPECTED.is_match(&line) {
        return Some(shortage(excerpt, &line, SharedMemoryTemplate::DataLoaderBusError, None, None));
    }
    if let Some(found) = NCCL_SEGMENT.captures(&line).or_else(|| NCCL_EXTEND.captures(&line)) {
        let requested = Amount::bytes(&found["bytes"]);
        return Some(shortage(excerpt, &line, SharedMemoryTemplate::NcclShm, None, requested));
    }
    if NCCL_FALLOCATE.is_match(&line) {
        return Some(shortage(excerpt, &line, SharedMemoryTemplate::NcclShm, None, None));
    }
    if PYTHON_SHM.is_match(&line) {
        return Some(shortage(excerpt, &line, SharedMemoryTemplate::TorchShm, None, None));
    }
    torch_shm(excerpt)
}

/// `unable to write to file </torch_17_0>: No space left on device (28)`.
pub(super) fn torch_shm(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    TORCH_SHM.is_match(&line).then(|| shortage(excerpt, &line, SharedMemoryTemplate::TorchShm, None, None))
}

fn shortage(
    excerpt: &Excerpt<'_>,
    line: &str,
    template: SharedMemoryTemplate,
    pid: Option<u32>,
    requested: Option<Amount>,
) -> Event {
    let is_bus_error = template == SharedMemoryTemplate::DataLoaderBusError;
    event(excerpt, exception_in(line), Failure::SharedMemory(SharedMemory { template, pid, requested, is_bus_error }))
}

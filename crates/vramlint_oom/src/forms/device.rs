//! The caching allocators of PyTorch.

use super::{amount, event, exception_before, number, pattern};
use crate::amount::Amount;
use crate::event::{Device, DeviceTemplate, Event, Failure, OtherProcess};
use crate::excerpt::Excerpt;
use regex::Regex;

/// An amount in a text without white space.
macro_rules! with_amount {
    ($before:literal, $after:literal) => {
        concat!($before, r"(?P<value>\d+(?:\.\d+)?)(?P<unit>bytes?|[KMGT]i?B|B)", $after)
    };
}

// What follows the words "out of memory", without white space: `c10/cuda/CUDACachingAllocator.cpp`, all releases, and its ports.
// torch-npu names an allocator between the two: `NPUWorkspaceAllocator tried to allocate`.
pattern!(BACKEND, r"(?P<backend>CUDA|HIP|NPU|XPU|MLU|MUSA|HPU|DCU|GCU)outofmemory\.?[A-Za-z]{0,40}[Tt]$");
pattern!(REQUESTED, with_amount!("^riedtoallocate", ""));
pattern!(OVER_1EB, "^riedtoallocatemorethan1EB");
pattern!(DEVICE, r"(?:\((?:GPU|NPU|XPU|MLU|MUSA|DCU|GCU)|\.(?:GPU|XPU|NPU|MLU|MUSA|Device))(?P<device>\d{1,3})(?:[;h,]|$)");
pattern!(TOTAL, with_amount!("(?:totalcapac?ityof)?", "(?:totalcapacity|ofwhich|\\.Oftheallocated)"));
pattern!(LEGACY_ALLOCATED, with_amount!("", "alreadyallocated"));
pattern!(LEGACY_ACTIVE, with_amount!("", "currentactive"));
pattern!(LEGACY_FREE, with_amount!(";", "free"));
pattern!(LEGACY_RESERVED, with_amount!(";", "reservedintotal"));
// Up to PyTorch 1.3, `cached` leaves out what is allocated.
pattern!(LEGACY_CACHED, with_amount!(";", "cached"));
pattern!(FREE, with_amount!("ofwhich", "isfree"));
pattern!(PROCESS_USED, with_amount!("thisprocesshas", "memoryinuse"));
pattern!(OTHER_PROCESS, with_amount!(r"(?:^|[^a-z])Process(?P<pid>\d{1,9}?)has", "memoryinuse"));
pattern!(ALLOWED, with_amount!("", "allowed;"));
pattern!(ALLOCATED, with_amount!("(?:allocatedmemory|Currentlyallocated:)", "(?:isallocatedbyPyTorch|)"));
pattern!(PRIVATE_POOLS, with_amount!("with", "allocatedinprivatepools"));
pattern!(RESERVED_UNALLOCATED, with_amount!("", "isreservedbyPyTorchbutunallocated"));
pattern!(HINT_VARIABLE, r"PYTORCH_(?:[A-Z]+_)?ALLOC_CONF");
pattern!(ASYNC_REQUESTED, with_amount!("Requested:", ""));
pattern!(ASYNC_LIMIT, with_amount!("Devicelimit:", ""));
pattern!(ASYNC_FREE, with_amount!(r"Free\(accordingtoCUDA\):", ""));
pattern!(ASYNC_ALLOWED, with_amount!(r"memoryfraction\):", ""));
pattern!(ASYNC_DEVICE, r"Allocationondevice(?P<device>\d{1,3})would$");
pattern!(MPS_ALLOCATED, with_amount!("MPSallocated:", ""));
pattern!(MPS_ALLOWED, with_amount!("maxallowed:", ""));

/// 2^34 GiB, which the driver of Windows and WSL reports for an unknown use.
const UNKNOWN_USE_MIB: f64 = 17_592_186_044_416.0;

/// `CUDA out of memory. Tried to allocate …`, at `ried to allocate`.
pub(super) fn tried_to_allocate(excerpt: &Excerpt<'_>) -> Option<Event> {
    let head = excerpt.head_without_spaces();
    if let Some(mps) = mps(excerpt, &head) {
        return Some(mps);
    }
    let backend = BACKEND.captures(&head)?["backend"].to_ascii_lowercase();
    with_numbers(excerpt, backend, &excerpt.message_without_spaces("ried to allocate"))
}

/// `message` begins with `riedtoallocate`.
fn with_numbers(excerpt: &Excerpt<'_>, backend: String, message: &str) -> Option<Event> {
    let requested = amount(&REQUESTED, message);
    let is_over_1eb = OVER_1EB.is_match(message);
    let exception = exception(excerpt);
    if requested.is_none() && !is_over_1eb && exception.is_none() {
        return None;
    }
    let device = Device { requested, ..fields(message, backend, is_over_1eb) };
    Some(event(excerpt, exception, Failure::Device(Box::new(device))))
}

/// What a message says after "tried to allocate".
fn fields(message: &str, backend: String, is_over_1eb: bool) -> Device {
    let get = |pattern: &Regex| amount(pattern, message);
    let is_legacy = message.contains("totalcapacity;") || message.contains("alreadyallocated") || LEGACY_CACHED.is_match(message);
    let is_v2 = message.contains("hasatotalcapac") || message.contains("isallocatedbyPyTorch");
    let template = match () {
        () if is_over_1eb => DeviceTemplate::Over1Eb,
        () if is_v2 => DeviceTemplate::V2,
        () if is_legacy && backend == "npu" => DeviceTemplate::LegacyNpu,
        () if is_legacy => DeviceTemplate::Legacy,
        () => DeviceTemplate::Cut,
    };
    let process_used = get(&PROCESS_USED);
    let is_unknown_use = process_used.is_some_and(|used| used.mib() >= UNKNOWN_USE_MIB);
    let other_processes = OTHER_PROCESS
        .captures_iter(message)
        .filter_map(|found| {
            Some(OtherProcess { pid: number(&found, "pid")?, used: Amount::parse(&found["value"], &found["unit"])? })
        })
        .collect();
    Device {
        device: DEVICE.captures(message).and_then(|found| number(&found, "device")),
        total: get(&TOTAL),
        free: if is_v2 { get(&FREE) } else { get(&LEGACY_FREE) },
        allocated: if is_v2 { get(&ALLOCATED) } else { get(&LEGACY_ALLOCATED) },
        current_active: get(&LEGACY_ACTIVE),
        reserved_total: get(&LEGACY_RESERVED),
        reserved_unallocated: get(&RESERVED_UNALLOCATED).or_else(|| get(&LEGACY_CACHED)),
        process_used: process_used.filter(|_| !is_unknown_use),
        process_used_raw: process_used.filter(|_| is_unknown_use),
        other_processes,
        allowed: get(&ALLOWED),
        private_pools: get(&PRIVATE_POOLS),
        hint: hint(message),
        hint_variable: HINT_VARIABLE.find(message).map(|name| name.as_str().to_owned()),
        is_misspelled: message.contains("capacty"),
        ..empty(backend, template)
    }
}

fn hint(message: &str) -> Option<&'static str> {
    ["expandable_segments", "max_split_size_mb"].into_iter().find(|hint| message.contains(hint))
}

/// A message that gives no numbers.
pub(super) fn empty(backend: String, template: DeviceTemplate) -> Device {
    Device {
        backend,
        template,
        device: None,
        requested: None,
        total: None,
        free: None,
        allocated: None,
        current_active: None,
        reserved_total: None,
        reserved_unallocated: None,
        process_used: None,
        process_used_raw: None,
        other_processes: Vec::new(),
        allowed: None,
        private_pools: None,
        hint: None,
        hint_variable: None,
        is_misspelled: false,
    }
}

/// The exception before `CUDA out of memory`, on the same line or, where a terminal wrapped it, on the line above.
fn exception(excerpt: &Excerpt<'_>) -> Option<String> {
    pattern!(BEFORE_MESSAGE, r"(?s)^(?P<head>.*:)\s*(?:[A-Z]{2,5}|MPS backend)\s+out\s+of\s+memory");
    let (_, line) = excerpt.line_before();
    let above = excerpt.lines_above().next().unwrap_or_default();
    [
        format!("{line}{}", excerpt.line_after()),
        format!("{above} {line}{}", excerpt.line_after()),
        format!("{line} out of memory"),
    ]
    .iter()
    .find_map(|text| exception_before(&BEFORE_MESSAGE.captures(text)?["head"]))
}

/// `CUDA out of memory.` where the message is cut or wrapped before "Tried to allocate" ends, at `ut of memory`.
pub(super) fn without_numbers(excerpt: &Excerpt<'_>) -> Option<Event> {
    pattern!(BACKEND_BEFORE, r"(?P<exception>[\w.]+(?:Error|Exception)):\s*(?P<backend>[A-Z]{2,5})(?: backend)? o$");
    let message = excerpt.message_without_spaces("ut of memory");
    if message.contains("MPSallocated") || excerpt.follows("ried to allocate") {
        return None;
    }
    if let Some(at) = message.find("riedtoallocate") {
        let head = excerpt.head_without_spaces() + &message[..at];
        let backend = BACKEND.captures(&head)?["backend"].to_ascii_lowercase();
        return with_numbers(excerpt, backend, &message[at..]);
    }
    let (_, line) = excerpt.line_before();
    let found = BACKEND_BEFORE.captures(&line)?;
    let device = empty(found["backend"].to_ascii_lowercase(), DeviceTemplate::Cut);
    Some(event(excerpt, Some(found["exception"].to_owned()), Failure::Device(Box::new(device))))
}

/// `MPS backend out of memory (MPS allocated: …). Tried to allocate …`.
fn mps(excerpt: &Excerpt<'_>, head: &str) -> Option<Event> {
    let numbers = &head[head.rfind("MPSbackendoutofmemory")?..];
    let message = excerpt.message_without_spaces("ried to allocate");
    let device = Device {
        requested: amount(&REQUESTED, &message),
        allocated: amount(&MPS_ALLOCATED, numbers),
        allowed: amount(&MPS_ALLOWED, numbers),
        ..empty("mps".to_owned(), DeviceTemplate::Mps)
    };
    Some(event(excerpt, exception(excerpt), Failure::Device(Box::new(device))))
}

/// `Allocation on device 0 would exceed allowed memory`, with a table below.
pub(super) fn malloc_async(excerpt: &Excerpt<'_>) -> Option<Event> {
    let head = excerpt.head_without_spaces();
    if !head.contains("Allocationondevice") {
        return None;
    }
    let message = excerpt.message_without_spaces("exceed allowed memory");
    let get = |pattern: &Regex| amount(pattern, &message);
    let device = Device {
        device: ASYNC_DEVICE.captures(&head).and_then(|found| number(&found, "device")),
        requested: get(&ASYNC_REQUESTED),
        total: get(&ASYNC_LIMIT),
        free: get(&ASYNC_FREE),
        allocated: get(&ALLOCATED),
        allowed: get(&ASYNC_ALLOWED).filter(|allowed| allowed.mib() < UNKNOWN_USE_MIB),
        ..empty("cuda".to_owned(), DeviceTemplate::MallocAsync)
    };
    let (_, line) = excerpt.line_before();
    let exception = exception_before(line.split("Allocation on device").next().unwrap_or_default());
    Some(event(excerpt, exception, Failure::Device(Box::new(device))))
}

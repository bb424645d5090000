//! PyTorch's memory snapshots (torch 2.0 and later, `torch/cuda/memory.py`).

use crate::block_replay::BlockReplay;
use crate::pickle_depth::is_shallow;
use crate::{Measured, Source};
use serde::Deserialize;
use std::collections::BTreeSet;

/// A snapshot, as far as memory goes: frames are left out.
#[derive(Deserialize)]
struct Snapshot {
    segments: Vec<Segment>,
    #[serde(default)]
    device_traces: Vec<Vec<Entry>>,
}

/// A segment that the allocator holds at the end.
#[derive(Deserialize)]
struct Segment {
    #[serde(default)]
    device: i64,
    total_size: u64,
    #[serde(default)]
    allocated_size: u64,
}

/// An event of the allocator.
#[derive(Deserialize)]
struct Entry {
    action: String,
    #[serde(default)]
    addr: i64,
    #[serde(default)]
    size: i64,
}

/// The GPU of a snapshot with the most memory. The peaks are those of the recorded history; without one, what is held at the end.
pub(crate) fn read(bytes: &[u8]) -> Option<Measured> {
    if !is_shallow(bytes) {
        return None;
    }
    // Frames of a traceback are shared between entries, which the reader takes for a recursion; no number is.
    let options = serde_pickle::DeOptions::new().replace_recursive_structures().replace_unresolved_globals();
    let snapshot: Snapshot = serde_pickle::from_slice(bytes, options).ok()?;
    let mut found = Measured::none(Source::Snapshot);
    let with_segments = snapshot.segments.iter().filter_map(|segment| usize::try_from(segment.device).ok());
    let devices: BTreeSet<usize> = with_segments.chain(0..snapshot.device_traces.len()).collect();
    for device in devices {
        let own = snapshot.segments.iter().filter(|segment| usize::try_from(segment.device).is_ok_and(|own| own == device));
        let (reserved, tensors) = own.fold((0_u64, 0_u64), |(total, live), segment| {
            (total.saturating_add(segment.total_size), live.saturating_add(segment.allocated_size))
        });
        let (tensors, reserved) = peaks(snapshot.device_traces.get(device), tensors, reserved);
        found.raise(Measured { tensors: Some(tensors), reserved: Some(reserved), ..Measured::none(Source::Snapshot) });
    }
    Some(found)
}

/// The highest bytes of tensors and segments, from those at the end and the events before.
fn peaks(trace: Option<&Vec<Entry>>, tensors: u64, reserved: u64) -> (u64, u64) {
    let Some(trace) = trace.filter(|trace| !trace.is_empty()) else { return (tensors, reserved) };
    let mut replay = BlockReplay::default();
    for entry in trace {
        let (Ok(addr), Ok(size)) = (u64::try_from(entry.addr), u64::try_from(entry.size)) else { continue };
        match entry.action.as_str() {
            "segment_alloc" | "segment_map" => replay.add_segment(addr, size),
            "segment_free" | "segment_unmap" => replay.remove_segment(addr, size),
            "alloc" => replay.allocate(addr, size),
            "free_requested" => replay.request_free(addr),
            "free_completed" => replay.complete_free(addr),
            _ => {}
        }
    }
    let (highest, segments) = replay.peaks();
    // A history that begins late does not know what was held before it: the difference at the end was there all along.
    let missing = tensors.saturating_sub(replay.live());
    let missing_segments = reserved.saturating_sub(replay.held());
    (highest.saturating_add(missing), segments.saturating_add(missing_segments))
}

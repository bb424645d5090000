//! `estimate --output-format snapshot`: the predicted steps as PyTorch's memory snapshot (torch 2.15, `torch/cuda/memory.py`,
//! `_dump_snapshot`), which its memory visualizer opens.

use serde::Serialize;
use vramlint_memory::estimate::{AllocatorAction, AllocatorEvent, HeldSegment, allocations};
use vramlint_view::estimate::EstimateInput;

/// Where the first segment lies: addresses look like those of CUDA, and none is 0.
const BASE: u64 = 0x7f00_0000_0000;

#[derive(Serialize)]
struct Snapshot {
    segments: Vec<Segment>,
    device_traces: [Vec<Entry>; 1],
    external_annotations: [u8; 0],
}

#[derive(Serialize)]
#[allow(clippy::struct_field_names)] // the names of torch
struct Segment {
    device: u32,
    address: u64,
    total_size: u64,
    allocated_size: u64,
    active_size: u64,
    requested_size: u64,
    stream: u64,
    segment_type: &'static str,
    segment_pool_id: (u32, u32),
    is_expandable: bool,
    frames: [Frame; 0],
    blocks: Vec<Block>,
}

#[derive(Serialize)]
struct Block {
    address: u64,
    size: u64,
    requested_size: u64,
    state: &'static str,
    frames: [Frame; 0],
}

#[derive(Serialize)]
struct Entry {
    action: &'static str,
    addr: u64,
    size: u64,
    stream: u64,
    time_us: u64,
    compile_context: &'static str,
    user_metadata: &'static str,
    frames: [Frame; 1],
}

/// A frame of a traceback: the place in the step stands for the function.
#[derive(Serialize)]
struct Frame {
    filename: &'static str,
    line: u32,
    name: String,
}

/// The snapshot as a pickle. `None` if the step is not simulated.
pub(crate) fn snapshot(input: &EstimateInput) -> Option<Vec<u8>> {
    let found = allocations(&input.arch, &input.setup)?;
    let mut trace = Vec::with_capacity(found.events.len() + found.events.len() / 2);
    for (time, event) in (0..).zip(&found.events) {
        match event.action {
            AllocatorAction::ReserveSegment => trace.push(entry("segment_alloc", time, event)),
            AllocatorAction::ReleaseSegment => trace.push(entry("segment_free", time, event)),
            AllocatorAction::Allocate => trace.push(entry("alloc", time, event)),
            AllocatorAction::Free => {
                trace.push(entry("free_requested", time, event));
                trace.push(entry("free_completed", time, event));
            }
        }
    }
    let segments = found.segments.iter().map(segment).collect();
    let snapshot = Snapshot { segments, device_traces: [trace], external_annotations: [] };
    serde_pickle::to_vec(&snapshot, serde_pickle::SerOptions::new()).ok()
}

fn entry(action: &'static str, time_us: u64, event: &AllocatorEvent) -> Entry {
    let name = format!("{} {}", event.place, event.phase.name());
    Entry {
        action,
        addr: BASE + event.address,
        size: event.bytes,
        stream: event.stream.into(),
        time_us,
        compile_context: "N/A",
        user_metadata: "",
        frames: [Frame { filename: "predicted", line: 0, name }],
    }
}

fn segment(segment: &HeldSegment) -> Segment {
    let used: u64 = segment.blocks.iter().filter(|block| block.is_used).map(|block| block.bytes).sum();
    let blocks = segment.blocks.iter().map(|block| Block {
        address: BASE + block.address,
        size: block.bytes,
        requested_size: block.bytes,
        state: if block.is_used { "active_allocated" } else { "inactive" },
        frames: [],
    });
    Segment {
        device: 0,
        address: BASE + segment.address,
        total_size: segment.bytes,
        allocated_size: used,
        active_size: used,
        requested_size: used,
        stream: segment.stream.into(),
        segment_type: if segment.is_small { "small" } else { "large" },
        segment_pool_id: (0, 0),
        is_expandable: false,
        frames: [],
        blocks: blocks.collect(),
    }
}

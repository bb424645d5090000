//! The memory of one machine's host: what its ranks keep there, load there, and hold ready there.

mod offload;

use crate::arch::Arch;
use crate::estimate::{Host, HostItem, Label};
use crate::setup::{Optimizer, Quantization, Scheme, Setup};
use crate::step::ParamSizes;

/// A training process before it has loaded anything: Python with torch, transformers and DeepSpeed is 0.9 GiB (measured as the
/// peak resident size after importing torch 2.15, transformers 5.23, accelerate 1.15 and deepspeed 0.19.8); the host side of a CUDA
/// context and NCCL adds about as much again, which is a usual figure and not measured.
const PROCESS: u64 = 2 << 30;
/// A worker of the data loader: forked, so that it shares most pages; what it writes to on its own (reference counts, the data set's
/// own cache). A usual figure, not measured.
const WORKER: u64 = 300 << 20;

/// Counts that every part is computed from.
struct Counts {
    /// Parameters, and those that are trained.
    total: u64,
    trained: u64,
    /// The largest parameter.
    largest: u64,
    /// Ranks in all, and on this machine.
    world: u64,
    local: u64,
}

impl Counts {
    /// This machine's share of something that all ranks have together.
    fn share(&self, bytes: u64) -> u64 {
        scale(bytes, self.local, self.world)
    }

    fn share_text(&self) -> String {
        if self.world == self.local { String::new() } else { format!(" × {} of {} ranks", self.local, self.world) }
    }
}

/// `bytes x times / parts` without overflow.
fn scale(bytes: u64, times: u64, parts: u64) -> u64 {
    let product = u128::from(bytes) * u128::from(times) / u128::from(parts.max(1));
    u64::try_from(product).unwrap_or(u64::MAX)
}

fn item(name: &'static str, label: Label, bytes: u64, formula: String) -> HostItem {
    HostItem { name, label, bytes, formula }
}

/// What one machine's host holds at the worst moment: while models are loaded, or while they train and save.
pub(crate) fn host(arch: &Arch, setup: &Setup) -> Host {
    let param_sizes = ParamSizes::new(arch, setup);
    let world = setup.parallel.world.max(1);
    let counts = Counts {
        total: param_sizes.total(),
        trained: param_sizes.trainable(),
        largest: param_sizes.all().map(|entry| entry.numel).max().unwrap_or(0),
        world,
        local: setup.parallel.local.clamp(1, world),
    };
    let load = load(&counts, setup);
    let mut steady = offload::parts(&counts, setup);
    steady.extend(paged(&counts, setup));
    steady.extend(workers(&counts, setup));
    steady.extend(checkpoint(&counts, setup));
    let sum = |parts: &[HostItem]| parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.bytes));
    // Loading and training follow one another; what the smaller of them needs is free again by then.
    let mut parts = if load.bytes > sum(&steady) { vec![load] } else { steady };
    parts.push(item(
        "processes",
        Label { en: "processes with torch and CUDA", zh: "进程自身（torch 与 CUDA）" },
        PROCESS.saturating_mul(counts.local),
        format!("{} ranks × {PROCESS} B", counts.local),
    ));
    parts.retain(|part| part.bytes > 0);
    Host { peak: sum(&parts), parts }
}

/// `from_pretrained` builds the model on the CPU of every rank; FSDP under accelerate (`fsdp_cpu_ram_efficient_loading`) and ZeRO-3
/// (`zero.Init`) hold one copy, on the first rank; quantized weights go to the GPU file by file.
fn load(counts: &Counts, setup: &Setup) -> HostItem {
    let copies = match setup.parallel.scheme {
        _ if setup.quantization != Quantization::None => 0,
        Scheme::Fsdp1 | Scheme::Fsdp2 | Scheme::Zero3 => 1,
        Scheme::None | Scheme::Ddp | Scheme::Zero1 | Scheme::Zero2 | Scheme::Megatron => counts.local,
    };
    let width = setup.weights.bytes();
    item(
        "load",
        Label { en: "weights while loading", zh: "加载时的权重" },
        counts.total.saturating_mul(width).saturating_mul(copies),
        format!("{} parameters × {width} B × {copies} copies", counts.total),
    )
}

/// States of a paged optimizer live in managed memory, which the driver moves to the host when the GPU is full: at most all of it.
fn paged(counts: &Counts, setup: &Setup) -> Option<HostItem> {
    let width = match setup.optimizer {
        Optimizer::PagedAdamW8bit => 2,
        Optimizer::PagedAdamW32bit => 8,
        Optimizer::PagedLion8bit => 1,
        _ => return None,
    };
    Some(item(
        "paged_states",
        Label { en: "paged optimizer states, at most", zh: "分页优化器状态（上限）" },
        counts.trained.saturating_mul(width).saturating_mul(counts.local),
        format!("{} trained × {width} B × {} ranks", counts.trained, counts.local),
    ))
}

/// Each worker holds batches ready: token ids, mask and labels of 8 bytes a token.
fn workers(counts: &Counts, setup: &Setup) -> Option<HostItem> {
    let workers = setup.dataloader_workers.saturating_mul(counts.local);
    let rows = setup.micro_batch.saturating_mul(setup.task.sequences_per_sample());
    let batch = rows.saturating_mul(setup.sequence_length).saturating_mul(24);
    let ready = batch.saturating_mul(setup.prefetch_factor);
    (workers > 0).then(|| {
        item(
            "workers",
            Label { en: "data loader workers", zh: "数据加载工作进程" },
            workers.saturating_mul(WORKER.saturating_add(ready)),
            format!(
                "{workers} workers × ({WORKER} B + {} batches × {rows} samples × {} tokens × 24 B)",
                setup.prefetch_factor, setup.sequence_length
            ),
        )
    })
}

/// Whole weights on the first rank when a checkpoint is saved: 16 bits (`save_16bit_model`), or the type of FSDP's shards
/// (`FULL_STATE_DICT`).
fn checkpoint(counts: &Counts, setup: &Setup) -> Option<HostItem> {
    let width = match setup.parallel.scheme {
        _ if !setup.parallel.gather_at_save => return None,
        Scheme::Zero3 => 2,
        Scheme::Fsdp1 | Scheme::Fsdp2 => setup.weights.bytes(),
        _ => return None,
    };
    Some(item(
        "checkpoint",
        Label { en: "full weights gathered for saving", zh: "保存时聚合的完整权重" },
        counts.total.saturating_mul(width),
        format!("{} parameters × {width} B", counts.total),
    ))
}

#[cfg(test)]
mod tests;

//! What is kept on the host instead of the GPU (deepspeed 0.19.8; torch 2.15 for FSDP).

use super::{Counts, item, scale};
use crate::estimate::{HostItem, Label};
use crate::setup::{Offload, Optimizer, Scheme, Setup};

/// `offload_param` on NVMe: `buffer_count` 5 of `buffer_size` 1e8 elements (`runtime/zero/offload_config.py`).
const PARAM_BUFFERS: u64 = 5 * 100_000_000;
/// `offload_optimizer` on NVMe: `buffer_count` 4, each as large as this rank's part of a sub-group.
const OPTIMIZER_BUFFERS: u64 = 4;

const STATES: Label = Label { en: "offloaded optimizer states and masters", zh: "卸载的优化器状态与主权重" };
const GRADIENTS: Label = Label { en: "offloaded gradients", zh: "卸载的梯度" };
const PARAMETERS: Label = Label { en: "offloaded parameters", zh: "卸载的参数" };
const BUFFERS: Label = Label { en: "pinned and staging buffers", zh: "锁页与中转缓冲区" };

/// States of four bytes for each trained parameter.
fn states(optimizer: Optimizer) -> u64 {
    match optimizer {
        Optimizer::Sgd | Optimizer::Adafactor => 0,
        Optimizer::SgdMomentum
        | Optimizer::Lion
        | Optimizer::Lion8bit
        | Optimizer::PagedLion8bit
        | Optimizer::Adagrad
        | Optimizer::RmsProp
        | Optimizer::AdamMini
        | Optimizer::Muon => 1,
        _ => 2,
    }
}

/// The parts of one machine.
pub(super) fn parts(counts: &Counts, setup: &Setup) -> Vec<HostItem> {
    match setup.parallel.scheme {
        Scheme::Zero1 | Scheme::Zero2 | Scheme::Zero3 => deepspeed(counts, setup),
        Scheme::Fsdp1 | Scheme::Fsdp2 => fsdp(counts, setup),
        Scheme::None | Scheme::Ddp | Scheme::Megatron => Vec::new(),
    }
}

fn deepspeed(counts: &Counts, setup: &Setup) -> Vec<HostItem> {
    let p = &setup.parallel;
    let three = p.scheme == Scheme::Zero3;
    let n = counts.trained;
    let of = |name, label, count: u64, width: u64, what: &str| {
        item(name, label, counts.share(count.saturating_mul(width)), format!("{count} {what} × {width} B{}", counts.share_text()))
    };
    let mut parts = Vec::new();
    match p.offload_optimizer {
        Offload::None => {}
        Offload::Cpu => {
            parts.push(of("optimizer_states", STATES, n, 4 + 4 * states(setup.optimizer), "trained"));
            // fp32 gradients for the step. Stage 3 keeps its flat 16-bit gradients too, stages 1 and 2 a 16-bit copy of the updated
            // part, and one of the gradients if micro-batches accumulate (2 or 4 B more).
            let accumulates = !three && p.scheme == Scheme::Zero2 && setup.accumulation > 1;
            parts.push(of("gradients", GRADIENTS, n, if three || accumulates { 6 } else { 4 }, "trained"));
            if !three {
                parts.push(item(
                    "pinned_buffers",
                    BUFFERS,
                    counts.share(n.saturating_mul(2)).saturating_add(counts.largest.saturating_mul(2 * counts.local)),
                    format!(
                        "{n} trained × 2 B{} + {} (the largest) × 2 B × {} ranks",
                        counts.share_text(),
                        counts.largest,
                        counts.local
                    ),
                ));
            }
        }
        Offload::Nvme => {
            let part = scale(n, 1, counts.world).min(p.sub_group);
            parts.push(item(
                "pinned_buffers",
                BUFFERS,
                part.saturating_mul(4 * OPTIMIZER_BUFFERS * counts.local),
                format!("{OPTIMIZER_BUFFERS} buffers × {part} × 4 B × {} ranks", counts.local),
            ));
            parts.push(of("gradients", GRADIENTS, n, 2, "trained"));
        }
    }
    match p.offload_param {
        Offload::Cpu if three => parts.push(of("parameters", PARAMETERS, counts.total, 2, "parameters")),
        Offload::Nvme if three => parts.push(item(
            "parameter_buffers",
            BUFFERS,
            PARAM_BUFFERS * 2 * counts.local,
            format!("5 buffers × 100000000 × 2 B × {} ranks", counts.local),
        )),
        _ => {}
    }
    parts
}

/// FSDP moves shards, their gradients and their states together.
fn fsdp(counts: &Counts, setup: &Setup) -> Vec<HostItem> {
    let p = &setup.parallel;
    if p.offload_param == Offload::None && p.offload_optimizer == Offload::None {
        return Vec::new();
    }
    let width = setup.weights.bytes();
    let of = |name, label, count: u64, width: u64, what: &str| {
        item(name, label, counts.share(count.saturating_mul(width)), format!("{count} {what} × {width} B{}", counts.share_text()))
    };
    vec![
        of("parameters", PARAMETERS, counts.total, width, "parameters"),
        of("gradients", GRADIENTS, counts.trained, width, "trained"),
        of("optimizer_states", STATES, counts.trained, width * states(setup.optimizer), "trained"),
    ]
}

//! Which GPU holds which module if `device_map="auto"` spreads the model of one process over several GPUs.
//!
//! transformers 5.23.0 `integrations/accelerate.py`, `get_balanced_memory` and `infer_auto_device_map`: every GPU but the last gets the
//! same budget, a share of the weights and a buffer; the first also keeps the largest module free. Modules fill the GPUs in
//! order, and blocks are never split. Every GPU is taken to have room for its budget.

use crate::arch::{Arch, Layer};
use crate::setup::{Quantization, Setup};

/// The GPU of each module, from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Placement {
    pub(crate) embedding: u8,
    /// Empty if one GPU holds all of them.
    pub(crate) layers: Vec<u8>,
    pub(crate) final_norm: u8,
    pub(crate) head: u8,
}

/// Budgets that modules fill in order.
struct Budgets {
    each: u64,
    last: u8,
    gpu: u8,
    used: u64,
}

impl Budgets {
    /// Places a module of `bytes`; the first GPU keeps `reserve` free.
    fn place(&mut self, bytes: u64, reserve: u64) -> u8 {
        while self.gpu < self.last {
            let room = if self.gpu == 0 { self.each.saturating_sub(reserve) } else { self.each };
            if self.used.saturating_add(bytes) <= room {
                break;
            }
            self.gpu += 1;
            self.used = 0;
        }
        self.used = self.used.saturating_add(bytes);
        self.gpu
    }
}

impl Placement {
    /// Whether several GPUs hold the model.
    pub(super) fn is_spread(&self) -> bool {
        !self.layers.is_empty()
    }

    /// Spreads `arch` over the GPUs of the setup.
    pub(crate) fn new(arch: &Arch, setup: &Setup) -> Self {
        if setup.model_gpus <= 1 {
            return Self::default();
        }
        let width = setup.weights.bytes();
        // bitsandbytes counts half a byte for a 4-bit weight, and leaves a tenth of every budget free (`adjust_max_memory`).
        let (of_block, tenths): (&dyn Fn(u64) -> u64, u64) = match setup.quantization {
            Quantization::None => (&|numel| numel * width, 10),
            Quantization::FourBit { .. } => (&|numel| numel / 2, 9),
            Quantization::Int8 => (&|numel| numel, 9),
        };
        let block = |layer: &Layer| of_block(arch.layer_parameters(layer));
        let largest = arch.layers.iter().map(|(layer, _)| block(layer)).max().unwrap_or(0);
        let table = arch.vocab * arch.embedding.columns * width;
        let own_head = if arch.head.tied { 0 } else { table };
        let blocks: u64 = arch.layers.iter().map(|(layer, times)| block(layer) * times).sum();
        let beside = arch.unsimulated_parameters * width;
        let total = table + own_head + blocks + beside;
        let share = total / setup.model_gpus + largest.max(table) * 5 / 4;
        let last = u8::try_from(setup.model_gpus - 1).unwrap_or(u8::MAX);
        let mut budgets = Budgets { each: share / 10 * tenths, last, gpu: 0, used: 0 };
        if beside > 0 {
            budgets.place(beside, largest.max(table));
        }
        let embedding = budgets.place(table, largest.max(table));
        let mut layers = Vec::new();
        for (layer, times) in &arch.layers {
            for _ in 0..*times {
                layers.push(budgets.place(block(layer), largest.max(own_head)));
            }
        }
        let final_norm = budgets.place(arch.hidden * width, own_head);
        let head = if arch.head.tied { embedding } else { budgets.place(own_head, own_head) };
        Self { embedding, layers, final_norm, head }
    }

    /// How many blocks a GPU holds.
    pub(crate) fn blocks_on(&self, gpu: u8) -> u64 {
        self.layers.iter().map(|other| u64::from(*other == gpu)).sum()
    }

    /// The GPU of a block, counted from 0.
    pub(crate) fn layer(&self, index: usize) -> u8 {
        self.layers.get(index).copied().unwrap_or(0)
    }
}

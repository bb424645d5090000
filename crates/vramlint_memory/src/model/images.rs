//! From images to what the first block sees (transformers 5.23 `modeling_vit.py`, `modeling_deit.py`, `modeling_dinov2.py`).

use super::batch::Batch;
use super::build::ModuleBuilder;
use super::decoder::Model;
use crate::arch::Patches;
use crate::estimate::Part;
use crate::tape::{Operand, ParamId, Tape, Tensor};

/// What cuts images into tokens, but for the weight of its convolution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatchModule {
    shape: Patches,
    bias: ParamId,
    /// The tokens before those of the image.
    prefix: ParamId,
    registers: Option<ParamId>,
    positions: ParamId,
}

impl PatchModule {
    /// The weight of the convolution, and the rest.
    pub(super) fn load(builder: &ModuleBuilder<'_>, shape: Patches) -> (ParamId, Self) {
        let hidden = builder.hidden;
        let prefix = builder.param([shape.prefix, hidden]);
        if shape.unused > 0 {
            builder.param([shape.unused, hidden]);
        }
        let registers = (shape.registers > 0).then(|| builder.param([shape.registers, hidden]));
        let positions = builder.param([shape.positions, hidden]);
        let weight = builder.param([hidden, shape.weights_per_column()]);
        (weight, Self { shape, bias: builder.param([1, hidden]), prefix, registers, positions })
    }
}

impl Model {
    /// What a batch brings to the GPU: ids of tokens, or pixels in fp32.
    pub(crate) fn input(&self, t: &Tape, batch: Batch) -> Tensor {
        match &self.modules.patches {
            Some(module) => t.empty_as(batch.size * module.shape.pixels(), 4, Part::Other),
            None => t.empty_as(batch.tokens(), 8, Part::Other),
        }
    }

    /// Tokens of an image behind those that are learned.
    pub(crate) fn tokens_of_image(&self) -> u64 {
        self.modules.patches.map_or(0, |module| module.shape.of_image())
    }

    /// Whether a classifier sees the mean of the image's tokens next to the first token.
    pub(crate) fn classifies_mean(&self) -> bool {
        self.modules.patches.is_some_and(|module| module.shape.classifies_mean)
    }

    /// Patches, the tokens before them, positions, dropout.
    pub(super) fn see(&self, t: &Tape, pixels: &Tensor, module: &PatchModule, batch: Batch) -> Tensor {
        let stored = t.memory(self.modules.embedding).width;
        let pixels = t.cast(pixels, stored);
        let joined = {
            let patches = self.convolve(t, &pixels, module, batch);
            let prefix = t.weight(module.prefix);
            // Autocast joins in the wider type.
            let patches = t.cast(patches, prefix.width);
            t.join_prefix(&patches, &prefix, batch.size)
        };
        let positions = t.weight(module.positions);
        let placed = module.shape.of_image() + module.shape.prefix;
        let positions =
            if module.shape.positions == placed { positions } else { t.interpolate(&positions, placed * self.hidden) };
        let hidden = t.add_broadcast(joined, Operand::Rows(&positions));
        let hidden = match module.registers {
            Some(registers) => t.join_prefix(&hidden, &t.weight(registers), batch.size),
            None => hidden,
        };
        if self.shape.dropout { t.dropout(hidden) } else { hidden }
    }

    /// A convolution over patches that do not overlap. Workspaces of its kernels are left out.
    fn convolve(&self, t: &Tape, pixels: &Tensor, module: &PatchModule, batch: Batch) -> Tensor {
        let width = t.autocast_width().unwrap_or(pixels.width);
        let seen = t.cast(pixels, width);
        let (weight, bias) = (t.compute_weight(self.modules.embedding), t.compute_weight(module.bias));
        let out = t.empty(batch.size * module.shape.of_image() * self.hidden, width);
        let (size, columns, needs) = (weight.numel, bias.numel, [weight.requires_grad(), bias.requires_grad()]);
        let kept = t.records(&[&weight, &bias]).then(|| (t.save(&seen), t.save(&weight)));
        t.record(&[&weight, &bias], out, move |tape, grad| {
            let own = tape.empty(grad.numel, grad.width);
            drop(grad);
            let of = |needs: bool, numel: u64| needs.then(|| tape.empty(numel, width));
            let grads = vec![of(needs[0], size), of(needs[1], columns)];
            drop((own, kept));
            grads
        })
    }
}

impl Tape {
    /// A table of positions at another size: `numel` numbers, which are few.
    fn interpolate(&self, table: &Tensor, numel: u64) -> Tensor {
        let out = self.empty(numel, table.width);
        let (whole, width) = (table.numel, table.width);
        self.record(&[table], out, move |tape, grad| {
            drop(grad);
            vec![Some(tape.empty(whole, width))]
        })
    }

    /// `torch.cat` of learned tokens and those of each row: the gradient of the learned ones is summed over the rows.
    fn join_prefix(&self, x: &Tensor, prefix: &Tensor, rows: u64) -> Tensor {
        let out = self.empty(x.numel + rows * prefix.numel, x.width);
        let (small, needs) = (prefix.numel, prefix.requires_grad());
        self.record(&[x, prefix], out, move |tape, grad| {
            let sum = needs.then(|| tape.empty(small, grad.width));
            vec![Some(grad.view()), sum]
        })
    }
}

//! Norms.

use super::modules::NormModule;
use crate::arch::Norm;
use crate::tape::{Module, Operand, Tape, Tensor};

/// The norm of rows of `module.columns`.
pub(crate) fn norm(t: &Tape, x: &Tensor, module: &NormModule) -> Tensor {
    t.module(Module::leaf([module.weight, module.bias]), x, |t, x| match module.norm {
        Norm::Rms | Norm::RmsNoWeight => rms(t, x, module),
        Norm::RmsGemma => rms_full(t, x, module, true),
        Norm::RmsGemma4 => rms_full(t, x, module, false),
        Norm::RmsOlmo2 { cast } => rms_late(t, x, module, cast),
        Norm::RmsT5 => rms_mixed(t, x, module),
        Norm::Layer { .. } => layer(t, x, module),
        Norm::LayerCohere => layer_full(t, x, module),
        Norm::LayerDeberta => layer_cast_back(t, x, module),
        Norm::LayerNoAffine => {
            let normed = t.layer_norm(t.cast(x, 4), module.columns, None, None);
            t.cast(normed, x.width)
        }
        Norm::LayerPlusOne => plus_one(t, x, module),
    })
}

/// Rows in fp32, divided by the root of their mean square, and the mean squares: a local of Python, which lives as long as its function.
fn divided_by_rms(t: &Tape, x: &Tensor, module: &NormModule) -> (Tensor, Tensor) {
    let hidden = t.cast(x, 4);
    let variance = t.mean_last(t.square(&hidden), x.numel / module.columns);
    let scale = t.rsqrt(t.add_broadcast(&variance, Operand::Scalar));
    (t.mul(hidden, Operand::Columns(&scale)), variance)
}

/// `LlamaRMSNorm`: in fp32, cast back, then the weight.
fn rms(t: &Tape, x: &Tensor, module: &NormModule) -> Tensor {
    let (hidden, _variance) = divided_by_rms(t, x, module);
    let weight = module.weight.map(|weight| t.weight(weight));
    match weight {
        Some(weight) => t.mul(t.cast(&hidden, x.width), Operand::Rows(&weight)),
        None => t.cast(&hidden, x.width),
    }
}

/// `T5LayerNorm`: the variance in fp32, the hidden states as they are.
fn rms_mixed(t: &Tape, x: &Tensor, module: &NormModule) -> Tensor {
    let scale = {
        let variance = t.mean_last(t.square(t.cast(x, 4)), x.numel / module.columns);
        t.rsqrt(t.add_broadcast(&variance, Operand::Scalar))
    };
    let hidden = t.mul(x, Operand::Columns(&scale));
    match module.weight.map(|weight| t.weight(weight)) {
        Some(weight) => {
            let hidden = if weight.width < 4 { t.cast(hidden, weight.width) } else { hidden };
            t.mul(hidden, Operand::Rows(&weight))
        }
        None => hidden,
    }
}

/// `Gemma2RMSNorm`: one plus the weight in fp32 too, cast back at the end. `Gemma4RMSNorm` leaves the one away.
fn rms_full(t: &Tape, x: &Tensor, module: &NormModule, plus_one: bool) -> Tensor {
    let normed = {
        let hidden = t.cast(x, 4);
        let variance = t.mean_last(t.square(&hidden), x.numel / module.columns);
        let scale = t.rsqrt(t.add_broadcast(&variance, Operand::Scalar));
        t.mul(hidden, Operand::Columns(&scale))
    };
    let out = match module.weight {
        Some(weight) => {
            let wide = t.cast(t.weight(weight), 4);
            let weight = if plus_one { t.add_broadcast(wide, Operand::Scalar) } else { wide };
            t.mul(normed, Operand::Rows(&weight))
        }
        None => normed,
    };
    t.cast(out, x.width)
}

/// `Olmo2RMSNorm` and, with `cast`, `HeliumRMSNorm`: times the weight in fp32, cast back at the end.
fn rms_late(t: &Tape, x: &Tensor, module: &NormModule, cast: bool) -> Tensor {
    let (hidden, _variance) = divided_by_rms(t, x, module);
    let weight = module.weight.map(|weight| t.weight(weight));
    let out = match weight {
        Some(weight) if cast => t.mul(&hidden, Operand::Rows(&t.cast(weight, 4))),
        Some(weight) => t.mul(&hidden, Operand::Rows(&weight)),
        None => hidden.clone(),
    };
    t.cast(out, x.width)
}

/// `NemotronLayerNorm1P`; autocast casts its operands to its own type and then runs it as it is.
fn plus_one(t: &Tape, x: &Tensor, module: &NormModule) -> Tensor {
    let width = t.autocast_width();
    let as_computed = |x: Tensor| match width {
        Some(width) => t.cast(x, width),
        None => x,
    };
    let weight = module.weight.map(|id| t.add_broadcast(t.weight(id), Operand::Scalar)).map(as_computed);
    let bias = module.bias.map(|id| as_computed(t.weight(id)));
    t.layer_norm(as_computed(x.clone()), module.columns, weight.as_ref(), bias.as_ref())
}

/// `nn.LayerNorm`; autocast runs it in fp32.
fn layer(t: &Tape, x: &Tensor, module: &NormModule) -> Tensor {
    let of = |id| {
        let weight = t.weight(id);
        if t.autocast_width().is_some() { t.cast(weight, 4) } else { weight }
    };
    let (weight, bias) = (module.weight.map(of), module.bias.map(of));
    let x = if t.autocast_width().is_some() { t.cast(x, 4) } else { x.clone() };
    t.layer_norm(x, module.columns, weight.as_ref(), bias.as_ref())
}

/// `DebertaLayerNorm`: mean and variance in fp32, cast back before the weight and the bias.
fn layer_cast_back(t: &Tape, x: &Tensor, module: &NormModule) -> Tensor {
    let rows = x.numel / module.columns;
    let normed = {
        let hidden = t.cast(x, 4);
        let mean = t.mean_last(&hidden, rows);
        let variance = t.mean_last(t.square(t.add_broadcast(&hidden, Operand::Columns(&mean))), rows);
        let centred = t.add_broadcast(&hidden, Operand::Columns(&mean));
        let deviation = t.unary_saving_output(t.add_broadcast(&variance, Operand::Scalar));
        t.div_columns(centred, &deviation)
    };
    let hidden = t.cast(normed, x.width);
    let (weight, bias) = (module.weight.map(|id| t.weight(id)), module.bias.map(|id| t.weight(id)));
    let scaled = match &weight {
        Some(weight) => t.mul(&hidden, Operand::Rows(weight)),
        None => hidden.clone(),
    };
    match &bias {
        Some(bias) => t.add_broadcast(scaled, Operand::Rows(bias)),
        None => scaled,
    }
}

/// `CohereLayerNorm`: mean and variance in fp32, the weight in fp32, cast back at the end.
fn layer_full(t: &Tape, x: &Tensor, module: &NormModule) -> Tensor {
    let rows = x.numel / module.columns;
    let hidden = t.cast(x, 4);
    let mean = t.mean_last(&hidden, rows);
    let variance = t.mean_last(t.square(t.add_broadcast(&hidden, Operand::Columns(&mean))), rows);
    let hidden = {
        let centred = t.add_broadcast(&hidden, Operand::Columns(&mean));
        let scale = t.rsqrt(t.add_broadcast(&variance, Operand::Scalar));
        t.mul(centred, Operand::Columns(&scale))
    };
    let out = match module.weight {
        Some(weight) => {
            let weight = t.cast(t.weight(weight), 4);
            t.mul(hidden, Operand::Rows(&weight))
        }
        None => hidden,
    };
    t.cast(out, x.width)
}

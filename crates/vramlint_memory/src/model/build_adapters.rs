//! Adding adapters to a model that was built.

use super::build::{ModuleBuilder, OutputHead};
use super::modules::{Adapter, DecoderModule, LayerModule, LinearModule, Scaling};
use super::placement::Placement;
use crate::arch::{LegacyExpertNames, Mlp};
use crate::estimate::{Label, Phase};
use crate::setup::{AdapterKind, Dtype, Lora, Targets};
use crate::tape::{Linear, ParamId, Site, Weight};
use std::collections::BTreeSet;

static ADAPTERS: Label = Label { en: "adapters", zh: "适配器" };

impl ModuleBuilder<'_> {
    /// Adapts every linear layer that `lora` targets. `blocks` are the parameters of the blocks of `layers`, then of `decoder`.
    pub(super) fn adapters(
        &self,
        layers: &mut [LayerModule],
        decoder: &mut Option<DecoderModule>,
        head: &mut OutputHead,
        blocks: &mut [Vec<ParamId>],
        lora: &Lora,
        placement: &Placement,
    ) {
        let listed;
        let lora = if lora.targets == Targets::LinearLayers {
            listed = Lora { targets: Targets::Named(names_of_layers(layers, decoder.as_mut())), ..lora.clone() };
            &listed
        } else {
            lora
        };
        let label = |layer: u32| self.tape.set_site(Site { phase: Phase::Load, layer, name: &ADAPTERS });
        let legacy_names = layers.iter().find_map(|layer| match layer.shape.mlp {
            Mlp::Experts(experts) => experts.legacy_names,
            _ => None,
        });
        let encoder_blocks = layers.len();
        for (index, (module, block)) in layers.iter_mut().zip(&mut *blocks).enumerate() {
            let before = self.tape.param_ids().count();
            self.tape.set_gpu(placement.layer(index));
            label(module.number);
            module.for_each_linear(&mut |linear| self.adapt(linear, lora, legacy_names));
            let shape = match module.shape.mlp {
                Mlp::Experts(shape) => Some(shape),
                _ => module.shape.beside,
            };
            if let (Some(experts), Some(shape)) = (module.experts_mut(), shape) {
                self.adapt_experts(experts, &shape, lora);
            }
            block.extend(self.tape.param_ids().skip(before));
        }
        label(0);
        self.tape.set_gpu(placement.head);
        self.adapt_head(head, lora);
        let decoder_blocks = decoder.iter_mut().flat_map(|decoder| &mut decoder.blocks);
        for (module, block) in decoder_blocks.zip(blocks.iter_mut().skip(encoder_blocks)) {
            let before = self.tape.param_ids().count();
            module.own.for_each_linear(&mut |linear| self.adapt(linear, lora, legacy_names));
            module.cross.for_each_linear(&mut |linear| self.adapt(linear, lora, legacy_names));
            block.extend(self.tape.param_ids().skip(before));
        }
    }

    /// The layer before a head is an ordinary linear layer, unless PEFT trains a full copy of it.
    fn adapt_head(&self, head: &mut OutputHead, lora: &Lora) {
        match head {
            OutputHead::Classes { pooler: Some((dense, shape)), .. } if !shape.in_modules_to_save => {
                self.adapt(dense, lora, None);
            }
            OutputHead::Vocabulary { transform: Some((dense, _)), .. } => self.adapt(dense, lora, None),
            _ => {}
        }
    }

    /// Trainable copies of embedding and head that adapters come with, in the type of the originals, which stay loaded (peft 0.21,
    /// `ModulesToSaveWrapper`). Returns the embedding that the forward reads.
    pub(super) fn trained_whole(&self, embedding: ParamId, head: &mut OutputHead) -> ParamId {
        let saved = self.setup.lora.as_ref().map(|lora| lora.saved).unwrap_or_default();
        let copy = |id: ParamId| {
            let (shape, width, embeds) = self.tape.with_param(id, |param| (param.shape, param.width(), param.embedding));
            let copy = self.tape.param(shape, width, true);
            self.tape.with_param(copy, |param| param.embedding = embeds);
            copy
        };
        if let (true, OutputHead::Vocabulary { weight, .. }) = (saved.head, head) {
            *weight = copy(*weight);
        }
        if saved.embedding { copy(embedding) } else { embedding }
    }

    fn adapt(&self, module: &mut LinearModule, lora: &Lora, renamed: Option<LegacyExpertNames>) {
        // If experts used to be layers, PEFT matches these names with the experts only.
        let taken = renamed.is_some_and(|names| names.experts().iter().any(|name| module.name.ends_with(name)));
        if taken || !matches(&lora.targets, module.name) {
            return;
        }
        let width = lora.dtype.map_or(self.width, Dtype::bytes);
        let (input, output) = (module.base.input, module.base.output);
        if let AdapterKind::Scaling { feedforward } = &lora.kind {
            let of_input = ends_with_any(feedforward, module.name);
            let vector = self.tape.param([1, if of_input { input } else { output }], width, true);
            module.scaling = Some(Scaling { vector, of_input });
            return;
        }
        let part = |input: u64, output: u64| Linear {
            input,
            output,
            weight: Weight::Plain(self.tape.param([output, input], width, true)),
            bias: None,
        };
        let (down, up) = (part(input, lora.r), part(lora.r, output));
        let magnitude = lora.dora.then(|| self.tape.param([1, output], width, true));
        module.adapter = Some(Adapter { down, up, dropout: lora.dropout, magnitude });
    }
}

/// The last parts of the names of the linear layers, each once.
fn names_of_layers(layers: &mut [LayerModule], decoder: Option<&mut DecoderModule>) -> Vec<String> {
    let mut names = BTreeSet::new();
    let mut keep = |linear: &mut LinearModule| {
        names.extend(linear.name.rsplit('.').next().map(str::to_owned));
    };
    for layer in layers {
        layer.for_each_linear(&mut keep);
    }
    for block in decoder.into_iter().flat_map(|decoder| &mut decoder.blocks) {
        block.own.for_each_linear(&mut keep);
        block.cross.for_each_linear(&mut keep);
    }
    names.into_iter().collect()
}

/// Whether PEFT adapts the module at this path: a target matches the path or its end after a dot (peft 0.21, `check_target_module_exists`).
fn matches(targets: &Targets, path: &str) -> bool {
    match targets {
        Targets::AllLinear | Targets::LinearLayers => true,
        Targets::Named(names) => ends_with_any(names, path),
    }
}

/// Whether a path is one of these names or ends with one after a dot.
fn ends_with_any(names: &[String], path: &str) -> bool {
    let ends = |path: &str, name: &str| path == name || path.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    names.iter().any(|name| path.split('|').any(|path| ends(path, name)))
}

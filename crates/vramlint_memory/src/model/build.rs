//! Building a model: parameters in module order, followed by adapters.

use super::alternating::StreamsModule;
use super::images::PatchModule;
use super::modules::{DecoderModule, LayerModule, LinearModule, MlpModule, NormModule};
use super::per_layer::PerLayerModule;
use super::placement::Placement;
use crate::arch::{Arch, Decoder, Layer, Norm, Pooler, Positions, Rotary, RotaryTables, Stacks};
use crate::estimate::{Label, Part, Phase};
use crate::setup::{Dtype, Quantization, Restored, Setup, Task, TrainedParts};
use crate::tape::{Linear, ParamId, Site, Tape, Tensor, Weight};

/// Classes of tokens where nobody counts them: those of CoNLL-2003.
const TOKEN_CLASSES: u64 = 9;
/// Numbers in a piece of parameters of unknown shape: a matrix of 4096 × 4096.
const PIECE: u64 = 1 << 24;

static OUTER: Label = Label { en: "embedding, head and norms", zh: "嵌入、输出层与归一化" };
static BLOCKS: Label = Label { en: "blocks", zh: "各层权重" };
static QUANTIZED: Label = Label { en: "quantized blocks", zh: "量化后的各层" };

/// A model on the tape.
pub(crate) struct Modules {
    /// The GPU of each module.
    pub(crate) placement: Placement,
    pub(crate) embedding: ParamId,
    /// What else cuts images into tokens.
    pub(crate) patches: Option<PatchModule>,
    pub(crate) positions: Option<ParamId>,
    pub(crate) types: Option<ParamId>,
    pub(crate) tasks: Option<ParamId>,
    pub(crate) embedding_norm: Option<NormModule>,
    /// Embeddings of distances (DeBERTa).
    pub(crate) distances: Option<(ParamId, Option<NormModule>)>,
    /// Biases by distance that all blocks share (MPNet).
    pub(crate) shared_bias: Option<ParamId>,
    /// From the columns of the embedding to the residual stream, and back.
    pub(crate) projections: [Option<LinearModule>; 2],
    /// Inputs of each block (Gemma 4).
    pub(crate) per_layer: Option<PerLayerModule>,
    /// Streams of hidden states (Gemma 3n).
    pub(crate) streams: Option<StreamsModule>,
    /// Trained parameters of what puts images among the embedded tokens.
    pub(crate) beside: Vec<ParamId>,
    pub(crate) layers: Vec<LayerModule>,
    pub(crate) final_norm: Option<NormModule>,
    pub(crate) decoder: Option<DecoderModule>,
    pub(crate) head: OutputHead,
    /// The range of its parameter ids, end exclusive.
    pub(crate) range: (u32, u32),
    /// Parameters of each block, its adapters included.
    pub(crate) blocks: Vec<Vec<ParamId>>,
    /// Buffers of the model: inverse frequencies.
    pub(crate) buffers: Vec<Tensor>,
    /// Scales and tables of quantized weights.
    pub(crate) scales: Vec<Tensor>,
}

/// The head that computes logits or scores.
#[derive(Clone)]
pub(crate) enum OutputHead {
    /// A language-model head: the weight (the embedding's if tied) and its bias.
    Vocabulary { weight: ParamId, bias: Option<ParamId>, transform: Option<(LinearModule, NormModule)> },
    /// A classifier; a pooler before it.
    Classes { pooler: Option<(LinearModule, Pooler)>, score: LinearModule, classes: u64 },
}

impl Modules {
    /// The same parameters without the blocks.
    pub(crate) fn shared(&self) -> Self {
        Self {
            layers: Vec::new(),
            blocks: Vec::new(),
            beside: self.beside.clone(),
            decoder: self.decoder.clone(),
            streams: self.streams.clone(),
            buffers: self.buffers.clone(),
            scales: self.scales.clone(),
            head: self.head.clone(),
            placement: self.placement.clone(),
            ..*self
        }
    }

    /// Every parameter, in the order of the modules.
    pub(crate) fn ids(&self, tape: &Tape) -> Vec<ParamId> {
        tape.param_ids().filter(|id| (self.range.0..self.range.1).contains(&id.0)).collect()
    }
}

/// Parameters on the tape.
fn count(tape: &Tape) -> u32 {
    tape.param_ids().map(|id| id.0 + 1).max().unwrap_or(0)
}

/// Builds modules with the settings of one model.
pub(super) struct ModuleBuilder<'a> {
    pub(super) tape: &'a Tape,
    pub(super) setup: &'a Setup,
    pub(super) hidden: u64,
    pub(super) width: u64,
    /// Bytes of the type in which 4-bit layers compute.
    pub(super) quantized_compute: Option<u64>,
    trainable: bool,
    quantization: Quantization,
}

/// Loads `arch` with `times` blocks of each kind.
pub(crate) fn build(tape: &Tape, arch: &Arch, setup: &Setup, layers: &[(Layer, u64)], frozen: bool) -> Modules {
    let adapters = setup.lora.is_some();
    let first = count(tape);
    let builder = ModuleBuilder {
        tape,
        setup,
        hidden: arch.hidden,
        width: setup.weights.bytes(),
        quantized_compute: setup.quantized_compute.map(Dtype::bytes),
        trainable: !frozen && !adapters && !setup.freeze_base && !setup.trains_prompt && setup.quantization == Quantization::None,
        quantization: setup.quantization,
    };
    let parts = setup.trained.as_ref().filter(|_| !frozen);
    let part = |is_trained: fn(&TrainedParts) -> bool| builder.if_part(parts, is_trained);
    // Frozen (inference-only) models keep the caller's trace label.
    let name = |layer: u32, name: &'static Label| {
        if !frozen {
            tape.set_site(Site { phase: Phase::Load, layer, name });
        }
    };
    let placement = Placement::new(arch, setup);
    name(0, &OUTER);
    tape.set_gpu(placement.embedding);
    let outer = part(|parts| parts.embedding);
    let (embedding, patches) = if let Some(shape) = arch.patches {
        let (convolution, rest) = PatchModule::load(&outer, shape);
        (convolution, Some(rest))
    } else {
        let table = outer.param([arch.vocab, arch.embedding.columns]);
        tape.with_param(table, |param| param.embedding = true);
        (table, None)
    };
    let outer = part(|parts| parts.beside_embedding);
    let beside = arch.embedding.side_table_columns(arch.hidden);
    let table = |rows: Option<u64>| {
        rows.map(|rows| {
            let id = outer.param([rows, beside]);
            tape.with_param(id, |param| param.embedding = true);
            id
        })
    };
    let (positions, types) = match arch.decoder.as_ref().map(|decoder| decoder.stacks) {
        Some(Stacks::Positions(stacks)) => (outer.positions(&stacks), None),
        _ => (table(arch.embedding.positions), table(arch.embedding.types)),
    };
    let tasks = table(arch.embedding.tasks);
    if arch.embedding.unused_rows > 0 {
        outer.param([arch.embedding.unused_rows, arch.embedding.columns]);
    }
    let embedding_norm = arch.embedding.norm.map(|norm| outer.norm(norm, beside));
    let projections = outer.projections(arch);
    let distances = arch.layers.first().and_then(|(layer, _)| layer.attention.relative).map(|relative| {
        let table = outer.param([2 * relative.span, arch.hidden]);
        tape.with_param(table, |param| param.embedding = true);
        (table, relative.normed.then(|| outer.norm(Norm::Layer { weight: true, bias: true }, arch.hidden)))
    });
    let per_layer = arch.embedding.per_layer_rows.map(|rows| outer.per_layer(arch, rows));
    let streams = arch.streams().map(|count| outer.streams(arch, count));
    let mut modules = Vec::new();
    let mut blocks: Vec<Vec<ParamId>> = Vec::new();
    for (shape, times) in layers {
        for _ in 0..times / arch.blocks_per_weights.max(1) {
            let number = u32::try_from(modules.len() + 1).unwrap_or(u32::MAX);
            let before = tape.param_ids().count();
            name(number, &BLOCKS);
            tape.set_gpu(placement.layer(modules.len()));
            let index = modules.len() as u64;
            let own = builder.if_trained(parts.is_none_or(|parts| parts.has_block(index)));
            let mut module = own.layer(shape, number);
            if let Some(parts) = parts.filter(|parts| parts.has_block(index) && !parts.modules.is_empty()) {
                let of_block: Vec<ParamId> = tape.param_ids().skip(before).collect();
                own.train_only_modules(&mut module, parts, &of_block);
            }
            modules.push(module);
            blocks.push(tape.param_ids().skip(before).collect());
        }
    }
    name(0, &OUTER);
    tape.set_gpu(placement.final_norm);
    let final_norm = arch.final_norm.map(|norm| part(|parts| parts.norm).norm(norm, arch.hidden));
    let encoder = part(|parts| parts.has_block(0));
    let shared_bias = arch.shared_bias().map(|shape| {
        let table = encoder.param(shape);
        tape.with_param(table, |param| param.embedding = true);
        table
    });
    let mut decoder = arch.decoder.as_ref().map(|shape| part(|parts| parts.decoder).decoder(shape, &encoder, &mut blocks));
    let buffers = buffers(tape, arch, layers, builder.width);
    tape.set_gpu(placement.head);
    let mut head = builder.head(arch, embedding, parts);
    name(0, &QUANTIZED);
    let of_streams = streams.iter().flat_map(|module| module.into.iter().chain(&module.back));
    let beside: Vec<Weight> =
        per_layer.iter().map(|module| &module.projection).chain(of_streams).map(|module| module.base.weight).collect();
    let scales = quantize(tape, &mut modules, &placement, &beside);
    if setup.kbit_prepare {
        widen(tape, &modules, setup.kbit_restored);
    }
    tape.set_gpu(0);
    let mut beside = Vec::new();
    match parts {
        Some(parts) if parts.tower => beside = builder.pieces(arch.unsimulated_parameters + parts.beside),
        _ if arch.unsimulated_parameters > 0 => {
            tape.param([1, arch.unsimulated_parameters], builder.width, false);
        }
        _ => {}
    }
    if let Some(parts) = parts.filter(|parts| !parts.tower) {
        beside = builder.pieces(parts.beside);
    }
    if let (Some(lora), false) = (&setup.lora, frozen) {
        builder.adapters(&mut modules, &mut decoder, &mut head, &mut blocks, lora, &placement);
    }
    tape.set_gpu(placement.embedding);
    let embedding = if frozen { embedding } else { builder.trained_whole(embedding, &mut head) };
    tape.set_gpu(0);
    Modules {
        placement,
        embedding,
        patches,
        positions,
        types,
        tasks,
        embedding_norm,
        distances,
        shared_bias,
        projections,
        per_layer,
        streams,
        beside,
        layers: modules,
        final_norm,
        decoder,
        head,
        range: (first, count(tape)),
        blocks,
        buffers,
        scales,
    }
}

/// Quantizes every linear layer that is to be.
fn quantize(tape: &Tape, layers: &mut [LayerModule], placement: &Placement, beside: &[Weight]) -> Vec<Tensor> {
    let mut scales = Vec::new();
    let mut quantize = |weight: Weight| match weight {
        Weight::FourBit { id, double, .. } => scales.extend(tape.quantize_four_bit(id, double)),
        Weight::Int8(id) => scales.extend(tape.quantize_int8(id)),
        Weight::Plain(_) => {}
    };
    beside.iter().copied().for_each(&mut quantize);
    for (index, layer) in layers.iter_mut().enumerate() {
        tape.set_gpu(placement.layer(index));
        layer.expert_weights().into_iter().for_each(&mut quantize);
        layer.for_each_linear(&mut |module| quantize(module.base.weight));
    }
    scales
}

/// PEFT's `prepare_model_for_kbit_training`: parameters that are not quantized become fp32. If embeddings and the head are `restored`
/// afterwards, vectors and experts remain so, other layers of blocks being quantized; if norms are too, experts alone.
fn widen(tape: &Tape, layers: &[LayerModule], restored: Restored) {
    let experts: std::collections::HashSet<ParamId> =
        layers.iter().flat_map(LayerModule::expert_weights).map(Weight::id).collect();
    let mut quantized = std::collections::HashSet::new();
    for layer in layers {
        let mut find = |weight: Weight| {
            if !matches!(weight, Weight::Plain(_)) {
                quantized.insert(weight.id());
            }
        };
        layer.expert_weights().into_iter().for_each(&mut find);
        layer.clone().for_each_linear(&mut |module| find(module.base.weight));
    }
    for id in tape.param_ids().filter(|id| !quantized.contains(id)) {
        let ([rows, columns], width, gpu) = tape.with_param(id, |param| (param.shape, param.width(), param.gpu));
        let numel = rows * columns;
        let stays = experts.contains(&id)
            || match restored {
                Restored::Nothing => true,
                Restored::Embeddings => rows == 1,
                Restored::NormsToo => false,
            };
        if width == 2 && stays {
            tape.set_gpu(gpu);
            tape.set_memory(id, tape.empty_as(numel, 4, Part::Weights));
        }
    }
}

/// Inverse frequencies, twice for every kind of rotary embedding; GPT-J stores its table in each block.
fn buffers(tape: &Tape, arch: &Arch, layers: &[(Layer, u64)], width: u64) -> Vec<crate::tape::Tensor> {
    let mut out = Vec::new();
    let buffer = |numel: u64| tape.empty_as(numel, 4, crate::estimate::Part::Buffers);
    for rotary in rotaries(&arch.layers) {
        if let RotaryTables::Stored { rows, .. } = rotary.tables {
            let blocks: u64 = layers.iter().map(|(_, times)| times).sum();
            out.extend((0..blocks).map(|_| buffer(rows * rotary.columns)));
        } else {
            out.extend([buffer(rotary.columns / 2), buffer(rotary.columns / 2)]);
        }
    }
    if arch.embedding.scaled {
        out.push(buffer(1));
    }
    for _ in 0..arch.embedding.id_buffers {
        out.push(tape.empty_as(arch.embedding.positions.unwrap_or(0), 8, crate::estimate::Part::Buffers));
    }
    if let Some(Decoder { stacks: Stacks::Positions(stacks), .. }) = arch.decoder {
        let own = |numel: u64| tape.empty_as(numel, width, crate::estimate::Part::Buffers);
        if stacks.positions == Positions::Buffer {
            out.extend([own(stacks.rows * arch.hidden), own(stacks.rows * arch.hidden)]);
        }
        if stacks.logits_bias {
            out.push(own(arch.vocab));
        }
    }
    if arch.embedding.mask_buffer_bytes > 0 {
        out.push(tape.empty_as(arch.embedding.mask_buffer_bytes, 1, crate::estimate::Part::Buffers));
    }
    out
}

/// The distinct kinds of rotary embedding of some blocks.
pub(super) fn rotaries(layers: &[(Layer, u64)]) -> Vec<Rotary> {
    let mut out = Vec::new();
    for rotary in layers.iter().filter_map(|(layer, _)| layer.attention.rotary) {
        if !out.contains(&rotary) {
            out.push(rotary);
        }
    }
    out
}

impl ModuleBuilder<'_> {
    pub(super) fn param(&self, shape: [u64; 2]) -> ParamId {
        self.tape.param(shape, if self.trainable { self.trained_width() } else { self.width }, self.trainable)
    }

    /// Bytes of a trained number.
    fn trained_width(&self) -> u64 {
        self.setup.trained.as_ref().and_then(|parts| parts.dtype).map_or(self.width, Dtype::bytes)
    }

    /// The same builder for a part that may be frozen.
    pub(super) fn if_trained(&self, trained: bool) -> Self {
        Self { trainable: self.trainable && trained, ..*self }
    }

    /// The same builder for one of the parts that may be frozen.
    fn if_part(&self, parts: Option<&TrainedParts>, is_trained: fn(&TrainedParts) -> bool) -> Self {
        self.if_trained(parts.is_none_or(is_trained))
    }

    /// Trained parameters whose shapes nobody knows, in pieces of the size of usual matrices.
    fn pieces(&self, parameters: u64) -> Vec<ParamId> {
        let mut out = Vec::new();
        let mut left = parameters;
        while left > 0 {
            let piece = left.min(PIECE);
            out.push(self.tape.param([1, piece], self.trained_width(), true));
            left -= piece;
        }
        out
    }

    /// Freezes the parameters `of_block` but for those of the named modules.
    fn train_only_modules(&self, module: &mut LayerModule, parts: &TrainedParts, of_block: &[ParamId]) {
        let mut kept = std::collections::HashSet::new();
        module.for_each_linear(&mut |linear| {
            let is_kept = |end: &str| parts.has_module(&format!("{}.{end}", linear.name));
            if let (Weight::Plain(weight), true) = (linear.base.weight, is_kept("weight")) {
                kept.insert(weight);
            }
            kept.extend(linear.base.bias.filter(|_| is_kept("bias")));
        });
        for norm in module.norms.iter().chain(&module.attention.q_norm).chain(&module.attention.k_norm) {
            kept.extend(norm.weight.filter(|_| parts.has_module("norms.weight")));
            kept.extend(norm.bias.filter(|_| parts.has_module("norms.bias")));
        }
        if let (MlpModule::Experts(experts), true) = (&module.mlp, parts.has_module("mlp.experts")) {
            kept.extend([experts.gate_up.id(), experts.down.id()]);
        }
        for id in of_block.iter().filter(|id| !kept.contains(id)) {
            let numel = self.tape.with_param(*id, |param| {
                param.trainable = false;
                param.shape[0] * param.shape[1]
            });
            self.tape.set_memory(*id, self.tape.empty_as(numel, self.width, Part::Weights));
        }
    }

    pub(super) fn norm(&self, norm: Norm, columns: u64) -> NormModule {
        let (weight, bias) = match norm {
            Norm::Layer { weight, bias } => (weight, bias),
            Norm::LayerNoAffine | Norm::RmsNoWeight => (false, false),
            Norm::LayerPlusOne | Norm::LayerDeberta => (true, true),
            _ => (true, false),
        };
        NormModule {
            norm,
            columns,
            weight: weight.then(|| self.param([1, columns])),
            bias: bias.then(|| self.param([1, columns])),
        }
    }

    /// A linear layer inside a block, which quantization reaches.
    pub(super) fn linear(&self, input: u64, output: u64, bias: bool, name: &'static str) -> LinearModule {
        let weight = match self.quantization {
            Quantization::None => {
                let id = self.param([output, input]);
                self.tape.with_param(id, |param| param.linear = true);
                Weight::Plain(id)
            }
            Quantization::FourBit { double } => {
                Weight::FourBit { id: self.param([output, input]), double, compute: self.quantized_compute }
            }
            Quantization::Int8 => Weight::Int8(self.param([output, input])),
        };
        let bias = bias.then(|| self.param([1, output]));
        LinearModule { base: Linear { input, output, weight, bias }, adapter: None, scaling: None, name }
    }

    pub(super) fn plain(&self, input: u64, output: u64, bias: bool) -> LinearModule {
        let weight = Weight::Plain(self.param([output, input]));
        let bias = bias.then(|| self.param([1, output]));
        LinearModule { base: Linear { input, output, weight, bias }, adapter: None, scaling: None, name: "" }
    }

    fn head(&self, arch: &Arch, embedding: ParamId, parts: Option<&TrainedParts>) -> OutputHead {
        let classes = match self.setup.task {
            Task::Reward | Task::MultipleChoice => Some(1),
            Task::SequenceClassification | Task::ImageClassification | Task::QuestionAnswering => Some(2),
            Task::TokenClassification => Some(TOKEN_CLASSES),
            _ => None,
        };
        if let Some(classes) = classes {
            return self.classes(arch, classes, parts);
        }
        let own = self.if_part(parts, |parts| parts.head);
        let transform = arch.head.transform.then(|| {
            let columns = arch.embedding.columns;
            (
                own.plain(arch.hidden, columns, !arch.head.transform_without_bias),
                own.norm(Norm::Layer { weight: true, bias: !arch.head.transform_without_bias }, columns),
            )
        });
        let weight = if arch.head.tied { embedding } else { own.param([arch.vocab, arch.embedding.columns]) };
        let bias = arch.head.bias.then(|| own.param([1, arch.vocab]));
        OutputHead::Vocabulary { weight, bias, transform }
    }

    /// A classifier. With adapters, PEFT trains a full copy of it (peft 0.21, `ModulesToSaveWrapper`).
    fn classes(&self, arch: &Arch, classes: u64, parts: Option<&TrainedParts>) -> OutputHead {
        let copies = ModuleBuilder { trainable: true, ..*self };
        let one = |of: &Self, saved: bool, input: u64, output: u64, bias: bool| {
            let own = LinearModule { name: "pooler.dense", ..of.plain(input, output, bias) };
            if saved && self.setup.lora.is_some() { copies.plain(input, output, bias) } else { own }
        };
        // Classes of tokens need no pooled row, and always have a bias.
        let of_tokens = matches!(self.setup.task, Task::TokenClassification | Task::QuestionAnswering);
        let pooler = arch.head.pooler.filter(|_| !of_tokens).map(|shape| {
            (one(&self.if_part(parts, |parts| parts.pooler), shape.in_modules_to_save, arch.hidden, arch.hidden, true), shape)
        });
        let own = self.if_part(parts, |parts| parts.head);
        let columns = arch.hidden * if arch.patches.is_some_and(|patches| patches.classifies_mean) { 2 } else { 1 };
        let has_bias = of_tokens || self.setup.task == Task::ImageClassification;
        OutputHead::Classes { pooler, score: one(&own, true, columns, classes, pooler.is_some() || has_bias), classes }
    }

    /// What makes streams of embeddings, and one of them in the end.
    fn streams(&self, arch: &Arch, count: u64) -> StreamsModule {
        let all = |name: &'static str| (1..count).map(|_| self.linear(arch.hidden, arch.hidden, false, name)).collect();
        StreamsModule { into: all("altup_projections"), back: all("altup_unembed_projections") }
    }

    /// The table of inputs of each block and what is added to it.
    fn per_layer(&self, arch: &Arch, rows: u64) -> PerLayerModule {
        let columns = arch.per_layer_columns();
        let table = self.param([rows, columns]);
        self.tape.with_param(table, |param| param.embedding = true);
        let norm = arch.final_norm.unwrap_or(Norm::RmsGemma4);
        PerLayerModule {
            table,
            columns,
            projection: self.linear(arch.hidden, columns, false, "per_layer_model_projection"),
            norm: self.norm(norm, columns / arch.layers().max(1)),
        }
    }

    /// Projections between the columns of the embedding and the residual stream.
    fn projections(&self, arch: &Arch) -> [Option<LinearModule>; 2] {
        let e = &arch.embedding;
        if e.columns == arch.hidden {
            return [None, None];
        }
        let into = self.plain(e.columns, arch.hidden, e.projection_bias);
        [Some(into), e.projects_back.then(|| self.plain(arch.hidden, e.columns, false))]
    }
}

//! An architecture: shapes of a model, in the terms in which the simulator runs it.

mod attention;
mod correct;
mod families;
mod mlp;
mod names;
mod parameter_count;
mod sanitize;
mod stacks;

pub(crate) use attention::{Attention, AttentionImpl, KeyStates, Projection, QkNorm, Relative, Rotary, RotaryJoin, RotaryTables};
pub(crate) use mlp::{Activation, Experts, LegacyExpertNames, Mlp, Router, SharedExpert};
pub(crate) use stacks::{Decoder, PositionStacks, Positions, Stacks};

pub use names::{NamedParameter, ParameterPlace};

use crate::config::Config;
use crate::estimate::Assumption;
use crate::setup::Task;

/// A model's architecture.
#[derive(Clone, Debug, PartialEq)]
pub struct Arch {
    /// `model_type` of the config, as written.
    pub model_type: String,
    /// Width of the residual stream.
    pub(crate) hidden: u64,
    /// Rows of the embedding table.
    pub(crate) vocab: u64,
    /// Everything before the first block.
    pub(crate) embedding: Embedding,
    /// What cuts images into tokens, in the place of a table of tokens (ViT).
    pub(crate) patches: Option<Patches>,
    /// Blocks in order: each kind with the length of its run.
    pub(crate) layers: Vec<(Layer, u64)>,
    /// How many blocks in a row have the same weights (ALBERT); 1 if each has its own.
    pub(crate) blocks_per_weights: u64,
    /// The norm after the last block.
    pub(crate) final_norm: Option<Norm>,
    /// The decoder of an encoder-decoder model (T5, BART).
    pub(crate) decoder: Option<Decoder>,
    /// The output head.
    pub(crate) head: HeadShape,
    /// Attention looks back only.
    pub(crate) causal: bool,
    /// Parameters that only sit there: the tower of a vision model.
    pub(crate) unsimulated_parameters: u64,
    /// Whether it has a tower that sees.
    pub(crate) sees: bool,
    /// Why no figure stands for it: what it is instead of a model of text.
    pub(crate) undescribed: Option<Assumption>,
    /// Tokens of the longest row that it has positions for, if its config says so.
    pub(crate) context_length: Option<u64>,
    /// What had to be assumed.
    pub(crate) assumptions: Vec<Assumption>,
    /// How well the family is known.
    pub(crate) certainty: Certainty,
}

/// How well a family is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Its steps were compared with traces.
    Traced,
    /// Its `config.json` was read as that of a usual decoder.
    GenericDecoder,
    /// Only a parameter count is known.
    ParameterCount,
}

/// A convolution that makes a token of each square of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patches {
    /// Pixels along a side of an image.
    pub(crate) image: u64,
    /// Pixels along a side of a patch.
    pub(crate) patch: u64,
    /// Colours.
    pub(crate) channels: u64,
    /// Learned tokens before those of the image: of the class, of a teacher (DeiT).
    pub(crate) prefix: u64,
    /// Learned tokens without a position behind the first (DINOv2 with registers).
    pub(crate) registers: u64,
    /// Rows of the table of positions, which is interpolated if an image has more or fewer tokens.
    pub(crate) positions: u64,
    /// Learned tokens that only pretraining uses (DINOv2).
    pub(crate) unused: u64,
    /// A classifier sees the mean of the image's tokens next to the first token (DINOv2).
    pub(crate) classifies_mean: bool,
}

impl Patches {
    /// Tokens of an image.
    pub(crate) fn of_image(&self) -> u64 {
        let side = self.image / self.patch.max(1);
        side.saturating_mul(side)
    }

    /// Tokens that the blocks see.
    pub(crate) fn tokens(&self) -> u64 {
        self.of_image().saturating_add(self.prefix).saturating_add(self.registers)
    }

    /// Numbers of an image.
    pub(crate) fn pixels(&self) -> u64 {
        self.channels.saturating_mul(self.image).saturating_mul(self.image)
    }

    /// Weights of the convolution for each column of the residual stream.
    pub(crate) fn weights_per_column(&self) -> u64 {
        self.channels.saturating_mul(self.patch).saturating_mul(self.patch)
    }
}

/// A norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Norm {
    /// In fp32, cast back, then the weight (Llama).
    Rms,
    /// In fp32 with one plus the weight, cast back at the end (Gemma).
    RmsGemma,
    /// In fp32, times the weight as it is stored or (`cast`) as fp32, cast back at the end (OLMo 2, Helium).
    RmsOlmo2 {
        /// The weight is cast to fp32 first.
        cast: bool,
    },
    /// In fp32 times the weight as fp32, cast back at the end (Gemma 4).
    RmsGemma4,
    /// In fp32 without a weight, cast back (Llama 4).
    RmsNoWeight,
    /// The variance in fp32, times the hidden states as they are, cast to the weight's type (T5).
    RmsT5,
    /// `nn.LayerNorm`.
    Layer {
        /// It has a weight.
        weight: bool,
        /// It has a bias.
        bias: bool,
    },
    /// LayerNorm written out in fp32 (Cohere).
    LayerCohere,
    /// LayerNorm written out in fp32, cast back before the weight and the bias (the first version of DeBERTa).
    LayerDeberta,
    /// The kernel in fp32, without parameters (OLMo).
    LayerNoAffine,
    /// The kernel over one plus the weight (Nemotron).
    LayerPlusOne,
}

/// Token, position and type embeddings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Embedding {
    /// Columns. If they differ from the residual stream, a projection follows.
    pub(crate) columns: u64,
    /// Rows of a learned position table.
    pub(crate) positions: Option<u64>,
    /// Rows of a token-type table.
    pub(crate) types: Option<u64>,
    /// Rows of a table of kinds of tasks (ERNIE).
    pub(crate) tasks: Option<u64>,
    /// Rows of masked tokens are zeroed and the others scaled, and what is padded is zeroed (ESM).
    pub(crate) drops_tokens: bool,
    /// A norm after the sum.
    pub(crate) norm: Option<Norm>,
    /// Whether the projection from `columns` to the residual stream has a bias.
    pub(crate) projection_bias: bool,
    /// A projection leads back to `columns` before the head (OPT).
    pub(crate) projects_back: bool,
    /// Index buffers with one entry per position that the model registers: position ids, type ids.
    pub(crate) id_buffers: u64,
    /// Positions are computed for each sequence of a batch rather than once (RoBERTa, OPT).
    pub(crate) positions_per_sequence: bool,
    /// Dropout after it.
    pub(crate) dropout: bool,
    /// Dropout after the last block, and a copy in another order (XLNet).
    pub(crate) dropout_behind: bool,
    /// Rows that only pretraining uses: of a masked token.
    pub(crate) unused_rows: u64,
    /// The table's rows are multiplied by a number (Gemma).
    pub(crate) scaled: bool,
    /// Rows of a table of inputs of each block (Gemma 4).
    pub(crate) per_layer_rows: Option<u64>,
    /// Bytes of a causal mask that the model stores as a buffer (StarCoder).
    pub(crate) mask_buffer_bytes: u64,
}

impl Embedding {
    /// Columns of the position and type tables and of the norm: the token columns, unless the projection comes before them.
    pub(crate) fn side_table_columns(&self, hidden: u64) -> u64 {
        if self.projects_back { hidden } else { self.columns }
    }
}

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layer {
    /// Its attention.
    pub(crate) attention: Attention,
    /// Its MLP or experts.
    pub(crate) mlp: Mlp,
    /// How they are joined.
    pub(crate) order: Order,
    /// Its norms.
    pub(crate) norm: Norm,
    /// Dropout on what is added to the residual stream.
    pub(crate) dropout: bool,
    /// What is added is multiplied by a number first (Granite).
    pub(crate) scaled: bool,
    /// What is added is multiplied by a learned vector first (DINOv2).
    pub(crate) scaled_by_vectors: bool,
    /// Experts beside the MLP, with norms of their own (Gemma 4).
    pub(crate) beside: Option<Experts>,
    /// Columns of an input of its own, which is added at its end, and all of it multiplied by a number (Gemma 4).
    pub(crate) own_input: Option<OwnInput>,
    /// What its linear layers are called.
    pub(crate) names: &'static ModuleNames,
}

/// The end of a block of Gemma 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnInput {
    /// Columns of the input of each block; 0 for none.
    pub(crate) columns: u64,
}

/// What the linear layers of a block are called, as far as it has them: paths inside the block, of which PEFT matches the end. Where they
/// have had another name in earlier releases of transformers, it follows after `|`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ModuleNames {
    /// Separate projections of queries, keys and values.
    pub(crate) qkv: [&'static str; 3],
    /// The one projection of all three.
    pub(crate) fused: &'static str,
    /// The output projection.
    pub(crate) out: &'static str,
    /// The gate of the MLP, or gate and up in one.
    pub(crate) gate: &'static str,
    /// The way up.
    pub(crate) up: &'static str,
    /// The way down.
    pub(crate) down: &'static str,
}

impl ModuleNames {
    /// The names of Llama, which most families share.
    pub(crate) const LLAMA: Self = Self {
        qkv: ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
        fused: "self_attn.qkv_proj",
        out: "self_attn.o_proj",
        gate: "mlp.gate_proj",
        up: "mlp.up_proj",
        down: "mlp.down_proj",
    };
}

/// How attention and MLP are joined with the residual stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Norm, attention, add; norm, MLP, add.
    Pre,
    /// The same without the first norm (the first block of ModernBERT).
    PreSkipFirst,
    /// Attention, add, norm; MLP, add, norm (BERT).
    Post {
        /// What has dropout behind it.
        dropped: Dropped,
        /// The MLP activation stays referenced until the norm has run (BERT).
        keeps_activation: bool,
    },
    /// Norms before and after both (Gemma 2).
    Sandwich,
    /// Several streams, of which one is computed: norms before and after both, a learned low-rank residual beside attention (Gemma 3n).
    Alternating {
        /// Streams.
        streams: u64,
        /// The rank of that residual.
        rank: u64,
    },
    /// Norms after both only, inside the residual (OLMo 2).
    PostInResidual,
    /// Attention and MLP side by side, from one norm (Phi, GPT-J, Falcon-7B) or two (NeoX).
    Parallel {
        /// Norms.
        norms: u64,
        /// Both norms come first, and the MLP's output is added to in place (Falcon).
        in_place: bool,
    },
}

/// Which halves of a block have dropout behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dropped {
    /// Both.
    Both,
    /// The MLP (DistilBERT).
    Mlp,
    /// Attention (ALBERT).
    Attention,
}

/// The output head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeadShape {
    /// It shares the embedding table.
    pub(crate) tied: bool,
    /// It has a bias.
    pub(crate) bias: bool,
    /// Logits are capped (Gemma 2).
    pub(crate) softcap: bool,
    /// Logits are multiplied by a number (Cohere, Granite).
    pub(crate) scaled: bool,
    /// A dense layer, an activation and a norm precede it (BERT).
    pub(crate) transform: bool,
    /// Its activation.
    pub(crate) transform_activation: Activation,
    /// That layer and that norm have no bias, and the loss is computed in fp32 (ModernBERT).
    pub(crate) transform_without_bias: bool,
    /// A dense layer over the first token of a sequence precedes a classifier (BERT-like encoders).
    pub(crate) pooler: Option<Pooler>,
}

/// A dense layer over the first token of a row, an activation and dropout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pooler {
    /// Dropout before the dense layer too (RoBERTa).
    pub(crate) dropout_first: bool,
    /// The activation; tanh counts as what keeps its result.
    pub(crate) activation: Activation,
    /// Whether PEFT trains a full copy of it (`modules_to_save`): it is part of the head, not the model's pooler.
    pub(crate) in_modules_to_save: bool,
}

/// Positions by the names that configs give them. RoBERTa and its kin number them from behind the padding index.
fn context_length(config: &Config) -> Option<u64> {
    let names = ["max_position_embeddings", "n_positions", "max_seq_len", "max_sequence_length", "seq_length"];
    let positions = names.iter().find_map(|name| config.count(name)).filter(|positions| *positions > 0)?;
    let offset = config.text("model_type").is_some_and(|kind| kind.contains("roberta") || matches!(kind, "camembert" | "mpnet"));
    Some(if offset { positions.saturating_sub(2) } else { positions })
}

impl Arch {
    /// Reads the keys of a `config.json`. Never fails: missing values are assumed and listed.
    pub fn from_config(config: &Config) -> Self {
        let mut arch = match sanitize::sanitize(config) {
            None => families::read(config),
            Some((sane, why)) => {
                let mut arch = families::read(&sane);
                arch.assumptions.insert(0, why);
                arch.certainty = Certainty::ParameterCount;
                arch
            }
        };
        arch.context_length = context_length(config);
        arch.hidden = arch.hidden.max(1);
        for (layer, _) in &mut arch.layers {
            // Dimensions are at least 1, and the rotated columns fit into a head.
            let a = &mut layer.attention;
            for number in [&mut a.heads, &mut a.kv_heads, &mut a.head_dim, &mut a.value_dim] {
                *number = (*number).max(1);
            }
            if let Projection::Latent { query_rank, kv_rank, .. } = &mut a.projection {
                *query_rank = query_rank.map(|rank| rank.max(1));
                *kv_rank = (*kv_rank).max(1);
            }
            a.rotary = a.rotary.map(|turned| Rotary { columns: turned.columns.min(a.head_dim), ..turned });
        }
        arch
    }

    /// Tokens of the longest row that the model has positions for, if its config says so.
    pub const fn context_length(&self) -> Option<u64> {
        self.context_length
    }

    /// Tokens of an image, if it sees images and nothing else.
    pub fn image_tokens(&self) -> Option<u64> {
        self.patches.map(|patches| patches.tokens())
    }

    /// Rows of its learned position table that tokens can use; `None` for models that compute positions.
    pub fn learned_positions(&self) -> Option<u64> {
        self.embedding.positions.and(self.context_length)
    }

    /// From a parameter count alone: a Llama of about that size.
    pub fn from_parameters(parameters: u64) -> Self {
        families::from_parameter_count(parameters)
    }

    /// The same architecture, if nothing but a name says that a model has it: the bounds are those of a generic decoder.
    #[must_use]
    pub fn told_by_name(self) -> Self {
        Self { certainty: self.certainty.max(Certainty::GenericDecoder), ..self }
    }

    /// How well the family is known.
    pub fn certainty(&self) -> Certainty {
        self.certainty
    }

    /// Why there is no figure for it: it is no model of text, and nothing here describes it.
    pub fn undescribed(&self) -> Option<&Assumption> {
        self.undescribed.as_ref()
    }

    /// The same architecture, if something that it does not say leaves no figure.
    #[must_use]
    pub fn without_figure(self, why: Assumption) -> Self {
        Self { undescribed: Some(why), ..self }
    }

    /// Why there is no figure for it in `task`: images are seen by models of images alone, encoders are what masked words and translations are trained with, and what was read as a
    /// usual decoder says nothing about them.
    pub fn unfit_for(&self, task: Task) -> Option<Assumption> {
        let name = if self.model_type.is_empty() { "this model" } else { &self.model_type };
        let other = if self.model_type.is_empty() { "该模型" } else { &self.model_type };
        let classifies = task == Task::ImageClassification;
        let by_positions = matches!(self.decoder, Some(Decoder { stacks: Stacks::Positions(_), .. }));
        if classifies != self.patches.is_some() || by_positions && task != Task::Seq2Seq {
            let task = task.name();
            return Some(Assumption {
                en: format!("estimates do not describe task {task} of {name}"),
                zh: format!("估算尚未覆盖 {other} 的任务 {task}"),
            });
        }
        let encodes = matches!(task, Task::MaskedLm | Task::Seq2Seq);
        (encodes && self.causal && self.certainty != Certainty::Traced).then(|| Assumption {
            en: format!("the task trains an encoder, and estimates know {name} as a decoder at most"),
            zh: format!("该任务训练编码器，而估算至多把 {other} 视为解码器"),
        })
    }

    /// What had to be assumed about it.
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }

    /// Whether blocks route tokens to experts.
    pub fn has_experts(&self) -> bool {
        self.layers.iter().any(|(layer, _)| layer.beside.is_some() || matches!(layer.mlp, Mlp::Experts(_)))
    }

    /// Whether learned sinks join the scores of its attention (gpt-oss).
    pub fn has_sinks(&self) -> bool {
        self.layers.iter().any(|(layer, _)| layer.attention.sinks)
    }

    /// Columns of the residual stream.
    pub fn width(&self) -> u64 {
        self.hidden
    }

    /// Whether its head shares the table of the embedding.
    pub fn has_tied_head(&self) -> bool {
        self.head.tied
    }

    /// Adds a tower that sees. Its parameters are counted and not simulated.
    pub fn add_tower(&mut self, parameters: u64) {
        self.unsimulated_parameters = self.unsimulated_parameters.saturating_add(parameters);
        self.sees = true;
        // No step of a model that sees was compared with a trace.
        self.certainty = self.certainty.max(Certainty::GenericDecoder);
        self.assumptions.push(Assumption {
            en: "only the weights of the vision tower count: activations of images come on top".to_owned(),
            zh: "视觉塔只计权重：图像在其中占用的显存需另外加上".to_owned(),
        });
    }

    /// Switches dropout off, as in evaluation mode.
    pub fn drop_nothing(&mut self) {
        self.embedding.dropout = false;
        let own = self.layers.iter_mut().map(|(layer, _)| layer);
        for layer in own.chain(self.decoder.iter_mut().map(|decoder| &mut decoder.layer)) {
            layer.dropout = false;
            layer.attention.dropout = false;
        }
        if let Some(Decoder { stacks: Stacks::Positions(stacks), .. }) = &mut self.decoder {
            stacks.activation_dropout = false;
        }
    }

    /// Whether it has a tower that sees.
    pub fn sees(&self) -> bool {
        self.sees
    }

    /// Whether a part of it is counted and not simulated: the tower of a model that sees.
    pub fn has_tower(&self) -> bool {
        self.unsimulated_parameters > 0
    }

    /// Rows of the embedding table.
    pub fn vocabulary(&self) -> u64 {
        self.vocab
    }

    /// Blocks.
    pub fn layers(&self) -> u64 {
        self.layers.iter().map(|(_, times)| times).sum()
    }

    /// Whether it has an encoder and a decoder.
    pub fn has_decoder_blocks(&self) -> bool {
        self.decoder.is_some()
    }

    /// Streams of hidden states, if there are several.
    pub(crate) fn streams(&self) -> Option<u64> {
        self.layers.iter().find_map(|(layer, _)| match layer.order {
            Order::Alternating { streams, .. } => Some(streams.max(1)),
            _ => None,
        })
    }

    /// The shape of the table of biases by distance that all blocks share: kinds of distances and heads.
    pub(crate) fn shared_bias(&self) -> Option<[u64; 2]> {
        self.layers.iter().find_map(|(layer, _)| match layer.attention.implementation {
            AttentionImpl::SharedBias { buckets } => Some([buckets, layer.attention.heads]),
            _ => None,
        })
    }

    /// Columns of the inputs of all blocks.
    pub(crate) fn per_layer_columns(&self) -> u64 {
        self.layers.iter().map(|(layer, times)| layer.own_input.map_or(0, |own| own.columns) * times).sum()
    }

    /// Parameters of one block.
    pub(crate) fn layer_parameters(&self, layer: &Layer) -> u64 {
        parameter_count::layer(layer, self.hidden)
    }

    /// Parameters. A tied head is counted once.
    pub fn parameters(&self) -> u64 {
        parameter_count::parameters(self)
    }
}

/// Norms of a block that joins its parts in this way.
pub(crate) fn block_norms(order: Order) -> u64 {
    parameter_count::norms(order)
}

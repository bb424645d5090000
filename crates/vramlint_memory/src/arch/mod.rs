//! An architecture: shapes of a model, in the terms in which the simulator runs it.

mod count;
mod families;
mod sane;

use crate::config::Config;
use crate::estimate::Assumption;

/// A model's architecture.
#[derive(Clone, Debug, PartialEq)]
pub struct Arch {
    /// `model_type` of the config, as written.
    pub model_type: String,
    /// Width of the residual stream.
    pub(crate) hidden: u64,
    /// Rows of the embedding table.
    pub(crate) vocab: u64,
    /// What stands before the first block.
    pub(crate) embedding: Embedding,
    /// Blocks in order: each kind with how often it stands in a row.
    pub(crate) layers: Vec<(Layer, u64)>,
    /// The norm behind the last block.
    pub(crate) final_norm: Option<Norm>,
    /// A decoder that sees what the blocks made (T5).
    pub(crate) decoder: Option<Decoder>,
    /// What makes logits.
    pub(crate) head: HeadShape,
    /// Attention looks back only.
    pub(crate) causal: bool,
    /// Parameters that only sit there: the tower of a vision model.
    pub(crate) tower: u64,
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
    Usual,
    /// Only a parameter count is known.
    Count,
}

/// A decoder beside an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decoder {
    /// Its blocks, but for their attention to the encoder, which has the same shape as that to itself.
    pub(crate) layer: Layer,
    /// How many.
    pub(crate) blocks: u64,
    /// Kinds of distances that have a bias, for encoder and decoder each.
    pub(crate) buckets: u64,
}

/// A norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Norm {
    /// In fp32, cast back, then the weight (Llama).
    Rms,
    /// In fp32 with one plus the weight, cast back at the end (Gemma).
    RmsFull,
    /// In fp32, times the weight as it is stored or (`cast`) as fp32, cast back at the end (OLMo 2, Helium).
    RmsLate {
        /// The weight is cast to fp32 first.
        cast: bool,
    },
    /// In fp32 without a weight, cast back (Llama 4).
    RmsBare,
    /// The variance in fp32, times the hidden states as they are, cast to the weight's type (T5).
    RmsMixed,
    /// `nn.LayerNorm`.
    Layer {
        /// It has a weight.
        weight: bool,
        /// It has a bias.
        bias: bool,
    },
    /// LayerNorm written out in fp32 (Cohere).
    LayerFull,
    /// The kernel in fp32, without parameters (OLMo).
    LayerBare,
    /// The kernel over one plus the weight (Nemotron).
    LayerPlusOne,
}

/// Token, position and type embeddings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Embedding {
    /// Columns, where they differ from the residual stream (a projection follows).
    pub(crate) columns: u64,
    /// Rows of a learned position table.
    pub(crate) positions: Option<u64>,
    /// Rows of a token-type table.
    pub(crate) types: Option<u64>,
    /// A norm behind the sum.
    pub(crate) norm: Option<Norm>,
    /// The projection from `columns` to the residual stream, where they differ, has a bias.
    pub(crate) projection_bias: bool,
    /// A projection leads back to `columns` before the head (OPT).
    pub(crate) projects_back: bool,
    /// Tables of numbers that the model stores, one for each position: of positions, of types.
    pub(crate) stored_ids: u64,
    /// Positions are made for each row of a batch rather than once (RoBERTa, OPT).
    pub(crate) by_row: bool,
    /// Dropout behind it.
    pub(crate) dropout: bool,
    /// The table's rows are multiplied by a number (Gemma).
    pub(crate) scaled: bool,
    /// Bytes of a causal mask that the model stores as a buffer (StarCoder).
    pub(crate) stored_mask: u64,
}

impl Embedding {
    /// Columns of the tables of positions and types and of the norm: those of the tokens where the projection comes behind them.
    pub(crate) fn columns_beside(&self, hidden: u64) -> u64 {
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
    /// What its linear layers are called.
    pub(crate) names: &'static Names,
}

/// What the linear layers of a block are called, as far as it has them: paths inside the block, of which PEFT matches the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    /// Queries, keys, values, where they have projections of their own.
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

impl Names {
    /// Those of Llama, which most families share; `gate_up_proj` where both are one.
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
    PreOnce,
    /// Attention, add, norm; MLP, add, norm (BERT).
    Post {
        /// Dropout behind the MLP only (DistilBERT).
        late_dropout: bool,
        /// What the activation of the MLP gives has a name until the norm has run (BERT).
        keeps: bool,
    },
    /// Norms before and behind both (Gemma 2).
    Sandwich,
    /// Norms behind both only, inside the residual (OLMo 2).
    Behind,
    /// Attention and MLP side by side, from one norm (Phi, GPT-J, Falcon-7B) or two (NeoX).
    Parallel {
        /// Norms.
        norms: u64,
        /// Both norms come first, and the MLP's output is added to in place (Falcon).
        in_place: bool,
    },
}

/// Attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attention {
    /// Query heads.
    pub(crate) heads: u64,
    /// Key and value heads.
    pub(crate) kv_heads: u64,
    /// Width of a query or key head.
    pub(crate) head_dim: u64,
    /// Width of a value head.
    pub(crate) value_dim: u64,
    /// How queries, keys and values are projected.
    pub(crate) projection: Projection,
    /// Biases of the projections to q, k, v.
    pub(crate) qkv_bias: bool,
    /// Bias of the output projection.
    pub(crate) out_bias: bool,
    /// Rotary embedding: how many columns of a head it turns.
    pub(crate) rotary: Option<Rotary>,
    /// Norms of queries and keys.
    pub(crate) qk_norm: Option<QkNorm>,
    /// Scores are capped (Gemma 2), which needs them written out.
    pub(crate) softcap: bool,
    /// Dropout of the probabilities.
    pub(crate) dropout: bool,
    /// Scores get a bias by distance (ALiBi).
    pub(crate) alibi: bool,
    /// Learned sinks join the scores (gpt-oss).
    pub(crate) sinks: bool,
    /// Softmax in fp32 with a cast back, as transformers' eager form of decoders does.
    pub(crate) softmax_fp32: bool,
    /// Only a window of the past is seen.
    pub(crate) window: Option<u64>,
    /// Queries are multiplied by a number of their position (Ministral 3).
    pub(crate) scaled_queries: bool,
    /// Scores are made from queries and keys in fp32 (GPT-J).
    pub(crate) fp32_scores: bool,
    /// A mask is made even where no token is hidden but by causality (Falcon).
    pub(crate) masked: bool,
    /// Which code makes scores.
    pub(crate) form: Form,
    /// Queries are multiplied by a number of Python before the scores (OPT).
    pub(crate) scales_first: bool,
    /// Scores are joined by those of distances (DeBERTa).
    pub(crate) relative: Option<Relative>,
}

/// Attention to distances beside contents (DeBERTa).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Relative {
    /// Distances to either side that have an embedding.
    pub(crate) span: u64,
    /// They are projected as contents are, rather than by weights of their own.
    pub(crate) shared: bool,
    /// Contents look at distances.
    pub(crate) to_positions: bool,
    /// Distances look at contents.
    pub(crate) from_positions: bool,
    /// The embedding of distances is normed.
    pub(crate) normed: bool,
}

impl Attention {
    /// Scores are written out whatever kernel is asked for.
    pub(crate) fn written(&self) -> bool {
        self.softcap || self.fp32_scores || self.form != Form::Usual
    }
}

/// Which code of transformers makes scores, where a family has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The common interface.
    Usual,
    /// BLOOM: ALiBi is what the product is added to.
    Bloom,
    /// MPT: ALiBi in fp32 is added.
    Mpt,
    /// GPT-Neo: a stored mask rules out what lies ahead and, in local layers, far behind.
    Neo,
}

/// How queries, keys and values are projected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Projection {
    /// `q_proj`, `k_proj`, `v_proj`.
    Separate,
    /// One matrix, split into three views.
    Fused,
    /// One matrix, cut by three slices (Phi-3).
    FusedSlices,
    /// One matrix whose rows alternate by head; the parts are views of it (NeoX).
    FusedByHead,
    /// One matrix whose rows alternate by groups of heads, so that each part is copied (CodeGen).
    FusedByGroup,
    /// One matrix of which each part is selected by head, which copies it (BLOOM).
    FusedSelected,
    /// One matrix whose keys and values are picked by index, which copies them (Falcon); `spread` to every head.
    FusedPicked {
        /// Keys and values are copied to every head.
        spread: bool,
    },
    /// Low-rank queries and keys/values (DeepSeek).
    Latent {
        /// Rank of the queries, if any.
        query_rank: Option<u64>,
        /// Rank of keys and values.
        kv_rank: u64,
        /// Columns of a head that are turned.
        rope_dim: u64,
    },
}

/// Rotary embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rotary {
    /// Columns of a head that are turned.
    pub(crate) columns: u64,
    /// Turned in fp32 and cast back.
    pub(crate) fp32: bool,
    /// Turned by pairs of neighbours (GPT-J, GLM, Cohere) rather than by halves.
    pub(crate) interleaved: bool,
    /// How the columns that are turned and those that are not come together.
    pub(crate) parts: Parts,
    /// What the tables of cosines and sines are.
    pub(crate) tables: Tables,
    /// Sliding layers have tables of their own (Gemma 3).
    pub(crate) local: bool,
}

impl Rotary {
    /// As Llama does it, over `columns`.
    pub(crate) fn usual(columns: u64) -> Self {
        Self { columns, fp32: false, interleaved: false, parts: Parts::Whole, tables: Tables::Cast, local: false }
    }
}

/// How the columns that are turned and those that are not come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    /// All are turned.
    Whole,
    /// Queries and keys are cut, turned and joined one after the other (Phi-3, GPT-J), even if nothing is left over.
    Each,
    /// Both are cut, then both turned, then both joined (Phi, NeoX, GLM).
    Both,
}

/// What the tables of cosines and sines are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tables {
    /// In the type of the hidden states.
    Cast,
    /// The same; what is turned is cast to fp32 for each of its two products (ModernBERT).
    CastTwice,
    /// In fp32 (OLMo).
    Wide,
    /// In the type of the hidden states (GLM) or in fp32 (`wide`, ERNIE), each number repeated at every use.
    Repeated {
        /// In fp32.
        wide: bool,
    },
    /// In the type of the hidden states, half as wide as a head: halves are turned one by one (gpt-oss).
    Half,
    /// Complex numbers in fp32 (Llama 4, DeepSeek-V2).
    Complex,
    /// Rows of a stored table, one in each layer (GPT-J), picked and repeated at every use.
    Stored {
        /// Its rows.
        rows: u64,
        /// Its numbers stay in fp32, and what they turn becomes fp32 (CodeGen).
        wide: bool,
    },
}

/// Norms of queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QkNorm {
    /// Which norm.
    pub(crate) norm: Norm,
    /// Over each head (Qwen3) rather than over all columns (OLMo 2).
    pub(crate) per_head: bool,
    /// Behind the rotary embedding (Hunyuan) rather than before it.
    pub(crate) late: bool,
}

/// The MLP of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mlp {
    /// `down(act(gate(x)) * up(x))`.
    Gated {
        /// Width.
        inner: u64,
        /// Gate and up in one matrix (Phi-3, GLM).
        fused: bool,
        /// Biases.
        bias: bool,
        /// The activation.
        activation: Activation,
    },
    /// `down(act(up(x)))`.
    Plain {
        /// Width.
        inner: u64,
        /// Biases.
        bias: bool,
        /// The activation.
        activation: Activation,
    },
    /// Experts.
    Experts(Experts),
}

/// A mixture of experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Experts {
    /// All of them.
    pub(crate) count: u64,
    /// Those that see a token.
    pub(crate) active: u64,
    /// Width of one.
    pub(crate) inner: u64,
    /// The expert that sees every token.
    pub(crate) shared: Option<SharedExpert>,
    /// Biases (gpt-oss).
    pub(crate) bias: bool,
    /// How experts are chosen.
    pub(crate) router: Router,
    /// Gate and up are clamped before they meet (gpt-oss).
    pub(crate) clamped: bool,
    /// Names under which PEFT still knows the experts as layers.
    pub(crate) old_names: Option<OldNames>,
}

/// What experts were called while they were layers (peft 0.21, `utils/transformers_weight_conversion.py`): PEFT takes these names,
/// and all linear layers, to mean the experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OldNames {
    /// `w1`, `w2`, `w3`.
    Mixtral,
    /// `gate_proj`, `up_proj`, `down_proj`: what is built like Qwen2-MoE, but not Qwen2-MoE itself.
    Qwen,
}

/// The expert that sees every token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SharedExpert {
    /// Its width.
    pub(crate) inner: u64,
    /// It has a gate of its own (Qwen2-MoE).
    pub(crate) gate: bool,
    /// It runs before the others.
    pub(crate) first: bool,
}

/// How experts are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Router {
    /// A softmax over all in fp32, then the highest.
    Softmax {
        /// Their weights are divided by their sum.
        normed: bool,
        /// Their weights are cast back.
        cast: bool,
    },
    /// The highest, then a softmax over them (Granite: `wide`, in fp32; gpt-oss).
    TopSoftmax {
        /// In fp32.
        wide: bool,
    },
    /// Scores in fp32 from inputs and weights in fp32 (DeepSeek, GLM).
    Wide {
        /// Each score by itself rather than a softmax.
        sigmoid: bool,
        /// The weights are divided by their sum.
        normed: bool,
        /// Groups of experts are chosen first.
        grouped: bool,
    },
    /// A softmax in fp32, corrected for the choice only (ERNIE 4.5).
    Corrected,
    /// Two experts one after the other (Phi-3.5-MoE).
    Mixer,
    /// Every expert runs over every token (Llama 4).
    Every,
}

/// An activation function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    /// One kernel that keeps its input: silu, gelu, gelu_pytorch_tanh.
    Kernel,
    /// One kernel that keeps its result: relu.
    Relu,
    /// `gelu_new`, `gelu_fast`: written out in Python.
    GeluNew,
    /// BLOOM's own gelu: keeps its input, two temporaries.
    BloomGelu,
    /// `relu(x) ** 2`.
    ReluSquared,
    /// `quick_gelu`: `x * sigmoid(1.702 x)`.
    QuickGelu,
    /// xIELU with two trained numbers (Apertus).
    Xielu,
}

/// What makes logits.
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
    /// A dense layer, an activation and a norm stand before it (BERT).
    pub(crate) transform: bool,
    /// That layer and that norm have no bias, and the loss is made in fp32 (ModernBERT).
    pub(crate) bare: bool,
    /// A dense layer over the first token of a row stands before a classifier (BERT and its kin).
    pub(crate) pooler: Option<Pooler>,
}

/// A dense layer over the first token of a row, an activation and dropout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pooler {
    /// Dropout before the dense layer too (RoBERTa).
    pub(crate) early_dropout: bool,
    /// The activation; tanh counts as what keeps its result.
    pub(crate) activation: Activation,
    /// It is part of what PEFT trains whole beside adapters (a head of its own, not the model's pooler).
    pub(crate) saved: bool,
}

impl Arch {
    /// From the keys of a `config.json`; never fails: what is missing is assumed, and said.
    pub fn from_config(config: &Config) -> Self {
        let mut arch = match sane::without_nonsense(config) {
            None => families::read(config),
            Some((sane, why)) => {
                let mut arch = families::read(&sane);
                arch.assumptions.insert(0, why);
                arch.certainty = Certainty::Count;
                arch
            }
        };
        arch.hidden = arch.hidden.max(1);
        for (layer, _) in &mut arch.layers {
            // Nothing has no width, and no more of a head is turned than it has.
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

    /// From a parameter count alone: a Llama of about that size.
    pub fn from_parameters(parameters: u64) -> Self {
        families::of_count(parameters)
    }

    /// How well the family is known.
    pub fn certainty(&self) -> Certainty {
        self.certainty
    }

    /// What had to be assumed about it.
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }

    /// Rows of the embedding table.
    pub fn vocabulary(&self) -> u64 {
        self.vocab
    }

    /// Blocks.
    pub fn layers(&self) -> u64 {
        self.layers.iter().map(|(_, times)| times).sum()
    }

    /// Parameters, each once (a tied head is not counted twice).
    pub fn parameters(&self) -> u64 {
        count::parameters(self)
    }
}

/// Norms of a block that joins its parts in this way.
pub(crate) fn block_norms(order: Order) -> u64 {
    count::norms(order)
}

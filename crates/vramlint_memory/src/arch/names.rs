//! What transformers calls the parameters of a model, in the order of `named_parameters()` (transformers 5.23 `models/*/modeling_*.py`).

use super::{Arch, Layer, Mlp, ModuleNames, Norm, Projection, block_norms};
use crate::setup::Task;

/// A parameter by its names: the one that `named_parameters()` gives it first, then those under which it is shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedParameter {
    /// Its names.
    pub names: Vec<String>,
    /// Where it is.
    pub place: ParameterPlace,
}

/// Where a parameter is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterPlace {
    /// The table of tokens.
    Tokens,
    /// Positions, types and the norm next to it.
    BesideTokens,
    /// A block, from 0, and its path within the block: as the simulator names it, or `norms`, with `.weight` or `.bias`.
    Block(u64, String),
    /// The norm after the last block.
    Norm,
    /// The decoder behind an encoder.
    Decoder,
    /// A dense layer before the classifier.
    Pooler {
        /// Whether it belongs to the head rather than to the model below it.
        of_head: bool,
    },
    /// The head.
    Head,
}

/// What a family calls its parts.
struct Names {
    /// The model below the head.
    base: &'static str,
    tokens: &'static str,
    beside: &'static [&'static str],
    blocks: &'static str,
    norm: &'static str,
    head: &'static str,
    /// The norms of a block.
    block_norms: &'static [&'static str],
}

const LLAMA: Names = Names {
    base: "model",
    tokens: "embed_tokens",
    beside: &[],
    blocks: "layers",
    norm: "norm",
    head: "lm_head",
    block_norms: &["input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm"],
};
const GPT2: Names = Names {
    base: "transformer",
    tokens: "wte",
    beside: &["wpe"],
    blocks: "h",
    norm: "ln_f",
    block_norms: &["ln_1", "ln_2"],
    ..LLAMA
};
const BERT: Names = Names {
    base: "bert",
    tokens: "embeddings.word_embeddings",
    beside: &["embeddings.position_embeddings", "embeddings.token_type_embeddings", "embeddings.LayerNorm"],
    blocks: "encoder.layer",
    norm: "",
    head: "cls.predictions",
    block_norms: &["attention.output.LayerNorm", "output.LayerNorm"],
};

impl Names {
    /// The names of a family; `None` if nobody has written them down.
    fn of(model_type: &str) -> Option<Self> {
        Some(match model_type {
            "llama" | "mistral" | "qwen2" | "qwen3" | "gemma" | "gemma2" | "gemma3_text" | "phi3" | "olmo" | "olmo2"
            | "olmo3" | "cohere" | "granite" | "smollm3" | "helium" | "glm" | "stablelm" | "starcoder2" | "mixtral"
            | "qwen2_moe" | "qwen3_moe" | "olmoe" | "nemotron" | "arcee" | "seed_oss" | "hunyuan_v1_dense" | "ernie4_5" => LLAMA,
            "phi" => Names { norm: "final_layernorm", ..LLAMA },
            "opt" => Names {
                base: "model.decoder",
                beside: &["embed_positions"],
                norm: "final_layer_norm",
                block_norms: &["self_attn_layer_norm", "final_layer_norm"],
                ..LLAMA
            },
            "gpt2" | "gpt_bigcode" | "gpt_neo" => GPT2,
            "gptj" | "codegen" => Names { beside: &[], ..GPT2 },
            "falcon" => Names {
                tokens: "word_embeddings",
                beside: &[],
                block_norms: &["input_layernorm", "post_attention_layernorm"],
                ..GPT2
            },
            "bloom" => Names {
                tokens: "word_embeddings",
                beside: &["word_embeddings_layernorm"],
                block_norms: &["input_layernorm", "post_attention_layernorm"],
                ..GPT2
            },
            "mpt" => Names { beside: &[], blocks: "blocks", norm: "norm_f", block_norms: &["norm_1", "norm_2"], ..GPT2 },
            "gpt_neox" => Names { base: "gpt_neox", tokens: "embed_in", norm: "final_layer_norm", ..LLAMA },
            "bert" => BERT,
            "ernie" => Names { base: "ernie", ..BERT },
            "esm" => Names {
                base: "esm",
                beside: &["embeddings.position_embeddings"],
                norm: "encoder.emb_layer_norm_after",
                head: "lm_head",
                block_norms: &["attention.LayerNorm", "LayerNorm"],
                ..BERT
            },
            "roberta" | "xlm-roberta" | "camembert" => Names { base: "roberta", head: "lm_head", ..BERT },
            "electra" => Names { base: "electra", head: "generator_predictions", ..BERT },
            "deberta-v2" | "deberta" => Names { base: "deberta", ..BERT },
            "distilbert" => Names {
                base: "distilbert",
                blocks: "transformer.layer",
                head: "vocab_transform",
                block_norms: &["sa_layer_norm", "output_layer_norm"],
                ..BERT
            },
            "modernbert" => Names {
                base: "model",
                tokens: "embeddings.tok_embeddings",
                beside: &["embeddings.norm"],
                blocks: "layers",
                norm: "final_norm",
                head: "head",
                block_norms: &["attn_norm", "mlp_norm"],
            },
            "mpnet" => Names {
                base: "mpnet",
                beside: &["embeddings.position_embeddings", "embeddings.LayerNorm"],
                head: "lm_head",
                block_norms: &["attention.LayerNorm", "output.LayerNorm"],
                ..BERT
            },
            "albert" => Names {
                base: "albert",
                blocks: "encoder.albert_layer_groups",
                head: "predictions",
                block_norms: &["full_layer_layer_norm", "attention.LayerNorm"],
                ..BERT
            },
            "vit" | "deit" | "dinov2" | "dinov2_with_registers" => Names {
                base: match model_type {
                    "vit" => "vit",
                    "deit" => "deit",
                    "dinov2" => "dinov2",
                    _ => "dinov2_with_registers",
                },
                tokens: "embeddings.patch_embeddings.projection",
                beside: &["embeddings.cls_token", "embeddings.position_embeddings"],
                blocks: if model_type.starts_with("dinov2") { "encoder.layer" } else { "layers" },
                norm: "layernorm",
                head: "classifier",
                block_norms: if model_type.starts_with("dinov2") {
                    &["norm1", "norm2"]
                } else {
                    &["layernorm_before", "layernorm_after"]
                },
            },
            "t5" | "mt5" => Names {
                base: "",
                tokens: "shared",
                beside: &[],
                blocks: "encoder.block",
                norm: "encoder.final_layer_norm",
                head: "lm_head",
                block_norms: &["layer_norm"],
            },
            _ => return None,
        })
    }

    /// The dense layer before a classifier, and the classifier.
    fn classifier(&self, task: Task) -> [&'static str; 2] {
        match (task, self.base) {
            (Task::QuestionAnswering, _) => ["", "qa_outputs"],
            (Task::ImageClassification, _)
            | (
                Task::TokenClassification,
                "albert" | "mpnet" | "ernie" | "esm" | "bert" | "roberta" | "electra" | "deberta" | "distilbert",
            ) => ["", "classifier"],
            (_, "bert") => ["bert.pooler.dense", "classifier"],
            (_, "ernie") => ["ernie.pooler.dense", "classifier"],
            (_, "albert") => ["albert.pooler", "classifier"],
            (_, "roberta" | "electra" | "mpnet" | "esm") => ["classifier.dense", "classifier.out_proj"],
            (_, "deberta") => ["pooler.dense", "classifier"],
            (_, "distilbert") => ["pre_classifier", "classifier"],
            (_, "model") if self.blocks == "layers" && self.norm == "final_norm" => ["head.dense", "classifier"],
            _ => ["", "score"],
        }
    }
}

impl Arch {
    /// The parameters of the model with the head of a task, by name. `None` if the names of the family, or of what its blocks are made of,
    /// are not written down.
    pub fn named_parameters(&self, task: Task) -> Option<Vec<NamedParameter>> {
        let names = Names::of(&self.model_type).filter(|_| !self.has_tower())?;
        let below = |path: &str| if names.base.is_empty() { path.to_owned() } else { format!("{}.{path}", names.base) };
        let mut out = Vec::new();
        let mut add = |path: String, place: ParameterPlace| out.push(NamedParameter { names: vec![path], place });
        add(below(names.tokens) + ".weight", ParameterPlace::Tokens);
        for path in names.beside.iter().filter(|path| !path.contains("token_type") || self.embedding.types.is_some()) {
            add(below(path) + ".weight", ParameterPlace::BesideTokens);
        }
        let mut index = 0;
        for (layer, times) in &self.layers {
            let own = block(layer, names.block_norms)?;
            // The blocks of a group of ALBERT are one module.
            let inside = if self.model_type == "albert" { "albert_layers.0." } else { "" };
            for _ in 0..times / self.blocks_per_weights.max(1) {
                for (path, of_simulator) in &own {
                    add(
                        below(&format!("{}.{index}.{inside}{path}", names.blocks)),
                        ParameterPlace::Block(index, of_simulator.clone()),
                    );
                }
                index += 1;
            }
        }
        if self.final_norm.is_some() {
            add(below(names.norm) + ".weight", ParameterPlace::Norm);
        }
        if let Some(decoder) = &self.decoder {
            for number in 0..decoder.blocks {
                add(format!("decoder.block.{number}.weight"), ParameterPlace::Decoder);
            }
        }
        let of_classes = matches!(
            task,
            Task::SequenceClassification
                | Task::ImageClassification
                | Task::TokenClassification
                | Task::QuestionAnswering
                | Task::MultipleChoice
                | Task::Reward
        );
        if of_classes {
            let [pooler, classifier] = names.classifier(task);
            if self.head.pooler.is_some() && !pooler.is_empty() {
                let of_head = !pooler.contains("pooler");
                add(format!("{pooler}.weight"), ParameterPlace::Pooler { of_head });
            }
            add(format!("{classifier}.weight"), ParameterPlace::Head);
        } else if !self.head.tied {
            add(format!("{}.weight", names.head), ParameterPlace::Head);
        } else if self.head.transform {
            add(format!("{}.dense.weight", names.head), ParameterPlace::Head);
        }
        if let Some(tokens) = out.first_mut() {
            if self.decoder.is_some() {
                tokens.names.extend(["encoder.embed_tokens.weight".to_owned(), "decoder.embed_tokens.weight".to_owned()]);
            }
            if self.head.tied && !of_classes {
                let decoder = if self.head.transform { ".decoder" } else { "" };
                tokens.names.push(format!("{}{decoder}.weight", names.head));
            }
        }
        Some(out)
    }
}

/// The parameters of a block: their paths in the library and in the simulator.
fn block(layer: &Layer, norm_names: &[&str]) -> Option<Vec<(String, String)>> {
    if layer.beside.is_some() || layer.own_input.is_some() {
        return None;
    }
    let (a, names) = (&layer.attention, layer.names);
    let mut linears: Vec<(&str, bool)> = match a.projection {
        Projection::Separate => names.qkv.iter().map(|name| (*name, a.qkv_bias)).collect(),
        Projection::Latent { .. } | Projection::Lent { .. } | Projection::Convolution { .. } | Projection::Segments => {
            return None;
        }
        _ => vec![(names.fused, a.qkv_bias)],
    };
    linears.push((names.out, a.out_bias));
    linears.extend(of_mlp(&layer.mlp, names)?);
    let mut out = Vec::new();
    for (name, has_bias) in linears {
        let path = name.split('|').next().unwrap_or(name);
        let mut add = |end: &str| out.push((format!("{path}.{end}"), format!("{name}.{end}")));
        add("weight");
        if has_bias {
            add("bias");
        }
    }
    let count = usize::try_from(block_norms(layer.order)).unwrap_or(usize::MAX);
    let of_heads: &[&str] = if a.qk_norm.is_some() { &["self_attn.q_norm", "self_attn.k_norm"] } else { &[] };
    for name in norm_names.iter().take(count).chain(of_heads) {
        out.push((format!("{name}.weight"), "norms.weight".to_owned()));
        if matches!(layer.norm, Norm::Layer { bias: true, .. } | Norm::LayerPlusOne) {
            out.push((format!("{name}.bias"), "norms.bias".to_owned()));
        }
    }
    Some(out)
}

fn of_mlp(mlp: &Mlp, names: &ModuleNames) -> Option<Vec<(&'static str, bool)>> {
    match *mlp {
        Mlp::Gated { fused, bias, .. } => {
            let up = (!fused).then_some((names.up, bias));
            Some([(names.gate, bias)].into_iter().chain(up).chain([(names.down, bias)]).collect())
        }
        Mlp::Plain { bias, .. } => Some(vec![(names.up, bias), (names.down, bias)]),
        Mlp::Experts(_) => None,
    }
}

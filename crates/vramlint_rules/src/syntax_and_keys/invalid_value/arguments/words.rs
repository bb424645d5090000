//! Words of a set.

use crate::Context;
use crate::syntax_and_keys::invalid_value::arguments::{plain, report};
use vramlint_base::{Finding, Severity, Value, message};
use vramlint_catalog::keys;
use vramlint_resolve::arguments::ArgumentSet;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::arguments::first_entry;
use vramlint_semantic::version_gate;

/// Words that an argument takes in some release.
struct Words {
    /// The class that has it; any class of a training where empty.
    class: &'static str,
    key: &'static str,
    /// Every word that any release takes.
    taken: &'static [&'static str],
    /// Words that only some releases take.
    past: &'static [(&'static str, VersionRange)],
}

const fn words(class: &'static str, key: &'static str, words: &'static [&'static str]) -> Words {
    Words { class, key, taken: words, past: &[] }
}

const INTERVALS: &[&str] = &["no", "steps", "epoch"];

/// transformers 5.23.0 trainer_utils.py and training_args.py, with the words of releases from 4.46 on; trl 1.16.0 and the releases
/// named, trainer/.
static TABLE: &[Words] = &[
    words("", "eval_strategy", INTERVALS),
    words("", "evaluation_strategy", INTERVALS),
    words("", "logging_strategy", INTERVALS),
    words("", "save_strategy", &["no", "steps", "epoch", "best"]),
    words("", "debug", &["", "underflow_overflow", "tpu_metrics_debug"]),
    words("", "hub_strategy", &["end", "every_save", "checkpoint", "all_checkpoints"]),
    words(
        "",
        "lr_scheduler_type",
        &[
            "linear",
            "cosine",
            "cosine_with_restarts",
            "polynomial",
            "constant",
            "constant_with_warmup",
            "inverse_sqrt",
            "reduce_lr_on_plateau",
            "cosine_with_min_lr",
            "cosine_warmup_with_min_lr",
            "warmup_stable_decay",
            "greedy",
        ],
    ),
    Words {
        class: "",
        key: "optim",
        taken: OPTIMIZERS,
        past: &[
            ("adamw_hf", VersionRange::until("transformers", "4.50")),
            ("adamw_apex_fused", VersionRange::until("transformers", "5.8")),
        ],
    },
    Words {
        class: "trl.SFTConfig",
        key: "packing_strategy",
        taken: &["bfd", "bfd_split", "bfd-requeue", "wrapped"],
        past: &[("ffd", VersionRange::until("trl", "0.24"))],
    },
    words("trl.SFTConfig", "loss_type", &["nll", "dft", "chunked_nll"]),
    words("trl.GRPOConfig", "loss_type", &["grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo", "luspo", "vespo"]),
    words("trl.GRPOConfig", "vllm_mode", &["server", "colocate"]),
    words("trl.RLOOConfig", "vllm_mode", &["server", "colocate"]),
    words("trl.OnlineDPOConfig", "vllm_mode", &["server", "colocate"]),
    words(
        "trl.DPOConfig",
        "loss_type",
        &[
            "sigmoid",
            "hinge",
            "ipo",
            "exo_pair",
            "nca_pair",
            "robust",
            "bco_pair",
            "sppo_hard",
            "aot",
            "aot_pair",
            "aot_unpaired",
            "apo_zero",
            "apo_down",
            "discopop",
            "sft",
            "sigmoid_norm",
            "kto_pair",
        ],
    ),
    words(
        "trl.ModelConfig",
        "attn_implementation",
        &[
            "eager",
            "sdpa",
            "flash_attention_2",
            "flash_attention_3",
            "flash_attention_4",
            "flex_attention",
            "sdpa_paged",
            "eager_paged",
        ],
    ),
    words("trl.DPOConfig", "truncation_mode", &["keep_start", "keep_end"]),
];

/// transformers 5.23.0 `OptimizerNames`, and those of older releases.
pub(in crate::syntax_and_keys::invalid_value) const OPTIMIZERS: &[&str] = &[
    "adamw_torch",
    "adamw_torch_fused",
    "adamw_torch_xla",
    "adamw_torch_npu_fused",
    "adafactor",
    "adamw_anyprecision",
    "adamw_torch_4bit",
    "adamw_torch_8bit",
    "ademamix",
    "sgd",
    "adagrad",
    "adamw_bnb_8bit",
    "adamw_8bit",
    "ademamix_8bit",
    "lion_8bit",
    "lion_32bit",
    "paged_adamw_32bit",
    "paged_adamw_8bit",
    "paged_ademamix_32bit",
    "paged_ademamix_8bit",
    "paged_lion_32bit",
    "paged_lion_8bit",
    "rmsprop",
    "rmsprop_bnb",
    "rmsprop_bnb_8bit",
    "rmsprop_bnb_32bit",
    "galore_adamw",
    "galore_adamw_8bit",
    "galore_adafactor",
    "galore_adamw_layerwise",
    "galore_adamw_8bit_layerwise",
    "galore_adafactor_layerwise",
    "lomo",
    "adalomo",
    "grokadamw",
    "schedule_free_radam",
    "schedule_free_adamw",
    "schedule_free_sgd",
    "apollo_adamw",
    "apollo_adamw_layerwise",
    "stable_adamw",
    "flash_adamw",
    "flash_adam",
    "flash_sgd",
    "flash_sgdw",
    "flash_lion",
    "muon",
];

pub(super) fn judge(cx: &Context<'_>, set: &ArgumentSet) -> Vec<Finding> {
    let mut found: Vec<Finding> = TABLE.iter().filter_map(|words| word(cx, set, words)).collect();
    found.extend(fsdp(cx, set));
    found
}

fn word(cx: &Context<'_>, set: &ArgumentSet, table: &Words) -> Option<Finding> {
    let given = first_entry(set, &[table.key]).filter(|_| table.class.is_empty() || set.has_class(table.class))?;
    // Read only where what it belongs to is on.
    let needs = match table.key {
        "vllm_mode" => Some("use_vllm"),
        "packing_strategy" => Some("packing"),
        _ => None,
    };
    if needs.is_some_and(|key| set.bool(key, false) != Some(true)) {
        return None;
    }
    let text = match given.value.as_ref()? {
        Value::Text(text) => text.as_str(),
        // YAML's `no` has a rule of its own; in code it is written so.
        Value::Bool(false) if given.by == vramlint_resolve::arguments::PassedBy::Keyword && table.taken.contains(&"no") => {
            let why = message!("a strategy is text", "策略应为文本");
            return Some(report(cx, set, given, Severity::Error, &why, Some(&Value::Text("no".to_owned()))));
        }
        _ => return None,
    };
    let mut severity = Severity::Error;
    if table.taken.contains(&text) || text.contains(['$', '{', '/', '|', ',']) {
        return None;
    }
    if let Some((_, span)) = table.past.iter().find(|(word, _)| *word == text) {
        let gone = VersionRange { library: span.library, since: span.until, until: None };
        severity = version_gate::severity(cx.project, set.file(), &gone, Severity::Error)?;
    }
    let near = table.taken.iter().copied().find(|word| plain(word) == plain(text)).or_else(|| {
        ALIASES
            .iter()
            .find(|(alias, _)| *alias == text)
            .map(|(_, word)| *word)
            .or_else(|| keys::nearest(text, table.taken.iter().copied()))
    });
    let few = table.taken.len() <= 8;
    let list = table.taken.join(", ");
    let key = table.key;
    let why = if few {
        message!("{key} takes {list}", "{key} 可取 {list}")
    } else {
        message!("{key} has no such value", "{key} 没有这个值")
    };
    let meant = near.map(|near| Value::Text(near.to_owned()));
    Some(report(cx, set, given, severity, &why, meant.as_ref()))
}

/// Words that people carry over from elsewhere.
const ALIASES: &[(&str, &str)] = &[
    ("adamw_hf", "adamw_torch"),
    ("adamw", "adamw_torch"),
    ("adam", "adamw_torch"),
    ("AdamW", "adamw_torch"),
    ("adamw8bit", "adamw_8bit"),
    ("AdamW8bit", "adamw_8bit"),
    ("paged_adamw", "paged_adamw_32bit"),
    ("epochs", "epoch"),
    ("step", "steps"),
    ("colocated", "colocate"),
    ("cosine_annealing", "cosine"),
    ("flash_attn_2", "flash_attention_2"),
    ("flash_attn_3", "flash_attention_3"),
    ("spda", "sdpa"),
];

/// The text form of `fsdp` (transformers 5.23.0 training_args.py:2888).
fn fsdp(cx: &Context<'_>, set: &ArgumentSet) -> Option<Finding> {
    const WORDS: &[&str] =
        &["full_shard", "shard_grad_op", "no_shard", "hybrid_shard", "hybrid_shard_zero2", "offload", "auto_wrap"];
    let given = set.get("fsdp")?;
    let items: Vec<&str> = match given.value.as_ref()? {
        // A truth value on a command line.
        Value::Text(text) if matches!(text.to_lowercase().as_str(), "" | "true" | "false") => return None,
        Value::Text(text) => text.split_whitespace().collect(),
        Value::List(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let wrong = items.iter().find(|item| !WORDS.contains(&item.to_lowercase().as_str()))?;
    let near =
        WORDS.iter().copied().find(|word| plain(word) == plain(wrong)).or_else(|| keys::nearest(wrong, WORDS.iter().copied()));
    let meant = match (&given.value, near) {
        (Some(Value::Text(text)), Some(near)) => Some(Value::Text(text.replace(wrong, near))),
        _ => None,
    };
    let list = WORDS.join(", ");
    let why = message!("fsdp knows no `{wrong}`: it takes {list}", "fsdp 不认识 `{wrong}`：可取 {list}");
    Some(report(cx, set, given, Severity::Error, &why, meant.as_ref()))
}

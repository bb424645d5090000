//! # keys-exclude-each-other
//!
//! Two keys are set that the framework does not accept together.
//!
//! ## Why it matters
//! The framework validates its file before it loads anything, and raises an error for the first contradictory pair.
//!
//! ## Example
//! ```yaml file=config.yaml
//! base_model: acme/tiny-llama
//! micro_batch_size: 2
//! gradient_accumulation_steps: 4
//! save_steps: 100
//! saves_per_epoch: 2
//! datasets:
//!   - path: data/train.jsonl
//!     type: alpaca
//! learning_rate: 2e-4
//! output_dir: out
//! ```
//!
//! ## Use instead
//! ```yaml file=config.yaml
//! base_model: acme/tiny-llama
//! micro_batch_size: 2
//! gradient_accumulation_steps: 4
//! saves_per_epoch: 2
//! datasets:
//!   - path: data/train.jsonl
//!     type: alpaca
//! learning_rate: 2e-4
//! output_dir: out
//! ```
//!
//! ## Fix
//! None: the intended key is not known.
//!
//! ## Sources
//! Axolotl 0.18.0 `utils/schemas/validation.py`, each pair also in 0.8.0 unless the finding names a version; LLaMA-Factory 0.9.5
//! `hparams/data_args.py:159`, `hparams/model_args.py`, `hparams/parser.py`; ms-swift 4.6.0 `arguments/rlhf_args.py:298`,
//! `arguments/sft_args.py:255`; OpenRLHF 0.11.2 `cli/train_ppo_ray.py`, read.
//!
//! # 中文
//!
//! 设置了框架不允许同时使用的两个键。
//!
//! ## 为什么重要
//! 框架在加载任何内容之前校验其文件，遇到第一对矛盾的键就报错。
//!
//! ## 修复
//! 无：无法得知要保留哪一个。
//!
//! ## 来源
//! Axolotl 0.18.0 `utils/schemas/validation.py`（各对键在 0.8.0 中亦相同，除非报告写明版本）；LLaMA-Factory 0.9.5 `hparams/data_args.py:159`、
//! `hparams/model_args.py`、`hparams/parser.py`；ms-swift 4.6.0 `arguments/rlhf_args.py:298`，阅读源码。

use crate::frameworks::refusals::{self, pair};
use crate::frameworks::{self, Check, Refusal};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_catalog::Dialect;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL721", "keys-exclude-each-other", Severity::Error, page!("keys_exclude_each_other.rs"), check)
};

const CHECKS: &[(Dialect, Check)] = &[
    (Dialect::Axolotl, axolotl),
    (Dialect::Axolotl, axolotl_steps),
    (Dialect::Axolotl, axolotl_no_evaluation),
    (Dialect::LlamaFactory, llamafactory),
    (Dialect::LlamaFactory, llamafactory_lora_only),
    (Dialect::LlamaFactory, llamafactory_quantized),
    (Dialect::Axolotl, refusals::axolotl::quantized_rl),
    (Dialect::Axolotl, refusals::axolotl::partly_frozen),
    (Dialect::LlamaFactory, refusals::llamafactory::stage),
    (Dialect::LlamaFactory, refusals::llamafactory::quantized_adapters),
    (Dialect::LlamaFactory, refusals::llamafactory::others),
];

fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run(cx, &RULE, CHECKS, out);
}

/// Two keys that must not both be set, and the version of Axolotl since which it rejects them.
const AXOLOTL: &[(&str, &str, Option<&str>)] = &[
    ("saves_per_epoch", "save_steps", None),
    ("evals_per_epoch", "eval_steps", None),
    ("warmup_ratio", "warmup_steps", None),
    ("val_set_size", "test_datasets", None),
    ("fsdp", "deepspeed", None),
    ("gpu_memory_limit", "max_memory", None),
    ("loraplus_lr_ratio", "lr_groups", None),
    ("noisy_embedding_alpha", "neftune_noise_alpha", None),
    ("include_tokens_per_second", "pretraining_dataset", Some("0.15.0")),
    ("val_set_size", "pretraining_dataset", Some("0.15.0")),
    ("load_in_4bit", "model_quantization_config", Some("0.12.0")),
    ("load_in_8bit", "model_quantization_config", Some("0.12.0")),
    ("relora", "deepspeed", None),
    ("relora", "fsdp", None),
];

fn axolotl(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let (at, other, since) =
        AXOLOTL.iter().find(|(a, b, _)| keys.is_on(a) && keys.is_on(b) && (*b != "max_memory" || keys.is_set(b)))?;
    let refusal = pair(at, other);
    Some(match since {
        Some(version) => refusal.since("axolotl", version),
        None => refusal,
    })
}

fn axolotl_steps(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    for (strategy, steps) in
        [("save_strategy", "save_steps"), ("eval_strategy", "eval_steps"), ("eval_strategy", "evals_per_epoch")]
    {
        let named = keys.text(strategy).filter(|name| !name.is_empty() && *name != "steps");
        if let Some(name) = named.filter(|_| keys.is_on(steps)) {
            return Some(Refusal::new(
                strategy,
                &[steps],
                message!("`{strategy}` is {name}, and `{steps}` is set", "`{strategy}` 为 {name}，却设置了 `{steps}`"),
                message!("set `{strategy}: steps`, or remove `{steps}`", "请写 `{strategy}: steps`，或去掉 `{steps}`"),
            ));
        }
    }
    None
}

fn axolotl_no_evaluation(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let at = ["eval_steps", "eval_strategy"].into_iter().find(|key| keys.is_on(key))?;
    let none = keys.number("val_set_size") == Some(0.0);
    (none && keys.is_off("test_datasets") && keys.text("eval_strategy") != Some("no")).then(|| {
        Refusal::new(
            at,
            &["val_set_size"],
            message!("`{at}` is set, but there is no evaluation data", "设置了 `{at}`，却没有用于评估的数据"),
            message!(
                "increase `val_set_size`, set `test_datasets`, or remove `{at}`",
                "请增大 `val_set_size`、设置 `test_datasets`，或去掉 `{at}`"
            ),
        )
    })
}

fn llamafactory(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let split = keys.number("val_size").is_some_and(|size| size > 1e-6);
    if split && keys.is_set("eval_dataset") {
        return Some(pair("val_size", "eval_dataset"));
    }
    if keys.is_on("streaming") && keys.is_set("max_samples") {
        return Some(pair("max_samples", "streaming"));
    }
    if keys.is_on("mask_history") && keys.is_on("train_on_prompt") {
        return Some(pair("mask_history", "train_on_prompt").since("llamafactory", "0.9.1"));
    }
    if keys.is_on("fp8") && keys.is_set("quantization_bit") && keys.is_off("use_mca") {
        return Some(pair("fp8", "quantization_bit").since("llamafactory", "0.9.4"));
    }
    None
}

fn llamafactory_lora_only(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let kind = keys.text("finetuning_type").filter(|kind| *kind != "lora")?;
    let at = ["use_rslora", "use_dora", "pissa_init"].into_iter().find(|key| keys.is_on(key));
    let at = at.or_else(|| ["loraplus_lr_ratio", "adapter_name_or_path"].into_iter().find(|key| keys.is_set(key)))?;
    // oft has adapters of its own in newer versions.
    if at == "adapter_name_or_path" && kind == "oft" {
        return None;
    }
    Some(
        Refusal::new(
            at,
            &["finetuning_type"],
            message!(
                "`{at}` requires lora, but `finetuning_type` is {kind}",
                "`{at}` 只用于 lora，而 `finetuning_type` 为 {kind}"
            ),
            message!("remove `{at}`, or set `finetuning_type: lora`", "请去掉 `{at}`，或写 `finetuning_type: lora`"),
        )
        .since("llamafactory", "0.8.3"),
    )
}

fn llamafactory_quantized(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    if !keys.is_set("quantization_bit") || keys.text("finetuning_type").is_some_and(|kind| kind != "lora") {
        return None;
    }
    if keys.text("quantization_device_map") == Some("auto") && keys.is_on("do_train") {
        return Some(pair("quantization_device_map", "do_train"));
    }
    let at = ["pissa_init", "resize_vocab"].into_iter().find(|key| keys.is_on(key))?;
    Some(pair(at, "quantization_bit"))
}

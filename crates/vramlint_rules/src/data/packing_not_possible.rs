//! # packing-not-possible
//!
//! Packing is on, but the framework cannot pack here.
//!
//! ## Why it matters
//! A packed sequence holds several samples. Preference training needs its pairs apart, attention must know where each sample ends, and the
//! packer must know the length of a sequence: the framework raises an error if one of these is missing.
//!
//! ## Example
//! ```yaml file=config.yaml
//! base_model: acme/tiny-llama
//! rl: dpo
//! sample_packing: true
//! micro_batch_size: 2
//! gradient_accumulation_steps: 4
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
//! rl: dpo
//! micro_batch_size: 2
//! gradient_accumulation_steps: 4
//! datasets:
//!   - path: data/train.jsonl
//!     type: alpaca
//! learning_rate: 2e-4
//! output_dir: out
//! ```
//!
//! ## Fix
//! None: which setting to remove is not known.
//!
//! ## Sources
//! Axolotl 0.18.0 `utils/schemas/validation.py:665` and `:143`; ms-swift 4.6.0 `arguments/sft_args.py:194` and 3.9.0; LLaMA-Factory 0.9.5
//! `hparams/parser.py`; torchtune 0.6.1 `datasets/_alpaca.py`, read.
//!
//! # 中文
//!
//! 启用了打包，但框架在此无法打包。
//!
//! ## 为什么重要
//! 打包后的一个序列包含多个样本。偏好训练需要成对的样本，注意力必须知道每个样本的边界，打包器必须知道序列的长度：缺少其一，框架就会报错。
//!
//! ## 修复
//! 无：无法得知应去掉哪一个。
//!
//! ## 来源
//! Axolotl 0.18.0 `utils/schemas/validation.py:665` 与 `:143`；ms-swift 4.6.0 `arguments/sft_args.py:194` 与 3.9.0；LLaMA-Factory 0.9.5
//! `hparams/parser.py`；torchtune 0.6.1 `datasets/_alpaca.py`，阅读源码。

use crate::frameworks::{self, Check, Refusal, refusals};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_catalog::Dialect;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL720", "packing-not-possible", Severity::Error, page!("packing_not_possible.rs"), check)
};

const CHECKS: &[(Dialect, Check)] = &[
    (Dialect::Axolotl, axolotl_rl),
    (Dialect::Axolotl, axolotl_tables),
    (Dialect::Axolotl, axolotl_context),
    (Dialect::Axolotl, refusals::axolotl::packing_without_attention),
    (Dialect::LlamaFactory, llamafactory),
    (Dialect::Torchtune, torchtune),
];

fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run(cx, &RULE, CHECKS, out);
}

fn axolotl_rl(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let rl = keys.text("rl").filter(|rl| !rl.is_empty())?;
    keys.is_on("sample_packing").then(|| {
        Refusal::new(
            "sample_packing",
            &["rl"],
            message!("`sample_packing` together with `rl: {rl}`", "`sample_packing` 与 `rl: {rl}` 同用"),
            message!("remove `sample_packing`", "请去掉 `sample_packing`"),
        )
    })
}

fn axolotl_tables(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let packed = keys.value("eval_sample_packing") != Some(&vramlint_base::Value::Bool(false));
    let known = keys.place("eval_sample_packing").is_none() || keys.value("eval_sample_packing").is_some();
    (keys.is_on("sample_packing") && keys.is_on("eval_table_size") && packed && known).then(|| {
        Refusal::new(
            "eval_table_size",
            &["sample_packing", "eval_sample_packing"],
            message!("`eval_table_size` does not work with packed sequences", "`eval_table_size` 不能与打包后的序列同用"),
            message!("set `eval_sample_packing: false`", "请写 `eval_sample_packing: false`"),
        )
    })
}

fn axolotl_context(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    keys.int("context_parallel_size").filter(|size| *size > 1)?;
    let rows = keys.int("micro_batch_size").filter(|rows| *rows > 1)?;
    keys.is_on("sample_packing").then(|| {
        Refusal::new(
            "micro_batch_size",
            &["context_parallel_size", "sample_packing"],
            message!(
                "`micro_batch_size` is {rows}; packed sequences with context parallelism require 1",
                "打包与上下文并行同用时要求 `micro_batch_size` 为 1，此处为 {rows}"
            ),
            message!("set `micro_batch_size: 1`", "请写 `micro_batch_size: 1`"),
        )
        .since("axolotl", "0.12.0")
    })
}

fn llamafactory(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let stage = keys.text("stage").filter(|stage| *stage != "sft")?;
    keys.is_on("neat_packing").then(|| {
        Refusal::new(
            "neat_packing",
            &["stage"],
            message!("`neat_packing` does not work in stage {stage}", "{stage} 阶段不支持 `neat_packing`"),
            message!("LLaMA-Factory supports it only in stage sft", "LLaMA-Factory 只在 sft 阶段支持它"),
        )
    })
}

fn torchtune(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    (keys.is_on("dataset.packed") && keys.is_unset("tokenizer.max_seq_len") && keys.is_set("tokenizer._component_")).then(|| {
        Refusal::new(
            "dataset.packed",
            &["tokenizer.max_seq_len"],
            message!("packing is on, but tokenizer.max_seq_len is not set", "启用了打包，但没有设置 tokenizer.max_seq_len"),
            message!("set the length of a packed sequence", "请设置打包后序列的长度"),
        )
    })
}

//! # packing-not-possible
//!
//! Packing is on where the framework cannot pack.
//!
//! ## Why it matters
//! Packed rows hold several samples. Preference training needs its pairs apart, the attention must know where a sample ends, and
//! the packer must know how long a row is: the framework refuses what lacks one of these.
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
//! ## Fine
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
//! None: what is to go is not known.
//!
//! ## Sources
//! Axolotl 0.18.0 `utils/schemas/validation.py:665` and `:143`; ms-swift 4.6.0 `arguments/sft_args.py:194` and 3.9.0; LLaMA-Factory 0.9.5
//! `hparams/parser.py`; torchtune 0.6.1 `datasets/_alpaca.py`, read.
//!
//! # 中文
//!
//! 在框架无法打包的情况下启用了打包。
//!
//! ## 为什么重要
//! 打包后的一行包含多个样本。偏好训练需要成对的样本，注意力必须知道样本的边界，打包器必须知道行的长度：缺少其一，框架就会拒绝。
//!
//! ## 修复
//! 无：无法得知应去掉哪一个。
//!
//! ## 来源
//! Axolotl 0.18.0 `utils/schemas/validation.py:665` and `:143`; ms-swift 4.6.0 `arguments/sft_args.py:194` and 3.9.0; LLaMA-Factory 0.9.5
//! `hparams/parser.py`; torchtune 0.6.1 `datasets/_alpaca.py`，阅读源码。

use crate::frameworks::{self, Check, Refusal, refusals};
use crate::{Context, Group, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_catalog::Dialect;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(crate) static RULE: Rule = Rule {
    code: "VL720",
    name: "packing-not-possible",
    group: Group::Data,
    severity: Severity::Error,
    since: "0.1.0",
    source: include_str!("packing_not_possible.rs"),
    check: Some(check),
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::DEFAULT
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
            message!("sample_packing together with rl: {rl}", "sample_packing 与 rl: {rl} 同用"),
            message!("take sample_packing away", "请去掉 sample_packing"),
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
            message!("tables of evaluation with packed rows", "评估表格与打包后的行同用"),
            message!("write eval_sample_packing: false", "请写 eval_sample_packing: false"),
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
                "micro_batch_size is {rows} with packed rows and context parallelism",
                "打包与上下文并行同用时 micro_batch_size 为 {rows}"
            ),
            message!("write micro_batch_size: 1", "请写 micro_batch_size: 1"),
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
            message!("neat_packing in stage {stage}", "在 {stage} 阶段使用 neat_packing"),
            message!("LLaMA-Factory packs so in stage sft alone", "LLaMA-Factory 只在 sft 阶段支持它"),
        )
    })
}

fn torchtune(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    (keys.is_on("dataset.packed") && keys.is_unset("tokenizer.max_seq_len") && keys.is_set("tokenizer._component_")).then(|| {
        Refusal::new(
            "dataset.packed",
            &["tokenizer.max_seq_len"],
            message!("the rows are packed, but tokenizer.max_seq_len is not set", "启用了打包，但没有设置 tokenizer.max_seq_len"),
            message!("give the length of a row", "请给出行的长度"),
        )
    })
}

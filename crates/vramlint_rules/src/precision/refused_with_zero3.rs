//! # refused-with-zero3
//!
//! LLaMA-Factory does not accept this setting together with ZeRO stage 3.
//!
//! ## Why it matters
//! Stage 3 shards the parameters across the processes. `pure_bf16`, unsloth, PiSSA and generation during evaluation need whole parameters:
//! LLaMA-Factory raises an error if its DeepSpeed file sets stage 3.
//!
//! ## Example
//! ```yaml file=config.yaml
//! model_name_or_path: acme/tiny-llama
//! stage: sft
//! do_train: true
//! finetuning_type: full
//! pure_bf16: true
//! deepspeed: ds_z3_config.json
//! dataset: alpaca_en_demo
//! template: llama3
//! output_dir: out
//! ```
//! ```json file=ds_z3_config.json
//! {
//!   "train_batch_size": "auto",
//!   "train_micro_batch_size_per_gpu": "auto",
//!   "zero_optimization": {"stage": 3}
//! }
//! ```
//!
//! ## Use instead
//! ```yaml file=config.yaml
//! model_name_or_path: acme/tiny-llama
//! stage: sft
//! do_train: true
//! finetuning_type: full
//! bf16: true
//! deepspeed: ds_z3_config.json
//! dataset: alpaca_en_demo
//! template: llama3
//! output_dir: out
//! ```
//! ```json file=ds_z3_config.json
//! {
//!   "train_batch_size": "auto",
//!   "train_micro_batch_size_per_gpu": "auto",
//!   "zero_optimization": {"stage": 3}
//! }
//! ```
//!
//! ## Fix
//! Unsafe: `bf16` for `pure_bf16`, which keeps a copy of the weights in fp32.
//!
//! ## Sources
//! LLaMA-Factory 0.9.6.dev0 `hparams/parser.py:503`, the same from 0.8.3, read.
//!
//! # 中文
//!
//! LLaMA-Factory 不接受该设置与 ZeRO 第 3 阶段同用。
//!
//! ## 为什么重要
//! 第 3 阶段把参数分片到各进程。`pure_bf16`、unsloth、PiSSA 以及评估时的生成需要完整参数：若其 DeepSpeed 文件为第 3 阶段，LLaMA-Factory 会报错。
//!
//! ## 修复
//! 不安全：用 `bf16` 代替 `pure_bf16`，它会保留一份 fp32 权重。
//!
//! ## 来源
//! LLaMA-Factory 0.9.6.dev0 `hparams/parser.py:503`（0.8.3 起相同），阅读源码。

use crate::frameworks::{self, Check, Refusal};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, message};
use vramlint_catalog::Dialect;
use vramlint_edit as edit;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL483", "refused-with-zero3", Severity::Error, page!("refused_with_zero3.rs"), check)
};

const CHECKS: &[(Dialect, Check)] = &[(Dialect::LlamaFactory, llamafactory)];

fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run_with(cx, &RULE, CHECKS, out, |keys, refusal, finding| {
        let root = keys.file.data().and_then(vramlint_syntax::data::DataFile::root);
        let renamed = root.filter(|_| refusal.at == "pure_bf16" && keys.is_unset("bf16")).and_then(|root| {
            let (key, _) = root.entry("pure_bf16")?;
            edit::rename_key(keys.file, root, key, "bf16")
        });
        match renamed {
            Some(edit) => finding.with_fix(Fix {
                title: message!("write bf16", "改为 bf16"),
                applicability: Applicability::Unsafe,
                edits: vec![edit],
            }),
            None => finding,
        }
    });
}

fn llamafactory(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    // First of the checked releases (0.8.0, 0.8.3, 0.9.0, 0.9.2, 0.9.5) that rejects each.
    let refused = [
        ("pure_bf16", "0.8.3"),
        ("use_unsloth", "0.7.1"),
        ("pissa_init", "0.8.3"),
        ("predict_with_generate", "0.9.0"),
        ("use_kt", "0.9.5"),
    ];
    let (at, since) = refused.into_iter().find(|(key, _)| keys.is_on(key))?;
    (keys.zero_stage("deepspeed") == Some(3)).then(|| {
        Refusal::new(
            at,
            &["deepspeed"],
            message!("`{at}` does not work with ZeRO stage 3", "`{at}` 不能与 ZeRO 第 3 阶段同用"),
            message!("remove `{at}`, or use a DeepSpeed file with stage 2", "请去掉 `{at}`，或改用第 2 阶段的 DeepSpeed 文件"),
        )
        .since("llamafactory", since)
    })
}

//! # batch-keys-conflict
//!
//! The keys that determine the batch size contradict each other, or one of them is missing.
//!
//! ## Why it matters
//! Axolotl needs two of `micro_batch_size`, `gradient_accumulation_steps` and `batch_size`. With fewer, the batch size is
//! undefined; the last two are redundant. Axolotl rejects the file in both cases.
//!
//! ## Example
//! ```yaml file=config.yaml
//! base_model: acme/tiny-llama
//! micro_batch_size: 2
//! gradient_accumulation_steps: 4
//! batch_size: 8
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
//! datasets:
//!   - path: data/train.jsonl
//!     type: alpaca
//! learning_rate: 2e-4
//! output_dir: out
//! ```
//!
//! ## Fix
//! Unsafe: removes `batch_size`, and keeps accumulation and micro-batch size.
//!
//! ## Sources
//! Axolotl 0.18.0 `utils/schemas/validation.py:220` and `:275`, the same from 0.8.0, read.
//!
//! # 中文
//!
//! 决定批大小的键互相冲突，或缺少其中一个。
//!
//! ## 为什么重要
//! Axolotl 需要 `micro_batch_size`、`gradient_accumulation_steps`、`batch_size` 中的两个。更少则批大小不确定，而后两者含义重
//! 复。两种情况下 Axolotl 都会拒绝该文件。
//!
//! ## 修复
//! 不安全：删除 `batch_size`，保留梯度累积步数与微批大小。
//!
//! ## 来源
//! Axolotl 0.18.0 `utils/schemas/validation.py:220` 与 `:275`，自 0.8.0 起相同，阅读源码。

use crate::frameworks::{self, Check, Refusal};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, message};
use vramlint_catalog::Dialect;
use vramlint_edit as edit;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL230", "batch-keys-conflict", Severity::Error, page!("batch_keys_conflict.rs"), check)
};

const CHECKS: &[(Dialect, Check)] = &[(Dialect::Axolotl, both), (Dialect::Axolotl, conflict)];

fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run_with(cx, &RULE, CHECKS, out, |keys, refusal, finding| {
        let removed = || edit::remove_key(keys.file, keys.file.data()?.root()?, "batch_size");
        match removed().filter(|_| refusal.at == "batch_size") {
            Some(gone) => finding.with_fix(Fix {
                title: message!("remove `batch_size`", "删除 `batch_size`"),
                applicability: Applicability::Unsafe,
                edits: vec![gone],
            }),
            None => finding,
        }
    });
}

fn both(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    (keys.is_on("batch_size") && keys.is_on("gradient_accumulation_steps")).then(|| {
        Refusal::new(
            "batch_size",
            &["gradient_accumulation_steps", "micro_batch_size"],
            message!(
                "`batch_size` and `gradient_accumulation_steps` are both set",
                "同时设置了 `batch_size` 与 `gradient_accumulation_steps`"
            ),
            message!("keep one of them", "只保留其中一个"),
        )
    })
}

fn conflict(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let fields = ["micro_batch_size", "gradient_accumulation_steps", "batch_size"];
    let set: Vec<&'static str> = fields.into_iter().filter(|key| !keys.is_off(key)).collect();
    let [only] = set[..] else { return None };
    // A file with none of them is a part of another; so is one that trains on nothing.
    let whole = !keys.is_off("datasets") || !keys.is_off("pretraining_dataset");
    whole.then(|| {
        let refusal = Refusal::new(
            only,
            &[],
            message!("{only} alone does not determine the batch size", "仅有 {only} 无法确定批大小"),
            message!(
                "set two of `micro_batch_size`, `gradient_accumulation_steps` and `batch_size`",
                "设置 `micro_batch_size`、`gradient_accumulation_steps`、`batch_size` 中的两个"
            ),
        );
        // 0.19.0 takes one of the other two for 1 (utils/schemas/validation.py:222).
        if only == "batch_size" { refusal } else { refusal.until("axolotl", "0.19.0") }
    })
}

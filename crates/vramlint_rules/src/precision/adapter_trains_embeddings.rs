//! # adapter-trains-embeddings
//!
//! `modules_to_save` lists the embeddings or the head, so full copies of them are trained.
//!
//! ## Why it matters
//! A module in `modules_to_save` is copied and trained in full, next to the frozen one, with gradients and two optimizer states. With a
//! vocabulary of 128 000 and 4096 features that is 0.5 billion parameters each, more than all adapters together. If only a few new tokens
//! must be learned, `trainable_token_indices` trains only their rows.
//!
//! ## Example
//! ```python file=train.py
//! from peft import LoraConfig
//!
//! config = LoraConfig(r=8, modules_to_save=["embed_tokens", "lm_head"])
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from peft import LoraConfig
//!
//! config = LoraConfig(r=8, trainable_token_indices={"embed_tokens": [128256, 128257]})
//! ```
//!
//! ## Fix
//! None: whether the whole table must be trained is your decision.
//!
//! ## Sources
//! peft 0.21.2 `utils/other.py`, `ModulesToSaveWrapper`, run: the copies are trainable and in the dtype of the base.
//!
//! # 中文
//!
//! `modules_to_save` 中有嵌入层或输出头，因此会训练它们的完整副本。
//!
//! ## 为什么重要
//! `modules_to_save` 中的模块会被复制，在冻结的原模块之外整体训练，并带有梯度和优化器的两份状态。词表 128 000、维度 4096 时每个约 5 亿参数，超过全部
//! 适配器之和。若只需学习少量新 token，`trainable_token_indices` 只训练对应的行。
//!
//! ## 修复
//! 无：是否需要训练整张表由你决定。
//!
//! ## 来源
//! peft 0.21.2 `utils/other.py` 的 `ModulesToSaveWrapper`，已运行：副本可训练，dtype 与基座相同。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory],
    ..Rule::new("VL451", "adapter-trains-embeddings", Severity::Info, page!("adapter_trains_embeddings.rs"), check)
};

/// Names of the tables in the model families.
const TABLES: &[&str] = &["embed_tokens", "lm_head", "wte", "embed_in", "embed_out", "word_embeddings", "tok_embeddings"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        if call.library() != "peft" || !call.name().ends_with("LoraConfig") {
            continue;
        }
        let Some(given) = call.argument("modules_to_save", None) else { continue };
        let Some(Value::List(names)) = given.constant() else { continue };
        let tables: Vec<&str> = names.iter().filter_map(Value::as_str).filter(|name| TABLES.contains(name)).collect();
        if tables.is_empty() || !out.mark_reported(given.place) {
            continue;
        }
        let shown = tables.join(", ");
        out.push(
            RULE.finding(
                given.place,
                message!(
                    "full copies of {shown} are trained in addition to the frozen ones",
                    "会在冻结的原模块之外训练 {shown} 的完整副本"
                ),
            )
            .with_help(message!(
                "for a few new tokens, use `trainable_token_indices`",
                "若只有少量新 token，请用 `trainable_token_indices`"
            )),
        );
    }
}

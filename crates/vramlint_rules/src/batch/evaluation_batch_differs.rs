//! # evaluation-batch-differs
//!
//! Evaluation uses another number of samples per forward pass than training.
//!
//! ## Why it matters
//! The larger of the two determines memory use, which changes with every evaluation: a run that trains for an hour can run out
//! of memory in its first evaluation. Axolotl warns about it, and uses `micro_batch_size` if the evaluation batch size is not
//! set.
//!
//! ## Example
//! ```yaml file=config.yaml
//! base_model: acme/tiny-llama
//! micro_batch_size: 2
//! gradient_accumulation_steps: 4
//! eval_batch_size: 8
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
//! eval_batch_size: 2
//! datasets:
//!   - path: data/train.jsonl
//!     type: alpaca
//! learning_rate: 2e-4
//! output_dir: out
//! ```
//!
//! ## Fix
//! None: either of the two may be intended.
//!
//! ## Sources
//! axolotl 0.8.1 `utils/schemas/config.py:540`, 0.18.0 `utils/schemas/validation.py` (`hint_eval_train_mbsz`), run.
//!
//! # 中文
//!
//! 评估时每次前向的样本数与训练时不同。
//!
//! ## 为什么重要
//! 显存占用由二者中较大的决定，并随每次评估变化：训练一小时的任务可能在第一次评估时显存不足。Axolotl 会就此警告；未设置评估批大
//! 小时使用 `micro_batch_size`。
//!
//! ## 修复
//! 无：两个值都可能是本意。
//!
//! ## 来源
//! axolotl 0.8.1 `utils/schemas/config.py:540`、0.18.0 `utils/schemas/validation.py`（`hint_eval_train_mbsz`），实际运行。

use crate::frameworks::{self, refusals};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::Severity;
use vramlint_catalog::Dialect;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory],
    ..Rule::new("VL233", "evaluation-batch-differs", Severity::Info, page!("evaluation_batch_differs.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run(cx, &RULE, &[(Dialect::Axolotl, refusals::axolotl::evaluation_batch)], out);
}

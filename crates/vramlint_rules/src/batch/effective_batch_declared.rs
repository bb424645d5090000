//! # effective-batch-declared
//!
//! The effective batch size of a run differs from the one declared in `vramlint.toml`.
//!
//! ## Why it matters
//! Learning rate and schedule are tuned for one effective batch size. A run on more GPUs, or with another accumulation, trains
//! something else without any message.
//!
//! ## Example
//! ```bash file=launch.sh
//! #!/usr/bin/env bash
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! compute_environment: LOCAL_MACHINE
//! distributed_type: MULTI_GPU
//! num_processes: 8
//! mixed_precision: bf16
//! ```
//! ```python file=train.py
//! from datasets import load_dataset
//! from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
//!
//! tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen3-1.7B")
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-1.7B")
//! dataset = load_dataset("json", data_files="train.jsonl", split="train")
//! args = TrainingArguments(
//!     output_dir="out",
//!     per_device_train_batch_size=2,
//!     gradient_accumulation_steps=4,
//!     learning_rate=2e-5,
//! )
//! trainer = Trainer(model=model, args=args, train_dataset=dataset)
//! trainer.train()
//! ```
//! ```toml file=vramlint.toml
//! [batch]
//! effective = 128
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! #!/usr/bin/env bash
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! compute_environment: LOCAL_MACHINE
//! distributed_type: MULTI_GPU
//! num_processes: 8
//! mixed_precision: bf16
//! ```
//! ```python file=train.py
//! from datasets import load_dataset
//! from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
//!
//! tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen3-1.7B")
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-1.7B")
//! dataset = load_dataset("json", data_files="train.jsonl", split="train")
//! args = TrainingArguments(
//!     output_dir="out",
//!     per_device_train_batch_size=2,
//!     gradient_accumulation_steps=8,
//!     learning_rate=2e-5,
//! )
//! trainer = Trainer(model=model, args=args, train_dataset=dataset)
//! trainer.train()
//! ```
//! ```toml file=vramlint.toml
//! [batch]
//! effective = 128
//! ```
//!
//! ## Fix
//! Unsafe: sets the accumulation that restores the declared batch size, if there is one.
//!
//! ## Sources
//! `[batch] effective` of the governing `vramlint.toml`; the run's own arithmetic, as `vramlint runs` shows it.
//!
//! # 中文
//!
//! 某次运行的有效批大小与 `vramlint.toml` 中声明的值不同。
//!
//! ## 为什么重要
//! 学习率及其调度是针对某个有效批大小调好的。换了 GPU 数量或梯度累积步数，训练结果就不同，却没有任何提示。
//!
//! ## 修复
//! 不安全：若有梯度累积步数能恢复声明的批大小，则设为该值。
//!
//! ## 来源
//! 对该文件生效的 `vramlint.toml` 中的 `[batch] effective`；运行本身的算法与 `vramlint runs` 显示的一致。

use crate::batch::claim::factors;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_catalog::Concept;
use vramlint_resolve::Run;

pub(crate) static RULE: Rule = Rule {
    needs: needs::BATCH,
    symptoms: &[Symptom::OtherBatch],
    ..Rule::new("VL202", "effective-batch-declared", Severity::Warning, page!("effective_batch_declared.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for run in &cx.project.runs {
        let policy = cx.project.policy(run.place.file);
        let Some((agreed, at)) = policy.effective_batch else { continue };
        let (Some(actual), Ok(agreed)) = (run.int(Concept::EffectiveBatch), i64::try_from(agreed)) else { continue };
        // One process that uses several GPUs multiplies the batch by them.
        let several = factors::may_spread(run) && factors::visible_gpus(cx.project, run).is_some_and(|gpus| gpus > 1);
        if actual != agreed && !several {
            let mut finding = finding(run, actual, agreed, policy.file.as_deref().unwrap_or("vramlint.toml"));
            if let Some(place) = at {
                finding = finding.with_related(place, message!("declared as {agreed} here", "在此声明为 {agreed}"));
            }
            out.push(finding);
        }
    }
}

fn finding(run: &Run, actual: i64, agreed: i64, file: &str) -> vramlint_base::Finding {
    let formula = factors::formula(run);
    let mut finding = RULE
        .finding(
            run.place,
            message!(
                "the effective batch size is {formula} = {actual}, but {file} declares {agreed}",
                "有效批大小为 {formula} = {actual}，但 {file} 声明为 {agreed}"
            ),
        )
        .with_run(&run.id);
    finding.related = factors::factors(run);
    finding.fixes.extend(factors::restore(run, agreed));
    finding.fixes.extend(factors::rescaled(run, agreed, actual));
    finding
}

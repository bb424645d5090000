//! # best-model-out-of-step
//!
//! `load_best_model_at_end` cannot work because the model is not saved when it is evaluated.
//!
//! ## Why it matters
//! To find the best checkpoint the Trainer must save at every evaluation that it compares. It raises an error if the strategies for saving
//! and evaluating differ (`eval_strategy` defaults to `no`, `save_strategy` to `steps`), or if the save steps are not a multiple of the
//! evaluation steps. With DeepSpeed or FSDP it also rejects `save_only_model`, because it could not load the best model again.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(
//!     output_dir="out", load_best_model_at_end=True, eval_strategy="steps", eval_steps=200, save_steps=500
//! )
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(
//!     output_dir="out", load_best_model_at_end=True, eval_strategy="steps", eval_steps=250, save_steps=500
//! )
//! ```
//!
//! ## Fix
//! Unsafe: sets `save_strategy` to the evaluation strategy, or `save_steps` to the next multiple of the evaluation steps.
//!
//! ## Sources
//! transformers 5.23.0 `training_args.py:1749` and `trainer.py:890`, run; `save_strategy="best"` is exempt.
//!
//! # 中文
//!
//! `load_best_model_at_end` 无法实现：评估时并不保存模型。
//!
//! ## 为什么重要
//! 要找出最佳检查点，Trainer 必须在每次参与比较的评估时保存。保存与评估策略不同时会报错（`eval_strategy` 默认为 `no`， `save_strategy` 默认为 `steps`），
//! 保存步数不是评估步数的整数倍时也会报错。使用 DeepSpeed 或 FSDP 时还会拒绝 `save_only_model`，因为之后无法重新载入最佳模型。
//!
//! ## 修复
//! 不安全：把 `save_strategy` 改为与评估相同；或把 `save_steps` 改为评估步数的下一个倍数。
//!
//! ## 来源
//! transformers 5.23.0 `training_args.py:1749` 与 `trainer.py:890`，实际运行；`save_strategy="best"` 除外。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Message, Severity, message};
use vramlint_resolve::arguments::ArgumentSet;
use vramlint_semantic::arguments::{first_entry, number, run, strategy, trainings, written};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::Checkpoints, Symptom::RefusedAtStart],
    ..Rule::new("VL430", "best-model-out-of-step", Severity::Error, page!("best_model_out_of_step.rs"), check)
};

/// The evaluation strategy, by its two names.
const EVAL: &[&str] = &["eval_strategy", "evaluation_strategy"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project).filter(|set| set.bool("load_best_model_at_end", false) == Some(true)) {
        let Some(wish) = set.get("load_best_model_at_end") else { continue };
        // transformers 4.51 and later do not read a field of this name that a class of the project declares.
        if set.redefined.iter().any(|name| name == EVAL[1]) {
            continue;
        }
        let mut found: Vec<(FileRange, Message, Option<FileRange>)> = Vec::new();
        found.extend(strategies(cx, set, wish.place));
        found.extend(steps(cx, set));
        found.extend(weights_only(cx, set));
        for (place, message, other) in found {
            if !reported.insert(place, "") {
                continue;
            }
            let mut finding = finding(cx, set, &RULE, place, message);
            for other in other.into_iter().chain([wish.place]).filter(|other| *other != place) {
                finding = finding.with_related(other, message!("set here", "在此设置"));
            }
            out.push(finding.with_help(message!(
                "save at every evaluation: the same strategy, and `save_steps` a multiple of `eval_steps`",
                "每次评估都要保存：策略相同，且 `save_steps` 为 `eval_steps` 的整数倍"
            )));
        }
    }
}

/// Different strategies.
fn strategies(cx: &Context<'_>, set: &ArgumentSet, wish: FileRange) -> Option<(FileRange, Message, Option<FileRange>)> {
    let (eval, save) = (strategy(set, EVAL, "no")?, strategy(set, &["save_strategy"], "steps")?);
    let known = |name: &str| matches!(name, "no" | "steps" | "epoch");
    if eval == save || save == "best" || !known(eval) || !known(save) {
        return None;
    }
    let (saving, evaluating) = (set.get("save_strategy"), first_entry(set, EVAL));
    let place = saving.or(evaluating).map_or(wish, |given| given.place);
    let shown = saving.map_or_else(|| format!("save_strategy={save}"), |given| written(cx.project, given));
    let message = message!(
        "`load_best_model_at_end` raises an error: evaluation strategy is {eval}, save strategy is {save} (`{shown}`)",
        "`load_best_model_at_end` 会报错：评估策略为 {eval}，保存策略为 {save}（`{shown}`）"
    );
    Some((place, message, evaluating.map(|given| given.place)))
}

/// Save steps that do not coincide with evaluation steps.
fn steps(cx: &Context<'_>, set: &ArgumentSet) -> Option<(FileRange, Message, Option<FileRange>)> {
    if strategy(set, EVAL, "no")? != "steps" || strategy(set, &["save_strategy"], "steps")? != "steps" {
        return None;
    }
    let save = number(set, "save_steps", 500.0)?;
    // Without its own steps, evaluation uses the logging steps: 500, in TRL 10.
    let logging = if vramlint_semantic::arguments::is_trl(set) { set.get("logging_steps").map(|_| 0.0) } else { Some(500.0) };
    let eval = match set.get("eval_steps").map(|given| given.value.as_ref()) {
        Some(Some(vramlint_base::Value::Null)) | None => number(set, "logging_steps", logging.unwrap_or(0.0))?,
        Some(value) => value?.as_float()?,
    };
    let meets = if save < 1.0 && eval < 1.0 {
        ((save * 1e6) % (eval * 1e6)).abs() < f64::EPSILON
    } else {
        save >= 1.0 && eval >= 1.0 && (save % eval).abs() < f64::EPSILON
    };
    if meets || eval <= 0.0 || save <= 0.0 {
        return None;
    }
    let (saving, evaluating) = (set.get("save_steps"), set.get("eval_steps").or_else(|| set.get("logging_steps")));
    let place = saving.or(evaluating)?.place;
    let message = message!(
        "`load_best_model_at_end` raises an error: save steps {save} are not a multiple of evaluation steps {eval}",
        "`load_best_model_at_end` 会报错：保存步数 {save} 不是评估步数 {eval} 的整数倍"
    );
    let _ = cx;
    Some((place, message, evaluating.map(|given| given.place)))
}

/// Weights only, of a sharded model.
fn weights_only(cx: &Context<'_>, set: &ArgumentSet) -> Option<(FileRange, Message, Option<FileRange>)> {
    let only = set.get("save_only_model").filter(|_| set.bool("save_only_model", false) == Some(true))?;
    let given = |key: &str| set.get(key).filter(|_| set.bool(key, false) == Some(true)).map(|given| given.place);
    let engine = run(cx.project, set).and_then(|run| run.deepspeed.map(|_| run.place));
    let (name, place) = match (given("deepspeed").or(engine), given("fsdp")) {
        (Some(place), _) => ("DeepSpeed", place),
        (None, Some(place)) => ("FSDP", place),
        _ => return None,
    };
    let message = message!(
        "`save_only_model` and `load_best_model_at_end` exclude each other under {name}; the Trainer raises an error",
        "在 {name} 下 `save_only_model` 与 `load_best_model_at_end` 互斥；Trainer 会报错"
    );
    Some((only.place, message, Some(place)))
}

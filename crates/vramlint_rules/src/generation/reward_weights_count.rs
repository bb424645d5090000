//! # reward-weights-count
//!
//! The number of `reward_weights` differs from the number of reward functions.
//!
//! ## Why it matters
//! GRPO and RLOO weight each reward function by the number at the same index. The trainer raises an error if the lists differ in length.
//!
//! ## Example
//! ```python file=train.py
//! from trl import GRPOConfig, GRPOTrainer
//!
//!
//! def brief(completions, **kwargs):
//!     return [-float(len(text)) for text in completions]
//!
//!
//! def polite(completions, **kwargs):
//!     return [float("please" in text) for text in completions]
//!
//!
//! args = GRPOConfig(output_dir="out", reward_weights=[1.0], model_init_kwargs={"dtype": "auto"})
//! trainer = GRPOTrainer("org/model", reward_funcs=[brief, polite], args=args)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from trl import GRPOConfig, GRPOTrainer
//!
//!
//! def brief(completions, **kwargs):
//!     return [-float(len(text)) for text in completions]
//!
//!
//! def polite(completions, **kwargs):
//!     return [float("please" in text) for text in completions]
//!
//!
//! args = GRPOConfig(output_dir="out", reward_weights=[1.0, 0.5], model_init_kwargs={"dtype": "auto"})
//! trainer = GRPOTrainer("org/model", reward_funcs=[brief, polite], args=args)
//! ```
//!
//! ## Fix
//! No automatic fix: set one weight for each function.
//!
//! ## When it stays silent
//! When the functions are collected dynamically: in a growing list or a registry.
//!
//! ## Sources
//! trl 1.16.0 `trainer/grpo_trainer.py`, run: `ValueError: Number of reward weights (1) must match number of reward functions (2)`;
//! `rloo_trainer.py` is the same.
//!
//! # 中文
//!
//! `reward_weights` 的个数与奖励函数的个数不同。
//!
//! ## 为什么重要
//! GRPO 与 RLOO 按位置给每个奖励函数加权。两个列表长度不同时trainer 会报错。
//!
//! ## 修复
//! 没有自动修复：为每个函数设置一个权重。
//!
//! ## 何时不报
//! 函数是动态收集的：不断增长的列表、注册表。
//!
//! ## 来源
//! trl 1.16.0 `trainer/grpo_trainer.py`，已运行：`ValueError: Number of reward weights (1) must match number of reward functions (2)`；
//! `rloo_trainer.py` 相同。

use crate::argument_findings::ReportedFindings;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, Value, message};
use vramlint_syntax::python::{Expr, ExprKind, Module, StmtKind};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL910", "reward-weights-count", Severity::Error, page!("reward_weights_count.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for trainer in cx.trainers().iter().filter(|trainer| matches!(trainer.name.as_str(), "GRPOTrainer" | "RLOOTrainer")) {
        let Some(set) = trainer.arguments else { continue };
        let Some(given) = set.get("reward_weights") else { continue };
        let Some(Value::List(weights)) = &given.value else { continue };
        let Some(functions) = trainer.argument("reward_funcs").filter(|argument| argument.is_explicit && trainer.is_fully_seen())
        else {
            continue;
        };
        let file = cx.project.file(functions.place.file);
        let Some(count) = file.python().and_then(|module| count(module, functions.place)) else { continue };
        let weights = weights.len();
        if weights == count || !reported.insert(given.place, "") {
            continue;
        }
        let message = message!(
            "{weights} reward weights for {count} reward functions; the trainer raises an error",
            "{count} 个奖励函数却有 {weights} 个权重；trainer 会报错"
        );
        out.push(
            RULE.finding(given.place, message)
                .with_severity(trainer.severity(cx.project, RULE.severity))
                .with_related(functions.place, message!("the reward functions", "奖励函数"))
                .with_help(message!("set one weight for each function", "为每个函数设置一个权重")),
        );
    }
}

/// How many functions an argument holds; `None` unless it is written as one function or as a list.
fn count(module: &Module, place: FileRange) -> Option<usize> {
    let found = module.calls().find_map(|site| site.call.args.iter().find(|argument| argument.range == place.range))?;
    functions(module, &found.value)
}

fn functions(module: &Module, value: &Expr) -> Option<usize> {
    if let ExprKind::List(items) = &value.kind {
        let plain = |item: &Expr| item.as_name().is_some() || item.as_value().and_then(Value::as_str).is_some();
        return items.iter().all(plain).then_some(items.len());
    }
    // One function of the module.
    let name = value.as_name()?;
    let defined = module.body.iter().any(|stmt| matches!(&stmt.kind, StmtKind::Function(function) if function.name == name));
    let once = module.statements().filter(|at| binds(at.stmt, name)).count() == 1;
    (defined && once).then_some(1)
}

fn binds(stmt: &vramlint_syntax::python::Stmt, name: &str) -> bool {
    match &stmt.kind {
        StmtKind::Function(function) => function.name == name,
        StmtKind::Assign { targets, .. } => targets.iter().any(|target| target.as_name() == Some(name)),
        _ => false,
    }
}

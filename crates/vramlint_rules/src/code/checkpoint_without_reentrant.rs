//! # checkpoint-without-reentrant
//!
//! `torch.utils.checkpoint.checkpoint` is called without `use_reentrant`.
//!
//! ## Why it matters
//! torch warns and uses the reentrant variant. It runs a backward pass inside a backward pass, computes no gradients if no
//! input requires one (a frozen embedding, a LoRA model), and does not support `torch.autograd.grad` or tensors passed by
//! keyword. Later releases will raise an error.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//! from torch.utils.checkpoint import checkpoint
//!
//! layer = torch.nn.Linear(4, 4)
//! hidden = checkpoint(layer, torch.randn(2, 4, requires_grad=True))
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! import torch
//! from torch.utils.checkpoint import checkpoint
//!
//! layer = torch.nn.Linear(4, 4)
//! hidden = checkpoint(layer, torch.randn(2, 4, requires_grad=True), use_reentrant=False)
//! ```
//!
//! ## Severity
//! Info in a class, the code of a model that is often copied from elsewhere, and in functions of files that no run starts.
//!
//! ## Fix
//! Unsafe: adds `use_reentrant=False`, which is what torch recommends.
//!
//! ## When it stays silent
//! If keywords are passed by `**`, and before torch 2.0, which does not warn.
//!
//! ## Sources
//! torch 2.15.0 `utils/checkpoint.py:448`, run: `UserWarning`.
//!
//! # 中文
//!
//! 调用 `torch.utils.checkpoint.checkpoint` 时未设置 `use_reentrant`。
//!
//! ## 为什么重要
//! torch 会警告并使用可重入实现。它在反向传播中再运行反向传播；没有输入需要梯度时（冻结的嵌入、LoRA 模型）不计算任何梯度；也不
//! 支持 `torch.autograd.grad` 和以关键字传入的张量。以后的版本会报错。
//!
//! ## 严重程度
//! 在类中（即模型代码，往往复制自他处），以及没有运行从其启动的文件的函数中，仅作提示。
//!
//! ## 修复
//! 不安全：加上 `use_reentrant=False`，即 torch 推荐的写法。
//!
//! ## 何时不报
//! 关键字通过 `**` 传入时，以及 torch 2.0 之前的版本（没有此警告）。
//!
//! ## 来源
//! torch 2.15.0 `utils/checkpoint.py:448`，已运行：`UserWarning`。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Finding, Fix, Related, Severity, TextRange, message};
use vramlint_edit as edit;
use vramlint_resolve::Feature;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::version_gate;
use vramlint_syntax::python::{ArgumentKind, Imports, Located, Module, StmtKind};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::BadLoss],
    ..Rule::new("VL612", "checkpoint-without-reentrant", Severity::Warning, page!("checkpoint_without_reentrant.rs"), check)
};

const NAMES: &[&str] = &["torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in &cx.project.files {
        let features = cx.project.features(file.id);
        let may_call = features.has(Feature::TorchUtils) && features.has(Feature::CheckpointCall);
        let Some(module) = file.python_if(may_call) else { continue };
        let imports = Imports::of(module);
        let mut advice: Option<Finding> = None;
        for site in module.calls() {
            let named = imports.full_of(&site.call.callee).is_some_and(|path| NAMES.contains(&path.as_str()));
            let given = site.call.args.iter().any(|argument| match &argument.kind {
                ArgumentKind::Keyword(name, _) => name == "use_reentrant",
                ArgumentKind::DoubleStar => true,
                ArgumentKind::Positional | ArgumentKind::Star => false,
            });
            let place = FileRange::new(file.id, site.expr.range);
            if !named || given || !out.mark_reported(place) {
                continue;
            }
            let span = VersionRange::since("torch", "2.0");
            // In a module that others train too, the warning is torch's to give.
            let trains = cx.project.runs.iter().any(|run| run.entry == Some(file.id));
            let elsewhere = in_class(module, site.expr.range) || !trains && in_function(module, site.expr.range);
            let certain = if elsewhere { Severity::Info } else { Severity::Warning };
            let Some(severity) = version_gate::severity(cx.project, file.id, &span, certain) else { continue };
            let mut found = RULE
                .finding(
                    place,
                    message!(
                        "checkpoint() without use_reentrant: torch warns and uses the reentrant variant",
                        "checkpoint() 未设置 use_reentrant：torch 会警告并使用可重入实现"
                    ),
                )
                .with_severity(severity)
                .with_help(message!("set `use_reentrant=False`", "设置 `use_reentrant=False`"));
            if let Some(edit) = edit::python::add(file, site.expr.range, "use_reentrant", "False") {
                let title = message!("add `use_reentrant=False`", "加上 `use_reentrant=False`");
                found = found.with_fix(Fix { title, applicability: Applicability::Unsafe, edits: vec![edit] });
            }
            // One finding of advice for a file: its calls are copies of each other.
            match &mut advice {
                _ if severity != Severity::Info => out.push(found),
                Some(first) => join(first, found),
                None => advice = Some(found),
            }
        }
        out.findings.extend(advice);
    }
}

/// Adds a call to the finding of its file.
fn join(first: &mut Finding, other: Finding) {
    first.related.push(Related { place: other.place, message: message!("here, too", "此处也是") });
    let count = first.related.len() + 1;
    first.message = message!(
        "{count} checkpoint() calls without use_reentrant: torch warns and uses the reentrant variant",
        "{count} 处 checkpoint() 未设置 use_reentrant：torch 会警告并使用可重入实现"
    );
    match (first.fixes.first_mut(), other.fixes.into_iter().next()) {
        (Some(fix), Some(more)) => fix.edits.extend(more.edits),
        _ => first.fixes.clear(),
    }
}

/// Whether a place lies in the body of a function.
fn in_function(module: &Module, place: TextRange) -> bool {
    module.statements().any(|Located { stmt, .. }| matches!(stmt.kind, StmtKind::Function(_)) && stmt.range.contains(place))
}

/// Whether a place lies in the body of a class.
fn in_class(module: &Module, place: TextRange) -> bool {
    module.statements().any(|Located { stmt, .. }| matches!(stmt.kind, StmtKind::Class { .. }) && stmt.range.contains(place))
}

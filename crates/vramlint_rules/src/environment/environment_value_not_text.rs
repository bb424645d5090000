//! # environment-value-not-text
//!
//! `os.environ` is assigned a number or a boolean.
//!
//! ## Why it matters
//! Environment variables are strings: `os.environ["CUDA_VISIBLE_DEVICES"] = 0` raises `TypeError: str expected, not int`.
//!
//! ## Example
//! ```python file=train.py
//! import os
//!
//! os.environ["CUDA_VISIBLE_DEVICES"] = 0
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! import os
//!
//! os.environ["CUDA_VISIBLE_DEVICES"] = "0"
//! ```
//!
//! ## Fix
//! Safe: quotes the number. No fix for booleans, because programs accept different spellings (`1`, `true`).
//!
//! ## Sources
//! Python 3.11 `os.py`, `_Environ.__setitem__`, run.
//!
//! # 中文
//!
//! 给 `os.environ` 赋了数字或布尔值。
//!
//! ## 为什么重要
//! 环境变量只能是字符串：`os.environ["CUDA_VISIBLE_DEVICES"] = 0` 会报 `TypeError: str expected, not int`。
//!
//! ## 修复
//! 安全：给数字加引号。布尔值不提供修复，因为各程序接受的写法不同（`1`、`true`）。
//!
//! ## 来源
//! Python 3.11 `os.py` 的 `_Environ.__setitem__`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::{Feature, SourceFile};
use vramlint_syntax::python::{Expr, ExprKind, Module, StmtKind};

pub(crate) static RULE: Rule = Rule {
    needs: needs::ENVIRONMENT,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL806", "environment-value-not-text", Severity::Error, page!("environment_value_not_text.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in cx.project.files.iter().filter(|file| cx.project.features(file.id).has(Feature::EnvironItem)) {
        if let Some(module) = file.python() {
            module_sets(file, module, out);
        }
    }
}

fn module_sets(file: &SourceFile, module: &Module, out: &mut Sink) {
    for located in module.statements() {
        let StmtKind::Assign { targets, value: Some(value), .. } = &located.stmt.kind else { continue };
        let environ = |target: &Expr| matches!(&target.kind, ExprKind::Subscript(base, _) if base.dotted().as_deref() == Some("os.environ"));
        let Some(literal) = value.as_value().filter(|_| targets.iter().any(environ)) else { continue };
        let number = matches!(literal, Value::Int(_) | Value::Float(_));
        if !number && !matches!(literal, Value::Bool(_) | Value::Null) {
            continue;
        }
        let kind = literal.python_type();
        let place = FileRange::new(file.id, value.range);
        let written = value.range.slice(&file.text);
        let mut finding = RULE
            .finding(
                place,
                message!(
                    "`os.environ` expects a string, not {kind}: `{written}`",
                    "`os.environ` 要求字符串，而不是 {kind}：`{written}`"
                ),
            )
            .with_help(message!("Python raises a TypeError; write it as a string", "Python 会报 TypeError；请写成字符串"));
        if number {
            finding = finding.with_fix(Fix {
                title: message!("write \"`{written}`\"", "写作 \"`{written}`\""),
                applicability: Applicability::Safe,
                edits: vec![edit::replace(place, format!("\"{written}\""))],
            });
        }
        out.push(finding);
    }
}

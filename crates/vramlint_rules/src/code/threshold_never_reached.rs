//! # threshold-never-reached
//!
//! An `elif` compares the same quantity with a bound that an earlier branch already covers.
//!
//! ## Why it matters
//! Code that adapts batch size or workers to free memory checks its thresholds in order. With `free < 15` before `free < 8`,
//! the second branch never runs: the smallest machine gets the setting of the medium one.
//!
//! ## Example
//! ```python file=train.py
//! def choose(free_gb):
//!     if free_gb < 15:
//!         batch_size = 4
//!     elif free_gb < 8:
//!         batch_size = 1
//!     else:
//!         batch_size = 8
//!     return batch_size
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! def choose(free_gb):
//!     if free_gb < 8:
//!         batch_size = 1
//!     elif free_gb < 15:
//!         batch_size = 4
//!     else:
//!         batch_size = 8
//!     return batch_size
//! ```
//!
//! ## When it stays silent
//! If the quantities or the directions differ, if a bound is not a plain number, and if a call is compared, which may return
//! another value the second time.
//!
//! ## Sources
//! The syntax alone.
//!
//! # 中文
//!
//! `elif` 把同一个量与前面的分支已覆盖的界限比较。
//!
//! ## 为什么重要
//! 按空闲显存调整批大小或工作进程数的代码会依次检查各阈值。若 `free < 15` 写在 `free < 8` 之前，后者永远不会执行：最小的机器用
//! 的是中档的设置。
//!
//! ## 何时不报
//! 量或方向不同；界限不是普通数字；比较的是函数调用，其第二次的返回值可能不同。
//!
//! ## 来源
//! 仅根据语法判断。

use crate::{Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, Value, message};
use vramlint_resolve::{Feature, FileFeatures, SourceFile};
use vramlint_syntax::python::{Expr, ExprKind, StmtKind};

pub(crate) static RULE: Rule = Rule {
    check_file: Some(in_file),
    symptoms: &[Symptom::NoEffect, Symptom::OutOfMemory],
    ..Rule::without_check("VL608", "threshold-never-reached", Severity::Warning, page!("threshold_never_reached.rs"))
};

/// What a test asks: that a quantity lies beyond a bound.
struct Asked {
    quantity: String,
    below: bool,
    bound: f64,
    /// Whether the bound itself counts.
    closed: bool,
}

/// What there is to say of one file; no other takes part.
fn in_file(file: &SourceFile, features: FileFeatures, out: &mut Sink) {
    let may_choose = features.has_any(needs::PROGRAM) || features.has_any(needs::CHOICES);
    if let Some(module) = file.python_if(may_choose && features.has(Feature::SecondCondition)) {
        for located in module.statements() {
            let StmtKind::If(arms) = &located.stmt.kind else { continue };
            let mut above: Vec<(Asked, FileRange)> = Vec::new();
            for arm in arms {
                let Some(asked) = arm.test.as_ref().and_then(asked) else { continue };
                let header = FileRange::new(file.id, arm.header);
                if let Some((_, cover)) = above.iter().find(|(other, _)| covers(other, &asked)) {
                    out.push(
                        RULE.finding(
                            header,
                            message!(
                                "unreachable branch: an earlier condition already covers {quantity}",
                                "该分支不可达：前面的条件已覆盖 {quantity}",
                                quantity = asked.quantity
                            ),
                        )
                        .with_related(*cover, message!("covered here", "在此已被覆盖"))
                        .with_help(message!(
                            "order the branches from the narrowest bound to the widest",
                            "按界限由窄到宽排列各分支"
                        )),
                    );
                }
                above.push((asked, header));
            }
        }
    }
}

fn covers(above: &Asked, asked: &Asked) -> bool {
    if above.quantity != asked.quantity || above.below != asked.below {
        return false;
    }
    let (wide, narrow) = if asked.below { (above.bound, asked.bound) } else { (asked.bound, above.bound) };
    narrow < wide || (narrow - wide).abs() < f64::EPSILON && (above.closed || !asked.closed)
}

fn asked(test: &Expr) -> Option<Asked> {
    let ExprKind::Compare(left, op, right) = &test.kind else { return None };
    let below = match *op {
        "<" | "<=" => true,
        ">" | ">=" => false,
        _ => return None,
    };
    let closed = op.ends_with('=');
    match (left.dotted(), number(right), right.dotted(), number(left)) {
        (Some(quantity), Some(bound), ..) => Some(Asked { quantity, below, bound, closed }),
        (.., Some(quantity), Some(bound)) => Some(Asked { quantity, below: !below, bound, closed }),
        _ => None,
    }
}

fn number(expr: &Expr) -> Option<f64> {
    match &expr.kind {
        ExprKind::Value(Value::Bool(_)) => None,
        ExprKind::Value(value) => value.as_float(),
        ExprKind::Unary("-", inner) => number(inner).map(|number| -number),
        _ => None,
    }
}

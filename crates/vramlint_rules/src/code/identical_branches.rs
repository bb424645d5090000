//! # identical-branches
//!
//! Two adjacent branches of an `if` that chooses a training setting are identical: the threshold between them has no effect.
//!
//! ## Why it matters
//! Code that adapts batch size or workers to free memory often grows by trial and error. A branch that repeats the one next to
//! it suggests a level that does not exist, and hides that the setting stays the same.
//!
//! ## Example
//! ```python file=train.py
//! def choose(free_gb, configured):
//!     if free_gb < 8:
//!         batch_size = configured // 2
//!     elif free_gb < 15:
//!         batch_size = configured
//!     else:
//!         batch_size = configured
//!     return batch_size
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! def choose(free_gb, configured):
//!     if free_gb < 8:
//!         batch_size = configured // 2
//!     else:
//!         batch_size = configured
//!     return batch_size
//! ```
//!
//! ## When it stays silent
//! If the branches are not adjacent; if different conditions or names lead to the same setting (`"7b"` and `"13b"`), as in a
//! table; if nothing is assigned; if the code neither compares an amount nor chooses a training setting.
//!
//! ## Sources
//! The syntax alone.
//!
//! # 中文
//!
//! 在选择训练设置的 `if` 中，相邻两个分支完全相同：它们之间的阈值不起作用。
//!
//! ## 为什么重要
//! 按空闲显存调整批大小或数据加载进程数的代码往往是试出来的。与相邻分支重复的分支看似多了一档，其实没有，也让人看不出设置并未改
//! 变。
//!
//! ## 何时不报
//! 两个分支不相邻；不同的条件或名称（如 `"7b"` 与 `"13b"`）得到同样的设置，如同对照表；分支内没有赋值；既没有比较数量，也没有选
//! 择训练设置。
//!
//! ## 来源
//! 仅根据语法判断。

use crate::{Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, TextRange, Value, message};
use vramlint_catalog::{Dialect, dialect};
use vramlint_resolve::{Feature, FileFeatures, SourceFile};
use vramlint_syntax::python::{Arm, Expr, ExprKind, Stmt, StmtKind, equal_bodies};

pub(crate) static RULE: Rule = Rule {
    check_file: Some(in_file),
    symptoms: &[Symptom::NoEffect],
    ..Rule::without_check("VL601", "identical-branches", Severity::Info, page!("identical_branches.rs"))
};

/// What there is to say of one file; no other takes part.
fn in_file(file: &SourceFile, features: FileFeatures, out: &mut Sink) {
    let may_choose = features.has_any(needs::PROGRAM) || features.has_any(needs::CHOICES);
    if let Some(module) = file.python_if(may_choose && features.has(Feature::SecondBranch)) {
        for located in module.statements() {
            let StmtKind::If(arms) = &located.stmt.kind else { continue };
            for pair in arms.windows(2) {
                if let Some(finding) = pair_of(file.id, &pair[0], &pair[1], &file.text) {
                    out.push(finding);
                }
            }
        }
    }
}

fn pair_of(file: vramlint_base::FileId, first: &Arm, second: &Arm, text: &str) -> Option<vramlint_base::Finding> {
    let asked = first.test.as_ref()?;
    // Names that share a setting (`"7b"`, `"13b"`) make a table; a step between two amounts, or a choice without a difference, is
    // what the author forgot to fill in.
    let chooses = match &second.test {
        None => quantity(asked).is_some() || first.body.iter().any(sets_training_value),
        Some(next) => {
            let amounts = quantity(asked).zip(quantity(next));
            amounts.is_some_and(|(one, other)| one.range.slice(text) == other.range.slice(text))
        }
    };
    if !chooses || !first.body.iter().any(is_assignment) || !equal_bodies(text, &first.body, &second.body) {
        return None;
    }
    let header = first.header.slice(text).trim_end_matches(':');
    let body = TextRange::new(second.body.first()?.range.start, second.body.last()?.range.end);
    Some(
        RULE.finding(
            FileRange::new(file, first.header),
            message!("both branches of `{header}` are identical", "`{header}` 的两个分支完全相同"),
        )
        .with_related(FileRange::new(file, body), message!("the identical statements", "相同的语句"))
        .with_help(message!("remove the branch, or set the value that it was meant to set", "删除该分支，或填入它本应设置的值")),
    )
}

fn is_assignment(statement: &Stmt) -> bool {
    matches!(statement.kind, StmtKind::Assign { value: Some(_), .. })
}

/// The quantity of `free_gb < 8`: what is compared with a number.
fn quantity(test: &Expr) -> Option<&Expr> {
    let ExprKind::Compare(left, op, right) = &test.kind else { return None };
    let number = |side: &Expr| matches!(&side.kind, ExprKind::Value(Value::Int(_) | Value::Float(_)));
    match (matches!(*op, "<" | "<=" | ">" | ">="), number(left), number(right)) {
        (true, false, true) => Some(left),
        (true, true, false) => Some(right),
        _ => None,
    }
}

/// An assignment to a name that means a training setting.
fn sets_training_value(statement: &Stmt) -> bool {
    let StmtKind::Assign { targets, .. } = &statement.kind else { return false };
    targets.iter().filter_map(Expr::dotted).any(|name| {
        let last = name.rsplit('.').next().unwrap_or(&name).to_owned();
        dialect::meaning(Dialect::Plain, &[last.as_str()], &Value::Int(4)).is_some()
    })
}

//! # invalid-suppression
//!
//! A suppression comment cannot be parsed, or names a rule that does not exist.
//!
//! ## Why it matters
//! It looks like a suppression, but suppresses nothing.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 8  # vramlint: ignore[multi-gpu-one-proces]
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! # vramlint: kind=accelerate
//! distributed_type: MULTI_GPU
//! num_processes: 8  # vramlint is told the truth here
//! ```
//!
//! ## How to write one
//! `# vramlint: ignore[name-or-code, …] reason` applies to its line; on a line of its own, it applies to the next line of code.
//! `# vramlint: ignore-file[…]` in the first ten lines applies to the file. Without brackets, it applies to all rules.
//!
//! ## Fix
//! Unsafe, for a misspelled name: the nearest rule may not be the intended one.
//!
//! # 中文
//!
//! 抑制注释无法解析，或所写的规则不存在。
//!
//! ## 为什么重要
//! 它看起来像抑制注释，实际上什么也没有抑制。
//!
//! ## 写法
//! `# vramlint: ignore[规则名或代码, …] 原因` 对所在行有效；单独成行时对下一行代码有效。
//! `# vramlint: ignore-file[…]` 写在前十行内，对整个文件有效。不写方括号则表示所有规则。
//!
//! ## 修复
//! 不安全：写错的规则名会改为最接近的一个，但那未必是本来想写的。

use crate::{Rule, Symptom, needs};
use vramlint_base::Severity;

/// A suppression that cannot be parsed, or names an unknown rule.
pub static RULE: Rule = Rule {
    // The project layer finds these.
    needs: needs::DIRECTIVES,
    symptoms: &[Symptom::Vramlint],
    ..Rule::without_check("VL091", "invalid-suppression", Severity::Warning, page!("invalid_suppression.rs"))
};

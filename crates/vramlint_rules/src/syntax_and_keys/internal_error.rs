//! # internal-error
//!
//! A rule of vramlint failed on this project; the other rules went on.
//!
//! ## Why it matters
//! It is our fault, not yours. What the rule would have found is missing from the report.
//!
//! ## Fix
//! Please report it with the file that it names.
//!
//! # 中文
//!
//! vramlint 的某条规则在此项目上出错；其余规则照常运行。
//!
//! ## 为什么重要
//! 这是我们的错误，与你的项目无关。该规则本应发现的问题没有出现在报告中。
//!
//! ## 修复
//! 请附上相关文件向我们报告。

use crate::{Group, Rule, Symptom};
use vramlint_base::Severity;

/// A panic of vramlint.
pub static RULE: Rule = Rule {
    code: "VL000",
    name: "internal-error",
    group: Group::SyntaxAndKeys,
    severity: Severity::Warning,
    since: "0.1.0",
    source: include_str!("internal_error.rs"),
    check: None,
    symptoms: &[Symptom::Vramlint],
    ..Rule::DEFAULT
};

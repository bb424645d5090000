//! # internal-error
//!
//! A vramlint rule failed on this project; the other rules still ran.
//!
//! ## Why it matters
//! This is a bug in vramlint, not in your project. The findings of this rule are missing from the report.
//!
//! ## Example
//! ```text
//! warning[VL000] vramlint failed in rule `does-not-fit`: attempt to divide by zero (internal-error)
//! ```
//!
//! ## Fix
//! Please report the bug, with the file that the finding names.
//!
//! # 中文
//!
//! vramlint 的某条规则在此项目上出错；其余规则照常运行。
//!
//! ## 为什么重要
//! 这是 vramlint 的错误，与你的项目无关。该规则的结果没有出现在报告中。
//!
//! ## 修复
//! 请报告此错误，并附上结果中所指的文件。

use crate::{Rule, Symptom};
use vramlint_base::Severity;

/// A panic of vramlint.
pub static RULE: Rule = Rule {
    symptoms: &[Symptom::Vramlint],
    ..Rule::without_check("VL000", "internal-error", Severity::Warning, page!("internal_error.rs"))
};

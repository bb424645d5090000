//! # unused-suppression
//!
//! A suppression comment suppresses nothing: the rule that it names has no finding here, or no longer has one.
//!
//! ## Why it matters
//! An outdated suppression hides the next mistake on the same line. It also suggests a problem that does not exist.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 8  # vramlint: ignore[multi-gpu-one-process] the second node is started by hand
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 1  # vramlint: ignore[multi-gpu-one-process] the second node is started by hand
//! ```
//!
//! ## Fix
//! Safe: removes the comment, or the unused names from its list. A comment that also names a nonexistent rule is not changed,
//! because the misspelled name may be the needed one.
//!
//! ## When it stays silent
//! Only the suppression of a rule that runs can be unused: a rule that is not selected, is off, or is ignored for the file is
//! not considered. Silent if the surrounding project was too large to read, or if a rule failed. Examples in documents are not
//! checked.
//!
//! # 中文
//!
//! 抑制注释没有抑制任何结果：所写的规则在此处没有结果，或已不再有。
//!
//! ## 为什么重要
//! 过时的抑制会掩盖同一行的下一个错误，也会让读者以为这里有一个并不存在的问题。
//!
//! ## 修复
//! 安全：删除该注释，或从列表中删去无用的规则名。如果注释中还有不存在的规则名，则不改动，因为拼错的名称可能正是需要的那一个。
//!
//! ## 何时不报
//! 只有实际运行的规则，其抑制才可能未使用：未选择、已关闭或对该文件忽略的规则不参与判断。若周围的项目太大而未读取，或有规则执行
//! 失败，则不报告。文档中的示例不检查。

use crate::{DiagnosticTag, Rule, Symptom, needs};
use vramlint_base::Severity;

/// A suppression that suppresses nothing.
pub static RULE: Rule = Rule {
    // The project layer finds these.
    needs: needs::DIRECTIVES,
    symptoms: &[Symptom::Vramlint],
    tag: Some(DiagnosticTag::Unnecessary),
    ..Rule::without_check("VL002", "unused-suppression", Severity::Warning, page!("unused_suppression.rs"))
};

//! # unused-suppression
//!
//! A suppression comment suppresses nothing: what it names is not found here, or no longer.
//!
//! ## Why it matters
//! A suppression that outlives its reason hides the next mistake on the same line. It also tells the reader of a fault that is
//! not there.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 8  # vramlint: ignore[multi-gpu-one-process] the second node is started by hand
//! ```
//!
//! ## Fine
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 1  # vramlint: ignore[multi-gpu-one-process] the second node is started by hand
//! ```
//!
//! ## Fix
//! Safe: removes the comment, or the unused names from its list. A comment that also names a rule that does not exist is left
//! alone, as a misspelt name may be the one that was needed.
//!
//! ## When it is silent
//! Only rules that run can be unused: a rule that is not selected, is off, or is ignored for the file says nothing about its
//! suppressions. Nothing is reported where the project around the file was too large to be read, or where a rule failed.
//! Examples in documents are left alone.
//!
//! # 中文
//!
//! 抑制注释没有抑制任何结果：它所指的问题在此处不存在，或已不存在。
//!
//! ## 为什么重要
//! 原因消失之后仍然留下的抑制会掩盖同一行的下一个错误，也会让读者以为这里有一个并不存在的问题。
//!
//! ## 修复
//! 安全：删除该注释，或从列表中删去无用的规则名。如果注释中还有不存在的规则名，则不改动，因为写错的可能正是需要的那一个。
//!
//! ## 何时不报
//! 只有实际运行的规则才谈得上“未使用”：未选择、已关闭或对该文件忽略的规则不参与判断。
//! 若周围的项目太大而未读取，或有规则执行失败，则不报告。文档中的示例不检查。

use crate::{DiagnosticTag, Group, Rule, Symptom, needs};
use vramlint_base::Severity;

/// A suppression that suppresses nothing.
pub static RULE: Rule = Rule {
    code: "VL002",
    name: "unused-suppression",
    group: Group::SyntaxAndKeys,
    severity: Severity::Warning,
    since: "0.1.0",
    source: include_str!("unused_suppression.rs"),
    // The project layer finds these.
    check: None,
    needs: needs::DIRECTIVES,
    symptoms: &[Symptom::Vramlint],
    tag: Some(DiagnosticTag::Unnecessary),
    ..Rule::DEFAULT
};

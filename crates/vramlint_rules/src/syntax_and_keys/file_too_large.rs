//! # file-too-large
//!
//! A file that was named outright is larger than 2 MiB and was not read.
//!
//! ## Why it matters
//! Training configuration and scripts are small; a file of this size is a dataset, a log or a generated table. Found in a
//! folder, such a file is passed over without a word; named outright, it deserves one.
//!
//! ## Fix
//! Name the configuration itself, or leave the file out.
//!
//! # 中文
//!
//! 明确指定的文件超过 2 MiB，因此没有读取。
//!
//! ## 为什么重要
//! 训练配置和脚本都很小；这么大的文件是数据集、日志或生成的表格。在文件夹中遇到会直接跳过；明确指定了它，就需要说明一声。
//!
//! ## 修复
//! 指定真正的配置文件，或不要指定该文件。

use crate::{Group, Rule, Symptom};
use vramlint_base::Severity;

/// A named file that is too large for configuration.
pub static RULE: Rule = Rule {
    code: "VL090",
    name: "file-too-large",
    group: Group::SyntaxAndKeys,
    severity: Severity::Info,
    since: "0.1.0",
    source: include_str!("file_too_large.rs"),
    // The project layer finds these.
    check: None,
    symptoms: &[Symptom::Vramlint],
    ..Rule::DEFAULT
};

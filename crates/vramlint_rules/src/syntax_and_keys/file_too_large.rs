//! # file-too-large
//!
//! A file named on the command line is larger than 2 MiB and was not read.
//!
//! ## Why it matters
//! Training configuration and scripts are small; a file of this size is a dataset, a log or a generated table. vramlint
//! silently skips such a file in a folder, but reports it when it is named explicitly.
//!
//! ## Example
//! ```text
//! $ vramlint check samples.json
//! info[VL090] the file has 3 MiB, too large for configuration; it is not read (file-too-large)
//! ```
//!
//! ## Fix
//! Name the configuration file itself, or omit this file.
//!
//! # 中文
//!
//! 命令行中指定的文件超过 2 MiB，因此没有读取。
//!
//! ## 为什么重要
//! 训练配置和脚本都很小；这么大的文件是数据集、日志或生成的表格。文件夹中的这类文件会被静默跳过；明确指定时则会报告。
//!
//! ## 修复
//! 指定真正的配置文件，或不要指定该文件。

use crate::{Rule, Symptom};
use vramlint_base::Severity;

/// A named file that is too large for configuration.
pub static RULE: Rule = Rule {
    // The project layer finds these.
    symptoms: &[Symptom::Vramlint],
    ..Rule::without_check("VL090", "file-too-large", Severity::Info, page!("file_too_large.rs"))
};

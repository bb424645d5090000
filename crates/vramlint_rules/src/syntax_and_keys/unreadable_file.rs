//! # unreadable-file
//!
//! The bytes of a file are not text that its readers accept: not UTF-8, UTF-16, binary, or not readable at all.
//!
//! ## Why it matters
//! PyYAML, Python's `json` and Python itself read UTF-8. If an editor saved the file as UTF-16 or GBK, the run fails at its
//! first line.
//!
//! ## Example
//! ```text
//! $ iconv --to-code UTF-16 train.yaml > accelerate_config.yaml
//! $ vramlint check accelerate_config.yaml
//! warning[VL003] the file is UTF-16, but Python reads it as UTF-8 and raises an error; save it as UTF-8 (unreadable-file)
//! ```
//!
//! ## When it stays silent
//! For Python that declares another encoding in its first two lines (PEP 263).
//!
//! ## Fix
//! Save the file as UTF-8.
//!
//! ## Sources
//! PyYAML 6.0.3 `reader.py`; CPython 3.11 `json/decoder.py`.
//!
//! # 中文
//!
//! 文件的字节不是读取它的程序所接受的文本：不是 UTF-8、是 UTF-16、是二进制，或根本无法读取。
//!
//! ## 为什么重要
//! PyYAML、Python 的 `json` 与 Python 本身都按 UTF-8 读取。若编辑器把文件存为 UTF-16 或 GBK，运行会在第一行失败。
//!
//! ## 何时不报
//! 前两行声明了其他编码的 Python 文件（PEP 263）。
//!
//! ## 修复
//! 把文件另存为 UTF-8。
//!
//! ## 来源
//! PyYAML 6.0.3 `reader.py`；CPython 3.11 `json/decoder.py`。

use crate::syntax_and_keys::syntax_error::is_dataset;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity};
use vramlint_resolve::SourceFile;

/// A file or folder that the operating system does not allow to read.
pub static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL003", "unreadable-file", Severity::Warning, page!("unreadable_file.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in cx.project.files.iter().filter(|file| !is_dataset(cx.project, file)) {
        if let Some(error) = file.decode_errors.first().filter(|_| !declares_encoding(file)) {
            out.push(RULE.finding(FileRange::new(file.id, error.range), error.message.clone()));
        }
    }
}

/// Whether Python code says in its first two lines in which other encoding it is written (PEP 263): `# -*- coding: gbk -*-`.
fn declares_encoding(file: &SourceFile) -> bool {
    let name = |line: &str| {
        let comment = line.trim_start().strip_prefix('#')?;
        let rest = comment.split_once("coding")?.1.strip_prefix([':', '='])?.trim_start();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c))).unwrap_or(rest.len());
        Some(rest[..end].to_ascii_lowercase()).filter(|name| !name.is_empty())
    };
    let declared = file.text.lines().take(2).find_map(name);
    file.extension() == "py" && declared.is_some_and(|name| !name.starts_with("utf"))
}

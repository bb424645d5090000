//! # wrong-type
//!
//! A value of a type that its reader does not accept: a string instead of a number, a path instead of a mapping.
//!
//! ## Why it matters
//! DeepSpeed checks the types in most of its blocks and rejects the file. accelerate checks nothing when it reads its file, and
//! fails later, in arithmetic on a string, with a message that names no key.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {
//!     "stage": 2,
//!     "reduce_bucket_size": "5e8"
//!   }
//! }
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {
//!     "stage": 2,
//!     "reduce_bucket_size": "500000000",
//!     "overlap_comm": "true"
//!   }
//! }
//! ```
//!
//! ## Fix
//! Safe if the string contains the expected number or boolean: the reader rejects the file as it is, so nothing else can be
//! intended.
//!
//! ## When it stays silent
//! For `auto`, for values from a template or a variable, and for strings that the reader itself converts.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/config_utils.py` (pydantic 2), run; accelerate 1.15.0 `commands/launch.py:1394`,
//! `utils/launch.py:216`, run. Axolotl: every key of its schema was tried with 0.8.1, 0.12.2 and 0.18.0. LLaMA-Factory 0.9.4
//! `hparams/`, ms-swift 4.6.0, OpenRLHF 0.11.2, torchtune 0.6.1, read.
//!
//! # 中文
//!
//! 值的类型不为读取者所接受：应为数字处写了字符串，应为映射处写了路径。
//!
//! ## 为什么重要
//! DeepSpeed 会检查多数块中值的类型，不符即拒绝该文件。accelerate 读取文件时不作任何检查，之后才在对字符串做算术时失败，报错中
//! 也不提是哪个键。
//!
//! ## 修复
//! 若字符串中正是所需的数字或布尔值，则为安全修复：文件照原样会被拒绝，不可能有别的用意。
//!
//! ## 何时不报
//! 写作 `auto`、由模板或变量填入的值，以及读取者会自行转换的字符串。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/config_utils.py`（pydantic 2），实际运行；accelerate 1.15.0 `commands/launch.py:1394`、
//! `utils/launch.py:216`，实际运行。Axolotl：以 0.8.1、0.12.2 与 0.18.0 逐一试过其 schema 的每个键。LLaMA-Factory 0.9.4
//! `hparams/`、ms-swift 4.6.0、OpenRLHF 0.11.2、torchtune 0.6.1，阅读源码。

mod accelerate;
mod arguments;
mod deepspeed;
mod frameworks;

use super::violation_finding;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Finding, Severity};
use vramlint_resolve::SourceFile;
use vramlint_semantic::schema::{self, KnownEntry, Violation};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart, Symptom::NoEffect],
    ..Rule::new("VL009", "wrong-type", Severity::Error, page!("mod.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    accelerate::check(cx, out);
    arguments::check(cx, out);
    deepspeed::check(cx, out);
    frameworks::check(cx, out);
}

/// The finding for an entry, with the value that was meant as its fix.
fn finding(file: &SourceFile, found: &KnownEntry<'_>, by: &str, problem: &Violation, severity: Severity) -> Finding {
    let finding = violation_finding(&RULE, file, found, by, problem).with_severity(severity);
    let fix = problem.intended_value().and_then(|meant| schema::fix(file, found.value, meant, Applicability::Safe));
    match fix {
        Some(fix) => finding.with_fix(fix),
        None => finding,
    }
}

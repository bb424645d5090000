//! # torch-dtype-overruled
//!
//! TRL's own `dtype` overrides `torch_dtype` in `model_init_kwargs`.
//!
//! ## Why it matters
//! TRL loads a model by name with `dtype=float32` unless `model_init_kwargs` has `dtype`. transformers accepts the old spelling too, but
//! `dtype` takes precedence: the weights are silently loaded in fp32, with twice the memory of the requested dtype.
//!
//! ## Example
//! ```python file=train.py
//! from trl import SFTConfig
//!
//! args = SFTConfig("out", model_init_kwargs={"torch_dtype": "bfloat16"})
//! ```
//!
//! ```text file=requirements.txt
//! trl==1.16.0
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from trl import SFTConfig
//!
//! args = SFTConfig("out", model_init_kwargs={"dtype": "bfloat16"})
//! ```
//!
//! ## Fix
//! Safe if the version of trl is known: renames the key to `dtype`.
//!
//! ## Severity
//! Info if the version of trl is not known: up to 0.24 it set no dtype of its own.
//!
//! ## Sources
//! trl 1.16.0 `trainer/utils.py:1331`, run; 0.29.0 read.
//!
//! # 中文
//!
//! `model_init_kwargs` 中的 `torch_dtype` 被 TRL 自己的 `dtype` 覆盖。
//!
//! ## 为什么重要
//! 以名称给出模型时，除非 `model_init_kwargs` 中有 `dtype`，TRL 会以 `dtype=float32` 加载。transformers 也接受旧写法，但 `dtype` 优先：权重按 fp32 加
//! 载，显存是所要求 dtype 的两倍，且没有任何提示。
//!
//! ## 修复
//! trl 版本已知时为安全修复：把键改名为 `dtype`。
//!
//! ## 严重程度
//! trl 版本未知时仅作提示：0.24 及之前 TRL 不设自己的 dtype。
//!
//! ## 来源
//! trl 1.16.0 `trainer/utils.py:1331`，实际运行；0.29.0 阅读源码。

use crate::argument_findings::{ReportedFindings, finding_of};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Fix, Severity, message};
use vramlint_edit as edit;
use vramlint_resolve::arguments::NestedArgument;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::arguments::{is_trl, trainings};
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect, Symptom::OutOfMemory],
    ..Rule::new("VL406", "torch-dtype-overruled", Severity::Warning, page!("torch_dtype_overruled.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project).filter(|set| is_trl(set)) {
        let Some(kwargs) = set.get("model_init_kwargs") else { continue };
        let entry = |name: &str| kwargs.entries.iter().find(|entry| entry.key == name);
        let (Some(old), None) = (entry("torch_dtype"), entry("dtype")) else { continue };
        let full = old.value.as_ref().and_then(|value| value.as_str()).is_some_and(|name| matches!(name, "float32" | "float"));
        let span = VersionRange::since("trl", "0.29");
        let Some(severity) = version_gate::severity(cx.project, set.file(), &span, RULE.severity) else { continue };
        if full || !reported.insert(old.place, "") {
            continue;
        }
        let message = message!(
            "since trl 0.29, `dtype=float32` overrides `torch_dtype`: the weights are loaded in fp32",
            "trl 0.29 起，`dtype=float32` 会覆盖 `torch_dtype`：权重按 fp32 加载"
        );
        let mut found = finding_of(cx, set, &RULE, severity, old.place, message)
            .with_help(message!("rename the key to `dtype`", "把键改名为 `dtype`"));
        let applicability = if severity == RULE.severity { Applicability::Safe } else { Applicability::Unsafe };
        if let Some(place) = name_within(cx, old) {
            found = found.with_fix(Fix {
                title: message!("rename it to dtype", "改名为 dtype"),
                applicability,
                edits: vec![edit::replace(place, "dtype")],
            });
        }
        out.push(found);
    }
}

/// The bare name at the position of a key, without its quotes.
fn name_within(cx: &Context<'_>, entry: &NestedArgument) -> Option<FileRange> {
    let text = entry.place.range.slice(&cx.project.file(entry.place.file).text);
    let at = text.find(entry.key.as_str()).filter(|_| text.trim_matches(['"', '\'']) == entry.key)?;
    let start = entry.place.range.start + at as u32;
    Some(FileRange::new(entry.place.file, vramlint_base::TextRange::new(start, start + entry.key.len() as u32)))
}

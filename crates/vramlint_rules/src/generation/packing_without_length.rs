//! # packing-without-length
//!
//! Samples are packed, or joined without padding, but their length is not set.
//!
//! ## Why it matters
//! `packing=True` packs samples up to `max_length`; with `max_length=None` there is no length to fill, and trl raises an error.
//! `padding_free=True` without packing joins the samples of a batch as they are: `max_length`, 1024 by default, would not be
//! respected, and newer versions of trl raise an error.
//!
//! ## Example
//! ```python file=train.py
//! from trl import SFTConfig
//!
//! args = SFTConfig("out", packing=True, max_length=None)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from trl import SFTConfig
//!
//! args = SFTConfig("out", packing=True, max_length=2048)
//! ```
//!
//! ## Fix
//! Unsafe: the usual `max_length` of 1024; with `padding_free`, packing is turned on.
//!
//! ## Severity
//! Info for `padding_free` if the version of trl is unknown.
//!
//! ## Sources
//! trl 1.16.0 `trainer/sft_trainer.py:999`, and the packing of its `_prepare_dataset`, both run.
//!
//! # 中文
//!
//! 样本要打包，或要无填充地拼接，但未设置长度。
//!
//! ## 为什么重要
//! `packing=True` 把样本打包到 `max_length`；`max_length=None` 时没有目标长度，trl 会报错。`padding_free=True` 而不打包时，批中的样本按原样拼接：
//! `max_length`（默认为 1024）不会被遵守，较新的 trl 会报错。
//!
//! ## 修复
//! 不安全：使用常用的 `max_length` 1024；对 `padding_free` 则开启打包。
//!
//! ## 严重程度
//! trl 版本未知时，`padding_free` 为 info。
//!
//! ## 来源
//! trl 1.16.0 `trainer/sft_trainer.py:999` 以及 `_prepare_dataset` 中的打包，均实际运行。

use crate::argument_findings::{ReportedFindings, finding, finding_of};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_resolve::arguments::ArgumentSet;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::arguments::sets_of;
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL908", "packing-without-length", Severity::Error, page!("packing_without_length.rs"), check)
};

/// First version that rejects `padding_free` with a length.
const REJECTS: &str = "1.0";

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in sets_of(cx.project, &["trl.SFTConfig"]) {
        let packing = set.bool("packing", false);
        // Data that is already prepared is not packed.
        let packs = set.get("dataset_kwargs").is_none();
        if packing == Some(true) && packs && set.value("max_length") == Some(&Value::Null) {
            let (Some(length), Some(packing)) = (set.get("max_length"), set.get("packing")) else { continue };
            if reported.insert(packing.place, "") {
                let message = message!(
                    "`packing` needs a length to fill, but `max_length` is None; trl raises an error",
                    "`packing` 需要目标长度，但 `max_length` 为 None；trl 会报错"
                );
                out.push(
                    finding(cx, set, &RULE, packing.place, message)
                        .with_related(length.place, message!("`max_length` is None", "`max_length` 为 None"))
                        .with_help(message!(
                            "set `max_length` to the length of a packed sequence",
                            "把 `max_length` 设为打包后序列的长度"
                        )),
                );
            }
        } else if packing == Some(false) && set.bool("padding_free", false) == Some(true) && keeps_length(set) {
            let Some(given) = set.get("padding_free") else { continue };
            let span = VersionRange::since("trl", REJECTS);
            let Some(severity) = version_gate::severity(cx.project, set.file(), &span, RULE.severity) else { continue };
            if reported.insert(given.place, "") {
                let message = message!(
                    "`padding_free` without `packing` does not respect `max_length`; trl raises an error since {REJECTS}",
                    "`padding_free` 而没有 `packing` 时不遵守 `max_length`；trl 自 {REJECTS} 起会报错"
                );
                out.push(finding_of(cx, set, &RULE, severity, given.place, message).with_help(message!(
                    "add `packing=True`, or `max_length=None` if the samples are already truncated",
                    "添加 `packing=True`；若样本已截断，则写 `max_length=None`"
                )));
            }
        }
    }
}

/// Whether a length certainly applies; the default is 1024.
fn keeps_length(set: &ArgumentSet) -> bool {
    match set.get("max_length") {
        Some(given) => matches!(given.value, Some(Value::Int(_))),
        None => set.lacks("max_length"),
    }
}

//! # packing-without-length
//!
//! Rows are to be packed, or joined without padding, and their length is not settled.
//!
//! ## Why it matters
//! `packing=True` fills rows up to `max_length`: with `max_length=None` there is nothing to fill, and trl refuses. `padding_free=True`
//! without packing joins the rows of a batch as they are: `max_length`, which is 1024 unless it is None, would not be kept, and newer
//! versions of trl refuse that.
//!
//! ## Example
//! ```python file=train.py
//! from trl import SFTConfig
//!
//! args = SFTConfig("out", packing=True, max_length=None)
//! ```
//!
//! ## Fine
//! ```python file=train.py
//! from trl import SFTConfig
//!
//! args = SFTConfig("out", packing=True, max_length=2048)
//! ```
//!
//! ## Fix
//! Unsafe: the usual `max_length` of 1024; beside `padding_free` packing is turned on.
//!
//! ## When it is milder
//! Advice for `padding_free` while the version of trl is not known.
//!
//! ## Sources
//! trl 1.16.0 `trainer/sft_trainer.py:999`, and the packing of its `_prepare_dataset`, both run.
//!
//! # 中文
//!
//! 要打包样本或去除填充拼接样本，但长度没有确定。
//!
//! ## 为什么重要
//! `packing=True` 把行填充到 `max_length`：`max_length=None` 时无从填起，trl 会拒绝。`padding_free=True` 而不打包时，会原样拼接批中的样本：
//! `max_length`（除非为 None，否则为 1024）得不到遵守，较新的 trl 会拒绝。
//!
//! ## 修复
//! 不安全：使用惯常的 `max_length` 1024；对 `padding_free` 则开启打包。
//!
//! ## 何时从轻
//! trl 版本未知时，对 `padding_free` 仅作提示。
//!
//! ## 来源
//! trl 1.16.0 `trainer/sft_trainer.py:999` 以及 `_prepare_dataset` 中的打包，均实际运行。

use crate::argument_findings::{ReportedFindings, finding, finding_of};
use crate::{Context, Group, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_resolve::arguments::ArgumentSet;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::arguments::sets_of;
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    code: "VL908",
    name: "packing-without-length",
    group: Group::Generation,
    severity: Severity::Error,
    since: "0.1.0",
    source: include_str!("packing_without_length.rs"),
    check: Some(check),
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::DEFAULT
};

/// First version that refuses `padding_free` with a length.
const REFUSES: &str = "1.0";

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in sets_of(cx.project, &["trl.SFTConfig"]) {
        let packing = set.bool("packing", false);
        // Data that are prepared already are not packed.
        let packs = set.get("dataset_kwargs").is_none();
        if packing == Some(true) && packs && set.value("max_length") == Some(&Value::Null) {
            let (Some(length), Some(packing)) = (set.get("max_length"), set.get("packing")) else { continue };
            if reported.insert(packing.place, "") {
                let message = message!(
                    "packing fills rows up to max_length, and that is None: trl refuses",
                    "打包需要填充到 max_length，而它为 None：trl 会拒绝"
                );
                out.push(
                    finding(cx, set, &RULE, packing.place, message)
                        .with_related(length.place, message!("no length", "没有长度"))
                        .with_help(message!("give max_length the length of a packed row", "把 max_length 设为打包后一行的长度")),
                );
            }
        } else if packing == Some(false) && set.bool("padding_free", false) == Some(true) && keeps_length(set) {
            let Some(given) = set.get("padding_free") else { continue };
            let span = VersionRange::since("trl", REFUSES);
            let Some(severity) = version_gate::severity(cx.project, set.file(), &span, RULE.severity) else { continue };
            if reported.insert(given.place, "") {
                let message = message!(
                    "padding_free without packing does not keep max_length: trl {REFUSES} refuses",
                    "padding_free 而不打包时不遵守 max_length：trl {REFUSES} 会拒绝"
                );
                out.push(finding_of(cx, set, &RULE, severity, given.place, message).with_help(message!(
                    "add packing=True, or max_length=None for rows that are cut already",
                    "添加 packing=True；若样本已截断则写 max_length=None"
                )));
            }
        }
    }
}

/// Whether a length is certainly in force: 1024 unless said otherwise.
fn keeps_length(set: &ArgumentSet) -> bool {
    match set.get("max_length") {
        Some(given) => matches!(given.value, Some(Value::Int(_))),
        None => set.lacks("max_length"),
    }
}

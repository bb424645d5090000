//! # max-memory-invalid
//!
//! `max_memory` has a size or a device that accelerate rejects, or a size that is smaller than it looks.
//!
//! ## Why it matters
//! Sizes need a unit of two or three letters: `8GB` and `8GiB` are valid, `8G`, `1TB` and `90%` raise an error. GPUs are integers: the
//! `"0"` that JSON gives is not a device. A lower-case `b` at the end means bits: `8gb` is 1 GB.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="auto", max_memory={0: "20G", "cpu": "60GB"})
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="auto", max_memory={0: "20GB", "cpu": "60GB"})
//! ```
//!
//! ## Fix
//! Safe: a GPU as an integer instead of a string. Unsafe: `GB` for `G` and for `gb`.
//!
//! ## Severity
//! A warning for bits: the budget is accepted, but is eight times too small.
//!
//! ## When it stays silent
//! Without a `device_map` that uses the budget (see `max-memory-unused`); for unknown sizes.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/modeling.py` (`convert_file_size_to_int`, `get_max_memory`), run through transformers 5.23.0.
//!
//! # 中文
//!
//! `max_memory` 中有 accelerate 会拒绝的大小或设备，或比看上去小的大小。
//!
//! ## 为什么重要
//! 大小须带两三个字母的单位：`8GB`、`8GiB` 有效，`8G`、`1TB`、`90%` 会报错。GPU 是整数：从 JSON 读出的 `"0"` 不是设备。末尾小写的 `b` 表示比特：`8gb` 只
//! 有 1 GB。
//!
//! ## 严重程度
//! 比特写法仅为警告：预算会被采用，但只有八分之一。
//!
//! ## 何时不报
//! 没有使用该预算的 `device_map`（见 `max-memory-unused`）；无法得知的大小。
//!
//! ## 修复
//! 安全：GPU 由字符串改为整数。不安全：`G`、`gb` 改为 `GB`。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/modeling.py`（`convert_file_size_to_int`、`get_max_memory`），经 transformers 5.23.0 实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::code::{ArgValue, DictEntry, LibraryCall};
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart, Symptom::OutOfMemory],
    ..Rule::new("VL151", "max-memory-invalid", Severity::Error, page!("max_memory_invalid.rs"), check)
};

/// What a size means.
enum Size {
    Bytes,
    Bits,
    Refused,
}

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        if !plans(call) {
            continue;
        }
        let Some(entries) = call.argument("max_memory", None).and_then(calls::dict_entries) else { continue };
        for entry in entries {
            device(call, entry, out);
            size(call, entry, out);
        }
    }
}

/// Whether the budget is used: only a strategy reads it.
pub(super) fn plans(call: &LibraryCall) -> bool {
    let strategy = |text: &str| matches!(text, "auto" | "balanced" | "balanced_low_0" | "sequential");
    let by_load = calls::loads_model(call)
        && call.argument("device_map", None).and_then(calls::text_value).is_some_and(|(text, _)| strategy(text));
    by_load || call.library() == "accelerate" && matches!(call.name(), "infer_auto_device_map" | "get_balanced_memory")
}

fn device(call: &LibraryCall, entry: &DictEntry, out: &mut Sink) {
    let Value::Text(name) = &entry.key else { return };
    let Some(place) = entry.key_place.filter(|_| !matches!(name.as_str(), "cpu" | "disk" | "mps")) else { return };
    if !out.mark_reported(place) {
        return;
    }
    let number = name.strip_prefix("cuda:").or_else(|| name.strip_prefix("gpu:")).unwrap_or(name).parse::<u8>().ok();
    let mut finding = RULE
        .finding(
            place,
            message!(
                "`max_memory` has an unknown device '{name}'; accelerate rejects it",
                "`max_memory` 中有未知设备 '{name}'；accelerate 会拒绝"
            ),
        )
        .with_help(message!(
            "expected an integer for a GPU, such as 0, or \"cpu\" or \"disk\"",
            "GPU 应为整数（如 0），其余为 \"cpu\" 或 \"disk\""
        ));
    if !call.place.range.contains(place.range) {
        finding = finding.with_related(call.place, calls::reached_message(call));
    }
    if let Some(number) = number {
        let edits = vec![edit::replace(place, number.to_string())];
        finding = finding.with_fix(Fix {
            title: message!("write {number}", "改为 {number}"),
            applicability: Applicability::Safe,
            edits,
        });
    }
    out.push(finding);
}

fn size(call: &LibraryCall, entry: &DictEntry, out: &mut Sink) {
    let Some(value) = calls::single_value(&entry.values) else { return };
    let ArgValue::Known(Value::Text(text)) = &value.value else { return };
    let mut finding = match read(text) {
        Size::Bytes => return,
        Size::Bits => RULE
            .finding(
                value.place,
                message!(
                    "'{text}' means bits, an eighth of the same size in bytes",
                    "'{text}' 表示比特，只有同样字节数的八分之一"
                ),
            )
            .with_severity(Severity::Warning),
        Size::Refused => RULE.finding(
            value.place,
            message!("'{text}' is not a valid size; accelerate rejects it", "'{text}' 不是有效的大小；accelerate 会拒绝"),
        ),
    };
    if !out.mark_reported(value.place) {
        return;
    }
    if !call.place.range.contains(value.place.range) {
        finding = finding.with_related(call.place, calls::reached_message(call));
    }
    finding = finding.with_help(message!(
        "use GB (10^9) or GiB (2^30), or an integer number of bytes",
        "使用 GB（10^9）或 GiB（2^30），或以整数给出字节数"
    ));
    if let Some(meant) = meant(text) {
        let edits = vec![edit::replace(value.place, format!("\"{meant}\""))];
        finding = finding.with_fix(Fix {
            title: message!("write `{meant}`", "改为 `{meant}`"),
            applicability: Applicability::Unsafe,
            edits,
        });
    }
    out.push(finding);
}

/// As accelerate 1.15.0 utils/modeling.py parses it: the unit in any case, a final `b` of a decimal unit for bits.
fn read(text: &str) -> Size {
    let text = text.trim();
    let upper = text.to_uppercase();
    let number = |unit: &str| upper.strip_suffix(unit).is_some_and(|rest| rest.trim().parse::<f64>().is_ok_and(|n| n >= 0.0));
    if ["GIB", "MIB", "KIB"].iter().any(|unit| number(unit)) {
        return Size::Bytes;
    }
    match ["GB", "MB", "KB"].iter().any(|unit| number(unit)) {
        true if text.ends_with('b') => Size::Bits,
        true => Size::Bytes,
        false => Size::Refused,
    }
}

/// The size that is certainly meant, apart from the choice between 10^9 and 2^30.
fn meant(text: &str) -> Option<String> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(split);
    let number = number.trim();
    number.parse::<f64>().ok()?;
    match unit.trim().to_uppercase().as_str() {
        "G" | "GB" => Some(format!("{number}GB")),
        "M" | "MB" => Some(format!("{number}MB")),
        "K" | "KB" => Some(format!("{number}KB")),
        "GI" => Some(format!("{number}GiB")),
        "MI" => Some(format!("{number}MiB")),
        _ => None,
    }
}

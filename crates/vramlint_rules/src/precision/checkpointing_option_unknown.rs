//! # checkpointing-option-unknown
//!
//! Activation checkpointing has an option that torch does not support.
//!
//! ## Why it matters
//! `gradient_checkpointing_kwargs` (`activation_checkpointing_kwargs`) is not validated before the first forward pass:
//! `torch.utils.checkpoint` then raises an error for an unknown option, after the model was loaded and the data prepared.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(
//!     output_dir="out", gradient_checkpointing=True, gradient_checkpointing_kwargs={"use_reentrent": False}
//! )
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(
//!     output_dir="out", gradient_checkpointing=True, gradient_checkpointing_kwargs={"use_reentrant": False}
//! )
//! ```
//!
//! ## Fix
//! Safe if one known option is clearly meant: corrects the spelling.
//!
//! ## When it stays silent
//! If checkpointing is off, which is transformers' default; TRL turns it on.
//!
//! ## Sources
//! torch 2.15.0 `utils/checkpoint.py`, run; transformers 5.23.0 `trainer.py:1504` takes `every_n_layers` and `offload` out first, trl
//! 1.16.0 `sft_trainer.py` `selective`.
//!
//! # 中文
//!
//! 激活检查点有 torch 不支持的选项。
//!
//! ## 为什么重要
//! `gradient_checkpointing_kwargs`（`activation_checkpointing_kwargs`）在第一次前向之前不会被校验：届时模型已加载、数据已准备好，
//! `torch.utils.checkpoint` 才因未知选项报错。
//!
//! ## 修复
//! 若明显是某个已知选项的误拼，则为安全修复：改正拼写。
//!
//! ## 何时不报
//! 未开启检查点时（transformers 的默认值）；TRL 默认开启。
//!
//! ## 来源
//! torch 2.15.0 `utils/checkpoint.py`，实际运行；transformers 5.23.0 `trainer.py:1504` 会先取出 `every_n_layers` 与 `offload`，trl 1.16.0
//! `sft_trainer.py` 会取出 `selective`。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_catalog::keys;
use vramlint_resolve::arguments::ArgumentSet;
use vramlint_semantic::arguments::{is_trl, trainings};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL434", "checkpointing-option-unknown", Severity::Error, page!("checkpointing_option_unknown.rs"), check)
};

const KNOWN: &[&str] = &[
    "use_reentrant",
    "preserve_rng_state",
    "context_fn",
    "determinism_check",
    "debug",
    "early_stop",
    "every_n_layers",
    "offload",
    "selective",
];

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project).filter(|set| is_on(set)) {
        if let Some(given) =
            ["activation_checkpointing_kwargs", "gradient_checkpointing_kwargs"].iter().find_map(|key| set.get(key))
        {
            for entry in given.entries.iter().filter(|entry| !KNOWN.contains(&entry.key.as_str())) {
                if !reported.insert(entry.place, &entry.key) {
                    continue;
                }
                let name = &entry.key;
                let message = message!(
                    "torch's checkpoint has no option `{name}`; the first forward pass raises an error",
                    "torch 的 checkpoint 没有选项 `{name}`；第一次前向会报错"
                );
                let known = KNOWN.iter().copied();
                let near = keys::nearest(name, known);
                let help = match near {
                    Some(near) => message!("did you mean `{near}`?", "是否想写 `{near}`？"),
                    None => message!("remove it", "请删除"),
                };
                let finding = finding(cx, set, &RULE, entry.place, message).with_help(help);
                let text = entry.place.range.slice(&cx.project.file(entry.place.file).text);
                let edit = near
                    .filter(|_| text.trim_matches(['"', '\'']) == name)
                    .map(|near| vramlint_edit::replace(entry.place, text.replace(name, near)));
                let meant = near.unwrap_or_default();
                let title = message!("write `{meant}`", "改写为 `{meant}`");
                out.push(crate::argument_findings::with_fix(finding, title, vramlint_base::Applicability::Safe, edit));
            }
        }
    }
}

/// Whether checkpointing is certainly on.
fn is_on(set: &ArgumentSet) -> bool {
    let default = is_trl(set);
    let old = set.bool("gradient_checkpointing", default);
    match set.get("activation_checkpointing") {
        Some(_) => set.bool("activation_checkpointing", false) == Some(true),
        None => old == Some(true) && !set.open || set.get("gradient_checkpointing").is_some() && old == Some(true),
    }
}

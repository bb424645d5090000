//! Arguments that newer releases of transformers and TRL no longer take.

use crate::argument_findings::{ReportedFindings, finding_of, with_fix};
use crate::syntax_and_keys::removed_key::RULE;
use crate::{Context, Sink};
use std::collections::BTreeMap;
use vramlint_base::{Applicability, Finding, Fix, Message, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::arguments::{ArgumentEntry, ArgumentReader, ArgumentSet, PassedBy};
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::arguments::{remove, rename, set_to};
use vramlint_semantic::class_fields::{self, FieldStatus, short};
use vramlint_semantic::{calls, version_gate};

/// What stands for a removed argument now: the key, what stands for its new name, and whether nothing else changes.
/// Sources: trainers.md 0.1; transformers 5.23.0 training_args.py, trl 1.16.0 trainer/*_config.py, run one by one.
pub(super) const SUCCESSORS: &[(&str, &str, bool)] = &[
    ("evaluation_strategy", "eval_strategy", true),
    ("per_gpu_train_batch_size", "per_device_train_batch_size", true),
    ("per_gpu_eval_batch_size", "per_device_eval_batch_size", true),
    ("no_cuda", "use_cpu", true),
    ("push_to_hub_token", "hub_token", true),
    ("max_seq_length", "max_length", true),
    ("torch_dtype", "dtype", true),
    ("rloo_k", "num_generations", true),
    ("use_liger_loss", "use_liger_kernel", true),
    ("use_liger", "use_liger_kernel", true),
    ("tokenizer", "processing_class", true),
    ("fsdp_transformer_layer_cls_to_wrap", "fsdp_config", false),
];
/// Arguments that had no effect any more, or a default that is always in force now: removing them changes nothing.
const IDLE: &[&str] = &[
    "overwrite_output_dir",
    "save_safetensors",
    "include_inputs_for_metrics",
    "half_precision_backend",
    "vllm_device",
    "fp16_opt_level",
    "fp16_backend",
    "include_tokens_per_second",
];

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in cx.project.arguments() {
        let reader = matches!(set.reader, ArgumentReader::Call | ArgumentReader::File | ArgumentReader::Parser) && set.strict;
        let seen = set.reader == ArgumentReader::Call || !set.open;
        let Some(classes) = class_fields::tables(&set.classes).filter(|_| reader && seen && !speaks_of_versions(set)) else {
            continue;
        };
        old_value(cx, set, &mut reported, out);
        let mut together = Together::default();
        let mut uncertain: Vec<Removed<'_>> = Vec::new();
        for given in set.arguments.iter().filter(|given| !settled(set, given) && !set.other_names.contains(&given.key)) {
            let standing = class_fields::status(cx.project, set.file(), &classes, &given.key);
            let FieldStatus::Removed { certain, library, until, instead } = standing else { continue };
            if !reported.insert(given.key_place, "") {
                continue;
            }
            let (name, class) = (&given.key, short(&set.classes));
            let severity = if certain { RULE.severity } else { Severity::Info };
            let message = message!(
                "{library} {until} and later reject `{name}` in {class}",
                "{library} 从 {until} 起拒绝 {class} 中的 `{name}`"
            );
            let mut found = finding_of(cx, set, &RULE, severity, given.key_place, message);
            if let Some(advice) = advice(name, instead) {
                found = found.with_help(advice);
            }
            found.fixes.extend(fix(cx, set, given, certain));
            if !certain {
                // Where it is still read, prompts would get longer without it.
                found.fixes.retain(|_| given.key != "max_prompt_length");
                uncertain.push(Removed { given, library, until, found });
                continue;
            }
            // Without anything of its own to say, it is one of the keys that a rewrite of the class dropped.
            let alone = found.help.is_some() || !found.fixes.is_empty();
            match (alone, together.get_mut(&(library, until))) {
                (false, Some(others)) => others.push((given, found)),
                (false, None) => _ = together.insert((library, until), vec![(given, found)]),
                (true, _) => out.push(found),
            }
        }
        for ((library, until), mut dropped) in together {
            dropped.sort_by_key(|(given, _)| given.key_place);
            if let Some(found) = one_for_all(library, until, short(&set.classes), dropped) {
                out.push(found);
            }
        }
        out.findings.extend(advice_in_one(short(&set.classes), uncertain));
    }
}

/// An argument that a later release no longer takes.
struct Removed<'a> {
    given: &'a ArgumentEntry,
    library: &'static str,
    until: &'static str,
    found: Finding,
}

/// One finding for the arguments of a call or file that some releases reject: which of them is installed is one question.
fn advice_in_one(class: &str, mut removed: Vec<Removed<'_>>) -> Option<Finding> {
    /// More names make the message too long.
    const MAX_NAMES: usize = 2;
    removed.sort_by_key(|one| one.given.key_place);
    if removed.len() < 2 {
        return removed.pop().map(|one| one.found);
    }
    let (library, until) = (removed[0].library, removed[0].until);
    if removed.iter().all(|one| (one.library, one.until) == (library, until) && one.found.fixes.is_empty()) {
        return one_for_all(library, until, class, removed.into_iter().map(|one| (one.given, one.found)).collect());
    }
    let count = removed.len();
    let named = |one: &Removed<'_>| format!("`{}` ({} {})", one.given.key, one.library, one.until);
    let names: Vec<String> = removed.iter().take(MAX_NAMES).map(named).collect();
    let (en, zh) = (names.join(", "), names.join("、"));
    let more = count.saturating_sub(MAX_NAMES);
    let message = if more == 0 {
        message!("later releases reject {en} in {class}", "较新的版本拒绝 {class} 中的 {zh}")
    } else {
        message!(
            "later releases reject {count} arguments of {class}: {en} and {more} more",
            "较新的版本拒绝 {class} 的 {count} 个参数：{zh} 等"
        )
    };
    let advice: Vec<Message> = removed
        .iter()
        .filter_map(|one| {
            let (name, Message { en, zh }) = (&one.given.key, one.found.help.as_ref()?);
            Some(message!("`{name}`: {en}", "`{name}`：{zh}"))
        })
        .collect();
    let mut edits = Vec::new();
    let mut removed = removed.into_iter();
    let Removed { mut found, .. } = removed.next()?;
    edits.extend(found.fixes.drain(..).flat_map(|fix| fix.edits));
    for one in removed {
        let (library, until) = (one.library, one.until);
        let place = one.given.key_place;
        found = found.with_related(place, message!("rejected since {library} {until}", "自 {library} {until} 起被拒绝"));
        edits.extend(one.found.fixes.into_iter().flat_map(|fix| fix.edits));
    }
    found.message = message;
    found.help = (!advice.is_empty()).then(|| joined(&advice));
    if !edits.is_empty() {
        let title = message!("rename them, or remove what has no effect", "改名，或删除已无作用的参数");
        found = found.with_fix(Fix { title, applicability: Applicability::Unsafe, edits });
    }
    Some(found)
}

/// Several pieces of advice, each on its line.
fn joined(advice: &[Message]) -> Message {
    let lines = |of: fn(&Message) -> &str| advice.iter().map(of).collect::<Vec<_>>().join("\n");
    Message { en: lines(|one| &one.en), zh: lines(|one| &one.zh) }
}

/// Removed arguments of one call or file by library and release.
type Together<'a> = BTreeMap<(&'static str, &'a str), Vec<(&'a ArgumentEntry, Finding)>>;

/// One finding for the arguments that one release dropped.
fn one_for_all(library: &str, until: &str, class: &str, dropped: Vec<(&ArgumentEntry, Finding)>) -> Option<Finding> {
    /// More names make the message too long.
    const MAX_NAMES: usize = 3;
    let count = dropped.len();
    let names: Vec<String> = dropped.iter().take(MAX_NAMES).map(|(given, _)| format!("`{}`", given.key)).collect();
    let (en, zh, more) = (names.join(", "), names.join("、"), count.saturating_sub(MAX_NAMES));
    let mut dropped = dropped.into_iter();
    let (_, mut first) = dropped.next()?;
    if count > 1 {
        first.message = if more == 0 {
            message!("{library} {until} and later reject {en} in {class}", "{library} 从 {until} 起拒绝 {class} 中的 {zh}")
        } else {
            message!(
                "{library} {until} and later reject {count} arguments of {class}: {en} and {more} more",
                "{library} 从 {until} 起拒绝 {class} 的 {count} 个参数：{zh} 等"
            )
        };
    }
    for (given, _) in dropped {
        first = first.with_related(given.key_place, message!("rejected too", "同样会被拒绝"));
    }
    Some(first)
}

/// The old name of a value that is still taken, with a warning (trl 1.15.0 and 1.16.0 trainer/sft_config.py, run; 1.12.0 to 1.14.0 have
/// it without one).
fn old_value(cx: &Context<'_>, set: &ArgumentSet, reported: &mut ReportedFindings, out: &mut Sink) {
    let Some(given) = set.get("loss_type").filter(|_| set.has_class("trl.SFTConfig")) else { return };
    let old = given.value.as_ref().and_then(Value::as_str) == Some("chunked_nll");
    let span = VersionRange::since("trl", "1.15");
    let warned = version_gate::severity(cx.project, set.file(), &span, Severity::Info).is_some();
    if !old || !warned || !reported.insert(given.place, "") {
        return;
    }
    let message = message!(
        "loss_type chunked_nll is deprecated since trl 1.15: nll computes the same loss",
        "trl 1.15 起 loss_type chunked_nll 已弃用：nll 计算相同的损失"
    );
    let found = finding_of(cx, set, &RULE, Severity::Info, given.place, message).with_help(message!("use `nll`", "改为 `nll`"));
    let edit = set_to(cx.project, given, &Value::Text("nll".to_owned()));
    out.push(with_fix(found, message!("use `nll`", "改为 `nll`"), Applicability::Unsafe, edit));
}

/// Code that asks for the version, or looks at the parameters, before it makes the call knows what it does.
fn speaks_of_versions(set: &ArgumentSet) -> bool {
    set.library_call().is_some_and(calls::looks_version_dependent)
}

/// The same of one argument.
pub(in crate::syntax_and_keys) fn settled(set: &ArgumentSet, given: &ArgumentEntry) -> bool {
    let condition = set.library_call().and_then(|call| call.condition.as_deref());
    given.by == PassedBy::Uncertain || condition.is_some_and(|condition| calls::asks_for(condition, &given.key))
}

fn advice(name: &str, instead: Option<&str>) -> Option<Message> {
    Some(match name {
        "warmup_ratio" => message!(
            "use `warmup_steps`: a value below 1 is the fraction of all steps",
            "改用 `warmup_steps`：小于 1 的值表示占总步数的比例"
        ),
        "group_by_length" => {
            message!("use `train_sampling_strategy=\"group_by_length\"`", "改为 `train_sampling_strategy=\"group_by_length\"`")
        }
        "max_prompt_length" => message!(
            "prompts are no longer truncated, and long ones use more memory; truncate them in the dataset",
            "提示不再被截断，过长的提示会占用更多显存；请在数据集中截断"
        ),
        _ if IDLE.contains(&name) => message!("remove it: it no longer has any effect", "删除它：它已不起作用"),
        _ => {
            let near = successor(name).map(|(near, _)| near).or(instead).filter(|near| !near.is_empty())?;
            message!("use `{near}`", "改用 `{near}`")
        }
    })
}

fn successor(name: &str) -> Option<(&'static str, bool)> {
    SUCCESSORS.iter().find(|(old, ..)| *old == name).map(|(_, new, plain)| (*new, *plain))
}

/// The rename where value and meaning stay, else the removal of what has no effect.
fn fix(cx: &Context<'_>, set: &ArgumentSet, given: &ArgumentEntry, certain: bool) -> Option<Fix> {
    let name = given.key.as_str();
    let safe = if certain { Applicability::Safe } else { Applicability::Unsafe };
    if name == "group_by_length" {
        let on = set.bool_of(given.value.as_ref()?)?;
        if !on {
            let edits = vec![remove(cx.project, set, given)?];
            return Some(Fix { title: message!("remove it", "删除它"), applicability: safe, edits });
        }
        let text = match given.by {
            PassedBy::Keyword => "train_sampling_strategy=\"group_by_length\"",
            PassedBy::File if !cx.project.file(given.place.file).data()?.json => "train_sampling_strategy: group_by_length",
            _ => return None,
        };
        let title = message!("write {text}", "改为 {text}");
        return Some(Fix { title, applicability: safe, edits: vec![edit::replace(given.place, text)] });
    }
    if IDLE.contains(&name) {
        let edits = vec![remove(cx.project, set, given)?];
        return Some(Fix { title: message!("remove it", "删除它"), applicability: safe, edits });
    }
    if name == "max_prompt_length" {
        let edits = vec![remove(cx.project, set, given)?];
        return Some(Fix { title: message!("remove it", "删除它"), applicability: Applicability::Unsafe, edits });
    }
    let share =
        matches!(given.value, Some(Value::Float(share)) if (0.0..1.0).contains(&share)) || given.value == Some(Value::Int(0));
    let (new, plain) = match name {
        "warmup_ratio" if share => ("warmup_steps", true),
        "warmup_ratio" => return None,
        _ => successor(name)?,
    };
    if !plain || new.is_empty() || set.get(new).is_some() {
        return None;
    }
    let edits = vec![rename(cx.project, given, new)?];
    Some(Fix { title: message!("rename it to `{new}`", "改名为 `{new}`"), applicability: safe, edits })
}

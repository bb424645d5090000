//! Keys and flags that Axolotl, LLaMA-Factory, ms-swift and OpenRLHF once had.

use crate::syntax_and_keys::removed_key::RULE;
use crate::{Context, Sink, frameworks};
use vramlint_base::{Applicability, Finding, Fix, Severity, Value, message};
use vramlint_catalog::Dialect;
use vramlint_catalog::frameworks::Unknown;
use vramlint_edit as edit;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::class_fields::{self, FieldStatus};
use vramlint_semantic::frameworks::{FrameworkConfig, FrameworkSetting};
use vramlint_semantic::version_gate;

/// What Axolotl's schema says of a key that it keeps only to reject it or to warn.
#[derive(Clone, Copy)]
enum Said {
    /// It raises where the value is true.
    RefusesTrue,
    /// It raises where there is a value.
    RefusesAny,
    /// It warns of it.
    Warns,
}

/// The key, what becomes of it, the first release looked at that does so, and its successor.
/// axolotl utils/schemas/deprecated.py (0.5.2, 0.8.1, 0.12.2, 0.13.1, 0.16.1, 0.18.0, 0.19.0), run with 0.18.0.
const AXOLOTL: &[(&str, Said, Option<&str>, &str)] = &[
    ("max_packed_sequence_len", Said::RefusesTrue, None, "sample_packing"),
    ("rope_scaling", Said::RefusesTrue, None, "overrides_of_model_config.rope_scaling"),
    ("flash_attn_rms_norm", Said::RefusesTrue, Some("0.18.0"), ""),
    ("s2_attention", Said::RefusesTrue, Some("0.18.0"), ""),
    ("dpo_use_logits_to_keep", Said::RefusesAny, Some("0.16.1"), ""),
    ("dpo_generate_during_eval", Said::RefusesAny, Some("0.16.1"), ""),
    ("dpo_norm_loss", Said::RefusesAny, Some("0.16.1"), ""),
    ("rpo_alpha", Said::RefusesAny, Some("0.16.1"), ""),
    ("noisy_embedding_alpha", Said::Warns, None, "neftune_noise_alpha"),
    ("dpo_beta", Said::Warns, None, "rl_beta"),
    ("evaluation_strategy", Said::Warns, None, "eval_strategy"),
    ("eval_table_size", Said::Warns, Some("0.16.1"), "generate_samples"),
    ("eval_max_new_tokens", Said::Warns, Some("0.16.1"), "generation_max_new_tokens"),
];

/// What LLaMA-Factory and OpenRLHF call it now.
const SUCCESSORS: &[(&str, &str)] = &[
    ("dpo_beta", "pref_beta"),
    ("dpo_loss", "pref_loss"),
    ("dpo_ftx", "pref_ftx"),
    ("orpo_beta", "pref_beta"),
    ("new_special_tokens", "add_special_tokens"),
    ("image_dir", "media_dir"),
    ("evaluation_strategy", "eval_strategy"),
    ("train_type", "tuner_type"),
    ("sft_type", "tuner_type"),
    ("micro_train_batch_size", "train.micro_batch_size"),
    ("train_batch_size", "train.batch_size"),
    ("micro_rollout_batch_size", "rollout.micro_batch_size"),
    ("rollout_batch_size", "rollout.batch_size"),
    ("n_samples_per_prompt", "rollout.n_samples_per_prompt"),
    ("zero_stage", "ds.zero_stage"),
    ("max_epochs", "train.max_epochs"),
    ("max_len", "data.max_len"),
    ("dataset", "data.dataset"),
    ("packing_samples", "ds.packing_samples"),
];

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for keys in cx.framework_configs() {
        let Some(class) = keys.class() else { continue };
        for (name, setting) in keys.top_level() {
            let listed = if keys.dialect == Dialect::Axolotl { kept(cx, keys, name, setting) } else { None };
            let found = listed.or_else(|| {
                let standing = class_fields::status(cx.project, keys.file.id, &[class], name);
                let FieldStatus::Removed { certain, library, until, instead } = standing else { return None };
                // The framework itself, or a fork: its examples go with its own source.
                if library == keys.tool() && frameworks::source_mentions(cx, keys, name) {
                    return None;
                }
                gone(keys, (name, setting), certain, (library, until), instead)
            });
            if let Some(found) = found.filter(|_| out.mark_reported(setting.key)) {
                out.push(found);
            }
        }
    }
}

/// A key that Axolotl's schema still has, to reject it or to warn of it.
fn kept(cx: &Context<'_>, keys: &FrameworkConfig<'_>, name: &str, setting: &FrameworkSetting) -> Option<Finding> {
    let (_, said, since, instead) = AXOLOTL.iter().find(|(key, ..)| *key == name)?;
    let counts = match said {
        Said::RefusesTrue => keys.is_on(name),
        Said::RefusesAny | Said::Warns => keys.is_set(name),
    };
    let certain = if matches!(said, Said::Warns) { Severity::Info } else { frameworks::of_one_key(cx, keys) };
    let severity = match since {
        Some(since) => version_gate::severity(cx.project, keys.file.id, &VersionRange::since("axolotl", since), certain)?,
        None => certain,
    };
    if !counts {
        return None;
    }
    let from = since.map_or_else(String::new, |since| format!(" {since}"));
    let what = if certain == Severity::Info {
        message!("Axolotl{from} warns: `{name}` is deprecated", "Axolotl{from} 会警告：`{name}` 已弃用")
    } else {
        message!("Axolotl{from} rejects this file: `{name}` was removed", "Axolotl{from} 会拒绝此文件：`{name}` 已删除")
    };
    let mut found = RULE.finding(setting.key, what).with_severity(severity);
    if !instead.is_empty() {
        found = found.with_help(message!("use `{instead}`", "改用 `{instead}`"));
    }
    let same = matches!(name, "dpo_beta" | "noisy_embedding_alpha" | "evaluation_strategy");
    found.fixes.extend(fix(keys, setting, if same { Some(instead) } else { None }));
    Some(found)
}

fn gone(
    keys: &FrameworkConfig<'_>,
    (name, setting): (&str, &FrameworkSetting),
    certain: bool,
    (library, until): (&str, &str),
    instead: Option<&str>,
) -> Option<Finding> {
    // Each release of a framework goes with few of transformers: without a pin of that nothing is known.
    if !certain && library != keys.tool() {
        return None;
    }
    let refuses = keys.dialect.unknown_keys.in_file != Unknown::Dropped;
    let severity = match (certain, refuses) {
        (true, true) if keys.is_launched() => Severity::Error,
        (true, _) => Severity::Warning,
        (false, _) => Severity::Info,
    };
    let what = if refuses {
        message!("{library} {until} and later reject `{name}`", "{library} 从 {until} 起拒绝 `{name}`")
    } else {
        message!("{library} {until} and later ignore `{name}`", "{library} 从 {until} 起会忽略 `{name}`")
    };
    let mut found = RULE.finding(setting.key, what).with_severity(severity);
    let class = keys.class()?;
    let known = |key: &&str| class.field(key).is_some_and(vramlint_catalog::classes::Field::is_current);
    let successor = SUCCESSORS.iter().find(|(old, _)| *old == name).map(|(_, new)| *new).or(instead).filter(known);
    if let Some(successor) = successor {
        found = found.with_help(message!("use `{successor}`", "改用 `{successor}`"));
    }
    found.fixes.extend(fix(keys, setting, successor));
    Some(found)
}

/// The successor's name where it means the same, else the removal of the line. Both change what is trained.
fn fix(keys: &FrameworkConfig<'_>, setting: &FrameworkSetting, successor: Option<&str>) -> Option<Fix> {
    let file = keys.project.file(setting.key.file);
    if let Some(new) = successor {
        if keys.place(new).is_some() {
            return None;
        }
        return keys.rename_fix(setting, new);
    }
    if setting.by_flag {
        return None;
    }
    let root = file.data()?.root()?;
    let (key, value) = root.entries().find(|(key, _)| key.range() == setting.key.range)?;
    let edit = edit::remove_entry(file, key.range(), value.range())?;
    let off = matches!(setting.value, Some(Value::Bool(false) | Value::Null));
    let applicability = if off { Applicability::Safe } else { Applicability::Unsafe };
    Some(Fix { title: message!("remove the key", "删除该键"), applicability, edits: vec![edit] })
}

//! Values that a framework does not take.

use crate::syntax_and_keys::invalid_value::{RULE, did_you_mean};
use crate::{Context, Sink};
use vramlint_base::{Applicability, Finding, Fix, Message, Value, message};
use vramlint_catalog::{
    Dialect,
    classes::{self, Field},
    frameworks::{FileTypes, Unknown, VllmShare},
    keys::{self, KeyType},
};
use vramlint_edit as edit;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::{
    frameworks::{FrameworkConfig, FrameworkSetting},
    version_gate,
};

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for keys in cx.framework_configs() {
        for (name, setting) in keys.top_level() {
            if let Some(found) = judge(cx, keys, name, setting).filter(|_| out.mark_reported(setting.key)) {
                out.push(found);
            }
        }
        if let Some((_, found)) = share(keys).filter(|(place, _)| out.mark_reported(*place)) {
            out.push(found);
        }
    }
}

fn judge(cx: &Context<'_>, keys: &FrameworkConfig<'_>, name: &str, setting: &FrameworkSetting) -> Option<Finding> {
    let value = setting.value.as_ref()?;
    match keys.dialect {
        Dialect::Axolotl if !setting.by_flag => {
            let text = value.as_str().filter(|text| !text.is_empty())?;
            axolotl(keys, name, text).then_some(())?;
            let near = || keys::nearest(text, values(keys, name));
            let meant = if name == "attn_implementation" { attention(text).or_else(near) } else { near() };
            let found = finding(setting, name, text, "Axolotl", meant);
            if name == "attn_implementation" {
                // Older releases hand the name on.
                let severity =
                    version_gate::severity(cx.project, keys.file.id, &VersionRange::since("axolotl", "0.18.0"), RULE.severity)?;
                return Some(found.with_severity(severity));
            }
            Some(found)
        }
        Dialect::LlamaFactory => {
            if matches!(name, "quantization_bit" | "ref_model_quantization_bit" | "reward_model_quantization_bit") {
                return bits(keys, name, setting, value);
            }
            let text = value.as_str()?;
            if name == "pref_loss" && keys.text("stage") != Some("dpo") {
                return None;
            }
            let field = keys.class()?.field(name).filter(|field| field.library == keys.tool() && field.is_closed())?;
            let values = field.all_values();
            let meant = if text == "qlora" { Some("lora") } else { keys::nearest(text, values.iter().copied()) };
            (!values.contains(&text)).then(|| finding(setting, name, text, "LLaMA-Factory", meant))
        }
        Dialect::Torchtune if name == "dtype" => {
            let text = value.as_str().filter(|text| !values(keys, name).contains(text))?;
            let meant = match text.trim_start_matches("torch.") {
                "bfloat16" => Some("bf16"),
                "float32" | "float" => Some("fp32"),
                other => keys::nearest(other, ["bf16", "fp32"]),
            };
            Some(finding(setting, name, text, "torchtune", meant))
        }
        dialect
            if setting.by_flag && dialect.unknown_keys.on_command_line != Unknown::NotJudged
                || dialect.file_types == FileTypes::Declared =>
        {
            let text = value.as_str()?;
            choice(keys, name, text).then(|| finding(setting, name, text, keys.name(), near(keys, name, text)))
        }
        _ => None,
    }
}

/// Names that people carry over from elsewhere.
fn attention(text: &str) -> Option<&'static str> {
    match text {
        "flash" | "flash_attn" | "flash_attention" | "fa2" | "flash_attn_2" => Some("flash_attention_2"),
        "fa3" | "flash_attn_3" => Some("flash_attention_3"),
        "flex" => Some("flex_attention"),
        "sdp" => Some("sdpa"),
        _ => None,
    }
}

/// Whether Axolotl certainly rejects a value.
fn axolotl(keys: &FrameworkConfig<'_>, name: &str, word: &str) -> bool {
    let Some(field) = keys.class().and_then(|class| class.field(name)) else { return false };
    // Optimizers and kernels of attention may come from the hub.
    let of_hub = matches!(name, "optimizer" | "attn_implementation") && word.contains('/');
    field.is_closed() && field.kind == KeyType::Text && !is_extended(keys, field) && !of_hub && !taken(field, word)
}

/// A flag whose values argparse looks at.
fn choice(keys: &FrameworkConfig<'_>, name: &str, text: &str) -> bool {
    let field = keys.class().and_then(|class| class.field(name)).filter(|field| field.library == keys.tool());
    field.is_some_and(|field| {
        field.kind == KeyType::Text && !field.values.is_empty() && !is_extended(keys, field) && !taken(field, text)
    })
}

/// Whether plugins may bring values of their own.
fn is_extended(keys: &FrameworkConfig<'_>, field: &Field) -> bool {
    field.extended_by.as_deref().is_some_and(|key| !keys.is_unset(key))
}

fn near(keys: &FrameworkConfig<'_>, name: &str, text: &str) -> Option<&'static str> {
    keys::nearest(text, values(keys, name))
}

/// Every value that any release takes for a key.
fn values(keys: &FrameworkConfig<'_>, name: &str) -> Vec<&'static str> {
    let usual = || classes::find(keys.dialect.framework().classes.usual?);
    keys.class().or_else(usual).and_then(|class| class.field(name)).map(Field::all_values).unwrap_or_default()
}

/// Whether any release takes a value.
fn taken(field: &'static Field, text: &str) -> bool {
    field.all_values().contains(&text)
}

/// Bits that no method of LLaMA-Factory quantizes to, as far as the method is known.
fn bits(keys: &FrameworkConfig<'_>, name: &str, setting: &FrameworkSetting, value: &Value) -> Option<Finding> {
    let number = value.as_int()?;
    let method = match keys.place("quantization_method") {
        None => "bnb",
        Some(_) => keys.text("quantization_method")?,
    };
    let taken: &[i64] = match method {
        _ if name != "quantization_bit" => &[4, 8],
        "bnb" | "bitsandbytes" => &[4, 8],
        "hqq" => &[1, 2, 3, 4, 5, 6, 8],
        "eetq" => &[8],
        _ => return None,
    };
    (!taken.contains(&number)).then(|| {
        let what = message!(
            "LLaMA-Factory rejects {name} {number}: {method} supports only 4 and 8",
            "LLaMA-Factory 拒绝 {name} {number}：{method} 只支持 4 与 8"
        );
        let what = if taken == [4, 8] {
            what
        } else {
            message!("LLaMA-Factory rejects {name} {number} with {method}", "LLaMA-Factory 拒绝 {name} {number}（{method}）")
        };
        RULE.finding(setting.place, what).with_severity(RULE.severity)
    })
}

/// The share of the GPU that vLLM takes: above 0 and at most 1 (vllm config/cache.py).
fn share(keys: &FrameworkConfig<'_>) -> Option<(vramlint_base::FileRange, Finding)> {
    let counts =
        |share: &&VllmShare| keys.is_on(share.if_on) && share.if_text.is_none_or(|(key, text)| keys.text(key) == Some(text));
    let key = keys.dialect.vllm_shares.iter().find(counts)?.key;
    let number = keys.number(key).filter(|number| *number <= 0.0 || *number > 1.0)?;
    let place = keys.place(key)?;
    let why: Message = message!(
        "{key} is {number}: vLLM needs a fraction of GPU memory above 0 and at most 1",
        "{key} 为 {number}：vLLM 需要大于 0、不超过 1 的显存比例"
    );
    let mut found = RULE.finding(place, why).with_severity(RULE.severity);
    if (5.0..=100.0).contains(&number) {
        let meant = Value::Float(number / 100.0);
        found = found.with_help(did_you_mean(&meant));
        found.fixes.push(Fix {
            title: message!("write {meant}", "改为 {meant}"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(place, meant.to_string())],
        });
    }
    Some((place, found))
}

fn finding(setting: &FrameworkSetting, name: &str, text: &str, by: &str, meant: Option<&str>) -> Finding {
    let what = message!("{by} rejects `{text}` for {name}", "{by} 拒绝 {name} 的值 `{text}`");
    let mut found = RULE.finding(setting.place, what).with_severity(RULE.severity);
    if let Some(meant) = meant {
        found = found.with_help(did_you_mean(&Value::Text(meant.to_owned())));
        if setting.place != setting.key {
            found.fixes.push(Fix {
                title: message!("write {meant}", "改为 {meant}"),
                applicability: Applicability::Unsafe,
                edits: vec![edit::replace(setting.place, meant)],
            });
        }
    }
    found
}

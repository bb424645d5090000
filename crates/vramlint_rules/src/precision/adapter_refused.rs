//! # adapter-refused
//!
//! `LoraConfig` has values that PEFT rejects: a rank of 0, a string for a number, `"all"` as target, PiSSA on a quantized model.
//!
//! ## Why it matters
//! The configuration itself checks little: most errors are raised only when the adapters are added to the model, after it was loaded.
//! OpenRLHF turns adapters off with rank 0 and LLaMA-Factory targets everything with `all`; PEFT supports neither.
//!
//! ## Example
//! ```python file=train.py
//! from peft import LoraConfig
//!
//! adapter = LoraConfig(r=0, lora_alpha=16)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from peft import LoraConfig
//!
//! adapter = LoraConfig(r=8, lora_alpha=16)
//! ```
//!
//! ## Fix
//! Safe if the meaning is unambiguous: `"all-linear"` for `"all"`, the number for its string, `"CAUSAL_LM"` for `"causal_lm"`. Also
//! offered: a list for a single name, which PEFT parses as a pattern for the whole path.
//!
//! ## When it stays silent
//! If a value is not known or comes from the command line. An empty list and a rank of 0 are reported only where the call itself has them:
//! elsewhere the list is filled before its use, and a rank of 0 means that no adapters are wanted.
//!
//! ## Sources
//! peft 0.21.2 `tuners/lora/layer.py`, `tuners/tuners_utils.py`, `config.py`, each run on a small Llama.
//!
//! # 中文
//!
//! `LoraConfig` 有 PEFT 会拒绝的值：秩为 0、以字符串代替数字、目标写成 `"all"`、在量化模型上用 PiSSA。
//!
//! ## 为什么重要
//! 该配置自身几乎不检查：大多要到模型加载之后、加上适配器时才报错。OpenRLHF 用秩 0 表示关闭适配器，LLaMA-Factory 用 `all` 表示全部；PEFT 两者都不支持。
//!
//! ## 何时不报
//! 值无法得知，或来自命令行。空列表与秩 0 只在直接写于该调用时报告：写在别处的列表会在使用前填充，秩 0 则表示不要适配器。
//!
//! ## 修复
//! 含义明确时是安全的：`"all"` 改为 `"all-linear"`，字符串改为数字，`"causal_lm"` 改为 `"CAUSAL_LM"`。若目标是单个名称（PEFT 会把它当作匹配完整路径的模
//! 式），也会建议改为列表。
//!
//! ## 来源
//! peft 0.21.2 `tuners/lora/layer.py`、`tuners/tuners_utils.py`、`config.py`，均在小型 Llama 上实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Message, Severity, Value, message};
use vramlint_resolve::CallRef;
use vramlint_resolve::code::{ArgValue, CallArgument, LibraryCall};
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::{calls, version_gate};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL446", "adapter-refused", Severity::Error, page!("adapter_refused.rs"), check)
};

/// peft 0.21.2 utils/peft_types.py.
const TASKS: &[&str] = &["SEQ_CLS", "SEQ_2_SEQ_LM", "CAUSAL_LM", "TOKEN_CLS", "QUESTION_ANS", "FEATURE_EXTRACTION"];

/// What is wrong with a value, and its unambiguous repair.
struct Wrong {
    message: Message,
    help: Message,
    fix: Option<String>,
}

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        if !call.is("peft", "LoraConfig") || call.is_subclass {
            continue;
        }
        for argument in &call.arguments {
            let Some(name) = argument.name.as_deref() else { continue };
            let Some(value) = argument.sole_value() else { continue };
            let ArgValue::Known(known) = &value.value else { continue };
            let wrong = wrong(name, known).or_else(|| on_model(at, call, name, known));
            // Elsewhere an empty list is one to be filled, and a rank of 0 means that no adapters are wanted.
            if is_start_value(name, known) && !call.place.range.contains(value.place.range) {
                continue;
            }
            // Parameters may be adapted instead of modules.
            if name == "target_modules" && *known == Value::List(Vec::new()) && !call.lacks("target_parameters", None) {
                continue;
            }
            // Task names are checked since peft 0.14 (0.13.2 accepts any).
            let severity = if name == "task_type" {
                version_gate::severity(cx.project, value.place.file, &VersionRange::since("peft", "0.14"), RULE.severity)
            } else {
                Some(RULE.severity)
            };
            let Some(severity) = severity else { continue };
            let Some(wrong) = wrong.filter(|_| out.mark_reported(value.place)) else { continue };
            let mut finding = RULE.finding(value.place, wrong.message).with_severity(severity).with_help(wrong.help);
            if !call.place.range.contains(value.place.range) {
                finding = finding.with_related(call.place, calls::reached_message(call));
            }
            if let Some(fix) = wrong.fix.and_then(|text| calls::replace_argument(argument, value, text, Applicability::Safe)) {
                finding = finding.with_fix(fix);
            }
            out.push(finding);
        }
    }
}

fn is_start_value(name: &str, value: &Value) -> bool {
    match name {
        "r" => matches!(value, Value::Int(0)),
        "target_modules" => *value == Value::List(Vec::new()),
        _ => false,
    }
}

fn wrong(name: &str, value: &Value) -> Option<Wrong> {
    match name {
        "r" => rank(value),
        "lora_alpha" => match value {
            Value::Text(text) => Some(text_for_number("lora_alpha", text)),
            _ => None,
        },
        "lora_dropout" => dropout(value),
        "target_modules" => targets(value),
        "bias" if !matches!(value, Value::Text(text) if matches!(text.as_str(), "none" | "all" | "lora_only")) => Some(Wrong {
            message: message!(
                "`bias = {value}` raises an error in PEFT: expected one of 'none', 'all', 'lora_only'",
                "`bias = {value}` 在 PEFT 中会报错：应为 'none'、'all'、'lora_only' 之一"
            ),
            help: message!("'none' trains no bias", "'none' 表示不训练偏置"),
            fix: (*value == Value::Bool(false)).then(|| "\"none\"".to_owned()),
        }),
        "task_type" => {
            let text = value.as_str().filter(|text| !TASKS.contains(text))?;
            let known = TASKS.iter().find(|task| task.eq_ignore_ascii_case(text));
            Some(Wrong {
                message: message!(
                    "`task_type = '{text}'` is not a task type; peft 0.14 and later raise an error",
                    "`task_type = '{text}'` 不是任务类型；peft 0.14 起会报错"
                ),
                help: message!("expected one of: {tasks}", "可选：{tasks}", tasks = TASKS.join(", ")),
                fix: known.map(|known| format!("\"{known}\"")),
            })
        }
        _ => None,
    }
}

fn rank(value: &Value) -> Option<Wrong> {
    let (message, fix) = match value {
        Value::Int(rank) if *rank <= 0 => {
            (message!("`r = {rank}` raises an error: the rank must be positive", "`r = {rank}` 会报错：秩须为正数"), None)
        }
        Value::Text(text) => return Some(text_for_number("r", text)),
        Value::Float(rank) => {
            let whole = (rank.fract() == 0.0 && *rank > 0.0).then(|| format!("{rank:.0}"));
            (message!("`r = {rank:?}` raises an error: the rank must be an integer", "`r = {rank:?}` 会报错：秩须为整数"), whole)
        }
        _ => return None,
    };
    Some(Wrong {
        message,
        help: message!(
            "set a rank such as 8, or remove the configuration to train without adapters",
            "设置秩（如 8）；若不用适配器，请去掉该配置"
        ),
        fix,
    })
}

fn text_for_number(name: &str, text: &str) -> Wrong {
    Wrong {
        message: message!(
            "`{name} = '{text}'` is a string; PEFT expects a number and raises an error",
            "`{name} = '{text}'` 是字符串；PEFT 要求数字，会报错"
        ),
        help: message!("remove the quotes", "去掉引号"),
        fix: text.trim().parse::<i64>().ok().filter(|number| *number > 0).map(|number| number.to_string()),
    }
}

fn dropout(value: &Value) -> Option<Wrong> {
    match value {
        Value::Text(text) => {
            let number = text.trim().parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
            Some(Wrong { fix: number.map(|number| format!("{number:?}")), ..text_for_number("lora_dropout", text) })
        }
        _ if value.as_float().is_some_and(|rate| rate > 1.0) => Some(Wrong {
            message: message!(
                "`lora_dropout = {value}` raises an error: a probability is at most 1",
                "`lora_dropout = {value}` 会报错：概率最大为 1"
            ),
            help: message!("write 5 percent as 0.05", "5% 写作 0.05"),
            fix: None,
        }),
        _ => None,
    }
}

/// Spellings of "everything" that PEFT does not support. A string target is a pattern for the whole path of a module.
fn targets(value: &Value) -> Option<Wrong> {
    let everything =
        |text: &str| matches!(text, "all" | "all_linear" | "all-linears" | "all_linears" | "linear" | "all-linear-layers");
    let all = |shown: &str| Wrong {
        message: message!(
            "`target_modules = {shown}` matches no module; PEFT raises an error",
            "`target_modules = {shown}` 匹配不到任何模块；PEFT 会报错"
        ),
        help: message!(
            "use 'all-linear' for every linear layer, as a string and not in a list",
            "用字符串 'all-linear' 表示所有线性层，不要写成列表"
        ),
        fix: Some("\"all-linear\"".to_owned()),
    };
    match value {
        Value::Text(text) if text.eq_ignore_ascii_case("all-linear") => None,
        Value::Text(text) if everything(text) => Some(all(&format!("'{text}'"))),
        Value::Text(text) => {
            let names: Vec<&str> = text.split(',').map(str::trim).collect();
            // A plain name without wildcards can only match a module at the root, and no model has a linear one there.
            let plain = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let layer =
                |name: &&str| name.ends_with("_proj") || name.ends_with("_attn") || matches!(*name, "query_key_value" | "dense");
            (names.iter().all(plain) && names.iter().all(layer)).then(|| Wrong {
                message: message!(
                    "`target_modules = '{text}'` is a pattern for whole paths and matches no module; PEFT raises an error",
                    "`target_modules = '{text}'` 会被当作完整路径的模式，匹配不到任何模块；PEFT 会报错"
                ),
                help: message!("write the names as a list", "以列表给出名称"),
                fix: Some(format!("[{}]", names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "))),
            })
        }
        Value::List(items) => match items.as_slice() {
            [Value::Text(text)] if everything(text) || text == "all-linear" => Some(all(&format!("['{text}']"))),
            [] => Some(Wrong {
                message: message!(
                    "`target_modules = []` leaves nothing to adapt; PEFT raises an error",
                    "`target_modules = []` 没有可加适配器的模块；PEFT 会报错"
                ),
                help: message!(
                    "list the modules, or remove it to use the defaults of the architecture",
                    "列出模块名，或省略以使用该架构的默认值"
                ),
                fix: None,
            }),
            _ => None,
        },
        _ => None,
    }
}

/// Values that are wrong only for the model to which the adapters are added.
fn on_model(at: &CallRef, config: &LibraryCall, name: &str, value: &Value) -> Option<Wrong> {
    let own = |what: &ArgValue| matches!(what, ArgValue::ResultOf(index) if at.facts.calls[*index].place == config.place);
    let takes = |argument: &CallArgument| argument.sole_value().is_some_and(|value| own(&value.value));
    let user = at.facts.calls.iter().find(|call| call.argument("peft_config", Some(1)).is_some_and(takes))?;
    match name {
        "init_lora_weights" => {
            let text = value.as_str().filter(|text| text.starts_with("pissa"))?;
            let model = user.argument("model", Some(0))?.sole_value()?;
            let (_, bits) = calls::quantization(at, calls::load_of(at, &model.value)?)?;
            Some(Wrong {
                message: message!(
                    "`init_lora_weights = '{text}'` needs unquantized weights; on a {bits}-bit model PEFT raises an error",
                    "`init_lora_weights = '{text}'` 需要未量化的权重；在 {bits} 位模型上 PEFT 会报错"
                ),
                help: message!("remove it, or load the model without quantization", "去掉该项，或不量化加载模型"),
                fix: None,
            })
        }
        _ => None,
    }
}

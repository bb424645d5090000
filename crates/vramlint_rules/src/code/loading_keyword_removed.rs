//! # loading-keyword-removed
//!
//! `from_pretrained` gets a keyword that transformers 5 has removed: `load_in_4bit`, `use_flash_attention_2`.
//!
//! ## Why it matters
//! `from_pretrained` passes unknown keywords to the constructor of the model, which raises a `TypeError`, even if the value is
//! `False`. Use `quantization_config` for quantization and `attn_implementation` for the attention implementation.
//!
//! ## Example
//! ```text file=requirements.txt
//! transformers==5.23.0
//! ```
//! ```python file=train.py
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", load_in_4bit=True)
//! ```
//!
//! ## Use instead
//! ```text file=requirements.txt
//! transformers==5.23.0
//! ```
//! ```python file=train.py
//! import torch
//! from transformers import AutoModelForCausalLM, BitsAndBytesConfig
//!
//! quantization = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", quantization_config=quantization)
//! ```
//!
//! ## Fix
//! Safe: replaces the keyword by its successor (and adds the import), or removes it if it is off.
//!
//! ## Severity
//! An info finding if the version of transformers is not known: transformers 4 accepts these keywords.
//!
//! ## When it stays silent
//! With transformers 4; for the loaders of other libraries (unsloth has its own `load_in_4bit`); if a handler catches the
//! error.
//!
//! ## Sources
//! transformers 5.23.0 `modeling_utils.py`, run; 4.57.1 takes them with a warning, read.
//!
//! # 中文
//!
//! `from_pretrained` 收到 transformers 5 已删除的关键字：`load_in_4bit`、`use_flash_attention_2`。
//!
//! ## 为什么重要
//! `from_pretrained` 把未知的关键字传给模型的构造函数，后者抛出 `TypeError`，值为 `False` 也一样。量化请用
//! `quantization_config`，注意力实现请用 `attn_implementation`。
//!
//! ## 严重程度
//! transformers 版本未知时仅作提示：transformers 4 接受这些关键字。
//!
//! ## 何时不报
//! 使用 transformers 4；其他库的加载函数（unsloth 有自己的 `load_in_4bit`）；错误会被异常处理捕获。
//!
//! ## 修复
//! 安全：改为后继关键字（并补上导入）；值为关闭时直接删除。
//!
//! ## 来源
//! transformers 5.23.0 `modeling_utils.py`，实际运行；4.57.1 接受并给出警告，阅读源码。

use crate::{Context, DiagnosticTag, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Edit, FileRange, Finding, Fix, Message, Related, Severity, TextRange, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::code::{CallArgument, LibraryCall};
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::{calls, version_gate};
use vramlint_syntax::python::StmtKind;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    tag: Some(DiagnosticTag::Deprecated),
    ..Rule::new("VL602", "loading-keyword-removed", Severity::Error, page!("loading_keyword_removed.rs"), check)
};

/// Gone from transformers 5.0.0 on.
const SPAN: VersionRange = VersionRange::since("transformers", "5.0.0");

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        if !calls::loads_model(call) {
            continue;
        }
        let mut quantization: Option<Finding> = None;
        for argument in call.arguments.iter().filter(|argument| !calls::settled_by_code(call, argument)) {
            let Some(name) = argument.name.as_deref() else { continue };
            let Some(help) = instead(call, argument, name) else { continue };
            let Some(severity) = version_gate::severity(cx.project, call.file, &SPAN, Severity::Error)
                .filter(|_| out.mark_reported(argument.place))
            else {
                continue;
            };
            let text = if severity == Severity::Error {
                message!(
                    "from_pretrained({name}=…) raises an error: transformers 5 has removed this keyword",
                    "from_pretrained({name}=…) 会报错：transformers 5 已删除该关键字"
                )
            } else {
                message!(
                    "from_pretrained({name}=…) raises an error since transformers 5",
                    "自 transformers 5 起，from_pretrained({name}=…) 会报错"
                )
            };
            let mut finding = RULE.finding(argument.place, text).with_severity(severity).with_help(help);
            if !call.place.range.contains(argument.place.range) {
                finding = finding.with_related(call.place, calls::reached_message(call));
            }
            if let Some(fix) = fix(cx, call, argument, name).filter(|_| severity == Severity::Error) {
                finding = finding.with_fix(fix);
            }
            match &mut quantization {
                _ if !QUANTIZATION.contains(&name) => out.push(finding),
                Some(first) => join(first, finding.place),
                None => quantization = Some(finding),
            }
        }
        out.findings.extend(quantization);
    }
}

/// Two keywords for one thing: `quantization_config` stands for both.
const QUANTIZATION: &[&str] = &["load_in_4bit", "load_in_8bit"];

/// Makes one finding of those of both keywords in one call.
fn join(first: &mut Finding, other: FileRange) {
    let title = if first.severity == Severity::Error {
        message!(
            "from_pretrained(load_in_4bit=…, load_in_8bit=…) raises an error: transformers 5 has removed these keywords",
            "from_pretrained(load_in_4bit=…, load_in_8bit=…) 会报错：transformers 5 已删除这些关键字"
        )
    } else {
        message!(
            "from_pretrained(load_in_4bit=…, load_in_8bit=…) raises an error since transformers 5",
            "自 transformers 5 起，from_pretrained(load_in_4bit=…, load_in_8bit=…) 会报错"
        )
    };
    first.message = title;
    first.related.push(Related { place: other, message: message!("removed, too", "同样已删除") });
    // Each fix alone leaves the error in place.
    first.fixes.clear();
}

/// What certainly repairs it: nothing in its place where it is off, the keyword of today where it is on.
fn fix(cx: &Context<'_>, call: &LibraryCall, argument: &CallArgument, name: &str) -> Option<Fix> {
    let value = argument.constant()?;
    if matches!(value, Value::Bool(false) | Value::Null) {
        return calls::remove_argument(cx.project, call, argument, Applicability::Safe);
    }
    if *value != Value::Bool(true) || !argument.is_explicit {
        return None;
    }
    let (key, text) = match name {
        "use_flash_attention_2" => ("attn_implementation", "attn_implementation=\"flash_attention_2\"".to_owned()),
        "load_in_4bit" | "load_in_8bit" => {
            ("quantization_config", format!("quantization_config=BitsAndBytesConfig({name}=True)"))
        }
        _ => return None,
    };
    if call.argument(key, None).is_some() || call.open {
        return None;
    }
    let mut edits = vec![edit::replace(argument.place, text.clone())];
    if key == "quantization_config" {
        edits.extend(import(cx, call)?);
    }
    Some(Fix { title: message!("write {text}", "改为 {text}"), applicability: Applicability::Safe, edits })
}

/// Brings `BitsAndBytesConfig` in next to the other names of transformers; nothing where it is there. `None` where that cannot be done.
#[allow(clippy::option_option)] // cannot be done, need not be done
fn import(cx: &Context<'_>, call: &LibraryCall) -> Option<Option<Edit>> {
    let module = cx.project.file(call.file).python()?;
    let mut beside = None;
    for stmt in &module.body {
        if let StmtKind::FromImport { module, level: 0, names } = &stmt.kind
            && module == "transformers"
        {
            if names.iter().any(|name| name.name == "BitsAndBytesConfig" && name.alias.is_none()) {
                return Some(None);
            }
            beside = names.last().filter(|name| name.name != "*");
        }
    }
    let end = beside?.range.end;
    Some(Some(edit::replace(FileRange::new(call.file, TextRange::at(end)), ", BitsAndBytesConfig")))
}

fn instead(call: &LibraryCall, argument: &CallArgument, name: &str) -> Option<Message> {
    match name {
        "load_in_4bit" | "load_in_8bit" if call.argument("quantization_config", None).is_some() => {
            Some(message!("remove it: `quantization_config` says it already", "删除它：`quantization_config` 已有说明"))
        }
        "load_in_4bit" | "load_in_8bit" => Some(match argument.constant() {
            Some(Value::Bool(true)) => message!(
                "use `quantization_config=BitsAndBytesConfig({name}=True)` instead",
                "改用 `quantization_config=BitsAndBytesConfig({name}=True)`"
            ),
            Some(Value::Bool(false) | Value::Null) => message!("remove it: it is off", "删除它：它未启用"),
            _ => message!(
                "where it is on, pass `quantization_config=BitsAndBytesConfig({name}=True)` instead",
                "需要时改为传入 `quantization_config=BitsAndBytesConfig({name}=True)`"
            ),
        }),
        "use_flash_attention_2" => Some(message!(
            "use `attn_implementation=\"flash_attention_2\"` instead",
            "改用 `attn_implementation=\"flash_attention_2\"`"
        )),
        "use_auth_token" => Some(message!("use `token` instead", "改用 `token`")),
        _ => None,
    }
}

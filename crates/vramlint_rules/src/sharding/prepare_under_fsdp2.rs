//! # prepare-under-fsdp2
//!
//! Under FSDP 2, `accelerator.prepare()` gets a model without its optimizer, or two models.
//!
//! ## Why it matters
//! FSDP 2 replaces the parameters, so the optimizer must be passed in the same call to use the new ones: `prepare(model)` alone
//! raises a `ValueError`, and so do two models.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 2
//! fsdp_config:
//!   fsdp_version: 2
//!   fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
//! ```
//! ```python file=train.py
//! import torch
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator()
//! model = torch.nn.Sequential(torch.nn.Linear(16, 16))
//! model = accelerator.prepare(model)
//! optimizer = torch.optim.AdamW(model.parameters())
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 2
//! fsdp_config:
//!   fsdp_version: 2
//!   fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
//! ```
//! ```python file=train.py
//! import torch
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator()
//! model = torch.nn.Sequential(torch.nn.Linear(16, 16))
//! optimizer = torch.optim.AdamW(model.parameters())
//! model, optimizer = accelerator.prepare(model, optimizer)
//! ```
//!
//! ## When it stays silent
//! When the prepared objects or FSDP's version are unknown, and before accelerate 1.6, which has no FSDP 2.
//!
//! ## Fix
//! None.
//!
//! ## Sources
//! accelerate 1.15.0 `accelerator.py:1507-1522`, read.
//!
//! # 中文
//!
//! FSDP 2 下的 `accelerator.prepare()` 没有同时给出模型与优化器，或给出了两个模型。
//!
//! ## 为什么重要
//! FSDP 2 会替换参数，优化器必须在同一调用中传入，才能使用新的参数：单独的 `prepare(model)` 会引发 `ValueError`，传入两个模型也一样。
//!
//! ## 何时不报
//! 所准备的对象未知时；FSDP 版本未知时；accelerate 低于 1.6（没有 FSDP 2）时。
//!
//! ## 修复
//! 无。
//!
//! ## 来源
//! accelerate 1.15.0 `accelerator.py:1507-1522`，阅读源码。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Message, Severity, message};
use vramlint_resolve::code::{ArgValue, CodeFacts, LibraryCall};
use vramlint_semantic::accelerate::deepspeed_json;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL512", "prepare-under-fsdp2", Severity::Error, page!("prepare_under_fsdp2.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some(kind) = start.distributed_type().filter(|kind| kind.name == "FSDP" && start.flag("--cpu").is_none()) else {
            continue;
        };
        if start.fsdp_version() != Some(2) || start.project.policy(kind.place.file).target.count == Some(0) {
            continue;
        }
        let Some(run) = start.run.filter(|run| deepspeed_json::is_plain_loop(run)) else { continue };
        let Some(code) = run.code.as_deref() else { continue };
        // A plugin created in the code may have another version.
        if code.calls.iter().any(|call| call.name() == "FullyShardedDataParallelPlugin") {
            continue;
        }
        let prepares = code.calls.iter().filter(|call| call.path == "accelerate.Accelerator.prepare");
        for call in prepares.filter(|call| !call.conditional && !call.caught && !call.open) {
            let Some(message) = refused(cx, code, call) else { continue };
            if out.mark_reported(call.place) {
                let finding = RULE.finding(call.place, message).with_run(&run.id);
                out.push(finding.with_related(kind.place, message!("FSDP 2 is set here", "FSDP 2 在此设置")).with_help(
                    message!("pass one model and its optimizer in the same call", "在同一调用中传入一个模型及其优化器"),
                ));
            }
        }
    }
}

/// The prepared objects; `None` unless all of them are known.
fn refused(cx: &Context<'_>, code: &CodeFacts, call: &LibraryCall) -> Option<Message> {
    let (mut models, mut optimizers) = (0, 0);
    for argument in &call.arguments {
        match argument.sole_value().map(|value| &value.value) {
            Some(ArgValue::Model(_)) => models += 1,
            Some(ArgValue::ResultOf(index)) => {
                let made = code.calls.get(*index)?;
                let path = made.path.as_str();
                if path.starts_with("torch.nn.") {
                    models += 1;
                } else if path.starts_with("torch.optim.lr_scheduler.") || made.is("torch", "DataLoader") {
                } else if path.starts_with("torch.optim.") {
                    optimizers += 1;
                } else {
                    return None;
                }
            }
            // A parameter of the function is known by its name alone.
            _ => match argument.place.range.slice(&cx.project.file(argument.place.file).text) {
                "model" | "net" => models += 1,
                "optimizer" | "optim" => optimizers += 1,
                name if name.ends_with("loader") || name.ends_with("scheduler") => {}
                _ => return None,
            },
        }
    }
    match (models, optimizers) {
        (0, 0) => None,
        (1, 0) => Some(message!(
            "under FSDP 2 prepare() rejects a model without its optimizer",
            "FSDP 2 下 prepare() 拒绝没有优化器的模型"
        )),
        (0, _) => Some(message!(
            "under FSDP 2 prepare() rejects an optimizer without its model",
            "FSDP 2 下 prepare() 拒绝没有模型的优化器"
        )),
        (1, _) => None,
        _ => Some(message!("under FSDP 2 prepare() rejects {models} models", "FSDP 2 下 prepare() 拒绝 {models} 个模型")),
    }
}

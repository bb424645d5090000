//! # accumulation-overruled
//!
//! Another setting overrides the accumulation passed to `Accelerator()`.
//!
//! ## Why it matters
//! `ACCELERATE_GRADIENT_ACCUMULATION_STEPS` always overrides the argument of `Accelerator()`. Under DeepSpeed, the accelerate
//! file's `gradient_accumulation_steps` overrides it silently, the value in the JSON overrides it with a warning, and a JSON
//! without the key means 1. The effective batch size is then not the one in the code.
//!
//! ## Example
//! ```bash file=launch.sh
//! export ACCELERATE_GRADIENT_ACCUMULATION_STEPS=8
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! ```
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator(gradient_accumulation_steps=4)
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! ```
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator(gradient_accumulation_steps=4)
//! ```
//!
//! ## When it stays silent
//! When either number is unknown, and under the trainers of transformers and TRL, which pass their own value to accelerate.
//!
//! ## Fix
//! None: the intended number is unknown.
//!
//! ## Sources
//! accelerate 1.15.0 `accelerator.py:546` and `:2217`, `utils/dataclasses.py:1270`, run, each.
//!
//! # 中文
//!
//! 传给 `Accelerator()` 的梯度累积步数被另一个设置覆盖。
//!
//! ## 为什么重要
//! `ACCELERATE_GRADIENT_ACCUMULATION_STEPS` 总是优先于 `Accelerator()` 的参数。使用 DeepSpeed 时，accelerate 文件中的
//! `gradient_accumulation_steps` 会静默覆盖它，JSON 中的值会覆盖它并给出警告，JSON 没有该键则为 1。此时有效批大小与代码中的不同。
//!
//! ## 何时不报
//! 任一数字未知时；以及 transformers 与 TRL 的 Trainer（它们把自己的值交给 accelerate）。
//!
//! ## 修复
//! 无：无法得知本意是哪个数字。
//!
//! ## 来源
//! accelerate 1.15.0 `accelerator.py:546` 与 `:2217`、`utils/dataclasses.py:1270`，逐项实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, FileRange, Message, Severity, TextRange, Value, message};
use vramlint_resolve::Run;
use vramlint_resolve::code::CodeFacts;
use vramlint_semantic::accelerate::{AccelerateLaunch, deepspeed_json};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OtherBatch, Symptom::NoEffect],
    ..Rule::new("VL511", "accumulation-overruled", Severity::Warning, page!("accumulation_overruled.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let starts = cx.accelerate_launches();
    for run in &cx.project.runs {
        let Some(code) = run.code.as_deref().filter(|_| deepspeed_json::is_plain_loop(run)) else { continue };
        let Some((steps, argument)) = accumulation_in_code(code) else { continue };
        let start = starts.iter().find(|start| start.run.is_some_and(|own| own.id == run.id));
        let Some((now, place, who)) = instead(run, start).filter(|(now, _, _)| *now != steps) else { continue };
        if !out.mark_reported(place) {
            continue;
        }
        let finding = RULE.finding(
            place,
            Message {
                en: format!("{}: gradient_accumulation_steps is {now}, not {steps} as in the code", who.en),
                zh: format!("{}：gradient_accumulation_steps 为 {now}，而不是代码中的 {steps}", who.zh),
            },
        );
        out.push(
            finding
                .with_related(argument, message!("the code sets {steps}", "代码设为 {steps}"))
                .with_run(&run.id)
                .with_help(message!("set it in one place only", "只在一处设置")),
        );
    }
}

/// The number that the code sets, and its place.
fn accumulation_in_code(code: &CodeFacts) -> Option<(i64, FileRange)> {
    let mut calls = code.calls.iter().filter(|call| call.is("accelerate", "Accelerator"));
    let (call, None) = (calls.next()?, calls.next()) else { return None };
    let argument = call.argument("gradient_accumulation_steps", Some(3)).filter(|_| !call.conditional)?;
    Some((argument.constant()?.as_int()?, argument.place))
}

/// The effective number, its place, and the setting that overrides, in words.
fn instead(run: &Run, start: Option<&AccelerateLaunch<'_>>) -> Option<(i64, FileRange, Message)> {
    let launch = run.launch.as_deref();
    let variable = launch.and_then(|launch| Some((launch, launch.variable("ACCELERATE_GRADIENT_ACCUMULATION_STEPS")?)));
    let json = start.and_then(deepspeed_json::deepspeed_json);
    let deepspeed = start.and_then(AccelerateLaunch::distributed_type).is_some_and(|kind| kind.name == "DEEPSPEED");
    if let Some(json) = json {
        if let Some((place, value)) = json.value(&["gradient_accumulation_steps"]) {
            if let Value::Int(now) = value {
                return Some((now, place, message!("the DeepSpeed JSON overrides the code", "DeepSpeed JSON 覆盖代码")));
            }
        } else if json.certain {
            let at = json.root.range().start;
            let place = FileRange::new(json.file.id, TextRange::new(at, at + 1));
            let who = message!(
                "the DeepSpeed JSON has no gradient_accumulation_steps, which means 1",
                "DeepSpeed JSON 没有 gradient_accumulation_steps，即为 1"
            );
            return Some((1, place, who));
        }
    } else if deepspeed {
        // The launcher overwrites the variable with the block's number.
        match start?.block("deepspeed_config", "gradient_accumulation_steps") {
            Evaluated::Known(given) if given.value != Value::Null => {
                let who = message!("accelerate's DeepSpeed settings override the code", "accelerate 的 DeepSpeed 设置覆盖代码");
                return Some((given.as_int()?, given.place, who));
            }
            Evaluated::Unknown(_) => return None,
            _ => {}
        }
    }
    let (launch, variable) = variable.filter(|(_, variable)| !variable.conditional)?;
    let now = variable.value.text()?.trim().parse().ok()?;
    let name = &variable.name;
    Some((now, FileRange::new(launch.file, variable.range), message!("{name} overrides the code", "{name} 覆盖代码")))
}

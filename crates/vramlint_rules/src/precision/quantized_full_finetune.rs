//! # quantized-full-finetune
//!
//! A model in 4 or 8 bits is trained without adapters.
//!
//! ## Why it matters
//! Quantized weights have no useful gradient. The Trainer rejects a model whose weights are all quantized: it needs adapters, by
//! `get_peft_model` or by the `peft_config` of a TRL trainer.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//! from datasets import Dataset
//! from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments
//!
//! config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny", quantization_config=config)
//! trainer = Trainer(model, TrainingArguments("out"), train_dataset=Dataset.from_dict({"input_ids": [[5, 6]]}))
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! import torch
//! from datasets import Dataset
//! from peft import LoraConfig, get_peft_model
//! from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments
//!
//! config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny", quantization_config=config)
//! model = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM"))
//! trainer = Trainer(model, TrainingArguments("out"), train_dataset=Dataset.from_dict({"input_ids": [[5, 6]]}))
//! ```
//!
//! ## Severity
//! A warning in a loop of the project's own: nothing rejects the model, and only what is not quantized is trained.
//!
//! ## Fix
//! None: which modules get adapters is your decision.
//!
//! ## When it stays silent
//! If a call may add adapters to the model, unless the options of a launch skip it (a warning then); if the trainer may get arguments that are not visible, or if what is loaded is a local folder
//! or a model of unsloth's loader that is not known: adapters may be in there.
//!
//! ## Sources
//! transformers 5.23.0 `trainer_utils.py:131`, run for 4 and 8 bits with Trainer and SFTTrainer; 4.x has the same check in `trainer.py`.
//!
//! # 中文
//!
//! 在没有适配器的情况下训练 4 位或 8 位模型。
//!
//! ## 为什么重要
//! 量化权重没有可用的梯度。Trainer 会拒绝权重全部量化的模型：必须通过 `get_peft_model` 或 TRL trainer 的 `peft_config` 加上适配器。
//!
//! ## 严重程度
//! 在项目自己的训练循环中为警告：没有代码会拒绝该模型，只有未量化的部分得到训练。
//!
//! ## 修复
//! 无：适配器加在哪些模块上由你决定。
//!
//! ## 何时不报
//! 看到任何可能给模型加适配器的调用，除非启动命令的选项跳过了它（此时为警告）；trainer 可能还有看不到的参数；加载的是本地文件夹，或不认识的 unsloth 模型：其中可能已有适配器。
//!
//! ## 来源
//! transformers 5.23.0 `trainer_utils.py:131`，对 4 位与 8 位、Trainer 与 SFTTrainer 实际运行；4.x 在 `trainer.py` 中有同样的检查。

use crate::argument_findings::ReportedFindings;
use crate::{Context, Rule, Sink, Symptom, needs};
use std::sync::Arc;
use vramlint_base::{FileRange, Severity, Value, message};
use vramlint_catalog::{Concept, models};
use vramlint_resolve::code::{ArgValue, CallArgument, CodeFacts, LibraryCall};
use vramlint_resolve::{Feature, Project, Run};
use vramlint_semantic::trainers::{Trainer, quantizes};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL403", "quantized-full-finetune", Severity::Error, page!("quantized_full_finetune.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for trainer in cx.trainers().iter().filter(|trainer| trainer.is_fully_seen()) {
        let mentioned = mentions_adapters(cx, trainer);
        let bare = trainer.plainly_lacks(cx.project, "peft_config") && (!mentioned || adds_none(cx.project, trainer));
        // That the code skips its adapters is what the interpreter says.
        let most = if mentioned { Severity::Warning } else { RULE.severity };
        let Some(at) = quantized(cx.project, trainer).filter(|_| bare) else { continue };
        if reported.insert(trainer.call.callee, "") {
            let name = &trainer.name;
            let message = message!("{name} rejects a quantized model without adapters", "{name} 拒绝没有适配器的量化模型");
            out.push(
                RULE.finding(trainer.call.place, message)
                    .with_severity(trainer.severity(cx.project, RULE.severity).min(most))
                    .with_related(at, message!("quantized here", "在此量化"))
                    .with_help(message!(
                        "add adapters with `get_peft_model`, or pass a `peft_config` to the trainer",
                        "用 `get_peft_model` 加上适配器，或给 trainer 传入 `peft_config`"
                    )),
            );
        }
    }
    own_loops(cx, &mut reported, out);
}

/// Models that a loop of the project's own trains: the optimizer steps, and the quantized weights stay as they are.
fn own_loops(cx: &Context<'_>, reported: &mut ReportedFindings, out: &mut Sink) {
    for run in &cx.project.runs {
        let Some(code) = &run.code else { continue };
        if cx.project.any_has(&code.files, Feature::AdapterCode) && !is_full(run) {
            continue;
        }
        let loop_of_its_own = code.accumulates.is_some() && !cx.trainers().iter().any(|trainer| Arc::ptr_eq(trainer.code, code));
        let trained = code.models.iter().filter(|model| model.trained == Some(true) && !model.conditional && !model.open);
        for model in trained.filter(|_| loop_of_its_own) {
            let load = code.calls.iter().find(|call| call.place == model.place && call.name() == "from_pretrained");
            let Some(load) = load.filter(|load| is_base_model(cx.project, load)) else { continue };
            let Some(at) = quantization(code, load).filter(|_| reported.insert(load.place, "")) else { continue };
            let message = message!(
                "the loop trains a quantized model without adapters: its quantized weights never change",
                "训练循环在没有适配器的情况下训练量化模型：量化权重不会改变"
            );
            out.push(
                RULE.finding(load.place, message)
                    .with_severity(Severity::Warning)
                    .with_related(at, message!("quantized here", "在此量化"))
                    .with_run(&run.id)
                    .with_help(message!("add adapters with `get_peft_model`", "用 `get_peft_model` 加上适配器")),
            );
        }
    }
}

/// Where the model of a trainer is quantized by bitsandbytes, if it certainly is.
fn quantized(project: &Project, trainer: &Trainer<'_>) -> Option<FileRange> {
    if let Some(config) = trainer.maker("quantization_config").filter(|config| quantizes(config)) {
        return trainer.model_name().map(|_| config.place);
    }
    let index = trainer.model()?;
    let load = trainer.load(index).filter(|load| load.name() == "from_pretrained" && !load.conditional)?;
    if !is_base_model(project, load) {
        return None;
    }
    if trainer.adapting(index).next().is_some() {
        return None;
    }
    quantization(trainer.code, load)
}

/// Where a call that loads a model asks for 4 or 8 bits.
fn quantization(code: &CodeFacts, load: &LibraryCall) -> Option<FileRange> {
    let direct = ["load_in_4bit", "load_in_8bit"].iter().find_map(|name| {
        let argument = load.argument(name, None)?;
        (argument.constant() == Some(&Value::Bool(true))).then_some(argument.place)
    });
    let config = || {
        let argument = load.argument("quantization_config", None)?;
        let ArgValue::ResultOf(made) = argument.sole_value()?.value else { return None };
        let call = code.calls.get(made)?;
        quantizes(call).then_some(argument.place)
    };
    direct.or_else(config)
}

/// Whether what is loaded is certainly a model without adapters: both loaders add those that a folder or a repository of adapters names.
fn is_base_model(project: &Project, load: &LibraryCall) -> bool {
    let argument = load.argument("pretrained_model_name_or_path", Some(0)).or_else(|| load.argument("model_name", Some(0)));
    let Some(name) = argument.and_then(CallArgument::constant).and_then(Value::as_str) else { return false };
    if models::by_name(name).is_some() && !name.starts_with(['.', '/', '~']) {
        return true;
    }
    let lower = name.to_lowercase();
    let of_hub = name.matches('/').count() == 1 && !name.starts_with(['.', '/', '~']) && !name.ends_with('/');
    let is_folder = project.files.iter().any(|file| file.path.starts_with(&format!("{name}/")));
    let adapters = ["lora", "adapter", "peft", "checkpoint", "output"].iter().any(|word| lower.contains(word));
    of_hub && !is_folder && !adapters && load.library() == "transformers"
}

/// Whether no run of a trainer adds the adapters that its code mentions.
fn adds_none(project: &Project, trainer: &Trainer<'_>) -> bool {
    let mut runs =
        project.runs.iter().filter(|run| run.code.as_ref().is_some_and(|code| Arc::ptr_eq(code, trainer.code))).peekable();
    runs.peek().is_some() && runs.all(is_full)
}

/// Whether a command starts the run and its options decide that every weight is trained.
fn is_full(run: &Run) -> bool {
    run.launch.is_some() && run.text(Concept::Method) == Some("full")
}

/// Whether the code adds adapters to anything in a way that is not tracked.
fn mentions_adapters(cx: &Context<'_>, trainer: &Trainer<'_>) -> bool {
    cx.project.any_has(&trainer.code.files, Feature::AdapterCode)
}

//! # deepspeed-json-and-prepare
//!
//! What a script passes to `accelerator.prepare()` does not match the DeepSpeed JSON that accelerate reads.
//!
//! ## Why it matters
//! `prepare()` raises an error if the JSON has an `optimizer` (or `scheduler`) and the script passes its own, if the script passes
//! a `DummyOptim` and the JSON has no `optimizer`, if `train_micro_batch_size_per_gpu` is `"auto"` and no data loader is passed,
//! and if a bucket size is `"auto"` and the model has no `config.hidden_size` to compute it from. `Accelerator()` rejects a JSON
//! without `zero_optimization`.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: DEEPSPEED
//! num_processes: 2
//! deepspeed_config:
//!   deepspeed_config_file: ds_config.json
//! ```
//! ```json file=ds_config.json
//! {
//!   "zero_optimization": {"stage": 2},
//!   "train_micro_batch_size_per_gpu": "auto",
//!   "gradient_accumulation_steps": "auto",
//!   "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}
//! }
//! ```
//! ```python file=train.py
//! import torch
//! from accelerate import Accelerator
//! from torch.utils.data import DataLoader
//!
//!
//! def main(model, dataset):
//!     accelerator = Accelerator()
//!     optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
//!     loader = DataLoader(dataset, batch_size=4)
//!     model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: DEEPSPEED
//! num_processes: 2
//! deepspeed_config:
//!   deepspeed_config_file: ds_config.json
//! ```
//! ```json file=ds_config.json
//! {
//!   "zero_optimization": {"stage": 2},
//!   "train_micro_batch_size_per_gpu": "auto",
//!   "gradient_accumulation_steps": "auto"
//! }
//! ```
//! ```python file=train.py
//! import torch
//! from accelerate import Accelerator
//! from torch.utils.data import DataLoader
//!
//!
//! def main(model, dataset):
//!     accelerator = Accelerator()
//!     optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
//!     loader = DataLoader(dataset, batch_size=4)
//!     model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
//! ```
//!
//! ## When it stays silent
//! When the prepared objects depend on a condition or come from outside the project.
//!
//! ## Fix
//! None: either the JSON or the script may be the intended one.
//!
//! ## Sources
//! accelerate 1.15.0 `accelerator.py:2198`, `:2252`, `:2258`, `:2266-2280`, `:2309-2320`, `utils/dataclasses.py:1277`, run.
//!
//! # 中文
//!
//! 脚本交给 `accelerator.prepare()` 的对象与 accelerate 读取的 DeepSpeed JSON 不相符。
//!
//! ## 为什么重要
//! 以下情形 `prepare()` 会报错：JSON 有 `optimizer`（或 `scheduler`）而脚本又传入自己的；脚本传入 `DummyOptim` 而 JSON 没有 `optimizer`；
//! `train_micro_batch_size_per_gpu` 为 `"auto"` 却没有传入数据加载器；桶大小为 `"auto"` 而模型没有可用于计算的 `config.hidden_size`。没有
//! `zero_optimization` 的 JSON 会被 `Accelerator()` 拒绝。
//!
//! ## 何时不报
//! 所准备的对象取决于条件或来自项目之外时。
//!
//! ## 修复
//! 无：本意可能是 JSON，也可能是脚本。
//!
//! ## 来源
//! accelerate 1.15.0 `accelerator.py:2198`、`:2252`、`:2258`、`:2266-2280`、`:2309-2320`、`utils/dataclasses.py:1277`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Finding, Severity, TextRange, message};
use vramlint_resolve::SourceFile;
use vramlint_resolve::code::{ArgValue, CallArgument, CodeFacts, LibraryCall};
use vramlint_semantic::accelerate::deepspeed_json::{self, DeepSpeedJson};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL509", "deepspeed-json-and-prepare", Severity::Error, page!("deepspeed_json_and_prepare.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some(json) = deepspeed_json::deepspeed_json(start) else { continue };
        let mut found = Vec::new();
        if json.root.entry("zero_optimization").is_none() && json.certain {
            found.push(without_zero(&json));
        }
        let code = json.run.code.as_deref();
        for call in code.iter().flat_map(|code| &code.calls).filter(|call| is_prepare(call)) {
            let Some(code) = code else { continue };
            found.extend(
                [
                    optimizer(&json, code, call),
                    scheduler(&json, code, call),
                    loader(&json, &cx.project.files, code, call),
                    size(&json, code, call),
                ]
                .into_iter()
                .flatten(),
            );
        }
        for finding in found {
            if out.mark_reported(finding.place) {
                out.push(finding.with_run(&json.run.id));
            }
        }
    }
}

fn is_prepare(call: &LibraryCall) -> bool {
    call.path == "accelerate.Accelerator.prepare" && !call.conditional && !call.caught
}

fn without_zero(json: &DeepSpeedJson<'_>) -> Finding {
    let start = json.root.range().start;
    let place = FileRange::new(json.file.id, TextRange::new(start, start + 1));
    let finding = RULE.finding(
        place,
        message!(
            "Accelerator() rejects a DeepSpeed JSON without `zero_optimization`",
            "Accelerator() 拒绝没有 `zero_optimization` 的 DeepSpeed JSON"
        ),
    );
    finding
        .with_related(json.named, message!("the JSON is named here", "此处指定了 JSON"))
        .with_help(message!("add \"zero_optimization\": {{\"stage\": 2}}", "加上 \"zero_optimization\": {{\"stage\": 2}}"))
}

/// The calls that created the prepared objects; `None` in the list for unknown ones.
fn prepared_objects<'c>(code: &'c CodeFacts, call: &'c LibraryCall) -> Vec<Option<&'c LibraryCall>> {
    let made = |argument: &'c CallArgument| match argument.sole_value().map(|value| &value.value) {
        Some(ArgValue::ResultOf(index)) => code.calls.get(*index).filter(|call| !call.conditional),
        _ => None,
    };
    call.arguments.iter().map(made).collect()
}

/// Whether one of the prepared objects certainly passes `test`.
fn prepared<'c>(code: &'c CodeFacts, call: &'c LibraryCall, test: impl Fn(&LibraryCall) -> bool) -> Option<&'c LibraryCall> {
    prepared_objects(code, call).into_iter().flatten().find(|made| test(made))
}

fn is_dummy(call: &LibraryCall, name: &str) -> bool {
    call.is("accelerate", name)
}

fn optimizer(json: &DeepSpeedJson<'_>, code: &CodeFacts, call: &LibraryCall) -> Option<Finding> {
    let written = json.root.entry("optimizer");
    let of_torch = |made: &LibraryCall| made.path.starts_with("torch.optim.") && !made.path.contains("lr_scheduler");
    if let Some((key, _)) = written {
        let own = prepared(code, call, of_torch)?;
        let finding = RULE.finding(
            FileRange::new(json.file.id, key.range()),
            message!(
                "the DeepSpeed JSON and the code both define an optimizer; prepare() raises an error",
                "DeepSpeed JSON 与代码都定义了优化器；prepare() 会报错"
            ),
        );
        return Some(finding.with_related(own.place, message!("the optimizer in the code", "代码中的优化器")).with_help(
            message!(
                "remove \"optimizer\" from the JSON, or create accelerate.utils.DummyOptim in the code",
                "从 JSON 中删除 \"optimizer\"，或在代码中创建 accelerate.utils.DummyOptim"
            ),
        ));
    }
    let dummy = prepared(code, call, |made| is_dummy(made, "DummyOptim")).filter(|_| json.certain)?;
    let finding = RULE.finding(
        dummy.place,
        message!(
            "prepare() rejects DummyOptim: the DeepSpeed JSON has no optimizer",
            "prepare() 拒绝 DummyOptim：DeepSpeed JSON 中没有优化器"
        ),
    );
    Some(finding.with_related(json.named, message!("the JSON is named here", "此处指定了 JSON")).with_help(message!(
        "add \"optimizer\" to the JSON, or create a torch optimizer in the code",
        "在 JSON 中加入 \"optimizer\"，或在代码中创建 torch 的优化器"
    )))
}

fn scheduler(json: &DeepSpeedJson<'_>, code: &CodeFacts, call: &LibraryCall) -> Option<Finding> {
    let is_own = |made: &LibraryCall| {
        made.path.starts_with("torch.optim.lr_scheduler.")
            || made.library() == "transformers" && (made.name().ends_with("_with_warmup") || made.name() == "get_scheduler")
    };
    if let Some((key, _)) = json.root.entry("scheduler") {
        let Some(own) = prepared(code, call, is_own) else { return unfilled(json, code, call) };
        let finding = RULE.finding(
            FileRange::new(json.file.id, key.range()),
            message!(
                "the DeepSpeed JSON and the code both define a scheduler; prepare() raises an error",
                "DeepSpeed JSON 与代码都定义了调度器；prepare() 会报错"
            ),
        );
        return Some(finding.with_related(own.place, message!("the scheduler in the code", "代码中的调度器")).with_help(
            message!(
                "remove \"scheduler\" from the JSON, or create accelerate.utils.DummyScheduler in the code",
                "从 JSON 中删除 \"scheduler\"，或在代码中创建 accelerate.utils.DummyScheduler"
            ),
        ));
    }
    let bare = |made: &LibraryCall| is_dummy(made, "DummyScheduler") && made.lacks("lr_scheduler_callable", Some(3));
    let dummy = prepared(code, call, bare).filter(|_| json.certain)?;
    let finding = RULE.finding(
        dummy.place,
        message!(
            "prepare() rejects DummyScheduler: the DeepSpeed JSON has no scheduler, and `lr_scheduler_callable` is not set",
            "prepare() 拒绝 DummyScheduler：DeepSpeed JSON 中没有调度器，也未设置 `lr_scheduler_callable`"
        ),
    );
    Some(finding.with_related(json.named, message!("the JSON is named here", "此处指定了 JSON")))
}

/// Only a prepared `DummyScheduler` fills in `auto` in the scheduler's block.
fn unfilled(json: &DeepSpeedJson<'_>, code: &CodeFacts, call: &LibraryCall) -> Option<Finding> {
    let block = json.root.at(&["scheduler", "params"])?;
    let (key, node) = block.entries().find(|(_, value)| value.text() == Some("auto"))?;
    let made = code.calls.iter().any(|call| call.name() == "DummyScheduler");
    let optimizer = prepared(code, call, |made| made.path.starts_with("torch.optim.") || is_dummy(made, "DummyOptim")).is_some();
    if made || !optimizer || call.open || !json.certain {
        return None;
    }
    let name = key.text()?;
    let finding = RULE.finding(
        FileRange::new(json.file.id, key.range().cover(node.range())),
        message!(
            "prepare() rejects the \"auto\" of `{name}`: only a DummyScheduler fills it in, and the code creates none",
            "prepare() 拒绝 `{name}` 的 \"auto\"：只有 DummyScheduler 会填充它，而代码中没有创建"
        ),
    );
    Some(finding.with_related(call.place, message!("prepare() is called here", "在此调用 prepare()")).with_help(message!(
        "write numbers, or prepare accelerate.utils.DummyScheduler",
        "请写出数值，或把 accelerate.utils.DummyScheduler 传给 prepare()"
    )))
}

/// Usual names of models, optimizers and schedulers, never of data loaders.
fn is_no_loader(written: &str) -> bool {
    let word = written.to_lowercase();
    let plain = word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    let ends = ["model", "net", "network", "optimizer", "optim", "scheduler", "policy", "actor", "critic"];
    plain && !word.contains("load") && !word.contains("data") && ends.iter().any(|end| word.ends_with(end))
}

/// `auto` for the micro-batch comes from a data loader prepared in the same call.
fn loader(json: &DeepSpeedJson<'_>, files: &[SourceFile], code: &CodeFacts, call: &LibraryCall) -> Option<Finding> {
    let (place, _) = json.value(&["train_micro_batch_size_per_gpu"]).filter(|(_, value)| value.as_str() == Some("auto"))?;
    let known = |argument: &CallArgument| match argument.sole_value().map(|value| &value.value) {
        Some(ArgValue::Model(_)) => true,
        Some(ArgValue::ResultOf(index)) => code
            .calls
            .get(*index)
            .is_some_and(|made| made.library() == "torch" && made.name() != "DataLoader" || is_dummy(made, "DummyOptim")),
        // A variable named like a model is not a data loader.
        _ => files.iter().any(|file| file.id == argument.place.file && is_no_loader(argument.place.range.slice(&file.text))),
    };
    if call.open || call.arguments.is_empty() || !call.arguments.iter().all(known) {
        return None;
    }
    let finding = RULE.finding(
        call.place,
        message!(
            "train_micro_batch_size_per_gpu is \"auto\", but prepare() gets no data loader to read it from",
            "train_micro_batch_size_per_gpu 为 \"auto\"，但 prepare() 没有得到可供读取的数据加载器"
        ),
    );
    Some(finding.with_related(place, message!("the value comes from the data loader", "该值取自数据加载器")).with_help(message!(
        "pass a data loader in the same call, or write a number in the JSON",
        "在同一调用中传入数据加载器，或在 JSON 中写数值"
    )))
}

/// `auto` for a bucket is computed from the model's hidden size.
fn size(json: &DeepSpeedJson<'_>, code: &CodeFacts, call: &LibraryCall) -> Option<Finding> {
    let keys = ["reduce_bucket_size", "stage3_prefetch_bucket_size", "stage3_param_persistence_threshold"];
    let (key, place) = keys.into_iter().find_map(|key| {
        let (place, value) = json.value(&["zero_optimization", key])?;
        (value.as_str() == Some("auto")).then_some((key, place))
    })?;
    let plain = |made: &LibraryCall| made.path.starts_with("torch.nn.") || made.path.starts_with("torchvision.models.");
    let model = prepared(code, call, plain)?;
    let finding = RULE.finding(
        place,
        message!(
            "`{key}`: \"auto\" is computed from model.config.hidden_size, which this model does not have",
            "`{key}` 的 \"auto\" 由 model.config.hidden_size 计算，而该模型没有它"
        ),
    );
    Some(
        finding
            .with_related(model.place, message!("the model passed to prepare()", "传给 prepare() 的模型"))
            .with_help(message!("write a number", "请写出数值")),
    )
}

//! # device-map-auto-in-training
//!
//! A model that is trained is loaded with `device_map="auto"` (or `balanced`, `sequential`).
//!
//! ## Why it matters
//! The map spreads the layers over every visible GPU, and over the CPU and the disk when they do not fit. That is made for
//! inference: GPUs work in turn, and offloaded weights cannot get updates. In a distributed run each process spreads its own
//! copy over the GPUs of the others, and accelerate's `prepare()` refuses a model whose map has more than one entry, even when
//! only one process is started as MULTI_GPU.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --multi_gpu --num_processes 2 train.py
//! ```
//! ```python file=train.py
//! import torch
//! from accelerate import Accelerator
//! from transformers import AutoModelForCausalLM
//!
//! accelerator = Accelerator()
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="auto")
//! optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
//! model, optimizer = accelerator.prepare(model, optimizer)
//! ```
//!
//! ## Fine
//! ```bash file=launch.sh
//! accelerate launch --multi_gpu --num_processes 2 train.py
//! ```
//! ```python file=train.py
//! import torch
//! from accelerate import Accelerator
//! from transformers import AutoModelForCausalLM
//!
//! accelerator = Accelerator()
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B")
//! optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
//! model, optimizer = accelerator.prepare(model, optimizer)
//! ```
//!
//! ## Fix
//! Unsafe, for one process: `{"": 0}`, all layers on its GPU.
//!
//! ## Sources
//! accelerate 1.15.0 `accelerator.py:1478` (refused with more than one entry), run; `utils/modeling.py` (the split), run.
//!
//! # 中文
//!
//! 参与训练的模型以 `device_map="auto"`（或 `balanced`、`sequential`）加载。
//!
//! ## 为什么重要
//! 该映射会把各层分散到所有可见 GPU，放不下时还会放到 CPU 和磁盘。它是为推理设计的：各 GPU 轮流工作，被卸载的权重得不到更新。
//! 在分布式运行中，每个进程都会把自己的副本分散到其他进程的 GPU 上；并且 accelerate 的 `prepare()` 会拒绝映射多于一项的模型，
//! 即使以 MULTI_GPU 只启动了一个进程。
//!
//! ## 修复
//! 不安全，仅限单进程：`{"": 0}`，所有层放在它的 GPU 上。

use crate::rule::{Build, Once};
use crate::{Context, Group, Rule, Sink, edit};
use std::collections::BTreeSet;
use vramlint_base::{Applicability, FileId, Finding, Fix, Place, Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_resolve::code::{CodeCandidate, ModelLoad};
use vramlint_resolve::{Project, Run};

pub(crate) static RULE: Rule = Rule {
    code: "VL103",
    name: "device-map-auto-in-training",
    group: Group::Launch,
    severity: Severity::Warning,
    since: "0.1.0",
    source: include_str!("device_map_auto_in_training.rs"),
    check: Some(check),
};

/// Maps that spread a model by themselves.
const SPREADING: &[&str] = &["auto", "balanced", "balanced_low_0", "sequential"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut once = Once::default();
    // Runs first, the gravest first: a file may take part in several.
    let mut found: Vec<Finding> = Vec::new();
    for run in &cx.project.runs {
        for model in run.code.iter().flat_map(|code| &code.models) {
            found.extend(spreading(model).and_then(|map| finding(model, map, Some(run))));
        }
    }
    if !cx.project.runs.is_empty() {
        let used: BTreeSet<FileId> =
            cx.project.runs.iter().flat_map(|run| &run.code).flat_map(|code| code.files.clone()).collect();
        // Interpreting a file costs far more than looking whether it loads a model at all.
        let loads = |text: &str| ["_pretrained", "device_map", "pipeline"].iter().any(|word| text.contains(word));
        for file in cx.project.files.iter().filter(|file| file.python().is_some() && file.host.is_none()) {
            if !used.contains(&file.id) && loads(&file.text) {
                found.extend(alone(cx.project, file.id));
            }
        }
    }
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    for finding in found {
        if once.first(finding.place) {
            out.push(finding);
        }
    }
}

/// Models of a file that no run is seen to use: the project trains, but how they are used is not shown.
fn alone(project: &Project, file: FileId) -> Vec<Finding> {
    let Some(code) = project.code(file) else { return Vec::new() };
    let own = code.models.iter().filter(|model| model.file == file);
    own.filter_map(|model| finding(model, spreading(model)?, None)).collect()
}

/// The spreading map that a model may be loaded with.
fn spreading(model: &ModelLoad) -> Option<&CodeCandidate> {
    model
        .device_map
        .iter()
        .find(|map| map.candidate.known().and_then(Value::as_str).is_some_and(|text| SPREADING.contains(&text)))
}

fn finding(model: &ModelLoad, map: &CodeCandidate, run: Option<&Run>) -> Option<Finding> {
    if model.trained == Some(false) {
        return None;
    }
    let name = map.candidate.known()?.as_str()?;
    let place = map.candidate.origin.place().unwrap_or(model.place);
    let distributed = run.and_then(distributed).filter(|_| model.trained == Some(true));
    let mut finding = match &distributed {
        Some(_) => RULE.finding(
            place,
            message!(
                "device_map=\"{name}\" spreads the trained model over all visible GPUs in a distributed run",
                "在分布式运行中，device_map=\"{name}\" 会把训练的模型分散到所有可见 GPU"
            ),
        ),
        None => RULE
            .finding(
                place,
                message!(
                    "device_map=\"{name}\" may put layers of a model that is trained on other GPUs, the CPU or the disk",
                    "device_map=\"{name}\" 可能把训练模型的部分层放到其他 GPU、CPU 或磁盘上"
                ),
            )
            .severity(Severity::Info),
    };
    finding = finding.help(message!(
        "leave device_map out and let the trainer place the model, or put it on the process's own GPU",
        "去掉 device_map，由训练器放置模型；或把它放在进程自己的 GPU 上"
    ));
    if let Some((at, what)) = distributed.flatten() {
        let what = what.as_str();
        finding = finding.related(at, message!("the run is distributed: {what}", "该运行是分布式的：{what}"));
    }
    if model.place != place {
        finding = finding.related(model.place, message!("the model is loaded here", "在此加载模型"));
    }
    if let Some(run) = run {
        finding = finding.run(&run.id);
        if run.int(Concept::WorldSize) == Some(1) {
            finding = finding.fix(Fix {
                title: message!("put every layer on GPU 0: {{\"\": 0}}", "所有层放在 GPU 0：{{\"\": 0}}"),
                applicability: Applicability::Unsafe,
                edits: vec![edit::replace(place, "{\"\": 0}")],
            });
        }
    }
    Some(finding)
}

/// Whether accelerate or torchrun makes the run distributed, and where that is written.
fn distributed(run: &Run) -> Option<Option<(Place, String)>> {
    let at = |concept: Concept| run.settings.get(&concept).and_then(|setting| setting.winning());
    let kind = at(Concept::DistributedType);
    if let Some((candidate, text)) = kind.and_then(|candidate| Some((candidate, candidate.known()?.as_str()?)))
        && (text.starts_with("MULTI_") || text == "FSDP" || text == "DEEPSPEED")
    {
        return Some(candidate.origin.place().map(|place| (place, text.to_owned())));
    }
    let several = run.int(Concept::WorldSize).is_some_and(|world| world > 1);
    several.then(|| {
        let processes = at(Concept::NumProcesses)?;
        Some((processes.origin.place()?, format!("{} processes", processes.known()?)))
    })
}

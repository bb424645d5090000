//! # device-map-auto-in-training
//!
//! A model that is trained is loaded with `device_map="auto"` (or `balanced`, `sequential`).
//!
//! ## Why it matters
//! The map spreads the layers over all visible GPUs, and over the CPU and the disk if they do not fit. It is meant for inference: the GPUs
//! work one after another, and offloaded weights get no updates. In a distributed run every process spreads its own copy over all GPUs, and
//! accelerate's `prepare()` rejects a model whose map has more than one entry, even with a single MULTI_GPU process.
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
//! ## Use instead
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
//! ## Severity
//! An error if several processes on one machine load a model that is known to be large, so that its map certainly has several entries, and
//! a trainer or `prepare()` checks it.
//!
//! `auto` and `balanced` in a run with several processes per machine that passes the model to `prepare()` or to a trainer of transformers
//! or TRL: the model is split over two or more GPUs, and accelerate rejects it (since 0.24; a warning if the version is not known).
//!
//! ## When it stays silent
//! For a model that is only evaluated or only generates; for an unknown map, or one chosen only for a single process; if the run sees one
//! GPU only. Info without a distributed launch.
//!
//! ## Sources
//! accelerate 1.15.0 `accelerator.py:1478` (rejects more than one entry), run; `utils/modeling.py` (the split), run.
//!
//! # 中文
//!
//! 参与训练的模型以 `device_map="auto"`（或 `balanced`、`sequential`）加载。
//!
//! ## 为什么重要
//! 该映射会把各层分散到所有可见 GPU，放不下时还会放到 CPU 和磁盘。它为推理而设计：各 GPU 依次工作，被卸载的权重得不到更新。在分布式运行中，每个进程都会把自己的
//! 副本分散到所有 GPU 上；并且 accelerate 的 `prepare()` 会拒绝映射多于一项的模型，即使以 MULTI_GPU 只启动了一个进程。
//!
//! ## 严重程度
//! 同一台机器的多个进程加载已知的大模型（其映射必有多项），并由 trainer 或 `prepare()` 检查时为错误。
//!
//! 一台机器上有多个进程、且模型交给 `prepare()` 或 transformers、TRL 的 Trainer 时的 `auto` 与 `balanced`：模型会被拆到两张以上的 GPU，
//! 随即被拒绝（accelerate 0.24 起；版本未知时仍为警告）。
//!
//! ## 何时不报
//! 只做评估或生成的模型；无法得知的映射，或仅在单进程时才选用的映射；只能看到一张 GPU 的运行。没有分布式启动时仅作提示。
//!
//! ## 修复
//! 不安全，仅限单进程：改为 `{"": 0}`，把所有层放在该进程的 GPU 上。
//!
//! ## 来源
//! accelerate 1.15.0 `accelerator.py:1478`（映射多于一项即拒绝），实际运行；`utils/modeling.py`（如何拆分），实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Finding, Fix, Message, Severity, Value, message};
use vramlint_catalog::{Concept, models};
use vramlint_edit as edit;
use vramlint_resolve::code::{ArgValue, CodeCandidate, CodeFacts, LibraryCall, ModelLoad};
use vramlint_resolve::versions::VersionRange;
use vramlint_resolve::{Feature, Project, Run, SourceFile};
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory, Symptom::Slow, Symptom::RefusedAtStart],
    ..Rule::new("VL103", "device-map-auto-in-training", Severity::Warning, page!("device_map_auto_in_training.rs"), check)
};

/// Releases whose `prepare()` checks the map: 0.20.3 does not, 0.24.1 does.
const CHECKED: VersionRange = VersionRange::since("accelerate", "0.24.1");

/// Maps that spread a model automatically.
const SPREADING: &[&str] = &["auto", "balanced", "balanced_low_0", "sequential"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    // Most severe first: a file may be part of several runs.
    let mut found: Vec<Finding> = Vec::new();
    for run in &cx.project.runs {
        for model in run.code.iter().flat_map(|code| &code.models) {
            if model.trained.is_some() || !only_uses(cx.project.file(model.file)) {
                found.extend(spreading(model).and_then(|map| finding(cx, model, map, Some(run))));
            }
        }
    }
    for (file, code) in cx.project.orphan_modules() {
        let file = cx.project.file(*file);
        if file.host.is_none() {
            found.extend(alone(cx, file, code));
        }
    }
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    for finding in found {
        if out.mark_reported(finding.place) {
            out.push(finding);
        }
    }
}

/// Models in a file that no run uses: those that the file trains itself and, in a project that trains, those that it creates for other
/// files.
fn alone(cx: &Context<'_>, file: &SourceFile, code: &CodeFacts) -> Vec<Finding> {
    let project = cx.project;
    let for_others = !project.runs.is_empty() && makes_for_others(file);
    let own = code.models.iter().filter(|model| model.file == file.id);
    let counts = |model: &&ModelLoad| model.trained.unwrap_or_else(|| for_others && in_a_class(file, model));
    own.filter(counts).filter_map(|model| finding(cx, model, spreading(model)?, None)).collect()
}

/// Words in the names of files that use a model without training it.
const USES: &[&str] = &[
    "eval", "infer", "test", "demo", "predict", "generat", "serve", "server", "merge", "export", "chat", "api", "app", "quant",
    "bench", "convert", "judge", "inspect", "sample", "rollout", "embed", "score", "label", "annotat",
];

/// Whether a file is imported by others and is not itself a program that evaluates or serves.
fn makes_for_others(file: &SourceFile) -> bool {
    let program = file.python().is_some_and(|module| module.statements().any(|located| located.context.main_guard));
    !program && !only_uses(file)
}

/// Whether the file name suggests that it uses a model without training it.
fn only_uses(file: &SourceFile) -> bool {
    let path = file.path.to_lowercase();
    USES.iter().any(|word| path.contains(word)) && !path.contains("train")
}

/// Whether a model is created in a class: part of a module that is trained elsewhere.
fn in_a_class(file: &SourceFile, model: &ModelLoad) -> bool {
    let within =
        |at: &vramlint_syntax::python::Located<'_>| at.stmt.range.contains(model.place.range) && at.context.class().is_some();
    file.python().is_some_and(|module| module.statements().any(|located| within(&located)))
}

/// The spreading map that a model is loaded with. A map chosen under a condition (`"auto" if world == 1 else None`) counts only if every
/// choice spreads.
fn spreading(model: &ModelLoad) -> Option<&CodeCandidate> {
    let spreads =
        |map: &&CodeCandidate| map.candidate.known().and_then(Value::as_str).is_some_and(|text| SPREADING.contains(&text));
    let first = model.device_map.iter().find(spreads)?;
    let settled = model.device_map.len() == 1 && first.candidate.condition.is_none() && first.guard.is_none();
    // One that a branch sets may be absent.
    let each = model.device_map.len() > 1 && model.device_map.iter().all(|map| spreads(&map));
    (settled || each).then_some(first)
}

/// The call that passes the model to accelerate, if accelerate certainly rejects it: the map spreads over every visible GPU, and on a
/// machine with several processes each one sees all GPUs.
fn refused<'r>(project: &Project, model: &ModelLoad, run: &'r Run) -> Option<&'r LibraryCall> {
    let world = run.int(Concept::WorldSize)?;
    let machines = run.int(Concept::NumMachines).unwrap_or(1).max(1);
    // DeepSpeed's stage 3 rejects the load itself: `device-map-refused` reports it.
    if world / machines < 2 || model.conditional || run.int(Concept::ZeroStage) == Some(3) {
        return None;
    }
    // A program may give each process its own GPU, or check the number of processes before the load.
    let code = run.code.as_deref()?;
    if project.any_has(&code.files, Feature::DeviceSelection) || run.launch.as_deref().is_some_and(shown_apart) {
        return None;
    }
    let own = |what: &ArgValue| matches!(what, ArgValue::Model(index) if code.model(*index).is_some_and(|own| own.place == model.place));
    code.calls.iter().find(|call| {
        let takes = match (call.library(), call.name()) {
            ("accelerate", "prepare" | "prepare_model") => true,
            ("transformers" | "trl", name) => name.ends_with("Trainer"),
            _ => false,
        };
        let given = || call.arguments.iter().filter_map(|argument| argument.sole_value()).any(|value| own(&value.value));
        takes && !call.conditional && !call.caught && given()
    })
}

/// Whether the command itself selects the visible GPUs or disables the check.
fn shown_apart(launch: &vramlint_resolve::launch::Launch) -> bool {
    let one =
        launch.variable("CUDA_VISIBLE_DEVICES").is_some_and(|shown| shown.value.text().is_none_or(|ids| !ids.contains(',')));
    one || launch.variable("ACCELERATE_BYPASS_DEVICE_MAP").is_some()
}

fn finding(cx: &Context<'_>, model: &ModelLoad, map: &CodeCandidate, run: Option<&Run>) -> Option<Finding> {
    // If the use of a model is not visible, only in a run that trains can it be the trained one.
    let idle = |run: &Run| model.trained.is_none() && !run.code.as_ref().is_some_and(|code| code.trains());
    if model.trained == Some(false) || run.is_some_and(|run| idle(run) || has_one_gpu(run)) {
        return None;
    }
    let name = map.candidate.known()?.as_str()?;
    let place = map.candidate.origin.place().unwrap_or(model.place);
    let distributed = run.and_then(distributed).filter(|_| model.trained == Some(true));
    let mut finding = match &distributed {
        Some(_) => RULE.finding(
            place,
            message!(
                "`device_map=\"{name}\"` spreads the trained model over all visible GPUs in a distributed run",
                "在分布式运行中，`device_map=\"{name}\"` 会把被训练的模型分散到所有可见 GPU"
            ),
        ),
        None if model.trained == Some(true) => RULE
            .finding(
                place,
                message!(
                    "`device_map=\"{name}\"` may put layers of the trained model on other GPUs, the CPU or the disk",
                    "`device_map=\"{name}\"` 可能把被训练模型的部分层放到其他 GPU、CPU 或磁盘上"
                ),
            )
            .with_severity(Severity::Info),
        None => RULE
            .finding(
                place,
                message!(
                    "`device_map=\"{name}\"` may put layers on other GPUs, the CPU or the disk; training then fails or wastes GPUs",
                    "`device_map=\"{name}\"` 可能把部分层放到其他 GPU、CPU 或磁盘上；若训练该模型，会出错或浪费 GPU"
                ),
            )
            .with_severity(Severity::Info),
    };
    finding = finding.with_help(message!(
        "remove `device_map` and let the trainer place the model, or put it on the process's own GPU",
        "去掉 `device_map`，由 Trainer 放置模型；或把模型放在进程自己的 GPU 上"
    ));
    if distributed.is_some()
        && matches!(name, "auto" | "balanced")
        && let Some(run) = run
        && checked(cx, model)
        && let Some(user) = refused(cx.project, model, run)
    {
        finding.message = message!(
            "`device_map=\"{name}\"` splits the model over several GPUs; accelerate does not train such a model in a distributed run",
            "`device_map=\"{name}\"` 会把模型拆分到多张 GPU；accelerate 在分布式运行中拒绝训练这样的模型"
        );
        finding = finding.with_severity(Severity::Error);
        if user.place.file != place.file || user.place.range != place.range {
            finding = finding.with_related(user.place, message!("accelerate raises an error here", "accelerate 在此报错"));
        }
    }
    if let Some((at, what)) = distributed.flatten() {
        finding = finding.with_related(at, what);
    }
    if model.place != place {
        finding = finding.with_related(model.place, message!("the model is loaded here", "在此加载模型"));
    }
    if let Some(run) = run {
        finding = finding.with_run(&run.id);
        if run.int(Concept::WorldSize) == Some(1) {
            finding = finding.with_fix(Fix {
                title: message!("put every layer on GPU 0: {{\"\": 0}}", "所有层放在 GPU 0：{{\"\": 0}}"),
                applicability: Applicability::Unsafe,
                edits: vec![edit::replace(place, "{\"\": 0}")],
            });
        }
    }
    Some(finding)
}

/// Whether accelerate certainly checks the map. If its version is not known, only a map that certainly has several entries counts.
fn checked(cx: &Context<'_>, model: &ModelLoad) -> bool {
    version_gate::severity(cx.project, model.file, &CHECKED, Severity::Error)
        .is_some_and(|severity| severity == Severity::Error || is_large(model))
}

/// Number of parameters above which a balanced map certainly has several entries: even an embedding table is then a small part.
const LARGE: u64 = 500_000_000;

/// Whether the model is known and too large for a map with one entry.
fn is_large(model: &ModelLoad) -> bool {
    let name = model.model.as_ref().and_then(Value::as_str);
    name.and_then(models::find).is_some_and(|known| known.parameters > LARGE)
}

/// Whether the run sees one GPU only: the map then has one entry if the model fits.
fn has_one_gpu(run: &Run) -> bool {
    let one = |concept: Concept| {
        run.value(concept).is_some_and(|ids| match ids {
            Value::Int(_) => true,
            Value::Text(ids) => !ids.is_empty() && ids.chars().all(|c| c.is_ascii_digit()),
            _ => false,
        })
    };
    run.int(Concept::WorldSize) == Some(1) && distributed(run).is_none() && (one(Concept::VisibleDevices) || one(Concept::GpuIds))
}

/// Whether accelerate or torchrun makes the run distributed, and where that is set, if anywhere.
#[allow(clippy::option_option)] // distributed or not, written or not
fn distributed(run: &Run) -> Option<Option<(FileRange, Message)>> {
    let at = |concept: Concept| run.settings.get(&concept).and_then(|setting| setting.winning());
    let kind = at(Concept::DistributedType);
    if let Some((candidate, text)) = kind.and_then(|candidate| Some((candidate, candidate.known()?.as_str()?)))
        && (text.starts_with("MULTI_") && text != "MULTI_CPU" || text == "FSDP" || text == "DEEPSPEED")
    {
        let what = message!("`distributed_type` is {text}", "`distributed_type` 为 {text}");
        return Some(candidate.origin.place().map(|place| (place, what)));
    }
    let several = run.int(Concept::WorldSize).is_some_and(|world| world > 1);
    several.then(|| {
        let processes = at(Concept::NumProcesses)?;
        let count = processes.known()?;
        Some((processes.origin.place()?, message!("the run has {count} processes", "该运行有 {count} 个进程")))
    })
}

//! # multi-gpu-one-process
//!
//! The distributed type is for several GPUs, but only one process starts.
//!
//! ## Why it matters
//! One process uses one GPU; the others stay idle. The run still counts as distributed: `prepare()` rejects a model spread by
//! `device_map="auto"`, and DDP allocates gradient buckets that it does not need.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 1
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! ```
//!
//! ## Fix
//! Unsafe: `distributed_type: 'NO'`. Which of the two lines is intended is not known.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/launch.py:1208`, run: it rejects the flags `--multi_gpu --num_processes 1`, which is an error here.
//! The same in a file, or half in a file and half as a flag, is accepted and starts one worker.
//!
//! # 中文
//!
//! 分布式类型要求多张 GPU，却只启动一个进程。
//!
//! ## 为什么重要
//! 一个进程只驱动一张 GPU，其余的闲置。运行仍被视为分布式：`prepare()` 会拒绝用 `device_map="auto"` 拆分的模型，DDP 也会为梯度分配并不需要的桶。
//!
//! ## 修复
//! 不安全：改为 `distributed_type: 'NO'`。无法得知两行中哪一行才是本意。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/launch.py:1208`，实际运行：同时给出参数 `--multi_gpu --num_processes 1` 会被拒绝，因此报为错误；
//! 写在文件中，或一半在文件、一半在参数中，则会被接受并只启动一个进程。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Fix, Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_catalog::flags::Launcher;
use vramlint_edit as edit;
use vramlint_resolve::launch::{Launch, from_script};
use vramlint_resolve::{FileKind, Origin, Project, Run, SourceFile};
use vramlint_syntax::data::{DataFile, Loader, NodeRef};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::IdleGpus],
    ..Rule::new("VL101", "multi-gpu-one-process", Severity::Warning, page!("multi_gpu_one_process.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for run in &cx.project.runs {
        in_run(cx.project, run, out);
    }
    let snippets: Vec<&SourceFile> =
        cx.project.files.iter().filter(|file| cx.project.is_documentation_snippet(file.id)).collect();
    for file in cx.project.files_of(FileKind::Accelerate) {
        let used = cx.project.runs.iter().any(|run| run.accelerate == Some(file.id));
        if !used && !overridden_elsewhere(cx.project, &snippets, file) {
            in_file(file, out);
        }
    }
}

/// Whether a command that may use this file sets the processes itself: one in a document that names the file, or a launch whose file is not
/// known.
fn overridden_elsewhere(project: &Project, snippets: &[&SourceFile], file: &SourceFile) -> bool {
    let gives = |launch: &Launch| {
        let named = launch.flag("--config_file").and_then(|flag| flag.values.first());
        let this_one = named.is_some_and(|word| {
            word.text().is_none_or(|path| project.path_resolver.resolve(path, launch.directory.as_str()) == Some(file.id))
        });
        launch.launcher == Launcher::Accelerate && this_one && launch.flag("--num_processes").is_some()
    };
    project.launches.iter().any(|launch| gives(launch))
        || snippets
            .iter()
            .filter_map(|other| other.script().map(|script| from_script(other, script, &project.path_resolver)))
            .flatten()
            .any(|launch| gives(&launch))
}

fn several(kind: &str) -> bool {
    kind.starts_with("MULTI_") && kind != "MULTI_CPU"
}

/// The effective settings of a run: the place of the multi-GPU type and that of the single process.
fn in_run(project: &Project, run: &Run, out: &mut Sink) {
    let winning = |concept: Concept| run.settings.get(&concept).and_then(|setting| setting.winning());
    let (Some(kind), Some(count)) = (winning(Concept::DistributedType), winning(Concept::NumProcesses)) else { return };
    let Some(name) = kind.known().and_then(Value::as_str).filter(|name| several(name)) else { return };
    if count.known() != Some(&Value::Int(1)) {
        return;
    }
    // With several machines, one process in total leaves some without any; another rule reports that.
    if run.settings.contains_key(&Concept::NumMachines) && run.int(Concept::NumMachines) != Some(1) {
        return;
    }
    let (Some(kind_at), Some(count_at)) = (kind.origin.place(), count.origin.place()) else { return };
    // One process by a flag, with a file for several, is usually intended: the file stays unchanged.
    let by_command = matches!(count.origin, Origin::Flag { .. } | Origin::Documented { .. });
    let lowered = by_command && matches!(kind.origin, Origin::File { .. });
    // A launch that shows one GPU means one process.
    let shows_one = |devices: &Value| devices.as_str().is_none_or(|devices| !devices.is_empty() && !devices.contains(','));
    let one_gpu = winning(Concept::VisibleDevices).and_then(|devices| devices.known()).is_some_and(shows_one);
    let in_file = matches!(kind.origin, Origin::File { .. }) && !lowered;
    let (place, other) = if in_file { (kind_at, count_at) } else { (count_at, kind_at) };
    if !out.mark_reported(place) {
        return;
    }
    let flags = matches!(kind.origin, Origin::Flag { .. }) && matches!(count.origin, Origin::Flag { .. });
    let finding = RULE
        .finding(place, what(name))
        .with_severity(match () {
            () if flags => Severity::Error,
            () if lowered || one_gpu => Severity::Info,
            () => Severity::Warning,
        })
        .with_related(
            other,
            if other == count_at {
                message!("`num_processes` is 1", "`num_processes` 为 1")
            } else {
                message!("`distributed_type` is {name}", "`distributed_type` 为 {name}")
            },
        )
        .with_run(&run.id);
    let finding = if flags {
        finding.with_help(message!(
            "accelerate rejects `--multi_gpu` with fewer than two processes",
            "accelerate 拒绝在少于两个进程时使用 `--multi_gpu`"
        ))
    } else {
        finding.with_help(help())
    };
    let file = in_file.then(|| project.file(kind_at.file));
    out.push(with_fix(finding, kind_at, file));
}

/// A file that no launch uses.
fn in_file(file: &SourceFile, out: &mut Sink) {
    let Some(root) = file.data().and_then(DataFile::root) else { return };
    let (Some(kind), Some(count)) = (root.get("distributed_type"), root.get("num_processes")) else { return };
    let Some(name) = kind.text().filter(|name| several(name)) else { return };
    let machines = root.get("num_machines").and_then(|node| node.value(Loader::PyYaml));
    if count.value(Loader::PyYaml) != Some(Value::Int(1)) || machines.is_some_and(|machines| machines != Value::Int(1)) {
        return;
    }
    let at = |node: NodeRef<'_>| FileRange::new(file.id, node.range());
    let finding = RULE
        .finding(at(kind), what(name))
        .with_related(at(count), message!("`num_processes` is 1", "`num_processes` 为 1"))
        .with_help(help());
    out.push(with_fix(finding, at(kind), Some(file)));
}

fn what(name: &str) -> vramlint_base::Message {
    message!(
        "`distributed_type` is {name}, but `num_processes` is 1: one process uses one GPU",
        "`distributed_type` 为 {name}，但 `num_processes` 为 1：一个进程只使用一张 GPU"
    )
}

fn help() -> vramlint_base::Message {
    message!(
        "set `distributed_type: 'NO'` for one GPU, or set `num_processes` to the number of GPUs",
        "单 GPU 请写 `distributed_type: 'NO'`，多 GPU 请把 `num_processes` 设为 GPU 数量"
    )
}

/// The type for one GPU, if the type is set in a file.
fn with_fix(finding: vramlint_base::Finding, kind: FileRange, file: Option<&SourceFile>) -> vramlint_base::Finding {
    let Some(file) = file else { return finding };
    let quoted = if file.is_json() { "\"NO\"" } else { "'NO'" };
    finding.with_fix(Fix {
        title: message!("train on one GPU: `distributed_type` {quoted}", "单 GPU 训练：`distributed_type` {quoted}"),
        applicability: Applicability::Unsafe,
        edits: vec![edit::replace(kind, quoted)],
    })
}

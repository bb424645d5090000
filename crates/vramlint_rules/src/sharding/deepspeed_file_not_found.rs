//! # deepspeed-file-not-found
//!
//! accelerate's file or command names a DeepSpeed JSON that does not exist.
//!
//! ## Why it matters
//! Every worker opens the path, relative to its working directory. If the file does not exist, `Accelerator()` stops with
//! `Expected a string path to an existing deepspeed config`, after all processes have started.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: DEEPSPEED
//! num_processes: 2
//! deepspeed_config:
//!   deepspeed_config_file: missing.json
//! ```
//! ```json file=ds_config.json
//! {"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}}
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
//! {"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}}
//! ```
//!
//! ## Severity
//! Warning if no command of the project uses accelerate's file, or if the path leads out of the project: the file may be elsewhere
//! on the training machine. Silent for absolute paths, base64, templates and variables.
//!
//! ## Fix
//! Unsafe: the only DeepSpeed JSON of the project, if there is exactly one.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/deepspeed.py:143-160`, run.
//!
//! # 中文
//!
//! accelerate 的文件或命令指定了不存在的 DeepSpeed JSON。
//!
//! ## 为什么重要
//! 该路径由每个工作进程打开，相对于其工作目录。文件不存在时，`Accelerator()` 会在所有进程启动之后以 `Expected a string path to an existing deepspeed config` 停止。
//!
//! ## 严重程度
//! 项目中没有命令使用 accelerate 的文件，或路径指向项目之外时为警告：训练机器上该文件可能在别处。绝对路径、base64、模板或变量填入的内容不报告。
//!
//! ## 修复
//! 不安全：项目中唯一的 DeepSpeed JSON（若有）。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/deepspeed.py:143-160`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, message};
use vramlint_catalog::keys;
use vramlint_edit as edit;
use vramlint_resolve::FileKind;
use vramlint_semantic::accelerate::{AccelerateLaunch, LaunchValue};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL506", "deepspeed-file-not-found", Severity::Error, page!("deepspeed_file_not_found.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        if start.distributed_type().is_none_or(|kind| kind.name != "DEEPSPEED") || start.flag("--cpu").is_some() {
            continue;
        }
        let Some(given) = start.block("deepspeed_config", "deepspeed_config_file").known() else { continue };
        let Some(path) = given.text().filter(|path| is_relative_path(path)) else { continue };
        let folder = start.project.file(given.place.file).folder();
        let fragment = start.project.is_documentation_snippet(given.place.file);
        if fragment
            || start.project.path_resolver.resolve(path, folder).is_some()
            || written(start, path)
            || !out.mark_reported(given.place)
        {
            continue;
        }
        let outside = path.starts_with("..");
        let severity = if start.is_alone() || outside { Severity::Warning } else { Severity::Error };
        let finding = RULE
            .finding(given.place, message!("the DeepSpeed file {path} does not exist", "DeepSpeed 文件 {path} 不存在"))
            .with_severity(severity)
            .with_help(message!(
                "correct the path: it is relative to the working directory of the training processes",
                "请改正路径：它相对于训练进程的工作目录"
            ));
        out.push(with_fix(cx, finding, &given));
    }
}

/// Whether the project would have to contain the path: not absolute, not base64 JSON, without unknown variables.
fn is_relative_path(path: &str) -> bool {
    let plain = path.chars().all(|c| c.is_alphanumeric() || "._-/ \\".contains(c));
    let data = [".json", ".yaml", ".yml", ".hjson"].iter().any(|end| path.to_lowercase().ends_with(end));
    plain && data && !path.starts_with('/')
}

/// Whether a script or code of the project may write the file before it is read.
fn written(start: &AccelerateLaunch<'_>, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mentions = |file: &vramlint_resolve::SourceFile| (file.is_script() || file.is_python()) && file.mentions(name);
    let by_flag = start.flag("--deepspeed_config_file").is_some();
    start.project.files.iter().filter(|file| !(by_flag && start.launch.is_some_and(|l| l.file == file.id))).any(mentions)
}

fn with_fix(cx: &Context<'_>, finding: vramlint_base::Finding, given: &LaunchValue) -> vramlint_base::Finding {
    let folder = cx.project.file(given.place.file).folder();
    let wanted = given.text().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let near = |file: &&vramlint_resolve::SourceFile| file.host.is_none() && keys::nearest(wanted, [file.name()]).is_some();
    let mut known = cx.project.files_of(FileKind::DeepSpeed).filter(near);
    let (Some(only), None) = (known.next(), known.next()) else { return finding };
    // A path with folders may name a file elsewhere.
    if only.folder() != folder || given.text().is_none_or(|path| path.contains('/')) {
        return finding;
    }
    let name = only.name();
    finding.with_fix(Fix {
        title: message!("use {name}", "改为 {name}"),
        applicability: Applicability::Unsafe,
        edits: vec![edit::replace(given.place, name)],
    })
}

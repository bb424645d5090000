//! # deepspeed-file-unused
//!
//! No run reads this DeepSpeed JSON, and nothing in the project mentions it.
//!
//! ## Why it matters
//! Its offload, ZeRO stage and batch sizes look like settings of the run but have no effect: the run trains without DeepSpeed, or with the
//! launcher's defaults. A `--deepspeed` or `deepspeed_config_file` may be missing.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --multi_gpu --num_processes 4 train.py
//! ```
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "gradient_accumulation_steps": 2,
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//! ```python file=train.py
//! print("training")
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! deepspeed --num_gpus 4 train.py --deepspeed_config ds_config.json
//! ```
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "gradient_accumulation_steps": 2,
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//! ```python file=train.py
//! print("training")
//! ```
//!
//! ## When it stays silent
//! If a run in the folder uses any DeepSpeed file, if a named file cannot be found, if its name is built at run time, or if the folder
//! holds several such files (templates to choose from).
//!
//! ## Sources
//! accelerate 1.15.0 `commands/launch.py:1394` and transformers 5.23.0 `training_args.py`: both read a file only where it is named.
//!
//! # 中文
//!
//! 没有任何运行读取这个 DeepSpeed JSON，项目中也没有任何地方提到它。
//!
//! ## 为什么重要
//! 其中的卸载、ZeRO 阶段、批大小看起来像是运行的设置，实际上不起作用：运行没有使用 DeepSpeed，或只用了启动器的默认值。可能漏写了 `--deepspeed` 或
//! `deepspeed_config_file`。
//!
//! ## 何时不报
//! 该目录的某次运行使用了任一 DeepSpeed 文件；被指定的文件找不到；文件名在运行时拼出；目录中有多个此类文件（供选择的模板）。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/launch.py:1394` 与 transformers 5.23.0 `training_args.py`：两者都只读取被指名的文件。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, message};
use vramlint_resolve::{FileKind, Project, SourceFile};
use vramlint_semantic::schema;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect, Symptom::OutOfMemory],
    ..Rule::new("VL182", "deepspeed-file-unused", Severity::Info, page!("deepspeed_file_unused.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    // A file named by a variable may be any file.
    let open = cx.project.launches.iter().any(|launch| {
        let unknown = |value: &vramlint_resolve::launch::ArgumentValue<'_>| value.text.is_none();
        launch.options().iter().any(|option| option.name.starts_with("deepspeed") && option.value.as_ref().is_some_and(unknown))
    });
    if open {
        return;
    }
    for (file, root, certain) in schema::files(cx.project, FileKind::DeepSpeed) {
        let alone = file.host.is_none() && siblings(cx.project, file).nth(1).is_none();
        if !certain || !alone || is_named(cx.project, file) || !has_runs_of_its_own(cx.project, file) {
            continue;
        }
        let Some((first, _)) = root.entries().next() else { continue };
        let message = message!(
            "no run reads this DeepSpeed configuration, and nothing in the project mentions it",
            "没有任何运行读取此 DeepSpeed 配置，项目中也没有任何地方提到它"
        );
        out.push(RULE.finding(FileRange::new(file.id, first.range()), message).with_help(message!(
            "pass it with `--deepspeed` or `deepspeed_config_file`, or remove it",
            "用 `--deepspeed` 或 `deepspeed_config_file` 指定它，或将其删除"
        )));
    }
}

fn siblings<'a>(project: &'a Project, file: &'a SourceFile) -> impl Iterator<Item = &'a SourceFile> {
    project.files_of(FileKind::DeepSpeed).filter(|other| other.folder() == file.folder())
}

/// Whether another file mentions it, by its name or by a name built at run time.
fn is_named(project: &Project, file: &SourceFile) -> bool {
    let name = file.name();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let others = project.files.iter().filter(|other| other.id != file.id);
    others.into_iter().any(|other| other.mentions(stem) || puts_names_together(&other.text))
}

/// `f"{stage}.json"`, `ds_${STAGE}.json`, `name + ".json"`, `*.json`.
fn puts_names_together(text: &str) -> bool {
    text.match_indices(".json").any(|(at, _)| {
        let before = &text[..at];
        before.ends_with(['}', '*', '"', '\'', '%', 's']) && {
            let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
            word.contains(['{', '$', '*', '%']) || word.ends_with(['"', '\''])
        }
    })
}

/// Whether runs start in its folder or above or below it, all of them known and none with DeepSpeed.
fn has_runs_of_its_own(project: &Project, file: &SourceFile) -> bool {
    let near = |folder: &str| {
        let own = file.folder();
        own.starts_with(folder) || folder.starts_with(own)
    };
    // A script that no command starts is a run too, but nothing is known about it.
    let started = project.runs.iter().filter(|run| run.launch.is_some());
    let mut runs = started.filter(|run| near(project.file(run.place.file).folder())).peekable();
    runs.peek().is_some()
        && runs.all(|run| {
            let launch = run.launch.as_ref();
            let shown = launch.is_some_and(|launch| !launch.has_unknown_flags && launch.unknown_value_options.is_empty());
            shown && run.deepspeed.is_none() && run.missing_files.is_empty() && run.entry.is_some()
        })
}

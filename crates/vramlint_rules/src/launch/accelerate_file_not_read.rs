//! # accelerate-file-not-read
//!
//! The script is started by a launcher that does not read accelerate's configuration file.
//!
//! ## Why it matters
//! Only `accelerate launch` reads the file. Under `torchrun`, `deepspeed` or `python`, `Accelerator()` does not see it: mixed precision,
//! FSDP and ZeRO stay off, and every GPU trains the whole model in fp32.
//!
//! ## Example
//! ```bash file=launch.sh
//! torchrun --nproc_per_node 2 train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 2
//! mixed_precision: bf16
//! fsdp_config:
//!   fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
//! ```
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator()
//! model = accelerator.prepare(model)
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 2
//! mixed_precision: bf16
//! fsdp_config:
//!   fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
//! ```
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator()
//! model = accelerator.prepare(model)
//! ```
//!
//! ## When it stays silent
//! If any command in the project or its documentation uses `accelerate launch`, if the file would not change the run, or if the script does
//! not create an `Accelerator` itself.
//!
//! ## Fix
//! None: the intended launcher is not known.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/launch.py:1214` (the only reader), run: the file's settings reach a script by the environment that the launcher
//! sets.
//!
//! # 中文
//!
//! 脚本由不读取 accelerate 配置文件的启动器启动。
//!
//! ## 为什么重要
//! 只有 `accelerate launch` 会读取该文件。用 `torchrun`、`deepspeed` 或 `python` 启动时，`Accelerator()` 看不到它：混合精度、FSDP、ZeRO 都不生效，每
//! 张 GPU 都以 fp32 训练完整模型。
//!
//! ## 何时不报
//! 项目或其文档中有命令使用 `accelerate launch`；该文件不会改变运行；脚本自己不创建 `Accelerator`。
//!
//! ## 修复
//! 无：无法得知本意是哪个启动器。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/launch.py:1214`（唯一的读取者），实际运行：文件中的设置经由启动器设置的环境变量到达脚本。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, message};
use vramlint_catalog::flags::Launcher;
use vramlint_resolve::{FileKind, Run, SourceFile};
use vramlint_semantic::accelerate::deepspeed_json::is_plain_loop;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect],
    ..Rule::new("VL114", "accelerate-file-not-read", Severity::Warning, page!("accelerate_file_not_read.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let project = cx.project;
    let mut launches = project.launches.iter().map(AsRef::as_ref).chain(project.documented_launches());
    if launches.any(|launch| launch.launcher.starts_accelerate) {
        return;
    }
    for run in &project.runs {
        let other = matches!(run.launcher, Some(Launcher::Torchrun | Launcher::DeepSpeed | Launcher::Python));
        if !other || !is_plain_loop(run) {
            continue;
        }
        let near = |file: &&SourceFile| {
            let of_launch = project.file(run.place.file).folder();
            let of_entry = run.entry.map_or(of_launch, |entry| project.file(entry).folder());
            [of_launch, of_entry].iter().any(|folder| holds(folder, file.folder()))
        };
        let found = project.files_of(FileKind::Accelerate).filter(near).find_map(|file| Some((file, lost(file)?)));
        if let Some((file, lost)) = found {
            out.push(finding(run, file, &lost));
        }
    }
}

/// Whether a file in `inner` is in `folder` or below it.
fn holds(folder: &str, inner: &str) -> bool {
    folder == inner || folder.is_empty() || inner.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// What the file would change in the run, with its place.
fn lost(file: &SourceFile) -> Option<(String, FileRange)> {
    let root = file.data()?.root()?;
    let entry = |key: &str, counts: &dyn Fn(&str) -> bool| {
        let node = root.get(key)?;
        let text = node.text().filter(|text| counts(text))?;
        Some((format!("{key}: {text}"), FileRange::new(file.id, node.range())))
    };
    entry("distributed_type", &|text| matches!(text, "FSDP" | "DEEPSPEED"))
        .or_else(|| entry("mixed_precision", &|text| matches!(text, "bf16" | "fp16" | "fp8")))
}

fn finding(run: &Run, file: &SourceFile, (what, at): &(String, FileRange)) -> vramlint_base::Finding {
    let name = file.name();
    let launcher = match run.launcher {
        Some(Launcher::Torchrun) => "torchrun",
        Some(Launcher::DeepSpeed) => "deepspeed",
        _ => "python",
    };
    RULE.finding(
        run.place,
        message!("{launcher} does not read {name}: {what} stays off", "{launcher} 不会读取 {name}：{what} 不生效"),
    )
    .with_related(*at, message!("only `accelerate launch` reads it", "只有 `accelerate launch` 会读取它"))
    .with_help(message!(
        "start the script with `accelerate launch --config_file {name}`",
        "请用 `accelerate launch --config_file {name}` 启动"
    ))
    .with_run(&run.id)
}

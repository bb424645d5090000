//! # mixed-precision-env-overridden
//!
//! `ACCELERATE_MIXED_PRECISION` is set for a command that overwrites it.
//!
//! ## Why it matters
//! `accelerate launch` writes the variable itself: the value of `--mixed_precision`, else that of its file, else `no`. What the
//! shell exports reaches programs that are started with `python` or `torchrun` alone; here the training runs in float32.
//!
//! ## Example
//! ```bash file=launch.sh
//! export ACCELERATE_MIXED_PRECISION=bf16
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: 'NO'
//! num_processes: 1
//! ```
//!
//! ## Fine
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: 'NO'
//! num_processes: 1
//! mixed_precision: bf16
//! ```
//!
//! ## Fix
//! None: write `--mixed_precision` on the command, or `mixed_precision` in the file.
//!
//! ## When it is silent
//! The flag or the file says the same, or the code gives `Accelerator(mixed_precision=…)`, which wins over both.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/launch.py`, run.
//!
//! # 中文
//!
//! 为一个会覆盖它的命令设置了 `ACCELERATE_MIXED_PRECISION`。
//!
//! ## 为什么重要
//! `accelerate launch` 会自己写入该变量：取 `--mixed_precision`，否则取配置文件，否则为 `no`。shell 导出的值只对用 `python` 或 `torchrun`
//! 启动的程序有效；在这里训练会以 float32 运行。
//!
//! ## 修复
//! 无：在命令中写 `--mixed_precision`，或在文件中写 `mixed_precision`。
//!
//! ## 何时不报
//! 参数或文件的值与之相同，或代码给出了 `Accelerator(mixed_precision=…)`，它优先于两者。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/launch.py`，实际运行。

use crate::rule::{Build, Once};
use crate::{Context, Group, Rule, Sink};
use vramlint_base::{Place, Severity, message};
use vramlint_catalog::flags::Launcher;
use vramlint_resolve::Run;
use vramlint_syntax::data::DataFile;

pub(crate) static RULE: Rule = Rule {
    code: "VL808",
    name: "mixed-precision-env-overridden",
    group: Group::Environment,
    severity: Severity::Warning,
    since: "0.1.0",
    source: include_str!("mixed_precision_env_overridden.rs"),
    check: Some(check),
};

const VARIABLE: &str = "ACCELERATE_MIXED_PRECISION";

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut once = Once::default();
    for run in cx.project.runs.iter().filter(|run| run.launcher == Some(Launcher::Accelerate)) {
        let Some(launch) = run.launch.as_deref().filter(|launch| !launch.open) else { continue };
        let Some(set) = launch.variable(VARIABLE) else { continue };
        let Some(value) = set.value.text().filter(|value| !matches!(*value, "" | "no")) else { continue };
        let Some(instead) = instead(cx, run) else { continue };
        let place = Place::new(launch.file, set.range);
        if instead == value || given_in_code(cx, run) || !once.first(place) {
            continue;
        }
        let finding = RULE
            .finding(
                place,
                message!(
                    "accelerate launch overwrites {VARIABLE} with {instead}",
                    "accelerate launch 会把 {VARIABLE} 覆盖为 {instead}"
                ),
            )
            .related(Place::new(launch.file, launch.range), message!("started here", "在此启动"))
            .help(message!(
                "write --mixed_precision {value} on the command, or mixed_precision: {value} in its file",
                "请在命令中写 --mixed_precision {value}，或在其文件中写 mixed_precision: {value}"
            ))
            .run(&run.id);
        out.push(finding);
    }
}

/// What the launcher writes; `None` where that is not known.
fn instead(cx: &Context<'_>, run: &Run) -> Option<String> {
    let launch = run.launch.as_deref()?;
    if let Some(flag) = launch.flag("--mixed_precision") {
        return flag.values.first()?.text().map(str::to_owned);
    }
    if let Some(file) = run.accelerate {
        let root = cx.project.file(file).data().and_then(DataFile::root)?;
        return Some(root.get("mixed_precision").map_or("no", |node| node.text().unwrap_or("")).to_owned())
            .filter(|text| !text.is_empty());
    }
    // Without a file the one of the machine rules, if there is one; it overwrites the variable too.
    launch.flag("--config_file").is_none().then(|| "no".to_owned())
}

/// Whether the code gives the precision itself.
fn given_in_code(cx: &Context<'_>, run: &Run) -> bool {
    let files = run.code.as_ref().map_or(&[][..], |code| &code.files);
    files.iter().any(|file| {
        let text = &cx.project.file(*file).text;
        text.contains("mixed_precision") || text.contains("bf16=") || text.contains("fp16=")
    })
}

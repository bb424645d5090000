//! # launch-flags-after-script
//!
//! Launcher flags come after the script and are passed to the script.
//!
//! ## Why it matters
//! Everything after the script's name belongs to the script. `accelerate launch train.py --num_processes 4` starts as many processes as
//! without the flag: the script's own parser rejects it or, without a parser, it is ignored.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py --num_processes 4
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! ```
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator()
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml --num_processes 4 train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 4
//! ```
//! ```python file=train.py
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator()
//! ```
//!
//! ## When it stays silent
//! If the script, or project code that it imports, mentions an option of that name, if its parser takes the fields of a library's class
//! that has one (`HfArgumentParser`), if something other than argparse reads its command line, or if the script is not in the project.
//!
//! ## Fix
//! Unsafe: moves the flag before the script.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/launch.py:981` (`training_script_args` takes the rest), run; torch 2.15 `distributed/run.py`, the same.
//!
//! # 中文
//!
//! 启动器的参数写在脚本之后，被传给了脚本。
//!
//! ## 为什么重要
//! 脚本名之后的内容都属于脚本。`accelerate launch train.py --num_processes 4` 启动的进程数与不写它时一样：脚本自己的解析器会拒绝该参数；没有解析器时，则被
//! 忽略。
//!
//! ## 何时不报
//! 脚本或它在项目中导入的代码提到同名选项时；脚本的解析器（`HfArgumentParser`）接受某个库的类，而该类有同名字段时；命令行由 argparse
//! 以外的代码读取时；脚本不在项目中时。
//!
//! ## 修复
//! 不安全：把该参数移到脚本之前。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/launch.py:981`（其余内容归 `training_script_args`），实际运行；torch 2.15 `distributed/run.py`，相同。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Edit, FileRange, Fix, Severity, TextRange, message};
use vramlint_catalog::classes;
use vramlint_catalog::flags::{self, Launcher};
use vramlint_edit as edit;
use vramlint_resolve::code::CodeFacts;
use vramlint_resolve::launch::{Argument, Launch};
use vramlint_syntax::shell::Word;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect, Symptom::RefusedAtStart],
    ..Rule::new("VL106", "launch-flags-after-script", Severity::Warning, page!("launch_flags_after_script.rs"), check)
};

/// Flags that scripts and transformers' arguments share: the name alone proves nothing.
const SHARED: &[&str] =
    &["--help", "--debug", "--env", "--role", "--log_dir", "--quiet", "--module", "--vm", "--max_restarts", "--tee"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for launch in &cx.project.launches {
        if !matches!(launch.launcher, Launcher::Accelerate | Launcher::Torchrun) || launch.has_unknown_flags {
            continue;
        }
        let Some(script) = launch.script.as_ref() else { continue };
        let options = launch.options();
        let mut strays = options.iter().filter_map(|option| stray(launch.launcher, option)).peekable();
        if strays.peek().is_none() {
            continue;
        }
        let folder = launch.directory.as_str();
        let entry = script.text().and_then(|path| cx.project.path_resolver.resolve(path, folder));
        let Some(code) = entry.and_then(|entry| cx.project.code(entry)) else { continue };
        let parsed = ParsedOptions::of(cx, &code);
        for (option, flag) in strays {
            if parsed.may_contain(cx, &code, flag) || launch.flag(flag).is_some() && launch.in_loop {
                continue;
            }
            out.push(finding(cx, launch, option, flag));
        }
    }
}

/// Names in code that reads its command line otherwise than by argparse or by dataclasses.
const OTHER_READERS: &[&str] = &[
    "sys.argv",
    "parse_known_args",
    "REMAINDER",
    "add_config_arguments",
    "import fire",
    "import click",
    "import typer",
    "import tyro",
    "import hydra",
    "from hydra",
    "from absl",
    "jsonargparse",
    "LightningCLI",
    "simple_parsing",
    "pyrallis",
    "draccus",
    "docopt",
    "from_cli",
    "get_args",
];

/// What the script reads of its command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParsedOptions {
    /// Its own options and those of argument classes.
    Declared { classes: bool },
    /// Not seen: anything may be an option.
    Unknown,
}

impl ParsedOptions {
    fn of(cx: &Context<'_>, code: &CodeFacts) -> Self {
        let mentions = |name: &str| code.files.iter().any(|id| cx.project.file(*id).mentions(name));
        let parses = mentions("parse_args") || mentions("parse_dict");
        let declares = mentions("ArgumentParser") || mentions("TrlParser");
        if OTHER_READERS.iter().any(|name| mentions(name)) || parses && !declares {
            return Self::Unknown;
        }
        Self::Declared { classes: !code.parsers.is_empty() || mentions("HfArgumentParser") || mentions("TrlParser") }
    }

    /// Whether the flag may be an option of the script.
    fn may_contain(self, cx: &Context<'_>, code: &CodeFacts, flag: &str) -> bool {
        let name = flag.trim_start_matches('-');
        let spellings = [name.replace('-', "_"), name.replace('_', "-")];
        let mentioned = spellings.iter().any(|name| code.files.iter().any(|id| cx.project.file(*id).mentions(name)));
        mentioned
            || match self {
                Self::Unknown => true,
                // Which classes the parser takes is not always seen: a field of any of them may be an option.
                Self::Declared { classes: true } => {
                    classes::tables().flat_map(|table| &table.classes).any(|class| class.field(&spellings[0]).is_some())
                }
                Self::Declared { classes: false } => false,
            }
    }
}

/// The launcher flag that an argument of the script looks like: only long flags specific to the launcher.
fn stray<'o, 'l>(launcher: Launcher, option: &'o Argument<'l>) -> Option<(&'o Argument<'l>, &'static str)> {
    let spelling = format!("--{}", option.name);
    let known = flags::flags(launcher).iter().find(|flag| flag.names.contains(&spelling.as_str()))?;
    let name = known.names[0];
    let own = name.contains('_') && !SHARED.contains(&name) || matches!(name, "--nnodes" | "--standalone");
    own.then_some((option, name))
}

fn finding(cx: &Context<'_>, launch: &Launch, option: &Argument<'_>, flag: &str) -> vramlint_base::Finding {
    let script = launch.script.as_ref().and_then(Word::text).unwrap_or_default();
    let place = FileRange::new(launch.file, option.word);
    let finding = RULE
        .finding(
            place,
            message!(
                "`{flag}` comes after {script}, so the script gets it, not the launcher",
                "`{flag}` 写在 {script} 之后，被传给脚本而不是启动器"
            ),
        )
        .with_help(message!("move it before {script}", "移到 {script} 之前"));
    match moved(cx, launch, option) {
        Some(edits) => finding.with_fix(Fix {
            title: message!("move `{flag}` before {script}", "把 `{flag}` 移到 {script} 之前"),
            applicability: Applicability::Unsafe,
            edits,
        }),
        None => finding,
    }
}

/// Removes the option with its value and inserts it before the script.
fn moved(cx: &Context<'_>, launch: &Launch, option: &Argument<'_>) -> Option<Vec<Edit>> {
    let text = &cx.project.file(launch.file).text;
    let script = launch.script.as_ref()?;
    let range = option.value.as_ref().map_or(option.word, |value| option.word.cover(value.word.range));
    let words = range.slice(text);
    let before = text.get(..range.start as usize)?;
    let blank = before.len() - before.trim_end_matches(' ').len();
    if blank == 0 || words.contains('\n') {
        return None;
    }
    let at = FileRange::new(launch.file, TextRange::new(script.range.start, script.range.start));
    let gone = FileRange::new(launch.file, TextRange::new(range.start - 1, range.end));
    Some(vec![edit::replace(at, format!("{words} ")), edit::replace(gone, "")])
}

//! # unknown-model
//!
//! A model name that its family does not have: a size that was never released, or a misspelled family name.
//!
//! ## Why it matters
//! The run fails when it loads the model, often after the job waited in a cluster queue and started all processes. Estimates
//! for the nonexistent size are wrong as well.
//!
//! ## Example
//! ```bash file=launch.sh
//! torchrun --nproc_per_node 2 train.py --model_name_or_path Qwen/Qwen3-1.8B
//! ```
//! ```python file=train.py
//! import argparse
//! from transformers import AutoModelForCausalLM
//! parser = argparse.ArgumentParser()
//! parser.add_argument("--model_name_or_path")
//! args = parser.parse_args()
//! model = AutoModelForCausalLM.from_pretrained(args.model_name_or_path)
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! torchrun --nproc_per_node 2 train.py --model_name_or_path Qwen/Qwen3-1.7B
//! ```
//! ```python file=train.py
//! import argparse
//! from transformers import AutoModelForCausalLM
//! parser = argparse.ArgumentParser()
//! parser.add_argument("--model_name_or_path")
//! args = parser.parse_args()
//! model = AutoModelForCausalLM.from_pretrained(args.model_name_or_path)
//! ```
//!
//! ## When it stays silent
//! For all names outside the few families of which all sizes are known: closed generations of Qwen, Llama, Gemma, Pythia, OPT
//! and others. A name from another organization, an unknown suffix (`-AWQ`, `-2507`) and a newer family are never reported.
//! Also silent for a model in the project or in the Hugging Face cache, and for a model declared with `[[model]]`.
//!
//! ## Fix
//! Unsafe, and only if there is little doubt: the name that was most likely intended. It is a different model from the one in
//! the file.
//!
//! ## Sources
//! `data/families.json` of the catalogue, each family with its own source: Lightning-AI/litgpt `litgpt/config.py`, the
//! technical reports, listings of the organizations on the hub. vramlint does not access the hub itself.
//!
//! # 中文
//!
//! 模型名称在其系列中并不存在：该规模从未发布，或系列名称拼写有误。
//!
//! ## 为什么重要
//! 加载模型时任务就会失败，而此时往往已经排过集群队列并启动了所有进程。为这个不存在的规模做的估算也是错的。
//!
//! ## 何时不报
//! 只检查少数已知全部规模的系列：Qwen、Llama、Gemma、Pythia、OPT 等已不再增加成员的版本。其他组织的名称、未知的后缀（`-AWQ`、
//! `-2507`）以及更新的系列一律不报。位于项目或 Hugging Face 缓存中的模型，以及用 `[[model]]` 声明的模型，也不报。
//!
//! ## 修复
//! 不安全，仅在几乎没有疑问时提供：改为最可能的名称。它与文件中所写的不是同一个模型。
//!
//! ## 来源
//! 目录数据 `data/families.json`，每个系列各有来源：Lightning-AI/litgpt `litgpt/config.py`、技术报告、各组织在 hub 上的列表。
//! vramlint 不会访问 hub。

use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{Applicability, FileRange, Fix, Message, Severity, TextRange, Value, message};
use vramlint_catalog::Concept;
use vramlint_catalog::families::{self, Kind, Slip};
use vramlint_edit as edit;
use vramlint_resolve::code::CodeFacts;
use vramlint_resolve::{Candidate, Project, Run, Setting};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL008", "unknown-model", Severity::Info, page!("unknown_model.rs"), check)
};

/// Settings whose values name models.
const NAMING: [Concept; 3] = [Concept::Model, Concept::ReferenceModel, Concept::RewardModel];

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut report = |name: &str, place: FileRange, run: Option<&Run>| {
        let Some(slip) = families::slip(name).filter(|_| !cx.models.is_available(name)) else { return };
        let (place, exact) = within(cx.project, place, name);
        if out.mark_reported(place) {
            let finding = RULE.finding(place, slip_message(name, &slip)).with_help(help(&slip));
            let finding = if exact && slip.near { finding.with_fix(fix(place, &slip)) } else { finding };
            out.push(if let Some(run) = run { finding.with_run(&run.id) } else { finding });
        }
    };
    for run in &cx.project.runs {
        let settings = || NAMING.iter().filter_map(|concept| run.settings.get(concept));
        for candidate in settings().flat_map(that_count) {
            if let (Some(name), Some(place)) = (name_of(candidate), candidate.origin.place()) {
                report(name, place, Some(run));
            }
        }
        // The name that code loads by default is a candidate of the run: reported above, or replaced by another.
        let settled: BTreeSet<&str> = settings().flat_map(|setting| &setting.candidates).filter_map(name_of).collect();
        for (name, place) in run.code.iter().flat_map(|code| loads(code)) {
            if !settled.contains(name) {
                report(name, place, Some(run));
            }
        }
    }
    for (name, place) in cx.project.orphan_modules().iter().flat_map(|(_, code)| loads(code)) {
        report(name, place, None);
    }
}

/// The candidates that decide; all where that is open.
fn that_count(setting: &Setting) -> impl Iterator<Item = &Candidate> {
    let winning = setting.winning();
    let open = setting.candidates.iter().filter(move |_| winning.is_none());
    winning.into_iter().chain(open)
}

fn name_of(candidate: &Candidate) -> Option<&str> {
    candidate.known().and_then(Value::as_str)
}

/// The models that code loads, with the place of the name where it is an argument, else of the call.
fn loads(code: &CodeFacts) -> impl Iterator<Item = (&str, FileRange)> {
    code.models.iter().filter_map(|load| {
        let argument =
            load.arguments.iter().find(|(key, ..)| matches!(key.as_str(), "pretrained_model_name_or_path" | "model_name"));
        Some((load.model.as_ref()?.as_str()?, argument.map_or(load.place, |(_, _, place)| *place)))
    })
}

/// Where the name itself is written, and whether that is certain: inside of the place; else where the file assigns it to the
/// variable that is there, if it has it once.
fn within(project: &Project, place: FileRange, name: &str) -> (FileRange, bool) {
    let text: &str = &project.file(place.file).text;
    let only = |start: usize, end: usize| {
        let mut found = text.get(start..end).unwrap_or("").match_indices(name).filter(|(at, _)| is_whole(text, start + at, name));
        let (at, _) = found.next()?;
        found.next().is_none().then(|| TextRange::of(start + at..start + at + name.len()))
    };
    let inside = only(place.range.start as usize, place.range.end as usize);
    let range = inside.or_else(|| only(0, text.len()).filter(|range| is_assigned(text, range.start as usize)));
    range.map_or((place, false), |range| (FileRange::new(place.file, range), true))
}

/// Whether the name is not part of a longer one.
fn is_whole(text: &str, at: usize, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part)
}

/// Whether a `=` is before it on its line, and no comment.
fn is_assigned(text: &str, at: usize) -> bool {
    let line = text[..at].rsplit('\n').next().unwrap_or("");
    !line.contains('#') && line.trim_end_matches(['"', '\'', ' ']).ends_with('=')
}

fn slip_message(name: &str, slip: &Slip) -> Message {
    let meant = &slip.meant;
    message!("no public model is called {name}; did you mean {meant}?", "没有名为 {name} 的公开模型；是否想写 {meant}？")
}

fn help(slip: &Slip) -> Message {
    let (stem, sizes) = (&slip.family.stems[0], slip.family.sizes.join(", "));
    match slip.kind {
        Kind::Size => message!(
            "{stem} was released in {sizes}; declare a private model with `[[model]]` in `vramlint.toml`",
            "{stem} 发布过的规模有 {sizes}；私有模型请在 `vramlint.toml` 中用 `[[model]]` 声明"
        ),
        Kind::Spelling => message!(
            "the family is spelled {stem}; declare a private model with `[[model]]` in `vramlint.toml`",
            "该系列写作 {stem}；私有模型请在 `vramlint.toml` 中用 `[[model]]` 声明"
        ),
        Kind::Ending => message!(
            "{stem} has no public model with this suffix; declare a private model with `[[model]]` in `vramlint.toml`",
            "{stem} 系列没有带此后缀的公开模型；私有模型请在 `vramlint.toml` 中用 `[[model]]` 声明"
        ),
    }
}

fn fix(place: FileRange, slip: &Slip) -> Fix {
    let meant = &slip.meant;
    Fix {
        title: message!("write {meant}", "改为 {meant}"),
        applicability: Applicability::Unsafe,
        edits: vec![edit::replace(place, meant.clone())],
    }
}

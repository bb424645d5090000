//! # syntax-error
//!
//! A file that its reader cannot parse.
//!
//! ## Why it matters
//! The run fails before it starts. vramlint still reads the rest of the file as far as possible, so that other findings are
//! not lost. A JSON file for DeepSpeed has two kinds of readers: DeepSpeed itself accepts comments and trailing commas, but
//! accelerate and transformers reject them.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2: 3
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! ```
//!
//! ## Severity
//! An info finding in a file that no known tool reads. Silent in Python that takes part in no run and names no training library, and in
//! data: JSON with a list or with several values (JSON Lines) that no code is seen
//! to load, and pointers of Git LFS.
//!
//! ## Sources
//! PyYAML 6.0.3; hjson 3.1 as DeepSpeed 0.19.8 `runtime/config.py` calls it; CPython 3.11 `json`.
//!
//! # 中文
//!
//! 读取文件的程序无法解析该文件。
//!
//! ## 为什么重要
//! 运行还没开始就会失败。文件的其余部分仍会尽量读取，以免漏掉其他问题。DeepSpeed 的 JSON 有两类读取者：DeepSpeed 自己接受注释和
//! 末尾逗号，而 accelerate 与 transformers 会拒绝。
//!
//! ## 严重程度
//! 没有已知工具读取的文件仅作提示。不参与任何运行、也未提及训练库的 Python 文件不报。数据文件不报：内容为列表或多个值（JSON Lines）、且未见代码加载的 JSON，以及 Git LFS 的指针文件。
//!
//! ## 来源
//! PyYAML 6.0.3；DeepSpeed 0.19.8 `runtime/config.py` 所调用的 hjson 3.1；CPython 3.11 的 `json`。

use crate::syntax_and_keys::loads::loads;
use crate::{Context, Rule, Sink, Symptom, needs};
use std::cell::OnceCell;
use std::collections::HashSet;
use vramlint_base::{FileRange, Message, Severity, TextRange, message};
use vramlint_resolve::{Feature, FileKind, Project, SourceFile, Syntax};
use vramlint_semantic::deepspeed::consumers::{self, Consumers};
use vramlint_syntax::data::{DataFile, NodeKind};
use vramlint_syntax::{RefusedBy, SyntaxError, json, yaml};

pub(crate) static RULE: Rule = Rule {
    needs: needs::PARSED,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL001", "syntax-error", Severity::Error, page!("syntax_error.rs"), check)
};

/// Errors reported of one file: what follows the first few is mostly their echo.
const MOST: usize = 3;

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut calls = None;
    for file in cx.project.files.iter().filter(|file| !cx.project.is_documentation_snippet(file.id)) {
        if !file.decode_errors.is_empty() {
            continue;
        }
        if file.is_python() && !may_train(cx.project, file) {
            continue;
        }
        let errors: &[SyntaxError] = match file.syntax() {
            Syntax::Data(data) => &data.errors,
            Syntax::Python(module) => &module.errors,
            Syntax::Script(script) => &script.errors,
            Syntax::Text | Syntax::Unreadable => continue,
        };
        let judge = Judge::new(cx.project, file);
        let verdicts = errors.iter().filter_map(|error| judge.verdict(error).map(|verdict| (error, verdict)));
        for (error, (mut severity, help)) in verdicts.take(MOST) {
            // A file that code is seen to load is read whatever its keys are.
            let all = error.refused_by == RefusedBy::All && file.is_data() && cx.project.kind(file.id) == FileKind::Other;
            if all && help.is_none() {
                let calls = calls.get_or_insert_with(|| loads(cx.project)).get(&file.id);
                if calls.is_some_and(|calls| calls.iter().any(|load| load.loader.is_some())) {
                    severity = Severity::Error;
                } else if is_dataset(cx.project, file) {
                    continue;
                }
            }
            let mut finding = RULE.finding(FileRange::new(file.id, error.range), error.message.clone()).with_severity(severity);
            finding.help = help;
            out.push(finding);
        }
    }
}

/// Whether a file holds data rather than settings: datasets and other tools have readers of their own.
pub(super) fn is_dataset(project: &Project, file: &SourceFile) -> bool {
    project.kind(file.id) == FileKind::Other && file.is_json() && json::holds_records(&file.text)
}

/// What decides on the errors of one file: each fact is found once, since a file may have many errors.
struct Judge<'a> {
    project: &'a Project,
    file: &'a SourceFile,
    may_be_template_source: OnceCell<bool>,
    keys: OnceCell<HashSet<TextRange>>,
}

impl<'a> Judge<'a> {
    fn new(project: &'a Project, file: &'a SourceFile) -> Self {
        Self { project, file, may_be_template_source: OnceCell::new(), keys: OnceCell::new() }
    }

    /// The severity of an error for those who read this file; `None` where they pass it.
    fn verdict(&self, error: &SyntaxError) -> Option<(Severity, Option<Message>)> {
        let (project, file) = (self.project, self.file);
        let kind = project.kind(file.id);
        let json = file.is_json();
        match error.refused_by {
            // The rule `duplicate-key` reports these.
            RefusedBy::UniqueKeys => None,
            RefusedBy::Nobody => Some((
                Severity::Info,
                Some(message!(
                    "vramlint does not check this file; Python itself may accept it",
                    "vramlint 不检查此文件；Python 本身可能接受它"
                )),
            )),
            RefusedBy::All | RefusedBy::PyYaml if self.may_be_template_source() => {
                let ours = !file.is_data() || kind != FileKind::Other;
                ours.then(|| (Severity::Info, Some(rendered())))
            }
            RefusedBy::All if file.is_data() && kind == FileKind::Other => Some((Severity::Info, None)),
            RefusedBy::PyYaml => pyyaml(kind),
            RefusedBy::All => Some((Severity::Error, None)),
            RefusedBy::StrictJson if !json => None,
            RefusedBy::StrictJson => match kind {
                FileKind::Other => None,
                FileKind::DeepSpeed => Some(strict(project, file)),
                _ => Some((Severity::Error, None)),
            },
            // The rule `duplicate-key` reports a duplicate key.
            RefusedBy::Hjson if self.is_key(error) => None,
            RefusedBy::Hjson => {
                (kind == FileKind::DeepSpeed && plain_deepspeed(project, file) == Some(true)).then_some((Severity::Error, None))
            }
        }
    }

    /// Whether a template engine may render the file before a program parses it: a chart, a project template.
    fn may_be_template_source(&self) -> bool {
        *self.may_be_template_source.get_or_init(|| match self.file.syntax() {
            Syntax::Data(_) => yaml::is_template_source(&self.file.text),
            // An f-string may hold doubled braces; a statement of a template engine is on a line of its own.
            Syntax::Python(_) => {
                self.project.features(self.file.id).has(Feature::Cookiecutter)
                    || self.file.text.lines().any(|line| line.trim_start().starts_with("{%"))
            }
            _ => false,
        })
    }

    /// Whether the error is a key of a mapping as a whole.
    fn is_key(&self, error: &SyntaxError) -> bool {
        let keys = || self.file.data().map(key_ranges).unwrap_or_default();
        self.keys.get_or_init(keys).contains(&error.range)
    }
}

/// Whether a Python file takes part in a run or names a library that trains. The others are for Python's own linters.
fn may_train(project: &Project, file: &SourceFile) -> bool {
    needs::names_training_library(file) && !project.is_library_code(file.id) || project.runs_of(file.id).next().is_some()
}

/// The range of each key of a file.
fn key_ranges(data: &DataFile) -> HashSet<TextRange> {
    let entries =
        data.nodes.iter().filter_map(|node| if let NodeKind::Mapping(entries) = &node.kind { Some(entries) } else { None });
    entries.flatten().map(|entry| data.nodes[entry.key.0 as usize].range).collect()
}

fn rendered() -> Message {
    message!("the file is a template: its rendered content is not known", "此文件是模板：渲染后的内容未知")
}

/// What only PyYAML's `safe_load` rejects, such as `!include`: an error where the tool is known to read with it, else advice,
/// since a project's own loader may add tags.
fn pyyaml(kind: FileKind) -> Option<(Severity, Option<Message>)> {
    match kind {
        FileKind::Other => None,
        FileKind::Accelerate | FileKind::DeepSpeed => Some((Severity::Error, None)),
        kind if kind.config().is_some_and(|config| config.refuses_tags) => Some((Severity::Error, None)),
        _ => {
            let help = message!("the project's own loader may accept it", "项目自己的加载器可能接受它");
            Some((Severity::Info, Some(help)))
        }
    }
}

fn strict(project: &Project, file: &SourceFile) -> (Severity, Option<Message>) {
    let help = message!(
        "accelerate and transformers parse this file as strict JSON; only DeepSpeed's own reader accepts it",
        "accelerate 与 transformers 按严格 JSON 解析此文件；只有 DeepSpeed 自己的读取器接受它"
    );
    match plain_deepspeed(project, file) {
        Some(true) => (Severity::Info, Some(help)),
        Some(false) => (Severity::Error, Some(help)),
        None => (Severity::Warning, Some(help)),
    }
}

/// Whether DeepSpeed itself reads the file rather than accelerate or transformers; `None` where no run shows it.
pub(super) fn plain_deepspeed(project: &Project, file: &SourceFile) -> Option<bool> {
    let uses = consumers::uses(project, file.id);
    if uses.iter().any(|one| one.consumers.within(Consumers::HUGGING_FACE)) {
        return Some(false);
    }
    uses.iter().any(|one| one.consumers.within(Consumers::PLAIN)).then_some(true)
}

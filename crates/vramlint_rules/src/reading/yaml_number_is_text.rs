//! # yaml-number-is-text
//!
//! A number that YAML 1.1 reads as text: `2e-5` without a dot, `1e5` without a sign.
//!
//! ## Why it matters
//! PyYAML's `safe_load` gives the text `'2e-5'` for `learning_rate: 2e-5`. An optimizer that gets it stops with a `TypeError`;
//! code that compares it silently compares text. OmegaConf (LLaMA-Factory, torchtune), TrlParser and Axolotl turn it into a
//! number, so nothing is said there.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//! import yaml
//!
//! with open("config.yaml") as handle:
//!     cfg = yaml.safe_load(handle)
//! ```
//! ```yaml file=config.yaml
//! model_name: mistralai/Mistral-7B-v0.1
//! batch_size: 4
//! learning_rate: 2e-5
//! ```
//!
//! ## Fine
//! ```yaml file=config.yaml
//! model_name: mistralai/Mistral-7B-v0.1
//! batch_size: 4
//! learning_rate: 2.0e-5
//! ```
//!
//! ## Fix
//! Safe: a dot (and a sign) is added, which every loader reads as the same number.
//!
//! ## Sources
//! PyYAML 6.0.3 `resolver.py`, run; transformers 5.23.0 `HfArgumentParser.parse_yaml_file`, run.
//!
//! # 中文
//!
//! 被 YAML 1.1 读成文本的数字：没有小数点的 `2e-5`，没有符号的 `1e5`。
//!
//! ## 为什么重要
//! 对 `learning_rate: 2e-5`，PyYAML 的 `safe_load` 得到的是文本 `'2e-5'`。优化器收到它会以 `TypeError` 停止；拿它比较的代码
//! 比的是文本。OmegaConf（LLaMA-Factory、torchtune）、TrlParser 与 Axolotl 会把它转成数字，因此这些情况不报告。
//!
//! ## 修复
//! 安全：补上小数点（和符号），所有读取器都会读成同一个数。

use crate::rule::Build;
use crate::{Context, Group, Rule, Sink, edit};
use vramlint_base::{Applicability, Fix, Place, Severity, Value, message};
use vramlint_resolve::{Kind, Project, SourceFile};
use vramlint_syntax::data::{Loader, NodeId, NodeKind, NodeRef, Style};
use vramlint_syntax::yaml;

pub(crate) static RULE: Rule = Rule {
    code: "VL007",
    name: "yaml-number-is-text",
    group: Group::Reading,
    severity: Severity::Warning,
    since: "0.1.0",
    source: include_str!("yaml_number_is_text.rs"),
    check: Some(check),
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in &cx.project.files {
        let Some(data) = file.data().filter(|data| !data.json) else { continue };
        let Some(reader) = reader(cx.project, file) else { continue };
        for index in 0..data.nodes.len() {
            let node = NodeRef { file: data, id: NodeId(index as u32) };
            if let NodeKind::Mapping(entries) = &node.raw().kind {
                for entry in entries {
                    let (key, value) = (NodeRef { file: data, id: entry.key }, NodeRef { file: data, id: entry.value });
                    out.findings.extend(number(file, key, value, &reader));
                }
            }
        }
    }
}

/// Who reads the file: how grave it is, and the place of the call where the project shows it.
struct Reader {
    severity: Severity,
    call: Option<Place>,
}

/// `None` where the loader makes a number of it.
fn reader(project: &Project, file: &SourceFile) -> Option<Reader> {
    let calls = loads(project, file);
    if let Some((place, _)) = calls.iter().find(|(_, loader)| *loader == Some(Loader::PyYaml)) {
        return Some(Reader { severity: Severity::Warning, call: Some(*place) });
    }
    if calls.iter().any(|(_, loader)| loader.is_some()) {
        return None;
    }
    match project.kind(file.id) {
        // int('1e8') is refused when the plugin is built (accelerate 1.15.0 utils/dataclasses.py:1930).
        Kind::Accelerate => Some(Reader { severity: Severity::Warning, call: None }),
        Kind::Training | Kind::HfTrainer => Some(Reader { severity: Severity::Info, call: None }),
        _ => None,
    }
}

/// Every call of the project that loads this file.
fn loads(project: &Project, file: &SourceFile) -> Vec<(Place, Option<Loader>)> {
    let mut found = Vec::new();
    for run in project.runs_of(file.id) {
        let Some(code) = &run.code else { continue };
        for load in &code.loads {
            let folder = project.file(load.place.file).folder();
            let by_path = load.path.as_deref().and_then(|path| project.lookup.find(path, folder)) == Some(file.id);
            let by_option = load.option.as_deref().is_some_and(|option| {
                run.launch.as_ref().is_some_and(|launch| {
                    launch.options().iter().any(|given| {
                        let text = given.value.as_ref().and_then(|value| value.text.as_deref());
                        let here = project.file(launch.file).folder();
                        given.name.replace('-', "_") == option
                            && text.and_then(|text| project.lookup.find(text, here)) == Some(file.id)
                    })
                })
            });
            if by_path || by_option {
                found.push((load.place, load.loader));
            }
        }
    }
    found
}

fn number(file: &SourceFile, key: NodeRef<'_>, value: NodeRef<'_>, reader: &Reader) -> Option<vramlint_base::Finding> {
    let NodeKind::Scalar(scalar) = &value.raw().kind else { return None };
    if scalar.style != Style::Plain || value.raw().tag.is_some() {
        return None;
    }
    yaml::scalar::looks_like_number(&scalar.text)?;
    if !matches!(value.value(Loader::PyYaml), Some(Value::Text(_))) {
        return None;
    }
    let (name, text) = (key.text()?, &scalar.text);
    let place = Place::new(file.id, value.range());
    let message = match reader.call {
        Some(_) => message!(
            "`{name}: {text}` is the text '{text}' to yaml.safe_load, not a number",
            "`{name}: {text}` 对 yaml.safe_load 而言是文本 '{text}'，不是数字"
        ),
        None => message!(
            "`{name}: {text}` is the text '{text}' to PyYAML, not a number",
            "`{name}: {text}` 对 PyYAML 而言是文本 '{text}'，不是数字"
        ),
    };
    let mut finding = RULE.finding(place, message).severity(reader.severity).help(message!(
        "YAML 1.1 wants a dot in the mantissa and a sign in the exponent",
        "YAML 1.1 要求尾数有小数点、指数有正负号"
    ));
    if let Some(call) = reader.call {
        finding = finding.related(call, message!("read here", "在此读取"));
    }
    if let Some(spelling) = yaml::scalar::pyyaml_float_spelling(text) {
        finding = finding.fix(Fix {
            title: message!("write {spelling}", "写作 {spelling}"),
            applicability: Applicability::Safe,
            edits: vec![edit::replace(place, spelling)],
        });
    }
    Some(finding)
}

//! # yaml-number-read-otherwise
//!
//! A number that YAML 1.1 reads as another one: `010` is 8, `1:30` is 90.
//!
//! ## Why it matters
//! A leading zero makes an octal number of digits up to 7, and colons make one to the base of 60. PyYAML and OmegaConf, and so every
//! framework that reads YAML, take it so without a word; readers of YAML 1.2 take `010` for 10 and `1:30` for text.
//!
//! ## Example
//! ```yaml file=config.yaml
//! model_name: mistralai/Mistral-7B-v0.1
//! per_device_train_batch_size: 010
//! learning_rate: 2.0e-5
//! ```
//!
//! ## Fine
//! ```yaml file=config.yaml
//! model_name: mistralai/Mistral-7B-v0.1
//! per_device_train_batch_size: 10
//! learning_rate: 2.0e-5
//! ```
//!
//! ## Fix
//! Unsafe: the digits without the zero in front. What was meant is not known for certain.
//!
//! ## When it is silent
//! Quoted values, file modes (`mode: 0755`), times, and files that are not of a training.
//!
//! ## Sources
//! PyYAML 6.0.3 `resolver.py` and OmegaConf 2.4.0, run.
//!
//! # 中文
//!
//! 被 YAML 1.1 读成另一个数的数字：`010` 是 8，`1:30` 是 90。
//!
//! ## 为什么重要
//! 以 0 开头且各位不超过 7 的数字会按八进制读取，带冒号的按六十进制读取。PyYAML 与 OmegaConf（即所有读取 YAML 的框架）都悄悄这样处理；
//! YAML 1.2 的读取器则把 `010` 读成 10，把 `1:30` 读成文本。
//!
//! ## 修复
//! 不安全：去掉前面的零。本意无法确定。
//!
//! ## 何时不报
//! 加了引号的值、文件权限（`mode: 0755`）、时间，以及与训练无关的文件。
//!
//! ## 来源
//! PyYAML 6.0.3 `resolver.py` 与 OmegaConf 2.4.0，实际运行。

use crate::syntax_and_keys::loads::loads;
use crate::{Context, Group, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::{FileKind, SourceFile};
use vramlint_syntax::data::{Loader, NodeId, NodeKind, NodeRef, Style};

pub(crate) static RULE: Rule = Rule {
    code: "VL030",
    name: "yaml-number-read-otherwise",
    group: Group::SyntaxAndKeys,
    severity: Severity::Warning,
    since: "0.1.0",
    source: include_str!("yaml_number_read_otherwise.rs"),
    check: Some(check),
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect, Symptom::OtherBatch],
    ..Rule::DEFAULT
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let loads = loads(cx.project);
    // A file that code is seen to load counts whatever its keys are.
    let read = |file: &SourceFile| {
        cx.project.kind(file.id) != FileKind::Other
            || loads.get(&file.id).is_some_and(|calls| calls.iter().any(|load| load.loader.is_some()))
    };
    for file in cx.project.files.iter().filter(|file| read(file)) {
        let Some(data) = file.data().filter(|data| !data.json) else { continue };
        for index in 0..data.nodes.len() {
            let node = NodeRef { file: data, id: NodeId(index as u32) };
            let NodeKind::Mapping(entries) = &node.raw().kind else { continue };
            for entry in entries {
                let (key, value) = (NodeRef { file: data, id: entry.key }, NodeRef { file: data, id: entry.value });
                if let Some(name) = key.text().filter(|name| is_plain_number(name)) {
                    number(file, name, value, out);
                }
            }
        }
    }
}

/// Whether a name speaks of neither a file mode nor a time nor a port.
fn is_plain_number(name: &str) -> bool {
    let name = name.to_lowercase();
    !["mode", "perm", "mask", "time", "date", "port", "duration", "hour", "wall", "address", "version", "id"]
        .iter()
        .any(|word| name.contains(word))
}

fn number(file: &SourceFile, name: &str, node: NodeRef<'_>, out: &mut Sink) {
    let NodeKind::Scalar(scalar) = &node.raw().kind else { return };
    if scalar.style != Style::Plain || node.raw().tag.is_some() {
        return;
    }
    let written = scalar.text.as_str();
    let digits = written.trim_start_matches(['-', '+']);
    let octal = digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    let sixty = digits.contains(':') && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    let Some(Value::Int(read)) = node.value(Loader::PyYaml).filter(|_| octal || sixty) else { return };
    let plain = digits.trim_start_matches('0');
    // `007` is 7 either way.
    if octal && plain.parse() == Ok(read.abs()) || read == 0 {
        return;
    }
    let place = FileRange::new(file.id, node.range());
    let (base, zh_base) =
        if octal { ("as octal", "八进制") } else { ("in base 60, as minutes and seconds", "六十进制（分:秒）") };
    let mut finding = RULE
        .finding(
            place,
            message!(
                "`{name}: {written}` is {read} to PyYAML: it is read {base}",
                "`{name}: {written}` 对 PyYAML 而言是 {read}：按{zh_base}读取"
            ),
        )
        .with_help(message!(
            "write the number without a leading zero, or quote it where text is meant",
            "请去掉前导零；若本意是文本则加引号"
        ));
    if octal {
        let sign = &written[..written.len() - digits.len()];
        finding = finding.with_fix(Fix {
            title: message!("write {sign}{plain}", "写作 {sign}{plain}"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(place, format!("{sign}{plain}"))],
        });
    }
    out.push(finding);
}

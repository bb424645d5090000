//! # yaml-number-read-otherwise
//!
//! A number that YAML 1.1 parses as a different number: `010` is 8, `1:30` is 90.
//!
//! ## Why it matters
//! A leading zero makes digits up to 7 an octal number, and colons make a base-60 number. PyYAML and OmegaConf, and so every
//! framework that reads YAML, do this silently; YAML 1.2 parsers read `010` as 10 and `1:30` as a string.
//!
//! ## Example
//! ```yaml file=config.yaml
//! model_name: mistralai/Mistral-7B-v0.1
//! per_device_train_batch_size: 010
//! learning_rate: 2.0e-5
//! ```
//!
//! ## Use instead
//! ```yaml file=config.yaml
//! model_name: mistralai/Mistral-7B-v0.1
//! per_device_train_batch_size: 10
//! learning_rate: 2.0e-5
//! ```
//!
//! ## Fix
//! Unsafe: removes the leading zero. The intended number is not certain.
//!
//! ## When it stays silent
//! Quoted values, file modes (`mode: 0755`), times, and files that do not belong to a training run.
//!
//! ## Sources
//! PyYAML 6.0.3 `resolver.py` and OmegaConf 2.4.0, run.
//!
//! # 中文
//!
//! 被 YAML 1.1 读成另一个数的数字：`010` 是 8，`1:30` 是 90。
//!
//! ## 为什么重要
//! 以 0 开头且各位不超过 7 的数字会按八进制解析，带冒号的按六十进制解析。PyYAML 与 OmegaConf（即所有读取 YAML 的框架）都静默地
//! 这样处理；YAML 1.2 的解析器则把 `010` 读成 10，把 `1:30` 读成字符串。
//!
//! ## 修复
//! 不安全：去掉前导零。本意的数字无法确定。
//!
//! ## 何时不报
//! 加了引号的值、文件权限（`mode: 0755`）、时间，以及与训练无关的文件。
//!
//! ## 来源
//! PyYAML 6.0.3 `resolver.py` 与 OmegaConf 2.4.0，实际运行。

use crate::syntax_and_keys::loads::loads;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::{FileKind, SourceFile};
use vramlint_syntax::data::{Loader, NodeId, NodeKind, NodeRef, Style};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect, Symptom::OtherBatch],
    ..Rule::new("VL030", "yaml-number-read-otherwise", Severity::Warning, page!("yaml_number_read_otherwise.rs"), check)
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

/// Whether a name mentions neither a file mode nor a time nor a port.
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
                "PyYAML parses `{name}: {written}` {base}: the value is {read}",
                "PyYAML 按{zh_base}解析 `{name}: {written}`：值为 {read}"
            ),
        )
        .with_help(message!("remove the leading zero, or quote the value if it is a string", "去掉前导零；若是字符串则加引号"));
    if octal {
        let sign = &written[..written.len() - digits.len()];
        finding = finding.with_fix(Fix {
            title: message!("write {sign}{plain}", "改为 {sign}{plain}"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(place, format!("{sign}{plain}"))],
        });
    }
    out.push(finding);
}

//! # duplicate-key
//!
//! The same key occurs twice in one mapping.
//!
//! ## Why it matters
//! PyYAML and strict JSON silently keep the last value. OmegaConf (LLaMA-Factory, torchtune) rejects the file, and so does
//! DeepSpeed when it reads the JSON itself rather than through accelerate or transformers. Either way, one of the two lines is
//! misleading. If both values are equal, it is an info finding.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 8
//! num_processes: 4
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 4
//! ```
//!
//! ## Sources
//! PyYAML 6.0.3, OmegaConf 2.4.0, hjson as DeepSpeed 0.19.8 `runtime/config_utils.py` calls it.
//!
//! # 中文
//!
//! 同一个映射里出现了两次相同的键。
//!
//! ## 为什么重要
//! PyYAML 与严格的 JSON 读取器会静默保留最后一个值。OmegaConf（LLaMA-Factory、torchtune）会拒绝该文件；DeepSpeed 若自己读取
//! JSON（不经 accelerate 或 transformers），也会拒绝。无论哪种情况，两行中总有一行会误导读者。两处的值相同时仅作提示。
//!
//! ## 来源
//! PyYAML 6.0.3、OmegaConf 2.4.0，以及 DeepSpeed 0.19.8 `runtime/config_utils.py` 所调用的 hjson。

use crate::syntax_and_keys::loads::loads;
use crate::syntax_and_keys::syntax_error::plain_deepspeed;
use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::HashMap;
use vramlint_base::{FileRange, Severity, has_template_mark, message};
use vramlint_catalog::frameworks::ConfigLoader;
use vramlint_resolve::{FileKind, Project, SourceFile};
use vramlint_syntax::data::{Loader, NodeId, NodeKind, NodeRef};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect],
    ..Rule::new("VL006", "duplicate-key", Severity::Warning, page!("duplicate_key.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let loads = loads(cx.project);
    for file in &cx.project.files {
        // A file that code is seen to load counts whatever its keys are.
        let calls = loads.get(&file.id).map_or(&[][..], Vec::as_slice);
        let read = calls.iter().any(|load| load.loader.is_some());
        if cx.project.kind(file.id) == FileKind::Other && !read || cx.project.is_documentation_snippet(file.id) {
            continue;
        }
        let omega = calls.iter().any(|load| load.loader == Some(Loader::OmegaConf));
        let Some(data) = file.data() else { continue };
        for index in 0..data.nodes.len() {
            let node = NodeRef { file: data, id: NodeId(index as u32) };
            if matches!(node.raw().kind, NodeKind::Mapping(_)) {
                mapping(cx, file, node, omega, out);
            }
        }
    }
}

fn mapping(cx: &Context<'_>, file: &SourceFile, node: NodeRef<'_>, omega: bool, out: &mut Sink) {
    let mut seen: HashMap<&str, (NodeRef<'_>, NodeRef<'_>)> = HashMap::new();
    let loader = if file.is_json() { Loader::Json } else { Loader::PyYaml };
    for (key, value) in node.entries() {
        // A key that a template fills in may become two.
        let Some(text) = key.text().filter(|text| *text != "<<" && !has_template_mark(text)) else { continue };
        let Some((first, earlier)) = seen.insert(text, (key, value)) else { continue };
        // `1` and `'1'` are two keys.
        if first.value(loader) != key.value(loader) {
            continue;
        }
        let same = earlier.value(loader).is_some_and(|earlier| Some(earlier) == value.value(loader));
        let refused_by = if omega { Some("OmegaConf") } else { refused_by(cx.project, file) };
        out.push(finding(file, text, key, first, refused_by, same));
    }
}

/// The reader that rejects the file, where that is known.
fn refused_by(project: &Project, file: &SourceFile) -> Option<&'static str> {
    match project.kind(file.id) {
        kind if kind.config().is_some_and(|config| config.loader == ConfigLoader::OmegaConf) => Some("OmegaConf"),
        FileKind::DeepSpeed if plain_deepspeed(project, file) == Some(true) => Some("DeepSpeed"),
        _ => None,
    }
}

fn finding(
    file: &SourceFile,
    text: &str,
    key: NodeRef<'_>,
    first: NodeRef<'_>,
    refused_by: Option<&str>,
    same: bool,
) -> vramlint_base::Finding {
    let (message, severity) = match refused_by {
        Some(reader) => (
            message!("duplicate key `{text}`: {reader} rejects this file", "键 `{text}` 重复：{reader} 会拒绝此文件"),
            Severity::Error,
        ),
        None if same => (message!("duplicate key `{text}`, with the same value", "键 `{text}` 重复，值相同"), Severity::Info),
        None => (
            message!("duplicate key `{text}`: the last value takes effect", "键 `{text}` 重复：最后一个值生效"),
            Severity::Warning,
        ),
    };
    RULE.finding(FileRange::new(file.id, key.range()), message)
        .with_severity(severity)
        .with_related(FileRange::new(file.id, first.range()), message!("`{text}` is first set here", "`{text}` 首次出现"))
        .with_help(message!("keep the intended one, and delete the other", "保留需要的那一个，删除另一个"))
}

//! # deepspeed-file-and-accelerate-key
//!
//! accelerate's file names a DeepSpeed JSON and beside it sets what only that JSON may set.
//!
//! ## Why it matters
//! `Accelerator()` refuses the combination with a `ValueError`: with `deepspeed_config_file` the JSON is the only place for the
//! ZeRO stage, offload, accumulation, clipping and for `mixed_precision` (even `'no'`). The same values as flags of `accelerate
//! launch` are not refused: they fill the JSON's `auto` entries.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: DEEPSPEED
//! num_processes: 2
//! mixed_precision: bf16
//! deepspeed_config:
//!   deepspeed_config_file: ds_config.json
//! ```
//!
//! ## Fine
//! ```yaml file=accelerate_config.yaml
//! distributed_type: DEEPSPEED
//! num_processes: 2
//! deepspeed_config:
//!   deepspeed_config_file: ds_config.json
//!   zero3_init_flag: false
//! ```
//!
//! ## Fix
//! Unsafe: the line is removed. Set the value in the JSON, or as a flag of the launch, where it is `auto`.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/dataclasses.py:1526`, run, each key.
//!
//! # 中文
//!
//! accelerate 的文件指定了 DeepSpeed JSON，同时又设置了只能由该 JSON 设置的内容。
//!
//! ## 为什么重要
//! `Accelerator()` 会以 `ValueError` 拒绝这种组合：使用 `deepspeed_config_file` 时，ZeRO 阶段、卸载、累积、裁剪以及
//! `mixed_precision`（即使是 `'no'`）只能写在 JSON 中。作为 `accelerate launch` 的参数给出同样的值则不会被拒绝：它们填入
//! JSON 中的 `auto` 项。
//!
//! ## 修复
//! 不安全：删除该行。请在 JSON 中设置该值，或在 JSON 写 `auto` 时作为启动参数给出。

use crate::rule::Build;
use crate::{Context, Group, Rule, Sink, edit};
use vramlint_base::{Applicability, Fix, Place, Severity, message};
use vramlint_catalog::keys;
use vramlint_resolve::{Kind, Project, SourceFile};
use vramlint_syntax::data::NodeRef;

pub(crate) static RULE: Rule = Rule {
    code: "VL501",
    name: "deepspeed-file-and-accelerate-key",
    group: Group::Sharding,
    severity: Severity::Error,
    since: "0.1.0",
    source: include_str!("deepspeed_file_and_accelerate_key.rs"),
    check: Some(check),
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in cx.project.files.iter().filter(|file| cx.project.kind(file.id) == Kind::Accelerate) {
        let Some(root) = file.data().and_then(|data| data.root()) else { continue };
        if root.get("distributed_type").and_then(NodeRef::text) != Some("DEEPSPEED") {
            continue;
        }
        let Some(named) = root.at(&["deepspeed_config", "deepspeed_config_file"]) else { continue };
        if named.text().is_none_or(|text| text.is_empty() || text == "none" || text == "null") {
            continue;
        }
        for refused in keys::accelerate().iter().filter(|key| key.refused_beside_file) {
            let path: Vec<&str> = refused.path.split('.').collect();
            let Some((name, parents)) = path.split_last() else { continue };
            if let Some((key, value)) = root.at(parents).and_then(|block| block.entry(name)) {
                out.push(finding(cx.project, file, key, value, named));
            }
        }
    }
}

fn finding(
    project: &Project,
    file: &SourceFile,
    key: NodeRef<'_>,
    value: NodeRef<'_>,
    named: NodeRef<'_>,
) -> vramlint_base::Finding {
    let (name, json) = (key.text().unwrap_or_default(), named.text().unwrap_or_default());
    let written = value.range().slice(&file.text);
    let mut finding = RULE
        .finding(
            Place::new(file.id, key.range().cover(value.range())),
            message!(
                "accelerate refuses `{name}: {written}` beside deepspeed_config_file",
                "accelerate 拒绝在 deepspeed_config_file 旁设置 `{name}: {written}`"
            ),
        )
        .related(Place::new(file.id, named.range()), message!("{json} is the only place for it", "只能写在 {json} 中"))
        .help(message!(
            "set it in {json}, or remove it here and pass it as a flag where the JSON says auto",
            "请在 {json} 中设置；或从此处删除，并在 JSON 写 auto 时以启动参数给出"
        ));
    let id = project.lookup.find(json, file.folder());
    let there = id.and_then(|id| counterpart(project.file(id), name).map(|node| Place::new(id, node.range())));
    if let Some(place) = there {
        finding = finding.related(place, message!("the JSON's own value", "JSON 中的值"));
    }
    if let Some(removal) = edit::remove_entry(file, key.range(), value.range()) {
        finding = finding.fix(Fix {
            title: message!("remove the line", "删除该行"),
            applicability: Applicability::Unsafe,
            edits: vec![removal],
        });
    }
    finding
}

/// Where the JSON says the same thing.
fn counterpart<'a>(json: &'a SourceFile, key: &str) -> Option<NodeRef<'a>> {
    let root = json.data()?.root()?;
    let paths: &[&[&str]] = match key {
        "mixed_precision" => &[&["bf16", "enabled"], &["fp16", "enabled"]],
        "gradient_accumulation_steps" => &[&["gradient_accumulation_steps"]],
        "gradient_clipping" => &[&["gradient_clipping"]],
        "zero_stage" => &[&["zero_optimization", "stage"]],
        "offload_optimizer_device" => &[&["zero_optimization", "offload_optimizer", "device"]],
        "offload_param_device" => &[&["zero_optimization", "offload_param", "device"]],
        "offload_optimizer_nvme_path" => &[&["zero_optimization", "offload_optimizer", "nvme_path"]],
        "offload_param_nvme_path" => &[&["zero_optimization", "offload_param", "nvme_path"]],
        _ => &[&["zero_optimization", "stage3_gather_16bit_weights_on_model_save"]],
    };
    paths.iter().find_map(|path| root.at(path))
}

//! # deepspeed-file-and-accelerate-key
//!
//! accelerate's file names a DeepSpeed JSON and also sets keys that only the JSON may set.
//!
//! ## Why it matters
//! `Accelerator()` raises a `ValueError`: with `deepspeed_config_file`, in the file or as a flag, only the JSON may set the ZeRO
//! stage, offload, accumulation, clipping and `mixed_precision` (even `'no'`). The same values as flags of `accelerate launch` are
//! accepted: they fill the JSON's `auto` entries.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: DEEPSPEED
//! num_processes: 2
//! mixed_precision: bf16
//! deepspeed_config:
//!   deepspeed_config_file: ds_config.json
//! ```
//! ```json file=ds_config.json
//! {"bf16": {"enabled": true}, "zero_optimization": {"stage": 2}}
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: DEEPSPEED
//! num_processes: 2
//! deepspeed_config:
//!   deepspeed_config_file: ds_config.json
//!   zero3_init_flag: false
//! ```
//! ```json file=ds_config.json
//! {"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 2}}
//! ```
//!
//! ## Fix
//! Safe if the JSON has the same values: the lines are removed. Otherwise unsafe: the value moves into the JSON, if the JSON has none
//! or `auto`; or the line is removed, and you pass the value as a launch flag.
//!
//! ## Severity
//! Warning if the JSON is not in the project: the launch then fails earlier, or finds another file.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/dataclasses.py:1526`, run, each key; `commands/launch.py:1284` and `:1394` (which keys of the file count:
//! `mixed_precision` unless it is null or a flag overrides it, the others by their presence alone).
//!
//! # 中文
//!
//! accelerate 的文件指定了 DeepSpeed JSON，同时又设置了只能由该 JSON 设置的内容。
//!
//! ## 为什么重要
//! `Accelerator()` 会引发 `ValueError`：使用 `deepspeed_config_file`（无论写在文件中还是作为参数）时，ZeRO 阶段、卸载、累积、裁剪以及
//! `mixed_precision`（即使是 `'no'`）只能写在 JSON 中。作为 `accelerate launch` 的参数给出同样的值则不会被拒绝：它们填入
//! JSON 中的 `auto` 项。
//!
//! ## 修复
//! JSON 中的值全部相同时安全：删除这些行。否则不安全：把值移到 JSON 中（原来没有或为 `auto` 时）；或删除该行，改由启动参数给出。
//!
//! ## 严重程度
//! 项目中没有该 JSON 时只报警告：启动会更早失败，或用到别处的文件。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/dataclasses.py:1526`，逐键实际运行；`commands/launch.py:1284` 与 `:1394`（文件中哪些键算数：`mixed_precision`
//! 为空或被参数替代时不算，其余只要出现就算）。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Edit, FileRange, Fix, Severity, Value, has_template_mark, message};
use vramlint_catalog::keys;
use vramlint_edit as edit;
use vramlint_resolve::{FileKind, Project, Run, SourceFile};
use vramlint_syntax::data::{DataFile, Loader, NodeRef};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new(
        "VL501",
        "deepspeed-file-and-accelerate-key",
        Severity::Error,
        page!("deepspeed_file_and_accelerate_key.rs"),
        check,
    )
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in cx.project.files_of(FileKind::Accelerate) {
        let Some(root) = file.data().and_then(DataFile::root) else { continue };
        let runs: Vec<&Run> = cx.project.runs.iter().filter(|run| run.accelerate == Some(file.id)).collect();
        let Some(named) = named(file, root, &runs) else { continue };
        let mut entries = Vec::new();
        for refused in keys::accelerate().iter().filter(|key| key.refused_beside_file) {
            let path: Vec<&str> = refused.path.split('.').collect();
            let Some((name, parents)) = path.split_last() else { continue };
            let Some((key, value)) = root.at(parents).and_then(|block| block.entry(name)) else { continue };
            // At the top level null counts as unset, and a flag overrides it (commands/launch.py:1284); in the block the presence of a
            let nothing = value.value(Loader::PyYaml) == Some(Value::Null);
            let by_flag = |run: &&Run| run.launch.as_ref().is_some_and(|launch| launch.flag("--mixed_precision").is_some());
            let replaced = !runs.is_empty() && runs.iter().all(by_flag);
            if parents.is_empty() && (nothing || replaced) {
                continue;
            }
            entries.push((key, value));
        }
        entries.sort_by_key(|(key, _)| key.range().start);
        match entries.as_slice() {
            [] => {}
            [(key, value)] => out.push(finding(cx.project, file, *key, *value, &named)),
            _ => out.push(finding_of_several(cx.project, file, &entries, &named)),
        }
    }
}

/// A DeepSpeed JSON that is named: its path as written, and where.
struct Named {
    json: String,
    place: FileRange,
}

/// The JSON that the file itself names, or that every launch of it names by a flag; `None` if DeepSpeed does not run.
fn named(file: &SourceFile, root: NodeRef<'_>, runs: &[&Run]) -> Option<Named> {
    let other = ["--multi_gpu", "--use_fsdp", "--tpu", "--cpu", "--use_megatron_lm"];
    let launches: Vec<_> = runs.iter().filter_map(|run| run.launch.as_ref()).collect();
    let all =
        |flags: &[&str]| !launches.is_empty() && launches.iter().all(|launch| flags.iter().any(|f| launch.flag(f).is_some()));
    let of_type = root.get("distributed_type").and_then(NodeRef::text) == Some("DEEPSPEED");
    if all(&other) || !(of_type || all(&["--use_deepspeed"])) {
        return None;
    }
    let is_path = |text: &str| !text.is_empty() && !matches!(text, "none" | "null") && !has_template_mark(text);
    if all(&["--deepspeed_config_file"]) {
        let launch = launches.first()?;
        let word = launch.flag("--deepspeed_config_file")?.values.first()?;
        let json = word.text().filter(|text| is_path(text))?.to_owned();
        return Some(Named { json, place: FileRange::new(launch.file, word.range) });
    }
    let node = root.at(&["deepspeed_config", "deepspeed_config_file"])?;
    let json = node.text().filter(|text| is_path(text))?.to_owned();
    Some(Named { json, place: FileRange::new(file.id, node.range()) })
}

fn finding(project: &Project, file: &SourceFile, key: NodeRef<'_>, value: NodeRef<'_>, named: &Named) -> vramlint_base::Finding {
    let (name, json) = (key.text().unwrap_or_default(), named.json.as_str());
    let written = value.range().slice(&file.text);
    let mut finding = RULE
        .finding(
            FileRange::new(file.id, key.range().cover(value.range())),
            message!(
                "accelerate rejects `{name}: {written}` together with `deepspeed_config_file`",
                "accelerate 拒绝将 `{name}: {written}` 与 `deepspeed_config_file` 同用"
            ),
        )
        .with_related(named.place, message!("only {json} may set it", "只能在 {json} 中设置"))
        .with_help(message!(
            "set it in {json}; or remove it here and pass it as a flag, with \"auto\" in the JSON",
            "请在 {json} 中设置；或从此处删除并以启动参数给出，JSON 中写 \"auto\""
        ));
    let id = project.path_resolver.resolve(json, file.folder());
    // Without the JSON the launch fails before this check, and its working directory may hold another file at that path.
    let Some(json_file) = id.map(|id| project.file(id)) else {
        return removed(finding, file, key, value, Applicability::Unsafe).with_severity(Severity::Warning);
    };
    let there = counterpart(json_file, name);
    if let Some(node) = there {
        finding =
            finding.with_related(FileRange::new(json_file.id, node.range()), message!("the JSON's own value", "JSON 中的值"));
    }
    let Some(target) = target(name, value) else { return removed(finding, file, key, value, Applicability::Unsafe) };
    if same_in(json_file, &target) {
        return removed(finding, file, key, value, Applicability::Safe);
    }
    if let Some(edits) = moved(file, (key, value), json_file, &target) {
        finding = finding.with_fix(Fix {
            title: message!("move it into {json}", "移到 {json} 中"),
            applicability: Applicability::Unsafe,
            edits,
        });
    }
    removed(finding, file, key, value, Applicability::Unsafe)
}

/// One finding for all keys that the same `ValueError` names.
fn finding_of_several(
    project: &Project,
    file: &SourceFile,
    entries: &[(NodeRef<'_>, NodeRef<'_>)],
    named: &Named,
) -> vramlint_base::Finding {
    /// More names make the message too long.
    const MAX_NAMES: usize = 3;
    let quoted = |(key, _): &(NodeRef<'_>, NodeRef<'_>)| format!("`{}`", key.text().unwrap_or_default());
    let names: Vec<String> = entries.iter().take(MAX_NAMES).map(quoted).collect();
    let (count, more, json) = (entries.len(), entries.len() - names.len(), named.json.as_str());
    let (en, zh) = (names.join(", "), names.join("、"));
    let what = if more == 0 {
        message!(
            "accelerate rejects {count} keys together with `deepspeed_config_file`: {en}",
            "accelerate 拒绝将 {count} 个键与 `deepspeed_config_file` 同用：{zh}"
        )
    } else {
        message!(
            "accelerate rejects {count} keys together with `deepspeed_config_file`: {en} and {more} more",
            "accelerate 拒绝将 {count} 个键与 `deepspeed_config_file` 同用：{zh} 等"
        )
    };
    let (first, value) = entries[0];
    let mut finding = RULE
        .finding(FileRange::new(file.id, first.range().cover(value.range())), what)
        .with_related(named.place, message!("only {json} may set them", "只能在 {json} 中设置"))
        .with_help(message!(
            "set them in {json}; or remove them here and pass them as flags, with \"auto\" in the JSON",
            "请在 {json} 中设置；或从此处删除并以启动参数给出，JSON 中写 \"auto\""
        ));
    for (key, value) in &entries[1..] {
        let place = FileRange::new(file.id, key.range().cover(value.range()));
        finding = finding.with_related(place, message!("rejected too", "同样会被拒绝"));
    }
    let Some(json_file) = project.path_resolver.resolve(json, file.folder()).map(|id| project.file(id)) else {
        return finding.with_severity(Severity::Warning);
    };
    let (mut edits, mut applicability) = (Vec::new(), Applicability::Safe);
    for (key, value) in entries {
        let target = target(key.text().unwrap_or_default(), *value);
        let same = target.as_ref().is_some_and(|target| same_in(json_file, target));
        let moving = target.filter(|_| !same).and_then(|target| moved(file, (*key, *value), json_file, &target));
        if !same {
            applicability = Applicability::Unsafe;
        }
        let removal = || edit::remove_entry(file, key.range(), value.range()).map(|removal| vec![removal]);
        let Some(of_key) = moving.or_else(removal) else { return finding };
        edits.extend(of_key);
    }
    edits.sort_by_key(|edit| (edit.place.file, edit.place.range.start));
    let overlap = |pair: &[Edit]| {
        pair[0].place.file == pair[1].place.file
            && (pair[0].place.range.end > pair[1].place.range.start || pair[0].place.range == pair[1].place.range)
    };
    if edits.windows(2).any(overlap) {
        return finding;
    }
    finding.with_fix(Fix { title: message!("keep them in {json} alone", "只保留在 {json} 中"), applicability, edits })
}

/// Whether the JSON has the same value.
fn same_in(json: &SourceFile, target: &Target) -> bool {
    let there = json.data().and_then(DataFile::root).and_then(|root| root.at(target.path));
    there.and_then(|node| node.value(Loader::Json)).as_ref() == Some(&target.value)
}

/// Adds the fix that removes the line: safe if the JSON has the same value.
fn removed(
    finding: vramlint_base::Finding,
    file: &SourceFile,
    key: NodeRef<'_>,
    value: NodeRef<'_>,
    applicability: Applicability,
) -> vramlint_base::Finding {
    let Some(removal) = edit::remove_entry(file, key.range(), value.range()) else { return finding };
    finding.with_fix(Fix { title: message!("remove the line", "删除该行"), applicability, edits: vec![removal] })
}

/// The JSON path that corresponds to a key, and the value there.
struct Target {
    path: &'static [&'static str],
    value: Value,
}

/// The JSON path of a key; `None` if its value has no equivalent there.
fn target(key: &str, value: NodeRef<'_>) -> Option<Target> {
    let value = value.value(Loader::PyYaml)?;
    if key == "mixed_precision" {
        let path = match value.as_str()?.to_lowercase().as_str() {
            "bf16" => paths(key)[0],
            "fp16" => paths(key)[1],
            _ => return None,
        };
        return Some(Target { path, value: Value::Bool(true) });
    }
    Some(Target { path: paths(key)[0], value })
}

/// The edits that remove the line and set its value in the JSON, if the JSON has none or `auto`. Any other value there is kept,
fn moved(file: &SourceFile, entry: (NodeRef<'_>, NodeRef<'_>), json: &SourceFile, target: &Target) -> Option<Vec<Edit>> {
    let (name, parents) = target.path.split_last()?;
    let root = json.data()?.root()?;
    let other = paths("mixed_precision").iter().find(|path| target.path.ends_with(&["enabled"]) && **path != target.path);
    if other.and_then(|path| root.at(path)).is_some_and(|node| node.value(Loader::Json) != Some(Value::Bool(false))) {
        return None;
    }
    match root.at(target.path) {
        Some(node) if node.text() == Some("auto") => {
            let (key, value) = entry;
            Some(vec![edit::remove_entry(file, key.range(), value.range())?, edit::set(json, node, &target.value)?])
        }
        _ => edit::move_key(file, entry, json, parents, name, Some(target.value.clone())),
    }
}

/// The JSON's own value of a key.
fn counterpart<'a>(json: &'a SourceFile, key: &str) -> Option<NodeRef<'a>> {
    let root = json.data()?.root()?;
    paths(key).iter().find_map(|path| root.at(path))
}

/// The keys of the JSON for a key of accelerate's file.
fn paths(key: &str) -> &'static [&'static [&'static str]] {
    match key {
        "mixed_precision" => &[&["bf16", "enabled"], &["fp16", "enabled"]],
        "gradient_accumulation_steps" => &[&["gradient_accumulation_steps"]],
        "gradient_clipping" => &[&["gradient_clipping"]],
        "zero_stage" => &[&["zero_optimization", "stage"]],
        "offload_optimizer_device" => &[&["zero_optimization", "offload_optimizer", "device"]],
        "offload_param_device" => &[&["zero_optimization", "offload_param", "device"]],
        "offload_optimizer_nvme_path" => &[&["zero_optimization", "offload_optimizer", "nvme_path"]],
        "offload_param_nvme_path" => &[&["zero_optimization", "offload_param", "nvme_path"]],
        _ => &[&["zero_optimization", "stage3_gather_16bit_weights_on_model_save"]],
    }
}

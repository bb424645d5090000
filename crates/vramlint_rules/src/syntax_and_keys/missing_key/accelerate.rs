//! accelerate's file.

use crate::rule::push_most_severe;
use crate::syntax_and_keys::missing_key::RULE;
use crate::{Context, Sink};
use vramlint_base::{Applicability, Evaluated, FileRange, Finding, Fix, Severity, TextRange, Value, is_templated, message};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::keys;
use vramlint_edit as edit;
use vramlint_resolve::{Feature, FileKind, SourceFile};
use vramlint_semantic::accelerate::{AccelerateLaunch, is_sagemaker};
use vramlint_semantic::schema::{self};
use vramlint_syntax::data::{Loader, NodeRef};

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    out.findings.extend(cx.project.files.iter().filter_map(|file| without_keys(cx, file)));
    for (file, root, certain) in schema::files(cx.project, FileKind::Accelerate) {
        let open = root.entries().any(|(key, _)| key.text().is_none_or(is_templated))
            || cx.project.features(file.id).has(Feature::TemplateStatement);
        if !certain || open || is_sagemaker(root) {
            continue;
        }
        let absent = |key: &&keys::Key| key.required && !key.path.contains('.') && root.get(&key.path).is_none();
        let Some((first, _)) = root.entries().next() else { continue };
        for key in keys::accelerate().iter().filter(absent) {
            let path = &key.path;
            let message = message!(
                "`accelerate launch` rejects this file: `{path}` is missing",
                "`accelerate launch` 会拒绝此文件：缺少 `{path}`"
            );
            let mut finding = RULE.finding(FileRange::new(file.id, first.range()), message);
            if path == "distributed_type" {
                finding = finding.with_help(message!(
                    "add `distributed_type`: MULTI_GPU, DEEPSPEED, FSDP, or 'NO' for one process",
                    "加入 `distributed_type`：MULTI_GPU、DEEPSPEED、FSDP，单进程则为 'NO'"
                ));
                finding.fixes.extend(distributed_type(file, root, first));
            }
            out.push(finding);
        }
    }
    let found = cx.accelerate_launches().iter().filter_map(num_processes).collect();
    push_most_severe(found, out);
}

/// A file that a command names and that holds no keys at all: nothing but comments, an empty block, or a list.
fn without_keys(cx: &Context<'_>, file: &SourceFile) -> Option<Finding> {
    let data = file.data().filter(|data| data.errors.is_empty() && file.decode_errors.is_empty())?;
    if data.root().is_some_and(|root| root.entries().next().is_some()) {
        return None;
    }
    let named = cx.project.launches.iter().find_map(|launch| {
        let word = launch.flag("--config_file").filter(|_| launch.launcher == Launcher::Accelerate)?.values.first()?;
        let found = cx.project.path_resolver.resolve(word.text()?, launch.directory.as_str())?;
        (found == file.id).then_some(FileRange::new(launch.file, word.range))
    })?;
    let (range, message) = match data.root() {
        Some(root) if root.is_mapping() && root.entries().next().is_none() => (
            root.range(),
            message!(
                "`accelerate launch` rejects this file: it contains no keys",
                "`accelerate launch` 会拒绝此文件：其中没有任何键"
            ),
        ),
        Some(root) if matches!(root.value(Loader::PyYaml), Some(Value::List(_))) => (
            root.range(),
            message!(
                "`accelerate launch` fails on this file: expected a mapping, got a list",
                "`accelerate launch` 读取此文件会失败：应为映射，而不是列表"
            ),
        ),
        Some(root) if !is_nothing(root) => return None,
        _ => (
            TextRange::new(0, 0),
            message!("`accelerate launch` fails on this file: it is empty", "`accelerate launch` 读取此文件会失败：文件为空"),
        ),
    };
    // What is in the first line is enough to find it.
    let line = file.text.get(range.start as usize..).and_then(|text| text.lines().next()).map_or(0, str::len);
    let end = range.start + u32::try_from(line).unwrap_or(0);
    let finding = RULE.finding(FileRange::new(file.id, TextRange::new(range.start, end)), message);
    Some(finding.with_related(named, message!("this command reads it", "此命令读取它")).with_help(message!(
        "add at least `distributed_type: 'NO'`, or remove `--config_file`",
        "至少加入 `distributed_type: 'NO'`，或删除 `--config_file`"
    )))
}

fn is_nothing(root: NodeRef<'_>) -> bool {
    root.value(Loader::PyYaml) == Some(Value::Null)
}

/// Only the text NO has a number of processes of its own: commands/launch.py:1306.
fn num_processes(start: &AccelerateLaunch<'_>) -> Option<Finding> {
    let (file, root) = (start.file?, start.root()?);
    let kind = root.get("distributed_type")?;
    let Some(Value::Text(name)) = kind.value(start.loader()) else { return None };
    if name == "NO" || is_templated(&name) || is_sagemaker(root) || !matches!(start.top_level("num_processes"), Evaluated::Absent)
    {
        return None;
    }
    let open = root.entries().any(|(key, _)| key.text().is_none_or(is_templated));
    if open || start.project.is_documentation_snippet(file.id) || !is_type(&name) {
        return None;
    }
    let place = FileRange::new(file.id, kind.range());
    if start.is_alone() {
        let message = message!(
            "num_processes is not set: every launch must pass --num_processes",
            "未设置 num_processes：每次启动都必须给出 --num_processes"
        );
        return Some(RULE.finding(place, message).with_severity(Severity::Info));
    }
    let message = message!(
        "accelerate raises an error: type {name} needs num_processes in the file or --num_processes",
        "accelerate 会报错：类型 {name} 需要在文件中设置 num_processes，或给出 --num_processes"
    );
    let finding = RULE.finding(place, message).with_help(message!(
        "set `num_processes` to the number of GPUs on all machines",
        "把 `num_processes` 设为所有机器的 GPU 总数"
    ));
    Some(match start.command() {
        Some(command) => finding.with_related(command, message!("this command does not set it", "此命令没有设置它")),
        None => finding,
    })
}

/// A name that is none is another fault.
fn is_type(name: &str) -> bool {
    keys::find(keys::accelerate(), "distributed_type").is_some_and(|row| row.values.iter().any(|known| known == name))
}

/// The type that the rest of the file suggests.
fn distributed_type(file: &SourceFile, root: NodeRef<'_>, first: NodeRef<'_>) -> Option<Fix> {
    let processes = root.get("num_processes").and_then(|node| node.value(Loader::PyYaml)).as_ref().and_then(Value::as_int)?;
    let kind = match () {
        () if root.get("deepspeed_config").is_some() => "DEEPSPEED",
        () if root.get("fsdp_config").is_some() => "FSDP",
        () if processes > 1 => "MULTI_GPU",
        () => "NO",
    };
    let edit = edit::insert_after(file, root, first.text()?, "distributed_type", &Value::Text(kind.to_owned()))?;
    let title = message!("add `distributed_type: {kind}`", "加入 `distributed_type: {kind}`");
    Some(Fix { title, applicability: Applicability::Unsafe, edits: vec![edit] })
}

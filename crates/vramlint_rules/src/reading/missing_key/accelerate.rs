//! accelerate's file.

use super::RULE;
use crate::accelerate::{Answer, Start, is_sagemaker, starts, worst};
use crate::rule::Build;
use crate::schema::{self, is_open};
use crate::{Context, Sink, edit};
use vramlint_base::{Applicability, Finding, Fix, Place, Severity, Value, message};
use vramlint_catalog::keys;
use vramlint_resolve::{Kind, SourceFile};
use vramlint_syntax::data::{Loader, NodeRef};

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for (file, root, certain) in schema::files(cx, Kind::Accelerate) {
        let open = root.entries().any(|(key, _)| key.text().is_none_or(is_open)) || file.text.contains("{%");
        if !certain || open || is_sagemaker(root) {
            continue;
        }
        let absent = |key: &&keys::Key| key.required && !key.path.contains('.') && root.get(&key.path).is_none();
        let Some((first, _)) = root.entries().next() else { continue };
        for key in keys::accelerate().iter().filter(absent) {
            let path = &key.path;
            let message = message!("accelerate refuses the file: `{path}` is missing", "accelerate 会拒绝此文件：缺少 `{path}`");
            let mut finding = RULE.finding(Place::new(file.id, first.range()), message);
            if path == "distributed_type" {
                finding = finding.help(message!(
                    "add `distributed_type`: MULTI_GPU, DEEPSPEED, FSDP, or 'NO' for one process",
                    "请补上 `distributed_type`：MULTI_GPU、DEEPSPEED、FSDP，单进程则为 'NO'"
                ));
                finding.fixes.extend(distributed_type(file, root, first));
            }
            out.push(finding);
        }
    }
    let found = starts(cx.project).iter().filter_map(num_processes).collect();
    worst(found, out);
}

/// Only the text NO has a number of processes of its own: commands/launch.py:1306.
fn num_processes(start: &Start<'_>) -> Option<Finding> {
    let (file, root) = (start.file?, start.root()?);
    let kind = root.get("distributed_type")?;
    let Some(Value::Text(name)) = kind.value(start.loader()) else { return None };
    if name == "NO" || is_open(&name) || is_sagemaker(root) || !matches!(start.top("num_processes"), Answer::Nothing) {
        return None;
    }
    let open = root.entries().any(|(key, _)| key.text().is_none_or(is_open));
    if open || start.project.is_fragment(file.id) || !is_type(&name) {
        return None;
    }
    let place = Place::new(file.id, kind.range());
    if start.is_alone() {
        let message = message!(
            "num_processes is missing: every launch must give --num_processes",
            "缺少 num_processes：每次启动都必须给出 --num_processes"
        );
        return Some(RULE.finding(place, message).severity(Severity::Info));
    }
    let message = message!(
        "accelerate stops: type {name} without num_processes in the file, and without --num_processes",
        "accelerate 会停止：类型 {name} 在文件中没有 num_processes，也没有 --num_processes"
    );
    let finding = RULE
        .finding(place, message)
        .help(message!("add num_processes, the number of GPUs of all machines", "请补上 num_processes，即所有机器的 GPU 总数"));
    Some(match start.command() {
        Some(command) => finding.related(command, message!("this command does not give it", "该命令没有给出")),
        None => finding,
    })
}

/// A name that is none is another fault.
fn is_type(name: &str) -> bool {
    keys::find(keys::accelerate(), "distributed_type").is_some_and(|row| row.values.iter().any(|known| known == name))
}

/// The type that the rest of the file speaks for.
fn distributed_type(file: &SourceFile, root: NodeRef<'_>, first: NodeRef<'_>) -> Option<Fix> {
    let processes = root.get("num_processes").and_then(|node| node.value(Loader::PyYaml)).as_ref().and_then(Value::as_int)?;
    let kind = match () {
        () if root.get("deepspeed_config").is_some() => "DEEPSPEED",
        () if root.get("fsdp_config").is_some() => "FSDP",
        () if processes > 1 => "MULTI_GPU",
        () => "NO",
    };
    let edit = edit::insert_after(file, root, first.text()?, "distributed_type", &Value::Text(kind.to_owned()))?;
    let title = message!("add `distributed_type: {kind}`", "补上 `distributed_type: {kind}`");
    Some(Fix { title, applicability: Applicability::Unsafe, edits: vec![edit] })
}

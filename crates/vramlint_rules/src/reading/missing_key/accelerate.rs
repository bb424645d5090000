//! accelerate's file.

use super::RULE;
use crate::rule::Build;
use crate::schema::{self, is_open};
use crate::{Context, Sink, edit};
use vramlint_base::{Applicability, Fix, Place, Value, message};
use vramlint_catalog::keys;
use vramlint_resolve::{Kind, SourceFile};
use vramlint_syntax::data::{Loader, NodeRef};

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for (file, root, certain) in schema::files(cx, Kind::Accelerate) {
        let open = root.entries().any(|(key, _)| key.text().is_none_or(is_open)) || file.text.contains("{%");
        let environment = root.get("compute_environment");
        let local = environment.is_none_or(|node| node.text() == Some("LOCAL_MACHINE"));
        // A name alone may belong to a file of which this is a part.
        if !certain && environment.is_none() || open || !local {
            continue;
        }
        let absent = |key: &&keys::Key| key.required && !key.path.contains('.') && root.get(&key.path).is_none();
        let Some((first, _)) = root.entries().next() else { continue };
        for key in keys::accelerate().iter().filter(absent) {
            let path = &key.path;
            let message = message!("accelerate refuses the file: `{path}` is missing", "accelerate 会拒绝此文件：缺少 `{path}`");
            let mut finding = RULE.finding(Place::new(file.id, first.range()), message).severity(schema::refused(certain));
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

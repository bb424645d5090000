//! accelerate's file: keys that only the flag sets, and those that are never read.

use crate::syntax_and_keys::inert_key::RULE;
use crate::{Context, Sink};
use vramlint_base::{Applicability, FileRange, Fix, Severity, Value, is_templated, message};
use vramlint_catalog::keys::{self, Standing};
use vramlint_edit as edit;
use vramlint_resolve::{FileKind, SourceFile};
use vramlint_semantic::schema::{self, KnownEntry};
use vramlint_syntax::data::{Loader, NodeRef};

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for (file, root, _) in schema::files(cx.project, FileKind::Accelerate) {
        for found in schema::known_entries(keys::accelerate(), root) {
            let ignored = found.row.standing == Standing::Ignored && found.row.until.is_none();
            let Some(instead) = found.row.instead.as_deref().filter(|_| ignored) else { continue };
            if instead.starts_with("--") {
                flag_only(cx, file, root, &found, instead, out);
            } else {
                renamed(file, &found, instead, out);
            }
        }
    }
}

/// The flag is read and the key never: launch.py:1278 takes the file's value only where the flag is null, and this one never is.
fn flag_only(cx: &Context<'_>, file: &SourceFile, root: NodeRef<'_>, found: &KnownEntry<'_>, flag: &str, out: &mut Sink) {
    let Some(value) = found.value.value(Loader::PyYaml) else { return };
    let text = found.value.text().unwrap_or_default();
    let default = found.row.default.as_deref().unwrap_or_default();
    let off = matches!(value, Value::Null | Value::Bool(false)) || matches!(text, "no" | "No" | "NO" | "false" | "" | "none");
    if off || text == default || is_templated(text) {
        return;
    }
    let machines = root.get("num_machines").and_then(|node| node.value(Loader::PyYaml)).as_ref().and_then(Value::as_int);
    let runs = cx.project.runs.iter().filter(|run| run.accelerate == Some(file.id));
    let launches: Vec<_> = runs.filter_map(|run| run.launch.as_ref()).collect();
    let given = !launches.is_empty() && launches.iter().all(|launch| launch.flag(flag).is_some());
    if found.row.path == "same_network" && machines.is_none_or(|machines| machines <= 1) || given {
        return;
    }
    let path = &found.row.path;
    let message = message!(
        "accelerate never reads `{path}` from its file: only {flag} sets it",
        "accelerate 从不从文件读取 `{path}`：只能用 {flag} 设置"
    );
    let place = FileRange::new(file.id, found.key.range().cover(found.value.range()));
    let help =
        message!("pass {flag} to `accelerate launch`, or remove the key", "把 {flag} 传给 `accelerate launch`，或删除该键");
    // The wizard writes them everywhere, and a run on GPUs does the same without them.
    let severity = if matches!(path.as_str(), "same_network" | "downcast_bf16") { Severity::Info } else { RULE.severity };
    out.push(RULE.finding(place, message).with_severity(severity).with_help(help));
}

/// Another name is read.
fn renamed(file: &SourceFile, found: &KnownEntry<'_>, instead: &str, out: &mut Sink) {
    let path = &found.row.path;
    let name = instead.rsplit_once('.').map_or(instead, |(_, name)| name);
    let message = message!(
        "accelerate never reads `{path}`: the key is called `{name}`",
        "accelerate 从不读取 `{path}`：该键名为 `{name}`"
    );
    let mut finding = RULE.finding(FileRange::new(file.id, found.key.range()), message);
    if let Some(edit) = edit::rename_key(file, found.block, found.key, name) {
        finding = finding.with_fix(Fix {
            title: message!("rename it to `{name}`", "改名为 `{name}`"),
            applicability: Applicability::Unsafe,
            edits: vec![edit],
        });
    }
    out.push(finding);
}

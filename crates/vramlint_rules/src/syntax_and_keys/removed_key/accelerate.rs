//! accelerate's file.

use crate::syntax_and_keys::removed_key::{RULE, report};
use crate::{Context, Sink};
use vramlint_base::{Applicability, FileRange, Fix, Severity, Value, message};
use vramlint_catalog::keys;
use vramlint_edit as edit;
use vramlint_resolve::{FileKind, SourceFile};
use vramlint_semantic::schema::{self, KnownEntry};
use vramlint_syntax::data::{Loader, NodeRef};

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for (file, root, _) in schema::files(cx.project, FileKind::Accelerate) {
        for found in schema::known_entries(keys::accelerate(), root) {
            if is_for_fsdp1(&found, root) {
                unread_by_fsdp2(file, &found, out);
            } else {
                report(cx, file, &found, ("accelerate", "accelerate"), out);
            }
        }
    }
}

/// Whether FSDP 2 is asked for, which does not read the successor either (accelerate 1.15.0 utils/dataclasses.py:1903, read).
fn is_for_fsdp1(found: &KnownEntry<'_>, root: NodeRef<'_>) -> bool {
    let successor = found.row.instead.as_deref() == Some("fsdp_config.fsdp_backward_prefetch");
    let version = root.at(&["fsdp_config", "fsdp_version"]).and_then(|node| node.value(Loader::PyYaml));
    successor && found.row.until.is_some() && version.as_ref().and_then(Value::as_int) == Some(2)
}

fn unread_by_fsdp2(file: &SourceFile, found: &KnownEntry<'_>, out: &mut Sink) {
    let path = &found.row.path;
    let message = message!("FSDP 2 does not read `{path}`", "FSDP 2 不读取 `{path}`");
    let mut finding = RULE.finding(FileRange::new(file.id, found.key.range()), message).with_severity(Severity::Info);
    if let Some(edit) = edit::remove_entry(file, found.key.range(), found.value.range()) {
        let title = message!("remove the key", "删除该键");
        finding = finding.with_fix(Fix { title, applicability: Applicability::Safe, edits: vec![edit] });
    }
    out.push(finding);
}

//! accelerate's file: the words that every launch checks.

use super::{RULE, finding};
use crate::rule::Build;
use crate::schema::{self, Found, Manner, Problem, judge_node};
use crate::{Context, Sink, gate};
use vramlint_base::{Applicability, Place, Severity, Value, message};
use vramlint_catalog::keys;
use vramlint_resolve::versions::Span;
use vramlint_resolve::{Kind, SourceFile};
use vramlint_syntax::data::Loader;

/// Refused at launch whatever else is set: config_args.py:173, utils/launch.py:171. What SageMaker takes is another table.
const CHECKED: &[&str] = &["distributed_type", "mixed_precision"];

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for (file, root, certain) in schema::files(cx, Kind::Accelerate) {
        if root.get("compute_environment").is_some_and(|node| node.text() != Some("LOCAL_MACHINE")) {
            continue;
        }
        let loader = if file.data().is_some_and(|data| data.json) { Loader::Json } else { Loader::PyYaml };
        for found in schema::walk(keys::accelerate(), root) {
            if !CHECKED.contains(&found.row.path.as_str()) {
                continue;
            }
            let Some(problem @ Problem::Set { .. }) = judge_node(found.row, found.value, loader, Manner::Exact) else { continue };
            let case_counts = found.row.path == "distributed_type";
            let same = |known: &Value| known.as_str().zip(found.value.text()).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b));
            if problem.meant().is_some_and(same) && !case_counts || removed(cx, file, &found, out) {
                continue;
            }
            out.push(finding(file, &found, "accelerate", &problem, schema::refused(certain)));
        }
    }
}

/// A value that older versions took: reported here as far as the version is not an older one.
fn removed(cx: &Context<'_>, file: &SourceFile, found: &Found<'_>, out: &mut Sink) -> bool {
    let written = found.value.text().unwrap_or_default();
    let rows = keys::accelerate_removed_values();
    let Some(row) = rows.iter().find(|row| row.path == found.row.path && row.value == written) else { return false };
    let until = row.until.as_str();
    let Some(severity) = gate::severity(cx, file.id, &Span::since("accelerate", until), Severity::Error) else { return true };
    let path = &found.row.path;
    let message =
        message!("accelerate {until} and later refuse `{path}: {written}`", "accelerate 从 {until} 起拒绝 `{path}: {written}`");
    let mut finding = RULE.finding(Place::new(file.id, found.key.range().cover(found.value.range())), message).severity(severity);
    if let Some(instead) = &row.instead {
        finding = finding.help(message!("write `{instead}`", "应写作 `{instead}`"));
        let applicability = if severity == Severity::Error { Applicability::Safe } else { Applicability::Unsafe };
        let fix = schema::fix(file, found.value, &Value::Text(instead.clone()), applicability);
        finding.fixes.extend(fix);
    }
    out.push(finding);
    true
}

//! DeepSpeed's file: the blocks that pydantic checks.

use super::finding;
use crate::schema::{self, Manner, Problem, judge_node};
use crate::{Context, Sink, gate};
use vramlint_base::{Severity, Value};
use vramlint_catalog::keys::{self, KeyType};
use vramlint_resolve::Kind;
use vramlint_resolve::versions::Span;
use vramlint_syntax::data::Loader;

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for (file, root, _) in schema::files(cx, Kind::DeepSpeed) {
        for found in schema::walk(keys::deepspeed(), root) {
            if !schema::is_checked(&found.row.path) {
                continue;
            }
            let Some(problem) = judge_node(found.row, found.value, Loader::Json, Manner::Pydantic) else { continue };
            let Problem::Type { wanted, ref got, .. } = problem else { continue };
            let Some(severity) = severity(cx, file.id, wanted, got) else { continue };
            out.push(finding(file, &found, "DeepSpeed", &problem, severity));
        }
    }
}

/// What pydantic 1 took as well is refused only since DeepSpeed moved to pydantic 2.
fn severity(cx: &Context<'_>, file: vramlint_base::FileId, wanted: KeyType, got: &Value) -> Option<Severity> {
    let lax = matches!((wanted, got), (KeyType::Int, Value::Float(_)) | (KeyType::Text, Value::Int(_) | Value::Float(_)));
    if lax { gate::severity(cx, file, &Span::since("deepspeed", "0.15"), Severity::Error) } else { Some(Severity::Error) }
}

//! DeepSpeed's file: the blocks that pydantic checks.

use super::finding;
use crate::schema::{self, Manner, Problem, judge_node};
use crate::{Context, Sink};
use vramlint_base::Severity;
use vramlint_catalog::keys;
use vramlint_resolve::Kind;
use vramlint_syntax::data::Loader;

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for (file, root, _) in schema::files(cx, Kind::DeepSpeed) {
        for found in schema::walk(keys::deepspeed(), root) {
            if !schema::is_checked(&found.row.path) {
                continue;
            }
            let problem = judge_node(found.row, found.value, Loader::Json, Manner::Pydantic);
            if let Some(problem @ (Problem::Set { .. } | Problem::Range { .. })) = problem {
                out.push(finding(file, &found, "DeepSpeed", &problem, Severity::Error));
            }
        }
    }
}

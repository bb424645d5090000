//! accelerate's file. No type is checked when it is read; these fail at launch, in every version.

use super::finding;
use crate::schema::{self, Manner, Problem, judge_node};
use crate::{Context, Sink};
use vramlint_base::Value;
use vramlint_catalog::keys::{self, KeyType};
use vramlint_resolve::Kind;
use vramlint_syntax::data::Loader;

/// Keys with which the launcher calculates (utils/launch.py:216, utils/other.py `is_port_in_use`).
const NUMBERS: &[&str] = &["num_machines", "main_process_port"];

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for (file, root, certain) in schema::files(cx, Kind::Accelerate) {
        let loader = if file.data().is_some_and(|data| data.json) { Loader::Json } else { Loader::PyYaml };
        for found in schema::walk(keys::accelerate(), root) {
            let number = NUMBERS.contains(&found.row.path.as_str());
            let block = found.row.kind == KeyType::Map && !found.row.path.contains('.');
            if !number && !block {
                continue;
            }
            let Some(problem) = judge_node(found.row, found.value, loader, Manner::Exact) else { continue };
            let Problem::Type { got: Value::Text(_), .. } = problem else { continue };
            out.push(finding(file, &found, "accelerate", &problem, schema::refused(certain)));
        }
    }
}

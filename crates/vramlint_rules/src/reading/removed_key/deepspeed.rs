//! DeepSpeed's file.

use super::report;
use crate::{Context, Sink, schema};
use vramlint_catalog::keys;
use vramlint_resolve::Kind;

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for (file, root, _) in schema::files(cx, Kind::DeepSpeed) {
        for found in schema::walk(keys::deepspeed(), root) {
            report(cx, file, &found, ("deepspeed", "DeepSpeed"), out);
        }
    }
}

//! accelerate's file.

use crate::syntax_and_keys::removed_key::report;
use crate::{Context, Sink};
use vramlint_catalog::keys;
use vramlint_resolve::FileKind;
use vramlint_semantic::schema;

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for (file, root, _) in schema::files(cx.project, FileKind::Accelerate) {
        for found in schema::known_entries(keys::accelerate(), root) {
            report(cx, file, &found, ("accelerate", "accelerate"), out);
        }
    }
}

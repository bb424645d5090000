//! DeepSpeed's configuration, in a file or in code.

use crate::syntax_and_keys::removed_key::report;
use crate::syntax_and_keys::unknown_key;
use crate::{Context, Sink};
use vramlint_catalog::keys;
use vramlint_resolve::FileKind;
use vramlint_semantic::schema;

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    let files = schema::files(cx.project, FileKind::DeepSpeed).map(|(file, root, _)| (file, root));
    let dicts = cx.project.deepspeed_dicts().iter().filter_map(|dict| Some((cx.project.file(dict.file), dict.data.root()?)));
    for (file, root) in files.chain(dicts) {
        for found in schema::known_entries(keys::deepspeed(), root) {
            // The whole block is rejected for another key already.
            let block = found.row.path.rsplit_once('.').map(|(block, _)| block);
            if block.is_some_and(|block| unknown_key::deepspeed::refuses_block(found.block, block)) {
                continue;
            }
            report(cx, file, &found, ("deepspeed", "DeepSpeed"), out);
        }
    }
}

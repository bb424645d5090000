//! DeepSpeed's file: most blocks refuse unknown keys.

use super::{RULE, nearest, with_fixes};
use crate::schema::{self, is_open};
use crate::{Context, Sink};
use vramlint_base::{Place, message};
use vramlint_catalog::keys;
use vramlint_resolve::{Kind, SourceFile};
use vramlint_syntax::data::NodeRef;

/// Depth to which blocks are visited.
const DEPTH: usize = 4;

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for (file, root, _) in schema::files(cx, Kind::DeepSpeed) {
        visit(file, root, &mut Vec::new(), out);
    }
}

fn visit(file: &SourceFile, node: NodeRef<'_>, path: &mut Vec<String>, out: &mut Sink) {
    let block = path.join(".");
    let refuses = !block.is_empty() && keys::deepspeed_block_rejects_unknown(&block) == Some(true);
    let known: Vec<&str> = if refuses { names_in(&block) } else { Vec::new() };
    // A block whose keys are names of the user's own has no unknown ones.
    let refuses = refuses && !known.iter().any(|name| name.starts_with('<'));
    for (key, value) in node.entries() {
        let Some(text) = key.text().filter(|text| !is_open(text)) else { continue };
        if refuses && !known.contains(&text) {
            let message = message!(
                "DeepSpeed refuses the file: unknown key `{text}` in `{block}`",
                "DeepSpeed 会拒绝此文件：`{block}` 中含未知的键 `{text}`"
            );
            let finding = RULE.finding(Place::new(file.id, key.range()), message);
            out.push(with_fixes(finding, file, node, (key, value), nearest(node, text, &known)));
        } else if value.is_mapping() && path.len() < DEPTH {
            path.push(text.to_owned());
            visit(file, value, path, out);
            path.pop();
        }
    }
}

/// Every name that a block of DeepSpeed's file takes, second spellings too.
fn names_in(block: &str) -> Vec<&'static str> {
    let prefix = format!("{block}.");
    let paths = keys::deepspeed().iter().flat_map(|key| std::iter::once(&key.path).chain(&key.aliases));
    paths.filter_map(|path| path.strip_prefix(&prefix)).map(|rest| rest.split('.').next().unwrap_or(rest)).collect()
}

//! Keys written twice in one mapping.

use super::scalar::{Hashed, is_merge_key, resolve};
use crate::data::{DataFile, Loader, NodeId, NodeKind, NodeRef};
use crate::{RefusedBy, SyntaxError};
use std::collections::HashMap;
use vramlint_base::{LineIndex, message};

/// An error on each key that is already in its mapping. PyYAML keeps the last of them silently; OmegaConf and ruamel
/// reject the file. Keys are the same where PyYAML makes the same value of them and they are spelled alike. `<<` may be
/// repeated.
pub(super) fn check(text: &str, file: &DataFile) -> Vec<SyntaxError> {
    let lines = LineIndex::new(text);
    let mut errors = Vec::new();
    for node in &file.nodes {
        let NodeKind::Mapping(entries) = &node.kind else { continue };
        let mut first: HashMap<(Hashed, &str), u32> = HashMap::with_capacity(entries.len());
        for entry in entries {
            let key = NodeRef { file, id: entry.key };
            let Some((hashed, spelling)) = identity(file, entry.key) else { continue };
            let start = key.range().start;
            let Some(before) = first.get(&(hashed, spelling)).copied() else {
                first.extend(identity(file, entry.key).map(|identity| (identity, start)));
                continue;
            };
            let line = lines.line_of(before) + 1;
            errors.push(SyntaxError {
                range: key.range(),
                message: message!(
                    "duplicate key `{spelling}`, first set on line {line}",
                    "键 `{spelling}` 重复，首次出现在第 {line} 行"
                ),
                refused_by: RefusedBy::UniqueKeys,
            });
        }
    }
    errors
}

/// What makes a key the same as another; `None` for what is compared with nothing.
fn identity(file: &DataFile, id: NodeId) -> Option<(Hashed, &str)> {
    let key = NodeRef { file, id };
    let scalar = key.scalar()?;
    if is_merge_key(key) {
        return None;
    }
    let value = resolve(scalar, key.follow().raw().tag.as_deref(), Loader::PyYaml);
    Some((Hashed::of(&value)?, &scalar.text))
}

//! Resolves the key and the settings at a cursor offset.

use crate::embedded::FilePosition;
use vramlint_base::{FileRange, TextRange};
use vramlint_catalog::Concept;
use vramlint_resolve::{Candidate, Origin, Project, Run, Setting};
use vramlint_syntax::data::{DataFile, NodeRef};

/// A key of YAML or JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyAt {
    /// The keys from the root. List items add nothing.
    pub path: Vec<String>,
    /// Range of the key.
    pub key: TextRange,
    /// Range of the value.
    pub value: TextRange,
    /// Whether the offset is on the key, not on the value.
    pub on_key: bool,
}

/// Maximum depth.
const DEPTH: usize = 64;

/// The innermost key whose key or value contains an offset.
pub(crate) fn key_at(data: &DataFile, offset: u32) -> Option<KeyAt> {
    let mut path = Vec::new();
    data.roots().find_map(|root| innermost_key(root, offset, &mut path, DEPTH))
}

fn contains(range: TextRange, offset: u32) -> bool {
    range.start <= offset && offset <= range.end && !range.is_empty()
}

fn innermost_key(node: NodeRef<'_>, offset: u32, path: &mut Vec<String>, depth: usize) -> Option<KeyAt> {
    // The target of an alias is elsewhere.
    if depth == 0 || node.follow().id != node.id {
        return None;
    }
    for item in node.items() {
        if contains(item.range(), offset)
            && let Some(found) = innermost_key(item, offset, path, depth - 1)
        {
            return Some(found);
        }
    }
    for (key, value) in node.entries() {
        let on_key = contains(key.range(), offset);
        if !on_key && !contains(value.range(), offset) {
            continue;
        }
        let Some(name) = key.text() else { continue };
        path.push(name.to_owned());
        if !on_key && let Some(inner) = innermost_key(value, offset, path, depth - 1) {
            return Some(inner);
        }
        let is_leaf = value.scalar().is_some() || value.items().next().is_some();
        if on_key || is_leaf {
            return Some(KeyAt { path: path.clone(), key: key.range(), value: value.range(), on_key });
        }
        path.pop();
    }
    None
}

/// The smallest range of a candidate that contains a position: its value or its key.
fn covering_range(candidate: &Candidate, position: FilePosition) -> Option<FileRange> {
    let (value, key) = match &candidate.origin {
        Origin::File { place, key, .. } => (*place, Some(*key)),
        other => (other.place()?, None),
    };
    // Fast path: most candidates are in other files, and a key is in the same file as its value.
    if value.file != position.file {
        return None;
    }
    let key = key.filter(|place| position.is_in(*place));
    Some(value).filter(|place| position.is_in(*place)).into_iter().chain(key).min_by_key(|place| place.range.len())
}

/// A setting whose value is written at a position.
#[derive(Clone, Debug)]
pub(crate) struct SettingAt<'a> {
    /// The setting.
    pub concept: Concept,
    /// Where it is written, in the innermost file.
    pub place: FileRange,
    /// The runs that read it here, with the index of the candidate.
    pub runs: Vec<(&'a Run, &'a Setting, usize)>,
}

/// The settings at a position: those with the smallest range, ordered by concept.
pub(crate) fn settings_at(project: &Project, position: FilePosition) -> Vec<SettingAt<'_>> {
    let mut found: Vec<SettingAt<'_>> = Vec::new();
    // A run takes values only from its own files.
    let reads_file = |run: &&Run| run.place.file == position.file || run.files.contains(&position.file);
    for run in project.runs.iter().filter(reads_file) {
        for (concept, setting) in &run.settings {
            for (index, candidate) in setting.candidates.iter().enumerate() {
                let Some(place) = covering_range(candidate, position) else { continue };
                match found.iter_mut().find(|at| at.concept == *concept && at.place == place) {
                    Some(at) if at.runs.iter().any(|(known, ..)| std::ptr::eq(*known, run)) => {}
                    Some(at) => at.runs.push((run, setting, index)),
                    None => found.push(SettingAt { concept: *concept, place, runs: vec![(run, setting, index)] }),
                }
            }
        }
    }
    let shortest = found.iter().map(|at| at.place.range.len()).min();
    found.retain(|at| Some(at.place.range.len()) == shortest);
    found.sort_by_key(|at| at.concept);
    found
}

//! What stands at an offset: the text it belongs to, the key, the settings of runs that are decided there.

use crate::embedded::FilePosition;
use vramlint_base::{FileRange, TextRange};
use vramlint_catalog::Concept;
use vramlint_resolve::{Candidate, Origin, Project, Run, Setting};
use vramlint_syntax::data::{DataFile, NodeRef};

/// A key of YAML or JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyAt {
    /// The keys from the root. An item of a list adds nothing.
    pub path: Vec<String>,
    /// Where the key is written.
    pub key: TextRange,
    /// Where its value is written.
    pub value: TextRange,
    /// Whether the offset is on the key, rather than on the value.
    pub on_key: bool,
}

/// Depth to which a tree is followed.
const DEPTH: usize = 64;

/// The innermost key whose own text or whose value is at an offset.
pub(crate) fn key_at(data: &DataFile, offset: u32) -> Option<KeyAt> {
    let mut path = Vec::new();
    data.roots().find_map(|root| innermost_key(root, offset, &mut path, DEPTH))
}

fn contains(range: TextRange, offset: u32) -> bool {
    range.start <= offset && offset <= range.end && !range.is_empty()
}

fn innermost_key(node: NodeRef<'_>, offset: u32, path: &mut Vec<String>, depth: usize) -> Option<KeyAt> {
    // An alias is a place of its own: what it stands for is elsewhere.
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

/// The smallest place at which a candidate is written that covers a spot: its value, or its key where that has a place of its own.
fn covering_range(candidate: &Candidate, position: FilePosition) -> Option<FileRange> {
    let (value, key) = match &candidate.origin {
        Origin::File { place, key, .. } => (*place, Some(*key)),
        other => (other.place()?, None),
    };
    // Most candidates of a project are elsewhere: a key is never in another file than its value.
    if value.file != position.file {
        return None;
    }
    let key = key.filter(|place| position.is_in(*place));
    Some(value).filter(|place| position.is_in(*place)).into_iter().chain(key).min_by_key(|place| place.range.len())
}

/// A setting that somebody sets at a place.
#[derive(Clone, Debug)]
pub(crate) struct SettingAt<'a> {
    /// Which.
    pub concept: Concept,
    /// Where, in the text of the spot.
    pub place: FileRange,
    /// The runs for which it is said here, each with the number of the candidate.
    pub runs: Vec<(&'a Run, &'a Setting, usize)>,
}

/// The settings that are said at a spot: those of the smallest place that covers it, in the order of the concepts.
pub(crate) fn settings_at(project: &Project, position: FilePosition) -> Vec<SettingAt<'_>> {
    let mut found: Vec<SettingAt<'_>> = Vec::new();
    // A run takes values from its own files alone.
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

//! One cause, one finding: of several findings on one key, or on a block and what it holds, the one that decides is kept.

use vramlint_base::{FileId, FileRange, Finding, TextRange};
use vramlint_resolve::Project;
use vramlint_syntax::data::{DataFile, NodeRef};

/// Rules that say that a tool does not take a key, or does not use it: `unknown-key`, `removed-key`, `inert-key`,
/// `flag-without-its-mode`, `zero-key-without-its-stage`. Best first.
const ON_KEYS: [&str; 5] = ["VL004", "VL011", "VL013", "VL115", "VL551"];
/// Rules that judge a value: `wrong-type`, `invalid-value`, `yaml-boolean-trap`, `yaml-number-is-text`, `yaml-number-read-otherwise`.
const ON_VALUES: [&str; 5] = ["VL009", "VL010", "VL006", "VL007", "VL008"];

/// Drops the findings whose cause a finding of an enabled rule reports that is at least as severe. Places are in their own files, not
/// in host files.
pub(crate) fn keep_one_per_cause(project: &Project, found: &mut Vec<Finding>, enabled: impl Fn(&Finding) -> bool) {
    let is_key = |finding: &Finding| ON_KEYS.contains(&finding.code);
    let is_value = |finding: &Finding| ON_VALUES.contains(&finding.code);
    let mut order: Vec<usize> = (0..found.len()).filter(|i| is_key(&found[*i]) || is_value(&found[*i])).collect();
    order.sort_by_key(|i| (found[*i].place.file, found[*i].place.range));
    let mut dropped = vec![false; found.len()];
    for of_file in order.chunk_by(|a, b| found[*a].place.file == found[*b].place.file) {
        for i in of_file.iter().copied().filter(|i| of_file.len() > 1 && enabled(&found[*i])) {
            let by = &found[i];
            let block = if is_key(by) { block_of(project, by.place) } else { None };
            for j in of_file.iter().copied().filter(|j| *j != i && by.severity >= found[*j].severity) {
                let other = &found[j];
                let inside = block.is_some_and(|block| block.contains(other.place.range));
                dropped[j] |= !dropped[i] && (inside || decides(by, other) && of_one_entry(project, by.place, other.place));
            }
        }
    }
    let mut index = 0..;
    found.retain(|_| !index.next().is_some_and(|i| dropped[i]));
}

/// Whether a finding on an entry makes another one on it pointless.
fn decides(by: &Finding, other: &Finding) -> bool {
    let rank = |finding: &Finding| ON_KEYS.iter().chain(&ON_VALUES).position(|code| *code == finding.code);
    // What a tool no longer takes stays worth saying beside a value that it rejects.
    let is_newer = matches!(other.code, "VL004" | "VL011");
    (rank(by) < rank(other) || by.severity > other.severity && !is_newer) && by.code != other.code
}

/// Whether two places are on the same key or its value: they overlap, or only what joins a key and its value is between them.
fn of_one_entry(project: &Project, a: FileRange, b: FileRange) -> bool {
    let (first, second) = if a.range.start <= b.range.start { (a.range, b.range) } else { (b.range, a.range) };
    if second.start < first.end || first == second {
        return true;
    }
    let text = &project.file(a.file).text;
    let between = text.get(first.end as usize..second.start as usize).unwrap_or("\n");
    let joined = between.len() <= 8 && between.chars().all(|c| matches!(c, ' ' | '\t' | ':' | '=' | '"' | '\''));
    // Not the value of one option and the next option.
    joined && !second.slice(text).starts_with('-')
}

/// The range of the block that a key of a data file names.
fn block_of(project: &Project, place: FileRange) -> Option<TextRange> {
    let root = data(project, place.file)?.root()?;
    find_block(root, place.range)
}

fn data(project: &Project, file: FileId) -> Option<&DataFile> {
    project.file(file).data()
}

fn find_block(node: NodeRef<'_>, key: TextRange) -> Option<TextRange> {
    let (found, value) = node.entries().find(|(found, value)| found.range().cover(value.range()).contains(key))?;
    if found.range() == key {
        return value.is_mapping().then(|| value.range());
    }
    find_block(value, key)
}

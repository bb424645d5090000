//! One cause, one finding: of several findings on one key, or on a block and what it holds, the one that decides is kept.

use std::collections::{BTreeSet, HashMap};
use vramlint_base::{FileId, FileRange, Finding, TextRange};
use vramlint_resolve::Project;
use vramlint_syntax::data::{NodeKind, NodeRef};

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
    order.sort_by_key(|i| (found[*i].place.file, found[*i].place.range, found[*i].code));
    let mut dropped = vec![false; found.len()];
    for of_file in order.chunk_by(|a, b| found[*a].place.file == found[*b].place.file) {
        // Findings that differ in the run alone stand or fall together.
        let alike = |a: &usize, b: &usize| (found[*a].place, found[*a].code) == (found[*b].place, found[*b].code);
        let groups: Vec<&[usize]> = of_file.chunk_by(|a, b| alike(a, b)).collect();
        if groups.len() > 1 {
            drop_in_file(project, found, &groups, &enabled, &mut dropped);
        }
    }
    let mut index = 0..;
    found.retain(|_| !index.next().is_some_and(|i| dropped[i]));
}

/// Decides in one file. Each group holds findings of one rule at one place; the groups are in the order of the text. A group is
/// compared with those that touch it, and with those in the block that its key names.
fn drop_in_file(
    project: &Project,
    found: &[Finding],
    groups: &[&[usize]],
    enabled: &impl Fn(&Finding) -> bool,
    dropped: &mut [bool],
) {
    let place = |group: usize| found[groups[group][0]].place;
    let blocks = blocks(project, place(0).file);
    let mut neighbors: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
    for first in 0..groups.len() {
        let end = place(first).range.end + JOINT;
        for second in (first + 1..groups.len()).take_while(|second| place(*second).range.start <= end) {
            if of_one_entry(project, place(first), place(second)) {
                neighbors[first].push(second);
                neighbors[second].push(first);
            }
        }
    }
    for (number, group) in groups.iter().enumerate() {
        let of_block = (ON_KEYS.contains(&found[group[0]].code)).then(|| blocks.get(&place(number).range)).flatten();
        let inside = of_block.map_or(0..0, |block| {
            let start_of = |start: u32| groups.partition_point(|group| found[group[0]].place.range.start < start);
            start_of(block.start)..start_of(block.end)
        });
        // Of findings that differ in the run alone, one of each severity speaks for all.
        let mut severities = BTreeSet::new();
        for by in group.iter().copied().filter(|by| severities.insert(found[*by].severity) && enabled(&found[*by])) {
            let outranked = |other: &usize| found[by].severity >= found[*other].severity;
            let beside = neighbors[number].iter().flat_map(|other| groups[*other]);
            let decided = beside.copied().filter(|other| decides(&found[by], &found[*other]));
            let below = inside.clone().filter(|other| of_block.is_some_and(|block| block.contains(place(*other).range)));
            let below = below.flat_map(|other| groups[other]).copied();
            for other in decided.chain(below).filter(outranked) {
                dropped[other] |= !dropped[by];
            }
        }
    }
}

/// Whether a finding on an entry makes another one on it pointless.
fn decides(by: &Finding, other: &Finding) -> bool {
    let rank = |finding: &Finding| ON_KEYS.iter().chain(&ON_VALUES).position(|code| *code == finding.code);
    // What a tool no longer takes stays worth saying beside a value that it rejects.
    let is_newer = matches!(other.code, "VL004" | "VL011");
    (rank(by) < rank(other) || by.severity > other.severity && !is_newer) && by.code != other.code
}

/// Longest text that joins a key and its value, bytes.
const JOINT: u32 = 8;

/// Whether two places are on the same key or its value: they overlap, or only what joins a key and its value is between them.
fn of_one_entry(project: &Project, a: FileRange, b: FileRange) -> bool {
    let (first, second) = if a.range.start <= b.range.start { (a.range, b.range) } else { (b.range, a.range) };
    if second.start < first.end || first == second {
        return true;
    }
    let text = &project.file(a.file).text;
    let between = text.get(first.end as usize..second.start as usize).unwrap_or("\n");
    let joined = between.len() <= JOINT as usize && between.chars().all(|c| matches!(c, ' ' | '\t' | ':' | '=' | '"' | '\''));
    // Not the value of one option and the next option.
    joined && !second.slice(text).starts_with('-')
}

/// The block that each key of a data file names, by the range of the key.
fn blocks(project: &Project, file: FileId) -> HashMap<TextRange, TextRange> {
    let Some(data) = project.file(file).data() else { return HashMap::new() };
    let mappings =
        data.nodes.iter().filter_map(|node| if let NodeKind::Mapping(entries) = &node.kind { Some(entries) } else { None });
    let named = mappings.flatten().map(|entry| (NodeRef { file: data, id: entry.key }, NodeRef { file: data, id: entry.value }));
    named.filter(|(_, value)| value.is_mapping()).map(|(key, value)| (key.range(), value.range())).collect()
}

//! Answers that would take a walk of the whole tree, found once per file: an entry by its key or its place, and who uses an anchor.

use super::{DataFile, Entry, NodeId, NodeKind, NodeRef, Style};
use std::collections::HashMap;
use std::sync::OnceLock;
use vramlint_base::TextRange;

/// Mappings of at most this many entries are searched one by one.
const SMALL: usize = 16;

/// The index of one file, once somebody asked.
#[derive(Clone, Debug, Default)]
pub struct Lookup(OnceLock<Box<DataIndex>>);

/// The index of one file.
#[derive(Clone, Debug, Default)]
struct DataIndex {
    /// The mappings that are not small.
    mappings: HashMap<NodeId, MappingIndex>,
    /// The mapping and number of the first entry with these places of key and value.
    entries: HashMap<(TextRange, TextRange), (NodeId, usize)>,
    /// The values of each key, in any mapping.
    values: HashMap<String, Vec<NodeId>>,
    /// What each node is in; itself if it is in none.
    parents: Vec<NodeId>,
    /// Where the first alias of a node starts, and where its last one ends.
    aliases: HashMap<NodeId, TextRange>,
}

#[derive(Clone, Debug, Default)]
struct MappingIndex {
    /// The last entry of each key.
    last: HashMap<String, usize>,
    /// The merge keys.
    merges: Vec<usize>,
}

impl DataIndex {
    fn new(file: &DataFile) -> Self {
        let mut index = Self { parents: (0..file.nodes.len() as u32).map(NodeId).collect(), ..Self::default() };
        for (number, node) in file.nodes.iter().enumerate() {
            let id = NodeId(number as u32);
            match &node.kind {
                NodeKind::Mapping(entries) => index.add_mapping(file, id, entries),
                NodeKind::Sequence(items) => items.iter().for_each(|item| index.parents[item.0 as usize] = id),
                NodeKind::Alias { target: Some(target), .. } => {
                    let span = index.aliases.entry(*target).or_insert(node.range);
                    *span = span.cover(node.range);
                }
                _ => {}
            }
        }
        index
    }

    fn add_mapping(&mut self, file: &DataFile, id: NodeId, entries: &[Entry]) {
        let mut own = MappingIndex::default();
        for (number, entry) in entries.iter().enumerate() {
            let (key, value) = (NodeRef { file, id: entry.key }, NodeRef { file, id: entry.value });
            self.entries.entry((key.range(), value.range())).or_insert((id, number));
            self.parents[entry.key.0 as usize] = id;
            self.parents[entry.value.0 as usize] = id;
            if let Some(text) = key.text() {
                self.values.entry(text.to_owned()).or_default().push(entry.value);
            }
            if entries.len() > SMALL {
                if let Some(text) = key.text() {
                    own.last.insert(text.to_owned(), number);
                }
                if is_merge(key) {
                    own.merges.push(number);
                }
            }
        }
        if entries.len() > SMALL {
            self.mappings.insert(id, own);
        }
    }
}

fn is_merge(key: NodeRef<'_>) -> bool {
    key.scalar().is_some_and(|scalar| scalar.style == Style::Plain && scalar.text == "<<")
}

impl DataFile {
    fn index(&self) -> &DataIndex {
        self.lookup.0.get_or_init(|| Box::new(DataIndex::new(self)))
    }

    /// The mapping and the number of the entry with these ranges of key and value.
    pub fn entry_at(&self, key: TextRange, value: TextRange) -> Option<(NodeRef<'_>, usize)> {
        let (id, number) = self.index().entries.get(&(key, value))?;
        Some((NodeRef { file: self, id: *id }, *number))
    }

    /// The values of a key in the mappings of the file, at any depth.
    pub fn values_of<'a>(&'a self, key: &str) -> impl Iterator<Item = NodeRef<'a>> + use<'a> {
        let values = self.index().values.get(key).map_or(&[][..], Vec::as_slice);
        values.iter().map(|id| NodeRef { file: self, id: *id })
    }

    /// Whether an alias outside the range refers to what is in it, or to a node that contains it.
    pub fn is_used_outside(&self, range: TextRange) -> bool {
        let index = self.index();
        if index.aliases.is_empty() {
            return false;
        }
        let used = |id: NodeId| {
            let node = &self.nodes[id.0 as usize];
            let related = node.range.contains(range) || range.contains(node.range);
            related && index.aliases.get(&id).is_some_and(|span| !range.contains(*span))
        };
        // Nodes lie in the order of the text, and what a node is in comes before it.
        let first = self.nodes.partition_point(|node| node.range.start < range.start);
        let inside = (first..self.nodes.len()).take_while(|id| self.nodes[*id].range.start <= range.end);
        let mut above = (first < self.nodes.len()).then_some(NodeId(first as u32));
        let ancestors = std::iter::from_fn(|| {
            let id = above?;
            let parent = index.parents[id.0 as usize];
            above = (parent != id).then_some(parent);
            Some(id)
        });
        ancestors.chain(inside.map(|id| NodeId(id as u32))).any(used)
    }
}

impl<'a> NodeRef<'a> {
    /// The last entry of this mapping with a key, aliases followed; merge keys are not.
    pub fn own_entry(self, key: &str) -> Option<(NodeRef<'a>, NodeRef<'a>)> {
        let at = self.follow();
        let NodeKind::Mapping(entries) = &at.raw().kind else { return None };
        let nodes = |entry: &Entry| (NodeRef { file: at.file, id: entry.key }, NodeRef { file: at.file, id: entry.value });
        if entries.len() <= SMALL {
            return entries.iter().rev().map(nodes).find(|(own, _)| own.text() == Some(key));
        }
        let number = at.file.index().mappings.get(&at.id)?.last.get(key)?;
        entries.get(*number).map(nodes)
    }

    /// The values of the merge keys of this mapping, in order.
    pub(super) fn merged(self) -> Vec<NodeRef<'a>> {
        let at = self.follow();
        let NodeKind::Mapping(entries) = &at.raw().kind else { return Vec::new() };
        let value = |entry: &Entry| NodeRef { file: at.file, id: entry.value };
        if entries.len() <= SMALL {
            let merges = entries.iter().filter(|entry| is_merge(NodeRef { file: at.file, id: entry.key }));
            return merges.map(value).collect();
        }
        let numbers = at.file.index().mappings.get(&at.id).map_or(&[][..], |own| &own.merges);
        numbers.iter().map(|number| value(&entries[*number])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::NodeRef;
    use crate::yaml::parse;
    use std::fmt::Write;

    #[test]
    fn large_mappings_answer_as_small_ones() {
        let mut text = String::from("a: &a {x: 1}\nm:\n  <<: *a\n");
        for i in 0..40 {
            let _ = writeln!(text, "  k{}: {i}", i % 30);
        }
        let file = parse(&text);
        let m = file.root().and_then(|root| root.get("m")).expect("a mapping");
        let text_of = |key| m.get(key).and_then(NodeRef::text);
        assert_eq!(text_of("k3"), Some("33"), "the last of duplicates");
        assert_eq!((text_of("k29"), text_of("x"), text_of("none")), (Some("29"), Some("1"), None));
    }

    #[test]
    fn use_of_anchors_is_seen_from_inside_and_from_above() {
        let text = "a: &a\n  b: &b 1\nc: *b\nd: &d 2\n";
        let file = parse(text);
        let used = |part: &str| {
            let start = text.find(part).expect("in the text");
            file.is_used_outside(vramlint_base::TextRange::of(start..start + part.len()))
        };
        assert!(used("b: &b 1") && used("1") && used("a: &a\n  b: &b 1"));
        assert!(!used("d: &d 2") && !used("b: &b 1\nc: *b"));
    }
}

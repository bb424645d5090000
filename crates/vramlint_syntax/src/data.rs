//! The located tree that YAML and JSON share.
//!
//! A scalar keeps its text and its quoting; [`Loader`] and [`crate::yaml::scalar`] give it a type once it is known who reads
//! the file, since loaders disagree: `2e-5` is text to PyYAML and a number to OmegaConf.
//!
//! Nodes live in one list per file and name each other by [`NodeId`], so that an alias can point at its anchor. Walk the tree
//! with [`NodeRef`], which follows aliases, and merge keys where asked.

mod index;

use crate::{Comment, SyntaxError};
pub use index::Lookup;
use std::collections::HashMap;
use vramlint_base::{TextRange, Value};

/// Which library gives types to the scalars. Facts: `trainers.md` section 3.7, run against PyYAML 6.0.3, OmegaConf 2.4.0,
/// ruamel.yaml, TRL 1.16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Loader {
    /// `yaml.safe_load`: YAML 1.1, with its surprises.
    PyYaml,
    /// OmegaConf: as PyYAML, but `2e-5` is a number and dates stay text.
    OmegaConf,
    /// TRL's `TrlParser`: PyYAML, then argparse turns text into the type of the field.
    TrlParser,
    /// YAML 1.2 core schema, as ruamel.yaml reads.
    Yaml12,
    /// JSON.
    Json,
}

/// A node of a [`DataFile`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A file of YAML or JSON.
#[derive(Clone, Debug, Default)]
pub struct DataFile {
    /// Whether it is JSON (one document, or none).
    pub json: bool,
    /// Every node of every document.
    pub nodes: Vec<Node>,
    /// The documents in order; JSON has one.
    pub documents: Vec<Document>,
    /// Comments in order of their place.
    pub comments: Vec<Comment>,
    /// Errors in order of their place.
    pub errors: Vec<SyntaxError>,
    /// Whether the text holds `{%`, the start of a statement of a template engine.
    pub has_statement: bool,
    /// Answers that are kept: built at the first question, when the tree is complete.
    pub lookup: Lookup,
}

/// One document of a YAML stream.
#[derive(Clone, Debug)]
pub struct Document {
    /// From its first to its last byte.
    pub range: TextRange,
    /// The root; `None` for an empty document.
    pub root: Option<NodeId>,
}

/// A located node.
#[derive(Clone, Debug)]
pub struct Node {
    /// For a scalar: its text with its quotes. For a block collection: from its first to the end of its last descendant.
    pub range: TextRange,
    /// Name and place of the anchor (`&base`), with the mark.
    pub anchor: Option<(String, TextRange)>,
    /// The tag as written (`!!str`), if any.
    pub tag: Option<String>,
    /// Whether a collection is written in brackets.
    pub flow: bool,
    /// What it is.
    pub kind: NodeKind,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// Nothing is written: `key:`. Reads as null. The range is empty.
    Missing,
    /// One value.
    Scalar(Scalar),
    /// A list.
    Sequence(Vec<NodeId>),
    /// A mapping: every entry as written, duplicates and merge keys (`<<`) too.
    Mapping(Vec<Entry>),
    /// `*name`. The target is unknown where the anchor is missing.
    Alias {
        /// Without the mark.
        name: String,
        /// The node with that anchor.
        target: Option<NodeId>,
    },
}

/// A scalar before typing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The text after unquoting and folding.
    pub text: String,
    /// How it is written.
    pub style: Style,
}

/// How a scalar is written. Only plain scalars are typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// No quotes: `4`, `bf16`; in JSON numbers, `true`, `null` and whatever else has no quotes.
    Plain,
    /// `'…'`
    Single,
    /// `"…"`
    Double,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

/// A key and its value.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The key.
    pub key: NodeId,
    /// The value.
    pub value: NodeId,
}

/// A node with its file: walks the tree.
#[derive(Clone, Copy, Debug)]
pub struct NodeRef<'a> {
    /// The file.
    pub file: &'a DataFile,
    /// The node.
    pub id: NodeId,
}

/// Aliases followed in a row at most; an alias to an alias is not legal YAML, this bounds a broken tree.
const ALIAS_HOPS: usize = 8;
/// Depth to which merge keys are followed.
const MERGE_DEPTH: usize = 8;
/// Nodes that [`NodeRef::value`] makes at most: bounds alias bombs.
const VALUE_NODES: usize = 10_000;

impl DataFile {
    /// The root of the first document that has one.
    pub fn root(&self) -> Option<NodeRef<'_>> {
        self.documents.iter().find_map(|document| document.root).map(|id| NodeRef { file: self, id })
    }

    /// The roots of all documents.
    pub fn roots(&self) -> impl Iterator<Item = NodeRef<'_>> {
        self.documents.iter().filter_map(|document| document.root).map(|id| NodeRef { file: self, id })
    }
}

impl<'a> NodeRef<'a> {
    /// The node itself, aliases not followed.
    pub fn raw(self) -> &'a Node {
        &self.file.nodes[self.id.0 as usize]
    }

    /// The node that an alias stands for; itself otherwise.
    #[must_use]
    pub fn follow(self) -> Self {
        let mut at = self;
        for _ in 0..ALIAS_HOPS {
            match &at.raw().kind {
                NodeKind::Alias { target: Some(id), .. } => at = Self { file: at.file, id: *id },
                _ => break,
            }
        }
        at
    }

    /// The place where it is written (of the alias, not of its anchor).
    pub fn range(self) -> TextRange {
        self.raw().range
    }

    /// The scalar, aliases followed.
    pub fn scalar(self) -> Option<&'a Scalar> {
        if let NodeKind::Scalar(scalar) = &self.follow().raw().kind { Some(scalar) } else { None }
    }

    /// Text of a scalar, whatever its quoting.
    pub fn text(self) -> Option<&'a str> {
        self.scalar().map(|scalar| scalar.text.as_str())
    }

    /// Whether it is a mapping.
    pub fn is_mapping(self) -> bool {
        matches!(self.follow().raw().kind, NodeKind::Mapping(_))
    }

    /// Items of a list; empty for anything else.
    pub fn items(self) -> impl Iterator<Item = NodeRef<'a>> {
        let at = self.follow();
        let items: &[NodeId] = if let NodeKind::Sequence(items) = &at.raw().kind { items } else { &[] };
        items.iter().map(move |id| NodeRef { file: at.file, id: *id })
    }

    /// Entries of a mapping as written: duplicates and merge keys too. Empty for anything else.
    pub fn entries(self) -> impl Iterator<Item = (NodeRef<'a>, NodeRef<'a>)> {
        let at = self.follow();
        let entries: &[Entry] = if let NodeKind::Mapping(entries) = &at.raw().kind { entries } else { &[] };
        entries.iter().map(move |entry| (NodeRef { file: at.file, id: entry.key }, NodeRef { file: at.file, id: entry.value }))
    }

    /// The entry that a loader would use for `key`: the last one written, else one that a merge key brings in.
    pub fn entry(self, key: &str) -> Option<(NodeRef<'a>, NodeRef<'a>)> {
        self.entry_within(key, MERGE_DEPTH, &mut HashMap::new())
    }

    /// `seen` holds the mappings that were searched, and the depth that was left: a mapping that is merged many times is searched
    /// once.
    fn entry_within(self, key: &str, depth: usize, seen: &mut HashMap<NodeId, usize>) -> Option<(NodeRef<'a>, NodeRef<'a>)> {
        let own = self.own_entry(key);
        if own.is_some() || depth == 0 {
            return own;
        }
        // Of several merge keys the last wins; of a list after one of them the first (PyYAML 6.0.3, `flatten_mapping`).
        for value in self.merged().into_iter().rev() {
            let mut sources: Vec<NodeRef<'a>> = value.items().collect();
            if sources.is_empty() {
                sources.push(value);
            }
            for source in sources {
                if seen.insert(source.follow().id, depth).is_some_and(|before| before >= depth) {
                    continue;
                }
                if let Some(found) = source.entry_within(key, depth - 1, seen) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// The value for `key`, as [`Self::entry`].
    pub fn get(self, key: &str) -> Option<NodeRef<'a>> {
        self.entry(key).map(|(_, value)| value)
    }

    /// The value at a path of keys.
    pub fn at(self, path: &[&str]) -> Option<NodeRef<'a>> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The value that `loader` makes of it: typed scalars, lists, mappings with merge keys applied and the last duplicate kept.
    /// `None` where the node is too large or contains itself.
    pub fn value(self, loader: Loader) -> Option<Value> {
        crate::yaml::scalar::value(self, loader, &mut { VALUE_NODES })
    }
}

//! Events to tree.

use super::events::{Step, TagText};
use crate::Comment;
use crate::data::{DataFile, Document, Entry, Node, NodeId, NodeKind, Scalar, Style};
use std::collections::HashMap;
use std::ops::Range;
use vramlint_base::TextRange;

/// The tree, and what the checks need besides.
#[derive(Debug, Default)]
pub(super) struct Built {
    pub(super) file: DataFile,
    /// Content where a tab is text: quoted scalars whole, block scalars with everything that the parser gave to them.
    pub(super) verbatim: Vec<Range<usize>>,
    /// Where each tag is written.
    pub(super) tags: HashMap<NodeId, Range<usize>>,
}

/// Builds the tree of the steps. They may break off: what is open is closed, and a key without its value is left out.
pub(super) fn build(text: &str, steps: Vec<Step>) -> Built {
    let mut builder = Builder { text, ..Builder::default() };
    for step in steps {
        builder.handle(step);
    }
    builder.finish()
}

/// A collection under construction.
struct Frame {
    node: NodeId,
    items: Vec<NodeId>,
    entries: Vec<Entry>,
    key: Option<NodeId>,
}

#[derive(Default)]
struct Builder<'a> {
    text: &'a str,
    built: Built,
    open: Vec<Frame>,
    /// Number of an anchor to its node.
    anchors: HashMap<usize, NodeId>,
    /// End of the last thing read.
    last: usize,
}

impl Builder<'_> {
    fn handle(&mut self, step: Step) {
        match step {
            Step::Comment(at) => self.comment(at),
            Step::DocumentStart(at) => {
                // An implicit start lies somewhere in the content.
                let explicit = self.text[at.clone()].starts_with("---");
                if explicit {
                    self.last = self.last.max(at.end);
                }
                let range = if explicit { TextRange::of(at) } else { TextRange::at(at.start as u32) };
                self.built.file.documents.push(Document { range, root: None });
            }
            Step::DocumentEnd => {}
            Step::Scalar { text, style, at, tag } => self.scalar(text, style, at, tag),
            Step::Start { mapping, flow, at, tag } => self.start(mapping, flow, at, tag),
            Step::End(at) => self.end(at),
            Step::Anchor { id, name, at } => {
                if let Some(last) = self.built.file.nodes.last_mut() {
                    last.anchor = Some((name, TextRange::of(at)));
                    self.anchors.insert(id, NodeId(self.built.file.nodes.len() as u32 - 1));
                }
            }
            Step::Alias { id, at } => {
                let name = self.text[at.clone()].trim_start_matches('*').to_string();
                let target = id.and_then(|id| self.anchors.get(&id)).copied();
                self.last = at.end;
                let node = self.node(NodeKind::Alias { name, target }, at, false, None);
                self.attach(node);
            }
        }
    }

    fn comment(&mut self, at: Range<usize>) {
        let line = self.text[..at.start].rfind(['\n', '\r']).map_or(0, |i| i + 1);
        let trailing = !self.text[line..at.start].trim_matches([' ', '\t', '\u{FEFF}']).is_empty();
        let text = self.text[at.clone()].trim_start_matches('#').trim().to_string();
        self.built.file.comments.push(Comment { range: TextRange::of(at), text, trailing });
    }

    fn scalar(&mut self, text: String, style: Style, at: Range<usize>, tag: Option<TagText>) {
        let missing = style == Style::Plain && at.is_empty() && (tag.is_none() || text == "~" || text.is_empty());
        let (kind, range) = match style {
            // A tag makes a value of nothing: `!!str` is the empty text.
            Style::Plain if missing && tag.is_some() => (NodeKind::Scalar(Scalar { text: String::new(), style }), at),
            Style::Plain if missing => (NodeKind::Missing, at),
            Style::Literal | Style::Folded => {
                let header = self.block_header(at.start, tag.as_ref());
                self.built.verbatim.push(header..at.end);
                let range = header..self.block_end(header, &at);
                (NodeKind::Scalar(Scalar { text: self.without_added_break(text, header, &at), style }), range)
            }
            Style::Single | Style::Double => {
                self.built.verbatim.push(at.clone());
                (NodeKind::Scalar(Scalar { text, style }), at)
            }
            Style::Plain => (NodeKind::Scalar(Scalar { text, style }), at),
        };
        self.last = self.last.max(range.end);
        let node = self.node(kind, range, false, tag);
        self.attach(node);
    }

    /// Where the `|` or `>` of a block scalar is: the parser's range starts at the content.
    fn block_header(&self, content: usize, tag: Option<&TagText>) -> usize {
        let from = tag.map_or(self.last, |tag| self.last.max(tag.at.end)).min(content);
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < content {
            match bytes[at] {
                b'|' | b'>' => return at,
                b'#' if at == 0 || matches!(bytes[at - 1], b' ' | b'\t' | b'\n' | b'\r') => {
                    at += self.text[at..].find(['\n', '\r']).unwrap_or(content - at);
                }
                _ => at += 1,
            }
        }
        content
    }

    /// End of a block scalar's last line of text, without its line break; of its header where it has no text.
    fn block_end(&self, header: usize, at: &Range<usize>) -> usize {
        let end = at.start + self.text[at.clone()].trim_end().len();
        if end > at.start {
            return end;
        }
        let marks = self.text[header..].bytes().take_while(|b| matches!(b, b'|' | b'>' | b'+' | b'-' | b'0'..=b'9')).count();
        header + marks
    }

    /// A block scalar that ends the file without a line break gets one from the parser, but not from PyYAML.
    fn without_added_break(&self, mut scalar: String, header: usize, at: &Range<usize>) -> String {
        let at_end = at.end == self.text.len() && !self.text.ends_with(['\n', '\r']);
        let last_line = self.text.rsplit(['\n', '\r']).next().unwrap_or("");
        // Blanks alone on the last line are text only beyond the indentation.
        let indent = content_indent(self.text, header);
        let text = !last_line.trim_matches(' ').is_empty() || indent == usize::MAX || last_line.len() > indent;
        if at_end && text && scalar.ends_with('\n') {
            scalar.pop();
        }
        scalar
    }

    fn start(&mut self, mapping: bool, flow: bool, at: Range<usize>, tag: Option<TagText>) {
        let start = if mapping || flow { at.start } else { self.first_dash(at.start) };
        self.last = self.last.max(at.end);
        let kind = if mapping { NodeKind::Mapping(Vec::new()) } else { NodeKind::Sequence(Vec::new()) };
        let node = self.node(kind, start..at.end.max(start), flow, tag);
        self.open.push(Frame { node, items: Vec::new(), entries: Vec::new(), key: None });
    }

    /// The first dash of a block list. Of a list that is not indented under its key, the parser gives the first item.
    fn first_dash(&self, start: usize) -> usize {
        if self.open.last().is_none_or(|frame| frame.key.is_none()) {
            return start;
        }
        let bytes = self.text.as_bytes();
        let blank = |at: usize| bytes.get(at).is_none_or(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'));
        let mut at = self.last;
        while at < start {
            match bytes[at] {
                b'-' if blank(at - 1) && blank(at + 1) => return at,
                b'#' if blank(at - 1) => at += self.text[at..].find(['\n', '\r']).unwrap_or(start),
                _ => at += 1,
            }
        }
        start
    }

    fn end(&mut self, at: Range<usize>) {
        if let Some(frame) = self.open.pop() {
            let flow = self.built.file.nodes[frame.node.0 as usize].flow;
            self.close(frame, flow.then_some(at.end));
            self.last = self.last.max(if flow { at.end } else { self.last });
        }
    }

    fn close(&mut self, frame: Frame, bracket: Option<usize>) {
        let last_child =
            if frame.entries.is_empty() { frame.items.last() } else { frame.entries.last().map(|entry| &entry.value) };
        let child_end = last_child.map(|id| self.extent_end(*id));
        let node = &mut self.built.file.nodes[frame.node.0 as usize];
        let end = bracket.map_or(child_end, |end| Some(end as u32)).unwrap_or(node.range.end);
        node.range = TextRange::new(node.range.start, end.max(node.range.end));
        match &mut node.kind {
            NodeKind::Mapping(entries) => *entries = frame.entries,
            NodeKind::Sequence(items) => *items = frame.items,
            _ => {}
        }
        self.attach(frame.node);
    }

    /// End of a node, its anchor included: that of an omitted value is after its range.
    fn extent_end(&self, id: NodeId) -> u32 {
        let node = &self.built.file.nodes[id.0 as usize];
        let tag_end = self.built.tags.get(&id).map_or(0, |at| at.end as u32);
        node.range.end.max(node.anchor.as_ref().map_or(0, |(_, at)| at.end)).max(tag_end)
    }

    fn node(&mut self, kind: NodeKind, range: Range<usize>, flow: bool, tag: Option<TagText>) -> NodeId {
        let id = NodeId(self.built.file.nodes.len() as u32);
        let tag = tag.map(|tag| {
            self.built.tags.insert(id, tag.at);
            tag.text
        });
        self.built.file.nodes.push(Node { range: TextRange::of(range), anchor: None, tag, flow, kind });
        id
    }

    /// Gives a finished node to what it is in.
    fn attach(&mut self, id: NodeId) {
        if let Some(frame) = self.open.last_mut() {
            let mapping = matches!(self.built.file.nodes[frame.node.0 as usize].kind, NodeKind::Mapping(_));
            match frame.key.take() {
                _ if !mapping => frame.items.push(id),
                Some(key) => {
                    frame.entries.push(Entry { key, value: id });
                    let node = &mut self.built.file.nodes[id.0 as usize];
                    // The parser puts an omitted value before the colon; people write after it.
                    if matches!(node.kind, NodeKind::Missing) && self.text[node.range.as_usize().start..].starts_with(':') {
                        node.range = node.range.shifted(1);
                    }
                }
                None => frame.key = Some(id),
            }
            return;
        }
        if let Some(document) = self.built.file.documents.last_mut() {
            document.root.get_or_insert(id);
        }
    }

    fn finish(mut self) -> Built {
        while let Some(frame) = self.open.pop() {
            self.close(frame, None);
        }
        self.finish_documents();
        let file = &mut self.built.file;
        file.comments.sort_by_key(|comment| comment.range.start);
        file.comments.dedup_by_key(|comment| comment.range.start);
        self.built
    }

    /// Ranges of the documents; an omitted root is none.
    fn finish_documents(&mut self) {
        for i in 0..self.built.file.documents.len() {
            let Some(root) = self.built.file.documents[i].root else { continue };
            let node = &self.built.file.nodes[root.0 as usize];
            let first = node.anchor.as_ref().map_or(node.range.start, |(_, at)| at.start.min(node.range.start));
            let first = self.built.tags.get(&root).map_or(first, |at| first.min(at.start as u32));
            let omitted = matches!(node.kind, NodeKind::Missing) && node.anchor.is_none();
            let end = self.extent_end(root);
            let document = &mut self.built.file.documents[i];
            if omitted {
                document.root = None;
                continue;
            }
            let start = if document.range.is_empty() { first } else { document.range.start };
            document.range = TextRange::new(start, end);
        }
    }
}

/// Column of the text of the block scalar whose `|` or `>` is at `header`: that of its first line that has text.
pub(super) fn content_indent(text: &str, header: usize) -> usize {
    let mut lines = text[header..].split(['\n', '\r']).skip(1);
    lines.find(|line| !line.trim().is_empty()).map_or(usize::MAX, |line| line.len() - line.trim_start_matches(' ').len())
}

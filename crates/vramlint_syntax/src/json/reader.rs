//! The root, objects and arrays, and how their brackets close.

use super::cursor::is_invisible;
use crate::data::{Entry, Node, NodeId, NodeKind, Scalar};
use crate::{Comment, RefusedBy, SyntaxError};
use vramlint_base::{TextRange, message};

/// Depth of nesting at most. Python's own limit is of the same size: `json` and Hjson stop with `RecursionError`.
const MAX_DEPTH: usize = 512;

/// How the text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// What has no quotes ends before the next comma or bracket; reading goes on after errors.
    Tolerant,
    /// As the package hjson 3.1.0; the first error of kind [`RefusedBy::All`] ends the reading.
    Hjson,
}

/// Where the loop over a collection is.
enum Step {
    /// The collection has ended.
    End,
    /// Something was passed over: look again.
    Again,
    /// An entry or item is at the cursor, or a stray comma.
    Inside,
}

/// What a pass gives.
pub(super) struct Reading {
    pub(super) nodes: Vec<Node>,
    pub(super) root: Option<NodeId>,
    pub(super) comments: Vec<Comment>,
    pub(super) errors: Vec<SyntaxError>,
    /// Whether it holds something that strict JSON accepts and Hjson may reject.
    pub(super) doubtful: bool,
}

/// The state of a pass.
#[allow(clippy::struct_excessive_bools)] // independent facts about one pass, not one state
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) mode: Mode,
    pub(super) halted: bool,
    /// Whether Hjson stopped with an error that its fallback for a single value does not catch.
    pub(super) hard: bool,
    pub(super) doubtful: bool,
    pub(super) last_refusal: Option<usize>,
    pub(super) nodes: Vec<Node>,
    pub(super) comments: Vec<Comment>,
    pub(super) errors: Vec<SyntaxError>,
    open: Vec<u8>,
    unclosed: bool,
}

/// Reads `text` once.
pub(super) fn read(text: &str, mode: Mode) -> Reading {
    let mut reader = Reader {
        text,
        at: 0,
        mode,
        halted: false,
        hard: false,
        doubtful: false,
        last_refusal: None,
        nodes: Vec::new(),
        comments: Vec::new(),
        errors: Vec::new(),
        open: Vec::new(),
        unclosed: false,
    };
    let root = reader.root();
    let Reader { nodes, comments, errors, doubtful, .. } = reader;
    Reading { nodes, root, comments, errors, doubtful }
}

impl Reader<'_> {
    fn root(&mut self) -> Option<NodeId> {
        let mark = self.text.starts_with('\u{feff}');
        if mark {
            self.at = 3;
            let range = TextRange::new(0, 3);
            self.strict(
                range,
                message!("byte order mark: save the file as UTF-8 without BOM", "文件带有 BOM：请保存为不带 BOM 的 UTF-8"),
            );
        }
        self.blanks();
        if self.at == self.text.len() {
            self.empty(mark);
            return None;
        }
        let root = match self.peek() {
            Some(b'{' | b'[') => self.value(),
            _ if self.mode == Mode::Hjson => self.hjson_root(),
            _ if self.starts_entry() => self.object(false),
            _ => self.value(),
        };
        self.blanks();
        if !self.halted && self.at < self.text.len() {
            let line = self.rest().find(['\r', '\n']).unwrap_or(self.rest().len());
            let range = TextRange::of(self.at..self.at + line.max(1));
            self.refuse(range, message!("text after the end of the JSON value", "JSON 内容结束之后还有多余的文本"));
        }
        Some(root)
    }

    /// Hjson reads a text of blanks and comments as an empty object, but not after a byte order mark.
    fn empty(&mut self, mark: bool) {
        let range = TextRange::of(self.at..self.at);
        let message = message!("no JSON value: the file is empty", "没有 JSON 内容：文件为空");
        if mark {
            self.refuse(range, message);
        } else if !self.halted {
            self.strict(range, message);
        }
    }

    /// Hjson tries an object without braces, then a single value.
    fn hjson_root(&mut self) -> NodeId {
        let (at, nodes, comments, errors) = (self.at, self.nodes.len(), self.comments.len(), self.errors.len());
        let object = self.object(false);
        let duplicate = self.errors.iter().any(|error| error.refused_by == RefusedBy::Hjson);
        if !self.halted || self.hard || duplicate {
            return object;
        }
        let kept = self.errors.split_off(errors);
        let comments_kept = self.comments.split_off(comments);
        let nodes_kept = self.nodes.split_off(nodes);
        (self.at, self.halted) = (at, false);
        self.open.clear();
        let value = self.value();
        self.blanks();
        if !self.halted && self.at == self.text.len() {
            return value;
        }
        self.errors.truncate(errors);
        self.errors.extend(kept);
        self.comments.truncate(comments);
        self.comments.extend(comments_kept);
        self.nodes.truncate(nodes);
        self.nodes.extend(nodes_kept);
        self.halt();
        object
    }

    /// Whether a root without a bracket looks like `key:`.
    fn starts_entry(&self) -> bool {
        let rest = self.rest();
        let after = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => rest[1..].find([quote, '\n']).map(|end| rest[end + 2..].trim_start()),
            _ => rest.find([':', '：', '\n', ',', '{', '}', '[', ']']).map(|end| &rest[end..]),
        };
        after.is_some_and(|after| after.starts_with([':', '：']))
    }

    /// Reads a value; the cursor is after blanks.
    pub(super) fn value(&mut self) -> NodeId {
        while self.peek() == Some(b':') {
            self.refuse(self.here(), message!("expected a value, found `:`", "此处应为值，却是 `:`"));
            self.go(self.at + 1);
            self.blanks();
        }
        match self.peek() {
            Some(b'{') => self.object(true),
            Some(b'[') => self.array(),
            Some(b'"' | b'\'') => self.string(false),
            None | Some(b'}' | b']' | b',') => {
                self.refuse(self.here(), message!("a value is missing here", "此处缺少值"));
                self.missing()
            }
            Some(_) => self.word(),
        }
    }

    /// Puts a node into the list.
    pub(super) fn push(&mut self, range: TextRange, kind: NodeKind) -> NodeId {
        let flow = matches!(kind, NodeKind::Sequence(_) | NodeKind::Mapping(_));
        self.nodes.push(Node { range, anchor: None, tag: None, flow, kind });
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub(super) fn scalar(&mut self, range: TextRange, scalar: Scalar) -> NodeId {
        self.push(range, NodeKind::Scalar(scalar))
    }

    pub(super) fn missing(&mut self) -> NodeId {
        self.push(TextRange::of(self.at..self.at), NodeKind::Missing)
    }

    /// Opens a bracket; `false` where the nesting is too deep, and then reading ends.
    fn enter(&mut self) -> bool {
        if self.open.len() >= MAX_DEPTH {
            self.refuse(self.here(), message!("nested deeper than {MAX_DEPTH} levels", "嵌套超过 {MAX_DEPTH} 层"));
            self.halt();
            return false;
        }
        self.open.extend(self.peek());
        self.at += 1;
        true
    }

    fn object(&mut self, braced: bool) -> NodeId {
        let start = self.at;
        if braced && !self.enter() {
            return self.missing();
        }
        let mut entries: Vec<Entry> = Vec::new();
        let mut comma = None;
        loop {
            self.blanks();
            match self.closes(start, b'}', braced, comma) {
                Step::End => break,
                Step::Again => {}
                Step::Inside if self.peek() == Some(b',') => self.stray_comma(),
                Step::Inside => {
                    let (last, entry) = self.entry();
                    if let Some(entry) = entry {
                        if entries.is_empty() && !braced {
                            let range = self.range(entry.key);
                            self.strict(range, message!("an object needs braces", "对象缺少花括号"));
                        }
                        entries.push(entry);
                    }
                    comma = self.separator(last);
                }
            }
        }
        self.duplicates(&entries);
        self.push(TextRange::of(start..self.at), NodeKind::Mapping(entries))
    }

    fn array(&mut self) -> NodeId {
        let start = self.at;
        if !self.enter() {
            return self.missing();
        }
        let mut items = Vec::new();
        let mut comma = None;
        loop {
            self.blanks();
            match self.closes(start, b']', true, comma) {
                Step::End => break,
                Step::Again => {}
                Step::Inside if self.peek() == Some(b',') => self.stray_comma(),
                Step::Inside => {
                    let item = self.value();
                    items.push(item);
                    comma = self.separator(item);
                }
            }
        }
        self.push(TextRange::of(start..self.at), NodeKind::Sequence(items))
    }

    /// Whether the collection opened at `start` ends at the cursor, and with it its errors. A closing bracket that fits nothing
    /// is passed over.
    fn closes(&mut self, start: usize, close: u8, bracketed: bool, comma: Option<usize>) -> Step {
        let found = self.peek();
        let ours = bracketed && found == Some(close);
        if (ours || found.is_none() && !bracketed)
            && let Some(comma) = comma
        {
            let range = TextRange::of(comma..comma + 1);
            self.strict(range, message!("trailing comma", "末尾多余的逗号"));
        }
        if ours {
            self.at += 1;
            self.open.pop();
            return Step::End;
        }
        match found {
            None => {
                self.unclosed(start, bracketed);
                Step::End
            }
            Some(b'}' | b']') => self.stray_close(bracketed),
            Some(_) => Step::Inside,
        }
    }

    fn unclosed(&mut self, start: usize, bracketed: bool) {
        self.open.pop();
        if self.halted || !bracketed || self.unclosed {
            return;
        }
        self.unclosed = true;
        self.last_refusal = None;
        let bracket = char::from(self.text.as_bytes()[start]);
        let range = TextRange::of(start..start + 1);
        self.refuse(range, message!("`{bracket}` is never closed", "`{bracket}` 没有闭合"));
    }

    /// A closing bracket of the other kind: ends this collection too if an outer one waits for it.
    fn stray_close(&mut self, bracketed: bool) -> Step {
        let close = self.peek().unwrap_or_default();
        let opener = if close == b'}' { b'{' } else { b'[' };
        let bracket = char::from(close);
        self.refuse(self.here(), message!("unmatched `{bracket}`", "此处的 `{bracket}` 没有对应的开括号"));
        if self.halted {
            return Step::End;
        }
        if bracketed && self.open.contains(&opener) {
            self.open.pop();
            return Step::End;
        }
        self.at += 1;
        Step::Again
    }

    fn stray_comma(&mut self) {
        self.refuse(self.here(), message!("comma with nothing before it", "逗号之前没有内容"));
        self.go(self.at + 1);
    }

    pub(super) fn range(&self, id: NodeId) -> TextRange {
        let range = self.nodes[id.0 as usize].range;
        if range.is_empty() { self.here() } else { range }
    }
}

/// Whether `text` holds a character that cannot be seen.
pub(super) fn hides(text: &str) -> Option<u32> {
    text.chars().find(|found| is_invisible(*found)).map(u32::from)
}

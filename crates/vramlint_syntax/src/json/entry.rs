//! Entries of an object, and what is between the members of a collection.

use super::reader::{Mode, Reader};
use crate::data::{Entry, NodeId, NodeKind, Style};
use crate::{RefusedBy, SyntaxError};
use std::collections::HashSet;
use vramlint_base::message;

impl Reader<'_> {
    /// Reads `key: value`. Gives the last node read, and the entry if there is one.
    pub(super) fn entry(&mut self) -> (NodeId, Option<Entry>) {
        let key = match self.peek() {
            Some(b'"' | b'\'') => self.string(true),
            Some(b'{' | b'[') => {
                self.refuse(self.here(), message!("a key is missing here", "此处缺少键名"));
                return (self.value(), None);
            }
            Some(b':') => {
                self.refuse(self.here(), message!("no key before `:`", "`:` 之前没有键名"));
                self.missing()
            }
            _ => self.key_word(),
        };
        let behind = self.at;
        self.blanks();
        let rest = self.rest();
        if rest.starts_with(':') {
            self.at += 1;
        } else if rest.starts_with(['：', '=']) {
            let range = self.here();
            let found = range.slice(self.text);
            self.refuse(range, message!("expected `:`, found `{found}`", "此处应为 `:`，却是 `{found}`"));
            self.go(range.end as usize);
        } else {
            let range = self.range(key);
            self.refuse(range, message!("missing `:` after this key", "键名之后缺少 `:`"));
            let same_line = self.text.get(behind..self.at).is_some_and(|between| !between.contains('\n'));
            if !same_line || matches!(self.peek(), None | Some(b',' | b'}' | b']')) {
                let value = self.missing();
                return (value, Some(Entry { key, value }));
            }
        }
        self.blanks();
        let value = self.value();
        (value, Some(Entry { key, value }))
    }

    /// Passes the comma after `last` and gives its place; reports a missing one.
    pub(super) fn separator(&mut self, last: NodeId) -> Option<usize> {
        let behind = self.at;
        self.blanks();
        let rest = self.rest();
        match rest.chars().next() {
            None | Some('}' | ']') => None,
            Some(',') => {
                self.at += 1;
                Some(self.at - 1)
            }
            Some(found @ ('，' | '、' | ';' | '；')) if self.mode == Mode::Tolerant => {
                self.refuse(self.here(), message!("expected `,`, found `{found}`", "此处应为 `,`，却是 `{found}`"));
                self.go(self.at + found.len_utf8());
                None
            }
            Some(_) => {
                self.missing_comma(behind, last);
                None
            }
        }
    }

    fn missing_comma(&mut self, behind: usize, last: NodeId) {
        let node = &self.nodes[last.0 as usize];
        let mut range = node.range;
        if node.flow {
            range.start = range.end.saturating_sub(1);
        }
        if range.is_empty() {
            range = self.here();
        }
        let plain =
            if let NodeKind::Scalar(scalar) = &node.kind { Some(scalar).filter(|s| s.style == Style::Plain) } else { None };
        if plain.is_some_and(|scalar| scalar.text.ends_with(',')) {
            // The comma is there, as a part of a text without quotes: that has been reported.
            return;
        }
        let same_line = self.text.get(behind..self.at).is_some_and(|between| !between.contains(['\n', '\r']));
        let message = message!("missing comma after this value", "此值之后缺少逗号");
        if self.mode == Mode::Tolerant && plain.is_some() && same_line {
            // Hjson takes the rest of the line for a part of the value.
            self.refuse(range, message);
        } else {
            self.strict(range, message);
        }
    }

    /// The hook of `DeepSpeed` raises `ValueError` on these; strict JSON keeps the last value.
    pub(super) fn duplicates(&mut self, entries: &[Entry]) {
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for entry in entries {
            let node = &self.nodes[entry.key.0 as usize];
            if let NodeKind::Scalar(scalar) = &node.kind
                && !seen.insert(scalar.text.as_str())
            {
                let key = super::word::clipped(&scalar.text);
                let message = message!(
                    "duplicate key `{key}`: DeepSpeed rejects the file, strict JSON keeps the last value",
                    "重复的键 `{key}`：DeepSpeed 会拒绝该文件，严格 JSON 只保留最后一个值"
                );
                found.push(SyntaxError { range: node.range, message, refused_by: RefusedBy::Hjson });
            }
        }
        self.errors.extend(found);
    }
}

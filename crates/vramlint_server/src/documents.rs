//! The open documents.

use crate::position::{BOM, Encoding, Lines};
use std::path::PathBuf;
use std::sync::Arc;
use tower_lsp_server::ls_types::{TextDocumentContentChangeEvent, Uri};
use vramlint_base::LineIndex;

/// An open document.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// The URI as the client spells it.
    pub uri: Uri,
    /// The path; for an untitled document, the path that it is analyzed under.
    pub path: PathBuf,
    /// The client's version number.
    pub version: i32,
    /// The text as the client has it.
    pub text: Arc<str>,
}

impl Document {
    /// Whether the text starts with a byte order mark.
    pub(crate) fn has_bom(&self) -> bool {
        self.text.starts_with(BOM)
    }

    /// Applies changes in order, each to the result of the one before.
    pub(crate) fn apply(&mut self, changes: Vec<TextDocumentContentChangeEvent>, version: i32, encoding: Encoding) {
        self.version = version;
        for change in changes {
            let Some(range) = change.range else {
                self.text = change.text.into();
                continue;
            };
            let index = LineIndex::new(&self.text);
            let bytes = Lines::new(&self.text, &index, encoding).bytes(range).as_usize();
            let mut text = String::with_capacity(self.text.len() + change.text.len());
            text.push_str(&self.text[..bytes.start]);
            text.push_str(&change.text);
            text.push_str(&self.text[bytes.end..]);
            self.text = text.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tower_lsp_server::ls_types::{Position, Range};

    fn change(range: [u32; 4], text: &str) -> TextDocumentContentChangeEvent {
        let [line, character, end_line, end] = range;
        let range = Range::new(Position::new(line, character), Position::new(end_line, end));
        TextDocumentContentChangeEvent { range: Some(range), range_length: None, text: text.to_owned() }
    }

    #[test]
    fn changes_build_on_each_other() {
        let uri: Uri = "file:///a.yaml".parse().expect("an address");
        let mut document = Document { uri, path: "/a.yaml".into(), version: 1, text: "批量: 4\r\nb: 🚀\r\n".into() };
        let changes = vec![
            change([0, 4, 0, 5], "16"),
            change([0, 6, 0, 6], " # 多"),
            change([1, 3, 1, 5], "x"),
            change([9, 0, 9, 0], "end"),
        ];
        document.apply(changes, 2, Encoding::Utf16);
        assert_eq!((&*document.text, document.version), ("批量: 16 # 多\r\nb: x\r\nend", 2));
        document.apply(
            vec![TextDocumentContentChangeEvent { range: None, range_length: None, text: "new".into() }],
            3,
            Encoding::Utf8,
        );
        assert_eq!(&*document.text, "new");
    }
}

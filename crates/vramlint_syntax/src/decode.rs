//! Bytes to text: byte order mark, encoding, NUL.

use crate::{RefusedBy, SyntaxError};

/// A text and what was wrong with its bytes.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The text. Bytes that are not UTF-8 became U+FFFD.
    pub text: String,
    /// Not UTF-8 (with the place of the first bad byte), UTF-16, NUL.
    pub errors: Vec<SyntaxError>,
    /// Whether it looks binary: it is then not read further.
    pub binary: bool,
}

/// Decodes a file.
pub fn decode(bytes: Vec<u8>) -> Decoded {
    let _ = RefusedBy::All;
    todo!("{}", bytes.len())
}

//! The tables of `data/`, which the build script compresses.

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The compressed bytes of the table `data/NAME.json`.
macro_rules! data {
    ($($name:literal),+) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $($name,)+ ".deflate"))
    };
}

/// Reads a table.
pub(crate) fn read<T: DeserializeOwned>(compressed: &[u8]) -> T {
    serde_json::from_str(&text(compressed)).expect("a test reads every table")
}

/// Reads a table whose rows borrow from its text, which stays until the program ends.
pub(crate) fn read_borrowed<T: Deserialize<'static>>(compressed: &[u8]) -> T {
    serde_json::from_str(text(compressed).leak()).expect("a test reads every table")
}

/// The text of a table.
pub(crate) fn text(compressed: &[u8]) -> String {
    let bytes = miniz_oxide::inflate::decompress_to_vec(compressed).expect("the build script wrote it");
    String::from_utf8(bytes).expect("tables are UTF-8")
}

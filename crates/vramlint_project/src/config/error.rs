//! What is wrong with a configuration or a command line.

use vramlint_base::{LineIndex, Message, TextRange, message};

/// The configuration or the command line is at fault: exit status 2, message on standard error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", message.en)]
pub struct ConfigError {
    /// What is wrong, with the file and the line where there is one.
    pub message: Message,
    /// Where, for those who show it there; `None` for the command line.
    pub place: Option<Box<ConfigPlace>>,
}

/// A place in a configuration file, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigPlace {
    /// The file, as shown.
    pub file: String,
    /// Where in its text, which has no byte order mark.
    pub range: TextRange,
    /// What is wrong, without the place.
    pub what: Message,
}

impl ConfigError {
    /// An error without a place.
    pub fn new(message: Message) -> Self {
        Self { message, place: None }
    }

    /// An error at `range` of the configuration file `file` with this `text`.
    pub(crate) fn at(file: &str, text: &str, range: TextRange, what: &Message) -> Self {
        let at = LineIndex::new(text).line_column(text, range.start);
        let (line, column) = (at.line, at.column);
        let (en, zh) = (&what.en, &what.zh);
        Self {
            message: message!("{file}:{line}:{column}: {en}", "{file}:{line}:{column}：{zh}"),
            place: Some(Box::new(ConfigPlace { file: file.to_owned(), range, what: what.clone() })),
        }
    }
}

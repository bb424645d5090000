//! Errors in a configuration or on the command line.

use vramlint_base::{LineIndex, Message, TextRange, message};

/// An error in the configuration or on the command line; the exit status is 2.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", message.en)]
pub struct ConfigError {
    /// What is wrong, with file and line if there are any.
    pub message: Message,
    /// The location, for editors; `None` for the command line.
    pub place: Option<Box<ConfigPlace>>,
}

/// A location in a configuration file and the error there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigPlace {
    /// The file, as shown.
    pub file: String,
    /// The range in its text, which has no byte order mark.
    pub range: TextRange,
    /// What is wrong, without the location.
    pub what: Message,
}

impl ConfigError {
    /// An error without a location.
    pub fn new(message: Message) -> Self {
        Self { message, place: None }
    }

    /// An error at `range` of the configuration file `file`, whose content is `text`.
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

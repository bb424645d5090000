//! What is wrong with a configuration or a command line.

use vramlint_base::{LineIndex, Message, TextRange, message};

/// The configuration or the command line is at fault: exit status 2, message on standard error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", message.en)]
pub struct ConfigError {
    /// What is wrong, with the file and the line where there is one.
    pub message: Message,
    /// The same without the place.
    pub what: Message,
    /// The configuration file, as shown, and where in it; `None` for the command line.
    pub place: Option<(String, TextRange)>,
}

impl ConfigError {
    /// An error without a place.
    pub fn new(message: Message) -> Self {
        Self { what: message.clone(), message, place: None }
    }

    /// An error at `range` of the configuration file `file` with this `text`.
    pub(crate) fn at(file: &str, text: &str, range: TextRange, what: &Message) -> Self {
        let at = LineIndex::new(text).line_column(text, range.start);
        let (line, column) = (at.line, at.column);
        let (en, zh) = (&what.en, &what.zh);
        Self {
            message: message!("{file}:{line}:{column}: {en}", "{file}:{line}:{column}：{zh}"),
            what: what.clone(),
            place: Some((file.to_owned(), range)),
        }
    }
}

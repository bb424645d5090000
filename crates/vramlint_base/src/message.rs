//! Messages in two languages.

use crate::visible;
use std::borrow::Cow;

/// A language of the messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

/// A message in every supported language. Build it with [`message!`](crate::message).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// English: one line, no full stop.
    pub en: String,
    /// Simplified Chinese: one line, no full stop.
    pub zh: String,
}

impl Message {
    /// The message with these texts. What they quote of a file cannot act on a terminal ([`visible`](crate::visible)).
    pub fn new(en: String, zh: String) -> Self {
        Self { en: several_lines(en), zh: several_lines(zh) }
    }

    /// The text in `lang`.
    pub fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::Zh => &self.zh,
        }
    }
}

fn several_lines(text: String) -> String {
    match visible::several_lines(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(changed) => changed,
    }
}

/// Builds a [`Message`] from two format strings, English then Chinese, with inlined variables:
///
/// ```
/// let n = 3;
/// let message = vramlint_base::message!("{n} processes", "{n} 个进程");
/// assert_eq!(message.en, "3 processes");
/// ```
#[macro_export]
macro_rules! message {
    ($en:literal, $zh:literal $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::Message::new(format!($en $(, $name = $value)*), format!($zh $(, $name = $value)*))
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_quoted_text_cannot_act() {
        let key = "a\u{1b}[31m\u{202e}";
        let message = message!("unknown key `{key}`", "未知的键 `{key}`");
        assert_eq!(message.en, "unknown key `a␛[31m\u{fffd}`");
        assert!(!message.zh.contains('\u{1b}'), "{}", message.zh);
    }
}

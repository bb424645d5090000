//! Messages in two languages.

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
    /// The text in `lang`.
    pub fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::Zh => &self.zh,
        }
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
        $crate::Message { en: format!($en $(, $name = $value)*), zh: format!($zh $(, $name = $value)*) }
    };
}

//! How each language writes a value.

use vramlint_catalog::keys::KeyType;
use vramlint_syntax::yaml::scalar;

/// The language of the edited file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetSyntax {
    Yaml,
    Json,
    Python,
    Shell,
    Toml,
}

impl TargetSyntax {
    /// A value as it is written; `quoted` if the opening quote is already there.
    pub(super) fn value(self, kind: KeyType, value: &str, quoted: Option<char>) -> String {
        if quoted.is_some() {
            return value.to_owned();
        }
        let bare = kind != KeyType::Text && (is_word(value) || value.parse::<f64>().is_ok());
        match self {
            Self::Yaml if kind == KeyType::Text && is_retyped(value) => format!("'{value}'"),
            Self::Yaml | Self::Shell => value.to_owned(),
            Self::Python if bare => match value {
                "true" => "True".to_owned(),
                "false" => "False".to_owned(),
                "null" => "None".to_owned(),
                other => other.to_owned(),
            },
            Self::Json | Self::Toml if bare => value.to_owned(),
            Self::Json | Self::Python | Self::Toml => format!("\"{value}\""),
        }
    }
}

fn is_word(value: &str) -> bool {
    matches!(value, "true" | "false" | "null" | "True" | "False" | "None")
}

/// Whether YAML 1.1 parses a plain word as something other than a string (`NO`, `1e3`), or requires quotes.
fn is_retyped(value: &str) -> bool {
    let words = ["yes", "no", "on", "off", "true", "false", "null", "y", "n", "~", ""];
    let word = words.iter().any(|word| word.eq_ignore_ascii_case(value));
    let marked = value.starts_with(|c: char| "-?:,[]{}#&*!|>'\"%@`".contains(c)) || value.contains(": ") || value.contains(" #");
    word || marked || scalar::looks_like_number(value).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_its_own_quotes() {
        use TargetSyntax::{Json, Python, Shell, Toml, Yaml};
        assert_eq!(Yaml.value(KeyType::Text, "NO", None), "'NO'");
        assert_eq!(Yaml.value(KeyType::Text, "NO", Some('"')), "NO");
        assert_eq!(Yaml.value(KeyType::Text, "MULTI_GPU", None), "MULTI_GPU");
        assert_eq!(Yaml.value(KeyType::Bool, "true", None), "true");
        assert_eq!(Yaml.value(KeyType::Any, "auto", None), "auto");
        assert_eq!(Json.value(KeyType::Int, "auto", None), "\"auto\"");
        assert_eq!(Json.value(KeyType::Bool, "false", None), "false");
        assert_eq!(Python.value(KeyType::Bool, "false", None), "False");
        assert_eq!(Python.value(KeyType::Text, "cosine", None), "\"cosine\"");
        assert_eq!(Python.value(KeyType::Int, "4", None), "4");
        assert_eq!(Shell.value(KeyType::Text, "no", None), "no");
        assert_eq!(Toml.value(KeyType::Text, "H200", None), "\"H200\"");
    }
}

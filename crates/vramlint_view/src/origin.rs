//! The origin of a value in a few words, and the value on one line.

use crate::span::path_and_line;
use crate::table::cut;
use vramlint_base::{Lang, Value, message};
use vramlint_resolve::{Origin, Project};

/// Maximum columns of a value.
pub const VALUE: usize = 44;

/// Where it comes from: `train.yaml:5 batch_size`, `default of transformers 5.23.0`.
pub fn origin(project: &Project, origin: &Origin, lang: Lang) -> String {
    let say = |message: vramlint_base::Message| message.get(lang).to_owned();
    let at = origin.place().map(|place| path_and_line(project, place)).unwrap_or_default();
    match origin {
        Origin::File { key_path, .. } => format!("{at} {key_path}"),
        Origin::Flag { flag, .. } | Origin::Documented { flag, .. } => format!("{at} {flag}"),
        Origin::Env { name, .. } => format!("{at} ${name}"),
        Origin::Code { name, .. } => format!("{at} {name}"),
        Origin::OptionDefault { option, .. } => {
            let option = option.trim_start_matches('-');
            say(message!("{at} default of --{option}", "{at} --{option} 的默认值"))
        }
        Origin::Target { key, file } => {
            let file = file.as_deref().unwrap_or("vramlint.toml");
            format!("{file} [target] {key}")
        }
        Origin::User { source, place } => {
            if place.is_some() {
                format!("{at} {source}")
            } else {
                source.clone()
            }
        }
        Origin::Default { tool, source } => {
            let tool = named(tool, source);
            say(message!("default of {tool}", "{tool} 的默认值"))
        }
        Origin::Derived { formula, .. } => formula.get(lang).to_owned(),
        Origin::Assumed { why } => why.get(lang).to_owned(),
    }
}

/// A tool with its version, if the source starts with both: `accelerate 1.15.0 accelerate/…`. The JSON output has the full source.
fn named(tool: &str, source: &str) -> String {
    let version = source.strip_prefix(tool).and_then(|rest| rest.split_whitespace().next());
    let version = version.filter(|version| version.starts_with(|c: char| c.is_ascii_digit()));
    version.map_or_else(|| tool.to_owned(), |version| format!("{tool} {version}"))
}

/// A value on one line.
pub fn show(value: &Value) -> String {
    let text = match value {
        Value::Text(text) => text.clone(),
        Value::Bool(true) => "true".into(),
        Value::Bool(false) => "false".into(),
        Value::Null => "null".into(),
        other => other.to_string(),
    };
    cut(&text, VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_names_the_version_where_the_source_has_it() {
        assert_eq!(named("accelerate", "accelerate 1.15.0 accelerate/accelerator.py:546"), "accelerate 1.15.0");
        assert_eq!(named("TRL", "transformers 5.23.0 trainer.py"), "TRL");
        assert_eq!(named("torchrun", "torchrun"), "torchrun");
    }

    #[test]
    fn values_are_one_line_and_not_endless() {
        assert_eq!(show(&Value::Text("a\nb".into())), "a␊b");
        assert_eq!(show(&Value::Text("模".repeat(60))).chars().count(), 22);
    }
}

//! Models that the comments of a script offer for a variable that it never sets.

use super::Mapping;
use crate::models::Model;
use vramlint_base::message;
use vramlint_resolve::{Candidate, Origin};

impl Mapping<'_> {
    /// The models that a script names in comments of the form `# NAME=value`, if the model on its command is made of this variable alone,
    /// nothing sets the variable, and every one of them is known.
    pub(super) fn commented_models(&mut self, candidate: &Candidate) -> Option<Vec<Model>> {
        let Origin::Flag { place, .. } = &candidate.origin else { return None };
        let file = self.project.file(place.file);
        let script = file.script()?;
        let word = place.range.slice(&file.text).trim_matches('"');
        let (before, name, after) = split_at_variable(word)?;
        if script.assignments.iter().any(|assignment| assignment.name == name) {
            return None;
        }
        let offered = script.comments.iter().filter_map(|comment| comment.text.strip_prefix(name)?.strip_prefix('='));
        let mut values: Vec<&str> = offered.map(|value| value.trim().trim_matches(['"', '\''])).collect();
        values.sort_unstable();
        values.dedup();
        let is_plain = |value: &&str| !value.is_empty() && !value.contains(['$', ' ', '<', '`']);
        if values.is_empty() || !values.iter().all(is_plain) {
            return None;
        }
        let find = |value: &&str| self.models.find_or_infer(&format!("{before}{value}{after}"));
        let models: Vec<Model> = values.iter().map(find).collect::<Option<_>>()?;
        let list = values.join(", ");
        self.assume_unverified(message!(
            "the script sets {name} nowhere; its comments offer {list}",
            "脚本没有设置 {name}；其注释给出 {list}"
        ));
        Some(models)
    }
}

/// `./checkpoints/$NAME/final` as `./checkpoints/`, `NAME` and `/final`.
fn split_at_variable(word: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = word.split_once('$')?;
    let (name, after) = match rest.strip_prefix('{') {
        Some(inner) => inner.split_once('}')?,
        None => rest.split_at(rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())),
    };
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (is_name && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !after.contains('$'))
        .then_some((before, name, after))
}

#[cfg(test)]
mod tests {
    use super::split_at_variable;

    #[test]
    fn one_variable_in_a_word() {
        assert_eq!(split_at_variable("./checkpoints/$MODEL"), Some(("./checkpoints/", "MODEL", "")));
        assert_eq!(split_at_variable("${MODEL}-hf"), Some(("", "MODEL", "-hf")));
        for word in ["plain", "$A/$B", "$1", "${A:-b}", "$(date)"] {
            assert_eq!(split_at_variable(word), None, "{word}");
        }
    }
}

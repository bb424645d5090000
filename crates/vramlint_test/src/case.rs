//! One case: a small project and what is expected of it.

use similar::TextDiff;
use std::collections::BTreeMap;

/// One case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// The title of its file: the name of the rule, or of a way to launch.
    pub title: String,
    /// The name of the case, unique within the file.
    pub name: String,
    /// The files of the project, by relative path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The expected findings, one per line; empty if nothing may be found.
    pub findings: Vec<String>,
    /// What all fixes together change, as a unified diff; empty if nothing.
    pub fixes: String,
    /// The expected runs, as JSON; empty for a case of a rule.
    pub runs: String,
}

impl Case {
    /// `title/name`, for messages.
    pub fn id(&self) -> String {
        format!("{}/{}", self.title, self.name)
    }
}

/// The unified diff from `before` to `after`, over the files of `after`, in order of path.
pub fn diff(before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>) -> String {
    let mut text = String::new();
    for (path, new) in after {
        let old = before.get(path).map(|bytes| String::from_utf8_lossy(bytes)).unwrap_or_default();
        let new = String::from_utf8_lossy(new);
        let changes = TextDiff::from_lines(old.as_ref(), new.as_ref());
        text += &changes.unified_diff().context_radius(1).header(path, path).to_string();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_names_changed_and_new_files() {
        let files = |pairs: &[(&str, &str)]| -> BTreeMap<String, Vec<u8>> {
            pairs.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
        };
        let before = files(&[("a.yaml", "x: 1\ny: 2\n"), ("b.yaml", "z: 3\n")]);
        let after = files(&[("a.yaml", "x: 1\ny: 4\n"), ("c.toml", "n = 1\n")]);
        let expected =
            "--- a.yaml\n+++ a.yaml\n@@ -1,2 +1,2 @@\n x: 1\n-y: 2\n+y: 4\n--- c.toml\n+++ c.toml\n@@ -0,0 +1 @@\n+n = 1\n";
        assert_eq!(diff(&before, &after), expected);
    }
}

//! Unified diffs.

use super::FixedFile;
use similar::{Algorithm, TextDiff};
use vramlint_base::visible::acts_on_display;

/// Context lines around a change.
const CONTEXT: usize = 3;

/// Context lines in an environment file: its other lines may contain secrets, which must not appear in logs.
const ENV_FILE_CONTEXT: usize = 0;

/// A unified diff for `patch` and `git apply`; empty if nothing changed. Line endings are preserved, so lines of a CRLF file end
/// with `\r`.
pub fn unified_diff(file: &FixedFile) -> String {
    if file.before == file.after {
        return String::new();
    }
    // `similar` treats a lone `\r` as a line end, but `patch` does not, so lines are split here.
    let (before, after) = (lines(&file.before), lines(&file.after));
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_slices(&before, &after);
    let [old, new] = ["a/", "b/"].map(|side| quoted(&format!("{side}{}", file.shown)));
    let mut out = format!("--- {old}\n+++ {new}\n");
    let variables = file.path.extension().is_some_and(|extension| extension == "env") || file.path.ends_with(".env");
    let context = if variables { ENV_FILE_CONTEXT } else { CONTEXT };
    for hunk in diff.unified_diff().context_radius(context).iter_hunks() {
        out.extend([hunk.header().to_string().as_str(), "\n"]);
        for change in hunk.iter_changes() {
            let line = change.value();
            out.extend([change.tag().to_string().as_str(), line]);
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// A path as `git` and `patch` take it: with characters that act on a terminal, in quotes and as octal bytes.
fn quoted(path: &str) -> String {
    if !path.chars().any(acts_on_display) {
        return path.to_owned();
    }
    let mut out = String::from("\"");
    for c in path.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if acts_on_display(c) => out.extend(c.to_string().bytes().map(|byte| format!("\\{byte:03o}"))),
            c => out.push(c),
        }
    }
    out + "\""
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(before: &str, after: &str) -> String {
        let file = FixedFile {
            path: "/p/a.yaml".into(),
            shown: "a.yaml".into(),
            before: before.into(),
            after: after.into(),
            applied: vec![],
        };
        unified_diff(&file)
    }

    #[test]
    fn three_lines_of_context() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        assert_eq!(
            diff(before, &before.replace("5\n", "五\n")),
            "--- a/a.yaml\n+++ b/a.yaml\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+五\n 6\n 7\n 8\n"
        );
        assert_eq!(diff(before, before), "");
    }

    #[test]
    fn paths_are_quoted_as_git_quotes_them() {
        assert_eq!(quoted("a/b c.yaml"), "a/b c.yaml");
        assert_eq!(quoted("a/\u{1b}[31m\n\"\u{202e}.yaml"), "\"a/\\033[31m\\012\\\"\\342\\200\\256.yaml\"");
    }

    #[test]
    fn lines_beside_a_variable_are_not_shown() {
        let file = FixedFile {
            path: "/p/.env".into(),
            shown: ".env".into(),
            before: "TOKEN=a\nA=1\nKEY=b\n".into(),
            after: "TOKEN=a\nA=2\nKEY=b\n".into(),
            applied: vec![],
        };
        assert_eq!(unified_diff(&file), "--- a/.env\n+++ b/.env\n@@ -2 +2 @@\n-A=1\n+A=2\n");
    }

    #[test]
    fn line_endings_and_a_missing_last_one_are_shown() {
        assert_eq!(
            diff("a\r\nb", "a\r\nc"),
            "--- a/a.yaml\n+++ b/a.yaml\n@@ -1,2 +1,2 @@\n a\r\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"
        );
    }
}

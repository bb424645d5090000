//! A Markdown file of cases.
//!
//! `# title`, which is the name of the rule for cases of a rule, then one section `## name-of-the-case` per case. Fenced blocks of a section make up the case; everything
//! else is prose:
//!
//! - `file=PATH` behind the language: a file of the project. With `escaped`, `\xNN` is a byte, `\\` a backslash, and a `\` at the
//!   very end drops the last newline.
//! - `text findings`: the expected findings, one per line. A case without this block expects none.
//! - `diff fixes`: what all fixes together change. A case without this block expects no fix.
//! - `json runs`: the expected runs; `tests/runs.rs` describes the form.

use crate::Case;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const FINDINGS: &str = "text findings";
const FIXES: &str = "diff fixes";
const RUNS: &str = "json runs";

/// A parsed file of cases. It keeps prose and order, so that writing it back changes only what was updated.
#[derive(Clone, Debug)]
pub struct Document {
    /// Where it lies.
    pub path: PathBuf,
    title: String,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// Lines between blocks, with their newlines.
    Prose(String),
    /// The heading of a case.
    Heading(String),
    /// A fenced block: its info string and its text.
    Block { info: String, text: String },
}

impl Document {
    /// Reads a file of cases.
    ///
    /// # Panics
    ///
    /// If the file cannot be read or is malformed.
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self::parse(path, &text)
    }

    /// Parses a file of cases.
    ///
    /// # Panics
    ///
    /// If a fence is left open, or the title is missing.
    pub fn parse(path: &Path, text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut prose = String::new();
        let mut lines = text.split_inclusive('\n');
        while let Some(line) = lines.next() {
            let ticks = line.len() - line.trim_start_matches('`').len();
            let heading = line.strip_prefix("## ");
            if ticks < 3 && heading.is_none() {
                prose += line;
                continue;
            }
            if !prose.is_empty() {
                pieces.push(Piece::Prose(std::mem::take(&mut prose)));
            }
            if let Some(name) = heading {
                pieces.push(Piece::Heading(name.trim().to_owned()));
                continue;
            }
            let (fence, info) = line.split_at(ticks);
            let (mut body, mut closed) = (String::new(), false);
            for line in lines.by_ref() {
                closed = line.trim_end() == fence;
                if closed {
                    break;
                }
                body += line;
            }
            assert!(closed, "{}: the fence of `{}` is not closed", path.display(), info.trim());
            pieces.push(Piece::Block { info: info.trim().to_owned(), text: body });
        }
        if !prose.is_empty() {
            pieces.push(Piece::Prose(prose));
        }
        let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let title = title.unwrap_or_else(|| panic!("{}: the first line is not `# title`", path.display()));
        Self { path: path.to_path_buf(), title: title.trim().to_owned(), pieces }
    }

    /// Every case, in order.
    ///
    /// # Panics
    ///
    /// If a block belongs to no case or says nothing of what it is, or a name is used twice.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases: Vec<Case> = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Prose(_) => {}
                Piece::Heading(name) => {
                    assert!(cases.iter().all(|case| case.name != *name), "{}: two cases {name}", self.path.display());
                    cases.push(Case { title: self.title.clone(), name: name.clone(), ..Case::default() });
                }
                Piece::Block { info, text } => {
                    let case = cases.last_mut().unwrap_or_else(|| panic!("{}: `{info}` before any case", self.path.display()));
                    match info.as_str() {
                        FINDINGS => case.findings = text.lines().map(str::to_owned).collect(),
                        FIXES => case.fixes.clone_from(text),
                        RUNS => case.runs.clone_from(text),
                        _ => {
                            let (file, escaped) =
                                file_of(info).unwrap_or_else(|| panic!("{}: `{info}` names no file", case.id()));
                            let bytes = if escaped { unescape(text) } else { text.as_bytes().to_vec() };
                            let before = case.files.insert(file.to_owned(), bytes);
                            assert!(before.is_none(), "{}: two files {file}", case.id());
                        }
                    }
                }
            }
        }
        cases
    }

    /// Replaces the expectations of a case.
    pub fn expect(&mut self, case: &str, findings: &[String], fixes: &str) {
        let start = self.pieces.iter().position(|piece| *piece == Piece::Heading(case.to_owned()));
        let Some(start) = start else { return };
        let rest = &self.pieces[start + 1..];
        let end = start + 1 + rest.iter().position(|piece| matches!(piece, Piece::Heading(_))).unwrap_or(rest.len());
        let mut section: Vec<Piece> = self.pieces.splice(start + 1..end, []).collect();
        section.retain(|piece| !matches!(piece, Piece::Block { info, .. } if info == FINDINGS || info == FIXES));
        let mut add = |info: &str, text: String| {
            if !text.is_empty() {
                section.push(Piece::Block { info: info.to_owned(), text });
            }
        };
        add(FINDINGS, findings.iter().map(|line| format!("{line}\n")).collect());
        add(FIXES, fixes.to_owned());
        self.pieces.splice((start + 1)..=start, section);
    }

    /// Writes the file back.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    pub fn write(&self) {
        std::fs::write(&self.path, self.text()).unwrap_or_else(|error| panic!("{}: {error}", self.path.display()));
    }

    /// The file as Markdown: one empty line between pieces.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Prose(text) => {
                    let text = text.trim_matches('\n');
                    if !text.is_empty() {
                        writeln!(out, "{text}\n").expect("memory");
                    }
                }
                Piece::Heading(name) => writeln!(out, "## {name}\n").expect("memory"),
                Piece::Block { info, text } => {
                    let longest = text.lines().map(|line| line.len() - line.trim_start_matches('`').len()).max().unwrap_or(0);
                    let fence = "`".repeat(3.max(longest + 1));
                    writeln!(out, "{fence}{info}\n{text}{fence}\n").expect("memory");
                }
            }
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

/// The path in `LANGUAGE file=PATH [escaped]`, and whether the text is escaped.
fn file_of(info: &str) -> Option<(&str, bool)> {
    let mut words = info.split_whitespace();
    let file = words.by_ref().find_map(|word| word.strip_prefix("file="))?;
    Some((file, words.any(|word| word == "escaped")))
}

/// The bytes of an escaped text.
fn unescape(text: &str) -> Vec<u8> {
    let text = text.strip_suffix("\\\n").unwrap_or(text);
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = &rest[at + 1..];
        if let Some(hex) = escape.strip_prefix('x').and_then(|hex| hex.get(..2)) {
            bytes.push(u8::from_str_radix(hex, 16).unwrap_or_else(|error| panic!("\\x{hex}: {error}")));
            rest = &escape[3..];
        } else {
            bytes.push(b'\\');
            rest = escape.strip_prefix('\\').unwrap_or(escape);
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# some-rule

Prose stays.

## fires

```yaml file=a.yaml
x: 1
```

````markdown file=docs/b.md
```bash
run
```
````

```text findings
a.yaml:1:4 error some-rule x is 1
```

```diff fixes
--- a.yaml
```

## silent

```text file=c.txt escaped
\\xff\\\\n\\
```
";

    #[test]
    fn blocks_become_files_and_expectations() {
        let cases = Document::parse(Path::new("some-rule.md"), TEXT).cases();
        assert_eq!(cases.len(), 2);
        assert_eq!(cases[0].id(), "some-rule/fires");
        assert_eq!(cases[0].files["a.yaml"], b"x: 1\n");
        assert_eq!(cases[0].files["docs/b.md"], b"```bash\nrun\n```\n");
        assert_eq!(cases[0].findings, ["a.yaml:1:4 error some-rule x is 1"]);
        assert_eq!(cases[0].fixes, "--- a.yaml\n");
        assert_eq!(cases[1].files["c.txt"], b"\xff\\n");
        assert!(cases[1].findings.is_empty() && cases[1].fixes.is_empty());
    }

    #[test]
    fn writing_changes_only_what_was_updated() {
        let mut document = Document::parse(Path::new("some-rule.md"), TEXT);
        assert_eq!(document.text(), TEXT);
        document.expect("fires", &["a.yaml:1:4 warning some-rule x is 1".to_owned()], "--- a.yaml\n");
        assert_eq!(document.text(), TEXT.replace("error", "warning"));
        document.expect("fires", &[], "");
        assert!(!document.text().contains("findings") && document.text().contains("Prose stays."));
    }
}

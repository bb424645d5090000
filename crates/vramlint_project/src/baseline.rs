//! Baselines: lists of known findings, so that only new ones are reported.
//!
//! A finding is identified by its rule, its file and the text of its lines, with whitespace normalized. The line number is not
//! part of the key, so a finding that moves stays known. If the same text occurs several times, as many findings are known as
//! the baseline counts. If the text changes, the finding is new: the author of the edit should look at it.

use crate::discovery::paths::{absolute, relative};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vramlint_base::{Finding, TextRange};
use vramlint_resolve::Project;

/// Version of the format.
const VERSION: u32 = 1;
/// Maximum number of characters of a text in a key.
const MAX_TEXT_LENGTH: usize = 200;

/// Identifies a finding across edits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Key {
    path: String,
    code: String,
    text: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    key: Key,
    /// For readers only; the code identifies the rule.
    name: String,
    count: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct BaselineFile {
    version: u32,
    findings: Vec<Entry>,
}

/// Known findings.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// The folder of the baseline file, which its paths are relative to.
    folder: PathBuf,
    counts: BTreeMap<Key, usize>,
}

/// How the findings compare to a baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BaselineStats {
    /// Number of findings that the baseline lists.
    pub known: usize,
    /// Number of listed findings that no longer occur.
    pub gone: usize,
}

impl Baseline {
    /// Parses a baseline whose file is in `folder` (absolute).
    pub fn read(text: &str, folder: &Path) -> Result<Self, String> {
        let format: BaselineFile =
            serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| error.to_string())?;
        if format.version != VERSION {
            return Err(format!("version {} is not {VERSION}", format.version));
        }
        let mut counts = BTreeMap::new();
        for entry in format.findings {
            *counts.entry(entry.key).or_default() += entry.count;
        }
        Ok(Self { folder: folder.to_path_buf(), counts })
    }

    /// The text of a baseline with these findings, for a file in `folder` (absolute).
    ///
    /// # Panics
    /// Never: strings and numbers always serialize.
    pub fn write(project: &Project, cwd: &Path, findings: &[Finding], folder: &Path) -> String {
        let mut counts: BTreeMap<(Key, &str), usize> = BTreeMap::new();
        for finding in findings {
            *counts.entry((key(project, cwd, folder, finding), finding.name)).or_default() += 1;
        }
        let entry = |((key, name), count): ((Key, &str), usize)| Entry { key, name: name.to_owned(), count };
        let format = BaselineFile { version: VERSION, findings: counts.into_iter().map(entry).collect() };
        let mut text = serde_json::to_string_pretty(&format).expect("strings and numbers serialize");
        text.push('\n');
        text
    }

    /// Removes the known findings.
    pub(crate) fn remove_known(&self, project: &Project, cwd: &Path, findings: &mut Vec<Finding>) -> BaselineStats {
        let mut left = self.counts.clone();
        let before = findings.len();
        findings.retain(|finding| match left.get_mut(&key(project, cwd, &self.folder, finding)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        // Listed findings in files that were not checked are not gone.
        let reported: Vec<String> = project
            .files
            .iter()
            .filter(|file| file.reported && file.host.is_none())
            .map(|file| relative(&absolute(cwd, Path::new(&file.path)), &self.folder))
            .collect();
        let gone = left.iter().filter(|(key, _)| reported.contains(&key.path)).map(|(_, count)| count).sum();
        BaselineStats { known: before - findings.len(), gone }
    }
}

fn key(project: &Project, cwd: &Path, folder: &Path, finding: &Finding) -> Key {
    let place = project.to_host(finding.place);
    let file = project.file(place.file);
    let path = relative(&absolute(cwd, Path::new(&file.path)), folder);
    Key { path, code: finding.code.to_owned(), text: normalize_whitespace(lines_of(&file.text, place.range)) }
}

/// The lines of a range; empty for a finding about the whole file.
fn lines_of(text: &str, range: TextRange) -> &str {
    if range.is_empty() && range.start == 0 {
        return "";
    }
    let (start, end) = (range.start as usize, (range.end as usize).min(text.len()));
    let from = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let to = text.get(end..).and_then(|after| after.find('\n')).map_or(text.len(), |at| end + at);
    text.get(from..to).unwrap_or("")
}

fn normalize_whitespace(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(MAX_TEXT_LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Request;
    use crate::testing::{Folder, check, lines};
    use std::sync::Arc;

    fn baseline_of(folder: &Folder, request: &Request) -> Baseline {
        let report = check(request).expect("no error");
        let text = Baseline::write(&report.project, folder.path(), &report.findings, folder.path());
        Baseline::read(&text, folder.path()).expect("what is written is read")
    }

    #[test]
    fn what_moves_stays_known_and_what_changes_is_new() {
        let folder = Folder::new(&[("a.yaml", "x: BAD\ny: BAD\n"), ("b.yaml", "z: UGLY\n")]);
        let baseline = Arc::new(baseline_of(&folder, &folder.request(&[])));
        let with = |folder: &Folder| Request { baseline: Some(Arc::clone(&baseline)), ..folder.request(&[]) };
        let report = check(&with(&folder)).expect("no error");
        assert_eq!((lines(&report), report.baseline), (vec![], Some(BaselineStats { known: 3, gone: 0 })));
        // Lines move; whitespace and line ends change.
        folder.write("a.yaml", "# new\r\n\r\nx:   BAD\r\n  y: BAD\r\n");
        assert!(lines(&check(&with(&folder)).expect("no error")).is_empty());
        // One more of the same text, and a changed one.
        folder.write("a.yaml", "x: BAD\nx: BAD\ny: BAD !\n");
        folder.write("b.yaml", "");
        let report = check(&with(&folder)).expect("no error");
        assert_eq!(lines(&report), ["a.yaml:2:4 bad-word a bad word", "a.yaml:3:4 bad-word a bad word"]);
        assert_eq!(report.baseline, Some(BaselineStats { known: 1, gone: 2 }));
        // From another folder, with one file only.
        let request = Request { cwd: folder.path().join("sub"), paths: vec!["../a.yaml".into()], ..with(&folder) };
        assert_eq!(check(&request).expect("no error").baseline, Some(BaselineStats { known: 1, gone: 1 }));
    }

    #[test]
    fn a_broken_baseline_is_an_error() {
        let at = Path::new("/x");
        for text in ["", "{}", "{\"version\": 2, \"findings\": []}", "[]"] {
            assert!(Baseline::read(text, at).is_err(), "{text}");
        }
    }
}

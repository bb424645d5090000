//! Fixing: what the project layer does with fixes, as the commands need it.

use crate::exit::fault;
use std::collections::HashSet;
use vramlint_base::{Lang, message};
use vramlint_project::fix::{Applied, FixedFile, fix_until_stable, unified_diff, write};
use vramlint_project::{Report, Request};

/// What fixing did, in memory.
pub(crate) struct Fixed {
    /// The report on what remains.
    pub(crate) report: Report,
    /// Fixes that were applied.
    pub(crate) count: usize,
    files: Vec<FixedFile>,
    failed: Vec<Applied>,
}

/// Applies every fix that may be applied, in memory.
pub(crate) fn fix(request: &Request, unsafe_ok: bool, progress: &(dyn Fn(usize, usize) + Sync)) -> anyhow::Result<Fixed> {
    let outcome = fix_until_stable(request, unsafe_ok, progress)?;
    Ok(Fixed { count: count(&outcome.files), report: outcome.report, files: outcome.files, failed: outcome.failed })
}

/// A fix over several files is in the list of each; it counts in the file of its finding.
fn count(files: &[FixedFile]) -> usize {
    let shown: HashSet<&str> = files.iter().map(|file| file.shown.as_str()).collect();
    let at_home = |file: &FixedFile| file.applied.iter().filter(|applied| applied.path == file.shown).count();
    let elsewhere: HashSet<&Applied> =
        files.iter().flat_map(|file| &file.applied).filter(|applied| !shown.contains(applied.path.as_str())).collect();
    files.iter().map(at_home).sum::<usize>() + elsewhere.len()
}

impl Fixed {
    /// Writes the changed files. All are tried; the message names those that could not be written.
    pub(crate) fn write(&self) -> anyhow::Result<()> {
        let failed: Vec<String> =
            self.files.iter().filter_map(|file| write(file).err().map(|error| format!("{}: {error}", file.shown))).collect();
        if failed.is_empty() {
            return Ok(());
        }
        let failed = failed.join("; ");
        Err(fault(message!("cannot write fixes: {failed}", "无法写入修复：{failed}")))
    }

    /// The text of standard input after fixing.
    pub(crate) fn stdin(&self, request: &Request) -> Option<Vec<u8>> {
        let (name, before) = request.stdin.as_ref()?;
        let path = request.cwd.join(name);
        let changed = self.files.iter().find(|file| file.path == path || file.shown == name.to_string_lossy());
        Some(changed.map_or_else(|| before.clone(), |file| file.after.clone().into_bytes()))
    }

    /// The changes as unified diffs.
    pub(crate) fn diff(&self) -> String {
        self.files.iter().map(unified_diff).collect()
    }

    /// Fixes that did harm or nothing and were taken back: bugs of vramlint, one line each.
    pub(crate) fn complaints(&self, lang: Lang) -> Vec<String> {
        let complain = |applied: &Applied| {
            let Applied { code, path, title, .. } = applied;
            let (en, zh) = (&title.en, &title.zh);
            message!(
                "warning: {path}: the fix of {code} ({en}) broke the file or left its finding, so it was not applied; this is a bug in vramlint, please report it",
                "警告：{path}：{code} 的修复（{zh}）会破坏文件或没有消除问题，因此未应用；这是 vramlint 的缺陷，请报告"
            )
        };
        self.failed.iter().map(|applied| complain(applied).get(lang).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(path: &str) -> Applied {
        Applied { code: "VL000", name: "x", message: message!("m", "m"), title: message!("t", "t"), path: path.to_owned() }
    }

    fn file(shown: &str, applied: Vec<Applied>) -> FixedFile {
        FixedFile { path: shown.into(), shown: shown.to_owned(), before: String::new(), after: String::new(), applied }
    }

    #[test]
    fn a_fix_over_two_files_counts_once() {
        let both = [file("a", vec![applied("a"), applied("a")]), file("b", vec![applied("a"), applied("b")])];
        assert_eq!(count(&both), 3);
        assert_eq!(count(&[file("b", vec![applied("a")]), file("c", vec![applied("a")])]), 1);
    }
}

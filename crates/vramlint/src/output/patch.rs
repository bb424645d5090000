//! A fix as a few lines: what goes and what comes.

use super::excerpt::harmless;
use vramlint_base::{Edit, FileId, Fix, TextRange};
use vramlint_resolve::{Project, SourceFile};

/// Lines of one change that are shown at most.
const LONGEST: usize = 12;
/// Characters of a line that are shown at most.
const WIDEST: usize = 120;

/// A change of lines that follow each other.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) file: FileId,
    /// The first line that changes, from 1.
    pub(super) line: u32,
    /// Lines that go (`-`) and lines that come (`+`).
    pub(super) lines: Vec<(char, String)>,
    /// Lines that are not shown.
    pub(super) more: usize,
}

/// The changes of a fix in the order of its files.
pub(super) fn changes(project: &Project, fix: &Fix) -> Vec<Change> {
    let mut edits: Vec<(FileId, TextRange, &str)> = fix
        .edits
        .iter()
        .map(|Edit { place, text }| {
            let place = project.to_host(*place);
            (place.file, place.range, text.as_str())
        })
        .collect();
    let order: Vec<FileId> = edits.iter().map(|(file, ..)| *file).collect();
    edits.sort_by_key(|(file, range, _)| (order.iter().position(|known| known == file), range.start, range.end));
    let mut groups: Vec<(FileId, Vec<(TextRange, &str)>)> = Vec::new();
    for (id, range, text) in edits {
        let lines = &project.file(id).lines;
        match groups.last_mut() {
            Some((file, group))
                if *file == id
                    && group.last().is_some_and(|(last, _)| lines.line_of(range.start) <= lines.line_of(last.end) + 1) =>
            {
                group.push((range, text));
            }
            _ => groups.push((id, vec![(range, text)])),
        }
    }
    groups.iter().filter_map(|(id, group)| change(project.file(*id), group)).collect()
}

/// The change that edits of neighbouring lines make; `None` where the text stays the same or the edits do not fit it.
fn change(file: &SourceFile, edits: &[(TextRange, &str)]) -> Option<Change> {
    let ((first, _), (last, _)) = (edits.first()?, edits.last()?);
    let (from, to) = (file.lines.line_of(first.start), file.lines.line_of(last.end));
    let start = file.lines.line_start(from);
    let whole = TextRange::new(start, file.lines.line_start(to + 1));
    let before = file.text.get(whole.as_usize())?;
    let mut after = before.to_owned();
    for (range, text) in edits.iter().rev() {
        let range = range.start.checked_sub(start)? as usize..range.end.checked_sub(start)? as usize;
        after.get(range.clone())?;
        after.replace_range(range, text);
    }
    let (old, new) = (lines(before), lines(&after));
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let all = old.len() + new.len();
    // Both sides are shown, even if one of them is long.
    let (keep_old, keep_new) = match (old.len(), new.len()) {
        (o, n) if o + n <= LONGEST => (o, n),
        (o, n) if n <= LONGEST / 2 => (o.min(LONGEST - n), n),
        (o, n) => (o.min(LONGEST / 2), n.min(LONGEST - o.min(LONGEST / 2))),
    };
    let shown =
        |sign: char, lines: &[&str], keep: usize| lines.iter().take(keep).map(|line| (sign, cut(line))).collect::<Vec<_>>();
    let lines = [shown('-', old, keep_old), shown('+', new, keep_new)].concat();
    let more = all - lines.len();
    (all > 0).then_some(Change { file: file.id, line: from + 1 + head as u32, lines, more })
}

/// Lines without their ends.
fn lines(text: &str) -> Vec<&str> {
    text.lines().flat_map(|line| line.split('\r')).collect()
}

fn cut(line: &str) -> String {
    let mut chars = line.chars().map(harmless);
    let mut shown: String = chars.by_ref().take(WIDEST).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fixture, place};
    use vramlint_base::{Applicability, Place, message};

    /// The changes when `edits` (file, what is replaced, by what) are made.
    fn of(files: &[(&str, &str)], edits: &[(u32, &str, &str)]) -> Vec<String> {
        let report = Fixture::new(files).report();
        let project = &report.project;
        let edits =
            edits.iter().map(|(file, old, new)| Edit { place: place(project, *file, old), text: (*new).to_owned() }).collect();
        let fix = Fix { title: message!("t", "t"), applicability: Applicability::Safe, edits };
        let show = |change: Change| {
            let lines: Vec<String> = change.lines.iter().map(|(sign, line)| format!("{sign}{line}")).collect();
            format!("{}:{} {} +{}", project.file(change.file).path, change.line, lines.join(" "), change.more)
        };
        changes(project, &fix).into_iter().map(show).collect()
    }

    #[test]
    fn a_value_is_replaced() {
        assert_eq!(of(&[("a", "x: 1\r\n批: NO\r\ny: 2\r\n")], &[(0, "NO", "'NO'")]), ["a:2 -批: NO +批: 'NO' +0"]);
    }

    #[test]
    fn whole_lines_go_and_come() {
        let text = "a: 1\nb: 2\nc: 3\n";
        assert_eq!(of(&[("f", text)], &[(0, "b: 2\n", "")]), ["f:2 -b: 2 +0"]);
        assert_eq!(of(&[("f", text)], &[(0, "", "z: 0\n")]), ["f:1 +z: 0 +0"]);
        assert_eq!(of(&[("f", text)], &[(0, "2", "2")]), Vec::<String>::new());
    }

    #[test]
    fn neighbours_are_joined_and_files_keep_their_order() {
        let files = [("a", "1\n2\n3\n4\n5\n"), ("b", "x\n")];
        let edits = [(1, "x", "y"), (0, "5", "五"), (0, "1", "一"), (0, "2", "二")];
        assert_eq!(of(&files, &edits), ["b:1 -x +y +0", "a:1 -1 -2 +一 +二 +0", "a:5 -5 +五 +0"]);
    }

    #[test]
    fn long_changes_are_cut() {
        let text: String = (0..40).fold(String::new(), |text, n| text + &n.to_string() + "\n");
        let change = of(&[("a", &text)], &[(0, &text, "new\n")]);
        assert!(change[0].starts_with("a:1 -0 -1 ") && change[0].ends_with("-10 +new +29"), "{change:?}");
    }

    #[test]
    fn edits_that_do_not_fit_are_left_out() {
        let report = Fixture::new(&[("a", "批")]).report();
        let place = Place::new(FileId(0), TextRange::new(1, 2));
        let edits = vec![Edit { place, text: "x".to_owned() }];
        let fix = Fix { title: message!("t", "t"), applicability: Applicability::Safe, edits };
        assert_eq!(changes(&report.project, &fix), []);
    }
}

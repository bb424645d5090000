//! Maps edits of embedded texts to the host file, if that is unambiguous.

use vramlint_base::{Edit, FileRange, Fix, TextRange};
use vramlint_resolve::Project;

/// The fix with all edits mapped to host files; `None` if an edit cannot be mapped reliably.
pub(crate) fn fix_in_host(project: &Project, fix: &Fix) -> Option<Fix> {
    let edits = fix.edits.iter().map(|edit| edit_in_host(project, edit)).collect::<Option<Vec<_>>>()?;
    Some(Fix { edits, ..fix.clone() })
}

fn edit_in_host(project: &Project, edit: &Edit) -> Option<Edit> {
    let file = project.files.get(edit.place.file.0 as usize)?;
    let range = edit.place.range;
    let replaced = file.text.get(range.as_usize())?;
    let Some((host_id, embedded)) = &file.host else { return Some(edit.clone()) };
    let host = project.file(*host_id);
    let to_host = |offset: u32| embedded.to_host(TextRange::at(offset)).start;
    let start = to_host(range.start);
    let at = TextRange::new(start, start + range.len());
    // The lines of an embedded text may be separated by indentation in the host, so there may be no single range.
    if host.text.get(at.as_usize()) != Some(replaced) {
        return None;
    }
    let text = indent(&edit.text, project, edit.place)?;
    Some(Edit { place: FileRange::new(*host_id, at), text })
}

/// The text to insert into the host: every new line gets the indentation of the host. `None` if the host prefixes the lines with
/// something else, such as `>` in a quotation.
fn indent(text: &str, project: &Project, place: FileRange) -> Option<String> {
    let file = project.file(place.file);
    let (host_id, embedded) = file.host.as_ref()?;
    if !text.contains('\n') {
        return Some(text.to_owned());
    }
    let host = project.file(*host_id);
    let line = file.lines().line_of(place.range.start);
    let start = file.lines().line_start(line);
    let before = |offset: u32| {
        let at = embedded.to_host(TextRange::at(offset)).start;
        let prefix = host.text.get(host.lines().line_start(host.lines().line_of(at)) as usize..at as usize)?;
        prefix.chars().all(|c| c == ' ' || c == '\t').then_some(prefix)
    };
    // For a new line at the end, the host has no line to take the indentation from; use the previous line.
    let is_new = start as usize == file.text.len() && line > 0;
    let prefix = before(if is_new { file.lines().line_start(line - 1) } else { start })?;
    if !is_new {
        return Some(text.replace('\n', &format!("\n{prefix}")));
    }
    let lines = text.split_inclusive('\n').map(|line| format!("{prefix}{line}"));
    before(start)?.is_empty().then(|| lines.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::embedded_project;
    use vramlint_base::{Applicability, FileId, message};

    fn apply(host: &str, range: std::ops::Range<usize>, text: &str) -> Option<String> {
        let project = embedded_project(host);
        let edit = Edit { place: FileRange::new(FileId(1), TextRange::of(range)), text: text.to_owned() };
        let fix = Fix { title: message!("x", "x"), applicability: Applicability::Safe, edits: vec![edit] };
        let fix = fix_in_host(&project, &fix)?;
        let edit = &fix.edits[0];
        assert_eq!(edit.place.file, FileId(0));
        let mut out = host.to_owned();
        out.replace_range(edit.place.range.as_usize(), &edit.text);
        Some(out)
    }

    #[test]
    fn edits_of_one_line_are_carried_and_others_only_where_sure() {
        // The embedded text is `a: 1\nb: 2\n`; in the host it is indented by two spaces.
        let host = "说明\n```yaml\n  a: 1\n  b: 2\n```\n";
        assert_eq!(apply(host, 3..4, "9").as_deref(), Some("说明\n```yaml\n  a: 9\n  b: 2\n```\n"));
        assert_eq!(apply(host, 5..6, "c").as_deref(), Some("说明\n```yaml\n  a: 1\n  c: 2\n```\n"));
        assert_eq!(apply(host, 5..5, "x: 0\n").as_deref(), Some("说明\n```yaml\n  a: 1\n  x: 0\n  b: 2\n```\n"));
        assert_eq!(apply(host, 3..6, "9"), None);
        assert_eq!(apply(host, 10..10, "x: 0\n").as_deref(), Some("说明\n```yaml\n  a: 1\n  b: 2\n  x: 0\n```\n"));
        assert_eq!(apply(host, 9..9, "\nx: 0").as_deref(), Some("说明\n```yaml\n  a: 1\n  b: 2\n  x: 0\n```\n"));
        assert_eq!(apply(host, 3..99, ""), None);
    }
}

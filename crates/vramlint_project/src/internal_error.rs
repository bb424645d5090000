//! `internal-error`: reports a panic in vramlint as a finding, so that the rest of the report is kept.

use vramlint_base::{FileRange, Finding, Message, TextRange, message};
use vramlint_resolve::Project;
use vramlint_rules::engine::INTERNAL_ERROR;

/// Maximum number of characters of a panic message that are shown.
const MAX_PANIC_LENGTH: usize = 200;

/// A finding with the failure `what` and the panic message `panic`.
pub(crate) fn at(place: FileRange, what: &Message, panic: &str) -> Finding {
    let panic: String = panic.replace(char::is_control, " ").chars().take(MAX_PANIC_LENGTH).collect();
    let (en, zh) = (&what.en, &what.zh);
    let help = message!(
        "this is a bug in vramlint; please report it with the smallest file that reproduces it. Other findings are not affected",
        "这是 vramlint 的缺陷；请附上能重现问题的最小文件提交报告；其他问题的报告不受影响"
    );
    Finding { help: Some(help), ..INTERNAL_ERROR.finding(place, message!("{en}: {panic}", "{zh}：{panic}")) }
}

/// The same finding at the start of the first reported file; `None` if no file is reported.
pub(crate) fn in_project(project: &Project, what: &Message, panic: &str) -> Option<Finding> {
    let first = project.files.iter().find(|file| file.reported && file.host.is_none())?;
    Some(at(FileRange::new(first.id, TextRange::at(0)), what, panic))
}

//! How sure a rule may be when what it finds depends on the version of a library.

use crate::Context;
use vramlint_base::{FileId, Severity};
use vramlint_resolve::versions::{Holds, Span};

/// The severity of something that holds for a span of versions: the rule's own where every version that may be installed is in
/// it, advice where only some are (the message then names the version), `None` where none is.
pub(crate) fn severity(cx: &Context<'_>, file: FileId, span: &Span, certain: Severity) -> Option<Severity> {
    match cx.project.holds(file, span) {
        Holds::Always => Some(certain),
        Holds::Sometimes => Some(Severity::Info),
        Holds::Never => None,
    }
}

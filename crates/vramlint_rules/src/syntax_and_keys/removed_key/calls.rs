//! Keywords that newer releases of trainers and other classes no longer take.

use crate::argument_findings::ReportedFindings;
use crate::syntax_and_keys::removed_key::RULE;
use crate::syntax_and_keys::removed_key::arguments::SUCCESSORS;
use crate::{Context, Sink};
use vramlint_base::{Applicability, FileRange, Fix, Severity, TextRange, message};
use vramlint_catalog::classes;
use vramlint_edit as edit;
use vramlint_semantic::calls;
use vramlint_semantic::class_fields::{self, FieldStatus};

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        let Some(class) = class_fields::class_of_call(cx.project, call) else { continue };
        for argument in call.arguments.iter().filter(|argument| !calls::settled_by_code(call, argument)) {
            let Some(name) = argument.name.as_deref() else { continue };
            let standing = class_fields::status(cx.project, call.file, &[class], name);
            let FieldStatus::Removed { certain, library, until, instead } = standing else { continue };
            let start = argument.place.range.start;
            let place = if argument.is_explicit {
                FileRange::new(argument.place.file, TextRange::new(start, start + name.len() as u32))
            } else {
                // Of one that a dict brings in, only the value has a place, which may lie anywhere.
                call.callee
            };
            if !reported.insert(place, name) {
                continue;
            }
            let severity = if certain { calls::cap_severity(cx.project, call, RULE.severity) } else { Severity::Info };
            let callee = call.name();
            let message = message!(
                "{library} {until} and later reject `{name}` in {callee}",
                "{library} {until} 及之后拒绝 {callee} 中的 `{name}`"
            );
            let mut found = RULE.finding(place, message).with_severity(severity);
            if !argument.is_explicit {
                found = found.with_related(argument.place, message!("its value", "其值在此"));
            }
            let plain = SUCCESSORS.iter().find(|(old, _, plain)| *old == name && *plain).map(|(_, new, _)| *new);
            let successor = instead
                .or(plain)
                .filter(|new| class.field(new).is_some_and(classes::Field::is_current) && call.argument(new, None).is_none());
            let config = callee.strip_suffix("Trainer").filter(|_| library == "trl").map(|stem| format!("{stem}Config"));
            let moved = config.filter(|config| {
                classes::find(&format!("trl.{config}"))
                    .is_some_and(|class| class.fields().any(|field| field.name == name && field.is_current()))
            });
            found = match (successor, moved) {
                (Some(new), _) => found.with_help(message!("use `{new}`", "改用 `{new}`")),
                (None, Some(config)) => found.with_help(message!("set it in {config} instead", "改在 {config} 中设置")),
                (None, None) => found.with_help(message!("remove it", "删除它")),
            };
            if let Some(new) = successor.filter(|_| argument.is_explicit && argument.place.file == call.file) {
                let applicability = if certain { Applicability::Safe } else { Applicability::Unsafe };
                let title = message!("rename it to `{new}`", "改名为 `{new}`");
                found = found.with_fix(Fix { title, applicability, edits: vec![edit::replace(place, new)] });
            }
            out.push(found);
        }
    }
}

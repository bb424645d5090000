//! Keywords that no release of a class or trainer takes.

use crate::argument_findings::ReportedFindings;
use crate::syntax_and_keys::unknown_key::RULE;
use crate::{Context, Sink};
use vramlint_base::{Applicability, FileRange, Fix, TextRange, message};
use vramlint_catalog::classes::Class;
use vramlint_catalog::keys;
use vramlint_edit as edit;
use vramlint_resolve::code::{CallArgument, LibraryCall};
use vramlint_semantic::calls;
use vramlint_semantic::class_fields::{self, FieldStatus};

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        let Some(class) = class_fields::class_of_call(cx.project, call) else { continue };
        for argument in call.arguments.iter().filter(|argument| !calls::settled_by_code(call, argument)) {
            let Some(name) = argument.name.as_deref().filter(|name| !name.is_empty()) else { continue };
            let standing = class_fields::status(cx.project, call.file, &[class], name);
            let place = keyword(call, argument, name);
            let message = match standing {
                FieldStatus::Unknown => {
                    message!(
                        "{callee} has no parameter `{name}`: the call raises an error",
                        "{callee} 没有参数 `{name}`：该调用会报错",
                        callee = call.name()
                    )
                }
                FieldStatus::NotYet { library, since } => message!(
                    "`{name}` needs {library} {since}, but the project uses an older version, which rejects it",
                    "`{name}` 需要 {library} {since}，但项目使用的旧版本会拒绝它"
                ),
                _ => continue,
            };
            if !reported.insert(place, name) {
                continue;
            }
            let mut found = RULE.finding(place, message).with_severity(calls::cap_severity(cx.project, call, RULE.severity));
            if !argument.is_explicit {
                found = found.with_related(argument.place, message!("its value", "其值在此"));
            }
            let near = nearest(class, call, name).filter(|_| matches!(standing, FieldStatus::Unknown));
            found = match (near, standing) {
                (Some(near), _) => found.with_help(message!("did you mean `{near}`?", "是否想写 `{near}`？")),
                (None, FieldStatus::NotYet { library, .. }) => {
                    found.with_help(message!("upgrade {library}, or remove it", "升级 {library}，或删除它"))
                }
                (None, _) => found.with_help(message!("remove it", "删除它")),
            };
            if let Some(near) = near.filter(|_| argument.is_explicit && argument.place.file == call.file) {
                found = found.with_fix(Fix {
                    title: message!("rename it to `{near}`", "改名为 `{near}`"),
                    applicability: Applicability::Unsafe,
                    edits: vec![edit::replace(place, near)],
                });
            }
            out.push(found);
        }
    }
}

/// The name in `name=value`; of one that a dict brings in, the call.
fn keyword(call: &LibraryCall, argument: &CallArgument, name: &str) -> FileRange {
    // Of one that a dict brings in, only the value has a place, which may lie anywhere.
    if !argument.is_explicit {
        return call.callee;
    }
    let start = argument.place.range.start;
    FileRange::new(argument.place.file, TextRange::new(start, start + name.len() as u32))
}

/// What was meant: a word for it that others use, or a name that is spelled nearly so.
fn nearest(class: &'static Class, call: &LibraryCall, name: &str) -> Option<&'static str> {
    /// Words that other libraries and papers have for it.
    const MEANT: &[(&str, &str)] = &[
        ("rank", "r"),
        ("lora_r", "r"),
        ("lora_rank", "r"),
        ("alpha", "lora_alpha"),
        ("dropout", "lora_dropout"),
        ("lora_target_modules", "target_modules"),
        ("workers", "num_workers"),
        ("dataset", "train_dataset"),
        ("training_args", "args"),
        ("tokenizer", "processing_class"),
    ];
    let current = || class.fields().filter(|field| field.is_current()).map(|field| field.name.as_str());
    let meant = MEANT.iter().find(|(word, _)| *word == name).and_then(|(_, meant)| current().find(|known| known == meant));
    meant.or_else(|| keys::nearest(name, current())).filter(|near| call.argument(near, None).is_none())
}

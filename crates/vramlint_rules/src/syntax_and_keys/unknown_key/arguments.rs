//! Names that no release of an argument class takes.

use crate::argument_findings::{ReportedFindings, finding};
use crate::syntax_and_keys::removed_key::arguments::settled;
use crate::syntax_and_keys::unknown_key::RULE;
use crate::{Context, Sink};
use std::collections::HashSet;
use vramlint_base::{Applicability, Fix, message};
use vramlint_catalog::classes::Class;
use vramlint_catalog::keys;
use vramlint_resolve::arguments::{ArgumentEntry, ArgumentReader, ArgumentSet, PassedBy};
use vramlint_semantic::arguments::rename;
use vramlint_semantic::class_fields::{self, FieldStatus, short};

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in cx.project.arguments() {
        // What a class of the project adds to a library's is not seen in the call.
        let derived =
            set.library_call().is_some_and(|call| call.is_subclass || vramlint_semantic::calls::looks_version_dependent(call));
        let all_seen = set.reader == ArgumentReader::Call || !set.open;
        let reader = matches!(set.reader, ArgumentReader::Call | ArgumentReader::File | ArgumentReader::Parser);
        let Some(classes) = class_fields::tables(&set.classes).filter(|_| reader && set.strict && all_seen && !derived) else {
            continue;
        };
        let names: HashSet<&str> = set.arguments.iter().map(|given| given.key.as_str()).collect();
        for given in set.arguments.iter().filter(|given| !settled(set, given) && !set.other_names.contains(&given.key)) {
            if given.key.contains(['{', '$', '.', '<'])
                || given.key == "help"
                || given.by == PassedBy::Flag && given.key.starts_with("no_")
            {
                continue;
            }
            match class_fields::status(cx.project, set.file(), &classes, &given.key) {
                FieldStatus::Unknown => {}
                FieldStatus::NotYet { library, since } => {
                    if reported.insert(given.key_place, "") {
                        let name = &given.key;
                        let message = message!(
                            "`{name}` needs {library} {since}, but the project uses an older version, which rejects it",
                            "`{name}` 需要 {library} {since}，但项目使用的旧版本会拒绝它"
                        );
                        out.push(
                            finding(cx, set, &RULE, given.key_place, message)
                                .with_help(message!("upgrade {library}, or remove it", "升级 {library}，或删除它")),
                        );
                    }
                    continue;
                }
                _ => continue,
            }
            if reported.insert(given.key_place, "") {
                out.push(with_fix(cx, set, &names, given, &classes));
            }
        }
        accelerator_config(cx, set, &mut reported, out);
    }
}

/// What `accelerator_config` takes (transformers 5.23.0 trainer_pt_utils.py, `AcceleratorConfig`, run).
const ACCELERATOR: &[&str] = &[
    "split_batches",
    "dispatch_batches",
    "even_batches",
    "use_seedable_sampler",
    "non_blocking",
    "gradient_accumulation_kwargs",
    "use_configured_state",
];

/// The keys of the dict for `accelerator_config`, which a class of its own is made of.
fn accelerator_config(cx: &Context<'_>, set: &ArgumentSet, reported: &mut ReportedFindings, out: &mut Sink) {
    let entries = set.get("accelerator_config").map(|given| given.entries.as_slice()).unwrap_or_default();
    for entry in entries.iter().filter(|entry| !ACCELERATOR.contains(&entry.key.as_str())) {
        if !reported.insert(entry.place, "") {
            continue;
        }
        let name = &entry.key;
        let message = message!("accelerator_config rejects the unknown key `{name}`", "accelerator_config 拒绝未知的键 `{name}`");
        let found = finding(cx, set, &RULE, entry.place, message);
        out.push(match keys::nearest(name, ACCELERATOR.iter().copied()) {
            Some(near) => found.with_help(message!("did you mean `{near}`?", "是否想写 `{near}`？")),
            None => found.with_help(message!("remove it", "删除它")),
        });
    }
}

fn with_fix(
    cx: &Context<'_>,
    set: &ArgumentSet,
    names: &HashSet<&str>,
    given: &ArgumentEntry,
    classes: &[&'static Class],
) -> vramlint_base::Finding {
    let (name, class) = (&given.key, short(&set.classes));
    let message = if set.reader == ArgumentReader::Call {
        message!("{class} has no parameter `{name}`: the call raises an error", "{class} 没有参数 `{name}`：该调用会报错")
    } else {
        message!("no class of the parser has a field `{name}`: it raises an error", "解析器的任何类都没有字段 `{name}`：会报错")
    };
    let found = finding(cx, set, &RULE, given.key_place, message);
    let known =
        classes.iter().flat_map(|class| class.fields()).filter(|field| field.is_current()).map(|field| field.name.as_str());
    let Some(near) = keys::nearest(name, known).filter(|near| !names.contains(near)) else {
        return found.with_help(message!("remove it", "删除它"));
    };
    let found = found.with_help(message!("did you mean `{near}`?", "是否想写 `{near}`？"));
    match rename(cx.project, given, near) {
        Some(edit) => found.with_fix(Fix {
            title: message!("rename it to `{near}`", "改名为 `{near}`"),
            applicability: Applicability::Unsafe,
            edits: vec![edit],
        }),
        None => found,
    }
}

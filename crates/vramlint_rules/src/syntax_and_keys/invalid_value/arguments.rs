//! Arguments of transformers and TRL with a value outside of what they may be.

mod bounds;
mod values;

use crate::argument_findings::{ReportedFindings, finding_of};
use crate::syntax_and_keys::invalid_value::{RULE, did_you_mean};
use crate::{Context, Sink};
use vramlint_base::{Applicability, Finding, Fix, Message, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::arguments::{ArgumentEntry, ArgumentReader, ArgumentSet, PassedBy};
use vramlint_semantic::arguments::{trainings, written};

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project).filter(|set| set.reader != ArgumentReader::Unknown) {
        let mut found: Vec<Finding> = values::check(cx, set);
        found.extend(bounds::check(cx, set));
        for finding in found {
            if reported.insert(finding.place, "") {
                out.push(finding);
            }
        }
    }
}

/// A finding for an argument, with what was meant as its fix.
fn report(
    cx: &Context<'_>,
    set: &ArgumentSet,
    given: &ArgumentEntry,
    severity: Severity,
    why: &Message,
    meant: Option<&Value>,
) -> Finding {
    let shown = written(cx.project, given);
    let (en, zh) = (&why.en, &why.zh);
    let mut found =
        finding_of(cx, set, &RULE, severity, given.place, message!("{shown} raises an error: {en}", "{shown} 会报错：{zh}"));
    let Some(meant) = meant else { return found };
    found = found.with_help(did_you_mean(meant));
    let file = cx.project.file(given.value_place.file);
    let edit = match given.by {
        PassedBy::Keyword => edit::spell::python(meant).map(|text| edit::replace(given.value_place, text)),
        PassedBy::File => file
            .data()
            .and_then(|data| data.root()?.get(&given.key).filter(|node| node.range() == given.value_place.range))
            .and_then(|node| edit::set(file, node, meant)),
        PassedBy::Flag => meant.as_str().filter(|word| !word.contains(' ')).map(|word| edit::replace(given.value_place, word)),
        _ => None,
    };
    if let Some(edit) = edit {
        let same = given
            .value
            .as_ref()
            .and_then(Value::as_str)
            .zip(meant.as_str())
            .is_some_and(|(old, new)| letters(old) == letters(new));
        let applicability = if same { Applicability::Safe } else { Applicability::Unsafe };
        let text = edit.text.trim().to_owned();
        found = found.with_fix(Fix { title: message!("write {text}", "改为 {text}"), applicability, edits: vec![edit] });
    }
    found
}

/// The letters and digits of a word, in lower case: equal for spellings of one word.
fn letters(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

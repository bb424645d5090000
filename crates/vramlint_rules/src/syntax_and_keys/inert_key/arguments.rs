//! Arguments of transformers and TRL that others make inert.

use crate::argument_findings::{ReportedFindings, finding_of};
use crate::syntax_and_keys::inert_key::RULE;
use crate::{Context, Sink};
use vramlint_base::{Applicability, Fix, Severity, message};
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::arguments::{remove, sets_of, written};
use vramlint_semantic::version_gate;

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in sets_of(cx.project, &["trl.DPOConfig"]) {
        let on = set.bool("padding_free", false) == Some(true);
        let Some(given) = set.get("padding_free").filter(|_| on) else { continue };
        // trl 1.16.0 trainer/dpo_trainer.py:733, run; from 0.29.0 on.
        if version_gate::severity(cx.project, set.file(), &VersionRange::since("trl", "0.29"), Severity::Warning).is_none()
            || !reported.insert(given.place, "")
        {
            continue;
        }
        let shown = written(cx.project, given);
        let message = message!("{shown} has no effect in DPO since trl 0.29", "自 trl 0.29 起，{shown} 在 DPO 中不起作用");
        let mut found = finding_of(cx, set, &RULE, Severity::Info, given.place, message)
            .with_help(message!("remove it: samples are padded either way", "删除它：样本仍会被填充"));
        if let Some(edit) = remove(cx.project, set, given) {
            let title = message!("remove it", "删除它");
            found = found.with_fix(Fix { title, applicability: Applicability::Unsafe, edits: vec![edit] });
        }
        out.push(found);
    }
}

//! The edits of one repair that the user chose.

use super::fixes;
use crate::memory::format::gib;
use vramlint_base::{Applicability, Fix, Message, message};
use vramlint_catalog::Concept;
use vramlint_estimate::repairs::Change;
use vramlint_estimate::{Repair, RunEstimate};
use vramlint_resolve::{Project, Run};

/// A repair of a run as edits at the places that set its values; the title includes the memory needed afterwards. `None` if an
pub fn repair_fix(project: &Project, run: &Run, repair: &Repair, before: &RunEstimate) -> Option<Fix> {
    let (concept, old, new) = match repair.change {
        Change::Rank(rank) => (Concept::LoraR, before.setup.lora.as_ref()?.r, rank),
        Change::Length(tokens) => (Concept::SequenceLength, before.setup.sequence_length, tokens),
        _ => return fixes::fix(project, run, repair, before),
    };
    let edits = fixes::numbers(project, run.settings.get(&concept)?, old, new)?;
    let (needs, Message { en, zh }) = (gib(repair.estimate.peak), &repair.title);
    Some(Fix { title: message!("{en} ({needs})", "{zh}（{needs}）"), applicability: Applicability::Unsafe, edits })
}

//! `VL2`: batch arithmetic.

mod accumulation_not_positive;
mod accumulation_set_twice;
mod batch_keys_conflict;
mod batch_rounded_down;
mod claim;
mod deepspeed_batch_mismatch;
mod deepspeed_batch_missing;
mod effective_batch_claim;
mod effective_batch_declared;
mod effective_batch_drift;
mod evaluation_batch_differs;
mod optimizer_in_backward_conflict;

use crate::Rule;
use vramlint_base::{FileId, FileRange};
use vramlint_resolve::Project;

/// Where a file mentions its effective batch: `effective batch = 4 x 2 x 8 = 64` in a comment, or in the prose of a document.
pub fn claims(project: &Project, file: FileId) -> Vec<FileRange> {
    claim::extract::claims(project.file(file)).into_iter().map(|claimed| FileRange::new(file, claimed.claim.range)).collect()
}

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
    &accumulation_not_positive::RULE,
    &accumulation_set_twice::RULE,
    &batch_keys_conflict::RULE,
    &batch_rounded_down::RULE,
    &evaluation_batch_differs::RULE,
    &deepspeed_batch_mismatch::RULE,
    &deepspeed_batch_missing::RULE,
    &effective_batch_claim::RULE,
    &effective_batch_declared::RULE,
    &effective_batch_drift::RULE,
    &optimizer_in_backward_conflict::RULE,
];

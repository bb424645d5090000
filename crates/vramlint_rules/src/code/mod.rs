//! `VL6`: Python code.

mod accelerator_refused;
mod accumulate_not_used;
mod accumulation_divided_twice;
mod accumulation_not_divided;
mod checkpoint_without_reentrant;
mod empty_cache_in_loop;
mod engine_step_under_counter;
mod gradients_not_cleared;
mod graph_kept;
mod identical_branches;
mod import_removed;
mod loading_keyword_removed;
mod loops;
mod threshold_never_reached;

use crate::Rule;

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
    &accelerator_refused::RULE,
    &accumulate_not_used::RULE,
    &accumulation_divided_twice::RULE,
    &accumulation_not_divided::RULE,
    &checkpoint_without_reentrant::RULE,
    &empty_cache_in_loop::RULE,
    &engine_step_under_counter::RULE,
    &gradients_not_cleared::RULE,
    &graph_kept::RULE,
    &identical_branches::RULE,
    &import_removed::RULE,
    &loading_keyword_removed::RULE,
    &threshold_never_reached::RULE,
];

//! Output of training runs: every setting, who set it, what that overrides.

mod json;
mod origin;
#[cfg(test)]
mod sample;
mod text;

pub(crate) use json::json;
pub(crate) use text::text;

use vramlint_resolve::{Candidate, Setting};

/// The candidates of a setting by their part in it.
struct Parts<'a> {
    /// The one that wins.
    winner: Option<&'a Candidate>,
    /// Those that it beats.
    overridden: Vec<&'a Candidate>,
    /// Those of other branches of the code: they hold under a condition.
    alternatives: Vec<&'a Candidate>,
}

fn parts(setting: &Setting) -> Parts<'_> {
    let winner = setting.winning();
    let rest = setting.candidates.iter().enumerate().filter(|(index, _)| winner.is_none() || Some(*index) != setting.winner);
    let (alternatives, overridden) = rest.map(|(_, candidate)| candidate).partition(|candidate| candidate.condition.is_some());
    Parts { winner, overridden, alternatives }
}

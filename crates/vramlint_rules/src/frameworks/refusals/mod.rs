//! What each framework rejects, for the rules that report it.

pub(crate) mod axolotl;
pub(crate) mod llamafactory;
mod openrlhf;
mod swift;

use super::{Check, Refusal};
use vramlint_base::message;
use vramlint_catalog::Dialect;

/// What one framework rejects, by the name of the rule that reports it.
pub(super) struct Refusals {
    pub(super) dialect: Dialect,
    pub(super) checks: &'static [(&'static str, Check)],
}

/// The tables of all frameworks with a file here; other checks are next to their rules.
const ALL: &[&Refusals] = &[&openrlhf::REFUSALS, &swift::REFUSALS];

/// The checks of a rule.
pub(super) fn of_rule(rule: &str) -> impl Iterator<Item = (Dialect, Check)> {
    let checks = |refusals: &&'static Refusals| refusals.checks.iter().map(|(name, check)| (refusals.dialect, *name, *check));
    ALL.iter().flat_map(checks).filter(move |(_, name, _)| *name == rule).map(|(dialect, _, check)| (dialect, check))
}

/// Two keys that exclude each other.
pub(crate) fn pair(at: &'static str, other: &'static str) -> Refusal {
    Refusal::new(
        at,
        &[other],
        message!("`{at}` and `{other}` exclude each other", "`{at}` 与 `{other}` 互斥"),
        message!("keep one of them", "只保留其中一个"),
    )
}

/// A key that its framework accepts only together with another.
fn needs(at: &'static str, other: &'static str) -> Refusal {
    Refusal::new(
        at,
        &[other],
        message!("`{at}` is set without `{other}`", "设置了 `{at}`，但没有 `{other}`"),
        message!("set `{other}`, or remove `{at}`", "请设置 `{other}`，或删除 `{at}`"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_belongs_to_a_rule() {
        for (name, _) in ALL.iter().flat_map(|refusals| refusals.checks) {
            assert!(crate::registry::find(name).is_some(), "{name}");
        }
    }
}

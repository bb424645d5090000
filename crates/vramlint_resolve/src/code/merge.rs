//! Merges the values that several branches assign.

use super::conditions::conjoin;
use super::value::{AbstractValue, Alternative};
use std::rc::Rc;
use vramlint_base::FileRange;

/// The value of a name after one branch.
pub(super) struct BranchValue {
    pub(super) condition: Option<Rc<str>>,
    pub(super) val: AbstractValue,
    /// Whether the branch leaves the name unchanged.
    pub(super) unchanged: bool,
}

/// Merges the values of several branches. The nominal value, written outside of `place`, keeps no condition and comes first. If
/// there are several such values, or none, each holds under the condition of its branch.
#[allow(clippy::needless_pass_by_value)] // parts are made for it
pub(super) fn merge_branches(place: FileRange, parts: Vec<BranchValue>) -> AbstractValue {
    let mut nominal: Vec<(Option<Rc<str>>, Alternative)> = Vec::new();
    let mut others: Vec<(Option<Rc<str>>, Alternative)> = Vec::new();
    let any_unchanged = parts.iter().any(|part| part.unchanged);
    let only = parts.len() == 1;
    for part in parts {
        for alt in part.val.alternatives {
            let inside = alt.source.place.is_none_or(|at| at.file == place.file && place.range.contains(at.range));
            let free = alt.condition.is_none();
            let starts = free && if any_unchanged { part.unchanged } else { !inside || only };
            let condition = if part.unchanged { None } else { part.condition.clone() };
            if !starts {
                others.push((condition, alt));
            } else if !nominal.iter().any(|(_, known)| known.same(&alt)) {
                nominal.push((condition, alt));
            }
        }
    }
    if nominal.len() > 1 && !any_unchanged && !only {
        // Values of equal rank: none is nominal, each holds in its branch.
        nominal.append(&mut others);
        others = std::mem::take(&mut nominal);
    }
    let mut alternatives: Vec<Alternative> = nominal.into_iter().map(|(_, alt)| alt).collect();
    for (condition, alt) in others {
        if alternatives.iter().any(|known| known.condition.is_none() && known.same(&alt)) {
            continue;
        }
        let condition = conjoin(condition.as_ref(), alt.condition.as_ref());
        let alt = Alternative { condition, ..alt };
        if !alternatives.iter().any(|known| known.same(&alt) && known.condition == alt.condition) {
            alternatives.push(alt);
        }
    }
    if !any_unchanged {
        drop_shared_condition(&mut alternatives);
    }
    AbstractValue::from_alternatives(alternatives)
}

/// If every branch assigns the same scalar, the condition does not matter.
fn drop_shared_condition(alternatives: &mut Vec<Alternative>) {
    let Some(first) = alternatives.first().and_then(Alternative::scalar).cloned() else { return };
    if alternatives.iter().all(|alt| alt.condition.is_some() && alt.scalar() == Some(&first)) {
        alternatives.truncate(1);
        alternatives[0].condition = None;
    }
}

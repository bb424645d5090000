//! Precedence between the candidates of a setting: each belongs to a layer, and the order of the layers decides, as far as the project
//! shows it.

use super::auto_values::without_auto;
use crate::setting::{Candidate, Origin, Precedence, Resolved, Setting};
use std::collections::BTreeMap;
use vramlint_base::{FileRange, Message, Value};
use vramlint_catalog::Concept;

/// The source layer of a candidate. A smaller layer has precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SourceLayer {
    /// DeepSpeed's own file, if it beats everything else.
    Engine,
    /// A flag of the launcher, or of a framework's own script, that stands above the code: `--zero_stage`.
    LauncherFlag,
    /// A key of the launcher's file that the library puts above the code.
    LauncherFile,
    /// An environment variable that the library puts above the code.
    LauncherEnvironment,
    /// The value that the library gets and nothing else can change: a literal argument of its call.
    Decided,
    /// An argument on the command line.
    Flag,
    /// An environment variable.
    Environment,
    /// A configuration file.
    File,
    /// The default of an option of the project's own command line.
    OptionDefault,
    /// A constant or class attribute that the code uses.
    Constant,
    /// The default of a field that a parser fills. Anything that the parser reads replaces it.
    FieldDefault,
    /// The tool's own default.
    Default,
}

/// How the layers of one setting are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MergePolicy {
    /// By the tool, in the order of [`SourceLayer`].
    Ordered(Precedence),
    /// In code outside the project: different values leave the setting open. Layers above the code still have an order.
    Open(Option<Precedence>),
}

/// The candidates of a run, before one of each setting wins.
#[derive(Clone, Debug, Default)]
pub(super) struct CandidateSet {
    by_concept: BTreeMap<Concept, Vec<(SourceLayer, Candidate)>>,
}

impl CandidateSet {
    /// Adds a candidate. If two candidates share a location (a file's key, and code that passes the key on), keeps the one with
    /// precedence.
    pub(super) fn add(&mut self, concept: Concept, layer: SourceLayer, candidate: Candidate) {
        let Some(candidate) = without_auto(concept, candidate) else { return };
        let candidates = self.by_concept.entry(concept).or_default();
        let place = candidate.origin.place();
        let twin = candidates
            .iter_mut()
            .find(|(_, other)| place.is_some() && other.origin.place() == place && other.condition == candidate.condition);
        match twin {
            Some((known, other)) => {
                if layer < *known {
                    (*known, *other) = (layer, candidate);
                }
            }
            None => candidates.push((layer, candidate)),
        }
    }

    /// Removes `bf16: false` where `fp16: true` or the like says what is on instead: both are written, and they do not compete.
    pub(super) fn drop_precision_switched_off(&mut self) {
        let Some(candidates) = self.by_concept.get_mut(&Concept::MixedPrecision) else { return };
        let is_off = |candidate: &Candidate| candidate.known().and_then(Value::as_str) == Some("no");
        if candidates.iter().any(|(layer, candidate)| *layer != SourceLayer::Default && !is_off(candidate)) {
            candidates.retain(|(_, candidate)| !is_off(candidate));
        }
    }

    /// Removes the default of a switch that nobody gives where another switch turns adapters or quantization on: `use_lora: false`
    /// beside `--use_qlora 1` does not compete with it.
    pub(super) fn drop_switches_not_given(&mut self) {
        for (concept, off) in [(Concept::Method, "full"), (Concept::Quantization, "none")] {
            let Some(candidates) = self.by_concept.get_mut(&concept) else { continue };
            let is_off = |candidate: &Candidate| candidate.known().and_then(Value::as_str) == Some(off);
            let is_default = |layer: SourceLayer| matches!(layer, SourceLayer::OptionDefault | SourceLayer::FieldDefault);
            let turned_on = candidates.iter().any(|(layer, candidate)| {
                *layer <= SourceLayer::File && candidate.condition.is_none() && candidate.known().is_some() && !is_off(candidate)
            });
            if turned_on {
                candidates.retain(|(layer, candidate)| !(is_default(*layer) && is_off(candidate)));
            }
        }
    }

    /// Removes what only its name gives a meaning: values that no call of a library gets, other than those of the `launcher`. Which of
    /// several models is trained is not told by the calls that load them.
    pub(super) fn keep_what_reaches_libraries(&mut self, launcher: &Self) {
        self.by_concept.retain(|concept, candidates| {
            let of_launcher = |candidate: &Candidate| launcher.has_place(*concept, candidate.origin.place());
            let reaches = |layer: SourceLayer| matches!(layer, SourceLayer::Default) || layer <= SourceLayer::Decided;
            candidates.retain(|(layer, candidate)| reaches(*layer) || of_launcher(candidate));
            !candidates.is_empty() && *concept != Concept::Model
        });
    }

    /// Removes the candidates for `concept`, for a step that adds others instead.
    pub(super) fn take(&mut self, concept: Concept) -> Vec<(SourceLayer, Candidate)> {
        self.by_concept.remove(&concept).unwrap_or_default()
    }

    /// Whether `concept` has a candidate that is written at this place.
    pub(super) fn has_place(&self, concept: Concept, place: Option<FileRange>) -> bool {
        let candidates = self.by_concept.get(&concept).map_or(&[][..], Vec::as_slice);
        place.is_some() && candidates.iter().any(|(_, candidate)| candidate.origin.place() == place)
    }

    /// Whether `concept` has a candidate above the tools' defaults.
    pub(super) fn has_explicit(&self, concept: Concept) -> bool {
        self.by_concept.get(&concept).is_some_and(|candidates| candidates.iter().any(|(layer, _)| *layer != SourceLayer::Default))
    }

    /// Whether the value that the library gets is already known to be decided.
    pub(super) fn has_decided(&self, concept: Concept) -> bool {
        self.by_concept.get(&concept).is_some_and(|candidates| candidates.iter().any(|(layer, _)| *layer == SourceLayer::Decided))
    }

    /// The unconditional candidate with precedence so far, if its value is known: a provisional value for later steps.
    pub(super) fn current_value(&self, concept: Concept) -> Option<&Value> {
        let candidates = self.by_concept.get(&concept)?;
        candidates.iter().filter(|(_, c)| c.condition.is_none()).min_by_key(|(layer, _)| *layer).and_then(|(_, c)| c.known())
    }

    /// Makes a default, of one tool or of any, unknown for `why`: a file that is not seen may set it.
    pub(super) fn doubt_default(&mut self, concept: Concept, of_tool: Option<&str>, why: &Message) {
        for (layer, candidate) in self.by_concept.get_mut(&concept).into_iter().flatten() {
            let is_own = matches!(candidate.origin, Origin::Default { tool, .. } if of_tool.is_none_or(|own| own == tool));
            if *layer == SourceLayer::Default && is_own {
                candidate.value = Resolved::Unknown(why.clone());
            }
        }
    }

    /// Makes the tools' own defaults unknown for `why`: a command line that is not known may replace them.
    pub(super) fn forget_defaults(&mut self, why: &Message) {
        for (layer, candidate) in self.by_concept.values_mut().flatten() {
            if *layer == SourceLayer::Default && matches!(candidate.value, Resolved::Known(_)) {
                candidate.value = Resolved::Unknown(why.clone());
            }
        }
    }

    /// Puts the trainer's `bf16` and `fp16` above what the `launcher` sets: the arguments write the variable that the launcher has set
    /// (transformers 4.57.0 and 5.23.0 `training_args.py`, `ACCELERATE_MIXED_PRECISION`).
    pub(super) fn prefer_trainers_precision(&mut self, launcher: &Self) {
        let of_launcher = launcher.by_concept.get(&Concept::MixedPrecision).map_or(&[][..], Vec::as_slice);
        let Some(candidates) = self.by_concept.get_mut(&Concept::MixedPrecision) else { return };
        let is_own = |(layer, candidate): &(SourceLayer, Candidate)| {
            matches!(layer, SourceLayer::Flag | SourceLayer::File)
                && !of_launcher.iter().any(|(_, other)| other.origin.place() == candidate.origin.place())
        };
        let own: Vec<usize> = (0..candidates.len()).filter(|index| is_own(&candidates[*index])).collect();
        let half = |index: &usize| {
            let candidate = &candidates[*index].1;
            candidate.condition.is_none() && candidate.known().and_then(Value::as_str).is_some_and(|name| name != "no")
        };
        let agree = own.iter().all(|index| same(&candidates[*index].1.value, &candidates[own[0]].1.value));
        if !own.is_empty() && agree && own.iter().all(half) {
            for index in own {
                candidates[index].0 = SourceLayer::Decided;
            }
        }
    }

    /// Picks the winner of each concept.
    /// `sets_itself`: whether what is declared also holds without the call that turns it on.
    pub(super) fn resolve(
        self,
        join: impl Fn(Concept) -> MergePolicy,
        sets_itself: impl Fn(Concept) -> bool,
    ) -> BTreeMap<Concept, Setting> {
        let by_call = |concept: Concept| match (concept.is_turned_on(), sets_itself(concept)) {
            (false, _) => CallEffect::None,
            (true, false) => CallEffect::Needed,
            (true, true) => CallEffect::Changes,
        };
        self.by_concept
            .into_iter()
            .map(|(concept, candidates)| (concept, resolve(candidates, join(concept), by_call(concept))))
            .collect()
    }
}

/// What a call means for a setting while it is open whether the call happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallEffect {
    /// Nothing: the setting is no switch.
    None,
    /// It alone turns the setting on: a declaration says nothing.
    Needed,
    /// It may change what is declared: they must agree.
    Changes,
}

fn resolve(mut candidates: Vec<(SourceLayer, Candidate)>, join: MergePolicy, call: CallEffect) -> Setting {
    candidates.sort_by_key(|(layer, candidate)| (*layer, candidate.condition.is_some()));
    // A default holds only if nothing is set, not even under a condition.
    if candidates.iter().any(|(layer, _)| *layer != SourceLayer::Default) {
        candidates.retain(|(layer, _)| *layer != SourceLayer::Default);
    }
    if candidates.iter().any(|(layer, candidate)| *layer < SourceLayer::OptionDefault && candidate.condition.is_none()) {
        candidates.retain(|(layer, _)| *layer != SourceLayer::FieldDefault);
    }
    join_branches(&mut candidates);
    let open_calls = || candidates.iter().filter(|(layer, c)| *layer == SourceLayer::Decided && c.condition.is_some());
    let is_settled = |index: &usize| {
        let declared = &candidates[*index];
        let agrees = |rival: &Candidate| call == CallEffect::Changes && same(&rival.value, &declared.1.value);
        call == CallEffect::None || declared.0 <= SourceLayer::Decided || open_calls().all(|(_, rival)| agrees(rival))
    };
    let winner = winner(&candidates, join).filter(is_settled);
    let decided = winner.is_some_and(|index| candidates[index].0 < SourceLayer::Decided);
    let precedence = match join {
        MergePolicy::Ordered(precedence) if candidates.len() > 1 => Some(precedence),
        MergePolicy::Open(precedence) if candidates.len() > 1 && decided => precedence,
        _ => None,
    };
    Setting { candidates: candidates.into_iter().map(|(_, candidate)| candidate).collect(), winner, precedence }
}

/// Joins the two branches of one condition that give the same value.
fn join_branches(candidates: &mut Vec<(SourceLayer, Candidate)>) {
    let found = candidates.iter().enumerate().find_map(|(index, (layer, candidate))| {
        let condition = candidate.condition.as_deref()?;
        candidates.iter().enumerate().find_map(|(other, (rival_layer, rival))| {
            let before = common_to_branches(condition, rival.condition.as_deref()?)?;
            (rival_layer == layer && same(&rival.value, &candidate.value)).then(|| (index, other, before.to_owned()))
        })
    });
    if let Some((index, other, before)) = found {
        candidates[index].1.condition = (!before.is_empty()).then_some(before);
        candidates.remove(other);
        candidates.sort_by_key(|(layer, candidate)| (*layer, candidate.condition.is_some()));
    }
}

/// What comes before the condition of two branches, `a` in `a and b` and `a and not (b)`, if they are the branches of one condition.
fn common_to_branches<'a>(condition: &'a str, other: &str) -> Option<&'a str> {
    other.match_indices("not (").find_map(|(at, not)| {
        let negated = other.get(at + not.len()..)?.strip_suffix(')')?;
        let before = other.get(..at)?;
        let is_whole = before.is_empty() || before.ends_with(" and ");
        let fits = is_whole && condition.strip_prefix(before) == Some(negated);
        fits.then(|| condition[..at].strip_suffix(" and ").unwrap_or_default())
    })
}

fn winner(candidates: &[(SourceLayer, Candidate)], join: MergePolicy) -> Option<usize> {
    let unconditional: Vec<usize> = (0..candidates.len()).filter(|i| candidates[*i].1.condition.is_none()).collect();
    let first = *unconditional.first()?;
    let (layer, candidate) = &candidates[first];
    // Of several literal arguments or files of one layer none is known to come last, so they must agree.
    let one_layer = matches!(join, MergePolicy::Ordered(_)) || *layer <= SourceLayer::Decided;
    let agree = unconditional
        .iter()
        .filter(|i| !one_layer || candidates[**i].0 == *layer)
        .all(|i| same(&candidates[*i].1.value, &candidate.value));
    agree.then_some(first)
}

fn same(a: &Resolved, b: &Resolved) -> bool {
    match (a, b) {
        (Resolved::Known(a), Resolved::Known(b)) => a == b || a.as_float().is_some() && a.as_float() == b.as_float(),
        _ => false,
    }
}

/// A formula: it reads the same in every language.
pub(super) fn arithmetic(formula: String) -> Message {
    Message { en: formula.clone(), zh: formula }
}

/// A known candidate.
pub(super) fn known(value: Value, raw: impl Into<String>, origin: crate::Origin) -> Candidate {
    Candidate { value: Resolved::Known(value), raw: raw.into(), origin, condition: None, assumptions: Vec::new() }
}

/// An unknown candidate, and why.
pub(super) fn unknown(why: Message, raw: impl Into<String>, origin: crate::Origin) -> Candidate {
    Candidate { value: Resolved::Unknown(why), raw: raw.into(), origin, condition: None, assumptions: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vramlint_base::{FileId, TextRange};

    fn at(value: i64) -> Candidate {
        let place = FileRange::new(FileId(0), TextRange::at(0));
        known(Value::Int(value), value.to_string(), Origin::Flag { place, flag: "--x".into() })
    }

    const ORDER: MergePolicy = MergePolicy::Ordered(Precedence { order: "flag > file", source: "test" });

    fn value(candidates: &[(SourceLayer, Candidate)], join: MergePolicy) -> Option<i64> {
        resolve(candidates.to_vec(), join, CallEffect::None).value().and_then(Value::as_int)
    }

    #[test]
    fn an_open_join_needs_agreement() {
        let differ = [(SourceLayer::Flag, at(1)), (SourceLayer::File, at(4))];
        assert_eq!(value(&differ, MergePolicy::Open(None)), None);
        assert_eq!(value(&differ, ORDER), Some(1));
        assert_eq!(value(&[(SourceLayer::Flag, at(4)), (SourceLayer::File, at(4))], MergePolicy::Open(None)), Some(4));
    }

    #[test]
    fn a_default_yields_to_anything_written() {
        assert_eq!(value(&[(SourceLayer::Default, at(8)), (SourceLayer::Constant, at(2))], MergePolicy::Open(None)), Some(2));
        assert_eq!(value(&[(SourceLayer::Default, at(8))], MergePolicy::Open(None)), Some(8));
    }

    #[test]
    fn what_the_library_reads_beats_what_is_only_declared() {
        assert_eq!(
            value(&[(SourceLayer::OptionDefault, at(8)), (SourceLayer::Decided, at(2))], MergePolicy::Open(None)),
            Some(2)
        );
    }

    #[test]
    fn the_default_of_a_field_yields_to_what_the_parser_reads() {
        assert_eq!(value(&[(SourceLayer::FieldDefault, at(8)), (SourceLayer::File, at(2))], MergePolicy::Open(None)), Some(2));
        assert_eq!(value(&[(SourceLayer::FieldDefault, at(8)), (SourceLayer::Default, at(2))], MergePolicy::Open(None)), Some(8));
    }

    #[test]
    fn a_branch_never_wins_over_the_nominal_value() {
        let branch = Candidate { condition: Some("low_memory".into()), ..at(1) };
        assert_eq!(
            value(&[(SourceLayer::Decided, branch.clone()), (SourceLayer::Decided, at(2))], MergePolicy::Open(None)),
            Some(2)
        );
        assert_eq!(value(&[(SourceLayer::Decided, branch)], MergePolicy::Open(None)), None);
    }
}

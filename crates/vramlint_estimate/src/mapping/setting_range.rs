//! The range of values that a setting of a run may have.

use super::Mapping;
use vramlint_base::value_readers::spelled_bool;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::Concept;
use vramlint_resolve::{Candidate, Origin, Run, Setting};

/// A value as far as the run determines it. The bounds differ if branches or competing sources leave it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueRange<T> {
    /// The value that needs most memory. It is the one that is estimated.
    pub upper: T,
    /// The value that needs least memory.
    pub lower: T,
    /// Whether the project states it. A library's default is not stated.
    pub stated: bool,
}

/// A setting of a run; `None` if no source sets it.
pub(super) fn setting(run: &Run, concept: Concept) -> Option<&Setting> {
    run.settings.get(&concept)
}

/// The candidates that may take effect: the winner and its known branches, or all candidates if none wins.
pub(super) fn plausible(setting: &Setting) -> Vec<&Candidate> {
    match setting.winning() {
        Some(winner) => {
            let branch = |candidate: &&Candidate| candidate.condition.is_some() && candidate.known().is_some();
            std::iter::once(winner).chain(setting.candidates.iter().filter(branch)).collect()
        }
        None => setting.candidates.iter().collect(),
    }
}

impl Mapping<'_> {
    /// The range of a setting. An error says why the value is unknown; `null` counts as unset.
    ///
    /// `read` converts a value, `weight` orders converted values by the memory that they need. Defaults of libraries are listed as
    /// assumptions.
    pub(super) fn range<T: Copy + PartialEq>(
        &mut self,
        concept: Concept,
        read: impl Fn(&Value) -> Option<T>,
        weight: impl Fn(T) -> u64,
    ) -> Result<Option<ValueRange<T>>, Message> {
        let (run, name) = (self.run, concept.name());
        let Some(setting) = setting(run, concept) else { return Ok(None) };
        let mut values: Vec<(T, &Candidate)> = Vec::new();
        for candidate in plausible(setting) {
            match candidate.known() {
                Some(Value::Null) => {}
                Some(value) => match read(value) {
                    Some(found) => values.push((found, candidate)),
                    None => return Err(message!("unsupported value {value} for {name}", "{name} 的值 {value} 不受支持")),
                },
                None => return Err(message!("{name} is unknown", "{name} 未知")),
            }
        }
        let heaviest = values.iter().max_by_key(|(value, _)| weight(*value));
        let lightest = values.iter().min_by_key(|(value, _)| weight(*value));
        let (Some((upper, candidate)), Some((lower, _))) = (heaviest, lightest) else { return Ok(None) };
        if values.iter().any(|(value, _)| value != upper) {
            let mut shown: Vec<String> = Vec::new();
            for value in values.iter().filter_map(|(_, candidate)| candidate.known()).map(ToString::to_string) {
                if !shown.contains(&value) {
                    shown.push(value);
                }
            }
            let heaviest = candidate.known().map(ToString::to_string).unwrap_or_default();
            self.assume_heaviest(name, &shown, &heaviest);
        }
        Ok(Some(ValueRange { upper: *upper, lower: *lower, stated: self.list_assumptions(name, candidate) }))
    }

    /// The range of a setting that is a non-negative integer. Larger values need more memory.
    pub(super) fn count(&mut self, concept: Concept) -> Result<Option<ValueRange<u64>>, Message> {
        self.range(concept, integer, |number| number)
    }

    /// The same for a setting that is at least 1; 0 counts as unset.
    pub(super) fn positive(&mut self, concept: Concept) -> Result<Option<ValueRange<u64>>, Message> {
        Ok(self.count(concept)?.filter(|range| range.upper > 0))
    }

    /// The range of a boolean setting, if it is known; `heavy` is the value that needs more memory.
    pub(super) fn flag(&mut self, concept: Concept, heavy: bool) -> Option<ValueRange<bool>> {
        self.range(concept, boolean, |value| u64::from(value == heavy)).ok().flatten()
    }

    /// Whether a boolean setting may be true, regardless of its effect on memory.
    pub(super) fn is_on(&mut self, concept: Concept) -> bool {
        self.flag(concept, true).is_some_and(|range| range.upper)
    }

    /// The value of a setting, if it is known.
    pub(super) fn value(&self, concept: Concept) -> Option<&Value> {
        setting(self.run, concept)?.value()
    }

    /// The lowercase value of a string setting, if it is known.
    pub(super) fn text(&self, concept: Concept) -> Option<String> {
        self.value(concept)?.as_str().map(str::to_lowercase)
    }

    /// Whether any source sets it.
    pub(super) fn has(&self, concept: Concept) -> bool {
        self.run.settings.contains_key(&concept)
    }

    /// Lists the assumptions behind a candidate. Returns whether the project states it.
    fn list_assumptions(&mut self, name: &str, candidate: &Candidate) -> bool {
        for assumption in &candidate.assumptions {
            self.assume(assumption.clone());
        }
        let value = candidate.known().map(ToString::to_string).unwrap_or_default();
        match &candidate.origin {
            Origin::Default { source, .. } => {
                let source = source.split(' ').take(2).collect::<Vec<_>>().join(" ");
                self.assume(message!(
                    "{name} is not set: {value}, the default of {source}",
                    "没有设置 {name}：按 {source} 的默认值 {value} 计"
                ));
                false
            }
            Origin::Assumed { why } => {
                let Message { en, zh } = why;
                self.assume(message!("assuming {name} = {value}: {en}", "{name} 按 {value} 计：{zh}"));
                false
            }
            _ => candidate.assumptions.is_empty(),
        }
    }

    fn assume_heaviest(&mut self, name: &str, values: &[String], heaviest: &str) {
        let (en, zh) = (values.join(" or "), values.join(" 或 "));
        self.assume(message!(
            "{name} may be {en}: assuming {heaviest}, which needs the most memory",
            "{name} 可能是 {zh}：按占用显存最多的 {heaviest} 计"
        ));
    }
}

/// A non-negative integer, also if it is written as a float or a string.
pub(super) fn integer(value: &Value) -> Option<u64> {
    let number = match value {
        Value::Int(number) => *number,
        Value::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => *number as i64,
        Value::Text(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    u64::try_from(number).ok()
}

/// A boolean, also as a command line writes it.
pub(super) fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Int(number) => Some(*number != 0),
        Value::Text(word) if word == "1" => Some(true),
        Value::Text(word) if word == "0" || word.eq_ignore_ascii_case("none") => Some(false),
        _ => spelled_bool(value),
    }
}

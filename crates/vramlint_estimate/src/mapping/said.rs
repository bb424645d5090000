//! What a run says about one setting: the heaviest and the lightest value that it may have.

use super::Mapping;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::Concept;
use vramlint_resolve::{Candidate, Origin, Run, Setting};

/// A value as far as the run says it. Where branches or competing sources leave it open, the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice<T> {
    /// The one that takes most memory: it is estimated.
    pub most: T,
    /// The one that takes least.
    pub least: T,
    /// Whether the project states it; a library's default is not stated.
    pub stated: bool,
}

/// The setting of a run by its name; `None` where nobody says anything about it.
pub(super) fn setting<'a>(run: &'a Run, name: &str) -> Option<&'a Setting> {
    run.settings.get(&Concept::from_name(name)?)
}

/// The candidates that may be the value of the run: the winner and the branches beside it, or all where no one wins.
fn plausible(setting: &Setting) -> Vec<&Candidate> {
    match setting.winning() {
        Some(winner) => {
            let branch = |candidate: &&Candidate| candidate.condition.is_some() && candidate.known().is_some();
            std::iter::once(winner).chain(setting.candidates.iter().filter(branch)).collect()
        }
        None => setting.candidates.iter().collect(),
    }
}

impl Mapping<'_> {
    /// The value of a setting. An error says why it is not known; `null` counts as not said.
    ///
    /// `read` gives the value that a written one stands for, `weight` orders values by the memory that they take. Defaults of
    /// libraries are listed as assumptions.
    pub(super) fn choice<T: Copy + PartialEq>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Value) -> Option<T>,
        weight: impl Fn(T) -> u64,
    ) -> Result<Option<Choice<T>>, Message> {
        let run = self.run;
        let Some(setting) = setting(run, name) else { return Ok(None) };
        let mut values: Vec<(T, &Candidate)> = Vec::new();
        for candidate in plausible(setting) {
            match candidate.known() {
                Some(Value::Null) => {}
                Some(value) => match read(value) {
                    Some(found) => values.push((found, candidate)),
                    None => return Err(message!("{name} is {value}, which is not understood", "{name} 为 {value}，无法识别")),
                },
                None => return Err(message!("{name} is not known", "{name} 未知")),
            }
        }
        let heaviest = values.iter().max_by_key(|(value, _)| weight(*value));
        let lightest = values.iter().min_by_key(|(value, _)| weight(*value));
        let (Some((most, candidate)), Some((least, _))) = (heaviest, lightest) else { return Ok(None) };
        if values.iter().any(|(value, _)| value != most) {
            let mut shown: Vec<String> = Vec::new();
            for value in values.iter().filter_map(|(_, candidate)| candidate.known()).map(ToString::to_string) {
                if !shown.contains(&value) {
                    shown.push(value);
                }
            }
            let heaviest = candidate.known().map(ToString::to_string).unwrap_or_default();
            self.assume_several(name, &shown, &heaviest);
        }
        Ok(Some(Choice { most: *most, least: *least, stated: self.note(name, candidate) }))
    }

    /// The same for whole numbers, more of which take more memory.
    pub(super) fn count(&mut self, name: &'static str) -> Result<Option<Choice<u64>>, Message> {
        self.choice(name, whole, |number| number)
    }

    /// The same for truth values; `heavy` is the one that takes more memory.
    pub(super) fn flag(&mut self, name: &'static str, heavy: bool) -> Option<Choice<bool>> {
        self.choice(name, truth, |value| u64::from(value == heavy)).ok().flatten()
    }

    /// Whether a truth value is said to be true, as far as it is known, whatever it does to memory.
    pub(super) fn is_on(&mut self, name: &'static str) -> bool {
        self.flag(name, true).is_some_and(|choice| choice.most)
    }

    /// The text of a setting, where it is known.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        setting(self.run, name)?.value()?.as_str().map(str::to_lowercase)
    }

    /// Lists what is taken for granted about a candidate; whether the project states it.
    fn note(&mut self, name: &str, candidate: &Candidate) -> bool {
        for assumed in &candidate.assumptions {
            self.assume(assumed.clone());
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
                self.assume(message!("{name} is taken as {value}: {en}", "{name} 按 {value} 计：{zh}"));
                false
            }
            _ => candidate.assumptions.is_empty(),
        }
    }

    fn assume_several(&mut self, name: &str, values: &[String], heaviest: &str) {
        let (en, zh) = (values.join(" or "), values.join(" 或 "));
        self.assume(message!(
            "{name} may be {en}: {heaviest} is taken, which needs most memory",
            "{name} 可能是 {zh}：按占用显存最多的 {heaviest} 计"
        ));
    }
}

/// A whole number above zero, also from the text of one.
pub(super) fn whole(value: &Value) -> Option<u64> {
    let number = match value {
        Value::Int(number) => *number,
        Value::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => *number as i64,
        Value::Text(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    u64::try_from(number).ok()
}

/// A truth value, also as a command line writes it.
pub(super) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(on) => Some(*on),
        Value::Text(word) => match word.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" | "none" => Some(false),
            _ => None,
        },
        Value::Int(number) => Some(*number != 0),
        _ => None,
    }
}

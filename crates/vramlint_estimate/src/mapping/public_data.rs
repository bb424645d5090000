//! Lengths of rows and prompts of public data.

use super::Mapping;
use super::batch::{LONG_PROMPT, PROMPT, SHORT};
use super::setting_range::ValueRange;
use vramlint_base::{Value, message};
use vramlint_catalog::datasets::{self, PublicRows};
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::setup::Task;
use vramlint_resolve::code::CallArgument;
use vramlint_syntax::python::Call;

/// The rows of a public data set by its path and configuration, as a list of the catalogue has them.
type KnownRows = fn(&str, Option<&str>) -> Option<&'static PublicRows>;

impl Mapping<'_> {
    /// Takes the longest row of public data, if the rows of all of it are known and end before the cutoff. The bounds allow for the cutoff:
    /// templates and tokenizers make rows longer.
    pub(super) fn shorten_to_known_rows(&mut self, cutoff: u64) -> bool {
        // Distillation trains on completions of its own as well.
        if self.upper.task == Task::Gkd {
            return false;
        }
        // A trainer of the library tokenizes and pads; code that tokenizes itself may pad every row to the cutoff.
        let by_trainer = matches!(self.run.dialect, Dialect::Trl | Dialect::Unsloth) && self.upper.task == Task::CausalLm;
        let loaded = || by_trainer.then(|| self.public_rows(datasets::rows)).flatten();
        let Some(rows) = self.named_rows(datasets::rows).or_else(loaded) else { return false };
        if rows.longest >= cutoff {
            return false;
        }
        let (name, longest) = (&rows.name, rows.longest);
        self.assume(message!(
            "the longest row of {name} has about {longest} tokens, fewer than the cutoff of {cutoff}",
            "{name} 最长的样本约有 {longest} 个 token，短于截断长度 {cutoff}"
        ));
        self.upper.sequence_length = longest;
        self.longest_row = Some(cutoff);
        true
    }

    /// Prompts of GRPO whose length nothing states: those of public data, or of instruction data, as far as nothing cuts them.
    pub(super) fn open_prompts(&mut self, completion: u64) -> ValueRange<u64> {
        // ms-swift 4.6 docs/source_en/Instruction/Command-line-parameters.md: in GRPO, `max_length` is that of the prompt.
        let cutoff = self.positive(Concept::SequenceLength).ok().flatten().filter(|_| self.by_swift()).map(|length| length.upper);
        let known = self.named_rows(datasets::prompts).or_else(|| self.public_rows(datasets::prompts));
        let longest = known.map_or(cutoff.unwrap_or(LONG_PROMPT), |rows| rows.longest.min(cutoff.unwrap_or(u64::MAX)));
        self.longest_row = Some(longest.saturating_add(completion));
        let Some(rows) = known else {
            let tokens = PROMPT.min(longest);
            self.assume_unverified(if cutoff.is_some() {
                message!(
                    "prompts are cut to {longest} tokens: assuming {tokens}",
                    "提示截断到 {longest} 个 token：按 {tokens} 个计"
                )
            } else {
                message!("prompts are not truncated: assuming {tokens} tokens", "提示不截断：按 {tokens} 个 token 计")
            });
            return ValueRange { upper: tokens, lower: SHORT, stated: false };
        };
        let (name, mean) = (&rows.name, rows.mean.min(longest));
        let tokens = PROMPT.max(mean).min(longest);
        self.assume(message!(
            "prompts of {name} have about {mean} tokens, and {longest} at most: assuming {tokens}",
            "{name} 的提示约有 {mean} 个 token，最长 {longest} 个：按 {tokens} 个计"
        ));
        ValueRange { upper: tokens, lower: mean, stated: false }
    }

    /// Of the data sets that ms-swift names, the one with the longest row, if `known` has all of them.
    fn named_rows(&self, known: KnownRows) -> Option<&'static PublicRows> {
        self.by_swift().then_some(())?;
        let words = self.argument_text("dataset").ok()??;
        let named: Option<Vec<&PublicRows>> =
            words.split_whitespace().map(datasets::of_word).map(|(path, name)| known(path, name)).collect();
        named?.into_iter().max_by_key(|rows| rows.longest)
    }

    fn by_swift(&self) -> bool {
        matches!(self.run.dialect, Dialect::MsSwift | Dialect::MegatronSwift)
    }

    /// The public data set that the code loads, if it is the only one and `known` has its rows.
    pub(super) fn public_rows(&self, known: KnownRows) -> Option<&'static PublicRows> {
        // What cuts rows to a length that is not known may cut them earlier.
        let is_cut = |call: &Call| {
            let truncates = call.keyword("truncation").and_then(|given| given.value.as_value()?.as_bool()) == Some(true);
            truncates && call.keyword("max_length").is_some_and(|given| given.value.as_value() != Some(&Value::Null))
        };
        if self.calls().any(is_cut) {
            return None;
        }
        let code = self.run.code.as_ref()?;
        let loads = code.calls.iter().filter(|call| !call.uncalled && call.path == "datasets.load_dataset");
        let mut found = None;
        for call in loads {
            let text = |name: &str, index: usize| {
                let given = |argument: &&CallArgument| argument.name.as_deref() == Some(name) || argument.position == Some(index);
                call.arguments.iter().find(given)?.values.first()?.to_value()?.as_str().map(str::to_owned)
            };
            let rows = known(&text("path", 0)?, text("name", 1).as_deref())?;
            if found.is_some_and(|other: &PublicRows| other.name != rows.name) {
                return None;
            }
            found = Some(rows);
        }
        found
    }
}

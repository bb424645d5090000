//! Lengths of rows and prompts of public data.

use super::Mapping;
use super::batch::{LONG_PROMPT, PROMPT, SHORT};
use super::setting_range::{ValueRange, integer};
use crate::models::Model;
use vramlint_base::{Value, message};
use vramlint_catalog::datasets::{self, PublicRows};
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::Setup;
use vramlint_memory::setup::Task;
use vramlint_resolve::code::{CallArgument, LibraryCall};
use vramlint_syntax::python::Call;

/// What takes a part of the rows of a data set.
const PARTS: &[&str] = &["select", "shard", "filter", "take", "skip", "train_test_split", "random_split", "Subset"];

/// The rows of a public data set by its path and configuration, as a list of the catalogue has them.
pub(super) type KnownRows = fn(&str, Option<&str>) -> Option<&'static PublicRows>;

/// The rows of a public data set that training draws.
struct Drawn {
    rows: &'static PublicRows,
    /// How many there are, if not all.
    number: Option<u64>,
    /// Tokens of the longest.
    longest: u64,
}

impl Drawn {
    /// `loaded` and `trained` are numbers of rows that something stops at.
    fn of(rows: &'static PublicRows, loaded: Option<u64>, trained: Option<u64>) -> Self {
        let number = loaded.into_iter().chain(trained).min().filter(|number| rows.rows.is_some_and(|all| *number < all));
        Self { rows, number, longest: number.map_or(rows.longest, |number| rows.longest_of(number)) }
    }
}

impl Mapping<'_> {
    /// Takes the longest row that training is likely to draw from public data, if the rows of all of it are known and end before the cutoff.
    /// The bounds allow for the cutoff: templates and tokenizers make rows longer.
    pub(super) fn shorten_to_known_rows(&mut self, cutoff: u64) -> bool {
        // Distillation trains on completions of its own as well.
        if self.upper.task == Task::Gkd {
            return false;
        }
        // A trainer of the library tokenizes and pads; code that tokenizes itself may pad every row to the cutoff.
        let by_trainer = matches!(self.run.dialect, Dialect::Trl | Dialect::Unsloth) && self.upper.task == Task::CausalLm;
        let trained = self.trained_rows();
        let loaded =
            || Some(Drawn::of(by_trainer.then(|| self.public_rows(datasets::rows)).flatten()?, self.first_rows(), trained));
        let Some(Drawn { rows, number, longest }) = self.longest_named(trained).or_else(loaded) else { return false };
        if longest >= cutoff {
            return false;
        }
        self.shorten(rows, number, longest, cutoff);
        self.longest_row = Some(cutoff);
        true
    }

    /// The same for classifiers and encoders that get public texts as they are and leave padding to the batch. The bounds allow for
    /// another tokenizer.
    pub(super) fn shorten_to_known_texts(&mut self, cutoff: u64, model: &Model) -> bool {
        let own = matches!(self.run.dialect, Dialect::HfTrainer | Dialect::Plain | Dialect::Accelerate);
        if !(own && self.takes_texts_as_they_are()) || self.pads_to_the_cutoff() {
            return false;
        }
        let Some(rows) = self.loaded_rows(self.known_texts()).filter(|rows| rows.longest < cutoff) else { return false };
        self.shorten(rows, None, rows.longest, cutoff);
        let (shortest, longest) = self.bounds_of_longest(rows, model);
        self.lower.sequence_length = shortest;
        self.longest_row = Some(longest.min(cutoff));
        true
    }

    /// Tokens that the longest row has at least and at most: every epoch has it, and tokenizers differ.
    pub(super) fn bounds_of_longest(&self, rows: &PublicRows, model: &Model) -> (u64, u64) {
        let takes_part = |call: &Call| call.name().is_some_and(|name| PARTS.contains(&name));
        let counted = self.models.find_or_infer(&rows.tokenizer).map(|model| model.arch.vocabulary());
        // A vocabulary of the same size is the same tokenizer. Whatever takes a part of the rows may leave the longest out.
        if self.takes_texts_as_they_are() && counted == Some(model.arch.vocabulary()) && !self.calls().any(takes_part) {
            return (rows.longest, rows.longest);
        }
        (rows.mean.max(rows.longest / 4 * 3), rows.longest + rows.longest / 4)
    }

    /// Whether no template comes around the texts of a row.
    fn takes_texts_as_they_are(&self) -> bool {
        let classifies = matches!(self.upper.task, Task::SequenceClassification | Task::TokenClassification);
        classifies || matches!(self.upper.task, Task::EmbeddingPairs | Task::EmbeddingTriplets)
    }

    /// How the texts of public data are counted for this run: a classifier gets the two texts of a row as one.
    pub(super) fn known_texts(&self) -> KnownRows {
        if self.upper.task == Task::SequenceClassification { datasets::joined_rows } else { datasets::rows }
    }

    fn shorten(&mut self, rows: &PublicRows, number: Option<u64>, longest: u64, cutoff: u64) {
        let name = &rows.name;
        self.assume(match number {
            Some(number) => message!(
                "the longest of {number} rows of {name} has about {longest} tokens, fewer than the cutoff of {cutoff}",
                "{name} 的 {number} 条样本中，最长的约有 {longest} 个 token，短于截断长度 {cutoff}"
            ),
            None => message!(
                "the longest row of {name} has about {longest} tokens, fewer than the cutoff of {cutoff}",
                "{name} 最长的样本约有 {longest} 个 token，短于截断长度 {cutoff}"
            ),
        });
        self.upper.sequence_length = longest;
    }

    /// Whether a call of the code may pad every row to the length at which it cuts.
    pub(super) fn pads_to_the_cutoff(&self) -> bool {
        self.calls().any(|call| {
            let Some(padding) = call.keyword("padding") else { return call.keyword("pad_to_max_length").is_some() };
            match padding.value.as_value() {
                Some(Value::Bool(_) | Value::Null) => false,
                Some(given) => given.as_str() != Some("longest"),
                None => true,
            }
        })
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

    /// The configurations of the data sets that the code loads.
    pub(super) fn loaded_configurations(&self) -> Vec<String> {
        let calls = self.run.code.iter().flat_map(|code| &code.calls);
        let loads = calls.filter(|call| !call.uncalled && call.path == "datasets.load_dataset");
        loads.filter_map(|call| text_argument(call, "name", 1)).collect()
    }

    /// Rows that training takes until it stops, if it stops after a number of steps.
    fn trained_rows(&self) -> Option<u64> {
        let steps = integer(self.value(Concept::MaxSteps)?).filter(|steps| *steps > 0 && !self.open_world)?;
        let Setup { micro_batch, accumulation, parallel, .. } = &self.upper;
        Some(steps.saturating_mul(*micro_batch).saturating_mul(*accumulation).saturating_mul(parallel.world.max(1)))
    }

    /// Of the data sets that ms-swift names, the one whose drawn rows are the longest, if all of them are known.
    fn longest_named(&self, trained: Option<u64>) -> Option<Drawn> {
        self.by_swift().then_some(())?;
        let words = self.argument_text("dataset").ok()??;
        let drawn: Option<Vec<Drawn>> = words
            .split_whitespace()
            .map(|word| {
                let (path, subset) = datasets::of_word(word);
                Some(Drawn::of(datasets::rows(path, subset)?, datasets::drawn_by_word(word), trained))
            })
            .collect();
        drawn?.into_iter().max_by_key(|drawn| drawn.longest)
    }

    /// How many rows the code loads of its data, where it says so: `split="train[:3000]"`.
    fn first_rows(&self) -> Option<u64> {
        let code = self.run.code.as_ref()?;
        let split = |call: &LibraryCall| {
            let given = call.arguments.iter().find(|argument| argument.name.as_deref() == Some("split"))?;
            let [given] = &given.values[..] else { return None };
            given.to_value()?.as_str()?.split_once("[:")?.1.strip_suffix("]")?.parse().ok()
        };
        let loads = code.calls.iter().filter(|call| !call.uncalled && call.path == "datasets.load_dataset");
        // Parts without a number have all rows.
        loads.map(split).collect::<Option<Vec<u64>>>()?.into_iter().reduce(u64::saturating_add)
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
        self.loaded_rows(known)
    }

    /// The same, whatever cuts the rows.
    fn loaded_rows(&self, known: KnownRows) -> Option<&'static PublicRows> {
        let code = self.run.code.as_ref()?;
        let loads = code.calls.iter().filter(|call| !call.uncalled && call.path == "datasets.load_dataset");
        let mut found = None;
        for call in loads {
            let rows = known(&text_argument(call, "path", 0)?, text_argument(call, "name", 1).as_deref())?;
            if found.is_some_and(|other: &PublicRows| other.name != rows.name) {
                return None;
            }
            found = Some(rows);
        }
        found
    }
}

/// A text that a recorded call gets by name or position.
fn text_argument(call: &LibraryCall, name: &str, index: usize) -> Option<String> {
    let given = |argument: &&CallArgument| argument.name.as_deref() == Some(name) || argument.position == Some(index);
    call.arguments.iter().find(given)?.values.first()?.to_value()?.as_str().map(str::to_owned)
}

//! Lengths of prompt and answer, where a row of the training holds both.

use super::facts_builder::Strength;
use super::interpreter::Interpreter;
use super::read_log::Read;
use crate::setting::Resolved;
use vramlint_base::Value;
use vramlint_catalog::Concept;

/// The names that scripts give to both lengths: QLoRA's, alpaca-lora's, those of transformers' examples.
const PAIRS: &[(&str, &str)] = &[
    ("source_max_len", "target_max_len"),
    ("max_source_len", "max_target_len"),
    ("max_source_length", "max_target_length"),
    ("source_max_length", "target_max_length"),
];

impl Interpreter<'_> {
    /// Adds the length of a row of a decoder: prompt and answer follow each other. An encoder gets the prompt alone.
    pub(super) fn collect_joined_lengths(&mut self, reads: &[Read]) {
        let decodes =
            |class: &str| ["ForCausalLM", "ForSequenceClassification", "LMHeadModel"].iter().any(|end| class.contains(end));
        let mut trained = self.facts.models.iter().filter(|model| model.is_trained()).peekable();
        if trained.peek().is_none() || !trained.all(|model| decodes(&model.class)) {
            return;
        }
        let length = |wanted: &str| {
            let mut found = reads.iter().filter(|read| {
                read.alternative.source.path.last().is_some_and(|name| name == wanted) && read.alternative.condition.is_none()
            });
            let first = found.next()?;
            let number = first.alternative.scalar().and_then(Value::as_int)?;
            found.all(|read| read.alternative.scalar().and_then(Value::as_int) == Some(number)).then_some((first, number))
        };
        let both = PAIRS.iter().find_map(|(source, target)| Some((length(source)?, length(target)?, *source, *target)));
        let Some(((first, prompt), (_, answer), source, target)) = both else { return };
        let mut alternative = first.alternative.clone();
        let mut written = (*alternative.source).clone();
        // The sum is that of no option alone.
        written.name = format!("{source} + {target}");
        written.option = None;
        alternative.source = written.into();
        let sum = Resolved::Known(Value::Int(prompt.saturating_add(answer)));
        let candidate = self.candidates().candidate(&alternative, sum, None);
        self.candidates().push(Concept::SequenceLength, Strength::Used, candidate);
    }
}

//! Lengths of prompt and answer, where a row of the training holds both.

use super::command_line::OptionForm;
use super::facts_builder::Strength;
use super::interpreter::Interpreter;
use super::read_log::Read;
use super::value::{AbstractValue, Alternative, ValueKind};
use crate::run::is_encoder_decoder;
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

/// The names of the lengths of queries and passages, which an encoder takes one after the other.
const SEPARATE: &[(&str, &str)] =
    &[("query_max_len", "passage_max_len"), ("query_max_length", "passage_max_length"), ("q_max_len", "p_max_len")];

impl Interpreter<'_> {
    /// Adds the length of a row of a decoder: prompt and answer follow each other. An encoder gets the prompt, its decoder the answer.
    pub(super) fn collect_joined_lengths(&mut self, reads: &[Read]) {
        let decodes =
            |class: &str| ["ForCausalLM", "ForSequenceClassification", "LMHeadModel"].iter().any(|end| class.contains(end));
        let trained = |fits: &dyn Fn(&str) -> bool| {
            let mut trained = self.facts.models.iter().filter(|model| model.is_trained()).peekable();
            trained.peek().is_some() && trained.all(|model| fits(&model.class))
        };
        let translates = trained(&is_encoder_decoder);
        let embeds = trained(&|class| class.split('.').any(|part| part == "AutoModel"));
        if !translates && !embeds && !trained(&decodes) {
            return;
        }
        let read = |wanted: &str| {
            let mut found = reads.iter().filter(|read| {
                read.alternative.source.path.last().is_some_and(|name| name == wanted) && read.alternative.condition.is_none()
            });
            let first = found.next()?;
            let number = first.alternative.scalar().and_then(Value::as_int)?;
            let same = found.all(|read| read.alternative.scalar().and_then(Value::as_int) == Some(number));
            same.then(|| (first.alternative.clone(), number))
        };
        let length = |wanted: &str| read(wanted).or_else(|| self.option_length(wanted));
        if embeds {
            let both = SEPARATE.iter().find_map(|(query, passage)| Some((length(query)?, length(passage)?, *query, *passage)));
            if let Some(((first, query), (_, passage), one, other)) = both
                && query == passage
            {
                self.add_number(Concept::SequenceLength, first, format!("{one} = {other}"), query);
            }
            return;
        }
        let both = PAIRS.iter().find_map(|(source, target)| Some((length(source)?, length(target)?, *source, *target)));
        let Some(((first, prompt), (second, answer), source, target)) = both else { return };
        if translates {
            self.add_number(Concept::SequenceLength, first, source.to_owned(), prompt);
            self.add_number(Concept::TargetLength, second, target.to_owned(), answer);
        } else {
            self.add_number(Concept::SequenceLength, first, format!("{source} + {target}"), prompt.saturating_add(answer));
        }
    }

    /// Adds a number whose name means nothing on a command line alone: what the code does with it says what it is.
    pub(super) fn add_number(&mut self, concept: Concept, mut alternative: Alternative, name: String, number: i64) {
        let mut written = (*alternative.source).clone();
        written.name = name;
        written.option = None;
        alternative.source = written.into();
        let candidate = self.candidates().candidate(&alternative, Resolved::Known(Value::Int(number)), None);
        self.candidates().push(concept, Strength::Used, candidate);
    }

    /// The length that an option of this name has: a function that reads it may run where this does not follow.
    fn option_length(&self, name: &str) -> Option<(Alternative, i64)> {
        let option = self.facts.options.iter().find(|option| option.dest == name)?;
        let default = AbstractValue::located(ValueKind::Scalar(option.default.clone()?), option.default_place?);
        let value = self.command_line.as_option_value(default, &option.dest, &option.names, &OptionForm::default());
        let alternative = value.single()?.clone();
        let number = alternative.scalar().and_then(Value::as_int)?;
        Some((alternative, number))
    }
}

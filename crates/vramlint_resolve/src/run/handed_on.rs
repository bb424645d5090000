//! Arguments that a script parses and does not hand on: the trainer then has the defaults of its own arguments.

use super::precedence::{CandidateSet, SourceLayer};
use super::sources::defaults::trains_unsloths_model;
use crate::code::{ArgValue, CodeFacts, LibraryCall, library};
use crate::launch::is_model_to_fill_in;
use crate::setting::{Candidate, Origin, Resolved};
use vramlint_base::{FileRange, Value, message};
use vramlint_catalog::{Concept, Dialect, LibraryVersions, dialect};

/// What the fields of `transformers.TrainingArguments` set, and nothing else of a trainer.
const OF_ARGUMENTS: &[Concept] = &[
    Concept::MicroBatch,
    Concept::GradientAccumulationSteps,
    Concept::Epochs,
    Concept::LearningRate,
    Concept::Optimizer,
    Concept::MixedPrecision,
    Concept::MaxGradNorm,
    Concept::DataloaderWorkers,
];

/// Drops what is only parsed or declared, if the arguments of every trainer are made in one call that shows all of them.
pub(super) fn drop_what_stays_behind(candidates: &mut CandidateSet, launcher: &CandidateSet, code: &CodeFacts) {
    if !made_in_full(code) {
        return;
    }
    for concept in OF_ARGUMENTS {
        if candidates.has_decided(*concept) {
            continue;
        }
        for (layer, candidate) in candidates.take(*concept) {
            let parsed = matches!(
                layer,
                SourceLayer::Flag | SourceLayer::OptionDefault | SourceLayer::Constant | SourceLayer::FieldDefault
            );
            if !parsed || launcher.has_place(*concept, candidate.origin.place()) {
                candidates.add(*concept, layer, candidate);
            }
        }
    }
}

/// Makes the name of a model unknown that the reader has to fill in.
pub(super) fn doubt_model_to_fill_in(candidates: &mut CandidateSet) {
    for (layer, mut candidate) in candidates.take(Concept::Model) {
        if candidate.known().and_then(Value::as_str).is_some_and(is_model_to_fill_in) {
            candidate.value = Resolved::Unknown(message!("it stands for a path to fill in", "它是待填写的路径"));
        }
        candidates.add(Concept::Model, layer, candidate);
    }
}

/// Makes quantization unknown that the script's own switch turns on without a word on its kind, or that the defaults of its options
/// only offer, if nothing visible quantizes.
pub(super) fn doubt_offered_quantization(candidates: &mut CandidateSet) {
    let concept = Concept::Quantization;
    if candidates.has_decided(concept) {
        return;
    }
    for (layer, mut candidate) in candidates.take(concept) {
        if candidate.known() == Some(&Value::Bool(true)) {
            candidate.value = Resolved::Unknown(message!(
                "the switch does not tell the kind of quantization, and nothing visible quantizes the model",
                "该开关未说明量化类型，且看不到对模型进行量化的代码"
            ));
        }
        let offered = matches!(layer, SourceLayer::OptionDefault | SourceLayer::Constant | SourceLayer::FieldDefault);
        let quantizes = candidate.known().and_then(Value::as_str).is_some_and(|kind| kind != "none");
        if offered && quantizes {
            candidate.value = Resolved::Unknown(message!(
                "the script offers it, and nothing visible quantizes the model",
                "脚本提供了该选项，但看不到对模型进行量化的代码"
            ));
        }
        candidates.add(concept, layer, candidate);
    }
}

/// Drops longer lengths that TRL's arguments do not get: it cuts samples to its own default.
pub(super) fn drop_longer_sequences(
    candidates: &mut CandidateSet,
    dialect: Dialect,
    task: Option<&str>,
    versions: &LibraryVersions,
) {
    let concept = Concept::SequenceLength;
    if dialect != Dialect::Trl || candidates.has_decided(concept) {
        return;
    }
    let Some(limit) = dialect::default_of(dialect, concept, task, versions).and_then(|(value, _)| value.as_int()) else { return };
    let taken = candidates.take(concept);
    // The tokenizer's own limit is no argument of TRL.
    let of_tokenizer = |origin: &Origin| matches!(origin, Origin::File { key_path, .. } if key_path == "model_max_length");
    let is_longer = |value: Option<&Value>| value.and_then(Value::as_int).is_some_and(|length| length > limit);
    for (layer, candidate) in taken {
        let stays_behind = layer == SourceLayer::Constant || of_tokenizer(&candidate.origin);
        if !(stays_behind && is_longer(candidate.known())) {
            candidates.add(concept, layer, candidate);
        }
    }
}

/// Settles which length counts where Unsloth loads the model and a trainer of TRL has a length of its own: SFT cuts its rows to the
/// length of the model too (unsloth 2026.10.9 `models/rl.py`); the other trainers cut to their own.
pub(super) fn settle_unsloths_length(candidates: &mut CandidateSet, code: &CodeFacts, task: Option<&str>) {
    let Some(task) = task.filter(|_| trains_unsloths_model(code)) else { return };
    let loads = code.models.iter().filter(|load| load.trained == Some(true) && library(&load.class) == Some("unsloth"));
    let given = loads.flat_map(|load| &load.arguments).filter(|(key, ..)| key == "max_seq_length");
    let places: Vec<FileRange> = given.map(|(_, _, place)| *place).collect();
    let of_model = |candidate: &Candidate| {
        candidate.condition.is_none() && candidate.origin.place().is_some_and(|place| places.contains(&place))
    };
    let taken = candidates.take(Concept::SequenceLength);
    let limit = taken.iter().find(|(_, candidate)| of_model(candidate));
    let length = limit.and_then(|(_, candidate)| candidate.known()?.as_int());
    let layer_of_model = limit.map(|(layer, _)| *layer);
    let of_trainer = |(layer, candidate): &&(SourceLayer, Candidate)| {
        Some(*layer) == layer_of_model && !of_model(candidate) && candidate.known().is_some()
    };
    let has_own = task != "sft" && taken.iter().any(|one| of_trainer(&one));
    for (layer, candidate) in taken {
        let is_longer = candidate.known().and_then(Value::as_int).zip(length).is_some_and(|(own, length)| own > length);
        let is_dropped = if task == "sft" { is_longer } else { has_own && of_model(&candidate) };
        if !is_dropped {
            candidates.add(Concept::SequenceLength, layer, candidate);
        }
    }
}

/// Whether the arguments of every trainer come from calls in the code of which each argument is visible.
fn made_in_full(code: &CodeFacts) -> bool {
    let mut trainers = code.calls.iter().filter(|call| !call.uncalled && is_trainer(call)).peekable();
    trainers.peek().is_some() && trainers.all(|trainer| made_for(trainer, code).is_some_and(shows_all))
}

fn is_trainer(call: &LibraryCall) -> bool {
    let library = ["transformers.", "trl."].iter().any(|library| call.path.starts_with(library));
    library && call.path.rsplit('.').next().is_some_and(|name| name.ends_with("Trainer"))
}

/// The call that makes the arguments of a trainer.
fn made_for<'c>(trainer: &LibraryCall, code: &'c CodeFacts) -> Option<&'c LibraryCall> {
    let argument =
        trainer.arguments.iter().find(|argument| argument.name.as_deref() == Some("args") || argument.position == Some(1))?;
    match argument.values.as_slice() {
        [value] => match value.value {
            ArgValue::ResultOf(index) => code.calls.get(index),
            _ => None,
        },
        _ => None,
    }
}

fn shows_all(call: &LibraryCall) -> bool {
    let is_arguments = call.path.ends_with("TrainingArguments") || call.path.starts_with("trl.") && call.path.ends_with("Config");
    is_arguments && !call.open && !call.is_subclass && call.unpacked_block.is_none() && call.assigned.is_empty()
}

/// Whether the arguments of a trainer of TRL are those of transformers, whose defaults then hold.
pub(super) fn has_plain_arguments(code: &CodeFacts) -> bool {
    let of_trl = |path: &str| path.starts_with("trl.") && path.ends_with("Config") && path != "trl.ModelConfig";
    let plain = |path: &str| path.starts_with("transformers.") && path.ends_with("TrainingArguments");
    let paths = || {
        let classes = code.argument_classes.iter().map(|class| class.name.as_str());
        classes.chain(code.calls.iter().filter(|call| !call.uncalled).map(|call| call.path.as_str()))
    };
    paths().any(plain) && !paths().any(of_trl)
}

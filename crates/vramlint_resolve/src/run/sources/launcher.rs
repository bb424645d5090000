//! Candidates from a launcher and its file: processes, machines and devices.

use super::super::precedence::{CandidateSet, SourceLayer, known, unknown};
use super::cli::{self, candidate_from_word};
use crate::SourceFile;
use crate::code::CodeFacts;
use crate::launch::{Launch, LaunchFlag};
use crate::setting::{Origin, Resolved};
use vramlint_base::{FileRange, Value, message};
use vramlint_catalog::Concept;
use vramlint_catalog::flags::{self, Flag, Launcher};

/// Settings that belong to the launch itself. Other settings of the launcher are added where they take effect.
const OWN: &[Concept] =
    &[Concept::NumProcesses, Concept::NumMachines, Concept::GpuIds, Concept::DistributedType, Concept::MixedPrecision];

/// Keys of accelerate's file and what they mean.
const KEYS: &[(&str, Concept)] = &[
    ("num_processes", Concept::NumProcesses),
    ("num_machines", Concept::NumMachines),
    ("gpu_ids", Concept::GpuIds),
    ("distributed_type", Concept::DistributedType),
    ("mixed_precision", Concept::MixedPrecision),
];

/// Adds what launcher, environment, file and code set for processes, machines and devices.
pub(in crate::run) fn add(
    candidates: &mut CandidateSet,
    launch: Option<&Launch>,
    accelerate: Option<&SourceFile>,
    code: Option<&CodeFacts>,
) {
    if let Some(launch) = launch {
        add_flags(candidates, launch);
        add_passed_on(candidates, launch);
        add_visible(candidates, launch);
    }
    if let Some(file) = accelerate {
        let loader = super::data_file::loader_of(file, crate::FileKind::Accelerate);
        for (key, concept) in KEYS {
            if let Some(candidate) = super::data_file::candidate_at(file, &[key], loader) {
                candidates.add(*concept, SourceLayer::File, candidate);
            }
        }
    }
    for (name, value, place) in code.iter().flat_map(|code| &code.environment) {
        if name == "CUDA_VISIBLE_DEVICES" {
            let origin = Origin::Code { place: *place, name: name.clone() };
            let candidate = match value {
                Some(value) => known(Value::Text(value.to_string()), value.to_string(), origin),
                None => unknown(message!("the program sets it at run time", "其值由程序在运行时设置"), "", origin),
            };
            candidates.add(Concept::VisibleDevices, SourceLayer::Decided, candidate);
        }
    }
}

fn add_flags(candidates: &mut CandidateSet, launch: &Launch) {
    let mut seen = Vec::new();
    for found in launch.flags.iter().rev() {
        let Some(flag) = flags::flag(launch.launcher, &found.name) else { continue };
        // `--include` of the deepspeed launcher is a filter with its own syntax.
        let filter = launch.launcher == Launcher::DeepSpeed && flag.concept == Some(Concept::GpuIds);
        let Some(concept) = flag.concept.filter(|concept| OWN.contains(concept) && !filter) else { continue };
        if !seen.contains(&concept) {
            seen.push(concept);
            add_flag(candidates, launch, found, flag, concept);
        }
    }
}

fn add_flag(candidates: &mut CandidateSet, launch: &Launch, found: &LaunchFlag, flag: &Flag, concept: Concept) {
    let origin = Origin::Flag { place: FileRange::new(launch.file, found.word), flag: found.name.clone() };
    let candidate = match (flag.implied, found.values.first()) {
        (Some(value), _) => known(Value::Text(value.to_owned()), found.name.clone(), origin),
        (None, Some(word)) => {
            let mut candidate = candidate_from_word(launch, word, &found.name);
            // torchrun's elastic form `1:4`: any number between.
            if let Some((low, high)) = word.text().and_then(|text| text.split_once(':'))
                && low == high
                && let Ok(n) = low.parse()
            {
                candidate.value = Resolved::Known(Value::Int(n));
            }
            candidate
        }
        (None, None) => unknown(message!("the flag has no value", "该参数没有值"), "", origin),
    };
    candidates.add(concept, SourceLayer::Flag, candidate);
}

/// `trl sft` and `axolotl train` pass unknown options on to the launcher that they start.
fn add_passed_on(candidates: &mut CandidateSet, launch: &Launch) {
    if !launch.launcher.starts_accelerate || launch.launcher == Launcher::Accelerate {
        return;
    }
    for option in launch.options() {
        let name = format!("--{}", option.name);
        let flag = flags::flag(launch.launcher, &name).or_else(|| flags::flag(Launcher::Torchrun, &name));
        let Some(flag) = flag else { continue };
        let Some(concept) = flag.concept.filter(|concept| OWN.contains(concept)) else { continue };
        let place = option.value.as_ref().map_or(option.word, |value| value.range);
        let origin = Origin::Flag { place: FileRange::new(launch.file, place), flag: name.clone() };
        let candidate = match (flag.implied, &option.value) {
            (Some(value), _) => known(Value::Text(value.to_owned()), name, origin),
            (None, Some(value)) => cli::candidate_from_value(value, origin),
            (None, None) => unknown(message!("the flag has no value", "该参数没有值"), "", origin),
        };
        candidates.add(concept, SourceLayer::Flag, candidate);
    }
}

fn add_visible(candidates: &mut CandidateSet, launch: &Launch) {
    let Some(visible) = launch.variable("CUDA_VISIBLE_DEVICES") else { return };
    let origin = Origin::Env { name: visible.name.clone(), place: launch.variable_place(visible) };
    let candidate = match visible.value.text() {
        Some(text) => known(Value::Text(text.to_owned()), text, origin),
        None => unknown(message!("not set in the script", "脚本中没有给出"), "", origin),
    };
    candidates.add(Concept::VisibleDevices, SourceLayer::Environment, candidate);
}

//! Candidates for how the states of a training are sharded: accelerate's FSDP and parallelism blocks, DeepSpeed's buckets.
//!
//! Sources: accelerate 1.15.0 `commands/launch.py` and `utils/dataclasses.py`, transformers 5.23.0 `integrations/deepspeed.py`.

use super::super::auto_values::ENGINE;
use super::super::precedence::{CandidateSet, SourceLayer, arithmetic, known, unknown};
use super::defaults::add_default;
use crate::launch::Launch;
use crate::setting::{Origin, Setting};
use crate::{FileKind, SourceFile};
use std::collections::BTreeMap;
use vramlint_base::value_readers::argparse_word;
use vramlint_base::{Value, message};
use vramlint_catalog::{Concept, Dialect, LibraryVersions, dialect};

/// FSDP settings that have a default in accelerate (accelerate 1.15.0 commands/launch.py); more by version below.
const FSDP: &[Concept] = &[Concept::FsdpWrap, Concept::FsdpOffload, Concept::FsdpActivationCheckpointing];

/// Adds the settings of DeepSpeed's file beyond the stage.
pub(in crate::run) fn add_engine_file(candidates: &mut CandidateSet, file: &SourceFile, trainer: bool) {
    let Some(root) = file.data().and_then(vramlint_syntax::data::DataFile::root) else { return };
    let loader = super::data_file::loader_of(file, FileKind::DeepSpeed);
    crate::kind::visit_scalars(root, &mut Vec::new(), &mut 2_000, &mut |path, node| {
        let Some(value) = node.value(loader) else { return };
        let Some(meaning) = dialect::meaning(Dialect::DeepSpeed, path, &value) else { return };
        let clipping = meaning.concept == Concept::MaxGradNorm;
        if clipping || ENGINE.contains(&meaning.concept) {
            let candidate = super::data_file::candidate(file, root, path, node, meaning.value, &path.join("."));
            // The trainer raises an error for a norm that differs from its own argument.
            candidates.add(
                meaning.concept,
                if clipping && trainer { SourceLayer::Decided } else { SourceLayer::Engine },
                candidate,
            );
        }
    });
}

/// Adds DeepSpeed's own defaults. Only for runs all of whose DeepSpeed settings are in the project.
pub(in crate::run) fn add_engine_defaults(candidates: &mut CandidateSet, versions: &LibraryVersions) {
    for concept in ENGINE {
        add_default(candidates, Dialect::DeepSpeed, *concept, versions);
    }
}

/// Adds accelerate's blocks and the flags that set their keys; `replaced` drops the parallelism block.
pub(in crate::run) fn add_accelerate(
    candidates: &mut CandidateSet,
    launch: Option<&Launch>,
    file: Option<&SourceFile>,
    replaced: bool,
    versions: &LibraryVersions,
) {
    let kind = candidates.current_value(Concept::DistributedType).and_then(Value::as_str).map(str::to_owned);
    let (fsdp, deepspeed) = (kind.as_deref() == Some("FSDP"), kind.as_deref() == Some("DEEPSPEED"));
    let holds = |path: &[&str]| match path.first() {
        Some(&"fsdp_config") => fsdp,
        Some(&"deepspeed_config") => deepspeed,
        Some(&"parallelism_config") => !replaced,
        _ => false,
    };
    if let Some(launch) = launch.filter(|launch| launch.launcher.starts_accelerate) {
        add_flags(candidates, launch, &holds);
    }
    if let Some(file) = file
        && let Some(root) = file.data().and_then(vramlint_syntax::data::DataFile::root)
    {
        let loader = super::data_file::loader_of(file, FileKind::Accelerate);
        crate::kind::visit_scalars(root, &mut Vec::new(), &mut 2_000, &mut |path, node| {
            let Some(value) = node.value(loader).filter(|_| holds(path)) else { return };
            if let Some(meaning) = dialect::meaning(Dialect::Accelerate, path, &value).filter(|found| is_own(found.concept)) {
                let candidate = super::data_file::candidate(file, root, path, node, meaning.value, &path.join("."));
                candidates.add(meaning.concept, SourceLayer::LauncherFile, candidate);
            }
        });
    }
    if fsdp {
        fsdp_of_version(candidates, versions);
    }
}

/// Whether a setting is added here: the `ZeRO` stage and its kin come from [`super::deepspeed`].
const fn is_own(concept: Concept) -> bool {
    !matches!(
        concept,
        Concept::ZeroStage | Concept::OffloadOptimizer | Concept::OffloadParam | Concept::GradientAccumulationSteps
    )
}

/// `--fsdp_offload_params true` is the key `fsdp_config.fsdp_offload_params`.
fn add_flags(candidates: &mut CandidateSet, launch: &Launch, holds: &dyn Fn(&[&str]) -> bool) {
    let words = launch.flags.iter().filter_map(|flag| Some((flag.name.clone(), flag.values.first()?.clone())));
    for (flag, word) in words {
        let name = flag.trim_start_matches('-').replace('-', "_");
        let block = match name.split('_').next() {
            Some("fsdp") => "fsdp_config",
            Some("parallelism") => "parallelism_config",
            Some("gradient" | "zero3") => "deepspeed_config",
            _ => continue,
        };
        let path = [block, name.as_str()];
        let value = word.text().map(argparse_word);
        let probe = value.clone().unwrap_or(Value::Int(1));
        let Some(meaning) =
            dialect::meaning(Dialect::Accelerate, &path, &probe).filter(|found| is_own(found.concept) && holds(&path))
        else {
            continue;
        };
        let mut candidate = super::cli::candidate_from_word(launch, &word, &flag);
        if value.is_some() {
            candidate.value = crate::Resolved::Known(meaning.value);
        }
        candidates.add(meaning.concept, SourceLayer::LauncherFlag, candidate);
    }
}

/// FSDP 1 uses the strategy and ignores `reshard_after_forward`; FSDP 2 the other way round (accelerate 1.15.0
/// utils/dataclasses.py:1845).
fn fsdp_of_version(candidates: &mut CandidateSet, versions: &LibraryVersions) {
    add_default(candidates, Dialect::Accelerate, Concept::FsdpVersion, versions);
    let two = match candidates.current_value(Concept::FsdpVersion) {
        Some(value) => value.as_int() == Some(2) || value.as_str() == Some("2"),
        // An unknown version leaves both open.
        None => return,
    };
    let (own, ignored) =
        if two { (Concept::FsdpReshard, Concept::FsdpSharding) } else { (Concept::FsdpSharding, Concept::FsdpReshard) };
    candidates.take(ignored);
    for concept in FSDP.iter().chain([&own]) {
        add_default(candidates, Dialect::Accelerate, *concept, versions);
    }
    let source = "accelerate 1.15.0 accelerate/utils/dataclasses.py:2056".to_owned();
    let name = if two { "SHARDED_STATE_DICT" } else { "FULL_STATE_DICT" };
    let default = known(Value::Text(name.to_owned()), "", Origin::Default { tool: "accelerate", source });
    candidates.add(Concept::FsdpStateDict, SourceLayer::Default, default);
}

/// The strategy that is equivalent to FSDP 2's `reshard_after_forward` (accelerate 1.15.0 utils/dataclasses.py).
pub(in crate::run) fn derive_strategy(settings: &mut BTreeMap<Concept, Setting>) {
    let two = settings.get(&Concept::FsdpVersion).and_then(Setting::value).and_then(Value::as_int) == Some(2);
    let reshard = settings.get(&Concept::FsdpReshard).and_then(Setting::value).and_then(Value::as_bool);
    if let Some(reshard) = reshard.filter(|_| two && !settings.contains_key(&Concept::FsdpSharding)) {
        let name = if reshard { "FULL_SHARD" } else { "SHARD_GRAD_OP" };
        let formula = arithmetic(format!("reshard_after_forward = {reshard}"));
        let origin = Origin::Derived { formula, inputs: vec![Concept::FsdpVersion, Concept::FsdpReshard] };
        let candidate = known(Value::Text(name.to_owned()), "", origin);
        settings.insert(Concept::FsdpSharding, Setting { candidates: vec![candidate], winner: Some(0), precedence: None });
    }
}

/// Turns checkpointing on that FSDP's plugin applies, where the trainer's own argument is left at its default
/// (accelerate 1.15.0 accelerator.py `prepare_model`).
pub(in crate::run) fn derive_checkpointing(settings: &mut BTreeMap<Concept, Setting>) {
    let by_plugin = settings.get(&Concept::FsdpActivationCheckpointing).and_then(Setting::value).and_then(Value::as_bool);
    let own = settings.get(&Concept::GradientCheckpointing).and_then(Setting::winning);
    let is_default = own.is_some_and(|own| matches!(own.origin, Origin::Default { .. }));
    if by_plugin == Some(true) && is_default {
        let formula = arithmetic("fsdp_activation_checkpointing = true".to_owned());
        let origin = Origin::Derived { formula, inputs: vec![Concept::FsdpActivationCheckpointing] };
        let candidate = known(Value::Bool(true), "", origin);
        settings
            .insert(Concept::GradientCheckpointing, Setting { candidates: vec![candidate], winner: Some(0), precedence: None });
    }
}

/// Adds the allocator's environment variables; the older name wins (torch 2.15, measured).
pub(in crate::run) fn add_allocator(
    candidates: &mut CandidateSet,
    launch: Option<&Launch>,
    code: Option<&crate::code::CodeFacts>,
) {
    for name in ["PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"] {
        let decided = |why: &str| why == name;
        if let Some(launch) = launch
            && let Some(variable) = launch.variable(name)
        {
            let origin = Origin::Env { name: name.to_owned(), place: launch.variable_place(variable) };
            let mut candidate = match variable.value.text() {
                Some(text) => known(Value::Text(text.to_owned()), text, origin),
                None => unknown(message!("not set in the script", "脚本中没有给出"), "", origin),
            };
            candidate.assumptions = super::cli::assumptions(&variable.value);
            candidates.add(Concept::AllocatorConf, SourceLayer::Environment, candidate);
        }
        for (_, value, place) in code.iter().flat_map(|code| &code.environment).filter(|known| decided(&known.0)) {
            let origin = Origin::Code { place: *place, name: name.to_owned() };
            let candidate = match value {
                Some(value) => {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    known(Value::Text(text.clone()), text, origin)
                }
                None => unknown(message!("the program sets it at run time", "其值由程序在运行时设置"), "", origin),
            };
            candidates.add(Concept::AllocatorConf, SourceLayer::Constant, candidate);
        }
        if candidates.has_explicit(Concept::AllocatorConf) {
            return;
        }
    }
}

//! Where vLLM generates. Two keys decide it: whether it is used at all, and in which mode.
//!
//! Source: trl 1.16.0 `trainer/grpo_config.py`. vLLM is not used unless `use_vllm` is true, and then runs in the training processes;
//! from 0.19 to 0.29 the default mode was `server`.

use super::precedence::{CandidateSet, SourceLayer};
use super::sources::defaults::add_default;
use crate::setting::{Candidate, Origin, Resolved};
use vramlint_base::{Value, message};
use vramlint_catalog::{Concept, Dialect, LibraryVersions, classes};

/// The catalog's value for `use_vllm: true`, which names no mode.
const IN_USE: &str = "in use";

/// The catalog's value for unsloth's `fast_inference`.
const IN_PROCESS: &str = "in process";

/// The catalog's value for what gives vLLM GPUs of its own, whatever else is set.
const APART: &str = "apart";

/// Combines the two keys into one setting.
pub(super) fn resolve_mode(candidates: &mut CandidateSet, dialect: Dialect, versions: &LibraryVersions) {
    let trl = dialect.has_vllm_mode_of_trl;
    if candidates.current_value(Concept::VllmMode).and_then(Value::as_str) == Some(IN_PROCESS) {
        return resolve_unsloth(candidates);
    }
    let (apart, shared): (Vec<_>, Vec<_>) =
        candidates.take(Concept::VllmMode).into_iter().partition(|(_, candidate)| has_value(candidate, APART));
    if !apart.is_empty() {
        for (layer, mut candidate) in apart {
            candidate.value = Resolved::Known(Value::Text("server".to_owned()));
            candidates.add(Concept::VllmMode, layer, candidate);
        }
        return;
    }
    let (switches, modes): (Vec<_>, Vec<_>) = shared.into_iter().partition(|(_, candidate)| is_switch(candidate));
    let on = switches.iter().any(|(_, candidate)| has_value(candidate, IN_USE));
    let named = modes.iter().any(|(layer, _)| *layer != SourceLayer::Default);
    // Other frameworks than TRL may turn it on in a way that is not seen; so may an unknown value.
    let open = named && !trl || modes.iter().any(|(_, candidate)| candidate.known().is_none());
    if !on && !open {
        // Not used, whatever the mode: TRL reads it only if `use_vllm` is true.
        for (layer, candidate) in switches {
            candidates.add(Concept::VllmMode, layer, candidate);
        }
        for (layer, candidate) in modes.into_iter().filter(|(layer, _)| *layer == SourceLayer::Default) {
            candidates.add(Concept::VllmMode, layer, candidate);
        }
        return;
    }
    // A condition or a contradiction among the switches stays visible; a switch that only turns vLLM on leaves the mode to the other key.
    let mixed = switches.iter().any(|(_, candidate)| has_value(candidate, "none") || candidate.condition.is_some());
    for (layer, candidate) in switches {
        if !has_value(&candidate, IN_USE) {
            candidates.add(Concept::VllmMode, layer, candidate);
        } else if !named || mixed {
            candidates.add(Concept::VllmMode, layer, with_default_mode(candidate, trl, versions));
        }
    }
    for (layer, candidate) in modes {
        candidates.add(Concept::VllmMode, layer, candidate);
    }
}

/// unsloth's `fast_inference` generates in the training process whatever else is set.
fn resolve_unsloth(candidates: &mut CandidateSet) {
    for (layer, mut candidate) in candidates.take(Concept::VllmMode) {
        if has_value(&candidate, IN_PROCESS) {
            candidate.value = Resolved::Known(Value::Text("colocate".to_owned()));
            candidates.add(Concept::VllmMode, layer, candidate);
        }
    }
}

/// The mode if no key names one.
fn with_default_mode(mut candidate: Candidate, trl: bool, versions: &LibraryVersions) -> Candidate {
    if trl && versions.get("trl").is_some() {
        let mode = classes::find("trl.GRPOConfig").and_then(|class| class.field("vllm_mode")?.default_in(versions));
        let unknown = || Resolved::Unknown(message!("`vllm_mode` is not set", "未设置 `vllm_mode`"));
        candidate.value = mode.map_or_else(unknown, |mode| Resolved::Known(Value::Text(mode.to_owned())));
    } else if trl {
        candidate.value = Resolved::Known(Value::Text("colocate".to_owned()));
        candidate.assumptions.push(message!(
            "`vllm_mode` is not set: colocate since TRL 1.0, server before",
            "未设置 `vllm_mode`：TRL 1.0 起默认为 colocate，此前为 server"
        ));
    } else {
        candidate.value = Resolved::Unknown(message!("`vllm_mode` is not set", "未设置 `vllm_mode`"));
    }
    candidate
}

/// Defaults that hold only if vLLM shares the GPU.
pub(super) fn add_defaults(candidates: &mut CandidateSet, dialect: Dialect, versions: &LibraryVersions) {
    if candidates.current_value(Concept::VllmMode).and_then(Value::as_str) != Some("colocate") {
        return;
    }
    for concept in [Concept::VllmGpuMemoryUtilization, Concept::VllmSleep] {
        add_default(candidates, dialect, concept, versions);
    }
}

fn has_value(candidate: &Candidate, word: &str) -> bool {
    candidate.known().and_then(Value::as_str) == Some(word)
}

fn is_switch(candidate: &Candidate) -> bool {
    has_value(candidate, IN_USE) || has_value(candidate, "none") && !matches!(candidate.origin, Origin::Default { .. })
}

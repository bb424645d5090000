//! Defaults: what holds for settings that are not written anywhere.

use super::super::handed_on;
use super::super::precedence::{CandidateSet, SourceLayer, known, unknown};
use crate::code::{CodeFacts, library};
use crate::setting::Origin;
use vramlint_base::{Value, message};
use vramlint_catalog::{Concept, Dialect, LibraryVersions, dialect};

/// Defaults of the framework, and of code that shows no accumulation.
pub(in crate::run) fn add(
    candidates: &mut CandidateSet,
    code: Option<&CodeFacts>,
    dialect: Dialect,
    task: Option<&str>,
    deepspeed: bool,
    versions: &LibraryVersions,
) {
    // A file says what it trains where the command does not.
    let stated = candidates.current_value(Concept::Task).and_then(Value::as_str).map(str::to_owned);
    let task = task.or(stated.as_deref().filter(|_| dialect.is_standalone));
    if dialect == Dialect::Trl {
        candidates.drop_precision_switched_off();
    }
    candidates.drop_switches_not_given();
    let adapters = candidates.has_explicit(Concept::LoraR)
        || candidates.current_value(Concept::Method).and_then(Value::as_str).is_some_and(|method| method.ends_with("lora"));
    // The trainer loads nothing if it gets a model: the default is that of the call that loads the model.
    let loads = || code.iter().flat_map(|code| &code.models).filter(|load| load.trained != Some(false));
    let loaded = loads().next().is_some();
    if let Some(load) =
        loads().find(|load| load.trained == Some(true)).filter(|_| !candidates.has_explicit(Concept::WeightsDtype))
    {
        let why = message!(
            "the code loads the model without a dtype: fp32 before transformers 5, the checkpoint's since",
            "代码加载模型时未指定 dtype：transformers 5 之前为 fp32，此后为检查点的类型"
        );
        let old = versions.get("transformers").is_some() && !versions.reaches("transformers", "5.0.0");
        let candidate = if old && library(&load.class) == Some("transformers") {
            let source = "transformers 4.57.0 modeling_utils.py from_pretrained".to_owned();
            known(Value::Text("fp32".to_owned()), "", Origin::Default { tool: "transformers", source })
        } else {
            unknown(why, "", Origin::Code { place: load.place, name: load.class.clone() })
        };
        candidates.add(Concept::WeightsDtype, SourceLayer::Default, candidate);
    }
    let plain = dialect == Dialect::Trl && code.is_some_and(handed_on::has_plain_arguments);
    let configured = code.is_some_and(|code| code.calls.iter().any(|call| !call.uncalled && call.path == "peft.LoraConfig"));
    // What `LoraConfig(**options)` gets is not known.
    let hides_adapters =
        code.is_some_and(|code| code.calls.iter().any(|call| !call.uncalled && call.open && call.path == "peft.LoraConfig"));
    // Unsloth loads in 4 bits by default and replaces the argument classes of TRL (unsloth 2026.10.9 models/loader.py, models/rl.py).
    let by_unsloth = code.is_some_and(trains_unsloths_model);
    let of_its_calls = |concept: Concept| {
        matches!(concept, Concept::Quantization | Concept::GradientCheckpointing) || concept.is_of_adapters() && !configured
    };
    let owner = |concept| match dialect {
        Dialect::Trl if by_unsloth && concept != Concept::Method => Dialect::Unsloth,
        Dialect::HfTrainer if by_unsloth && of_its_calls(concept) => Dialect::Unsloth,
        other => other,
    };
    let default_of = |concept: Concept| {
        // The script's own `LoraConfig` has the defaults of PEFT, whatever TRL's options say.
        let of_peft = configured && concept.is_of_adapters();
        let of_model = by_unsloth && of_its_calls(concept);
        let of_arguments =
            (plain && !of_model || of_peft).then(|| dialect::default_of(Dialect::HfTrainer, concept, task, versions)).flatten();
        of_arguments.or_else(|| dialect::default_of(owner(concept), concept, task, versions))
    };
    let is_adapted = |method: &Value| method.as_str().is_some_and(|method| method.ends_with("lora"));
    let adapters = adapters
        || !candidates.has_explicit(Concept::Method)
            && default_of(Concept::Method).is_some_and(|(method, _)| is_adapted(&method));
    for concept in Concept::ALL {
        let holds = match concept {
            concept if concept.is_of_adapters() => adapters && !hides_adapters,
            Concept::ZeroStage | Concept::OffloadOptimizer | Concept::OffloadParam => deepspeed,
            Concept::WeightsDtype => !loaded,
            Concept::Method => {
                !code.is_some_and(|code| code.may_freeze || code.adapters) && !loads_quantized_folder(candidates, code)
            }
            // Added if vLLM shares the GPU.
            Concept::VllmGpuMemoryUtilization | Concept::VllmSleep => false,
            // Added if it is known which plugin reads them.
            _ if concept.is_sharding() => false,
            _ => true,
        };
        if holds && let Some((value, source)) = default_of(*concept) {
            let origin = Origin::Default { tool: owner(*concept).framework().name, source };
            candidates.add(*concept, SourceLayer::Default, known(value, "", origin));
        }
    }
    let bare = code.and_then(|code| code.accelerator).is_some_and(|used| !used.sets_accumulation);
    if bare && !candidates.has_explicit(Concept::GradientAccumulationSteps) {
        // Without the argument nothing accumulates, unless the environment sets it (accelerate 1.15.0 accelerator.py:541).
        add_default(candidates, Dialect::Accelerate, Concept::GradientAccumulationSteps, versions);
    }
    if code.and_then(|code| code.accumulates) == Some(false) {
        let why = message!("the training loop steps once per micro-batch", "训练循环每个微批次更新一次");
        candidates.add(
            Concept::GradientAccumulationSteps,
            SourceLayer::Default,
            known(Value::Int(1), "", Origin::Assumed { why }),
        );
    }
}

/// Whether Unsloth loads what is trained. Its sentence transformers have defaults of their own.
pub(in crate::run) fn trains_unsloths_model(code: &CodeFacts) -> bool {
    let is_its = |class: &str| library(class) == Some("unsloth") && !class.contains("SentenceTransformer");
    code.models.iter().any(|load| load.trained == Some(true) && is_its(&load.class))
}

/// Whether quantized weights come from a folder: it may hold adapters, and without adapters nothing could be trained.
fn loads_quantized_folder(candidates: &CandidateSet, code: Option<&CodeFacts>) -> bool {
    let quantized = candidates.current_value(Concept::Quantization).and_then(Value::as_str).is_some_and(|kind| kind != "none");
    let is_folder = |name: &str| name.starts_with(['/', '.', '~']);
    let mut loads = code.into_iter().flat_map(|code| &code.models).filter(|load| load.trained != Some(false));
    quantized && loads.any(|load| load.model.as_ref().and_then(Value::as_str).is_some_and(is_folder))
}

/// Adds the default of one concept in the releases in use.
pub(in crate::run) fn add_default(candidates: &mut CandidateSet, dialect: Dialect, concept: Concept, versions: &LibraryVersions) {
    if let Some((value, source)) = dialect::default_of(dialect, concept, None, versions) {
        let origin = Origin::Default { tool: dialect.framework().name, source };
        candidates.add(concept, SourceLayer::Default, known(value, "", origin));
    }
}

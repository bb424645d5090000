//! Loading of experts and of their adapters.

use super::build::ModuleBuilder;
use super::modules::{ExpertAdapters, ExpertsModule, LoraFactors, MlpModule};
use crate::arch::{Experts, LegacyExpertNames, Router};
use crate::estimate::Part;
use crate::setup::{Dtype, Lora, Quantization, QuantizedExperts, Targets};
use crate::tape::Weight;

const SHARED_EXPERT: [&str; 3] = ["mlp.shared_expert.gate_proj", "mlp.shared_expert.up_proj", "mlp.shared_expert.down_proj"];
const SHARED_EXPERTS: [&str; 3] = ["mlp.shared_experts.gate_proj", "mlp.shared_experts.up_proj", "mlp.shared_experts.down_proj"];

/// What transformers calls the matrices of all experts.
const GATE_UP: &str = "gate_up_proj";
const DOWN: &str = "down_proj";

impl ModuleBuilder<'_> {
    /// Experts in three dimensions, and the shared one, whose layers quantization reaches.
    pub(super) fn experts(&self, e: &Experts) -> ExpertsModule {
        let h = self.hidden;
        let gated = e.shared.is_some_and(|shared| shared.gate);
        let names = if gated { SHARED_EXPERT } else { SHARED_EXPERTS };
        let router = self.plain(h, e.count, e.bias);
        if e.router == Router::BiasCorrected {
            let correction = self.tape.empty_as(e.count, 4, Part::Weights);
            self.tape.adopt(correction, [1, e.count], false);
        }
        let (gate_up, first) = (self.matrices(e.count * 2 * e.inner, h), e.bias.then(|| self.param([e.count, 2 * e.inner])));
        let (down, second) = (self.matrices(e.count * h, e.inner), e.bias.then(|| self.param([e.count, h])));
        ExpertsModule {
            router,
            gate_up,
            down,
            one_by_one: self.setup.quantized_experts == QuantizedExperts::OneByOne,
            biases: first.zip(second).map(|(first, second)| [first, second]),
            shared: e.shared.map(|shared| {
                Box::new(MlpModule::Gated {
                    gate: self.linear(h, shared.inner, false, names[0]),
                    up: Some(self.linear(h, shared.inner, false, names[1])),
                    down: self.linear(shared.inner, h, false, names[2]),
                })
            }),
            shared_gate: gated.then(|| self.linear(h, 1, false, "mlp.shared_expert_gate")),
            adapters: ExpertAdapters::default(),
        }
    }

    /// A matrix of every expert. What is dequantized has the type in which the matrices were loaded.
    fn matrices(&self, rows: u64, columns: u64) -> Weight {
        let id = self.param([rows, columns]);
        match self.setup.quantization {
            Quantization::FourBit { double } if self.setup.quantized_experts != QuantizedExperts::Left => {
                Weight::FourBit { id, double, compute: Some(self.width) }
            }
            _ => Weight::Plain(id),
        }
    }

    /// Adapts the experts of a block if PEFT matches its targets with them, by the names of the layers that they were or by their own.
    pub(super) fn adapt_experts(&self, module: &mut ExpertsModule, e: &Experts, lora: &Lora) {
        let names_parameter = |name: &str| match &lora.targets {
            Targets::AllLinear | Targets::LinearLayers => false,
            Targets::Named(targets) => targets.iter().any(|target| is_parameter_of_experts(target, name)),
        };
        let (names_gate_up, names_down) = (names_parameter(GATE_UP), names_parameter(DOWN));
        let wants = |name: &str| match &lora.targets {
            Targets::AllLinear => true,
            Targets::LinearLayers => false,
            Targets::Named(targets) => {
                targets.iter().any(|target| target == name || target.strip_suffix(name).is_some_and(|rest| rest.ends_with('.')))
            }
        };
        let width = lora.dtype.map_or(self.width, Dtype::bytes);
        let factors = |input: u64, output: u64, rank: u64| LoraFactors {
            down: self.tape.param([rank, input], width, true),
            up: self.tape.param([output, rank], width, true),
        };
        let [gate_up, down, router] = e.legacy_names.map_or([false; 3], |names| {
            let [gate, up, down] = names.experts();
            [wants(gate) && wants(up), wants(down), wants("gate")]
        });
        let ranks = lora.r * e.count;
        // Two projections in one, if both are named as such: twice the rank.
        let doubled = if gate_up { 2 * ranks } else { ranks };
        module.adapters = ExpertAdapters {
            router: router.then(|| factors(self.hidden, e.count, lora.r)),
            gate_up: (gate_up || names_gate_up).then(|| factors(self.hidden, 2 * e.inner, doubled)),
            down: (down || names_down).then(|| factors(e.inner, self.hidden, ranks)),
        };
    }
}

/// Whether `target` is the path, or its end, of the parameter `name` of the experts of a block, as `target_parameters` of PEFT names it
/// (peft 0.21.2 tuners/tuners_utils.py, `_inject_parameters`).
fn is_parameter_of_experts(target: &str, name: &str) -> bool {
    target
        .strip_suffix(name)
        .and_then(|rest| rest.strip_suffix("experts."))
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

impl LegacyExpertNames {
    /// What gate, up and down of an expert were called while they were layers.
    pub(super) fn experts(self) -> [&'static str; 3] {
        match self {
            Self::Mixtral => ["w1", "w3", "w2"],
            Self::Qwen => ["gate_proj", "up_proj", "down_proj"],
        }
    }
}

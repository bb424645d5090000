//! Optimizers by the names that frameworks use.

use super::Mapping;
use super::setting_range::ValueRange;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::setup::{Offload, Optimizer, Scheme};
use vramlint_resolve::code::LibraryCall;

/// torch's AdamW by class name: without arguments it uses its multi-tensor implementation on CUDA.
const CLASS: Optimizer = Optimizer::AdamWForeach;

/// The optimizer of this name: `transformers.OptimizerNames`, classes of torch, bitsandbytes, DeepSpeed and torchtune.
pub(super) fn by_name(name: &str) -> Option<Optimizer> {
    let class = name.trim().rsplit(['.', ':']).next().unwrap_or(name);
    let word = class.to_ascii_lowercase().replace('-', "_");
    Some(match word.as_str() {
        // transformers 5.23.0 training_args.py OptimizerNames.
        "adamw_torch_fused" | "fusedadam" => Optimizer::AdamWFused,
        "adamw_torch" | "adamw" | "adam" | "adamw_hf" | "adamw_anyprecision" | "deepspeedcpuadam" => CLASS,
        "adamw_bnb_8bit" | "adamw_8bit" | "adamw8bit" | "adam8bit" | "adamw_torch_8bit" => Optimizer::AdamW8bit,
        "paged_adamw_8bit" | "pagedadamw8bit" | "pagedadam8bit" => Optimizer::PagedAdamW8bit,
        "paged_adamw_32bit" | "paged_adamw" | "pagedadamw32bit" | "pagedadamw" | "pagedadam32bit" => Optimizer::PagedAdamW32bit,
        "lion_8bit" | "lion8bit" => Optimizer::Lion8bit,
        "paged_lion_8bit" | "pagedlion8bit" => Optimizer::PagedLion8bit,
        "lion_32bit" | "lion" | "lion32bit" | "fusedlion" => Optimizer::Lion,
        "adafactor" => Optimizer::Adafactor,
        "sgd" => Optimizer::Sgd,
        "sgd_momentum" => Optimizer::SgdMomentum,
        "adagrad" => Optimizer::Adagrad,
        "rmsprop" => Optimizer::RmsProp,
        "muon" | "muonwithauxadam" => Optimizer::Muon,
        _ => return None,
    })
}

/// State bytes per trained fp32 element, in hundredths. Only their order matters.
const fn weight(optimizer: Optimizer) -> u64 {
    match optimizer {
        Optimizer::AdamWForeach | Optimizer::AdamWForLoop => 1200,
        Optimizer::AdamWFused => 800,
        Optimizer::Muon | Optimizer::SgdMomentum | Optimizer::Lion | Optimizer::Adagrad | Optimizer::RmsProp => 400,
        Optimizer::AdamMini => 401,
        Optimizer::Galore | Optimizer::Apollo => 200,
        Optimizer::AdamW8bit => 203,
        Optimizer::Lion8bit => 102,
        Optimizer::PagedAdamW8bit
        | Optimizer::PagedAdamW32bit
        | Optimizer::PagedLion8bit
        | Optimizer::Adafactor
        | Optimizer::Sgd => 1,
    }
}

impl Mapping<'_> {
    pub(super) fn optimizer(&mut self) -> Result<(), Message> {
        let said = self.range(Concept::Optimizer, |value: &Value| by_name(value.as_str()?), weight);
        let choice = match said {
            Ok(Some(choice)) => choice,
            other => {
                if !self.is_chosen_by_switch() {
                    self.assume(match other {
                        Err(Message { en, zh }) => message!("{en}: assuming AdamW", "{zh}：按 AdamW 计"),
                        Ok(_) => message!("the optimizer is unknown: assuming AdamW", "优化器未知：按 AdamW 计"),
                    });
                }
                ValueRange { upper: Optimizer::AdamWFused, lower: Optimizer::Sgd, stated: false }
            }
        };
        let choice = self.implementation(choice);
        self.upper.optimizer = choice.upper;
        self.lower.optimizer = if choice.stated { choice.lower } else { Optimizer::Sgd };
        // With offloaded states, DeepSpeed's engine replaces a torch optimizer by its own.
        let offloaded = self.upper.parallel.offload_optimizer != Offload::None && self.upper.parallel.scheme != Scheme::None;
        if offloaded {
            self.both(|setup| setup.optimizer = Optimizer::AdamWForeach);
        }
        // transformers 5.23.0 trainer.py clips only to a norm above zero.
        let off = self.value(Concept::MaxGradNorm).and_then(Value::as_float).is_some_and(|norm| norm <= 0.0);
        let own_loop = matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate);
        let clips = if own_loop { self.code_calls("clip_grad_norm") } else { !off };
        // Loops of their own and recipes make the optimizer of bitsandbytes themselves.
        let own_states = own_loop || self.run.dialect.estimate.is_recipe;
        self.both(|setup| {
            setup.clip = clips;
            setup.narrow_embedding_states = own_states;
        });
        self.low_rank()?;
        self.optimizer_in_backward()
    }

    /// torch's Adam in the implementation that the code asks for: `fused=True`, `foreach=False`.
    fn implementation(&self, choice: ValueRange<Optimizer>) -> ValueRange<Optimizer> {
        let calls = self.run.code.iter().flat_map(|code| &code.calls).filter(|call| !call.uncalled);
        let momentum = |call: &LibraryCall| {
            let given = call.arguments.iter().find(|argument| argument.name.as_deref() == Some("momentum"));
            given.and_then(|argument| argument.values.first()?.to_value()?.as_float()).is_some_and(|share| share > 0.0)
        };
        if choice.upper == Optimizer::Sgd && calls.clone().any(|call| call.path == "torch.optim.SGD" && momentum(call)) {
            return ValueRange { upper: Optimizer::SgdMomentum, ..choice };
        }
        let mut own = calls.filter(|call| matches!(call.path.as_str(), "torch.optim.AdamW" | "torch.optim.Adam"));
        let asks = |call: &LibraryCall, name: &str, on: bool| {
            let given = call.arguments.iter().find(|argument| argument.name.as_deref() == Some(name));
            given.and_then(|argument| argument.values.first()?.to_value()) == Some(Value::Bool(on))
        };
        let Some(call) = own.next().filter(|_| choice.upper == CLASS && own.next().is_none()) else { return choice };
        let asked = if asks(call, "fused", true) {
            Optimizer::AdamWFused
        } else if asks(call, "foreach", false) {
            Optimizer::AdamWForLoop
        } else {
            return choice;
        };
        ValueRange { upper: asked, lower: if choice.lower == CLASS { asked } else { choice.lower }, ..choice }
    }

    /// Whether a switch chooses the optimizer, whatever its name.
    fn is_chosen_by_switch(&self) -> bool {
        ["use_galore", "use_apollo", "use_adam_mini"].iter().any(|key| self.enables(key, &[]))
    }

    /// Optimizers that switches of LLaMA-Factory (0.9.6 hparams/finetuning_args.py) and ms-swift (4.6 swift/arguments/tuner_args.py) choose.
    fn low_rank(&mut self) -> Result<(), Message> {
        let rank = |key: &str, usual: u64| self.given_text(key).and_then(|text| text.parse().ok()).unwrap_or(usual);
        // ms-swift 4.6.0.dev0 swift/arguments/tuner_args.py has another default.
        let usual = if self.run.dialect == Dialect::MsSwift { 128 } else { 16 };
        let (chosen, rank, by_layer) = if self.enables("use_galore", &[]) {
            (Optimizer::Galore, rank("galore_rank", usual), ["galore_layerwise", "galore_optim_per_parameter"])
        } else if self.enables("use_apollo", &[]) {
            (Optimizer::Apollo, rank("apollo_rank", usual), ["apollo_layerwise", "apollo_layerwise"])
        } else if self.enables("use_adam_mini", &[]) {
            (Optimizer::AdamMini, usual, ["", ""])
        } else {
            return Ok(());
        };
        let names = ["galore_quantization", "galore_with_embedding"];
        if let Some(name) = names.iter().find(|name| self.enables(name, &[])) {
            return Err(message!("estimates do not support {name}", "不支持估算 {name}"));
        }
        let projects = chosen != Optimizer::AdamMini;
        let scheme = self.upper.parallel.scheme;
        if projects && !matches!(scheme, Scheme::None | Scheme::Ddp) {
            return Err(message!(
                "estimates do not support projected gradients with sharded ones",
                "不支持估算分片梯度的低秩投影"
            ));
        }
        if projects {
            self.assume_unverified(message!(
                "the solver that decomposes gradients needs memory of its own, which does not count",
                "分解梯度的求解器所需的额外显存未计入"
            ));
        }
        let layerwise = by_layer.iter().any(|key| self.enables(key, &[]));
        if layerwise && scheme != Scheme::None {
            let name = by_layer[0];
            return Err(message!("estimates do not support {name} on several GPUs", "不支持估算多 GPU 上的 {name}"));
        }
        self.both(|setup| {
            setup.optimizer = chosen;
            setup.gradient_rank = rank;
            if layerwise {
                setup.optimizer_in_backward = true;
                setup.clip = false;
                setup.accumulation = 1;
            }
        });
        Ok(())
    }

    /// torchtune 0.7.0 refuses accumulation and clipping together with it (recipes/full_finetune_distributed.py).
    fn optimizer_in_backward(&mut self) -> Result<(), Message> {
        const KEY: &str = "optimizer_in_bwd";
        if !self.enables(KEY, &[]) {
            return Ok(());
        }
        if self.upper.parallel.scheme != Scheme::None {
            return Err(message!("estimates do not support {KEY} on several GPUs", "不支持估算多 GPU 上的 {KEY}"));
        }
        self.both(|setup| {
            setup.optimizer_in_backward = true;
            setup.clip = false;
            setup.accumulation = 1;
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_framework_are_known() {
        let cases = [
            ("adamw_torch_fused", Optimizer::AdamWFused),
            ("AdamW", Optimizer::AdamWForeach),
            ("torch.optim.AdamW", Optimizer::AdamWForeach),
            ("bitsandbytes.optim.PagedAdamW8bit", Optimizer::PagedAdamW8bit),
            ("adamw_bnb_8bit", Optimizer::AdamW8bit),
            ("paged_adamw_32bit", Optimizer::PagedAdamW32bit),
            ("DeepSpeedCPUAdam", Optimizer::AdamWForeach),
            ("SGD", Optimizer::Sgd),
            ("adafactor", Optimizer::Adafactor),
        ];
        for (name, optimizer) in cases {
            assert_eq!(by_name(name), Some(optimizer), "{name}");
        }
        assert_eq!(by_name("galore_adamw"), None);
    }
}

//! The optimizer by the names of every framework.

use super::Mapping;
use super::said::Choice;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::Dialect;
use vramlint_memory::setup::{Offload, Optimizer, Scheme};

/// Where torch's own AdamW stands for the name of a class: without arguments it takes its multi-tensor form on CUDA.
const CLASS: Optimizer = Optimizer::AdamWForeach;

/// The optimizer that a name means: `transformers.OptimizerNames`, classes of torch, bitsandbytes, DeepSpeed and torchtune.
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

/// Bytes of state for each trained number in fp32, in hundredths: enough to order them.
const fn weight(optimizer: Optimizer) -> u64 {
    match optimizer {
        Optimizer::AdamWForeach | Optimizer::AdamWForLoop => 1200,
        Optimizer::AdamWFused => 800,
        Optimizer::Muon | Optimizer::SgdMomentum | Optimizer::Lion | Optimizer::Adagrad | Optimizer::RmsProp => 400,
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
    pub(super) fn optimizer(&mut self) {
        let said = self.choice("optimizer", |value: &Value| by_name(value.as_str()?), weight);
        let choice = match said {
            Ok(Some(choice)) => choice,
            other => {
                self.assume(match other {
                    Err(Message { en, zh }) => message!("{en}: AdamW is taken", "{zh}：按 AdamW 计"),
                    Ok(_) => message!("the optimizer is not known: AdamW is taken", "优化器未知：按 AdamW 计"),
                });
                Choice { most: Optimizer::AdamWFused, least: Optimizer::Sgd, stated: false }
            }
        };
        self.most.optimizer = choice.most;
        self.least.optimizer = if choice.stated { choice.least } else { Optimizer::Sgd };
        // DeepSpeed's engine replaces a torch optimizer by its own where the states are offloaded.
        let offloaded = self.most.parallel.offload_optimizer != Offload::None && self.most.parallel.scheme != Scheme::None;
        if offloaded {
            self.both(|setup| setup.optimizer = Optimizer::AdamWForeach);
        }
        let clips = !matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate) || self.code_says("clip_grad_norm");
        self.both(|setup| setup.clip = clips);
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

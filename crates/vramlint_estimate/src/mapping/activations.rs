//! Checkpointing, attention, padding.

use super::Mapping;
use super::said::{setting, truth};
use vramlint_base::{Value, message};
use vramlint_catalog::Dialect;
use vramlint_memory::setup::{Attention, Checkpointing};

fn attention(value: &Value) -> Option<Attention> {
    let word = value.as_str()?.to_ascii_lowercase();
    match word.as_str() {
        "eager" => Some(Attention::Eager),
        "sdpa" | "auto" => Some(Attention::Sdpa),
        _ if word.contains("flash") || word.contains("flex") || word == "xformers" => Some(Attention::Flash),
        _ => None,
    }
}

const fn weight(attention: Attention) -> u64 {
    match attention {
        Attention::Eager => 2,
        Attention::Sdpa => 1,
        Attention::Flash => 0,
    }
}

impl Mapping<'_> {
    pub(super) fn activations(&mut self) {
        self.checkpointing();
        match self.choice("attention", attention, weight) {
            Ok(Some(choice)) => {
                self.most.attention = choice.most;
                self.least.attention = if choice.stated { choice.least } else { Attention::Flash };
            }
            // transformers 5.23.0 takes sdpa where the model has it.
            _ => self.least.attention = Attention::Flash,
        }
        if super::OFFLOADED_ACTIVATIONS.iter().any(|name| self.is_written(name, &["true", "True"])) {
            self.least.sequence_length = self.least.sequence_length.min(super::batch::SHORT);
            self.guess(message!("offloaded activations are counted as if they stayed", "卸载的激活值按留在显存中计"));
        }
        let several = self.most.micro_batch.saturating_mul(self.most.task.sequences_per_sample()) > 1;
        let padded = several && !self.is_on("packing") && !self.is_on("padding_free");
        self.most.padding_mask = padded;
        if padded {
            self.assume(message!("shorter rows are padded: attention gets a mask", "较短的行被填充：注意力带掩码"));
        }
        // A loop of the project's own calls the model with the cache that its config turns on; trainers and checkpointing switch it
        // off (transformers 5.23.0 training_args.py `use_cache`).
        let own = matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate);
        let cache = self.flag("use_cache", true).map_or(own, |choice| choice.most);
        self.most.use_cache = cache && self.most.checkpointing == Checkpointing::None;
    }

    fn checkpointing(&mut self) {
        let said = self.choice("gradient_checkpointing", truth, |on| u64::from(!on));
        let reentrant = self.is_on("checkpointing_reentrant");
        let kind = |on: bool| match (on, reentrant) {
            (false, _) => Checkpointing::None,
            (true, true) => Checkpointing::Reentrant,
            (true, false) => Checkpointing::NonReentrant,
        };
        let Ok(Some(choice)) = said else {
            let open = setting(self.run, "gradient_checkpointing").is_some();
            self.assume(if open {
                message!("gradient_checkpointing is not known: off is taken", "gradient_checkpointing 未知：按关闭计")
            } else {
                message!("no activation checkpointing is seen", "没有看到激活检查点")
            });
            self.least.checkpointing = Checkpointing::NonReentrant;
            return;
        };
        // unsloth has a switch of its own, which may say the opposite of the trainer's.
        let elsewhere = self.file_has("use_gradient_checkpointing") || self.code_says("use_gradient_checkpointing");
        if !choice.most && elsewhere {
            self.guess(message!(
                "two settings speak of activation checkpointing: off is taken",
                "有两处设置涉及激活检查点：按关闭计"
            ));
            self.least.checkpointing = Checkpointing::NonReentrant;
            return;
        }
        self.most.checkpointing = kind(choice.most);
        self.least.checkpointing = kind(choice.least || !choice.stated);
    }
}

//! Checkpointing, attention, padding.

use super::Mapping;
use super::setting_range::{ValueRange, boolean, setting};
use crate::models::Model;
use vramlint_base::{Value, message};
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::setup::{Attention, Checkpointing};
use vramlint_resolve::code::LibraryCall;
use vramlint_resolve::{Candidate, Origin};

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
    pub(super) fn activations(&mut self, model: &Model) {
        self.checkpointing();
        self.evaluation_mode();
        match self.asked_kernel().map_or_else(|| self.range(Concept::Attention, attention, weight), |asked| Ok(Some(asked))) {
            Ok(Some(choice)) => {
                self.upper.attention = choice.upper;
                self.lower.attention = if choice.stated { choice.lower } else { Attention::Flash };
            }
            // transformers 5.23.0 uses sdpa if the model supports it.
            _ => self.lower.attention = Attention::Flash,
        }
        let code = self.run.code.as_ref();
        let kernel = code.and_then(|code| code.attention_kernels.iter().find(|name| name.contains(&model.arch.model_type)));
        if let Some(name) = kernel.filter(|_| setting(self.run, Concept::Attention).is_none()) {
            let name = name.clone();
            self.assume(message!(
                "{name} puts a kernel in the place of attention, which keeps no scores",
                "{name} 用内核替换注意力，不保留分数"
            ));
            self.both(|setup| setup.attention = Attention::Flash);
        }
        // Unsloth's kernel of flex attention for sinks (28 August 2025, https://unsloth.ai/blog/gpt-oss-context).
        let versions = self.project.library_versions(self.run.place.file);
        if model.arch.has_sinks() && self.by_unsloth() && versions.reaches("unsloth", "2025.9.1") {
            self.assume(message!(
                "unsloth computes attention with sinks by a kernel, which keeps no scores",
                "unsloth 用内核计算带 sink 的注意力，不保留分数"
            ));
            self.both(|setup| setup.attention = Attention::Flash);
        }
        let by_key = super::OFFLOADED_ACTIVATIONS.iter().any(|name| self.enables(name, &["legacy", "disk", "hidden_states"]));
        if by_key || self.offloads_instead_of_checkpointing() {
            self.both(|setup| setup.checkpointing = Checkpointing::Offloaded);
            self.lower.sequence_length = self.lower.sequence_length.min(super::batch::SHORT);
            self.assume_unverified(message!(
                "activations are kept on the host: those of one block at a time count as GPU memory",
                "激活值保存在内存中：按同一时刻只有一个块的激活值占用显存计"
            ));
        }
        let several = self.upper.micro_batch.saturating_mul(self.upper.task.sequences_per_sample()) > 1;
        let own = matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate);
        let packed = self.is_on(Concept::Packing) || self.rows_are_blocks() || own && self.loop_passes_no_mask();
        let of_images = model.arch.image_tokens().is_some();
        let padded = several && !packed && !of_images && !self.is_on(Concept::PaddingFree);
        self.upper.padding_mask = padded;
        if padded {
            self.assume(message!("shorter sequences are padded, so attention uses a mask", "较短的样本会被填充：注意力带掩码"));
        }
        // A custom training loop calls the model with the cache that its config enables; trainers and checkpointing disable it
        // (transformers 5.23.0 training_args.py `use_cache`).
        let cache = self.flag(Concept::UseCache, true).map_or(own, |choice| choice.upper);
        // Code that takes the last hidden state drops the cache beside it.
        let cache = cache && !(own && (self.loop_needs_no_cache() || self.trains_headless_model()));
        self.upper.use_cache = cache && self.upper.checkpointing == Checkpointing::None;
        if own {
            self.upper.kept_outputs = self.loop_names_outputs();
            // Nothing else wraps the model of a loop without accelerate (accelerate 1.15.0 accelerator.py `prepare_model`).
            self.upper.outputs_to_fp32 = self.run.dialect == Dialect::Accelerate;
        }
        let late = own && self.upper.accumulation == 1 && self.loop_zeroes_after_forward();
        self.both(|setup| setup.zeroes_after_forward = late);
    }

    /// Whether a loop of the project's own may get rows that all have the same length, such as random ids. Texts never do: some step has a
    /// batch with a shorter row, and it needs the most memory.
    pub(super) fn may_have_even_rows(&self) -> bool {
        let own = matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate);
        own && !self.calls().any(|call| ["truncation", "padding"].iter().any(|name| call.keyword(name).is_some()))
    }

    /// A model as `from_pretrained` of transformers 5.23 returns it is in evaluation mode (modeling_utils.py). Unless something switches to
    /// training, it has no dropout, and blocks that are told to be checkpointed are not (modeling_layers.py).
    fn evaluation_mode(&mut self) {
        self.in_evaluation_mode = self.stays_in_evaluation_mode();
        if self.in_evaluation_mode {
            self.assume(message!(
                "nothing switches the loaded model to training: it has no dropout and no checkpoints",
                "没有代码把加载的模型切换到训练模式：没有 dropout，检查点也不生效"
            ));
            self.both(|setup| setup.checkpointing = Checkpointing::None);
        }
    }

    /// The attention that the run asks for with a kernel, if scores are written out in branches only: on machines without the kernel, or
    /// for what asks for none.
    fn asked_kernel(&self) -> Option<ValueRange<Attention>> {
        let setting = setting(self.run, Concept::Attention)?;
        let winner = setting.winning().filter(|winner| winner.condition.is_none())?;
        let asked = attention(winner.known()?).filter(|asked| *asked == Attention::Flash)?;
        let falls_back = |one: &Candidate| one.condition.is_some() && one.known().and_then(attention) == Some(Attention::Eager);
        let others =
            setting.candidates.iter().filter(|one| one.condition.is_some() && one.known().and_then(attention) != Some(asked));
        let stated = winner.assumptions.is_empty()
            && matches!(winner.origin, Origin::Code { .. } | Origin::File { .. } | Origin::Flag { .. });
        let is_fallback = others.clone().next().is_some() && others.into_iter().all(falls_back);
        is_fallback.then_some(ValueRange { upper: asked, lower: asked, stated })
    }

    /// Whether `prepare_model_for_kbit_training` of PEFT 0.21 switches checkpointing on without a word on its kind: it hands an empty
    /// dictionary to transformers 5.23, and torch 2.15 then takes the reentrant kind (utils/checkpoint.py).
    fn checkpoints_as_torch_does(&self) -> bool {
        const FUNCTION: &str = "prepare_model_for_kbit_training";
        let winner = setting(self.run, Concept::GradientCheckpointing).and_then(|setting| setting.winning());
        let by_peft = winner.is_some_and(|one| matches!(&one.origin, Origin::Code { name, .. } if name.starts_with(FUNCTION)));
        let calls = self.run.code.iter().flat_map(|code| &code.calls).filter(|call| call.path.ends_with(FUNCTION));
        let says = |call: &LibraryCall| {
            call.open || call.arguments.iter().any(|argument| argument.name.as_deref() == Some("gradient_checkpointing_kwargs"))
        };
        by_peft && !calls.into_iter().any(says)
    }

    /// Whether the way of checkpointing that is named keeps the inputs of blocks on the host: Axolotl 0.18.0 utils/schemas/config.py,
    /// unsloth_zoo 2026.8.1 gradient_checkpointing.py.
    fn offloads_checkpoints(&self) -> bool {
        let winner = setting(self.run, Concept::GradientCheckpointing).and_then(|setting| setting.winning());
        winner.is_some_and(|candidate| match candidate.raw.trim().trim_matches(['"', '\'']) {
            "unsloth" | "offload" | "offload_cpu" | "offload_disk" => true,
            _ => matches!(candidate.origin, Origin::Default { .. }) && self.by_unsloth(),
        })
    }

    /// Whether the word for checkpointing keeps activations of adapted models on the host instead: Axolotl's `gradient_checkpointing:
    /// offload`.
    fn offloads_instead_of_checkpointing(&self) -> bool {
        let winner = setting(self.run, Concept::GradientCheckpointing).and_then(|setting| setting.winning());
        let derived = winner.is_some_and(|candidate| matches!(candidate.origin, Origin::Derived { .. }));
        derived && self.run.dialect.offloads_instead.is_some()
    }

    fn checkpointing(&mut self) {
        // FSDP's plugin wraps blocks whatever the trainer's own switch says (accelerate 1.15.0 accelerator.py `prepare_model`).
        if self.is_fsdp() && self.is_on(Concept::FsdpActivationCheckpointing) {
            self.both(|setup| setup.checkpointing = Checkpointing::NonReentrant);
            return;
        }
        let said = self.range(Concept::GradientCheckpointing, boolean, |on| u64::from(!on));
        let reentrant = self.is_on(Concept::CheckpointingReentrant) || self.checkpoints_as_torch_does();
        let offloads = self.offloads_checkpoints();
        let kind = |on: bool| match (on, reentrant) {
            (false, _) => Checkpointing::None,
            (true, _) if offloads => Checkpointing::Offloaded,
            (true, true) => Checkpointing::Reentrant,
            (true, false) => Checkpointing::NonReentrant,
        };
        let Ok(Some(choice)) = said else {
            let open = self.has(Concept::GradientCheckpointing);
            self.assume(if open {
                message!("gradient_checkpointing is unknown: assuming off", "gradient_checkpointing 未知：按关闭计")
            } else {
                message!("no activation checkpointing found: assuming off", "没有找到激活检查点：按关闭计")
            });
            self.lower.checkpointing = Checkpointing::NonReentrant;
            return;
        };
        // unsloth has its own switch, which may contradict the trainer's.
        let elsewhere = self.has_key("use_gradient_checkpointing") || self.code_passes("use_gradient_checkpointing");
        if !choice.upper && elsewhere {
            self.assume_unverified(message!(
                "two settings control activation checkpointing: assuming off",
                "有两处设置控制激活检查点：按关闭计"
            ));
            self.lower.checkpointing = Checkpointing::NonReentrant;
            return;
        }
        self.upper.checkpointing = kind(choice.upper);
        self.lower.checkpointing = kind(choice.lower || !choice.stated);
    }
}

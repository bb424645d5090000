//! The type of the weights, and the type in which the step computes.

use super::Mapping;
use super::setting_range::{ValueRange, setting};
use crate::capacity::gpu_of;
use crate::models::Model;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::frameworks::Weights;
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::setup::{Dtype, Quantization, QuantizedExperts, Restored, Scheme, Task};
use vramlint_resolve::code::CastModules;
use vramlint_resolve::{Candidate, Origin};

/// A quantization by bitsandbytes or of the checkpoint.
fn quantization(value: &Value) -> Option<Quantization> {
    match value.as_str()?.to_ascii_lowercase().as_str() {
        "none" => Some(Quantization::None),
        "int8" => Some(Quantization::Int8),
        "nf4" | "fp4" => Some(Quantization::FourBit { double: false }),
        "nf4-double" | "fp4-double" => Some(Quantization::FourBit { double: true }),
        _ => None,
    }
}

fn dtype(value: &Value) -> Option<Dtype> {
    match value.as_str()?.to_ascii_lowercase().as_str() {
        "fp32" => Some(Dtype::Fp32),
        "bf16" => Some(Dtype::Bf16),
        "fp16" => Some(Dtype::Fp16),
        _ => None,
    }
}

/// Whether a candidate stands in the project.
fn is_written(candidate: &Candidate) -> bool {
    !matches!(candidate.origin, Origin::Default { .. } | Origin::Assumed { .. })
}

impl Mapping<'_> {
    /// Quantization, type of the weights, autocast. Needs adapters and sharding.
    pub(super) fn precision(&mut self, model: &Model) -> Result<(), Message> {
        self.quantize(model)?;
        let autocast = self.autocast(model);
        self.quantized_compute(autocast);
        let engine = self.is_engine();
        let stored = model.dtype.unwrap_or(Dtype::Bf16);
        let weights = self.weights(model, autocast);
        // DeepSpeed's engine casts the model to its own type and runs without autocast (deepspeed 0.19.8 runtime/engine.py).
        let (weights, autocast) = if engine {
            let own = autocast.unwrap_or(weights.upper);
            self.both(|setup| setup.parallel.master = true);
            (ValueRange { upper: own, lower: own, stated: true }, None)
        } else if self.is_fsdp() && autocast.is_some() && self.upper.lora.is_none() {
            // accelerate 1.15.0 accelerator.py keeps fp32 shards under mixed precision, while FSDP computes in the other type.
            (ValueRange { upper: Dtype::Fp32, lower: Dtype::Fp32, stated: true }, autocast)
        } else {
            (weights, autocast)
        };
        self.upper.weights = weights.upper;
        self.lower.weights = if weights.stated { weights.lower } else { smaller(stored, weights.lower) };
        self.both(|setup| setup.autocast = autocast);
        if autocast.is_none() && !engine {
            self.open_autocast();
        }
        let adapters = if engine { None } else { self.adapters_dtype() };
        self.both(|setup| {
            if let Some(lora) = &mut setup.lora {
                lora.dtype = adapters;
            }
        });
        Ok(())
    }

    /// Whether Axolotl ignores `load_in_4bit` (0.18.0 loaders/model.py, `_set_quantization_config`).
    fn leaves_four_bits(&self, model: &Model) -> bool {
        let trains_lora = self.text(Concept::Method).as_deref() == Some("lora");
        self.run.dialect == Dialect::Axolotl && trains_lora && model.prequantized.is_none()
    }

    fn quantize(&mut self, model: &Model) -> Result<(), Message> {
        let said = self.range(Concept::Quantization, quantization, |kind| match kind {
            Quantization::None => 3,
            Quantization::Int8 => 2,
            Quantization::FourBit { double: false } => 1,
            Quantization::FourBit { double: true } => 0,
        })?;
        let wants = self.text(Concept::Method).as_deref() == Some("qlora");
        let kind = match said {
            Some(ValueRange { upper: Quantization::None, stated: false, .. }) | None => match (model.prequantized, wants) {
                (Some(stored), _) => stored,
                (None, true) => {
                    self.assume(message!("qlora: assuming 4-bit with double quantization", "qlora：按 4 bit 加二次量化计"));
                    Quantization::FourBit { double: true }
                }
                (None, false) => Quantization::None,
            },
            Some(_) if self.loads_without_options() => Quantization::None,
            Some(ValueRange { upper: Quantization::FourBit { .. }, .. }) if self.leaves_four_bits(model) => {
                self.assume(message!(
                    "adapter: lora leaves the base as it is: Axolotl loads it in 4 bits for qlora only",
                    "adapter: lora 不量化基座：Axolotl 只为 qlora 以 4 bit 加载"
                ));
                Quantization::None
            }
            Some(choice) => choice.upper,
        };
        if kind != Quantization::None && self.upper.lora.is_none() {
            return Err(message!("a quantized model cannot be trained without adapters", "没有适配器时，量化模型无法训练"));
        }
        self.quantize_experts(model, kind)?;
        // Axolotl 0.18.0 loaders/model.py prepares adapters on a quantized base, then gives embeddings, norms and the head their type back;
        // under ZeRO-3 and FSDP it does neither. Scripts call the function.
        let is_gathered = self.upper.parallel.scheme == Scheme::Zero3 || self.is_fsdp();
        let by_framework = self.run.dialect.estimate.prepares_quantized && !is_gathered;
        // trl 1.16.0 experimental/orpo/orpo_trainer.py and experimental/cpo/cpo_trainer.py do the same to a base in 4 bits under bf16.
        let by_trl = self.run.dialect == Dialect::Trl && matches!(self.upper.task, Task::Orpo | Task::Simpo);
        let calls = self.code_calls("prepare_model_for_kbit_training");
        let prepared = kind != Quantization::None && (by_framework || by_trl || calls);
        let in_bf16 = self.text(Concept::MixedPrecision).as_deref() == Some("bf16");
        let restored = match kind {
            Quantization::None => Restored::Nothing,
            _ if by_framework => Restored::NormsToo,
            Quantization::FourBit { .. } if by_trl && in_bf16 => Restored::Embeddings,
            _ if calls => self.restored_by_code(),
            _ => Restored::Nothing,
        };
        self.both(|setup| {
            setup.quantization = kind;
            setup.kbit_prepare = prepared;
            setup.kbit_restored = restored;
        });
        Ok(())
    }

    /// What a loop over the modules gives half precision back.
    fn restored_by_code(&self) -> Restored {
        let halved = |modules| self.cast_by_code(modules).is_some_and(|dtype| dtype != Dtype::Fp32);
        match (halved(CastModules::Embeddings), halved(CastModules::Norms)) {
            (true, true) => Restored::NormsToo,
            (true, false) => Restored::Embeddings,
            _ => Restored::Nothing,
        }
    }

    /// The type that a loop over the modules gives those of a kind.
    fn cast_by_code(&self, modules: CastModules) -> Option<Dtype> {
        let casts = self.run.code.iter().flat_map(|code| &code.module_casts);
        match casts.rev().find(|cast| cast.modules == modules)?.dtype.as_str() {
            "bf16" => Some(Dtype::Bf16),
            "fp16" => Some(Dtype::Fp16),
            _ => Some(Dtype::Fp32),
        }
    }

    /// Whether a script of TRL's kind loads the trained model itself and hands it nothing of its options of quantization: they are parsed
    /// and not used (trl 1.16.0 trainer/model_config.py; `get_quantization_config` is what reads them).
    fn loads_without_options(&self) -> bool {
        let Some(code) = self.run.code.as_ref().filter(|_| self.run.dialect == Dialect::Trl) else { return false };
        let mut own = code.models.iter().filter(|load| load.trained == Some(true)).peekable();
        own.peek().is_some()
            && own.all(|load| {
                let asks = |name: &str| matches!(name, "quantization_config" | "load_in_4bit" | "load_in_8bit");
                load.class.starts_with("transformers.")
                    && !load.open
                    && !load.derived
                    && !load.arguments.iter().any(|(name, ..)| asks(name))
            })
    }

    /// bitsandbytes leaves experts of transformers 5 as they are. Axolotl 0.19 quantizes them where it is told to
    /// (`monkeypatch/moe_quant.py`), unsloth always: unsloth_zoo 2026.10 unpacks all experts of a block before their product, or keeps what
    /// is packed and unpacks it again in backward (`temporary_patches/moe_utils_bnb4bit.py`), and gpt-oss has layers for each expert.
    fn quantize_experts(&mut self, model: &Model, kind: Quantization) -> Result<(), Message> {
        // The experts of the code that comes with Kimi-VL are layers (`modeling_kimi_vl.py`), and so are those of Llama 4 after Axolotl
        // 0.19 has patched it (`monkeypatch/models/llama4/modeling.py`). bitsandbytes quantizes layers and unpacks one at a time.
        let linearized = self.run.dialect == Dialect::Axolotl && self.enables("llama4_linearized_experts", &[]);
        if (model.arch.model_type == "kimi_vl" || linearized) && matches!(kind, Quantization::FourBit { .. }) {
            self.both(|setup| setup.quantized_experts = QuantizedExperts::OneByOne);
            return Ok(());
        }
        let told = self.enables("quantize_moe_experts", &[]);
        // Before, unsloth quantized layers alone, and the experts of Gemma 4 never were layers: 46 GB of 26 B parameters
        // (https://github.com/unslothai/unsloth/pull/5432; 2026.6.9 does: https://github.com/unslothai/unsloth/issues/4032).
        let versions = self.project.library_versions(self.run.place.file);
        let were_never_layers = model.arch.model_type.starts_with("gemma4");
        if !told && were_never_layers && self.by_unsloth() && !versions.reaches("unsloth", "2026.6.9") {
            return Ok(());
        }
        if kind == Quantization::None || !model.arch.has_experts() || !(told || self.by_unsloth()) {
            return Ok(());
        }
        match kind {
            Quantization::FourBit { .. } => {}
            _ if told => return Err(message!("estimates do not support experts in 8 bits", "不支持估算 8 bit 的专家")),
            _ => return Ok(()),
        }
        // Kernels for experts unpack as many as they need.
        let by_kernels = ["use_scattermoe", "use_sonicmoe"].iter().any(|key| self.enables(key, &[]));
        self.both(|setup| setup.quantized_experts = QuantizedExperts::Together);
        if by_kernels || !told {
            self.lower.quantized_experts = QuantizedExperts::OneByOne;
            self.assume(message!(
                "experts in 4 bits: assuming that all of a block are unpacked at once",
                "4 bit 的专家：按一层的专家同时解包计"
            ));
        }
        Ok(())
    }

    /// Training that is aware of a later quantization: torchtune 0.7.0 names the class of its quantizer, Axolotl 0.18.0 has a block, unsloth
    /// 2025.10 an argument of `get_peft_model`.
    pub(super) fn fake_quantization(&mut self) {
        let asked = self.names_class("QATQuantizer")
            || self.run.dialect == Dialect::Axolotl && self.has_key("qat")
            || self.by_unsloth() && self.code_passes("qat_scheme");
        if asked {
            self.assume_unverified(message!(
                "fake quantization is not modelled: rounded copies of weights and activations come on top",
                "未模拟伪量化：权重与激活值的取整副本另计"
            ));
        }
    }

    /// The type in which 4-bit layers compute. `BitsAndBytesConfig` of transformers 5.23 takes fp32 where none is given; TRL 1.16 gives it
    /// `dtype` of its `ModelConfig` (trainer/utils.py, `get_quantization_config`); frameworks give it the training's own type.
    fn quantized_compute(&mut self, autocast: Option<Dtype>) {
        let own = matches!(self.run.dialect, Dialect::HfTrainer | Dialect::Plain | Dialect::Accelerate | Dialect::Trl);
        let of_model_config = matches!(self.run.dialect, Dialect::Trl) && !self.code_calls("BitsAndBytesConfig");
        let stated = self.half_by_gpu(Concept::QuantizationComputeDtype).or_else(|| {
            self.range(Concept::QuantizationComputeDtype, dtype, Dtype::bytes).ok().flatten().map(|range| range.upper)
        });
        let compute = match stated {
            Some(dtype) => dtype,
            None if of_model_config => {
                self.range(Concept::WeightsDtype, dtype, Dtype::bytes).ok().flatten().map_or(Dtype::Fp32, |range| range.upper)
            }
            None if own => Dtype::Fp32,
            None => autocast.filter(|dtype| *dtype != Dtype::Fp32).unwrap_or(Dtype::Bf16),
        };
        self.both(|setup| setup.quantized_compute = Some(compute));
    }

    fn autocast(&mut self, model: &Model) -> Option<Dtype> {
        let framework = self.run.dialect.framework();
        let is_sharded = self.is_engine() || self.is_fsdp();
        if !framework.estimate.computes_as_stored
            && let Some(dtype) = self.named_precision().or_else(|| self.half_by_gpu(Concept::MixedPrecision))
        {
            return Some(dtype);
        }
        let word = self.value(Concept::MixedPrecision).and_then(Value::as_str).or_else(|| self.fp8_above_bf16());
        match (word, &framework.estimate) {
            (_, traits) if traits.computes_as_stored && !(traits.shards_compute_in_precision && is_sharded) => None,
            (Some("bf16"), _) => Some(Dtype::Bf16),
            (Some("fp16"), _) => Some(Dtype::Fp16),
            (Some("fp8"), _) => {
                self.assume(message!("fp8 counts as bf16", "fp8 按 bf16 计"));
                Some(Dtype::Bf16)
            }
            (None, traits) if traits.autocast_of_checkpoint && !self.has(Concept::MixedPrecision) => {
                let dtype = if matches!(model.dtype, None | Some(Dtype::Bf16)) { Dtype::Bf16 } else { Dtype::Fp16 };
                let (name, by) = (dtype.name(), framework.name);
                self.assume(message!(
                    "no precision is set: assuming {name}, as {by} follows the checkpoint",
                    "没有设置精度：按 {name} 计（{by} 跟随检查点的类型）"
                ));
                Some(dtype)
            }
            // Axolotl 0.18.0 utils/config/__init__.py, `resolve_dtype`.
            (Some("auto"), traits) if traits.bf16_where_possible => {
                let old = gpu_of(self.target()).is_some_and(|gpu| !gpu.bf16);
                Some(if old { Dtype::Fp16 } else { Dtype::Bf16 })
            }
            (None, traits) if traits.bf16_where_possible => {
                let name = framework.name;
                self.assume(message!(
                    "bf16 is not set: assuming on, as {name} decides on recent GPUs",
                    "没有设置 bf16：按 {name} 在新 GPU 上的做法开启"
                ));
                Some(Dtype::Bf16)
            }
            _ => None,
        }
    }

    /// A precision that is set, but not to a value that is known: off, and the bounds allow for it.
    fn open_autocast(&mut self) {
        let Some(setting) = setting(self.run, Concept::MixedPrecision) else { return };
        if setting.winning().is_some_and(|candidate| candidate.known().is_some()) || !setting.candidates.iter().any(is_written) {
            return;
        }
        let known =
            setting.candidates.iter().filter_map(|candidate| dtype(candidate.known()?)).find(|dtype| *dtype != Dtype::Fp32);
        self.lower.autocast = Some(known.unwrap_or(Dtype::Bf16));
        self.assume_unverified(message!("mixed_precision is unknown: assuming off", "mixed_precision 未知：按关闭计"));
    }

    /// `fp8` where it is asked for next to bf16, which remains the type of everything else (LLaMA-Factory 0.9.6 train/fp8_utils.py).
    fn fp8_above_bf16(&self) -> Option<&'static str> {
        let setting = setting(self.run, Concept::MixedPrecision)?;
        let words: Option<Vec<&str>> = setting.candidates.iter().map(|candidate| candidate.known()?.as_str()).collect();
        let words = words?;
        (words.contains(&"fp8") && words.iter().all(|word| matches!(*word, "fp8" | "bf16"))).then_some("fp8")
    }

    fn is_engine(&self) -> bool {
        matches!(self.upper.parallel.scheme, Scheme::Zero1 | Scheme::Zero2 | Scheme::Zero3)
    }

    pub(super) fn is_fsdp(&self) -> bool {
        matches!(self.upper.parallel.scheme, Scheme::Fsdp1 | Scheme::Fsdp2)
    }

    /// The type of the weights: as stated, or what the library makes of a checkpoint of this type.
    fn weights(&mut self, model: &Model, autocast: Option<Dtype>) -> ValueRange<Dtype> {
        let said = setting(self.run, Concept::WeightsDtype).and_then(|setting| setting.winning());
        let by_name = said.is_some_and(|candidate| matches!(candidate.origin, Origin::Default { .. }));
        // TRL loads models given by name in fp32; a model that the code has loaded keeps its type (trl 1.16.0 trainer/utils.py:1331).
        let own_load = self.run.code.iter().flat_map(|code| &code.models).any(|load| load.trained == Some(true));
        if let Some(dtype) = self.half_by_gpu(Concept::WeightsDtype) {
            return ValueRange { upper: dtype, lower: dtype, stated: true };
        }
        if !(by_name && own_load)
            && let Ok(Some(choice)) = self.range(Concept::WeightsDtype, dtype, Dtype::bytes)
        {
            return choice;
        }
        let unstated = |dtype| ValueRange { upper: dtype, lower: dtype, stated: false };
        let full = self.upper.lora.is_none();
        let framework = self.run.dialect.framework();
        match framework.estimate.weights {
            Weights::ComputingUnlessTrained => {
                let dtype = if full { Dtype::Fp32 } else { autocast.unwrap_or(Dtype::Fp32) };
                let (name, by) = (dtype.name(), framework.name);
                self.assume(message!("assuming {name} weights, as {by} loads them", "权重为 {name}（{by} 的加载方式）"));
                unstated(dtype)
            }
            Weights::StoredUnlessTrained if full => {
                let by = framework.name;
                self.assume(message!("assuming fp32 weights, as {by} trains them", "权重按 fp32 计（{by} 的训练方式）"));
                unstated(Dtype::Fp32)
            }
            Weights::Computing => unstated(autocast.unwrap_or(Dtype::Fp32)),
            Weights::Stored if full && autocast == Some(Dtype::Fp16) && model.dtype != Some(Dtype::Fp32) => {
                // torch 2.15 amp/grad_scaler.py accepts neither fp16 gradients ("Attempting to unscale FP16 gradients") nor bf16 gradients.
                self.assume(message!(
                    "assuming fp32 weights: parameters trained under fp16 autocast must be fp32",
                    "权重按 fp32 计：在 fp16 自动混合精度下训练的参数必须是 fp32"
                ));
                unstated(Dtype::Fp32)
            }
            Weights::Stored | Weights::StoredUnlessTrained => self.as_stored(model),
        }
    }

    /// transformers 5 keeps the type of the checkpoint (modeling_utils.py); 4 loads fp32.
    fn as_stored(&mut self, model: &Model) -> ValueRange<Dtype> {
        let stored = model.dtype.unwrap_or(Dtype::Bf16);
        let name = stored.name();
        self.assume(if model.dtype.is_some() {
            message!(
                "assuming {name} weights, as in the checkpoint: transformers 5 keeps its dtype, 4 loads fp32",
                "权重为 {name}，与检查点相同：transformers 5 保持其类型，4 按 fp32 加载"
            )
        } else {
            message!("assuming {name} weights: the dtype of the checkpoint is unknown", "权重按 {name} 计：检查点的类型未知")
        });
        ValueRange { upper: stored, lower: stored, stated: false }
    }

    /// The type of adapters; `None` for that of the base. torchtune builds them in the type of the model. TRL 1.16 converts them to bf16
    /// on a quantized base (trainer/sft_trainer.py and its other trainers); PEFT's own default is fp32 (`autocast_adapter_dtype`).
    fn adapters_dtype(&self) -> Option<Dtype> {
        let quantized = self.upper.quantization != Quantization::None;
        match self.run.dialect {
            // unsloth 2026.10.9 models/_utils.py, `prepare_model_for_training`.
            _ if self.by_unsloth() => Some(Dtype::Fp32),
            dialect if dialect.estimate.adapters_as_weights => None,
            Dialect::Trl if quantized => Some(Dtype::Bf16),
            _ if self.cast_by_code(CastModules::Adapters).is_some() => self.cast_by_code(CastModules::Adapters),
            _ => Some(Dtype::Fp32),
        }
    }
}

const fn smaller(a: Dtype, b: Dtype) -> Dtype {
    if a.bytes() < b.bytes() { a } else { b }
}

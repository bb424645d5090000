//! Models that the process holds in addition to the trained one.

use super::Mapping;
use crate::models::Model;
use vramlint_base::{Value, message};
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::setup::{Dtype, Quantization, Reference, Resident, Task};
use vramlint_resolve::code::ModelLoad;
use vramlint_semantic::model_lifetime::pair;

impl Mapping<'_> {
    /// Adds the models that certainly stay loaded beside the trained one: called without a condition but not trained, or a second copy of
    /// the trained model that is alive with the first. The reference model of the method does not count.
    pub(super) fn residents(&mut self, trained: &Model) {
        let Some(code) = self.run.code.clone() else { return };
        if !code.models.iter().any(|load| load.trained == Some(true)) {
            return;
        }
        self.trained_copies(trained);
        let mut references = usize::from(self.upper.reference == Reference::Copy);
        let own = |load: &&ModelLoad| load.trained == Some(true) && !load.conditional;
        let is_copy = |load: &ModelLoad| {
            let alive = |first: &ModelLoad| pair(self.project, first, load).is_some_and(|pair| !pair.is_needed());
            load.trained.is_none() && code.models.iter().filter(own).any(|first| first.model == load.model && alive(first))
        };
        let stays = |load: &&ModelLoad| !load.conditional && !load.open && (load.trained == Some(false) || is_copy(load));
        let beside: Vec<&ModelLoad> = code.models.iter().filter(stays).collect();
        for load in beside {
            let Some(id) = load.model.as_ref().and_then(Value::as_str) else { continue };
            if self.upper.teacher.as_ref().is_some_and(|teacher| teacher.label == id) {
                continue;
            }
            if references > 0 && id == trained.id {
                references -= 1;
                continue;
            }
            let Some(model) = self.models.find_or_infer(id) else { continue };
            let weights = stated_dtype(load).or(model.dtype).unwrap_or(Dtype::Bf16);
            let quantization = model.prequantized.unwrap_or(Quantization::None);
            self.assume(message!("{id} stays in GPU memory next to the trained model", "{id} 与被训练的模型同时占用显存"));
            let scores = load.class.contains("ForSequenceClassification");
            let resident = Resident { label: id.to_owned(), arch: model.arch, weights, quantization, scores, trained: false };
            if load.trained.is_some() {
                self.lower.residents.push(resident.clone());
            }
            self.upper.residents.push(resident);
        }
    }
}

impl Mapping<'_> {
    /// Adds the models that a loop of the project's own trains beside the first one and that are built alike: the encoders of queries and
    /// of passages.
    fn trained_copies(&mut self, trained: &Model) {
        let own = matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate) && self.upper.lora.is_none();
        let Some(code) = self.run.code.clone().filter(|_| own) else { return };
        let is_copy = |load: &&ModelLoad| {
            load.trained == Some(true)
                && !load.conditional
                && load.forward_calls > 0
                && load.model.as_ref().and_then(Value::as_str) == Some(trained.id.as_str())
        };
        for _ in code.models.iter().filter(is_copy).skip(1) {
            let id = &trained.id;
            self.assume(message!("{id} is loaded and trained once more", "{id} 又加载一份并一起训练"));
            self.both(|setup| {
                let (weights, quantization) = (setup.weights, setup.quantization);
                let arch = trained.arch.clone();
                setup.residents.push(Resident { label: id.clone(), arch, weights, quantization, scores: false, trained: true });
            });
        }
    }

    /// Adds the reward model of a trainer that scores its own completions. It is loaded in the type of the trained model (trl 1.16.0
    /// trainer/grpo_trainer.py, experimental/online_dpo/online_dpo_trainer.py).
    pub(super) fn reward_model(&mut self) {
        if !matches!(self.upper.task, Task::Grpo | Task::OnlineDpo) || self.run.dialect != Dialect::Trl {
            return;
        }
        let Some(id) = self.value(Concept::RewardModel).and_then(Value::as_str).map(str::to_owned) else { return };
        if self.upper.residents.iter().any(|resident| resident.label == id && resident.scores) {
            return;
        }
        let Some(model) = self.models.find_or_infer(&id) else {
            self.assume_unverified(message!("unknown reward model {id}: it does not count", "未知的奖励模型 {id}：未计入"));
            return;
        };
        let quantization = model.prequantized.unwrap_or(Quantization::None);
        self.assume(message!("{id}, the reward model, stays in GPU memory", "奖励模型 {id} 一直占用显存"));
        self.both(|setup| {
            let weights = setup.weights;
            setup.residents.push(Resident {
                label: id.clone(),
                arch: model.arch.clone(),
                weights,
                quantization,
                scores: true,
                trained: false,
            });
        });
    }

    /// Adds the frozen copy that LLaMA-Factory 0.9.6 loads for its ASFT loss (train/sft/workflow.py, `create_ref_model`).
    fn reference_of_asft(&mut self, trained: &Model) -> bool {
        let asked = self.run.dialect == Dialect::LlamaFactory && self.enables("use_asft_loss", &[]);
        if asked {
            let id = self.given_text("ref_model").unwrap_or_else(|| trained.id.clone());
            let arch = self.models.find_or_infer(&id).map_or_else(|| trained.arch.clone(), |model| model.arch);
            self.assume(message!("{id}, the reference of the loss, stays in GPU memory", "损失函数的参考模型 {id} 一直占用显存"));
            let weights = trained.dtype.unwrap_or(Dtype::Bf16);
            let quantization = Quantization::None;
            self.both(|setup| {
                setup.residents.push(Resident {
                    label: id.clone(),
                    arch: arch.clone(),
                    weights,
                    quantization,
                    scores: false,
                    trained: false,
                });
            });
        }
        asked
    }

    /// Whether code of the project's own compares the trained model with another one by a divergence over the vocabulary.
    pub(super) fn own_divergence(&mut self, trained: &Model) -> bool {
        if self.reference_of_asft(trained) {
            self.assume_unverified(message!(
                "the divergence from the reference is in the upper bound only",
                "与参考模型的散度只计入上界"
            ));
            return true;
        }
        let own = matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate | Dialect::HfTrainer);
        let compares = own
            && self.upper.own_loss.is_none()
            && !self.upper.residents.is_empty()
            && matches!(self.upper.task, Task::CausalLm | Task::MaskedLm | Task::Seq2Seq)
            && (self.code_calls("kl_div") || self.code_calls("KLDivLoss"));
        if compares {
            self.assume_unverified(message!(
                "the divergence between the models is code of the project: its copies of the logits are in the upper bound only",
                "模型之间的散度由项目代码计算：其 logits 副本只计入上界"
            ));
        }
        compares
    }
}

impl Mapping<'_> {
    /// The model that the code loads beside the trained one, if it is the only one.
    pub(super) fn only_untrained_model(&self) -> Option<String> {
        let code = self.run.code.as_ref()?;
        let mut ids =
            code.models.iter().filter(|load| load.trained == Some(false)).filter_map(|load| load.model.as_ref()?.as_str());
        let first = ids.next()?;
        ids.all(|id| id == first).then(|| first.to_owned())
    }

    /// The type in which the code loads that model, if it says so.
    pub(super) fn untrained_dtype(&self) -> Option<Dtype> {
        let mut loads = self.run.code.iter().flat_map(|code| &code.models).filter(|load| load.trained == Some(false));
        loads.find_map(stated_dtype)
    }
}

/// The requested type of a loaded model.
fn stated_dtype(load: &ModelLoad) -> Option<Dtype> {
    let (_, value, _) = load.arguments.iter().find(|(name, ..)| matches!(name.as_str(), "dtype" | "torch_dtype"))?;
    match value.as_ref()?.as_str()?.trim_start_matches("torch.") {
        "bfloat16" => Some(Dtype::Bf16),
        "float16" | "half" => Some(Dtype::Fp16),
        "float32" | "float" => Some(Dtype::Fp32),
        _ => None,
    }
}

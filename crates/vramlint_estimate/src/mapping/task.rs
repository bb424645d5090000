//! The training task, the loss, and the reference model.

use super::Mapping;
use super::setting_range::setting;
use crate::models::Model;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::frameworks::Loss;
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::setup::{Head, Reference, Resident, Task};
use vramlint_resolve::Origin;

impl Mapping<'_> {
    /// The task as the project names it.
    fn task_name(&self) -> Option<String> {
        // A word of the command (`sft`) says less than an argument of it (`task_type`).
        let winner = setting(self.run, Concept::Task).and_then(|setting| setting.winning());
        let is_written = winner.is_some_and(|one| matches!(one.origin, Origin::Flag { .. } | Origin::File { .. }));
        let written = is_written.then(|| self.text(Concept::Task)).flatten();
        let said = written.or_else(|| self.run.task.clone()).or_else(|| self.text(Concept::Task));
        let said = said.map(|name| name.to_lowercase());
        // A recipe names its loss.
        let recipe = || (self.run.dialect.estimate.is_recipe && self.names_class("DPOLoss")).then(|| "dpo".to_owned());
        said.or_else(recipe)
    }

    pub(super) fn task(&mut self, model: &Model) -> Result<(), Message> {
        let name = self.task_name();
        let task = match name.as_deref() {
            Some("sft" | "causal-lm" | "clm" | "pt" | "pretrain") => Task::CausalLm,
            Some("mlm" | "masked-lm") => Task::MaskedLm,
            Some("dpo" | "ipo") => Task::Dpo,
            Some("kto") => Task::Kto,
            Some("bco") if self.run.dialect == Dialect::Trl => Task::Bco,
            // Without weight of its cross entropy, CPO leaves it out (trl 1.16.0 experimental/cpo/cpo_trainer.py:842).
            Some("cpo") if self.is_zero("cpo_alpha") || self.loss_is("alphapo") => Task::Simpo,
            Some("orpo" | "cpo") => Task::Orpo,
            Some("simpo") => Task::Simpo,
            Some("tpo") => Task::Tpo,
            Some("gkd") if self.run.dialect == Dialect::Trl => Task::Gkd,
            Some("distillation") if self.run.dialect == Dialect::Trl => Task::Distillation,
            // A trainer of the project's own: its loss says what it compares.
            Some("distillation") if self.found_loss().is_some_and(|loss| loss.asks_teacher()) => Task::CausalLm,
            Some("online-dpo") if self.run.dialect == Dialect::Trl => Task::OnlineDpo,
            Some("sentence-embedding") => self.embedded_columns()?,
            // Axolotl 0.18.0 core/builders/rl.py trains gdpo with the trainer of grpo.
            Some("grpo" | "gdpo" | "rloo") => Task::Grpo,
            Some("reward" | "rm") if self.run.dialect.estimate.value_head_rewards => Task::ValueReward,
            Some("ppo") if self.run.dialect == Dialect::OpenRlhf => Task::Ppo,
            Some("gkd") if self.run.dialect == Dialect::MsSwift => self.swift_distillation()?,
            Some("reranker") if matches!(self.run.dialect, Dialect::MsSwift | Dialect::MegatronSwift) => self.reranker(),
            Some("embedding") if matches!(self.run.dialect, Dialect::MsSwift | Dialect::MegatronSwift) => {
                self.assume_unverified(message!(
                    "the number of texts per sample is unknown: assuming pairs",
                    "每个样本的文本数未知：按成对计"
                ));
                Task::EmbeddingPairs
            }
            Some("reward" | "rm") => Task::Reward,
            Some("seq2seq") => Task::Seq2Seq,
            Some("image-classification") => Task::ImageClassification,
            // A class per step of an answer (trl 1.10.0 experimental/prm/prm_trainer.py).
            Some("token-classification" | "prm") => Task::TokenClassification,
            Some("question-answering") => Task::QuestionAnswering,
            Some("seq-cls") => Task::SequenceClassification,
            Some("multiple-choice") => {
                self.assume_unverified(message!(
                    "the number of choices per sample is unknown: assuming 4, as in SWAG",
                    "每个样本的选项数未知：按 SWAG 的 4 个计"
                ));
                Task::MultipleChoice
            }
            Some(other) => return Err(message!("estimates do not support task {other}", "不支持估算任务类型 {other}")),
            None if self.run.settings.contains_key(&Concept::NumGenerations) => {
                self.assume(message!(
                    "the task is unknown: assuming GRPO, since completions come in groups",
                    "任务未知：由于回复成组，按 GRPO 计"
                ));
                Task::Grpo
            }
            None if matches!(self.run.dialect, Dialect::Trl) && self.has(Concept::KlBeta) => {
                return Err(message!(
                    "the task is unknown, and `beta` belongs to a trainer that compares answers; give it with `--set task=…`",
                    "任务未知，而 `beta` 属于比较回复的训练器；可用 `--set task=…` 给出"
                ));
            }
            None if matches!(self.run.dialect, Dialect::Trl) => {
                self.assume_unverified(message!(
                    "the task is unknown: assuming next-token prediction",
                    "任务未知：按预测下一个 token 计"
                ));
                Task::CausalLm
            }
            None if model.arch.image_tokens().is_some() => {
                self.assume(message!(
                    "the model sees images: assuming a class per image",
                    "模型以图像为输入：按每张图像一个类别计"
                ));
                Task::ImageClassification
            }
            // `SentenceTransformer.fit` trains without a trainer of its own.
            None if self.loads_sentence_transformer("SentenceTransformer") => self.embedded_columns()?,
            None if self.loads_sentence_transformer("CrossEncoder") => Task::SequenceClassification,
            None if self.trains_headless_model() => {
                self.assume(message!(
                    "the model that is loaded has no head: assuming one for a class per row",
                    "所加载的模型没有头部：按每行一个类别的头部计"
                ));
                Task::SequenceClassification
            }
            None => {
                if !self.run.dialect.estimate.is_language_modelling {
                    self.assume(message!(
                        "the task is unknown: assuming next-token prediction",
                        "任务未知：按预测下一个 token 计"
                    ));
                }
                Task::CausalLm
            }
        };
        self.both(|setup| setup.task = task);
        Ok(())
    }

    /// Distillation by ms-swift (4.6.0.dev0 swift/rlhf_trainers/gkd_trainer.py): it compares as many logits as TRL's, in parts of 512 tokens
    /// of which backward keeps all. A teacher behind a server sends the largest ones only.
    fn swift_distillation(&mut self) -> Result<Task, Message> {
        let words = ["teacher_model_server", "gkd_logits_topk", "offload_teacher_model"];
        if let Some(name) = words.iter().find(|name| self.gives(name)) {
            return Err(message!("estimates do not support {name}", "不支持估算 {name}"));
        }
        Ok(Task::Gkd)
    }

    /// Rerankers of ms-swift: a sample is a query with a fitting document and others, a row each (4.6.0.dev0 swift/template/base.py: at most 7
    /// others by default).
    fn reranker(&mut self) -> Task {
        self.sample_documents = true;
        let generates = self.given_text("task_type").is_some_and(|name| name == "generative_reranker");
        if generates { Task::Reranker } else { Task::SequenceClassification }
    }

    /// Whether every model that the code trains is loaded without a head: `AutoModel`, `BertModel`.
    pub(super) fn trains_headless_model(&self) -> bool {
        let Some(code) = &self.run.code else { return false };
        let is_headless = |class: &str| {
            // Other libraries call models with a head so: `unsloth.FastLanguageModel`.
            let name = class
                .strip_prefix("transformers.")
                .and_then(|path| path.split('.').find(|part| part.starts_with(char::is_uppercase)));
            name.is_some_and(|name| name.ends_with("Model") && !name.ends_with("LMHeadModel") && !name.ends_with("HeadsModel"))
        };
        let mut trained = code.models.iter().filter(|load| load.trained == Some(true)).peekable();
        // A class of the project's own has what it defines.
        trained.peek().is_some() && trained.all(|load| !load.derived && is_headless(&load.class))
    }

    /// Whether the run names this loss of its trainer.
    fn loss_is(&self, name: &str) -> bool {
        self.enables("loss_type", &[name]) || self.code_gives("loss_type", &[name])
    }

    /// Whether all models that the code loads are of this class of sentence-transformers.
    fn loads_sentence_transformer(&self, class: &str) -> bool {
        let mut loads = self.run.code.iter().flat_map(|code| &code.models).peekable();
        let is_of_class = |path: &str| path.strip_prefix("sentence_transformers.").is_some_and(|rest| rest.ends_with(class));
        loads.peek().is_some() && loads.all(|load| is_of_class(&load.class))
    }

    /// Texts of a sample, by the losses of sentence-transformers 5.1 that the code names.
    fn embedded_columns(&mut self) -> Result<Task, Message> {
        const PAIRS: [&str; 6] =
            ["CosineSimilarityLoss", "CoSENTLoss", "AnglELoss", "ContrastiveLoss", "OnlineContrastiveLoss", "SoftmaxLoss"];
        const GUIDED: [&str; 2] = ["CachedGISTEmbedLoss", "GISTEmbedLoss"];
        if let Some(loss) = GUIDED.iter().find(|loss| self.code_calls(loss)) {
            return Err(message!("estimates do not support {loss}", "不支持估算 {loss}"));
        }
        // sentence-transformers names the configurations of its data sets by their columns: `pair`, `pair-score`, `triplet`.
        let columns = self.loaded_configurations();
        if self.code_calls("TripletLoss") || columns.iter().any(|name| name == "triplet") {
            return Ok(Task::EmbeddingTriplets);
        }
        let pairs = !columns.is_empty() && columns.iter().all(|name| name == "pair" || name.starts_with("pair-"));
        if !pairs && !PAIRS.iter().any(|loss| self.code_calls(loss)) {
            self.assume_unverified(message!(
                "the number of texts per sample is unknown: assuming pairs",
                "每个样本的文本数未知：按成对计"
            ));
        }
        Ok(Task::EmbeddingPairs)
    }

    /// The teacher of a distillation, in the type of the student (trl 1.16.0 `trl/scripts/distillation.py`).
    pub(super) fn teacher(&mut self) -> Result<(), Message> {
        if !matches!(self.upper.task, Task::Gkd | Task::Distillation) {
            return Ok(());
        }
        let one_sided = |beta: f64| beta <= 0.0 || beta >= 1.0;
        if self.upper.task == Task::Gkd && self.value(Concept::KlBeta).and_then(Value::as_float).is_some_and(one_sided) {
            return Err(message!(
                "estimates support GKD only with a beta between 0 and 1",
                "只支持估算 beta 在 0 与 1 之间的 GKD"
            ));
        }
        let named =
            self.value(Concept::TeacherModel).and_then(Value::as_str).map(str::to_owned).or_else(|| self.only_untrained_model());
        let own = named.as_ref().is_none_or(|id| Some(id.as_str()) == self.value(Concept::Model).and_then(Value::as_str));
        if self.run.dialect == Dialect::MsSwift && own && (named.is_none() || self.upper.lora.is_some()) {
            self.assume(message!("the model is its own teacher", "模型以自身为教师"));
            return Ok(());
        }
        let Some(id) = named else {
            return Err(message!(
                "the teacher model is unknown; give it with `--set teacher_model=…`",
                "教师模型未知；可用 `--set teacher_model=…` 指定"
            ));
        };
        let Some(model) = self.models.find_or_infer(&id) else {
            return Err(message!("unknown model {id}", "未知的模型 {id}"));
        };
        self.assume(message!("{id}, the teacher, stays in GPU memory", "教师模型 {id} 一直占用显存"));
        self.both(|setup| {
            let (weights, quantization) = (setup.weights, setup.quantization);
            setup.teacher = Some(Box::new(Resident {
                label: id.clone(),
                arch: model.arch.clone(),
                weights,
                quantization,
                scores: false,
                trained: false,
            }));
        });
        Ok(())
    }

    /// Whether the release of TRL that the project names has no tiled loss: before 1.7 for SFT (`data/defaults.json`), and before 1.0 for
    /// preferences and completions (trl 0.24.0 trainer/dpo_trainer.py and grpo_trainer.py, `selective_log_softmax` over whole logits).
    fn writes_whole_logits(&self) -> bool {
        let first = if self.upper.task == Task::CausalLm { "1.7.0" } else { "1.0.0" };
        let versions = self.project.library_versions(self.run.place.file);
        !self.by_unsloth() && self.upper.task != Task::MaskedLm && !versions.reaches("trl", first)
    }

    /// Loss implementation and reference model.
    pub(super) fn head_and_reference(&mut self) {
        let head = self.head();
        self.both(|setup| setup.head = head);
        self.set_reference();
    }

    /// The reference model alone.
    pub(super) fn set_reference(&mut self) {
        let reference = self.reference();
        self.both(|setup| setup.reference = reference);
    }

    /// TRL 1.16 computes the log-probabilities of SFT, DPO and GRPO in tiles (trl/kernels/chunked_logprob.py); the loss of
    /// transformers 5.23 materializes all logits (loss/loss_utils.py) unless Liger's kernel is enabled; unsloth has its own.
    fn head(&mut self) -> Head {
        if self.smooths_labels() {
            return Head::Smoothed;
        }
        if !matches!(self.upper.task, Task::CausalLm | Task::Dpo | Task::Kto | Task::Grpo | Task::MaskedLm) {
            return Head::FullLogits;
        }
        let said = self.value(Concept::FusedLoss).cloned();
        let asked = match said
            .as_ref()
            .map(|value| (value.as_str().map(|word| word.to_lowercase().replace('_', "-")), super::setting_range::boolean(value)))
        {
            Some((Some(word), _)) if word.contains("liger") || word.contains("cut-cross") || word == "cce" => Some(Head::Liger),
            Some((Some(word), _)) if ["fused", "chunked", "chunked-nll", "linear"].contains(&word.as_str()) => Some(Head::Fused),
            Some((_, Some(true))) => Some(Head::Liger),
            _ => None,
        };
        match (asked, self.run.dialect) {
            (_, Dialect::Trl) if self.by_unsloth() && self.upper.task == Task::CausalLm => self.unsloth_loss(),
            (asked, Dialect::Trl) if self.writes_whole_logits() => asked.unwrap_or(Head::FullLogits),
            // TRL's tiled loss needs no kernel; Liger's flag does not change its size.
            (_, Dialect::Trl) if self.upper.task != Task::MaskedLm => {
                self.assume(message!(
                    "assuming a tiled loss, as in TRL 1.16; older versions materialize all logits",
                    "损失分块计算（TRL 1.16 的做法）；旧版本会写出全部 logits"
                ));
                Head::Fused
            }
            (Some(head), _) => head,
            // torchtune 0.7.0 modules/loss: both compute the loss in chunks.
            (None, dialect)
                if dialect.estimate.is_recipe
                    && (self.names_class("LinearCrossEntropyLoss") || self.names_class("ChunkedOutputLoss")) =>
            {
                Head::Fused
            }
            (None, dialect) if dialect.estimate.loss == Loss::Chunked => {
                if self.by_unsloth() {
                    return self.unsloth_loss();
                }
                let name = dialect.framework().name;
                self.assume(message!("assuming a chunked loss, as in {name}", "损失分块计算（{name} 的做法）"));
                Head::Liger
            }
            _ => Head::FullLogits,
        }
    }

    /// The loss of unsloth by its release: in chunks of its own since 2025.8.6, by the kernel of cut-cross-entropy since 2024.11.11, from
    /// whole logits before (unsloth/models/llama.py).
    fn unsloth_loss(&mut self) -> Head {
        let versions = self.project.library_versions(self.run.place.file);
        let (release, head) = match versions.get("unsloth").map(str::to_owned) {
            Some(release) if !versions.reaches("unsloth", "2024.11.11") => (release, Head::FullLogits),
            Some(release) if !versions.reaches("unsloth", "2025.8.6") => (release, Head::Liger),
            _ => {
                self.assume(message!("assuming a chunked loss, as in unsloth", "损失分块计算（unsloth 的做法）"));
                return Head::Unsloth;
            }
        };
        self.assume(match head {
            Head::FullLogits => message!("unsloth {release} writes all logits", "unsloth {release} 会写出全部 logits"),
            _ => message!("unsloth {release} writes no logits", "unsloth {release} 不写出 logits"),
        });
        head
    }

    /// Whether the trainer computes the loss from the model's logits and smoothed labels (transformers 5.23.0 trainer.py `compute_loss`,
    /// trl 1.16.0 trainer/sft_trainer.py).
    fn smooths_labels(&self) -> bool {
        matches!(self.upper.task, Task::CausalLm | Task::Seq2Seq)
            && matches!(self.run.dialect, Dialect::HfTrainer | Dialect::Trl)
            && self.is_positive("label_smoothing_factor")
    }

    /// DPO compares with a second copy, or with the base below the adapter (trl 1.16.0 trainer/dpo_trainer.py); GRPO with none unless
    /// `beta` is above zero (trainer/grpo_config.py); RLOO's default is 0.05 (trainer/rloo_config.py).
    fn reference(&mut self) -> Reference {
        let name = self.task_name();
        let name = name.as_deref().unwrap_or_default();
        let needed = match self.upper.task {
            Task::Dpo | Task::Kto | Task::Bco => !self.is_on(Concept::PrecomputeRefLogProbs),
            Task::OnlineDpo => true,
            Task::Grpo => {
                let beta = self.value(Concept::KlBeta).and_then(Value::as_float);
                beta.map_or(name == "rloo", |beta| beta > 0.0)
            }
            _ => false,
        };
        // A named reference model is loaded even with adapters (trl keeps it without a warning).
        let named = self.value(Concept::ReferenceModel).is_some();
        match (needed, self.upper.lora.is_some()) {
            (false, _) => Reference::None,
            (true, true) if !named => Reference::Adapter,
            (true, _) => Reference::Copy,
        }
    }
}

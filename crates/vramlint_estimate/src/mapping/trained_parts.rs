//! What is trained by runs that freeze a part of their model.

use super::Mapping;
use super::joint_model::is_tower;
use super::setting_range::setting;
use super::trained_by_rules::is_rules;
use crate::models::Model;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::setup::{Dtype, Scheme, Task, TrainedParts};
use vramlint_resolve::Origin;

/// Columns in which a tower hands on its patches: four neighbouring ones of a usual tower of 1024.
const PATCH_COLUMNS: u64 = 4096;
/// Layers that LLaMA-Factory 0.9.6 trains by default (hparams/finetuning_args.py `freeze_trainable_layers`).
const LLAMA_FACTORY_LAYERS: i64 = 2;

impl Mapping<'_> {
    /// Maps a run that freezes a part of what it loads.
    pub(super) fn trained_of_frozen(&mut self, model: &Model) -> Result<(), Message> {
        let frozen = self.text(Concept::Freeze);
        let layers = frozen.as_deref().and_then(|word| word.strip_prefix("all-but-layers:")?.parse().ok());
        let classifies = matches!(self.upper.task, Task::SequenceClassification | Task::MultipleChoice | Task::Reward);
        match (frozen.as_deref(), layers) {
            (Some("vision"), _) => {
                self.assume(message!(
                    "the part that sees images is frozen; what joins it to the language model counts as frozen too",
                    "处理图像的部分被冻结；连接它与语言模型的部分也按冻结计"
                ));
            }
            (Some("language"), _) if model.arch.sees() => {
                self.assume_unverified(message!(
                    "the language model is frozen: what sees images is trained, and two layers that join it to the text",
                    "语言模型被冻结：训练处理图像的部分，以及连接它与文本的两层"
                ));
                self.set_trained(&with_projector(model, TrainedParts { tower: true, ..TrainedParts::default() }));
            }
            (Some("all-but-projector"), _) => {
                self.assume_unverified(if model.arch.sees() {
                    message!(
                        "only what joins images to the text is trained: it counts as two layers",
                        "只训练连接图像与文本的部分：按两层计"
                    )
                } else {
                    message!(
                        "only what joins images to the text is trained: it counts as two layers, and what sees images is left out",
                        "只训练连接图像与文本的部分：按两层计，处理图像的部分未计入"
                    )
                });
                self.set_trained(&with_projector(model, TrainedParts::default()));
            }
            (_, layers) if matches!(self.run.dialect, Dialect::LlamaFactory | Dialect::LlamaFactoryV1) && !classifies => {
                let layers = layers.unwrap_or(LLAMA_FACTORY_LAYERS);
                let parts = self.trained_layers(model, layers)?;
                self.set_trained(&parts);
            }
            (Some(rules), _) if is_rules(rules) => {
                if let Some(parts) = self.by_rules(model, rules)? {
                    self.set_trained(&parts);
                }
            }
            _ if classifies && (frozen.as_deref() == Some("base") || self.run.dialect == Dialect::LlamaFactory) => {
                self.both(|setup| setup.freeze_base = true);
            }
            _ => return Err(partly_frozen()),
        }
        Ok(())
    }

    /// Maps a run that trains whole parts. Frameworks freeze what sees images unless they are told otherwise (LLaMA-Factory 0.9.6
    /// hparams/finetuning_args.py, ms-swift 4.6.0.dev0 swift/arguments/tuner_args.py).
    pub(super) fn trained_of_full(&mut self, model: &Model) -> Result<(), Message> {
        let keys = match self.run.dialect {
            Dialect::Axolotl if self.lists_trained_parts() => return Err(partly_frozen()),
            Dialect::LlamaFactory => ["freeze_language_model", "freeze_vision_tower", "freeze_multi_modal_projector"],
            Dialect::MsSwift | Dialect::MegatronSwift => ["freeze_llm", "freeze_vit", "freeze_aligner"],
            _ => {
                self.tower_of_full(model);
                return Ok(());
            }
        };
        if self.enables("use_badam", &[]) {
            return self.one_block_at_a_time();
        }
        if let Some(share) = self.given_text("freeze_parameters_ratio").and_then(|text| text.parse::<f64>().ok())
            && share > 0.0
        {
            let parts = self.above_share(model, share)?;
            self.set_trained(&parts);
            return Ok(());
        }
        let is_off = |key: &str| self.given_text(key).is_some_and(|text| text.eq_ignore_ascii_case("false") || text == "0");
        let [language, vision, joint] = keys;
        let language_frozen = self.enables(language, &[]);
        if !model.arch.has_tower() || !language_frozen && !is_off(vision) && !is_off(joint) {
            return Ok(());
        }
        let base = if language_frozen { TrainedParts::default() } else { TrainedParts::all() };
        let parts = TrainedParts { tower: is_off(vision), ..base };
        let parts = if is_off(joint) && !parts.tower { with_projector(model, parts) } else { parts };
        if parts == TrainedParts::default() {
            return Err(message!("every part of the model is frozen: nothing is trained", "模型的每一部分都被冻结：不进行训练"));
        }
        self.set_trained(&parts);
        Ok(())
    }

    /// Whether Axolotl trains only what `unfrozen_parameters` names by patterns, and that is not the language model (0.18.0
    /// `src/axolotl/utils/freeze.py`). The user may ask for all of it.
    fn lists_trained_parts(&self) -> bool {
        let asked = setting(self.run, Concept::Method)
            .and_then(|setting| setting.winning())
            .is_some_and(|winner| matches!(winner.origin, Origin::User { .. }));
        let is_language_model = |pattern: &Value| {
            let text = pattern.as_str().unwrap_or_default().trim_start_matches('^');
            let rest = text.strip_prefix("model.").unwrap_or(text).strip_prefix("language_model");
            rest.is_some_and(|rest| rest.chars().all(|c| matches!(c, '.' | '*')))
        };
        let listed = self.text(Concept::Freeze).as_deref() == Some("all-but-listed");
        !asked && listed && !self.list_of("unfrozen_parameters").iter().any(is_language_model)
    }

    /// What is counted and not simulated is trained too, but for a tower that gets no images.
    fn tower_of_full(&mut self, model: &Model) {
        if !model.arch.has_tower() {
            return;
        }
        if !model.arch.sees() {
            self.set_trained(&TrainedParts::all());
        } else if self.trains_tower() {
            self.upper.trained = Some(TrainedParts::all());
            self.assume(message!("what sees images is trained too", "处理图像的部分也参与训练"));
        }
    }

    /// Whether the run feeds images to all of the model: it loads it by a class for images, or with their processor (Axolotl 0.18.0
    /// utils/schemas/model.py, `freeze_mm_modules`).
    fn trains_tower(&self) -> bool {
        if self.run.dialect == Dialect::Axolotl {
            return self.has_key("processor_type") && !self.enables("freeze_mm_modules", &[]);
        }
        let loads = self.run.code.iter().flat_map(|code| &code.models);
        loads.filter(|load| load.trained == Some(true)).any(|load| {
            // A class of the project's own for a model that sees is there for images.
            if load.derived {
                return true;
            }
            let class = load.class.rsplit('.').find(|part| part.starts_with(char::is_uppercase)).unwrap_or_default();
            ["ImageTextToText", "Vision2Seq", "ForConditionalGeneration"].iter().any(|part| class.contains(part))
                || is_tower(class)
        })
    }

    /// BAdam trains a block after another, on fp32 copies of its weights (badam 1.2 block_optim.py `BlockOptimizer`). The lowest keeps the
    /// most activations.
    fn one_block_at_a_time(&mut self) -> Result<(), Message> {
        if self.enables("badam_mode", &["ratio"]) {
            return Err(message!("estimates do not support badam_mode ratio", "不支持估算 badam_mode ratio"));
        }
        let block = |first: u64| TrainedParts {
            blocks: vec![(first, first + 1)],
            starts_at_block: true,
            dtype: Some(Dtype::Fp32),
            ..TrainedParts::default()
        };
        self.assume_unverified(message!(
            "BAdam trains one block at a time: the lowest block, in fp32, counts as trained",
            "BAdam 每次只训练一个块：按以 fp32 训练最低的块计"
        ));
        self.set_trained(&block(0));
        Ok(())
    }

    pub(super) fn set_trained(&mut self, parts: &TrainedParts) {
        self.both(|setup| setup.trained = Some(parts.clone()));
    }

    /// The last `layers` blocks, or the first ones if the number is negative (LLaMA-Factory 0.9.6 model/adapter.py `_setup_freeze_tuning`).
    fn trained_layers(&mut self, model: &Model, layers: i64) -> Result<TrainedParts, Message> {
        let (all, many) = (model.arch.layers(), layers.unsigned_abs());
        let blocks = if self.enables("use_llama_pro", &[]) {
            if many == 0 || all % many != 0 {
                return Err(message!(
                    "{all} layers are not a multiple of freeze_trainable_layers {many}",
                    "层数 {all} 不是 freeze_trainable_layers {many} 的整数倍"
                ));
            }
            (1..=many).map(|group| (group * all / many - 1, group * all / many)).collect()
        } else if layers > 0 {
            vec![(all.saturating_sub(many), all)]
        } else {
            vec![(0, many)]
        };
        let names = |key: &str| -> Vec<String> {
            let text = self.given_text(key).unwrap_or_default();
            text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
        };
        let modules = names("freeze_trainable_modules");
        let modules = if modules.iter().any(|name| name == "all") { Vec::new() } else { modules };
        let extra = names("freeze_extra_modules");
        let has = |words: &[&str]| extra.iter().any(|name| words.contains(&name.as_str()));
        // What is trained becomes fp32, except with ZeRO-3, which keeps its own copies (model/adapter.py `init_adapter`).
        let widens = if self.run.dialect == Dialect::LlamaFactoryV1 {
            // v1/plugins/model_plugins/peft.py `FreezeParams`.
            !self.given_text("cast_trainable_params_to_fp32").is_some_and(|text| text.eq_ignore_ascii_case("false"))
        } else {
            !self.enables("pure_bf16", &[]) && !self.enables("use_badam", &[]) && self.upper.parallel.scheme != Scheme::Zero3
        };
        let embedding = has(&["embed_tokens", "wte", "word_embeddings"]);
        Ok(TrainedParts {
            embedding,
            beside_embedding: embedding,
            norm: has(&["norm", "ln_f", "final_layernorm"]),
            head: has(&["lm_head", "output", "embed_out"]),
            blocks,
            modules,
            starts_at_block: true,
            dtype: widens.then_some(Dtype::Fp32),
            ..TrainedParts::default()
        })
    }

    /// What is left when the lowest parameters, up to a share of all, are frozen (ms-swift 4.6.0.dev0 swift/utils/transformers_utils.py
    /// `freeze_parameters`). A block that is frozen in part counts as trained.
    fn above_share(&mut self, model: &Model, share: f64) -> Result<TrainedParts, Message> {
        let words = ["trainable_parameters", "trainable_parameters_regex", "freeze_parameters", "freeze_parameters_regex"];
        if words.iter().any(|key| self.given_text(key).is_some()) || !(0.0..1.0).contains(&share) || model.arch.has_tower() {
            return Err(message!(
                "parameters are frozen by their names, and estimates do not read these",
                "按参数名冻结参数，估算不读取这些名称"
            ));
        }
        let total = model.arch.parameters();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // a share of a count
        let frozen = (total as f64 * share) as u64;
        let table = model.arch.vocabulary() * model.arch.width();
        let tables = if model.arch.has_tied_head() { table } else { 2 * table };
        let block = total.saturating_sub(tables) / model.arch.layers().max(1);
        let below = frozen.saturating_sub(table) / block.max(1);
        Ok(TrainedParts {
            embedding: frozen < table,
            beside_embedding: frozen < table,
            blocks: vec![(below, u64::MAX)],
            ..TrainedParts::all()
        })
    }
}

/// Adds two layers that join images to the text: from the columns of the tower, and one between the columns of the language model.
fn with_projector(model: &Model, parts: TrainedParts) -> TrainedParts {
    let width = model.arch.width();
    TrainedParts { beside: (PATCH_COLUMNS + width) * width, ..parts }
}

fn partly_frozen() -> Message {
    message!(
        "a part of the model is frozen, and estimates do not tell which; `--set method=full` gives an upper bound",
        "模型的一部分被冻结，估算尚不区分是哪一部分；`--set method=full` 给出上界"
    )
}

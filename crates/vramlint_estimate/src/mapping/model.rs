//! The trained model.

use super::Mapping;
use super::setting_range::setting;
use crate::models::{Model, Source, config_from_json};
use vramlint_base::{Message, Value, message};
use vramlint_catalog::Concept;
use vramlint_catalog::models::variant;
use vramlint_memory::{Certainty, Config};
use vramlint_resolve::{Candidate, Origin, Resolved, Setting};

/// Says what leaves the model open: the flag or the name in the code, and why its value is not known.
fn unknown_model(candidate: &Candidate, why: &Message) -> Message {
    let Message { en, zh } = why;
    match &candidate.origin {
        Origin::Flag { flag: name, .. }
        | Origin::Documented { flag: name, .. }
        | Origin::Code { name, .. }
        | Origin::Env { name, .. }
        | Origin::OptionDefault { option: name, .. } => {
            message!(
                "the model comes from `{name}`: {en}; give it with `--set model=…`",
                "模型来自 `{name}`：{zh}；可用 `--set model=…` 给出"
            )
        }
        _ => message!("the model is unknown: {en}; give it with `--set model=…`", "模型未知：{zh}；可用 `--set model=…` 给出"),
    }
}

impl Mapping<'_> {
    /// The model, and the lightest of the candidates.
    pub(super) fn model_range(&mut self) -> Result<(Model, Model), Message> {
        if let Some(made) = self.made_model() {
            return made.map(|model| (model.clone(), model));
        }
        let setting = setting(self.run, Concept::Model).ok_or_else(|| self.unnamed_model())?;
        let candidates: Vec<&Candidate> = setting.winning().map_or_else(|| setting.candidates.iter().collect(), |one| vec![one]);
        let mut found: Vec<Model> = Vec::new();
        for candidate in candidates {
            let id = match &candidate.value {
                Resolved::Known(value) => value.as_str().ok_or_else(|| self.unnamed_model())?,
                Resolved::Unknown(why) => match self.commented_models(candidate) {
                    // The command gives the option: its default is not used.
                    Some(models) => {
                        found = models;
                        break;
                    }
                    None => return Err(unknown_model(candidate, why)),
                },
            };
            if found.iter().any(|model| model.id == id) {
                continue;
            }
            let model = self.model_named(id)?;
            if let Some(why) = model.undescribed() {
                return Err(why);
            }
            found.push(model);
        }
        if found.len() > 1
            && let Some(why) = self.trains_several()
        {
            let joint = self.joint_model(&found).ok_or(why)?;
            self.say_what_a_name_tells(&joint);
            return Ok((joint.clone(), joint));
        }
        found.sort_by_key(|model| model.arch.parameters());
        let (Some(most), Some(least)) = (found.last(), found.first()) else { return Err(self.unnamed_model()) };
        if found.len() > 1 {
            let (id, count) = (&most.id, found.len());
            self.assume(message!(
                "the model is one of {count}: assuming {id}, the largest",
                "模型可能是 {count} 个之一：按其中最大的 {id} 计"
            ));
        }
        self.say_what_a_name_tells(most);
        Ok((most.clone(), least.clone()))
    }

    /// Why no model is known where the run names none.
    fn unnamed_model(&self) -> Message {
        let builds =
            self.run.code.as_ref().is_some_and(|code| code.keeps_default_dtype.is_some() && code.built_models.is_empty());
        if builds {
            return message!(
                "the code builds the model from its own modules; give one of a similar shape with `--set model=…`",
                "代码用自己的模块搭建模型；可用 `--set model=…` 给出形状相近的模型"
            );
        }
        if self.describes_images() {
            return message!(
                "the settings are those of a model of images, which estimates do not describe",
                "这些设置属于图像模型，估算不描述这类模型"
            );
        }
        message!(
            "the project does not name the model; give it with `--set model=…`",
            "项目没有写明模型；可用 `--set model=…` 给出"
        )
    }

    /// Whether the files of the run hold settings that only models of images have, those of timm and of Swin.
    fn describes_images(&self) -> bool {
        const KEYS: [&str; 10] = [
            "drop_path_rate",
            "patch_size",
            "img_size",
            "img_on_memory",
            "pretrain_size",
            "cutmix",
            "mixup",
            "reprob",
            "color_jitter",
            "cls_target",
        ];
        let has = |key: &&&str| self.has_key(key) || self.has_key(&key.to_uppercase());
        KEYS.iter().filter(has).count() > 1
    }

    /// Why none of the candidates is all that is trained: the code loads several models and trains them together.
    fn trains_several(&self) -> Option<Message> {
        let loads = self.run.code.iter().flat_map(|code| &code.models);
        let mut names: Vec<&str> = loads
            .filter(|load| load.trained == Some(true) && !load.conditional)
            .filter_map(|load| load.model.as_ref().and_then(Value::as_str))
            .collect();
        names.sort_unstable();
        names.dedup();
        let [first, second, ..] = names.as_slice() else { return None };
        Some(message!(
            "the code trains several models together, {first} and {second}; give one of their joint size with `--set model=…`",
            "代码同时训练多个模型：{first} 与 {second}；可用 `--set model=…` 给出总规模相近的模型"
        ))
    }

    /// The model with this name, or the one that the project puts into the folder with this name.
    fn model_named(&mut self, id: &str) -> Result<Model, Message> {
        let filled = self.run.folder_model.as_ref().filter(|filled| filled.folder == id && !self.models.is_available(id));
        let Some(filled) = filled else { return self.models.find_or_infer(id).ok_or_else(|| self.not_found(id)) };
        let model = self.models.find_or_infer(&filled.model).ok_or_else(|| self.not_found(&filled.model))?;
        self.assume(filled.why.clone());
        Ok(model)
    }

    /// The model that the code makes from a configuration, if no model is named.
    fn made_model(&mut self) -> Option<Result<Model, Message>> {
        if setting(self.run, Concept::Model).is_some_and(|named| named.value().is_some()) {
            return None;
        }
        let winning = setting(self.run, Concept::ModelConfig)?.winning()?;
        let keys = match &winning.value {
            Resolved::Known(Value::Map(keys)) => keys,
            Resolved::Known(_) => return None,
            Resolved::Unknown(why) => return Some(Err(unknown_model(winning, why))),
        };
        let text = |name: &str| keys.iter().find(|(key, _)| key.as_str() == Some(name)).and_then(|(_, value)| value.as_str());
        let (class, base) = (text("cls"), text("_name_or_path"));
        let mut config = match base {
            Some(id) => match config_of(id) {
                Some(config) => config,
                None => return Some(Err(self.not_found(id))),
            },
            None => Config::default(),
        };
        for (key, value) in keys.iter().filter_map(|(key, value)| Some((key.as_str()?, value))) {
            config.set(key, as_config_value(value));
        }
        let name = class.or(base)?.to_owned();
        let vocabulary = setting(self.run, Concept::VocabSize);
        let given = vocabulary.and_then(Setting::value).and_then(Value::as_int);
        match (given, self.vocabulary_of_tokenizer().filter(|_| vocabulary.is_some())) {
            (Some(size), _) => config.set("vocab_size", as_config_value(&Value::Int(size))),
            (None, Some((tokenizer, size))) => {
                config.set("vocab_size", size);
                self.assume(message!(
                    "assuming the vocabulary of {tokenizer}, the only tokenizer that the code loads",
                    "词表按代码唯一加载的分词器 {tokenizer} 计"
                ));
            }
            (None, None) if vocabulary.is_some() => self.assume_unverified(message!(
                "the size of the vocabulary is not known: that of {name} is assumed; give it with `--set vocab_size=…`",
                "词表大小未知：按 {name} 的默认值计；可用 `--set vocab_size=…` 给出"
            )),
            (None, None) => {}
        }
        let model = Model::from_config(&name, &config, Source::Code);
        if model.arch.certainty() != Certainty::Traced {
            let why = message!(
                "the code makes the model from `{name}`, whose family is not modelled; give one of a similar shape with `--set model=…`",
                "代码用 `{name}` 创建模型，这一系列尚未建模；可用 `--set model=…` 给出形状相近的模型"
            );
            return Some(Err(why));
        }
        Some(model.undescribed().map_or(Ok(model), Err))
    }

    /// The tokenizer of the code and the rows of the embedding table of the model that it belongs to, if the model is known.
    fn vocabulary_of_tokenizer(&self) -> Option<(String, vramlint_memory::Value)> {
        let name = self.run.code.as_ref()?.tokenizer.clone()?;
        let size = config_of(&name)?.get("vocab_size")?.clone();
        Some((name, size))
    }

    /// A name is no proof: says what it is taken for. A size alone decides no verdict.
    fn say_what_a_name_tells(&mut self, model: &Model) {
        match (model.told_by_name(), &model.source) {
            (Some(what), Source::SizeInName(_)) => self.assume_unverified(what),
            (Some(what), _) => self.assume(what),
            (None, _) => {}
        }
    }

    fn not_found(&self, id: &str) -> Message {
        match self.models.nearest(id) {
            Some(meant) if meant != id => {
                message!("unknown model {id}; did you mean {meant}?", "未知模型 {id}；是否想写 {meant}？")
            }
            _ => message!(
                "unknown model {id}; declare its config.json with `vramlint model add`",
                "未知模型 {id}；可用 `vramlint model add` 加入它的 config.json"
            ),
        }
    }
}

/// The configuration of a model of the catalogue.
fn config_of(id: &str) -> Option<Config> {
    config_from_json(variant(id)?.model.config).ok()
}

fn as_config_value(value: &Value) -> vramlint_memory::Value {
    use vramlint_memory::Value as Out;
    match value {
        Value::Bool(on) => Out::Bool(*on),
        Value::Text(text) => Out::Text(text.clone()),
        Value::List(items) => Out::List(items.iter().map(as_config_value).collect()),
        number => number.as_float().map_or(Out::Null, Out::Number),
    }
}

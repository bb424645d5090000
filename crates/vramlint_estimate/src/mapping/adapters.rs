//! Adapters and frozen parameters.

use super::Mapping;
use super::setting_range::setting;
use crate::models::{Model, Source};
use crate::record::vocabulary;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::setup::{AdapterKind, Dtype, Lora, SavedModules, Targets, Task, TrainedParts};
use vramlint_resolve::code::PossibleValue;

/// The lowest LoRA rank.
const LEAST_RANK: u64 = 1;

impl Mapping<'_> {
    pub(super) fn adapters(&mut self, model: &Model) -> Result<(), Message> {
        let method = self.text(Concept::Method);
        let rank = self.positive(Concept::LoraR)?;
        let adapted = match method.as_deref() {
            Some("lora" | "qlora" | "lora_llm") => true,
            Some("adalora") => {
                self.assume(message!("adalora counts as LoRA of its first rank", "adalora 按其初始秩的 LoRA 计"));
                true
            }
            Some("ia3") => return self.scaling_vectors(model),
            Some("oft") => return self.rotations(model),
            // The encoder gets no prefix, so nothing of it is kept (peft 0.21.2 peft_model.py, `PeftModelForSeq2SeqLM.forward`).
            Some("prefixtuning") if self.upper.task == Task::Seq2Seq => {
                return Err(message!(
                    "estimates do not support prefix tuning of an encoder-decoder model",
                    "不支持估算编码器-解码器模型的前缀微调"
                ));
            }
            Some("prompttuning" | "prefixtuning" | "promptencoder") => {
                self.both(|setup| setup.trains_prompt = true);
                return Ok(());
            }
            Some("full") => return self.trained_of_full(model),
            Some("freeze") => return self.trained_of_frozen(model),
            Some(other) => return Err(message!("estimates do not support method {other}", "不支持估算训练方式 {other}")),
            None if self.has(Concept::Method) => return Err(message!("method is unknown", "method 未知")),
            None if rank.is_none() && self.run.code.as_ref().is_some_and(|code| code.may_freeze || code.trains_one_part) => {
                return Err(message!(
                    "the code may freeze a part of the model, and which is unknown; `--set method=full` gives an upper bound",
                    "代码可能冻结模型的一部分，且无从得知是哪一部分；`--set method=full` 给出上界"
                ));
            }
            None => rank.is_some(),
        };
        if !adapted {
            self.assume_all_trained();
            return Ok(());
        }
        let (most, least) = if let Some(rank) = rank {
            (rank.upper, if rank.stated { rank.lower } else { LEAST_RANK })
        } else {
            self.assume(message!(
                "lora_r is not set: 8, the default of PEFT 0.21",
                "没有设置 lora_r：按 PEFT 0.21 的默认值 8 计"
            ));
            (8, LEAST_RANK)
        };
        let parameters = self.target_parameters(model)?;
        let targets = self.targets_with(parameters, model);
        let dropout = self.dropout();
        let dora = self.is_on(Concept::UseDora);
        let saved = self.saved_modules();
        let lora =
            |r, dropout| Lora { r, targets: targets.clone(), dropout, dtype: Some(Dtype::Fp32), dora, saved, ..Lora::default() };
        self.upper.lora = Some(lora(most, dropout));
        self.lower.lora = Some(lora(least, false));
        // Beside adapters of the language model, ms-swift trains what sees images as a whole (4.6 swift/tuner_plugin/lora_llm.py).
        if method.as_deref() == Some("lora_llm") && model.arch.has_tower() {
            self.set_trained(&TrainedParts { tower: true, ..TrainedParts::default() });
        }
        Ok(())
    }

    /// Code that may freeze a part of what it loads, or that is not there, leaves open what it trains.
    fn assume_all_trained(&mut self) {
        if self.has(Concept::Method) {
            return;
        }
        self.assume_unverified(match (&self.run.code, self.missing_program()) {
            (Some(_), _) => message!(
                "whether the code freezes a part of the model is not known: all of it counts as trained",
                "不知道代码是否冻结模型的一部分：按全部训练计"
            ),
            (None, Some(program)) => message!(
                "{program} is not in the project, and whether it trains adapters is not known: the whole model counts as trained",
                "{program} 不在项目中，不知道它是否训练适配器：按训练整个模型计"
            ),
            (None, None) => return,
        });
        self.lower.trained = Some(TrainedParts { norm: true, ..TrainedParts::default() });
    }

    /// The program of a command without a framework that reads its options, as the command names it, if the project does not have it.
    fn missing_program(&self) -> Option<String> {
        let own = matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate | Dialect::HfTrainer | Dialect::Trl);
        let launch = self.run.launch.as_ref().filter(|_| own && self.run.entry.is_none())?;
        let word = launch.script.as_ref().or(launch.module.as_ref())?;
        Some(word.text().unwrap_or("…").to_owned())
    }

    /// OFT: rotations of the inputs in square blocks (peft 0.21.2 tuners/oft/layer.py), which keep about what LoRA keeps. The rank is that
    /// of a square layer with as many parameters: half of a block for each input, against twice the rank.
    fn rotations(&mut self, model: &Model) -> Result<(), Message> {
        const BLOCK: u64 = 32;
        if self.given_text("oft_rank").is_some_and(|rank| rank != "0") {
            return Err(message!("estimates do not support oft_rank", "不支持估算 oft_rank"));
        }
        let block = self.given_text("oft_block_size").and_then(|size| size.parse().ok()).unwrap_or(BLOCK);
        let r = (block / 4).max(1);
        let targets = match self.given_text("oft_target") {
            Some(names) if names != "all" => Targets::Named(names.split(',').map(|name| name.trim().to_owned()).collect()),
            None if self.run.dialect != Dialect::LlamaFactory => self.targets(model),
            _ => self.framework_targets(Targets::AllLinear),
        };
        self.assume_unverified(message!(
            "OFT in blocks of {block} counts as LoRA of rank {r}, which trains about as many parameters",
            "块大小为 {block} 的 OFT 按秩为 {r} 的 LoRA 计，两者可训练参数相近"
        ));
        self.both(|setup| {
            setup.lora = Some(Lora { r, targets: targets.clone(), dtype: Some(Dtype::Fp32), ..Lora::default() });
        });
        Ok(())
    }

    /// IA3: vectors that scale keys, values and the inputs of feed-forward modules (peft 0.21.2 tuners/ia3).
    fn scaling_vectors(&mut self, model: &Model) -> Result<(), Message> {
        let (usual, usual_feedforward) = usual_scaled(&model.arch.model_type);
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        let given =
            |name: &str| Some(named(&self.peft_argument("IA3Config", name)?.to_value()?).unwrap_or(Targets::Named(Vec::new())));
        let targets = given("target_modules");
        let feedforward = match given("feedforward_modules") {
            Some(Targets::Named(names)) => names,
            None if targets.is_some() => Vec::new(),
            _ => texts(usual_feedforward),
        };
        if targets.is_none() && usual.is_empty() {
            return Err(message!("the modules that IA3 scales are unknown", "IA3 缩放的模块未知"));
        }
        let targets = targets.unwrap_or_else(|| Targets::Named(texts(usual)));
        let kind = AdapterKind::Scaling { feedforward };
        self.both(|setup| {
            setup.lora =
                Some(Lora { r: 1, targets: targets.clone(), dtype: Some(Dtype::Fp32), kind: kind.clone(), ..Lora::default() });
        });
        Ok(())
    }

    /// Vectors that prompt tuning puts before each row, in tokens.
    pub(super) fn virtual_tokens(&self) -> u64 {
        // Prefix tuning puts its vectors among keys and values instead.
        const CONFIGS: [&str; 2] = ["PromptTuningConfig", "PromptEncoderConfig"];
        let given = CONFIGS.iter().find_map(|config| self.peft_argument(config, "num_virtual_tokens"));
        given.and_then(PossibleValue::to_value).as_ref().and_then(super::setting_range::integer).unwrap_or(0)
    }

    /// An argument of a configuration class of PEFT that the code calls.
    fn peft_argument(&self, class: &str, name: &str) -> Option<&PossibleValue> {
        let calls = self.run.code.as_ref()?.calls.iter();
        let mut own = calls.filter(|call| call.path.strip_prefix("peft.").is_some_and(|path| path.ends_with(class)));
        own.find_map(|call| call.arguments.iter().find(|argument| argument.name.as_deref() == Some(name)))?.values.first()
    }

    /// The parameters of experts that get adapters of their own, by their paths (peft 0.21.2 tuners/lora/config.py, `target_parameters`).
    fn target_parameters(&self, model: &Model) -> Result<Vec<String>, Message> {
        let names: Vec<&str> = match self.value(Concept::LoraTargetParameters) {
            Some(Value::Text(text)) => text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect(),
            Some(Value::List(items)) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if !names.is_empty() && !model.arch.has_experts() {
            let kind = &model.arch.model_type;
            return Err(message!(
                "estimates do not support lora_target_parameters of {kind}",
                "不支持估算 {kind} 的 lora_target_parameters"
            ));
        }
        let path = |name: &str| if name.contains("experts.") { name.to_owned() } else { format!("experts.{name}") };
        Ok(names.into_iter().map(path).collect())
    }

    /// The adapted modules, and the adapted parameters by their paths.
    fn targets_with(&mut self, parameters: Vec<String>, model: &Model) -> Targets {
        if parameters.is_empty() {
            return self.targets(model);
        }
        // Axolotl names no module then (0.19.0 loaders/adapter.py); PEFT names its own.
        let none_named = self.run.dialect == Dialect::Axolotl && !self.has(Concept::LoraTargets);
        let modules = if none_named { Targets::Named(Vec::new()) } else { self.targets(model) };
        match modules {
            Targets::Named(names) => Targets::Named(names.into_iter().chain(parameters).collect()),
            listed => {
                let list = parameters.join(", ");
                self.assume_unverified(message!(
                    "{list} of lora_target_parameters is not simulated next to every linear layer: its adapters do not count",
                    "未模拟 lora_target_parameters 中的 {list}（同时以所有线性层为目标）：其适配器未计入"
                ));
                listed
            }
        }
    }

    fn targets(&mut self, model: &Model) -> Targets {
        let said = self.value(Concept::LoraTargets).cloned();
        if let Some(targets) = said.as_ref().and_then(named) {
            let targets = self.framework_targets(targets);
            let is_guess = matches!(model.source, Source::SizeInName(_));
            if is_guess && matches!(&targets, Targets::Named(names) if !names.iter().any(|name| is_of_llama(name))) {
                self.assume(message!(
                    "the layers of the model are unknown: assuming adapters on every linear layer",
                    "模型的层未知：按所有线性层都有适配器计"
                ));
                return Targets::AllLinear;
            }
            return targets;
        }
        if let Some(targets) = self.open_targets() {
            return targets;
        }
        let adaptive = self.text(Concept::Method).as_deref() == Some("adalora");
        let names = if adaptive { usual_adaptive(&model.arch.model_type) } else { usual_targets(&model.arch.model_type) };
        let list = names.join(", ");
        self.assume(message!(
            "lora_targets is not set: {list}, the default of PEFT 0.21",
            "没有设置 lora_targets：按 PEFT 0.21 的默认值 {list} 计"
        ));
        Targets::Named(names.iter().map(|name| (*name).to_owned()).collect())
    }

    /// The targets of every branch that may run, if they are open: a name that the model does not have adapts nothing.
    fn open_targets(&mut self) -> Option<Targets> {
        let setting = setting(self.run, Concept::LoraTargets)?;
        let of_branches: Vec<Targets> = setting.candidates.iter().filter_map(|candidate| named(candidate.known()?)).collect();
        let every: Option<Vec<String>> = of_branches.into_iter().try_fold(Vec::new(), |mut names, targets| match targets {
            Targets::Named(own) => {
                names.extend(own);
                Some(names)
            }
            Targets::AllLinear | Targets::LinearLayers => None,
        });
        let Some(names) = every.filter(|names| !names.is_empty()) else {
            self.assume_unverified(message!(
                "lora_targets is unknown: assuming every linear layer",
                "lora_targets 未知：按所有线性层计"
            ));
            return Some(Targets::AllLinear);
        };
        let list = names.join(", ");
        self.assume(message!(
            "lora_targets depends on a branch: assuming {list} as far as the model has them",
            "lora_targets 取决于分支：模型中有的 {list} 均计入"
        ));
        Some(self.framework_targets(Targets::Named(names)))
    }

    /// Targets by transformers' names, with the layers that the framework adapts by keys of their own and those that it lists itself.
    fn framework_targets(&self, targets: Targets) -> Targets {
        let traits = &self.run.dialect.estimate;
        let Targets::Named(mut names) = targets else {
            return if traits.lists_linear_layers { Targets::LinearLayers } else { targets };
        };
        for (key, layers) in traits.adapter_switches {
            // An option of the command may switch off what the file switches on.
            names.retain(|name| !layers.contains(&name.as_str()));
            if self.enables(key, &[]) {
                names.extend(layers.iter().map(|layer| (*layer).to_owned()));
            }
        }
        for name in &mut names {
            if let Some((_, usual)) = traits.layer_names.iter().find(|(own, _)| own == name) {
                *name = (*usual).to_owned();
            }
        }
        Targets::Named(names)
    }

    /// Embedding and head that are trained as a whole.
    fn saved_modules(&mut self) -> SavedModules {
        let said = self.value(Concept::LoraModulesToSave).cloned();
        let names: Vec<&str> = match &said {
            Some(Value::Text(text)) => text.split([',', ' ']).map(str::trim).filter(|name| !name.is_empty()).collect(),
            Some(Value::List(items)) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let (saved, others) = vocabulary::saved_modules(names);
        if !others.is_empty() {
            let list = others.join(", ");
            self.assume_unverified(message!(
                "{list} of modules_to_save is not simulated: its copies do not count",
                "未模拟 modules_to_save 中的 {list}：其副本未计入"
            ));
        }
        saved
    }

    /// Whether adapters have dropout, which keeps a copy of every adapter input.
    fn dropout(&mut self) -> bool {
        if self.is_on(Concept::DisableDropout) {
            return false;
        }
        if let Some(rate) = self.value(Concept::LoraDropout).and_then(Value::as_float) {
            return rate > 0.0;
        }
        // peft 0.21.2 tuners/lora/config.py and frameworks that keep its default.
        let none = self.run.dialect.estimate.no_dropout;
        if !none {
            self.assume(message!("lora_dropout is unknown: assuming above 0", "lora_dropout 未知：按大于 0 计"));
        }
        !none
    }
}

/// Targets as written: a list, comma-separated names, a keyword for all, or a pattern.
fn named(value: &Value) -> Option<Targets> {
    let texts: Vec<&str> = match value {
        Value::Text(text) => text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect(),
        Value::List(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    if texts.iter().any(|name| matches!(*name, "all-linear" | "all_linear" | "all")) {
        return Some(Targets::AllLinear);
    }
    // A pattern contains module names between its metacharacters. `output.dense` names one of several layers that are called `dense`.
    let paths: Vec<String> = texts.iter().flat_map(|text| alternatives(text, MAX_GROUPS)).collect();
    let is_end =
        |path: &str| path.ends_with(".dense") && path.split('.').all(|part| part.starts_with(|c: char| c.is_ascii_lowercase()));
    let is_apart = |path: &str, c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.' && is_end(path));
    let pieces = paths.iter().flat_map(|path| path.split(|c: char| is_apart(path, c)));
    let mut names: Vec<String> = Vec::new();
    for name in pieces.filter(|name| is_module(name)) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    if names.is_empty() { None } else { Some(Targets::Named(names)) }
}

/// Whether a Llama, which stands for a model of which only the size is known, has this linear layer.
fn is_of_llama(name: &str) -> bool {
    const LAYERS: [&str; 7] = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"];
    LAYERS.contains(&name.rsplit('.').next().unwrap_or(name))
}

/// Groups of a pattern that are written out.
const MAX_GROUPS: u32 = 4;

/// What a pattern may be with each of its groups replaced by one of its branches: `(q|k)_proj` is `q_proj` and `k_proj`.
fn alternatives(pattern: &str, groups: u32) -> Vec<String> {
    let whole = || vec![pattern.to_owned()];
    let Some((before, rest)) = pattern.find(')').filter(|_| groups > 0).map(|end| pattern.split_at(end)) else { return whole() };
    let Some((head, inner)) = before.rsplit_once('(') else { return whole() };
    let (inner, tail) = (inner.trim_start_matches("?:"), &rest[1..]);
    inner.split('|').flat_map(|branch| alternatives(&format!("{head}{branch}{tail}"), groups - 1)).collect()
}

/// Whether a word may be the name of a linear layer rather than a part of its path.
fn is_module(name: &str) -> bool {
    const PATH: [&str; 13] = [
        "model",
        "layers",
        "layer",
        "self_attn",
        "cross_attn",
        "mlp",
        "attn",
        "attention",
        "transformer",
        "h",
        "d",
        "language_model",
        "block",
    ];
    !name.is_empty() && !name.chars().all(|c| c.is_ascii_digit()) && !PATH.contains(&name)
}

/// peft 0.21.2 utils/constants.py, `TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING`.
fn usual_targets(model_type: &str) -> &'static [&'static str] {
    match model_type {
        "gpt2" | "gpt_bigcode" => &["c_attn"],
        "gpt_neox" | "bloom" | "falcon" | "RefinedWeb" | "RefinedWebModel" => &["query_key_value"],
        "bert" | "roberta" | "xlm-roberta" | "electra" => &["query", "value"],
        "t5" | "mt5" => &["q", "v"],
        "deberta-v2" => &["query_proj", "value_proj"],
        "mpt" => &["Wqkv"],
        "codegen" | "phi3" => &["qkv_proj"],
        _ => &["q_proj", "v_proj"],
    }
}

/// peft 0.21.2 utils/constants.py, `TRANSFORMERS_MODELS_TO_ADALORA_TARGET_MODULES_MAPPING`, where it differs.
fn usual_adaptive(model_type: &str) -> &'static [&'static str] {
    match model_type {
        "t5" => &["q", "k", "v", "o", "wi", "wo"],
        "mt5" => &["q", "k", "v", "o", "wi_0", "wi_1", "wo"],
        "opt" => &["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"],
        "roberta" => &["query", "key", "value", "dense"],
        "deberta-v2" => &["query_proj", "key_proj", "value_proj", "dense"],
        _ => usual_targets(model_type),
    }
}

/// peft 0.21.2 utils/constants.py: the modules that IA3 scales, and those of them whose input it scales.
fn usual_scaled(model_type: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match model_type {
        "t5" => (&["k", "v", "wo"], &["wo"]),
        "mt5" => (&["k", "v", "wi_1"], &[]),
        "gpt2" | "gpt_bigcode" => (&["c_attn", "mlp.c_proj"], &["mlp.c_proj"]),
        "bloom" | "gpt_neox" | "falcon" | "RefinedWeb" | "RefinedWebModel" => {
            (&["query_key_value", "dense_4h_to_h"], &["dense_4h_to_h"])
        }
        "bert" | "roberta" => (&["key", "value", "output.dense"], &["output.dense"]),
        "opt" => (&["q_proj", "k_proj", "fc2"], &["fc2"]),
        "phi" => (&["q_proj", "v_proj", "fc2"], &["fc2"]),
        "llama" | "mistral" => (&["k_proj", "v_proj", "down_proj"], &["down_proj"]),
        "gemma" | "gemma2" | "gemma3_text" | "qwen2" | "qwen3" => (&["q_proj", "v_proj", "down_proj"], &["down_proj"]),
        _ => (&[], &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_as_people_write_them() {
        let text = |text: &str| named(&Value::Text(text.to_owned()));
        let list = |names: &[&str]| Some(Targets::Named(names.iter().map(|name| (*name).to_owned()).collect()));
        assert_eq!(text("all-linear"), Some(Targets::AllLinear));
        assert_eq!(text("q_proj, v_proj"), list(&["q_proj", "v_proj"]));
        assert_eq!(text(r".*self_attn\.(q_proj|v_proj)"), list(&["q_proj", "v_proj"]));
        assert_eq!(named(&Value::List(vec![Value::Text("c_attn".into())])), list(&["c_attn"]));
        assert_eq!(named(&Value::Int(3)), None);
        let pattern = r"model.language_model.layers.[\d]+.(mlp|cross_attn|self_attn).(?:up|down|q)_proj";
        assert_eq!(text(pattern), list(&["up_proj", "down_proj", "q_proj"]));
    }
}

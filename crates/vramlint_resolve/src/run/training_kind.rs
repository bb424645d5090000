//! What a run trains for and how much of the model it trains, where no setting says so but the code shows it.

use super::precedence::known;
use crate::code::{CodeFacts, ModelLoad, TrainingPath};
use crate::features::Feature;
use crate::file_graph::FileGraph;
use crate::setting::{Candidate, Origin, Resolved, Setting};
use std::collections::BTreeMap;
use vramlint_base::{Value, message};
use vramlint_catalog::frameworks::Weights;
use vramlint_catalog::{Concept, Dialect, classes};

/// The tasks of transformers' model classes, by the end of their names.
const TASKS: &[(&str, &str)] = &[
    ("ForCausalLM", "causal-lm"),
    ("LMHeadModel", "causal-lm"),
    ("ForSequenceClassification", "seq-cls"),
    ("ForMultipleChoice", "multiple-choice"),
    ("ForSeq2SeqLM", "seq2seq"),
    ("ForMaskedLM", "masked-lm"),
    ("ForImageClassification", "image-classification"),
    ("ForTokenClassification", "token-classification"),
    ("ForQuestionAnswering", "question-answering"),
];

/// Families with an encoder and a decoder for text, whose `…ForConditionalGeneration` is such a model.
const SEQ2SEQ: &[&str] =
    &["T5", "MT5", "UMT5", "LongT5", "Bart", "MBart", "M2M100", "Pegasus", "Marian", "LED", "Blenderbot", "Whisper"];

/// Adds the task, and full training of code that neither adapts nor freezes anything.
pub(super) fn add(settings: &mut BTreeMap<Concept, Setting>, graph: &FileGraph, code: Option<&CodeFacts>, task: Option<&str>) {
    // A trainer of TRL is made for one task, which its name says where it is known.
    let by_model = || code.filter(|code| code.dialect != Some(Dialect::Trl)).and_then(task_of_models);
    let is_of_trl = code.is_some_and(|code| code.dialect == Some(Dialect::Trl));
    if is_of_trl && task.is_some() && settings.get(&Concept::Task).is_some_and(is_only_a_name) {
        settings.remove(&Concept::Task);
    }
    if !settings.contains_key(&Concept::Task)
        && let Some(task) = task.or_else(by_model)
    {
        let formula = message!("by the trainer and the class of the model", "由训练器与模型类得出");
        insert(settings, Concept::Task, task, Origin::Derived { formula, inputs: Vec::new() });
    }
    if !settings.contains_key(&Concept::Task) && code.is_some_and(predicts_next_token) {
        let why = message!("the loss compares each token with the next one", "损失函数将每个词元与其后一个词元比较");
        insert(settings, Concept::Task, "causal-lm", Origin::Assumed { why });
    }
    // The configuration of adapters that nobody gets decides nothing.
    if code.is_some_and(|code| code.refuses_adapters) && !settings.contains_key(&Concept::Method) {
        settings.retain(|concept, _| !concept.is_of_adapters());
    }
    let is_open =
        [Concept::Method, Concept::Freeze, Concept::LoraR, Concept::LoraTargets].iter().any(|c| settings.contains_key(c));
    let value = |concept| settings.get(&concept).and_then(Setting::value).and_then(Value::as_str);
    let keeps_base = value(Concept::Freeze) == Some("base") && !settings.contains_key(&Concept::Method);
    if keeps_base && !settings.contains_key(&Concept::LoraR) && code.is_some_and(|code| !code.adapters) {
        let why = message!("the code freezes the model that it loads", "代码冻结了所加载的模型");
        insert(settings, Concept::Method, "freeze", Origin::Assumed { why: why.clone() });
        if let Some(part) = code.and_then(|code| code.frozen_part.as_deref()) {
            insert(settings, Concept::Freeze, part, Origin::Assumed { why });
        }
    }
    if let Some(code) = code.filter(|code| !is_open && trains(code)) {
        let hides = code.is_cut_off || !code.sees_what_is_trained;
        let adapts = graph.any_has(&code.files, Feature::Adapters) && (code.may_adapt || hides);
        // What is not frozen where the code is seen to run is trained, also where an optimizer's groups are not seen one by one.
        let obscure = code.is_cut_off || !code.sees_some_trained;
        let freezes = graph.any_has(&code.files, Feature::FrozenParameters) && (code.may_freeze || obscure);
        if code.trains_one_part {
            return;
        }
        if !adapts && !hides && code.freezes_part {
            let why = message!("the code freezes a part of what it trains", "代码冻结了所训练模型的一部分");
            insert(settings, Concept::Method, "freeze", Origin::Assumed { why: why.clone() });
            if let Some(part) = code.frozen_part.as_deref() {
                insert(settings, Concept::Freeze, part, Origin::Assumed { why });
            }
        } else if !adapts && !freezes {
            let why = message!("the code neither adds adapters nor freezes parameters", "代码既不加适配器，也不冻结参数");
            insert(settings, Concept::Method, "full", Origin::Assumed { why });
        }
    }
}

/// Adds the task of a training file that no command starts: `recipes/dpo/config.yaml` with a `beta`, which SFT has not.
pub(super) fn add_task_of_file(settings: &mut BTreeMap<Concept, Setting>, path: &str) {
    let is_in_file = |candidate: &Candidate| matches!(candidate.origin, Origin::File { .. });
    let has_beta = settings.get(&Concept::KlBeta).and_then(Setting::winning).is_some_and(is_in_file);
    if !has_beta || settings.contains_key(&Concept::Task) {
        return;
    }
    let path = path.to_lowercase();
    let mut named: Vec<&str> =
        path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| classes::TRL_TASKS_WITH_BETA.contains(word)).collect();
    named.dedup();
    if let [task] = named.as_slice() {
        let why = message!("the path of the file names it, and `beta` fits it", "文件路径中写明，且与 `beta` 相符");
        insert(settings, Concept::Task, task, Origin::Assumed { why });
    }
}

/// Whether nothing but names in the code speak of a setting: `task` may be that of a function that prepares samples.
fn is_only_a_name(setting: &Setting) -> bool {
    setting.candidates.iter().all(|candidate| matches!(candidate.origin, Origin::Code { .. }))
}

/// Whether the code trains, also with an engine that hides how often it steps.
fn trains(code: &CodeFacts) -> bool {
    code.trains() || code.training_path == Some(TrainingPath::Called) && code.sees_some_trained
}

/// Whether a loop of the project's own trains a model of its own to predict the next token.
fn predicts_next_token(code: &CodeFacts) -> bool {
    let own_loop = matches!(code.dialect, None | Some(Dialect::Plain | Dialect::Accelerate | Dialect::DeepSpeed));
    own_loop && code.predicts_next_token && !code.models.iter().any(|load| load.trained == Some(true))
}

/// Adds the type of weights, where the framework loads all of them, or the frozen ones, in the type that it computes in.
pub(super) fn add_weights(settings: &mut BTreeMap<Concept, Setting>, dialect: Dialect) {
    let text = |concept| settings.get(&concept).and_then(Setting::value).and_then(Value::as_str);
    let adapts = text(Concept::Method).is_some_and(|method| method.ends_with("lora") || method == "freeze");
    let computing = text(Concept::MixedPrecision).filter(|name| matches!(*name, "bf16" | "fp16")).map(str::to_owned);
    let (holds, formula) = match dialect.estimate.weights {
        Weights::ComputingUnlessTrained => {
            (adapts, message!("frozen weights have the type of the computation", "冻结的权重采用计算所用的类型"))
        }
        Weights::Computing => (true, message!("weights have the type of the computation", "权重采用计算所用的类型")),
        Weights::Stored | Weights::StoredUnlessTrained => return,
    };
    if let Some(computing) = computing.filter(|_| holds && !settings.contains_key(&Concept::WeightsDtype)) {
        let inputs = vec![Concept::Method, Concept::MixedPrecision];
        insert(settings, Concept::WeightsDtype, &computing, Origin::Derived { formula, inputs });
    }
}

/// Adds the precision of modules that the code builds itself: torch makes them in fp32 and computes in fp32 unless it is told otherwise.
pub(super) fn add_precision(
    settings: &mut BTreeMap<Concept, Setting>,
    graph: &FileGraph,
    code: Option<&CodeFacts>,
    dialect: Dialect,
) {
    let Some(code) = code.filter(|code| !code.is_cut_off && code.training_path == Some(TrainingPath::Called)) else { return };
    let own_loop = dialect == Dialect::Plain && code.accumulates.is_some() && code.accelerator.is_none();
    if own_loop && !graph.any_has(&code.files, Feature::Autocast) {
        doubt_precision(settings);
    }
    if own_loop && !settings.contains_key(&Concept::MixedPrecision) && !graph.any_has(&code.files, Feature::LowPrecision) {
        let why = message!("nothing in the code computes in less than fp32", "代码中没有低于 fp32 精度的计算");
        insert(settings, Concept::MixedPrecision, "no", Origin::Assumed { why });
    }
    let is_made = code.keeps_default_dtype.is_some() && !graph.any_has(&code.files, Feature::DefaultDtype);
    // A name alone (`dtype = "bfloat16"`) casts nothing.
    let is_open = settings.get(&Concept::WeightsDtype).is_none_or(is_only_a_name);
    if is_made && is_open && !settings.contains_key(&Concept::ZeroStage) {
        let why = message!("torch makes modules in fp32, and nothing casts them", "torch 以 fp32 创建模块，且没有代码转换其类型");
        settings.remove(&Concept::WeightsDtype);
        insert(settings, Concept::WeightsDtype, "fp32", Origin::Assumed { why });
    }
}

/// Makes a precision unknown that only a name speaks of: code of its own that never casts computes in the type of the weights.
fn doubt_precision(settings: &mut BTreeMap<Concept, Setting>) {
    let Some(setting) = settings.get_mut(&Concept::MixedPrecision) else { return };
    let why = message!("nothing in the code casts what it computes", "代码中没有转换计算类型的地方");
    let casts = |candidate: &&mut Candidate| candidate.known().and_then(Value::as_str).is_some_and(|name| name != "no");
    for candidate in setting.candidates.iter_mut().filter(casts) {
        candidate.value = Resolved::Unknown(why.clone());
    }
}

/// The task that the classes of all trained models have.
fn task_of_models(code: &CodeFacts) -> Option<&'static str> {
    if let Some(first) = code.own_trainers.first() {
        return Some(*first).filter(|_| code.own_trainers.len() == 1);
    }
    // A loop of its own may train a derived class for something else: a reward, a policy.
    let by_trainer = matches!(code.dialect, Some(Dialect::HfTrainer | Dialect::Trl));
    let of_load =
        |load: &ModelLoad| task_of_class(&load.class).filter(|task| !load.derived || by_trainer || !matches!(*task, "causal-lm"));
    let loaded = code.models.iter().filter(|load| load.trained == Some(true)).map(of_load);
    let mut tasks = loaded.chain(code.built_models.iter().map(|class| task_of_class(class)));
    let first = tasks.next()??;
    tasks.all(|task| task == Some(first)).then_some(first)
}

/// Whether the class at a path is an encoder with a decoder.
pub(crate) fn is_encoder_decoder(path: &str) -> bool {
    path.rsplit('.').find(|part| part.starts_with(char::is_uppercase)).is_some_and(|class| {
        let of_family = SEQ2SEQ.iter().any(|family| class.starts_with(family));
        let translates = class.ends_with("ForSeq2SeqLM") || class == "MarianMTModel";
        translates || class.ends_with("ForConditionalGeneration") && of_family
    })
}

fn task_of_class(path: &str) -> Option<&'static str> {
    let class = path.rsplit('.').find(|part| part.starts_with(char::is_uppercase))?;
    if is_encoder_decoder(path) {
        return Some("seq2seq");
    }
    TASKS.iter().find(|(end, _)| class.ends_with(end)).map(|(_, task)| *task)
}

fn insert(settings: &mut BTreeMap<Concept, Setting>, concept: Concept, value: &str, origin: Origin) {
    let candidate = known(Value::Text(value.to_owned()), "", origin);
    settings.insert(concept, Setting { candidates: vec![candidate], winner: Some(0), precedence: None });
}

#[cfg(test)]
mod tests {
    use super::task_of_class;

    #[test]
    fn classes_of_translators_name_their_task() {
        for class in ["BartForConditionalGeneration", "M2M100ForConditionalGeneration", "MarianMTModel", "AutoModelForSeq2SeqLM"]
        {
            assert_eq!(task_of_class(&format!("transformers.{class}.from_pretrained")), Some("seq2seq"), "{class}");
        }
        assert_eq!(task_of_class("transformers.LlavaForConditionalGeneration"), None);
    }
}

//! Values in canonical form.

use vramlint_base::Value;
use vramlint_base::value_readers::spelled_bool;

/// How the value of a key is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// As it is; null means the default.
    Given,
    /// As it is, null included: there null is a meaning of its own ("no limit"), so that the default does not hold.
    GivenOrNull,
    /// As it is; zero, negative numbers and null mean "not set".
    Positive,
    /// A whole number in this range; text stands for a value that is not known.
    Count(i64, i64),
    /// A number in this range, or its text (YAML 1.1 reads `2e-5` as text).
    Number(f64, f64),
    /// A truth value; other text stays.
    Truth,
    /// A truth value and nothing else.
    OnlyTruth,
    /// `true`, where `false` says nothing about the concept.
    OnlyTrue,
    /// The opposite of a truth value.
    NotTruth,
    /// A truth value, or the name of a way to do it.
    Checkpointing,
    /// This text where true; `false` says nothing about the concept.
    Switch(&'static str),
    /// This text where false; `true` does not say which way.
    OffOnly(&'static str),
    /// The first text where true, the second where false.
    Either(&'static str, &'static str),
    /// Text that is not empty.
    Name,
    /// Text, or a list of texts.
    Names,
    /// A type of torch: `fp32`, `bf16`, `fp16`.
    Dtype,
    /// The type of the weights by a name of Lightning's precision: `bf16-true`; autocast keeps fp32.
    TruePrecision,
    /// What is autocast: `no`, `bf16`, `fp16`, `fp8`. Knows Lightning's `bf16-mixed` too.
    Precision,
    /// accelerate's own words for it; others are refused there and stay as they are.
    AcceleratePrecision,
    /// An attention implementation by any framework's name.
    Attention,
    /// `full`, `lora`, `qlora`, `freeze`.
    Method,
    /// The prefix of a torchtune model builder tells the method.
    ModelBuilder,
    /// 4 or 8 bits, the former being this type.
    Bits(&'static str),
    /// A quantization by any of its names.
    Quantization,
    /// What is trained.
    Task,
    /// [`Form::Method`], but a word that is not known says nothing.
    KnownMethod,
    /// [`Form::Task`], but a word that is not known says nothing.
    KnownTask,
    /// [`Form::KnownTask`], but next-token prediction says nothing: another key may tell what it serves.
    OtherTask,
    /// accelerate's distributed type; YAML reads the bare `NO` as false.
    DistributedType,
    /// A ZeRO stage as DeepSpeed's old truth value.
    TruthStage,
    /// A ZeRO stage in the name of a preset: `zero3_offload`, `deepspeed_stage_2`.
    PresetStage,
    /// How many devices: a number, or a list of them.
    Devices,
    /// The autocast that ms-swift derives from a type of torch: fp16 for fp32, too.
    AutocastOfDtype,
    /// As it is, but the first of these texts means the second: `adam` of OpenRLHF is DeepSpeed's AdamW.
    Renamed(&'static str, &'static str),
    /// The second text where the value is the first; says nothing otherwise.
    Preset(&'static str, &'static str),
    /// This text wherever something is said: not for null, false, zero and nothing.
    Fixed(&'static str),
    /// FSDP's strategy: a truth value, a number, or words of which one names it.
    Sharding,
    /// True where this word is among the words of the value; says nothing otherwise.
    Word(&'static str),
    /// [`Form::Word`], giving this text.
    WordIs(&'static str, &'static str),
    /// A level of vLLM's sleep: everything above 0 sleeps.
    Level,
    /// The class of a loss, or the name of TRL's.
    Loss,
    /// Axolotl's plugins.
    Plugins,
    /// Whether a torchtune builder makes DoRA.
    DoraBuilder,
    /// The repository of the first of `repository:file,repository:file`.
    RepoOfPaths,
    /// The quantization in `model:method`: `bitsandbytes_nf4`.
    QuantizationOfModel,
    /// The module of an adapter: `networks.lora_flux`.
    AdapterModule,
    /// How many layers at the end (or, negative, at the start) LLaMA-Factory trains.
    FreezeLayers,
}

/// `value` in canonical form; `None` where it says nothing about the concept.
pub(super) fn canonical(form: Form, value: &Value) -> Option<Value> {
    match form {
        Form::GivenOrNull => return Some(value.clone()),
        Form::Method if *value == Value::Null => return text("full"),
        _ if *value == Value::Null => return None,
        _ => {}
    }
    match form {
        Form::Renamed(from, to) if value.as_str() == Some(from) => text(to),
        Form::Given | Form::GivenOrNull | Form::Renamed(..) => Some(value.clone()),
        Form::Positive => (value.as_float().is_none_or(|number| number > 0.0)).then(|| value.clone()),
        Form::Count(low, high) => count(value, low, high),
        Form::Number(low, high) => number(value, low, high),
        Form::Truth => Some(spelled_bool(value).map_or_else(|| value.clone(), Value::Bool)),
        Form::OnlyTruth => spelled_bool(value).map(Value::Bool),
        Form::OnlyTrue => spelled_bool(value).filter(|on| *on).map(Value::Bool),
        Form::NotTruth => Some(spelled_bool(value).map_or_else(|| value.clone(), |on| Value::Bool(!on))),
        Form::Checkpointing => Some(checkpointing(value)),
        Form::Switch(name) => switch(value, name),
        Form::OffOnly(off) => spelled_bool(value).filter(|on| !on).and_then(|_| text(off)),
        Form::Either(on, off) => either(value, on, off),
        Form::Name => value.as_str().filter(|name| !name.trim().is_empty()).map(|_| value.clone()),
        Form::Names => names(value),
        Form::Dtype => named(value, dtype).filter(|name| !is_integer_type(name)),
        Form::TruePrecision => value.as_str().and_then(true_precision).and_then(text),
        Form::Precision => precision(value),
        Form::AcceleratePrecision => Some(accelerate_precision(value)),
        Form::Attention => attention(value),
        Form::Method => named(value, method),
        Form::ModelBuilder => value.as_str().and_then(|name| text(model_builder(name))),
        Form::Bits(four) => bits(value, four),
        Form::Quantization => quantization(value),
        Form::Task => named(value, task),
        Form::KnownMethod => known(value, method),
        Form::KnownTask => known(value, task),
        Form::OtherTask => known(value, task).filter(|name| name.as_str() != Some("causal-lm")),
        Form::DistributedType => Some(if *value == Value::Bool(false) { Value::Text("NO".into()) } else { value.clone() }),
        Form::TruthStage => value.as_bool().map(|on| Value::Int(i64::from(on))),
        Form::Preset(name, means) => value.as_str().filter(|given| *given == name).and_then(|_| text(means)),
        Form::PresetStage => value.as_str().and_then(preset_stage).map(Value::Int),
        Form::Devices => devices(value),
        Form::AutocastOfDtype => match value.as_str().and_then(dtype)? {
            "bf16" => text("bf16"),
            "fp16" | "fp32" => text("fp16"),
            _ => None,
        },
        Form::Fixed(name) => says(value).then(|| Value::Text(name.to_owned())),
        Form::Sharding => sharding(value),
        Form::Word(word) => has_word(value, word).then_some(Value::Bool(true)),
        Form::WordIs(word, name) => has_word(value, word).then(|| Value::Text(name.to_owned())),
        Form::Level => Some(value.as_int().map_or_else(|| value.clone(), |level| Value::Bool(level > 0))),
        Form::Loss => value.as_str().and_then(loss).and_then(text),
        Form::Plugins => has_plugin(value, "CutCrossEntropyPlugin").then(|| Value::Text("cut-cross-entropy".to_owned())),
        Form::DoraBuilder => {
            let builder = value.as_str()?.rsplit('.').next()?;
            matches!(builder.split('_').next(), Some("dora" | "qdora")).then_some(Value::Bool(true))
        }
        Form::RepoOfPaths => {
            let repository = value.as_str()?.split(',').next()?.split(':').next()?.trim();
            (!repository.is_empty()).then(|| Value::Text(repository.to_owned()))
        }
        Form::QuantizationOfModel => {
            let method = value.as_str()?.split(';').next()?.rsplit(':').next()?.split('/').next()?;
            Some(Value::Text(method.trim().trim_start_matches("bitsandbytes_").to_owned()))
        }
        Form::AdapterModule => {
            let module = value.as_str()?.to_ascii_lowercase();
            module.contains("lora").then(|| Value::Text("lora".to_owned()))
        }
        Form::FreezeLayers => match value {
            Value::Int(layers) => Some(Value::Text(format!("all-but-layers:{layers}"))),
            other => Some(other.clone()),
        },
    }
}

fn says(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) | Value::Int(0) => false,
        Value::Text(word) => !word.trim().is_empty(),
        Value::List(items) => !items.is_empty(),
        _ => true,
    }
}

/// The words of a value: `full_shard auto_wrap`, or a list of them.
fn word_list(value: &Value) -> Vec<String> {
    match value {
        Value::Text(text) => text.split([' ', ',']).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect(),
        Value::List(items) => items.iter().flat_map(word_list).collect(),
        _ => Vec::new(),
    }
}

fn has_word(value: &Value, word: &str) -> bool {
    word_list(value).iter().any(|found| found == word)
}

fn has_plugin(value: &Value, class: &str) -> bool {
    match value {
        Value::Text(path) => path.rsplit('.').next() == Some(class),
        Value::List(items) => items.iter().any(|item| has_plugin(item, class)),
        _ => false,
    }
}

/// torch's own numbers: `torch/distributed/fsdp/api.py` ShardingStrategy.
fn sharding(value: &Value) -> Option<Value> {
    let names = ["FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD", "HYBRID_SHARD_ZERO2"];
    match value {
        Value::Bool(on) => on.then(|| Value::Text(names[0].to_owned())),
        Value::Int(number) => usize::try_from(*number - 1).ok().and_then(|at| names.get(at)).and_then(|name| text(name)),
        Value::Text(word) if spelled_bool(value).is_some() => {
            (spelled_bool(value) == Some(true)).then(|| Value::Text(names[0].to_owned())).filter(|_| !word.is_empty())
        }
        Value::Text(word) => {
            if let Ok(number) = word.trim().parse::<i64>() {
                return sharding(&Value::Int(number));
            }
            let found = word_list(value);
            let known = names.iter().find(|name| found.iter().any(|word| word.eq_ignore_ascii_case(name)));
            // A word that is not known stays: it may be a variable.
            known.and_then(|name| text(name)).or_else(|| (!found.is_empty()).then(|| value.clone()))
        }
        Value::List(_) => {
            let found = word_list(value);
            names.iter().find(|name| found.iter().any(|word| word.eq_ignore_ascii_case(name))).and_then(|name| text(name))
        }
        _ => None,
    }
}

/// `LinearCrossEntropyLoss` and `CEWithChunkedOutputLoss` of torchtune 0.7.0 modules/loss; `chunked_nll` of trl 1.16.0 SFTConfig.
fn loss(name: &str) -> Option<&'static str> {
    match name.rsplit('.').next().unwrap_or(name) {
        "LinearCrossEntropyLoss" | "CEWithChunkedOutputLoss" | "chunked_nll" => Some("chunked"),
        "CrossEntropyLoss" => Some("none"),
        _ => None,
    }
}

#[allow(clippy::unnecessary_wraps)] // reads better where every arm is an option
fn text(name: &str) -> Option<Value> {
    Some(Value::Text(name.to_owned()))
}

fn count(value: &Value, low: i64, high: i64) -> Option<Value> {
    match value {
        Value::Int(number) => (low..=high).contains(number).then(|| value.clone()),
        Value::Text(word) => (!word.trim().is_empty()).then(|| value.clone()),
        _ => None,
    }
}

fn number(value: &Value, low: f64, high: f64) -> Option<Value> {
    let fits = |number: f64| (low..=high).contains(&number);
    match value {
        Value::Int(_) | Value::Float(_) => value.as_float().is_some_and(fits).then(|| value.clone()),
        // What is no number at all ("auto", "${lr}") is a value that is not known.
        Value::Text(word) if !word.trim().is_empty() => word.trim().parse().map_or(true, fits).then(|| value.clone()),
        _ => None,
    }
}

fn checkpointing(value: &Value) -> Value {
    match (spelled_bool(value), value.as_str()) {
        (Some(on), _) => Value::Bool(on),
        (None, Some("unsloth" | "offload" | "offload_disk" | "offload_cpu")) => Value::Bool(true),
        _ => value.clone(),
    }
}

fn switch(value: &Value, name: &str) -> Option<Value> {
    match spelled_bool(value) {
        Some(true) => text(name),
        Some(false) => None,
        None => value.as_str().filter(|word| !word.is_empty()).and_then(text),
    }
}

fn either(value: &Value, on: &str, off: &str) -> Option<Value> {
    match spelled_bool(value) {
        Some(true) => text(on),
        Some(false) => text(off),
        None => value.as_str().filter(|word| !word.is_empty()).and_then(text),
    }
}

fn names(value: &Value) -> Option<Value> {
    // `--lora_target_modules '["q_proj", "v_proj"]'`: one word of the command line that Python or JSON reads as a list.
    let written = |text: &str| serde_json::from_str::<Vec<String>>(&text.replace('\'', "\"")).ok();
    if let Some(items) = value.as_str().filter(|text| text.trim_start().starts_with('[')).and_then(written) {
        return names(&Value::List(items.into_iter().map(Value::Text).collect()));
    }
    let named = |value: &Value| value.as_str().is_some_and(|name| !name.trim().is_empty());
    let fits = match value {
        Value::List(items) => !items.is_empty() && items.iter().all(named),
        other => named(other),
    };
    fits.then(|| value.clone())
}

/// The canonical name where it is known, the text as given where not; other values say nothing.
fn named(value: &Value, canonical: fn(&str) -> Option<&'static str>) -> Option<Value> {
    let word = value.as_str().filter(|word| !word.trim().is_empty())?;
    text(canonical(&word.trim().to_ascii_lowercase()).unwrap_or(word))
}

fn known(value: &Value, canonical: fn(&str) -> Option<&'static str>) -> Option<Value> {
    text(canonical(&value.as_str()?.trim().to_ascii_lowercase())?)
}

/// Whether a dtype holds integers or truth values: data has it, weights that train do not.
fn is_integer_type(name: &Value) -> bool {
    let name = name.as_str().map_or("", |name| name.rsplit('.').next().unwrap_or(name));
    ["int", "uint", "long", "short", "bool", "byte"].iter().any(|start| name.starts_with(start))
}

/// The type of numbers that a word or a name of torch stands for: `bf16` for `torch.bfloat16`.
pub fn dtype(word: &str) -> Option<&'static str> {
    match word.strip_prefix("torch.").unwrap_or(word) {
        "bf16" | "bfloat16" => Some("bf16"),
        "fp16" | "float16" | "half" | "f16" => Some("fp16"),
        "fp32" | "float32" | "float" | "f32" | "full" => Some("fp32"),
        _ => None,
    }
}

/// lightning 2.6.1 fabric/plugins/precision.
fn true_precision(word: &str) -> Option<&'static str> {
    match word {
        "bf16-true" => Some("bf16"),
        "16-true" => Some("fp16"),
        "32-true" | "bf16-mixed" | "16-mixed" => Some("fp32"),
        _ => None,
    }
}

fn precision(value: &Value) -> Option<Value> {
    match value {
        Value::Int(16) => text("fp16"),
        Value::Int(32 | 64) | Value::Bool(false) => text("no"),
        Value::Text(_) => named(value, |word| match word {
            "no" | "none" | "32" | "32-true" | "64" | "64-true" | "bf16-true" | "16-true" | "off" | "false" => Some("no"),
            "bf16" | "bf16-mixed" => Some("bf16"),
            "16" | "16-mixed" => Some("fp16"),
            "fp8" | "transformer-engine" => Some("fp8"),
            other => dtype(other).map(|name| if name == "fp32" { "no" } else { name }),
        }),
        Value::Bool(true) => Some(value.clone()),
        _ => None,
    }
}

fn accelerate_precision(value: &Value) -> Value {
    match value {
        Value::Bool(false) => Value::Text("no".into()),
        Value::Text(word) if ["no", "fp16", "bf16", "fp8"].iter().any(|known| word.eq_ignore_ascii_case(known)) => {
            Value::Text(word.to_ascii_lowercase())
        }
        other => other.clone(),
    }
}

fn attention(value: &Value) -> Option<Value> {
    match spelled_bool(value) {
        Some(true) => text("flash_attention_2"),
        Some(false) => None,
        None => named(value, |word| match word {
            "fa2" | "flash_attn" | "flash_attn_2" | "flash_attention" | "flash_attention_2" | "flash2" | "flash" => {
                Some("flash_attention_2")
            }
            "fa3" | "flash_attn_3" | "flash_attention_3" => Some("flash_attention_3"),
            "disabled" | "eager" => Some("eager"),
            "sdpa" => Some("sdpa"),
            "flex" | "flex_attention" => Some("flex_attention"),
            _ => None,
        }),
    }
}

fn method(word: &str) -> Option<&'static str> {
    match word {
        "lora" | "dora" | "rslora" | "peft" => Some("lora"),
        "qlora" => Some("qlora"),
        "full" | "none" | "full_finetune" | "full_finetuning" | "full-finetuning" => Some("full"),
        "freeze" | "partial" => Some("freeze"),
        _ => None,
    }
}

/// `torchtune.models.llama3_1.qlora_llama3_1_8b` trains adapters, `….llama3_1_8b` everything.
fn model_builder(component: &str) -> &'static str {
    let name = component.rsplit('.').next().unwrap_or(component);
    match name.split('_').next() {
        Some("lora" | "dora") => "lora",
        Some("qlora" | "qdora") => "qlora",
        _ => "full",
    }
}

fn bits(value: &Value, four: &str) -> Option<Value> {
    match value {
        Value::Int(4) => text(four),
        Value::Int(8) => text("int8"),
        // 2, 3, 5, 6 bits of other methods: quantized, but not in a way that has a name here.
        Value::Int(2..=8) => Some(value.clone()),
        Value::Int(16 | 32) => text("none"),
        Value::Text(word) => match word.trim() {
            "4" => text(four),
            "8" | "int8" => text("int8"),
            "16" | "32" | "bf16" | "fp16" | "fp32" => text("none"),
            "" => None,
            _ => Some(value.clone()),
        },
        _ => None,
    }
}

fn quantization(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(false) => text("none"),
        // Quantized, but how is not said.
        Value::Bool(true) => Some(value.clone()),
        Value::Int(_) => bits(value, "nf4"),
        Value::Text(_) => named(value, |word| match word {
            "none" | "no" | "off" | "false" | "null" => Some("none"),
            "4bit" | "4-bit" | "4" | "nf4" | "int4" | "bnb_4bit" | "bnb-4bit" | "qlora" | "bnb.nf4" => Some("nf4"),
            "bnb.nf4-dq" => Some("nf4-double"),
            "fp4" | "bnb.fp4" | "bnb.fp4-dq" => Some("fp4"),
            "bnb.int8" | "bnb.int8-training" | "8bit" | "8-bit" | "8" | "int8" | "llm_int8" | "bnb_8bit" | "bnb-8bit" => {
                Some("int8")
            }
            _ => None,
        }),
        _ => None,
    }
}

/// The task by any framework's name.
fn task(word: &str) -> Option<&'static str> {
    match word {
        "sft" => Some("sft"),
        "dpo" | "ipo" => Some("dpo"),
        // Preference training without a reference model.
        "orpo" => Some("orpo"),
        "cpo" => Some("cpo"),
        "simpo" => Some("simpo"),
        "kto" => Some("kto"),
        "grpo" => Some("grpo"),
        "rloo" => Some("rloo"),
        "ppo" => Some("ppo"),
        "rm" | "reward" | "reward_model" | "reward-model" => Some("reward"),
        "pt" | "pretrain" | "causal_lm" | "causal-lm" | "clm" => Some("causal-lm"),
        "seq_cls" | "seq-cls" | "sequence_classification" => Some("seq-cls"),
        "embedding" => Some("embedding"),
        "reranker" | "generative_reranker" => Some("reranker"),
        _ => None,
    }
}

fn preset_stage(name: &str) -> Option<i64> {
    let rest = name.strip_prefix("deepspeed_stage_").or_else(|| name.strip_prefix("zero"))?;
    let stage = rest.strip_suffix("_offload").unwrap_or(rest);
    stage.parse().ok().filter(|stage| (0..=3).contains(stage))
}

fn devices(value: &Value) -> Option<Value> {
    match value {
        Value::Int(number) if *number > 0 => Some(value.clone()),
        Value::List(items) => i64::try_from(items.len()).ok().filter(|count| *count > 0).map(Value::Int),
        // "auto" and -1 mean as many as there are.
        Value::Int(-1) => text("auto"),
        Value::Text(word) if !word.is_empty() => Some(value.clone()),
        _ => None,
    }
}

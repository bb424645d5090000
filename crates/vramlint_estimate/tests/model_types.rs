//! The model types of transformers 5.23: the default configuration of each class counts as the class does, or gets no figure.
//!
//! `tests/oracle/model_types.py` writes the cases: parameters of classes built on the meta device.

use serde_json::Value;
use vramlint_estimate::models::config_from_json;
use vramlint_memory::Arch;

struct Case {
    model_type: String,
    parameters: u64,
    config: Value,
}

fn cases() -> Vec<Case> {
    let read = |line: &str| {
        let case: Value = serde_json::from_str(line).expect("JSON");
        let model_type = case["model_type"].as_str().expect("a type").to_owned();
        Case { model_type, parameters: case["parameters"].as_u64().expect("a count"), config: case["config"].clone() }
    };
    include_str!("model_types.jsonl").lines().map(read).collect()
}

fn arch(config: &Value) -> Arch {
    Arch::from_config(&config_from_json(&config.to_string()).expect("an object"))
}

/// How far the counted parameters are off, in percent.
#[allow(clippy::cast_precision_loss)]
fn off(arch: &Arch, parameters: u64) -> f64 {
    (arch.parameters() as f64 / parameters as f64 - 1.0).abs() * 100.0
}

#[test]
fn what_is_described_counts_as_its_class() {
    let cases = cases();
    assert!(cases.len() >= 150, "{}", cases.len());
    for Case { model_type, parameters, config } in cases {
        let arch = arch(&config);
        assert_eq!(arch.undescribed(), None, "{model_type}");
        assert!(off(&arch, parameters) <= 5.0, "{model_type}: {} instead of {parameters}", arch.parameters());
    }
}

/// The config as one of a type that nobody has heard of.
fn under_another_name(mut config: Value) -> Value {
    config["model_type"] = "acme".into();
    for part in ["text_config", "llm_config", "language_config"] {
        if config[part].is_object() {
            config[part]["model_type"] = "acme_text".into();
        }
    }
    config
}

fn has_experts(config: &Value) -> bool {
    let text = config.get("text_config").unwrap_or(config);
    let counts = ["num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"];
    counts.iter().any(|key| text[key].as_u64().is_some_and(|count| count > 1))
}

#[test]
fn experts_are_read_by_their_keys() {
    let mut read = 0;
    for Case { model_type, parameters, config } in cases() {
        let config = under_another_name(config);
        let arch = arch(&config);
        if !has_experts(&config) || arch.undescribed().is_some() {
            continue;
        }
        read += 1;
        // What no key tells, such as linear attention, is the small rest.
        assert!(off(&arch, parameters) <= 6.0, "{model_type}: {} instead of {parameters}", arch.parameters());
    }
    assert!(read >= 45, "{read} types with experts");
}

#[test]
fn other_kinds_get_no_figure() {
    let said = |config: &str| arch(&serde_json::from_str(config).expect("JSON")).undescribed().map(|why| why.en.clone());
    let sizes = r#""hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "vocab_size": 30000"#;
    for (model_type, kind) in [
        ("convbert", "an encoder"),
        ("led", "an encoder-decoder model"),
        ("clip", "a multimodal model"),
        ("falcon_h1", "a state-space or hybrid model"),
        ("dbrx", "a model with layers of its own"),
        ("parakeet_ctc", "an audio model"),
        ("timesfm", "a model of time series"),
        ("vitmatte", "a vision model"),
    ] {
        let why = said(&format!(r#"{{"model_type": "{model_type}", {sizes}}}"#));
        assert_eq!(why, Some(format!("estimates do not describe {model_type}, {kind}")));
    }
    for (architecture, kind) in [("AcmeForMaskedLM", "an encoder"), ("AcmeForImageClassification", "a vision model")] {
        let why = said(&format!(r#"{{"model_type": "acme", "architectures": ["{architecture}"], {sizes}}}"#));
        assert_eq!(why, Some(format!("estimates do not describe acme, {kind}")));
    }
    assert_eq!(said(&format!(r#"{{"model_type": "acme", "architectures": ["AcmeForCausalLM"], {sizes}}}"#)), None);
    assert_eq!(
        said(r#"{"model_type": "acme", "hidden_size": 768, "vocab_size": 30000}"#).as_deref(),
        Some("estimates do not describe acme: its config has no num_hidden_layers")
    );
}

/// A tower with a text part of a listed type is refused by the name of the whole.
#[test]
fn the_outer_type_names_what_is_refused() {
    let config =
        r#"{"model_type": "ernie4_5_vl_moe", "text_config": {"model_type": "ernie4_5_vl_moe_text"}, "vision_config": {}}"#;
    let why = arch(&serde_json::from_str(config).expect("JSON")).undescribed().map(|why| why.en.clone());
    assert_eq!(why.as_deref(), Some("estimates do not describe ernie4_5_vl_moe, a multimodal model"));
}

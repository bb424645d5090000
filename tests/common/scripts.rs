//! Small projects with one script, and the estimate of it.

#[allow(dead_code)] // the helpers of another test, of which this one needs a part
#[path = "../cli/run.rs"]
mod run;

pub(crate) use run::Folder;
use serde_json::Value as Json;

pub(crate) const DECODER: &str = r#"{"model_type": "qwen2", "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 4,
 "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 32000, "tie_word_embeddings": true, "torch_dtype": "bfloat16"}"#;
pub(crate) const GPT2: &str =
    r#"{"model_type": "gpt2", "n_embd": 256, "n_layer": 4, "n_head": 4, "n_positions": 512, "vocab_size": 32000}"#;
pub(crate) const BERT: &str = r#"{"model_type": "bert", "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 4,
 "num_attention_heads": 4, "max_position_embeddings": 512, "type_vocab_size": 2, "vocab_size": 30522}"#;

/// The estimate of `python train.py` in a folder with the models `decoder`, `gpt2` and `bert`.
pub(crate) fn estimate(script: &str) -> Json {
    estimate_of("python train.py\n", script)
}

/// The estimate of a command that starts `train.py`.
pub(crate) fn estimate_of(command: &str, script: &str) -> Json {
    let folder = Folder::new(&[
        ("decoder/config.json", DECODER),
        ("gpt2/config.json", GPT2),
        ("bert/config.json", BERT),
        ("run.sh", command),
        ("train.py", script),
    ]);
    let text = folder.run("estimate run.sh --output-format json").out(0);
    let found: Json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    // A run without an estimate stands in a list.
    match found.as_array().map(Vec::as_slice) {
        Some([one]) => one.clone(),
        Some(_) => panic!("one run: {text}"),
        None => found,
    }
}

pub(crate) fn setup(script: &str) -> Json {
    let estimate = estimate(script);
    assert!(estimate["setup"].is_object(), "{estimate}");
    estimate["setup"].clone()
}

pub(crate) fn tensors(estimate: &Json) -> u64 {
    estimate["gpu"]["tensors"].as_u64().unwrap_or_else(|| panic!("an estimate: {estimate}"))
}

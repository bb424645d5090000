use super::*;

fn config(text: &str) -> Config {
    config_from_json(text).unwrap_or_else(|why| panic!("{text}: {why:?}"))
}

fn model(id: &str, hidden: u32, source: Source) -> Model {
    let text = format!(r#"{{"model_type": "llama", "hidden_size": {hidden}, "num_hidden_layers": 2, "vocab_size": 100}}"#);
    Model::from_config(id, &config(&text), source)
}

#[test]
fn a_config_is_read_as_python_writes_it() {
    let text = "\u{feff}{\r\n \"hidden_size\": 64,\r\n \"limit\": [0.0, Infinity, -Infinity, NaN],\r\n \"名\": \"NaN \\\" -Infinity\",\r\n \"head_dim\": null,\r\n \"text_config\": {\"vocab_size\": 9, \"tie\": true}\r\n}\r\n";
    let read = config(text);
    assert_eq!(read.count("hidden_size"), Some(64));
    assert_eq!(read.list("limit").map(<[_]>::len), Some(4));
    assert_eq!(read.text("名"), Some("NaN \" -Infinity"));
    assert!(read.has("head_dim") && read.get("head_dim").is_none());
    let inner = read.object("text_config").expect("an object");
    assert_eq!((inner.count("vocab_size"), inner.flag("tie")), (Some(9), Some(true)));
}

#[test]
fn a_broken_config_says_where() {
    let error = |text: &str| config_from_json(text).expect_err(text).en;
    assert_eq!(error("{\n \"a\": tru\n}"), "invalid JSON at line 2");
    assert_eq!(error("{\"a\": 1"), "unexpected end of JSON at line 1");
    assert_eq!(error(""), "unexpected end of JSON at line 1");
    assert!(error("[1]").starts_with("config.json must be an object"));
    assert!(error("\"text\"").starts_with("config.json must be an object"));
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(error(&deep).starts_with("invalid JSON"));
    for text in ["-", "I", "N\u{e9}", "{\"\\", "{\"a\": -\u{56fd}}", "\"", "\\"] {
        assert!(config_from_json(text).is_err(), "{text}");
    }
}

#[test]
fn every_row_of_the_catalogue_becomes_a_model() {
    for row in vramlint_catalog::models::all() {
        let found = Models::catalogue().find(row.id).unwrap_or_else(|| panic!("{}", row.id));
        assert_eq!(found.source, Source::Catalogue(row.source.to_owned()));
        assert_eq!(found.dtype.is_none(), row.dtype.starts_with("float8"), "{}", row.id);
        assert_eq!(found.prequantized, None);
    }
}

#[test]
fn models_of_the_catalogue_have_the_parameters_of_their_rows() {
    // transformers 5.23 ties the head of every T5, the rows have what the hub stores. Parts of Llama's vision models are not described.
    const OTHERWISE: [&str; 3] = ["t5", "mt5", "mllama"];
    for row in vramlint_catalog::models::all() {
        let config = config(row.config);
        let model = Model::from_config(row.id, &config, Source::CommandLine);
        if model.undescribed().is_some() || config.text("model_type").is_some_and(|kind| OTHERWISE.contains(&kind)) {
            continue;
        }
        // The head of an encoder is none of its parameters.
        let (counted, stated) = (model.arch.parameters(), row.parameters);
        // Next to blocks that share their weights, the layer over the first token is large.
        let pooler = if config.text("model_type") == Some("albert") { model.arch.width().pow(2) } else { 0 };
        assert!(counted.abs_diff(stated) <= pooler.max(stated / 100), "{}: {counted} instead of {stated}", row.id);
    }
}

#[test]
fn what_is_no_text_decoder_gets_no_figure() {
    let why = |text: &str| Model::from_config("acme/x", &config(text), Source::CommandLine).undescribed().map(|why| why.en);
    let said = |text: &str| why(text).expect(text);
    assert_eq!(
        said(r#"{"model_type": "mamba2", "state_size": 128, "vocab_size": 100}"#),
        "acme/x: estimates do not describe mamba2, a state-space or hybrid model"
    );
    assert!(said(r#"{"model_type": "swin", "image_size": 224, "patch_size": 4}"#).ends_with("a vision model"));
    assert!(said(r#"{"model_type": "wav2vec2", "conv_dim": [512, 512]}"#).ends_with("an audio model"));
    assert!(
        said(r#"{"model_type": "led", "is_encoder_decoder": true, "vocab_size": 100}"#).ends_with("an encoder-decoder model")
    );
    assert_eq!(
        why(r#"{"model_type": "acme", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 100}"#),
        None
    );
    assert_eq!(why(r#"{"model_type": "t5", "is_encoder_decoder": true}"#), None);
}

#[test]
fn a_name_that_tells_the_storage_gives_it() {
    let models = Models::catalogue();
    let stored = |id: &str| models.find(id).expect("a known name").prequantized;
    assert_eq!(stored("unsloth/Qwen3-4B-unsloth-bnb-4bit"), Some(Quantization::FourBit { double: true }));
    assert_eq!(stored("Qwen/Qwen3-14B-AWQ"), Some(Quantization::FourBit { double: false }));
    let found = models.find("qwen/qwen3-14b").expect("case does not count");
    assert_eq!((found.id.as_str(), found.prequantized), ("qwen/qwen3-14b", None));
}

#[test]
fn a_folder_elsewhere_is_taken_for_what_its_name_says() {
    let models = Models::catalogue();
    let source = |id: &str| models.find(id).map(|model| model.source);
    assert_eq!(source("/data/models/Qwen3-8B/"), Some(Source::InferredFromName("Qwen/Qwen3-8B".into())));
    assert_eq!(source("acme/Qwen3-8B"), Some(Source::InferredFromName("Qwen/Qwen3-8B".into())));
    assert_eq!(source("acme/Qwen3-8B-sft"), None);
    assert!(matches!(source("Qwen/Qwen3-8B"), Some(Source::Catalogue(_))));
}

#[test]
fn the_stronger_source_wins_whatever_the_order() {
    let sources = [(Source::Cache("c".into()), 1), (Source::Declared("d".into()), 3), (Source::Project("p".into()), 2)];
    for turn in 0..3 {
        let mut models = Models::catalogue();
        for step in 0..3 {
            let (source, hidden) = &sources[(turn + step) % 3];
            models.insert(model("Qwen/Qwen3-4B", hidden * 64, source.clone()));
        }
        assert_eq!(models.find("Qwen/Qwen3-4B").map(|model| model.source), Some(Source::Declared("d".into())));
    }
    assert!(matches!(Models::catalogue().find("Qwen/Qwen3-4B").map(|model| model.source), Some(Source::Catalogue(_))));
}

#[test]
fn two_that_disagree_leave_nothing_known() {
    let mut models = Models::catalogue();
    let two = |hidden| model("./model", hidden, Source::Project(format!("{hidden}/config.json")));
    models.insert(two(64));
    models.insert(two(64));
    assert!(models.find("./model").is_some());
    models.insert(two(128));
    models.insert(two(64));
    assert!(models.find("./model").is_none() && models.is_available("./model"));
}

#[test]
fn case_counts_for_folders_only() {
    let mut models = Models::catalogue();
    models.insert(model("acme/Seven", 64, Source::Declared("d".into())));
    models.insert(model("out/Step-1", 64, Source::Project("p".into())));
    assert!(models.find("Acme/seven").is_some());
    assert!(models.find("out/Step-1").is_some());
    assert!(models.find("out/step-1").is_none());
}

#[test]
fn what_lies_there_unread_is_at_hand() {
    let mut models = Models::catalogue();
    models.insert_present("Qwen/Qwen3-4B");
    assert!(models.is_available("Qwen/Qwen3-4B") && models.find("Qwen/Qwen3-4B").is_some());
    models.insert_unreadable("Qwen/Qwen3-4B", &Source::Project("Qwen/Qwen3-4B/config.json".into()));
    assert!(models.is_available("Qwen/Qwen3-4B") && models.find("Qwen/Qwen3-4B").is_none());
    models.insert(model("Qwen/Qwen3-4B", 64, Source::Declared("d".into())));
    models.insert_present("Qwen/Qwen3-4B");
    assert!(models.find("Qwen/Qwen3-4B").is_some());
    assert!(!models.is_available("Qwen/Qwen3-8B"));
}

#[test]
fn near_names() {
    let models = Models::catalogue();
    assert_eq!(models.nearest("Qwen/Qwen3-1.8B").as_deref(), Some("Qwen/Qwen3-1.7B"));
    assert_eq!(models.nearest("acme/acme-7b"), None);
}

#[test]
fn types_are_read_where_they_stand() {
    let dtype = |text: &str| storage::dtype(&config(text));
    assert_eq!(dtype(r#"{"torch_dtype": "bfloat16"}"#), Some(Dtype::Bf16));
    assert_eq!(dtype(r#"{"dtype": "torch.float16"}"#), Some(Dtype::Fp16));
    assert_eq!(dtype(r#"{"text_config": {"dtype": "float32"}}"#), Some(Dtype::Fp32));
    assert_eq!(dtype(r#"{"dtype": "auto"}"#), None);
    assert_eq!(dtype("{}"), None);
}

#[test]
fn stored_quantization_is_read() {
    let stored = |text: &str| storage::prequantized(&config(&format!("{{\"quantization_config\": {text}}}")));
    let four = |double| Some(Quantization::FourBit { double });
    assert_eq!(
        stored(r#"{"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_use_double_quant": true}"#),
        four(true)
    );
    assert_eq!(stored(r#"{"load_in_4bit": true}"#), four(false));
    assert_eq!(stored(r#"{"_load_in_8bit": true, "_load_in_4bit": false}"#), Some(Quantization::Int8));
    assert_eq!(stored(r#"{"quant_method": "gptq", "bits": 4}"#), four(false));
    assert_eq!(stored(r#"{"quant_method": "gptq", "bits": 8}"#), Some(Quantization::Int8));
    assert_eq!(stored(r#"{"quant_method": "gptq", "bits": 3}"#), None);
    assert_eq!(stored(r#"{"quant_method": "awq", "bits": 4}"#), four(false));
    assert_eq!(stored(r#"{"quant_method": "fp8"}"#), None);
    let compressed = |weights: &str| {
        format!(r#"{{"quant_method": "compressed-tensors", "config_groups": {{"group_0": {{"weights": {weights}}}}}}}"#)
    };
    assert_eq!(stored(&compressed(r#"{"num_bits": 4, "type": "int"}"#)), four(false));
    assert_eq!(stored(&compressed(r#"{"num_bits": 8, "type": "float"}"#)), None);
    assert_eq!(storage::prequantized(&config("{}")), None);
}

#[test]
fn parameters_are_counted_in_the_header() {
    let tensor = |name: &str, dtype: &str, shape: &str| {
        format!(r#""{name}": {{"dtype": "{dtype}", "shape": {shape}, "data_offsets": [0, 0]}}"#)
    };
    let header = |tensors: &[String]| format!("{{\"__metadata__\": {{\"format\": \"pt\"}}, {}}}", tensors.join(", "));
    let embedding = tensor("model.embed_tokens.weight", "BF16", "[100, 8]");
    let head = tensor("lm_head.weight", "BF16", "[100, 8]");
    let norm = tensor("model.norm.weight", "F32", "[8]");
    let mask = tensor("h.0.attn.bias", "F32", "[1, 1, 64, 64]");
    let steps = tensor("position_ids", "I64", "[1, 512]");
    let all = header(&[embedding.clone(), head.clone(), norm, mask, steps]);
    assert_eq!(parameters_of_header(&all, false), Some(1608));
    assert_eq!(parameters_of_header(&all, true), Some(808));
    assert_eq!(parameters_of_header(&header(&[tensor("scale", "F32", "[]")]), false), Some(1));
    let packed = tensor("q_proj.weight", "U8", "[4096, 1]");
    assert_eq!(parameters_of_header(&header(&[embedding, packed]), false), None);
    for broken in
        ["", "[]", "{", "{\"a\": 1}", "{\"a\": {\"dtype\": \"F32\", \"shape\": [9223372036854775807, 9223372036854775807]}}"]
    {
        assert_eq!(parameters_of_header(broken, false), None, "{broken}");
    }
}

#[test]
fn parameters_are_counted_in_the_index() {
    let index = |metadata: &str| format!("{{\"metadata\": {metadata}, \"weight_map\": {{}}}}");
    assert_eq!(parameters_of_index(&index(r#"{"total_size": 16, "total_parameters": 7}"#), None), Some(7));
    assert_eq!(parameters_of_index(&index(r#"{"total_size": 16}"#), Some(Dtype::Bf16)), Some(8));
    assert_eq!(parameters_of_index(&index(r#"{"total_size": 16.0}"#), Some(Dtype::Fp32)), Some(4));
    assert_eq!(parameters_of_index(&index(r#"{"total_size": 15}"#), Some(Dtype::Bf16)), None);
    assert_eq!(parameters_of_index(&index(r#"{"total_size": 16}"#), None), None);
    assert_eq!(parameters_of_index("{}", None), None);
    assert_eq!(parameters_of_index("no", None), None);
}

#[test]
fn weights_in_narrow_floats_are_known_and_get_no_figure() {
    for id in ["Qwen/Qwen3-14B-FP8", "nvidia/Qwen3-30B-A3B-NVFP4", "/models/Qwen3-14B-FP8"] {
        let model = Models::catalogue().find_or_infer(id).unwrap_or_else(|| panic!("{id}"));
        let why = model.undescribed().unwrap_or_else(|| panic!("{id}"));
        assert!(why.en.contains("floats of 8 or 4 bits"), "{id}: {}", why.en);
    }
}

//! Parameters of architectures, against the counts of the real classes (built on the meta device with transformers 5.23).

use vramlint_memory::{Arch, Config, Value};

/// A name for messages, the keys of the `config.json`, the count; a tied head counts once.
const MODELS: &[(&str, &str, u64)] = &[
    ("apertus", r#"{"model_type": "apertus"}"#, 6_979_596_352),
    (
        "swiss-ai/Apertus-8B",
        r#"{"model_type": "apertus", "hidden_size": 4096, "intermediate_size": 21504, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 131072, "tie_word_embeddings": false}"#,
        8_053_338_176,
    ),
    ("arcee", r#"{"model_type": "arcee"}"#, 4_022_766_080),
    (
        "arcee-ai/AFM-4.5B",
        r#"{"model_type": "arcee", "hidden_size": 2560, "intermediate_size": 18432, "num_hidden_layers": 36, "num_attention_heads": 20, "num_key_value_heads": 4, "vocab_size": 128004, "tie_word_embeddings": false}"#,
        4_619_184_640,
    ),
    (
        "CohereForAI/aya-expanse-8b",
        r#"{"model_type": "cohere", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 256000, "tie_word_embeddings": true}"#,
        8_028_033_024,
    ),
    (
        "CohereForAI/c4ai-command-r-plus",
        r#"{"model_type": "cohere", "hidden_size": 12288, "intermediate_size": 33792, "num_hidden_layers": 64, "num_attention_heads": 96, "num_key_value_heads": 8, "vocab_size": 256000, "use_qk_norm": true}"#,
        103_810_674_688,
    ),
    (
        "CohereForAI/c4ai-command-r7b",
        r#"{"model_type": "cohere2", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 256000, "tie_word_embeddings": true}"#,
        8_028_033_024,
    ),
    ("cwm", r#"{"model_type": "cwm"}"#, 32_581_097_472),
    (
        "baidu/ERNIE-4.5-0.3B",
        r#"{"model_type": "ernie4_5", "hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 18, "num_attention_heads": 16, "num_key_value_heads": 2, "vocab_size": 103424, "tie_word_embeddings": true, "head_dim": 128, "use_bias": false}"#,
        360_748_032,
    ),
    ("exaone4", r#"{"model_type": "exaone4"}"#, 9_429_069_824),
    ("falcon-default", r#"{"model_type": "falcon"}"#, 6_921_720_704),
    (
        "tiiuae/falcon-180b",
        r#"{"model_type": "falcon", "hidden_size": 14848, "num_hidden_layers": 80, "num_attention_heads": 232, "num_kv_heads": 8, "new_decoder_architecture": true, "vocab_size": 65024}"#,
        178_557_088_768,
    ),
    (
        "tiiuae/falcon-40b",
        r#"{"model_type": "falcon", "hidden_size": 8192, "num_hidden_layers": 60, "num_attention_heads": 128, "num_kv_heads": 8, "new_decoder_architecture": true, "vocab_size": 65024}"#,
        41_303_293_952,
    ),
    (
        "tiiuae/falcon-7b",
        r#"{"model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71, "vocab_size": 65024}"#,
        6_921_720_704,
    ),
    (
        "tiiuae/falcon-rw-1b",
        r#"{"model_type": "falcon", "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 32, "vocab_size": 50304, "alibi": true, "bias": true, "parallel_attn": false, "multi_query": false}"#,
        1_311_625_216,
    ),
    ("gemma-default", r#"{"model_type": "gemma"}"#, 8_537_680_896),
    (
        "google/gemma-2b",
        r#"{"model_type": "gemma", "hidden_size": 2048, "intermediate_size": 16384, "num_hidden_layers": 18, "num_attention_heads": 8, "num_key_value_heads": 1, "vocab_size": 256000, "tie_word_embeddings": true, "head_dim": 256}"#,
        2_506_172_416,
    ),
    (
        "google/gemma-7b",
        r#"{"model_type": "gemma", "hidden_size": 3072, "intermediate_size": 24576, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 16, "vocab_size": 256000, "tie_word_embeddings": true, "head_dim": 256}"#,
        8_537_680_896,
    ),
    (
        "google/gemma-2-27b",
        r#"{"model_type": "gemma2", "hidden_size": 4608, "intermediate_size": 36864, "num_hidden_layers": 46, "num_attention_heads": 32, "num_key_value_heads": 16, "head_dim": 128, "vocab_size": 256000}"#,
        27_227_128_320,
    ),
    (
        "google/gemma-2-2b",
        r#"{"model_type": "gemma2", "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26, "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 256000, "tie_word_embeddings": true, "head_dim": 256}"#,
        2_614_341_888,
    ),
    (
        "google/gemma-3-1b-it",
        r#"{"model_type": "gemma3_text", "hidden_size": 1152, "intermediate_size": 6912, "num_hidden_layers": 26, "num_attention_heads": 4, "num_key_value_heads": 1, "vocab_size": 262144, "tie_word_embeddings": true, "head_dim": 256}"#,
        999_885_952,
    ),
    (
        "google/gemma-3-27b-it",
        r#"{"model_type": "gemma3_text", "hidden_size": 5376, "intermediate_size": 21504, "num_hidden_layers": 62, "num_attention_heads": 32, "num_key_value_heads": 16, "head_dim": 128, "vocab_size": 262208}"#,
        27_009_346_304,
    ),
    (
        "google/gemma-3-4b-it",
        r#"{"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34, "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 262208, "tie_word_embeddings": true, "head_dim": 256}"#,
        3_880_263_168,
    ),
    (
        "THUDM/glm-4-9b-chat-hf",
        r#"{"model_type": "glm", "hidden_size": 4096, "intermediate_size": 13696, "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 2, "vocab_size": 151552, "tie_word_embeddings": false, "head_dim": 128, "attention_bias": true}"#,
        9_399_951_360,
    ),
    (
        "zai-org/GLM-4-9B-0414",
        r#"{"model_type": "glm4", "hidden_size": 4096, "intermediate_size": 13696, "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 2, "vocab_size": 151552, "tie_word_embeddings": false, "head_dim": 128}"#,
        9_400_279_040,
    ),
    ("bigcode", r#"{"model_type": "gpt_bigcode"}"#, 111_446_784),
    ("bigcode-mha", r#"{"model_type": "gpt_bigcode", "multi_query": false}"#, 124_439_808),
    (
        "bigcode/starcoderbase-1b",
        r#"{"model_type": "gpt_bigcode", "n_embd": 2048, "n_layer": 24, "n_head": 16, "n_positions": 8192, "vocab_size": 49152, "n_inner": 8192}"#,
        1_137_207_296,
    ),
    (
        "EleutherAI/gpt-neox-20b",
        r#"{"model_type": "gpt_neox", "hidden_size": 6144, "intermediate_size": 24576, "num_hidden_layers": 44, "num_attention_heads": 64, "vocab_size": 50432, "tie_word_embeddings": false}"#,
        20_554_567_680,
    ),
    (
        "EleutherAI/pythia-1b",
        r#"{"model_type": "gpt_neox", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16, "num_attention_heads": 8, "vocab_size": 50304, "tie_word_embeddings": false}"#,
        1_011_781_632,
    ),
    (
        "EleutherAI/pythia-410m",
        r#"{"model_type": "gpt_neox", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16, "vocab_size": 50304, "tie_word_embeddings": false}"#,
        405_334_016,
    ),
    (
        "EleutherAI/gpt-j-6b",
        r#"{"model_type": "gptj", "n_embd": 4096, "n_layer": 28, "n_head": 16, "vocab_size": 50400, "rotary_dim": 64}"#,
        6_050_882_784,
    ),
    (
        "ibm-granite/granite-3.1-2b",
        r#"{"model_type": "granite", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 49155, "tie_word_embeddings": true}"#,
        2_533_531_648,
    ),
    ("helium", r#"{"model_type": "helium"}"#, 2_172_643_840),
    (
        "kyutai/helium-1-2b",
        r#"{"model_type": "helium", "hidden_size": 2560, "intermediate_size": 7040, "num_hidden_layers": 24, "num_attention_heads": 20, "num_key_value_heads": 20, "vocab_size": 48000, "tie_word_embeddings": false, "head_dim": 128}"#,
        2_172_643_840,
    ),
    (
        "tencent/Hunyuan-7B",
        r#"{"model_type": "hunyuan_v1_dense", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128167, "tie_word_embeddings": true, "head_dim": 128}"#,
        7_504_568_320,
    ),
    ("internlm/internlm3-8b-instruct", r#"{"model_type": "internlm3"}"#, 8_804_241_408),
    ("jais2", r#"{"model_type": "jais2"}"#, 8_090_401_280),
    (
        "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
        r#"{"model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 22, "num_attention_heads": 32, "num_key_value_heads": 4, "vocab_size": 32000, "tie_word_embeddings": false}"#,
        1_100_048_384,
    ),
    (
        "meta-llama/Llama-2-13b-hf",
        r#"{"model_type": "llama", "hidden_size": 5120, "intermediate_size": 13824, "num_hidden_layers": 40, "num_attention_heads": 40, "num_key_value_heads": 40, "vocab_size": 32000, "tie_word_embeddings": false}"#,
        13_015_864_320,
    ),
    (
        "meta-llama/Llama-2-7b-hf",
        r#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32000, "tie_word_embeddings": false}"#,
        6_738_415_616,
    ),
    (
        "meta-llama/Llama-3.1-8B",
        r#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": false, "head_dim": 128}"#,
        8_030_261_248,
    ),
    (
        "meta-llama/Llama-3.2-1B",
        r#"{"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": true, "head_dim": 64}"#,
        1_235_814_400,
    ),
    (
        "meta-llama/Llama-3.2-3B",
        r#"{"model_type": "llama", "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 28, "num_attention_heads": 24, "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": true, "head_dim": 128}"#,
        3_212_749_824,
    ),
    (
        "openlm-research/open_llama_3b",
        r#"{"model_type": "llama", "hidden_size": 3200, "intermediate_size": 8640, "num_hidden_layers": 26, "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32000, "tie_word_embeddings": false}"#,
        3_426_473_600,
    ),
    ("ministral3", r#"{"model_type": "ministral3"}"#, 8_489_553_920),
    ("mistral-default", r#"{"model_type": "mistral"}"#, 7_241_732_096),
    (
        "mistralai/Mistral-7B-v0.1",
        r#"{"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000, "tie_word_embeddings": false}"#,
        7_241_732_096,
    ),
    (
        "mistralai/Mistral-7B-v0.3",
        r#"{"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32768, "tie_word_embeddings": false}"#,
        7_248_023_552,
    ),
    (
        "nvidia/Minitron-4B-Base",
        r#"{"model_type": "nemotron", "hidden_size": 3072, "intermediate_size": 9216, "num_hidden_layers": 32, "num_attention_heads": 24, "num_key_value_heads": 8, "vocab_size": 256000, "tie_word_embeddings": false, "head_dim": 128}"#,
        4_190_509_056,
    ),
    (
        "allenai/OLMo-1B-hf",
        r#"{"model_type": "olmo", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16, "num_attention_heads": 16, "num_key_value_heads": 16, "vocab_size": 50304, "tie_word_embeddings": true}"#,
        1_176_764_416,
    ),
    (
        "allenai/OLMo-2-1124-7B",
        r#"{"model_type": "olmo2", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 100352, "tie_word_embeddings": false}"#,
        7_298_617_344,
    ),
    (
        "allenai/Olmo-3-7B",
        r#"{"model_type": "olmo3", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 100278, "tie_word_embeddings": false}"#,
        7_298_011_136,
    ),
    ("olmo3", r#"{"model_type": "olmo3"}"#, 6_888_624_128),
    (
        "microsoft/phi-1_5",
        r#"{"model_type": "phi", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 24, "num_attention_heads": 32, "vocab_size": 51200}"#,
        1_418_270_720,
    ),
    (
        "microsoft/phi-2",
        r#"{"model_type": "phi", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 51200, "partial_rotary_factor": 0.4}"#,
        2_779_683_840,
    ),
    ("phi-qk", r#"{"model_type": "phi", "qk_layernorm": true}"#, 1_418_276_864),
    (
        "microsoft/Phi-3-mini-4k-instruct",
        r#"{"model_type": "phi3", "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32064, "tie_word_embeddings": false}"#,
        3_821_079_552,
    ),
    (
        "microsoft/Phi-4-mini-instruct",
        r#"{"model_type": "phi3", "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 32, "num_attention_heads": 24, "num_key_value_heads": 8, "vocab_size": 200064, "tie_word_embeddings": true, "partial_rotary_factor": 0.75}"#,
        3_836_021_760,
    ),
    (
        "microsoft/phi-4",
        r#"{"model_type": "phi3", "hidden_size": 5120, "intermediate_size": 17920, "num_hidden_layers": 40, "num_attention_heads": 40, "num_key_value_heads": 10, "vocab_size": 100352, "tie_word_embeddings": false}"#,
        14_659_507_200,
    ),
    (
        "Qwen/Qwen2.5-0.5B",
        r#"{"model_type": "qwen2", "hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24, "num_attention_heads": 14, "num_key_value_heads": 2, "vocab_size": 151936, "tie_word_embeddings": true}"#,
        494_032_768,
    ),
    (
        "Qwen/Qwen2.5-1.5B",
        r#"{"model_type": "qwen2", "hidden_size": 1536, "intermediate_size": 8960, "num_hidden_layers": 28, "num_attention_heads": 12, "num_key_value_heads": 2, "vocab_size": 151936, "tie_word_embeddings": true}"#,
        1_543_714_304,
    ),
    (
        "Qwen/Qwen2.5-14B",
        r#"{"model_type": "qwen2", "hidden_size": 5120, "intermediate_size": 13824, "num_hidden_layers": 48, "num_attention_heads": 40, "num_key_value_heads": 8, "vocab_size": 152064, "tie_word_embeddings": false}"#,
        14_770_033_664,
    ),
    (
        "Qwen/Qwen2.5-3B",
        r#"{"model_type": "qwen2", "hidden_size": 2048, "intermediate_size": 11008, "num_hidden_layers": 36, "num_attention_heads": 16, "num_key_value_heads": 2, "vocab_size": 151936, "tie_word_embeddings": true}"#,
        3_085_938_688,
    ),
    (
        "Qwen/Qwen2.5-7B",
        r#"{"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064, "tie_word_embeddings": false}"#,
        7_615_616_512,
    ),
    (
        "Qwen/Qwen3-0.6B",
        r#"{"model_type": "qwen3", "hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8, "vocab_size": 151936, "tie_word_embeddings": true, "head_dim": 128}"#,
        596_049_920,
    ),
    (
        "Qwen/Qwen3-1.7B",
        r#"{"model_type": "qwen3", "hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8, "vocab_size": 151936, "tie_word_embeddings": true, "head_dim": 128}"#,
        1_720_574_976,
    ),
    (
        "Qwen/Qwen3-4B",
        r#"{"model_type": "qwen3", "hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 151936, "tie_word_embeddings": true, "head_dim": 128}"#,
        4_022_468_096,
    ),
    (
        "Qwen/Qwen3-8B",
        r#"{"model_type": "qwen3", "hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 151936, "tie_word_embeddings": false, "head_dim": 128}"#,
        8_190_735_360,
    ),
    ("qwen3-default", r#"{"model_type": "qwen3"}"#, 12_049_461_248),
    (
        "ByteDance-Seed/Seed-OSS-36B",
        r#"{"model_type": "seed_oss", "hidden_size": 5120, "intermediate_size": 27648, "num_hidden_layers": 64, "num_attention_heads": 80, "num_key_value_heads": 8, "vocab_size": 155136, "tie_word_embeddings": false, "head_dim": 128, "attention_bias": true, "attention_out_bias": false}"#,
        36_151_104_512,
    ),
    ("seed", r#"{"model_type": "seed_oss"}"#, 28_921_040_896),
    (
        "HuggingFaceTB/SmolLM3-3B",
        r#"{"model_type": "smollm3", "hidden_size": 2048, "intermediate_size": 11008, "num_hidden_layers": 36, "num_attention_heads": 16, "num_key_value_heads": 4, "vocab_size": 128256, "tie_word_embeddings": true}"#,
        3_075_098_624,
    ),
    (
        "stabilityai/stablelm-2-12b",
        r#"{"model_type": "stablelm", "hidden_size": 5120, "intermediate_size": 13824, "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 100352, "use_qkv_bias": false, "qk_layernorm": true, "use_parallel_residual": true, "tie_word_embeddings": false}"#,
        12_143_185_920,
    ),
    (
        "stabilityai/stablelm-2-1_6b",
        r#"{"model_type": "stablelm", "hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 24, "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 100352, "use_qkv_bias": true, "tie_word_embeddings": false}"#,
        1_644_515_328,
    ),
    ("stablelm-default", r#"{"model_type": "stablelm"}"#, 2_795_443_200),
    (
        "bigcode/starcoder2-3b",
        r#"{"model_type": "starcoder2", "hidden_size": 3072, "intermediate_size": 12288, "num_hidden_layers": 30, "num_attention_heads": 24, "num_key_value_heads": 2, "vocab_size": 49152}"#,
        3_030_371_328,
    ),
    ("vaultgemma", r#"{"model_type": "vaultgemma"}"#, 2_614_222_080),
];

/// The same for models that see, the tower among the parameters.
const SEEING: &[(&str, &str, u64)] = &[
    (
        "Qwen2-VL-7B",
        r#"{"text_config": {"hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064, "tie_word_embeddings": false}, "vision_config": {"depth": 32, "embed_dim": 1280, "hidden_size": 3584, "mlp_ratio": 4, "num_heads": 16, "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2}, "tie_word_embeddings": false, "model_type": "qwen2_vl"}"#,
        8_291_375_616,
    ),
    (
        "Qwen2.5-VL-7B",
        r#"{"text_config": {"hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064, "tie_word_embeddings": false}, "vision_config": {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "out_hidden_size": 3584, "num_heads": 16, "patch_size": 14}, "tie_word_embeddings": false, "model_type": "qwen2_5_vl"}"#,
        8_292_166_656,
    ),
    (
        "Qwen3-VL-2B",
        r#"{"text_config": {"hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936, "tie_word_embeddings": true}, "vision_config": {"depth": 24, "hidden_size": 1024, "intermediate_size": 4096, "out_hidden_size": 2048, "num_heads": 16, "patch_size": 16, "num_position_embeddings": 2304, "deepstack_visual_indexes": [5, 11, 17]}, "tie_word_embeddings": true, "model_type": "qwen3_vl"}"#,
        2_127_532_032,
    ),
    (
        "gemma-3-4b",
        r#"{"text_config": {"hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "vocab_size": 262208}, "vision_config": {"model_type": "siglip_vision_model", "hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27, "num_attention_heads": 16, "image_size": 896, "patch_size": 14}, "model_type": "gemma3"}"#,
        4_315_317_824,
    ),
    (
        "llava-1.5-7b",
        r#"{"text_config": {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32064, "tie_word_embeddings": false}, "vision_config": {"model_type": "clip_vision_model", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16, "image_size": 336, "patch_size": 14, "projection_dim": 768, "vocab_size": 32000}, "tie_word_embeddings": false, "model_type": "llava"}"#,
        7_063_427_072,
    ),
    (
        "SmolVLM",
        r#"{"text_config": {"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 24, "num_attention_heads": 32, "vocab_size": 49155, "tie_word_embeddings": false}, "vision_config": {"hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27, "num_attention_heads": 16, "image_size": 384, "patch_size": 14}, "scale_factor": 3, "tie_word_embeddings": false, "model_type": "idefics3"}"#,
        2_246_272_880,
    ),
    (
        "gemma-3-4b, as released",
        r#"{"text_config": {"hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "vocab_size": 262208}, "vision_config": {"model_type": "siglip_vision_model", "hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27, "num_attention_heads": 16, "image_size": 896, "patch_size": 14, "vision_use_head": false}, "model_type": "gemma3"}"#,
        4_300_079_472,
    ),
    (
        "Ministral-3-3B",
        r#"{"text_config": {"model_type": "ministral3", "vocab_size": 131072, "hidden_size": 3072, "intermediate_size": 9216, "num_hidden_layers": 26, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128}, "vision_config": {"model_type": "pixtral", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "patch_size": 14}, "spatial_merge_size": 2, "tie_word_embeddings": true, "model_type": "mistral3"}"#,
        3_849_090_048,
    ),
    // Moonlight with its tower: 16.4 B, as published.
    (
        "Kimi-VL-A3B",
        r#"{"text_config": {"model_type": "deepseek_v3", "vocab_size": 163840, "hidden_size": 2048, "intermediate_size": 11264, "moe_intermediate_size": 1408, "num_hidden_layers": 27, "num_attention_heads": 16, "num_key_value_heads": 16, "n_shared_experts": 2, "n_routed_experts": 64, "kv_lora_rank": 512, "q_lora_rank": null, "qk_rope_head_dim": 64, "v_head_dim": 128, "qk_nope_head_dim": 128, "num_experts_per_tok": 6, "first_k_dense_replace": 1, "tie_word_embeddings": false, "attention_bias": false, "n_group": 1, "topk_group": 1}, "vision_config": {"model_type": "moonvit", "patch_size": 14, "init_pos_emb_height": 64, "init_pos_emb_width": 64, "num_attention_heads": 16, "num_hidden_layers": 27, "hidden_size": 1152, "intermediate_size": 4304}, "model_type": "kimi_vl"}"#,
        16_407_654_384,
    ),
    (
        "Qwen2.5-VL-7B by the usual keys only",
        r#"{"model_type": "qwen2_5_vl", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064, "tie_word_embeddings": false}"#,
        8_292_166_656,
    ),
    (
        "falcon-40b by the usual keys only",
        r#"{"model_type": "falcon", "hidden_size": 8192, "num_hidden_layers": 60, "num_attention_heads": 128, "num_key_value_heads": 8, "vocab_size": 65024}"#,
        41_303_293_952,
    ),
];

fn config(text: &str) -> Config {
    fn value(json: &serde_json::Value) -> Value {
        match json {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(flag) => Value::Bool(*flag),
            serde_json::Value::Number(number) => Value::Number(number.as_f64().expect("a number")),
            serde_json::Value::String(text) => Value::Text(text.clone()),
            serde_json::Value::Array(items) => Value::List(items.iter().map(value).collect()),
            serde_json::Value::Object(entries) => Value::Object(object(entries)),
        }
    }
    fn object(entries: &serde_json::Map<String, serde_json::Value>) -> Config {
        let mut config = Config::default();
        for (key, json) in entries {
            config.set(key.clone(), value(json));
        }
        config
    }
    let json: serde_json::Value = serde_json::from_str(text).expect("the table holds JSON");
    object(json.as_object().expect("an object"))
}

#[test]
fn every_family_counts_what_its_class_builds() {
    let wrong: Vec<String> = MODELS
        .iter()
        .chain(SEEING)
        .map(|(name, text, count)| (name, Arch::from_config(&config(text)).parameters(), count))
        .filter(|(_, counted, count)| counted != *count)
        .map(|(name, counted, count)| format!("{name}: {counted}, not {count} ({:+})", i128::from(counted) - i128::from(*count)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_known_family_assumes_nothing_and_an_unknown_one_says_so() {
    for (name, text, _) in MODELS.iter().filter(|(_, text, _)| text.contains("num_hidden_layers") && text.contains("vocab_size"))
    {
        assert!(Arch::from_config(&config(text)).assumptions().is_empty(), "{name}");
    }
    let arch = Arch::from_config(&config(
        r#"{"model_type": "novel", "d_model": 1024, "n_layers": 12, "n_heads": 16, "ffn_dim": 4096, "n_vocab": 32000}"#,
    ));
    assert_eq!(arch.certainty(), vramlint_memory::arch::Certainty::GenericDecoder);
    assert_eq!(arch.parameters(), 2 * 32000 * 1024 + 12 * (4 * 1024 * 1024 + 3 * 1024 * 4096 + 2 * 1024) + 1024);
    let first = &arch.assumptions()[0];
    assert!(first.en.contains("novel") && first.zh.contains("novel"), "{first:?}");
}

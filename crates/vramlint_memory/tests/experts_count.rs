//! Parameters of mixtures of experts, as transformers 5.23 counts them on the meta device.

use vramlint_memory::{Arch, Config, Value};

#[allow(clippy::cast_precision_loss)] // sizes of configs
fn config(kind: &str, numbers: &[(&str, u64)]) -> Config {
    let mut config = Config::default();
    config.set("model_type", Value::Text(kind.to_owned()));
    for (key, number) in numbers {
        config.set(*key, Value::Number(*number as f64));
    }
    config
}

#[track_caller]
fn counts(kind: &str, numbers: &[(&str, u64)], parameters: u64) {
    assert_eq!(Arch::from_config(&config(kind, numbers)).parameters(), parameters);
}

#[test]
fn mixtral() {
    counts(
        "mixtral",
        &[
            ("hidden_size", 4096),
            ("intermediate_size", 14336),
            ("num_hidden_layers", 32),
            ("num_attention_heads", 32),
            ("num_key_value_heads", 8),
            ("vocab_size", 32000),
        ],
        46_702_792_704,
    );
    counts(
        "mixtral",
        &[
            ("hidden_size", 6144),
            ("intermediate_size", 16384),
            ("num_hidden_layers", 56),
            ("num_attention_heads", 48),
            ("num_key_value_heads", 8),
            ("vocab_size", 32768),
        ],
        140_630_071_296,
    );
}

#[test]
fn qwen3_moe() {
    let small = [("num_hidden_layers", 48), ("hidden_size", 2048), ("num_attention_heads", 32), ("head_dim", 128)];
    counts("qwen3_moe", &small, 30_532_122_624);
    counts(
        "qwen3_moe",
        &[
            ("hidden_size", 4096),
            ("intermediate_size", 12288),
            ("moe_intermediate_size", 1536),
            ("num_hidden_layers", 94),
            ("num_attention_heads", 64),
            ("num_key_value_heads", 4),
            ("head_dim", 128),
        ],
        235_093_634_560,
    );
}

#[test]
fn defaults_of_the_config_classes() {
    counts("qwen2_moe", &[], 14_315_784_192);
    counts("deepseek_v3", &[], 671_026_404_352);
    counts("gpt_oss", &[], 116_829_156_672);
    counts("llama4_text", &[], 107_769_861_120);
    counts("qwen3_next", &[], 79_674_391_296);
}

#[test]
fn deepseek_v2_lite() {
    let mut config = config(
        "deepseek_v2",
        &[
            ("hidden_size", 2048),
            ("intermediate_size", 10944),
            ("moe_intermediate_size", 1408),
            ("num_hidden_layers", 27),
            ("num_attention_heads", 16),
            ("first_k_dense_replace", 1),
            ("num_experts_per_tok", 6),
        ],
    );
    config.set("q_lora_rank", Value::Null);
    assert_eq!(Arch::from_config(&config).parameters(), 15_706_484_224);
}

#[test]
fn gpt_oss_20b_and_maverick() {
    counts("gpt_oss", &[("num_hidden_layers", 24), ("num_local_experts", 32)], 20_914_757_184);
    counts("llama4_text", &[("num_local_experts", 128), ("interleave_moe_layer_step", 2)], 400_711_848_960);
}

#[test]
fn dense_blocks_where_the_config_says_so() {
    let sizes = [("num_hidden_layers", 4), ("decoder_sparse_step", 2)];
    let every_other = Arch::from_config(&config("qwen3_moe", &sizes)).parameters();
    let mut listed = config("qwen3_moe", &[("num_hidden_layers", 4)]);
    listed.set("mlp_only_layers", Value::List(vec![Value::Number(0.0), Value::Number(2.0)]));
    assert_eq!(Arch::from_config(&listed).parameters(), every_other);
    let all = Arch::from_config(&config("qwen3_moe", &[("num_hidden_layers", 4)])).parameters();
    // Two blocks of 128 experts of 768 with their router, or of one MLP of 6144.
    assert_eq!(all - every_other, 2 * (128 * 3 * 2048 * 768 + 128 * 2048 - 3 * 2048 * 6144));
}

/// The names that families give to the same numbers: in a family that nobody knows they mean the same.
#[test]
fn experts_of_a_family_that_is_not_known() {
    let common = [
        ("hidden_size", 2048),
        ("intermediate_size", 6144),
        ("num_hidden_layers", 24),
        ("num_attention_heads", 16),
        ("num_key_value_heads", 4),
        ("vocab_size", 64000),
    ];
    let with = |more: &[(&'static str, u64)]| [common.as_slice(), more].concat();
    let dense = Arch::from_config(&config("acme", &common)).parameters();
    let gated = 3 * 2048;
    let experts = 24 * (64 * 768 * gated + 64 * 2048);
    let routed = dense - 24 * 6144 * gated + experts;
    for count in ["num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"] {
        counts("acme", &with(&[(count, 64), ("moe_intermediate_size", 768)]), routed);
    }
    let shared = routed + 24 * 2 * 768 * gated;
    counts("acme", &with(&[("num_experts", 64), ("moe_intermediate_size", 768), ("n_shared_experts", 2)]), shared);
    let stated = [("num_experts", 64), ("moe_intermediate_size", 768), ("shared_expert_intermediate_size", 1536)];
    counts("acme", &with(&stated), shared);
    // The first blocks may be dense.
    let one = shared - 64 * 768 * gated - 64 * 2048 - 2 * 768 * gated + 6144 * gated;
    counts("acme", &with(&[stated.as_slice(), &[("first_k_dense_replace", 1)]].concat()), one);
}

#[test]
fn the_width_of_a_shared_expert_may_exceed_any_number_of_experts() {
    counts(
        "qwen2_moe",
        &[
            ("vocab_size", 151_936),
            ("hidden_size", 3584),
            ("intermediate_size", 18944),
            ("num_hidden_layers", 28),
            ("num_attention_heads", 28),
            ("num_key_value_heads", 4),
            ("moe_intermediate_size", 2560),
            ("shared_expert_intermediate_size", 20480),
            ("num_experts_per_tok", 8),
            ("num_experts", 64),
        ],
        57_408_658_944,
    );
}

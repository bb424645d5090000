//! Parameters of encoders and older decoders, as transformers 5.23 builds them on the meta device.

use vramlint_memory::setup::Task;
use vramlint_memory::{Arch, Config, Value};

fn parameters(kind: &str, keys: &[(&str, f64)], flags: &[(&str, bool)], texts: &[(&str, &str)]) -> u64 {
    let mut config = Config::default();
    config.set("model_type", Value::Text(kind.to_owned()));
    for (key, value) in keys {
        config.set(*key, Value::Number(*value));
    }
    for (key, value) in flags {
        config.set(*key, Value::Bool(*value));
    }
    for (key, value) in texts {
        config.set(*key, Value::Text((*value).to_owned()));
    }
    Arch::from_config(&config).parameters()
}

fn gpt2(hidden: f64, layers: f64, heads: f64) -> u64 {
    parameters("gpt2", &[("n_embd", hidden), ("n_layer", layers), ("n_head", heads), ("vocab_size", 50257.0)], &[], &[])
}

#[test]
fn gpt2_is_as_large_as_published() {
    assert_eq!(gpt2(768.0, 12.0, 12.0), 124_439_808);
    assert_eq!(gpt2(1024.0, 24.0, 16.0), 354_823_168);
    assert_eq!(gpt2(1600.0, 48.0, 25.0), 1_557_611_200);
}

fn opt(hidden: f64, inner: f64, layers: f64, columns: f64, before: bool) -> u64 {
    let heads = hidden / 64.0;
    let keys = [
        ("hidden_size", hidden),
        ("ffn_dim", inner),
        ("num_hidden_layers", layers),
        ("num_attention_heads", heads),
        ("vocab_size", 50272.0),
        ("max_position_embeddings", 2048.0),
        ("word_embed_proj_dim", columns),
    ];
    parameters("opt", &keys, &[("do_layer_norm_before", before)], &[])
}

#[test]
fn opt_has_two_rows_of_positions_more_and_projects_narrow_embeddings() {
    assert_eq!(opt(768.0, 3072.0, 12.0, 768.0, true), 125_239_296);
    assert_eq!(opt(1024.0, 4096.0, 24.0, 512.0, false), 331_196_416);
    assert_eq!(opt(2048.0, 8192.0, 24.0, 2048.0, true), 1_315_758_080);
    assert_eq!(opt(4096.0, 16384.0, 32.0, 4096.0, true), 6_658_473_984);
    assert_eq!(opt(5120.0, 20480.0, 40.0, 5120.0, true), 12_853_473_280);
}

#[test]
fn bloom_norms_its_embedding() {
    let of = |hidden: f64, layers: f64, heads: f64| {
        parameters(
            "bloom",
            &[("hidden_size", hidden), ("n_layer", layers), ("n_head", heads), ("vocab_size", 250_880.0)],
            &[],
            &[],
        )
    };
    assert_eq!(of(1024.0, 24.0, 16.0), 559_214_592);
    assert_eq!(of(4096.0, 30.0, 32.0), 7_069_016_064);
}

#[test]
fn gptj_has_a_bias_in_its_head() {
    let keys = [("n_embd", 4096.0), ("n_layer", 28.0), ("n_head", 16.0), ("vocab_size", 50400.0), ("rotary_dim", 64.0)];
    assert_eq!(parameters("gptj", &keys, &[("tie_word_embeddings", false)], &[]), 6_050_882_784);
}

#[test]
fn t5_has_biases_by_distance_once_a_stack() {
    let keys =
        [("d_model", 512.0), ("d_kv", 64.0), ("d_ff", 2048.0), ("num_layers", 6.0), ("num_heads", 8.0), ("vocab_size", 32128.0)];
    assert_eq!(parameters("t5", &keys, &[], &[]), 60_506_624);
    // FLAN-T5 base, which transformers 5 ties too.
    let keys = [
        ("d_model", 768.0),
        ("d_kv", 64.0),
        ("d_ff", 2048.0),
        ("num_layers", 12.0),
        ("num_heads", 12.0),
        ("vocab_size", 32128.0),
    ];
    let flan = parameters("t5", &keys, &[("tie_word_embeddings", false)], &[("feed_forward_proj", "gated-gelu")]);
    assert_eq!(flan, 222_903_552);
}

fn translator(kind: &str, vocab: f64, hidden: f64, inner: f64, [encoder, decoder]: [f64; 2], positions: f64) -> u64 {
    let keys = [
        ("vocab_size", vocab),
        ("d_model", hidden),
        ("encoder_layers", encoder),
        ("decoder_layers", decoder),
        ("encoder_attention_heads", hidden / 64.0),
        ("decoder_attention_heads", hidden / 64.0),
        ("encoder_ffn_dim", inner),
        ("decoder_ffn_dim", inner),
        ("max_position_embeddings", positions),
    ];
    parameters(kind, &keys, &[], &[])
}

#[test]
fn bart_and_its_kin_have_positions_in_both_stacks() {
    assert_eq!(translator("bart", 50265.0, 768.0, 3072.0, [6.0, 6.0], 1024.0), 139_420_416);
    // distilbart-cnn-12-6: the decoder is half as deep.
    assert_eq!(translator("bart", 50264.0, 1024.0, 4096.0, [12.0, 6.0], 1024.0), 305_510_400);
    assert_eq!(translator("mbart", 250_054.0, 1024.0, 4096.0, [12.0, 12.0], 1024.0), 610_879_488);
    assert_eq!(translator("pegasus", 96103.0, 1024.0, 4096.0, [16.0, 16.0], 512.0), 569_748_480);
    assert_eq!(translator("marian", 58101.0, 512.0, 2048.0, [6.0, 6.0], 512.0), 74_410_496);
    // NLLB-200: positions are no parameters.
    assert_eq!(translator("m2m_100", 256_206.0, 1024.0, 4096.0, [12.0, 12.0], 1024.0), 615_073_792);
}

#[test]
fn marian_with_two_vocabularies_gets_no_figure() {
    let arch = |shared: bool| {
        let mut config = Config::default();
        config.set("model_type", Value::Text("marian".to_owned()));
        config.set("share_encoder_decoder_embeddings", Value::Bool(shared));
        Arch::from_config(&config)
    };
    assert_eq!(arch(true).undescribed(), None);
    assert!(arch(false).undescribed().is_some());
}

#[test]
fn bart_gets_a_figure_from_sequence_to_sequence_only() {
    let mut config = Config::default();
    config.set("model_type", Value::Text("bart".to_owned()));
    let arch = Arch::from_config(&config);
    assert_eq!(arch.unfit_for(Task::Seq2Seq), None);
    assert!(arch.unfit_for(Task::SequenceClassification).is_some());
}

fn encoder(kind: &str, vocab: f64, positions: f64, types: f64) -> u64 {
    let keys = [
        ("hidden_size", 768.0),
        ("num_hidden_layers", 12.0),
        ("num_attention_heads", 12.0),
        ("intermediate_size", 3072.0),
        ("vocab_size", vocab),
        ("max_position_embeddings", positions),
        ("type_vocab_size", types),
        ("embedding_size", 768.0),
    ];
    parameters(kind, &keys, &[], &[])
}

#[test]
fn encoders_have_the_head_of_a_masked_language_model() {
    assert_eq!(encoder("roberta", 50265.0, 514.0, 1.0), 124_697_433);
    assert_eq!(encoder("xlm-roberta", 250_002.0, 514.0, 1.0), 278_295_186);
    assert_eq!(encoder("electra", 30522.0, 512.0, 2.0), 109_514_298);
    assert_eq!(encoder("bert", 30522.0, 512.0, 2.0), 109_514_298);
}

#[test]
fn distilbert_has_no_types() {
    let keys = [("dim", 768.0), ("n_layers", 6.0), ("n_heads", 12.0), ("hidden_dim", 3072.0), ("vocab_size", 30522.0)];
    assert_eq!(parameters("distilbert", &keys, &[], &[]), 66_985_530);
}

#[test]
fn deberta_projects_distances_as_contents_where_it_shares() {
    let keys = [
        ("hidden_size", 768.0),
        ("num_hidden_layers", 12.0),
        ("num_attention_heads", 12.0),
        ("intermediate_size", 3072.0),
        ("vocab_size", 128_100.0),
        ("type_vocab_size", 0.0),
        ("position_buckets", 256.0),
    ];
    let flags = [("relative_attention", true), ("share_att_key", true), ("position_biased_input", false)];
    let texts = [("pos_att_type", "p2c|c2p"), ("norm_rel_ebd", "layer_norm")];
    assert_eq!(parameters("deberta-v2", &keys, &flags, &texts), 184_551_780);
    let own = [("relative_attention", true), ("share_att_key", false), ("position_biased_input", false)];
    assert_eq!(parameters("deberta-v2", &keys, &own, &texts), 184_551_780 + 12 * 2 * (768 * 768 + 768));
}

#[test]
fn modernbert_has_no_norm_before_its_first_attention() {
    let keys = [
        ("hidden_size", 768.0),
        ("num_hidden_layers", 22.0),
        ("num_attention_heads", 12.0),
        ("intermediate_size", 1152.0),
        ("vocab_size", 50368.0),
    ];
    assert_eq!(parameters("modernbert", &keys, &[], &[]), 149_655_232);
}

#[test]
fn codegen_and_gpt_neo_keep_their_biases_apart() {
    let keys = [("n_embd", 1024.0), ("n_layer", 20.0), ("n_head", 16.0), ("rotary_dim", 32.0), ("vocab_size", 51200.0)];
    assert_eq!(parameters("codegen", &keys, &[("tie_word_embeddings", false)], &[]), 356_712_448);
    let keys = [("hidden_size", 768.0), ("num_layers", 12.0), ("num_heads", 12.0), ("vocab_size", 50257.0)];
    assert_eq!(parameters("gpt_neo", &keys, &[], &[]), 125_198_592);
}

fn albert(groups: f64) -> u64 {
    let keys = [
        ("hidden_size", 768.0),
        ("num_hidden_layers", 12.0),
        ("num_hidden_groups", groups),
        ("num_attention_heads", 12.0),
        ("intermediate_size", 3072.0),
        ("vocab_size", 30000.0),
    ];
    parameters("albert", &keys, &[], &[])
}

#[test]
fn blocks_of_albert_share_their_weights_by_groups() {
    assert_eq!(albert(1.0), 11_221_680);
    assert_eq!(albert(2.0), 18_309_552);
    // The defaults are those of xxlarge.
    assert_eq!(parameters("albert", &[], &[], &[]), 206_368_944);
}

#[test]
fn mpnet_has_one_table_of_biases_by_distance() {
    assert_eq!(encoder("mpnet", 30527.0, 514.0, 2.0), 109_518_527);
}

#[test]
fn vision_transformers_have_patches_in_the_place_of_a_vocabulary() {
    assert_eq!(parameters("vit", &[], &[], &[]), 85_798_656);
    assert_eq!(parameters("deit", &[], &[], &[]), 85_800_192);
    let keys = [("image_size", 518.0), ("patch_size", 14.0), ("mlp_ratio", 4.0)];
    assert_eq!(parameters("dinov2", &keys, &[], &[]), 86_580_480);
    let giant = [("hidden_size", 1536.0), ("num_hidden_layers", 40.0), ("num_attention_heads", 24.0)];
    assert_eq!(parameters("dinov2", &[&keys[..], &giant].concat(), &[("use_swiglu_ffn", true)], &[]), 1_136_480_768);
}

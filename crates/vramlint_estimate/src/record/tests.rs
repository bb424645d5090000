use super::{Record, parse};
use crate::models::{Model, Models, Source};
use vramlint_memory::Arch;
use vramlint_memory::setup::{Attention, Checkpointing, Dtype, Head, Optimizer, Quantization, Reference, Scheme, Targets, Task};

const ARCH: &str = r#"{"cls": "Qwen2Config", "hidden_size": 896, "num_hidden_layers": 24, "vocab_size": 151936}"#;

fn line(setup: &str) -> String {
    format!(r#"{{"id": "r1", "model": {{"id": "m", "arch": {ARCH}}}, "setup": {{"micro_batch": 2, "seq": 512, {setup}}}}}"#)
}

fn one(setup: &str) -> Record {
    let records = parse(&line(setup), &Models::catalogue()).unwrap_or_else(|why| panic!("{}", why.en));
    assert_eq!(records.len(), 1);
    records.into_iter().next().expect("one")
}

fn refused(text: &str) -> String {
    parse(text, &Models::catalogue()).expect_err("it is refused").en
}

#[test]
fn an_object_a_list_and_lines_are_the_same() {
    let line = line(r#""dtype": "bf16""#);
    let count = |text: &str| parse(text, &Models::catalogue()).map(|records| records.len());
    assert_eq!(count(&line), Ok(1));
    assert_eq!(count(&format!("[{line}, {line}]")), Ok(2));
    assert_eq!(count(&format!("\u{feff}{line}\r\n\r\n{line}\r\n")), Ok(2));
    assert_eq!(count(&line.replace(", ", ",\n  ")), Ok(1));
}

#[test]
fn the_architecture_gets_its_type_from_the_class() {
    assert_eq!(one(r#""dtype": "bf16""#).arch.model_type, "qwen2");
}

#[test]
fn a_record_is_read_as_it_was_traced() {
    let record = one(
        r#""task": "clm", "dtype": "bf16_amp", "autocast": "bf16", "weights_dtype": "fp32", "prompt": null, "checkpointing":
        "reentrant", "attn": "eager", "padding_mask": true, "optimizer": "paged_adamw_8bit", "accum": 4, "use_cache": true, "lora": {"r":
        16, "targets": "all-linear"}, "quant": "nf4_dq", "kbit_prepare": true, "head": "trl_fused", "dist": null, "world": 1, "note": "x""#,
    );
    let setup = &record.setup;
    assert_eq!((setup.weights, setup.autocast), (Dtype::Fp32, Some(Dtype::Bf16)));
    assert_eq!((setup.micro_batch, setup.sequence_length, setup.accumulation), (2, 512, 4));
    assert_eq!((setup.checkpointing, setup.attention), (Checkpointing::Reentrant, Attention::Eager));
    assert_eq!((setup.optimizer, setup.quantization), (Optimizer::PagedAdamW8bit, Quantization::FourBit { double: true }));
    assert!(setup.padding_mask && setup.use_cache && setup.kbit_prepare && setup.cuda_context);
    let lora = setup.lora.as_ref().expect("adapters");
    assert_eq!((lora.r, &lora.targets, lora.dropout, lora.dtype), (16, &Targets::AllLinear, true, Some(Dtype::Fp32)));
    assert_eq!((setup.head, setup.parallel.scheme), (Head::Fused, Scheme::None));
    assert_eq!((record.unused, record.assumptions), (Vec::<String>::new(), Vec::new()));
}

#[test]
fn preferences_have_a_reference() {
    assert_eq!(one(r#""task": "dpo""#).setup.reference, Reference::Copy);
    let lora = one(r#""task": "dpo", "lora": {"r": 8, "targets": ["q_proj"], "dropout": 0}"#);
    assert_eq!(lora.setup.reference, Reference::Adapter);
    assert!(!lora.setup.lora.expect("adapters").dropout);
}

#[test]
fn rows_without_pairs_are_counted_once() {
    let pairs = one(r#""task": "rm", "pairs": false"#).setup;
    assert_eq!((pairs.task, pairs.micro_batch * pairs.task.sequences_per_sample()), (Task::Reward, 2));
    assert_eq!(one(r#""task": "rm""#).setup.task.sequences_per_sample(), 2);
}

#[test]
fn deepspeed_computes_in_bf16_over_masters_of_its_own() {
    let setup =
        one(r#""dtype": "bf16_amp", "weights_dtype": "fp32", "autocast": null, "dist": "zero2", "world": 8, "bucket": 5e7"#)
            .setup;
    assert_eq!((setup.weights, setup.autocast, setup.parallel.master), (Dtype::Bf16, None, true));
    assert_eq!((setup.parallel.scheme, setup.parallel.world), (Scheme::Zero2, 8));
    assert_eq!((setup.parallel.reduce_bucket, setup.parallel.prefetch_bucket), (50_000_000, 50_000_000));
    let fsdp = one(r#""dtype": "bf16_amp", "weights_dtype": "fp32", "autocast": null, "dist": "fsdp2", "world": 8"#).setup;
    assert_eq!((fsdp.weights, fsdp.autocast), (Dtype::Fp32, Some(Dtype::Bf16)));
}

#[test]
fn what_means_nothing_is_listed() {
    assert_eq!(one(r#""dtype": "bf16", "colour": "blue", "peft": {"cls": "IA3Config"}"#).unused, ["setup.colour", "setup.peft"]);
}

#[test]
fn what_is_not_written_is_assumed() {
    let said: Vec<String> =
        one(r#""dtype": "bf16", "task": "clm", "padding_mask": false"#).assumptions.into_iter().map(|one| one.en).collect();
    let wanted = [
        "`optimizer` is not set: assuming adamw_torch_fused",
        "`checkpointing` is not set: assuming none",
        "`attn` is not set: assuming sdpa",
    ];
    assert_eq!(said, wanted);
    let large = one(r#""dtype": "bf16", "dist": "zero3", "world": 64"#);
    assert!(large.assumptions.iter().any(|one| one.en == "assuming 8 GPUs per machine"));
}

#[test]
fn ids_stay_what_they_are() {
    let with = |id: &str| line(r#""dtype": "bf16""#).replace(r#""r1""#, id);
    let id = |text: String| parse(&text, &Models::catalogue()).expect("read")[0].id.clone();
    assert_eq!(id(with("7")), serde_json::json!(7));
    assert_eq!(id(with("null")), serde_json::Value::Null);
    assert!(refused(&with("[]")).contains("`id`: expected a string or a number"));
}

#[test]
fn mistakes_name_line_and_field() {
    let good = line(r#""dtype": "bf16""#);
    let second = |bad: &str| refused(&format!("{good}\n{}", line(bad)));
    assert_eq!(second(r#""accum": "4""#), r#"line 2: `setup.accum`: expected an integer from 1 to 1073741824, got "4""#);
    assert!(second(r#""accum": 0.5"#).starts_with("line 2: `setup.accum`: expected an integer"));
    assert!(second(r#""use_cache": 1"#).starts_with("line 2: `setup.use_cache`: expected a boolean, got 1"));
    assert!(second(r#""optimizer": "adam2""#).starts_with("line 2: `setup.optimizer`: expected one of adamw_torch_fused, "));
    assert!(second(r#""lora": {"r": 8}"#).starts_with("line 2: `setup.lora.targets` is missing"));
    assert!(second(r#""lora": 8"#).starts_with("line 2: `setup.lora`: expected an object, got 8"));
    let far = format!("[\n{good},\n{}\n]", line("\n\n\"clip\": 3"));
    assert!(refused(&far).starts_with("line 5: `setup.clip`"), "{}", refused(&far));
    assert!(refused("{").starts_with("line 1, column 1: invalid JSON"), "{}", refused("{"));
    assert_eq!(refused("[7]"), "line 1: expected an object, got 7");
    assert_eq!(refused(" \n"), "no setup found");
    assert!(refused(r#"{"id": 1}"#).contains("`model` is missing"));
    assert!(refused(r#"{"model": {"arch": {}}}"#).contains("`setup` is missing"));
}

#[test]
fn a_name_is_enough_where_it_is_known() {
    let text = r#"{"id": 1, "model": {"id": "acme/one"}, "setup": {"micro_batch": 1, "seq": 8}}"#;
    assert_eq!(refused(text), "line 1: `model.arch`: unknown model `acme/one`");
    let mut models = Models::catalogue();
    let arch = Arch::from_parameters(7);
    models.insert(Model {
        id: "acme/one".into(),
        arch: arch.clone(),
        source: Source::CommandLine,
        exact_parameters: None,
        dtype: None,
        prequantized: None,
    });
    assert_eq!(parse(text, &models).expect("known")[0].arch, arch);
    let typo = parse(&text.replace("acme/one", "Qwen/Qwen3-1.8B"), &models).expect_err("unknown");
    assert!(typo.en.contains("did you mean `Qwen/Qwen3-1.7B`?") && typo.zh.contains("是否指"), "{typo:?}");
}

//! Sharded training against traces: one rank of DDP, of DeepSpeed's stages and of `fully_shard`.

#![allow(clippy::doc_markdown)] // DeepSpeed and the like are no code

use vramlint_memory::setup::{Attention, Checkpointing, Dtype, Lora, Offload, Optimizer, Parallel, Scheme, Setup, Targets, Task};
use vramlint_memory::{Arch, Config, Value, peaks};

fn value(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(flag) => Value::Bool(*flag),
        serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap_or_default()),
        serde_json::Value::String(text) => Value::Text(text.clone()),
        serde_json::Value::Array(items) => Value::List(items.iter().map(value).collect()),
        serde_json::Value::Object(_) => Value::Object(config(json)),
    }
}

fn config(json: &serde_json::Value) -> Config {
    let mut config = Config::default();
    for (key, entry) in json.as_object().into_iter().flatten() {
        config.set(key.clone(), value(entry));
    }
    config
}

fn dtype(text: &str) -> Dtype {
    if text == "bf16" { Dtype::Bf16 } else { Dtype::Fp32 }
}

fn parallel(json: &serde_json::Value, amp: bool) -> Parallel {
    let given = &json["parallel"];
    let number = |key: &str, default: u64| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // counts of elements, exact in a double
        given[key].as_f64().map_or(default, |number| number as u64)
    };
    let flag = |key: &str, default: bool| given[key].as_bool().unwrap_or(default);
    let offload = |key: &str| if given[key].is_string() { Offload::Cpu } else { Offload::None };
    let usual = Parallel::default();
    Parallel {
        scheme: match json["dist"].as_str() {
            Some("ddp") => Scheme::Ddp,
            Some("zero1") => Scheme::Zero1,
            Some("zero2") => Scheme::Zero2,
            Some("zero3") => Scheme::Zero3,
            Some("fsdp2") => Scheme::Fsdp2,
            other => panic!("unknown scheme {other:?}"),
        },
        world: json["world"].as_u64().expect("ranks"),
        reduce_bucket: number("bucket", usual.reduce_bucket),
        prefetch_bucket: number("prefetch", usual.prefetch_bucket),
        max_live: number("max_live", usual.max_live),
        persistence: number("persistence", usual.persistence),
        sub_group: number("sub_group", usual.sub_group),
        overlap: flag("overlap_comm", true),
        contiguous: flag("contiguous", true),
        bucket_view: flag("bucket_view", false),
        reshard: flag("reshard", true),
        // torch 2.15 reduces in the type of the shards unless told otherwise.
        reduce_fp32: amp,
        defer_reduction: flag("defer", false),
        offload_optimizer: offload("offload_optimizer"),
        offload_param: offload("offload_param"),
        ..usual
    }
}

fn setup(json: &serde_json::Value) -> Setup {
    let amp = json["dtype"] == "bf16_amp";
    let lora = json["lora"].as_object().map(|lora| Lora {
        r: lora["r"].as_u64().expect("rank"),
        targets: Targets::AllLinear,
        dropout: true,
        dtype: lora.get("fp32_adapters").and_then(serde_json::Value::as_bool).unwrap_or(true).then_some(Dtype::Fp32),
        ..Lora::default()
    });
    Setup {
        task: Task::CausalLm,
        weights: dtype(json["weights_dtype"].as_str().expect("type of the weights")),
        autocast: amp.then_some(Dtype::Bf16),
        micro_batch: json["micro_batch"].as_u64().expect("rows"),
        sequence_length: json["seq"].as_u64().expect("tokens"),
        accumulation: json["accum"].as_u64().unwrap_or(1),
        checkpointing: if json["checkpointing"] == "none" { Checkpointing::None } else { Checkpointing::NonReentrant },
        attention: Attention::Sdpa,
        padding_mask: json["padding_mask"].as_bool().unwrap_or(false),
        optimizer: Optimizer::AdamWFused,
        lora,
        parallel: parallel(json, amp),
        ..Setup::default()
    }
}

/// Errors of allocated and of reserved bytes, in hundredths of a percent, for every record that passes.
fn errors(text: &str, wanted: impl Fn(&serde_json::Value) -> bool) -> Vec<(String, u64, u64)> {
    let error = |ours: u64, real: &serde_json::Value| {
        let real = real.as_u64().expect("bytes");
        ours.abs_diff(real) * 10_000 / real
    };
    text.lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a record"))
        .filter(|record| wanted(record))
        .map(|record| {
            let (tensors, reserved) = peaks(&Arch::from_config(&config(&record["model"]["arch"])), &setup(&record["setup"]));
            let oracle = &record["oracle"];
            let id = record["id"].as_str().unwrap_or_default().to_owned();
            (id, error(tensors, &oracle["peak_allocated"]), error(reserved, &oracle["peak_reserved"]))
        })
        .collect()
}

#[test]
fn small_models_agree_with_their_traces() {
    let text = include_str!("sharded/records.jsonl");
    let errors = errors(text, |_| true);
    assert!(errors.len() > 10);
    for (id, tensors, reserved) in errors {
        assert!(tensors <= 100, "{id}: allocated is off by {tensors} hundredths of a percent");
        assert!(reserved <= 800, "{id}: reserved is off by {reserved} hundredths of a percent");
    }
}

/// A Llama of eight blocks without tied embeddings.
fn small() -> Arch {
    let json = serde_json::json!({
        "model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 8,
        "num_attention_heads": 16, "num_key_value_heads": 4, "vocab_size": 32000
    });
    Arch::from_config(&config(&json))
}

fn sharded(scheme: Scheme, world: u64) -> Setup {
    Setup {
        weights: Dtype::Fp32,
        autocast: Some(Dtype::Bf16),
        sequence_length: 256,
        parallel: Parallel {
            scheme,
            world,
            reduce_bucket: 50_000_000,
            prefetch_bucket: 10_000_000,
            max_live: 50_000_000,
            reduce_fp32: true,
            ..Parallel::default()
        },
        ..Setup::default()
    }
}

#[test]
fn more_ranks_never_need_more_each() {
    let arch = small();
    for scheme in [Scheme::Zero1, Scheme::Zero2, Scheme::Zero3, Scheme::Fsdp1, Scheme::Fsdp2] {
        let needs: Vec<u64> = [2, 4, 8, 16, 64].map(|world| peaks(&arch, &sharded(scheme, world)).0).to_vec();
        // A rank more may cost the padding of its parts.
        assert!(needs.windows(2).all(|pair| pair[1] <= pair[0] + (1 << 20)), "{scheme:?}: {needs:?}");
    }
}

#[test]
fn each_stage_shards_more_than_the_one_before() {
    let arch = small();
    let need = |scheme| peaks(&arch, &sharded(scheme, 8)).0;
    assert!(need(Scheme::Zero1) < need(Scheme::Ddp));
    assert!(need(Scheme::Zero2) <= need(Scheme::Zero1));
    assert!(need(Scheme::Zero3) < need(Scheme::Zero2));
}

#[test]
fn offloading_takes_states_off_the_gpu() {
    let arch = small();
    for scheme in [Scheme::Zero2, Scheme::Zero3, Scheme::Fsdp2] {
        let mut setup = sharded(scheme, 2);
        let resident = peaks(&arch, &setup).0;
        setup.parallel.offload_optimizer = Offload::Cpu;
        let offloaded = peaks(&arch, &setup).0;
        assert!(offloaded + 4 * arch.parameters() < resident, "{scheme:?}: {offloaded} after {resident}");
    }
}

#[test]
fn tensor_and_context_parallel_cut_what_a_rank_computes() {
    let arch = small();
    let whole = sharded(Scheme::Fsdp2, 2);
    let need = |tensor, context| {
        let mut setup = whole.clone();
        setup.parallel.tensor = tensor;
        setup.parallel.context = context;
        peaks(&arch, &setup).0
    };
    assert!(need(2, 1) < need(1, 1));
    assert!(need(1, 2) < need(1, 1));
}

#[test]
fn a_trillion_parameters_do_not_overflow() {
    let arch = Arch::from_parameters(1_000_000_000_000);
    for scheme in [Scheme::Ddp, Scheme::Zero1, Scheme::Zero2, Scheme::Zero3, Scheme::Fsdp1, Scheme::Fsdp2] {
        let mut setup = sharded(scheme, 1024);
        setup.sequence_length = 1 << 20;
        setup.checkpointing = Checkpointing::NonReentrant;
        let (tensors, reserved) = peaks(&arch, &setup);
        assert!(tensors > 1 << 30 && reserved >= tensors / 2, "{scheme:?}: {tensors} of {reserved}");
    }
}

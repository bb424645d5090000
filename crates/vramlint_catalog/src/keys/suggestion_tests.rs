//! The spelling suggestions over the key tables.

use crate::keys::{Key, accelerate, accelerate_top_level, children, deepspeed, nearest};

#[test]
fn agrees_with_a_person() {
    let top: Vec<_> = accelerate_top_level().map(Key::name).collect();
    let zero: Vec<_> = children(deepspeed(), "zero_optimization").map(Key::name).collect();
    let block: Vec<_> = children(accelerate(), "deepspeed_config").map(Key::name).collect();
    for (word, known, expected) in [
        ("num_process", &top, "num_processes"),
        ("num-processes", &top, "num_processes"),
        ("numProcesses", &top, "num_processes"),
        ("NUM_PROCESSES", &top, "num_processes"),
        ("mixed_precison", &top, "mixed_precision"),
        ("mixedprecision", &top, "mixed_precision"),
        ("distibuted_type", &top, "distributed_type"),
        ("gpu_id", &top, "gpu_ids"),
        ("fsdp_conifg", &top, "fsdp_config"),
        ("stge", &zero, "stage"),
        ("reduce_bucket_sise", &zero, "reduce_bucket_size"),
        ("bucket_size_reduce", &zero, "reduce_bucket_size"),
        ("cpu_offload_params", &zero, "cpu_offload_param"),
        ("overlap_com", &zero, "overlap_comm"),
        ("zero_stge", &block, "zero_stage"),
        ("offload_optimizer", &block, "offload_optimizer_device"),
        ("gradient_acumulation_steps", &block, "gradient_accumulation_steps"),
    ] {
        assert_eq!(nearest(word, known.iter().copied()), Some(expected), "{word}");
    }
}

#[test]
fn stays_silent_where_a_person_would_disagree() {
    let top: Vec<_> = accelerate_top_level().map(Key::name).collect();
    for word in ["foo", "", "_", "x", "batch_size", "config", "learning_rate", "gradient_accumulation_steps", "bf16", "profile"] {
        assert_eq!(nearest(word, top.iter().copied()), None, "{word}");
    }
    assert_eq!(nearest("bf16", ["fp16", "fp8"]), None);
    assert_eq!(nearest(&"a".repeat(10_000), top.iter().copied()), None);
    assert_eq!(nearest("词语", top.iter().copied()), None);
}

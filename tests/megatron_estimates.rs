//! What `vramlint estimate` makes of runs on Megatron-Core.

#[allow(dead_code)] // the helpers of another test, of which this one needs a part
#[path = "cli/run.rs"]
mod run;

use run::Folder;
use serde_json::Value as Json;

/// The estimate of `megatron COMMAND` on eight GPUs, with further arguments.
fn of_command(command: &str, arguments: &str) -> Json {
    let script = format!("NPROC_PER_NODE=8 megatron {command} --dataset rows.jsonl --max_length 4096 {arguments}\n");
    let folder = Folder::new(&[("run.sh", &script)]);
    let text = folder.run("estimate run.sh --output-format jsonl").out(0);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn of(arguments: &str) -> Json {
    of_command("sft", arguments)
}

fn bytes(found: &Json, part: &str) -> u64 {
    found["gpu"]["parts"][part].as_u64().unwrap_or_else(|| panic!("{part} of {found}"))
}

const DENSE: &str = "--model Qwen/Qwen2.5-7B --tensor_model_parallel_size 4 --sequence_parallel true --packing true \
    --micro_batch_size 1 --global_batch_size 16 --recompute_granularity full --recompute_method uniform --recompute_num_layers 1";

#[test]
fn ranks_divide_the_model_and_share_the_states() {
    let found = of(DENSE);
    let setup = &found["setup"];
    assert_eq!((&setup["parallel"], &setup["tensor_parallel"], &setup["world_size"]), (&"megatron".into(), &4.into(), &2.into()));
    assert_eq!(setup["recompute"], "uniform 1");
    // 7.6 B parameters over four ranks: weights in 16 bits, gradients in fp32, and states that two ranks share.
    let weights = bytes(&found, "weights");
    assert!((3_800_000_000..3_820_000_000).contains(&weights), "{weights}");
    assert_eq!(bytes(&found, "gradients"), 2 * weights);
    assert_eq!(bytes(&found, "optimizer"), 3 * weights);
    // Every block keeps its input, which the tensor ranks share.
    assert_eq!(bytes(&found, "logits"), 4096 * (152_064 / 4 * 6 + 2 * 3584));
    assert!(found["assumptions"].to_string().contains("computed by formulas: no step of it is simulated"), "{found}");
}

#[test]
fn states_of_the_host_and_of_narrow_types_cost_less() {
    let usual = bytes(&of(DENSE), "optimizer");
    let narrow = of(&format!("{DENSE} --use_precision_aware_optimizer true --exp_avg_dtype bf16 --exp_avg_sq_dtype bf16"));
    assert_eq!(bytes(&narrow, "optimizer"), usual * 8 / 12);
    let whole = of(&format!("{DENSE} --use_distributed_optimizer false"));
    assert_eq!(bytes(&whole, "optimizer"), usual * 2);
    let offloaded = of(&format!("{DENSE} --optimizer_cpu_offload true --optimizer_offload_fraction 0.5"));
    assert_eq!(bytes(&offloaded, "optimizer"), usual - usual / 2);
}

#[test]
fn experts_and_stages_are_divided() {
    let command = "--model Qwen/Qwen3-30B-A3B-Base --tuner_type lora --lora_rank 8 --target_modules all-linear --packing true \
        --pipeline_model_parallel_size 2 --expert_model_parallel_size 4 --micro_batch_size 1 --global_batch_size 16";
    let found = of(command);
    assert_eq!((&found["setup"]["pipeline_parallel"], &found["setup"]["expert_parallel"]), (&2.into(), &4.into()));
    // 29 B of 30.5 B parameters are experts: an eighth of them, and half of the rest.
    assert!((8_300_000_000..9_300_000_000).contains(&bytes(&found, "weights")), "{found}");
    assert!(found["assumptions"].to_string().contains("of 2 of the pipeline"), "{found}");
    let impossible = of(&command.replace("expert_model_parallel_size 4", "expert_model_parallel_size 3"));
    assert_eq!(impossible["unknown"], "4 ranks of a stage are not a multiple of the 3 that share the experts");
}

#[test]
fn a_reference_model_is_a_second_copy_and_classifiers_have_no_logits() {
    let dpo = of_command("rlhf", &format!("--rlhf_type dpo {DENSE}"));
    assert_eq!(bytes(&dpo, "weights"), 2 * bytes(&of(DENSE), "weights"));
    let classes = of(&format!("--task_type seq_cls --num_labels 2 {DENSE}"));
    assert_eq!((&classes["setup"]["task"], bytes(&classes, "logits")), (&"seq-cls".into(), 0));
}

#[test]
fn what_no_formula_describes_is_refused() {
    for (arguments, why) in [
        ("--fp8_format e4m3", "estimates do not support fp8_format"),
        ("--use_megatron_fsdp true", "estimates do not support use_megatron_fsdp"),
        ("--optimizer dist_muon", "estimates do not support dist_muon under Megatron"),
        ("--pipeline_model_parallel_size $STAGES", "pipeline_model_parallel_size is unknown"),
        ("--recompute_granularity some", "unsupported value some for recompute_granularity"),
    ] {
        assert_eq!(of(&format!("{DENSE} {arguments}"))["unknown"], why);
    }
}

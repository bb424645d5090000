//! `estimate --gpus-table` and `fit --max --gpus-table`: one run on several machines.

use crate::run::Folder;
use serde_json::Value as Json;

const SETUP: &str = "--model Qwen/Qwen3-8B --method qlora --dtype bf16 --seq 1024 --checkpointing full";

fn json(command: &str) -> Json {
    let found = Folder::new(&[("prices.toml", "\"RTX-4090\" = 0.5\n\"A100-80GB\" = 1.25 # 每小时\n")]).run(command);
    serde_json::from_str(&found.out).unwrap_or_else(|_| panic!("{}", found.err))
}

#[test]
fn each_machine_has_the_estimate_of_its_gpu() {
    let table = json(&format!("estimate {SETUP} --gpus-table=RTX-4090,8xA100-80GB,1x12GiB --output-format json"));
    let machines = table["machines"].as_array().expect("a list");
    let alone = json(&format!("estimate {SETUP} --gpu RTX-4090 --output-format json"));
    assert_eq!(machines[0]["peak"], alone["gpu"]["peak"]);
    let batches: Vec<u64> = machines.iter().filter_map(|machine| machine["effective_batch"].as_u64()).collect();
    assert_eq!(batches[1], 8 * batches[0], "eight GPUs take eight times as many rows");
    assert!(machines[1]["peak"].as_u64() > machines[0]["peak"].as_u64(), "DDP keeps buckets");
    assert_eq!(table["smallest"]["fits"], true);
}

#[test]
fn the_cheapest_certainly_fits() {
    let table = json(&format!("estimate {SETUP} --gpus-table --gpu-prices prices.toml --output-format json"));
    assert_eq!(table["cheapest"]["fits"], true, "{table}");
    let large = json(
        "estimate --model Qwen/Qwen3-8B --dtype bf16 --micro-batch 1 --checkpointing full --gpus-table --gpu-prices prices.toml --output-format json",
    );
    assert_eq!(
        (&large["cheapest"]["gpu"], &large["cheapest"]["price_per_hour"]),
        (&"A100 80GB SXM".into(), &1.25.into()),
        "{large}"
    );
    let none = json("estimate --model Qwen/Qwen3-8B --gpus-table --gpu-prices prices.toml --output-format json");
    assert_eq!(none["cheapest"], Json::Null);
}

#[test]
fn a_gpu_without_bf16_is_not_enough_for_bf16() {
    let table = json(&format!("estimate {SETUP} --amp bf16 --gpus-table=T4 --output-format json"));
    assert_eq!(table["machines"][0]["has_types"], false);
    let text = Folder::new(&[]).run(&format!("estimate {SETUP} --amp bf16 --gpus-table=V100-32GB --lang zh")).out;
    assert!(text.contains("不支持 bf16"), "{text}");
}

#[test]
fn tensor_parallelism_leaves_the_number_of_gpus_open() {
    let folder = Folder::new(&[(
        "run.sh",
        "NPROC_PER_NODE=4 megatron sft --model Qwen/Qwen3-8B --tensor_model_parallel_size 4 --micro_batch_size 1 --dataset x.jsonl --max_length 2048\n",
    )]);
    let text = folder.run("estimate . --gpus-table=4x80GiB,8x80GiB").out;
    assert!(text.contains("divides its GPUs in another way"), "{text}");
}

#[test]
fn the_largest_value_grows_with_the_memory() {
    let found = json(&format!("fit {SETUP} --max seq --gpus-table=12GiB,24GiB,80GiB --output-format json"));
    let values: Vec<u64> =
        found["machines"].as_array().expect("a list").iter().map(|machine| machine["value"].as_u64().unwrap_or(0)).collect();
    assert!(values.is_sorted() && values[0] < values[2] && values[2] > 0, "{values:?}");
    for machine in found["machines"].as_array().expect("a list") {
        assert!(machine["high"].as_u64() <= machine["bytes"].as_u64(), "{machine}");
    }
}

#[test]
fn wrong_lists_and_prices_are_errors() {
    let folder = Folder::new(&[("prices.toml", "\"RTX-4090\" = \"cheap\"\n")]);
    for (command, says) in [
        ("estimate --model Qwen/Qwen3-8B --gpus-table=RTX-9999", "unknown GPU"),
        ("estimate --model Qwen/Qwen3-8B --gpus-table --gpu-prices prices.toml", "not a TOML table of prices"),
        ("estimate --model Qwen/Qwen3-8B --gpus-table --gpu-prices missing.toml", "cannot read"),
        ("estimate --model Qwen/Qwen3-8B --gpus-table --output-format svg", "text and json"),
    ] {
        let found = folder.run(command);
        assert!(found.status == Some(2) && found.err.contains(says) && found.out.is_empty(), "{command}: {}", found.err);
    }
}

//! `fit`: plans, their edits, and what `--apply` writes.

use crate::run::Folder;
use serde_json::Value as Json;

const TRAIN: &str = "\
from peft import LoraConfig
from trl import SFTConfig, SFTTrainer
args = SFTConfig(
    'out',
    per_device_train_batch_size=8,  # 尽量大
    gradient_accumulation_steps=2,
    max_length=2048,
    gradient_checkpointing=False,
    model_init_kwargs={'dtype': 'bfloat16'},
)
trainer = SFTTrainer('meta-llama/Llama-3.1-8B', args=args, train_dataset=None, peft_config=LoraConfig(r=64, lora_alpha=128))
trainer.train()
";

fn project() -> Folder {
    Folder::new(&[("train.py", TRAIN), ("run.sh", "python train.py\r\n")])
}

fn json(folder: &Folder, words: &str) -> Json {
    serde_json::from_str(&folder.run(&format!("fit {words} --output-format json")).out).expect("JSON")
}

#[test]
fn a_plan_keeps_the_effective_batch_and_says_what_it_edits() {
    let found = json(&project(), "--gpu RTX-4090 --gpus 1");
    assert_eq!((&found["run"], &found["now"]["fits"]), (&"run.sh#1".into(), &false.into()), "{found}");
    let plans = found["plans"].as_array().expect("a list");
    assert!(!plans.is_empty());
    for plan in plans {
        assert_eq!((&plan["estimate"]["effective_batch"], &plan["estimate"]["fits"]), (&16.into(), &true.into()), "{plan}");
        assert!(plan["estimate"]["high"].as_u64() <= found["target"]["bytes"].as_u64(), "{plan}");
    }
    let best = &plans[0];
    assert_eq!(best["keeps"], "same");
    assert!(best["edits"].as_array().is_some_and(|edits| edits.iter().all(|edit| edit["path"] == "train.py")), "{best}");
    assert!(best["slowdown"]["low"].as_f64() <= best["slowdown"]["high"].as_f64());
}

#[test]
fn an_applied_plan_gives_the_estimate_that_it_promised() {
    let folder = project();
    let promised = json(&folder, "--gpu RTX-4090 --gpus 1")["plans"][0]["estimate"]["peak"].clone();
    let applied = folder.run("fit --gpu RTX-4090 --gpus 1 --apply");
    assert!(applied.status == Some(0) && applied.out.contains("+++ b/train.py"), "{} {}", applied.out, applied.err);
    assert!(folder.read("train.py").contains("# 尽量大"), "comments stay");
    let now = json(&folder, "--gpu RTX-4090 --gpus 1");
    assert_eq!((&now["now"]["fits"], &now["now"]["peak"]), (&true.into(), &promised));
}

#[test]
fn a_setup_by_flags_has_plans_without_edits() {
    let folder = Folder::new(&[]);
    let flags = "--model meta-llama/Llama-3.1-8B --method lora --micro-batch 8 --seq 2048 --gpu RTX-4090";
    let found = json(&folder, flags);
    assert_eq!((&found["run"], &found["plans"][0]["edits"]), (&Json::Null, &Json::Array(Vec::new())));
    let setup = found["plans"][0]["setup"].to_string();
    folder.write("setup.json", setup);
    let again: Json =
        serde_json::from_str(&folder.run("estimate --setup setup.json --gpu RTX-4090 --output-format json").out).expect("JSON");
    assert_eq!(again["gpu"]["peak"], found["plans"][0]["estimate"]["peak"]);
    let kept = json(&folder, &format!("{flags} --keep micro-batch,seq"));
    for plan in kept["plans"].as_array().expect("a list") {
        assert_eq!((&plan["setup"]["micro_batch"], &plan["setup"]["sequence_length"]), (&8.into(), &2048.into()));
    }
}

#[test]
fn nothing_fits_a_tiny_card() {
    let folder = Folder::new(&[]);
    let flags = "--model meta-llama/Llama-3.1-8B --method full --gpu-memory 1GiB";
    let none = folder.run(&format!("fit {flags} --output-format json"));
    let found: Json = serde_json::from_str(&none.out).expect("JSON");
    assert_eq!((none.status, &found["plans"]), (Some(1), &Json::Array(Vec::new())));
    assert!(found["why"].as_str().is_some_and(|why| why.contains("no combination of changes fits 1.00 GiB")), "{found}");
    assert!(folder.run(&format!("fit {flags} --lang zh")).out.contains("没有任何改动组合能放进"));
}

#[test]
fn the_largest_value_is_a_limit() {
    let folder = Folder::new(&[]);
    let flags = "--model Qwen/Qwen3-0.6B --method lora --seq 1024 --gpu RTX-4090";
    let found = json(&folder, &format!("{flags} --max micro-batch"));
    let value = found["max"]["value"].as_u64().expect("one fits");
    let peak = |rows: u64| {
        let text = folder.run(&format!("estimate {flags} --micro-batch {rows} --output-format json")).out;
        serde_json::from_str::<Json>(&text).expect("JSON")["gpu"]["fits"].clone()
    };
    assert_eq!((peak(value), peak(value + 1)), (true.into(), false.into()), "{value}");
}

#[test]
fn what_cannot_be_answered_is_an_error() {
    let folder = project();
    for (words, part) in [
        ("fit", "--gpu-memory"),
        ("fit --gpu RTX-4090 --run none", "unknown run `none`"),
        ("fit --gpu RTX-4090 --gpus 1 --apply --plan 60", "there is no plan 60"),
        ("fit --gpu RTX-4090 --headroom 100%", "expected a percentage"),
    ] {
        let wrong = folder.run(words);
        assert!(wrong.status == Some(2) && wrong.out.is_empty() && wrong.err.contains(part), "{words}: {}", wrong.err);
    }
}

#[test]
fn a_step_has_a_least_time_on_a_known_gpu() {
    let folder = Folder::new(&[]);
    let setup = "--model Qwen/Qwen3-8B --method lora --micro-batch 8 --seq 2048";
    let text = folder.run(&format!("estimate {setup} --gpu RTX-4090 --explain")).out(0);
    assert!(text.contains("  A step of 8 × 2048 tokens takes at least 3.18 s on a GeForce RTX 4090 (compute)\n"), "{text}");
    assert!(text.contains("= 525 TFLOP / 165 TFLOP/s (bf16) = 3.18 s\n    memory: 30.27 GB / 1008.0 GB/s = 30.0 ms\n"), "{text}");
    assert!(text.contains("\n    speeds: NVIDIA Ada GPU Architecture"), "{text}");
    let text = folder.run(&format!("estimate {setup} --gpu RTX-4090 --lang zh")).out(0);
    assert!(text.contains("在 GeForce RTX 4090 上，一步（8 × 2048 个 token）至少需要 3.18 s（计算）"), "{text}");
    for unknown in ["--gpu-memory 24GiB", "--gpu RTX-4090-Laptop", "--gpu T4"] {
        let text = folder.run(&format!("estimate {setup} {unknown}")).out(0);
        assert!(!text.contains("takes at least"), "{unknown}: {text}");
    }
    let json = folder.run(&format!("estimate {setup} --gpu RTX-4090 --output-format json")).out(0);
    let json: Json = serde_json::from_str(&json).expect("JSON");
    let time = &json["step_time"];
    assert_eq!((&time["products"], &time["parts"][0]["resource"]), (&Json::from("bf16"), &Json::from("compute")));
    assert_eq!(time["at_least"], time["parts"][0]["seconds"]);
}

#[test]
fn a_measured_step_is_put_into_the_range_of_a_plan() {
    let folder = Folder::new(&[]);
    let setup = "--model Qwen/Qwen3-8B --method lora --micro-batch 8 --seq 2048 --gpu RTX-4090";
    let text = folder.run(&format!("fit {setup} --measured 9s")).out(0);
    assert!(text.contains("     a step that takes 9.00 s now takes "), "{text}");
    assert!(!text.contains("less than the least time"), "{text}");
    let text = folder.run(&format!("fit {setup} --measured 800ms")).out(0);
    assert!(text.contains("  the measured 800 ms are less than the least time of a step (3.18 s)"), "{text}");
    let json: Json =
        serde_json::from_str(&folder.run(&format!("fit {setup} --measured 9 --output-format json")).out(0)).expect("JSON");
    assert_eq!(json["measured"], 9.0);
    for plan in json["plans"].as_array().expect("a list") {
        let (slowdown, time, least) = (&plan["slowdown"], &plan["from_measured"], &plan["step_time"]["at_least"]);
        let number = |value: &Json| value.as_f64().expect("a number");
        assert!((number(&time["high"]) - 9.0 * number(&slowdown["high"])).abs() < 1e-6, "{plan}");
        assert!(number(&time["low"]) >= number(least), "{plan}");
    }
    assert!(folder.run(&format!("fit {setup} --measured soon")).fault().contains("1.8s or 850ms"));
}

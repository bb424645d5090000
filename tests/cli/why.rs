//! `why`: what decided a value, and which unknown keeps rules silent.

use crate::run::Folder;
use serde_json::Value as Json;

const TRAIN: &str = "\
import sys
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained(sys.argv[1])
Trainer(model=model, args=TrainingArguments('out', per_device_train_batch_size=2), train_dataset=None).train()
";

fn json(folder: &Folder, words: &str) -> Json {
    serde_json::from_str(&folder.run(&format!("why {words} --output-format json")).out).expect("JSON")
}

#[test]
fn a_file_is_explained_with_what_would_settle_it() {
    let folder = Folder::new(&[
        ("launch.sh", "torchrun --nproc_per_node $N train.py $MODEL\n"),
        ("train.py", TRAIN),
        ("other.py", "x = 1\n"),
    ]);
    let why = json(&folder, "train.py");
    assert_eq!((&why["kind"], &why["runs"]), (&"python".into(), &serde_json::json!(["launch.sh#1"])));
    let silent = why["silent"].as_array().expect("a list");
    let settled_by = |rule: &str| silent.iter().find(|one| one["rule"] == rule).map(|one| one["settle_with"].clone());
    assert_eq!(settled_by("VL301"), Some("--set model=…".into()), "{silent:?}");
    assert!(silent.iter().any(|one| one["settle_with"] == "--set num_processes=N" || one["settle_with"] == "--set world_size=N"));
    let settled = json(&folder, "train.py --set model=Qwen/Qwen3-0.6B --set world_size=8");
    assert!(settled["silent"].as_array().is_some_and(|silent| silent.iter().all(|one| one["rule"] != "VL301")), "{settled}");
    assert_eq!(json(&folder, "other.py")["runs"], serde_json::json!([]));
}

#[test]
fn a_line_shows_its_settings_and_what_lost() {
    let launch = "accelerate launch --config_file acc.yaml --num_processes 2 train.py\n";
    let yaml = "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 8\nnum_machines: 1\n";
    let folder = Folder::new(&[("launch.sh", launch), ("acc.yaml", yaml), ("train.py", TRAIN)]);
    let why = json(&folder, "acc.yaml:3");
    let settings = why["settings"].as_array().expect("a list");
    assert_eq!((settings.len(), &settings[0]["name"], &settings[0]["value"]), (1, &"num_processes".into(), &2.into()));
    assert_eq!(settings[0]["decided_by"]["kind"], "flag");
    let lost = &settings[0]["candidates"][0];
    assert_eq!((&lost["value"], &lost["origin"]["path"]), (&8.into(), &"acc.yaml".into()));
    assert!(lost["lost_because"].as_str().is_some_and(|why| why.starts_with("the order is ")), "{lost}");
    let text = folder.run("why acc.yaml:3 --lang zh").out;
    assert!(text.contains("acc.yaml:3  accelerate：") && text.contains("优先级为"), "{text}");
}

#[test]
fn a_path_that_is_not_read_is_an_error() {
    let folder = Folder::new(&[("train.py", TRAIN), (".venv/x.py", TRAIN)]);
    for (path, part) in [("none.py", "none.py"), (".", "is a folder"), ("train.py:0", "train.py:0")] {
        let wrong = folder.run(&format!("why {path}"));
        assert!(wrong.status == Some(2) && wrong.out.is_empty() && wrong.err.contains(part), "{path}: {}", wrong.err);
    }
}

//! `compare`: a measured run beside its estimate.

use crate::run::Folder;
use serde_json::Value as Json;

const TRAIN: &str = "\
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-0.6B')
Trainer(model, TrainingArguments('out', per_device_train_batch_size=1)).train()
";
const SETTLED: &str = "--set sequence_length=512 --gpus 1";

fn project() -> Folder {
    Folder::new(&[("train.py", TRAIN), ("run.sh", "python train.py\n")])
}

#[test]
fn a_state_is_shown_beside_the_estimate() {
    let folder = project();
    let estimate: Json =
        serde_json::from_str(&folder.run(&format!("estimate {SETTLED} --output-format json")).out).expect("JSON");
    let reserved = estimate["gpu"]["reserved"].as_f64().expect("a number");
    let gib = reserved / 1_073_741_824.0;
    folder.write("trainer_state.json", format!("{{\"log_history\": [{{\"memory(GiB)\": {gib}}}]}}"));
    let found: Json =
        serde_json::from_str(&folder.run(&format!("compare trainer_state.json . {SETTLED} --output-format json")).out)
            .expect("JSON");
    assert_eq!((&found["run"], &found["source"]), (&"run.sh#1".into(), &"trainer_state".into()), "{found}");
    assert_eq!((&found["error_percent"]["reserved"], &found["measured"]["tensors"]), (&0.0.into(), &Json::Null), "{found}");
    assert_eq!(found["predicted"]["reserved"], estimate["gpu"]["reserved"]);
    let text = folder.run(&format!("compare trainer_state.json . {SETTLED}")).out;
    assert!(text.starts_with("run.sh#1  measured by trainer_state\n  reserved  measured "), "{text}");
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    let folder = project();
    folder.write("empty.log", "loss 1.0\n");
    folder.write("smi.log", "|  11534MiB / 24564MiB |\n");
    folder.write("other.sh", "python train.py\n");
    for (words, part) in [
        ("compare none.log", "cannot read none.log"),
        ("compare empty.log", "holds no measured memory"),
        ("compare smi.log . --set sequence_length=512 --gpus 1", "choose the run"),
    ] {
        let wrong = folder.run(words);
        assert!(wrong.status == Some(2) && wrong.out.is_empty() && wrong.err.contains(part), "{words}: {}", wrong.err);
    }
}

#[test]
fn a_predicted_snapshot_is_read_back_as_the_estimate() {
    let folder = project();
    let written = folder.run(&format!("estimate {SETTLED} --output-format snapshot -o step.pickle"));
    assert_eq!((written.status, written.out.as_str()), (Some(0), ""), "{}", written.err);
    let found: Json =
        serde_json::from_str(&folder.run(&format!("compare step.pickle . {SETTLED} --output-format json")).out).expect("JSON");
    assert_eq!(found["source"], "snapshot");
    assert_eq!((&found["error_percent"]["tensors"], &found["error_percent"]["reserved"]), (&0.0.into(), &0.0.into()), "{found}");
}

#[test]
fn a_trace_for_chrome_has_the_parts_of_every_moment() {
    let folder = project();
    let trace: Json =
        serde_json::from_str(&folder.run(&format!("estimate {SETTLED} --output-format chrome-trace")).out).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    assert!(events.len() > 20 && events.iter().all(|event| event["ts"].is_u64()), "{trace}");
    assert!(events.iter().any(|event| event["ph"] == "C" && event["args"]["weights"].as_u64() > Some(1_000_000_000)));
}

#[test]
fn a_saved_measurement_bounds_the_run() {
    let folder = project();
    let estimate =
        || -> Json { serde_json::from_str(&folder.run(&format!("estimate {SETTLED} --output-format json")).out).expect("JSON") };
    let before = estimate();
    let reserved = before["gpu"]["reserved"].as_u64().expect("a number");
    folder.write("watch.json", format!("{{\"source\": \"watch\", \"reserved\": {}}}", reserved + (1 << 30)));
    folder.write("vramlint.toml", "[target]\nos = \"linux\" # ours\n");
    let saved = folder.run(&format!("compare watch.json . --script train.py --save {SETTLED}"));
    assert!(saved.status == Some(0) && saved.out.contains("saved in vramlint.toml"), "{} {}", saved.out, saved.err);
    let text = folder.read("vramlint.toml");
    assert!(text.contains("# ours") && text.contains("[[measured]]") && text.contains("run = \"run.sh#1\""), "{text}");
    let after = estimate();
    assert_eq!(after["gpu"]["peak"], before["gpu"]["peak"], "the simulation is what it was");
    assert!(after["high"].as_u64() > before["gpu"]["peak"].as_u64().map(|peak| peak + (1 << 30)), "{}", after["high"]);
    assert!(after["low"].as_u64() > before["low"].as_u64());
    let said = after["assumptions"].to_string();
    assert!(said.contains("this setup took") && said.contains("(watch)"), "{said}");
    // Another batch: the upper bound keeps its distance, the lower one its place.
    folder.write("train.py", TRAIN.replace("batch_size=1", "batch_size=2"));
    assert!(estimate()["assumptions"].to_string().contains("another setup of this run took"));
    folder.run(&format!("compare watch.json . --run run.sh#1 --save {SETTLED}"));
    assert_eq!(folder.read("vramlint.toml").matches("[[measured]]").count(), 1, "one measurement a run");
}

#[test]
fn the_script_chooses_the_run() {
    let folder = project();
    folder.write("other.py", TRAIN);
    folder.write("other.sh", "python other.py\n");
    folder.write("watch.json", "{\"source\": \"watch\", \"tensors\": 5000000000}");
    let found = folder.run(&format!("compare watch.json . --script other.py --output-format json {SETTLED}"));
    let json: Json = serde_json::from_str(&found.out).unwrap_or_else(|_| panic!("{}", found.err));
    assert_eq!((&json["run"], &json["source"]), (&"other.sh#1".into(), &"watch".into()));
    let nothing = folder.run(&format!("compare watch.json . --script none.py {SETTLED}"));
    assert!(nothing.status == Some(2) && nothing.err.contains("no training run found"), "{}", nothing.err);
}

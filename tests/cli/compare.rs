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

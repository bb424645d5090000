//! `oom`: what failed, which run it was, and what helps.

use crate::run::Folder;
use serde_json::Value as Json;

const MESSAGE: &str = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total capacity of 23.99 GiB of which 101.19 MiB is free. Including non-PyTorch memory, this process has 23.60 GiB memory in use. Of the allocated memory 22.80 GiB is allocated by PyTorch, and 188.40 MiB is reserved by PyTorch but unallocated.";

fn project() -> Folder {
    let train = |model: &str| {
        format!(
            "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\nmodel = AutoModelForCausalLM.from_pretrained('{model}')\nTrainer(model, TrainingArguments('out', per_device_train_batch_size=4)).train()\n"
        )
    };
    Folder::new(&[
        ("small.py", train("Qwen/Qwen3-0.6B").as_str()),
        ("large.py", train("Qwen/Qwen3-4B").as_str()),
        ("run.sh", "python small.py\npython large.py\n"),
    ])
}

fn traceback(script: &str) -> String {
    format!(
        "Traceback (most recent call last):\n  File \"/data/me/{script}\", line 3, in <module>\n    trainer.train()\n  File \"/env/site-packages/transformers/trainer.py\", line 9, in training_step\n    self.accelerator.backward(loss)\n{MESSAGE}\n"
    )
}

#[test]
fn a_failure_is_tied_to_the_run_that_the_log_names() {
    let folder = project();
    for (script, run) in [("small.py", "run.sh#1"), ("large.py", "run.sh#2")] {
        folder.write("train.log", traceback(script));
        let found: Json =
            serde_json::from_str(&folder.run("oom train.log --gpus 1 --set sequence_length=1024 --output-format json").out)
                .expect("JSON");
        let event = &found["events"][0];
        assert_eq!((&event["run"], &event["line"], &event["stage"]), (&run.into(), &6.into(), &"backward".into()), "{event}");
        assert!(event["explanation"].as_str().is_some_and(|text| text.contains("the step died in backward")), "{event}");
    }
    folder.write("train.log", traceback("other.py"));
    let found: Json = serde_json::from_str(&folder.run("oom train.log --output-format json").out).expect("JSON");
    assert_eq!(found["events"][0]["run"], Json::Null);
}

#[test]
fn plans_fit_the_card_of_the_log() {
    let folder = project();
    folder.write("train.log", traceback("large.py"));
    let found: Json =
        serde_json::from_str(&folder.run("oom train.log --gpus 1 --set sequence_length=1024 --output-format json").out)
            .expect("JSON");
    let plans = found["events"][0]["plans"].as_array().expect("a list").clone();
    assert!(!plans.is_empty() && plans.len() <= 5);
    assert!(plans.iter().all(|plan| plan["estimate"]["high"].as_u64() <= Some(25_759_066_194)), "{plans:?}");
}

#[test]
fn the_text_names_place_numbers_and_help() {
    let folder = Folder::new(&[("train.log", traceback("train.py").as_str())]);
    let text = folder.run("oom train.log").out;
    assert!(text.starts_with("train.log:6  CUDA out of memory on GPU 0 (torch.OutOfMemoryError)\n"), "{text}");
    assert!(text.contains("requested 512 MiB, tensors 22.8 GiB"), "{text}");
    let chinese = folder.run("oom train.log --lang zh").out;
    assert!(chinese.contains("CUDA 显存不足") && chinese.contains("活动张量占满了 GPU"), "{chinese}");
}

#[test]
fn a_log_without_a_failure_has_an_empty_list() {
    let folder = Folder::new(&[("train.log", "step 1 loss 2.0\n")]);
    let found = folder.run("oom train.log --output-format json");
    assert_eq!((found.status, found.out.as_str()), (Some(0), "{\n  \"version\": 1,\n  \"events\": []\n}\n"));
    assert!(folder.run("oom train.log").out.contains("no out-of-memory failure found"));
    let missing = folder.run("oom none.log");
    assert!(missing.status == Some(2) && missing.err.contains("cannot read none.log"), "{}", missing.err);
}

#[test]
fn what_a_log_quotes_cannot_act_on_a_terminal() {
    let hostile = format!(
        "[rank0]: evil\u{1b}]0;title\u{7}Error: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 2.00 GiB of which 0 bytes is free.\n{MESSAGE}"
    );
    let folder = Folder::new(&[("a\u{1b}[31m.log", hostile.as_str())]);
    let name = "a\u{1b}[31m.log";
    let text = folder.run(&format!("oom {name}")).out;
    assert!(!text.is_empty() && !text.contains('\u{1b}') && !text.contains('\u{7}'), "{text:?}");
}

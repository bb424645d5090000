//! Which configuration holds, and what silences a finding.

use crate::run::Folder;

/// A text in which VL007 finds one thing.
const SMALL: &str = "batch_size: 4\nlearning_rate: 2e-5\n";

fn codes(out: &str) -> Vec<String> {
    out.lines().filter_map(|line| Some(line[line.find('[')? + 1..line.find(']')?].to_owned())).collect()
}

fn check(folder: &Folder, words: &str) -> Vec<String> {
    codes(&folder.run(&format!("check -q --output-format concise {words}")).out)
}

#[test]
fn the_nearest_configuration_governs() {
    let folder = Folder::new(&[
        ("vramlint.toml", "[lint]\nignore = [\"VL007\"]\n"),
        ("a/train.yaml", SMALL),
        ("b/pyproject.toml", "[tool.vramlint.lint]\nselect = [\"VL007\"]\n"),
        ("b/train.yaml", SMALL),
    ]);
    assert_eq!(check(&folder, ""), ["VL007"]);
    assert_eq!(check(&folder, "a"), Vec::<String>::new());
    assert_eq!(check(&folder, "a --isolated"), ["VL007"]);
    assert_eq!(check(&folder, "a --config b/pyproject.toml"), ["VL007"]);
    assert_eq!(check(&folder, "--select VL1"), Vec::<String>::new());
    assert_eq!(check(&folder, "b --ignore yaml-number-is-text"), Vec::<String>::new());
}

#[test]
fn files_can_be_left_out() {
    let folder = Folder::new(&[
        (".gitignore", "out/\n"),
        ("out/train.yaml", SMALL),
        ("legacy/train.yaml", SMALL),
        ("vramlint.toml", "[lint.per-file-ignores]\n\"legacy/**\" = [\"VL0\"]\n"),
    ]);
    // As for ripgrep, `.gitignore` counts in a repository.
    std::fs::create_dir(folder.path().join(".git")).expect("writable");
    assert_eq!(check(&folder, ""), Vec::<String>::new());
    assert_eq!(check(&folder, "--no-ignore"), ["VL007"]);
    assert_eq!(check(&folder, "--isolated"), ["VL007"]);
    assert_eq!(check(&folder, "--isolated --exclude legacy"), Vec::<String>::new());
}

#[test]
fn severity_and_fail_on_come_from_the_configuration() {
    let folder = Folder::new(&[("train.yaml", SMALL), ("vramlint.toml", "[lint]\nfail-on = \"info\"\n")]);
    assert_eq!(folder.run("check").status, Some(1));
    assert_eq!(folder.run("check --fail-on warning").status, Some(0));
    folder.write("vramlint.toml", "[lint.severity]\n\"yaml-number-is-text\" = \"error\"\n");
    assert!(folder.run("check").out.starts_with("error[VL007] "));
    folder.write("vramlint.toml", "[lint.severity]\n\"yaml-number-is-text\" = \"off\"\n");
    assert_eq!(check(&folder, ""), Vec::<String>::new());
}

/// A contradiction has two ends; both can silence it.
#[test]
fn either_end_suppresses() {
    for (name, line) in
        [("accelerate_config.yaml", "distributed_type: MULTI_GPU"), ("accelerate_config.yaml", "num_processes: 1")]
    {
        let folder = Folder::project();
        assert_eq!(check(&folder, "--select VL101"), ["VL101"]);
        let text = folder.read(name);
        folder.write(name, text.replace(line, &format!("# vramlint: ignore[VL101] known\n{line}")));
        assert_eq!(check(&folder, "--select VL101,VL002"), Vec::<String>::new(), "{line}");
    }
    let folder = Folder::project();
    let text = folder.read("train.yaml");
    folder.write("train.yaml", format!("# vramlint: ignore-file[VL201]\n{text}"));
    assert_eq!(check(&folder, "--select VL201"), Vec::<String>::new());
    folder.write("train.yaml", text.replace("batch_size: 2 ", "# vramlint: ignore[VL101]\nbatch_size: 2 "));
    assert!(check(&folder, "").contains(&"VL002".to_owned()), "a suppression that suppresses nothing is reported");
}

#[test]
fn an_unknown_card_is_a_mistake_unless_its_memory_is_given() {
    let folder = Folder::new(&[("train.yaml", SMALL)]);
    assert_eq!(
        folder.run("check --gpu RTX4900").fault(),
        "error: --gpu: unknown GPU `RTX4900`; did you mean `GeForce RTX 4090`? For any other GPU, set `--gpu-memory`\n"
    );
    assert!(folder.run("runs --gpu toaster --lang zh").fault().starts_with("错误：--gpu：未知的 GPU `toaster`"));
    assert_eq!(check(&folder, "--gpu RTX4900 --gpu-memory 24GiB"), ["VL007"]);
    assert_eq!(check(&folder, "--gpu A100"), ["VL007"]);
}

#[test]
fn the_cache_of_the_user_is_read() {
    let folder = Folder::new(&[
        ("launch.sh", "accelerate launch train.py --model Qwen/Qwen3-1.8B\n"),
        (
            "train.py",
            "import argparse\nfrom transformers import AutoModel\nparser = argparse.ArgumentParser()\nparser.add_argument('--model')\nAutoModel.from_pretrained(parser.parse_args().model)\n",
        ),
        ("hf/hub/models--Qwen--Qwen3-1.8B/refs/main", "abc"),
        ("hf/hub/models--Qwen--Qwen3-1.8B/snapshots/abc/config.json", "{\"model_type\": \"qwen3\"}"),
    ]);
    let found = |variables: &[(&str, &str)]| {
        codes(&folder.run_with("check -q --output-format concise --select unknown-model", variables).out)
    };
    assert_eq!(found(&[]), ["VL008"]);
    let cache = folder.path().join("hf");
    assert_eq!(found(&[("HF_HOME", cache.to_str().expect("UTF-8"))]), Vec::<String>::new());
}

const OPEN_MODEL: &str = "\
import sys
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained(sys.argv[1])
Trainer(model=model, args=TrainingArguments('out', per_device_train_batch_size=2), train_dataset=None).train()
";

#[test]
fn the_command_line_settles_what_the_project_leaves_open() {
    let folder = Folder::new(&[
        ("train.py", OPEN_MODEL),
        ("vramlint.toml", "[runs.\"*.py\"]\nmodel = \"Qwen/Qwen3-4B\"\nsequence_length = 512\n"),
    ]);
    let out = folder.run("runs --output-format json --set model=Qwen/Qwen3-0.6B --set micro_batch=9 --gpus 4").out;
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let run = &json["runs"][0];
    assert_eq!(run["model"], "Qwen/Qwen3-0.6B");
    assert_eq!(run["settings"]["model"]["origin"]["source"], "--set");
    assert_eq!(run["settings"]["sequence_length"]["origin"]["path"], "vramlint.toml");
    assert_eq!((&run["world_size"], &run["micro_batch"], &run["effective_batch"]), (&4.into(), &2.into(), &8.into()));
    assert!(run["estimate"].is_object(), "{run}");
}

#[test]
fn flags_of_estimate_replace_what_a_run_has() {
    let folder = Folder::new(&[
        ("train.py", OPEN_MODEL),
        ("vramlint.toml", "[runs.\"*.py\"]\nmodel = \"Qwen/Qwen3-0.6B\"\nsequence_length = 512\n"),
    ]);
    let peak = |flags: &str| {
        let out = folder.run(&format!("estimate . --output-format json {flags}")).out(0);
        let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        json["gpu"]["peak"].as_u64().expect("a peak")
    };
    let own = peak("");
    assert_eq!(peak("--micro-batch 2"), own);
    assert!(peak("--micro-batch 16") > own);
    assert!(peak("--model Qwen/Qwen3-4B") > own);
}

#[test]
fn a_setting_that_does_not_exist_is_refused() {
    let folder = Folder::new(&[("train.py", OPEN_MODEL)]);
    let wrong = folder.run("runs --set micro_batsh=4");
    assert_eq!((wrong.status, wrong.out.as_str()), (Some(2), ""));
    assert!(wrong.err.contains("did you mean `micro_batch`?"), "{}", wrong.err);
    folder.write("vramlint.toml", "[runs.\"train.py#1\"]\nmicro_batsh = 4\n");
    let wrong = folder.run("runs");
    assert!(wrong.status == Some(2) && wrong.err.contains("vramlint.toml:2:15"), "{}", wrong.err);
}

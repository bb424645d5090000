//! `diff`: what a change does to each run.

use crate::run::{Folder, files_below, root};
use serde_json::Value as Json;

const LAUNCH: &str = "accelerate launch --multi_gpu --num_processes 8 train.py\n";

fn train(rows: u32, rate: &str, dtype: &str) -> String {
    format!(
        "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\nmodel = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-0.6B')\nargs = TrainingArguments('out', per_device_train_batch_size={rows}, gradient_accumulation_steps=6, learning_rate={rate}, {dtype}=True)\nTrainer(model, args, train_dataset=None).train()\n"
    )
}

fn json(folder: &Folder, words: &str) -> Json {
    let ran = folder.run(&format!("diff {words} --output-format json"));
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {} {}", ran.out, ran.err))
}

fn setting<'a>(run: &'a Json, name: &str) -> Option<(&'a Json, &'a Json)> {
    let found = run["settings"].as_array()?.iter().find(|setting| setting["name"] == name)?;
    Some((&found["base"], &found["head"]))
}

/// Commits everything in the folder.
fn commit(repository: &git2::Repository) {
    let mut index = repository.index().expect("an index");
    index.add_all(["*"], git2::IndexAddOption::DEFAULT, None).expect("readable");
    index.write().expect("writable");
    let tree = repository.find_tree(index.write_tree().expect("a tree")).expect("a tree");
    let author = git2::Signature::now("a", "a@example.com").expect("a name");
    let parent = repository.head().ok().and_then(|head| head.peel_to_commit().ok());
    repository.commit(Some("HEAD"), &author, &author, "x", &tree, &parent.iter().collect::<Vec<_>>()).expect("a commit");
}

#[test]
fn two_folders_are_compared() {
    let folder = Folder::new(&[
        ("old/train.py", train(8, "2e-5", "bf16").as_str()),
        ("old/launch.sh", LAUNCH),
        ("new/train.py", train(4, "1e-5", "fp16").as_str()),
        ("new/launch.sh", LAUNCH),
    ]);
    let found = json(&folder, "old new");
    let run = &found["runs"][0];
    assert_eq!((&run["id"], &run["status"]), (&"launch.sh#1".into(), &"changed".into()), "{found}");
    assert_eq!(setting(run, "effective_batch"), Some((&384.into(), &192.into())));
    assert_eq!(setting(run, "mixed_precision"), Some((&"bf16".into(), &"fp16".into())));
    assert_eq!(setting(run, "learning_rate_per_sample"), None, "both changed alike");
    assert_eq!(setting(run, "world_size"), None);
    for (names, status) in [("effective-batch", 1), ("precision", 1), ("fits", 0), ("world-size", 0), ("lora-r,micro-batch", 1)] {
        assert_eq!(folder.run(&format!("diff old new --fail-on {names}")).status, Some(status), "{names}");
    }
    let markdown = folder.run("diff old new --output-format markdown").out;
    assert!(markdown.contains("| effective\\_batch | 384 | 192 |"), "{markdown}");
    assert!(folder.run("diff old new --lang zh").out.contains("有变化"));
    assert!(folder.run("diff old old").out.starts_with("no run and no finding differs (1 runs)"));
}

#[test]
fn revisions_are_read_from_the_objects_of_git() {
    let folder =
        Folder::new(&[("a/train.py", train(8, "2e-5", "bf16").as_str()), ("a/launch.sh", LAUNCH), (".gitignore", "out\n")]);
    let repository = git2::Repository::init(folder.path()).expect("a repository");
    commit(&repository);
    folder.write("a/train.py", train(4, "2e-5", "bf16"));
    commit(&repository);
    folder.write("a/train.py", train(2, "2e-5", "bf16"));
    let of = |words: &str| {
        let found = json(&folder, words);
        setting(&found["runs"][0], "micro_batch").map(|(base, head)| (base.clone(), head.clone()))
    };
    assert_eq!(of(""), Some((4.into(), 2.into())), "HEAD against the working tree");
    assert_eq!(of("HEAD~1"), Some((8.into(), 2.into())));
    assert_eq!(of("HEAD~1..HEAD"), Some((8.into(), 4.into())));
    assert_eq!(of("HEAD~1..HEAD a"), Some((8.into(), 4.into())));
    assert_eq!(folder.read("a/train.py"), train(2, "2e-5", "bf16"), "nothing is checked out");
    let unknown = folder.run("diff none");
    assert!(unknown.status == Some(2) && unknown.err.contains("cannot read revision none"), "{}", unknown.err);
}

#[test]
fn runs_and_findings_come_and_go() {
    let folder = Folder::new(&[
        ("old/train.py", train(8, "2e-5", "bf16").as_str()),
        ("old/launch.sh", LAUNCH),
        ("new/train.py", train(8, "2e-5", "bf16").as_str()),
        (
            "new/launch.sh",
            "accelerate launch --num_processes 1 --multi_gpu train.py\naccelerate launch --num_processes 2 --multi_gpu train.py\n",
        ),
    ]);
    let found = json(&folder, "old new");
    let statuses: Vec<&Json> = found["runs"].as_array().expect("a list").iter().map(|run| &run["status"]).collect();
    assert_eq!(statuses, ["changed", "added"], "{found}");
    assert!(found["findings"]["new"].as_array().is_some_and(|new| new.iter().any(|one| one["path"] == "launch.sh")), "{found}");
}

/// A repository whose first commit is the `before` of a guide and whose second its `after`.
fn history(guide: &str, after: &str) -> Folder {
    let guides = root().join("tests/guides").join(guide);
    let folder = Folder::copy(&guides.join("before"));
    let repository = git2::Repository::init(folder.path()).expect("a repository");
    commit(&repository);
    for name in files_below(folder.path()).iter().filter(|name| !name.starts_with(".git")) {
        std::fs::remove_file(folder.path().join(name)).expect("ours");
    }
    for name in files_below(&guides.join(after)) {
        folder.write(name.to_str().expect("a plain name"), std::fs::read(guides.join(after).join(&name)).expect("readable"));
    }
    let mut index = repository.index().expect("an index");
    index.update_all(["*"], None).expect("readable");
    index.write().expect("writable");
    commit(&repository);
    folder
}

/// A setting that differs, before and after.
type Difference = (&'static str, Json, Json);

#[test]
fn what_the_guides_claim_stands_in_their_history() {
    // Guide, state after it, and what differs: those that it names, and the drift that it does not.
    let claims: [(&str, &str, &[Difference]); 4] = [
        (
            "001-grpo-constants",
            "after",
            &[
                ("micro_batch", 4.into(), 2.into()),
                ("max_completion_length", 128.into(), 96.into()),
                ("lora_r", 16.into(), 8.into()),
            ],
        ),
        ("002-fusion-12gb", "after", &[("sequence_length", 2048.into(), 1024.into())]),
        (
            "003-reward-8x64",
            "after-a",
            &[
                ("sequence_length", 1024.into(), 256.into()),
                // "The effective batch stays 64."
                ("effective_batch", 64.into(), 128.into()),
            ],
        ),
        ("004-low-mem-3x20", "after", &[("effective_batch", 384.into(), 192.into())]),
    ];
    for (guide, after, wanted) in claims {
        let folder = history(guide, after);
        let found = json(&folder, "HEAD~1..HEAD");
        let runs = found["runs"].as_array().expect("a list");
        let run = runs.iter().find(|run| run["status"] == "changed").unwrap_or_else(|| panic!("{guide}: {found}"));
        for (name, base, head) in wanted {
            assert_eq!(setting(run, name), Some((base, head)), "{guide} {name}: {run}");
        }
        let peaks = (run["estimate"]["base"]["peak"].as_u64(), run["estimate"]["head"]["peak"].as_u64());
        assert!(guide.starts_with("004") || peaks.1 < peaks.0 && peaks.1.is_some(), "{guide}: {peaks:?}");
    }
}

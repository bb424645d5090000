//! Edits: covered files, affected files, and files that are created or removed on disk.

use super::{AnalysisError, CancellationToken, Workspace};
use crate::request::Request;
use std::path::Path;
use tempfile::TempDir;

const LAUNCH: &str = "accelerate launch --config_file acc.yaml train.py\n";
const ONE: &str = "distributed_type: MULTI_GPU\nnum_processes: 1\nmixed_precision: bf16\nnum_machines: 1\nmachine_rank: 0\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("inside")).expect("writable");
        std::fs::write(path, text).expect("writable");
    }
    folder
}

fn open(folder: &Path) -> Workspace {
    Workspace::new(Request { cwd: folder.to_path_buf(), paths: vec![folder.to_path_buf()], ..Request::default() })
}

/// The rules that reported something, with the file.
fn found(answer: &super::AnalysisResult) -> Vec<(String, &'static str)> {
    let report = &answer.report;
    report.findings.iter().map(|finding| (report.project.file(finding.place.file).path.clone(), finding.name)).collect()
}

fn whole(workspace: &Workspace) -> Vec<(String, &'static str)> {
    found(&workspace.analyze_all(&CancellationToken::default()).expect("an answer"))
}

fn around(workspace: &Workspace, path: &Path) -> Vec<(String, &'static str)> {
    found(&workspace.analyze_file(path, &CancellationToken::default()).expect("an answer"))
}

#[test]
fn an_unsaved_text_counts_until_it_is_taken_away() {
    let at = folder(&[("acc.yaml", ONE), ("run.sh", LAUNCH), ("train.py", "import torch\n")]);
    let mut workspace = open(at.path());
    let file = at.path().join("acc.yaml");
    let complaint = vec![("acc.yaml".to_owned(), "multi-gpu-one-process")];
    assert_eq!(around(&workspace, &file), complaint);
    let before = workspace.clone();
    workspace.edit(&file, Some(ONE.replace("num_processes: 1", "num_processes: 2").into()));
    assert_eq!(around(&workspace, &file), []);
    assert_eq!(whole(&workspace), []);
    assert_eq!(around(&before, &file), complaint, "a snapshot stays as it was");
    workspace.edit(&file, None);
    assert_eq!(around(&workspace, &file), complaint);
    assert_eq!(whole(&workspace), complaint);
}

#[test]
fn an_edit_covers_what_uses_the_file_and_leaves_the_rest_alone() {
    let at = folder(&[
        ("a/acc.yaml", ONE),
        ("a/run.sh", LAUNCH),
        ("a/train.py", "import helper\n"),
        ("a/helper.py", "import torch\n"),
        ("b/acc.yaml", ONE),
        ("b/run.sh", LAUNCH),
        ("b/train.py", "import torch\n"),
    ]);
    let around = || {
        let answer = open(at.path()).analyze_file(&at.path().join("a/acc.yaml"), &CancellationToken::default());
        answer.expect("an answer").covers
    };
    assert_eq!(around().len(), 7, "a small folder is one component");
    for i in 0..30 {
        std::fs::write(at.path().join(format!("b/other{i}.py")), "import torch\n").expect("writable");
    }
    let covers = around();
    let covers: Vec<&str> = covers.iter().map(String::as_str).collect();
    assert_eq!(covers, ["a/acc.yaml", "a/helper.py", "a/run.sh", "a/train.py"]);
}

#[test]
fn files_that_come_and_go_and_a_configuration_that_changes_are_seen() {
    let at = folder(&[("acc.yaml", ONE)]);
    let mut workspace = open(at.path());
    assert_eq!(whole(&workspace), [("acc.yaml".to_owned(), "multi-gpu-one-process")]);

    let config = at.path().join("vramlint.toml");
    std::fs::write(&config, "[lint]\nignore = [\"multi-gpu-one-process\"]\n").expect("writable");
    workspace.changed_on_disk(std::slice::from_ref(&config));
    assert_eq!(whole(&workspace), []);

    workspace.edit(&config, Some("[lint]\nignore = [\"no-such-rule\"]\n".into()));
    assert!(matches!(workspace.analyze_all(&CancellationToken::default()), Err(AnalysisError::Config(_))));
    workspace.edit(&config, Some("\n".into()));
    assert_eq!(whole(&workspace).len(), 1);

    let second = at.path().join("second.yaml");
    workspace.edit(&second, Some(ONE.into()));
    assert_eq!(whole(&workspace).len(), 2, "a file that is not saved yet");
    workspace.edit(&second, None);
    assert_eq!(whole(&workspace).len(), 1);
    std::fs::remove_file(at.path().join("acc.yaml")).expect("removable");
    workspace.changed_on_disk(&[at.path().join("acc.yaml")]);
    assert_eq!(whole(&workspace), []);
}

#[test]
fn who_is_cancelled_gives_no_answer() {
    let at = folder(&[("acc.yaml", ONE)]);
    let cancel = CancellationToken::default();
    cancel.cancel();
    assert!(matches!(open(at.path()).analyze_all(&cancel), Err(AnalysisError::Cancelled)));
    assert!(matches!(open(at.path()).analyze_file(&at.path().join("acc.yaml"), &cancel), Err(AnalysisError::Cancelled)));
}

#[test]
fn what_no_rule_has_to_do_with_is_kept_as_its_imports_and_changes_nothing() {
    let plain = "import json\n\n\ndef rows(path):\n    return [json.loads(line) for line in open(path)]\n";
    let at = folder(&[
        ("train.py", "from lib import settings\nimport torch\n\n\ndef main():\n    loss = torch.ones(1)\n    loss.backward()\n"),
        ("lib/settings.py", "SIZE = 4\n"),
        ("lib/rows.py", plain),
    ]);
    let workspace = open(at.path());
    let answer = workspace.analyze_all(&CancellationToken::default()).expect("an answer");
    let length = |name: &str| {
        let files = &answer.report.project.files;
        files.iter().find(|file| file.path == name).expect("a file").text.len()
    };
    assert_eq!(length("lib/rows.py"), "import json\n".len());
    assert!(length("lib/settings.py") > 0, "what is imported by what matters is read");
    assert!(length("train.py") > 0);
}

#[test]
fn a_module_that_an_edit_imports_is_read_from_then_on() {
    let at = folder(&[("train.py", "import torch\n"), ("sizes.py", "BATCH = 4\nSEQ = 2\n"), ("plain.py", "A = 1\n")]);
    let mut workspace = open(at.path());
    let read = |workspace: &Workspace| {
        let answer = workspace.analyze_all(&CancellationToken::default()).expect("an answer");
        let files = &answer.report.project.files;
        !files.iter().find(|file| file.path == "plain.py").expect("a file").text.is_empty()
    };
    assert!(!read(&workspace));
    let text = "import torch\nfrom plain import A\nloss = torch.ones(A)\nloss.backward()\n";
    workspace.edit(&at.path().join("train.py"), Some(text.into()));
    assert!(read(&workspace));
}

#[test]
fn an_edit_that_names_an_ignored_file_reads_it() {
    let files =
        [(".gitignore", "acc.yaml\n"), ("acc.yaml", ONE), ("run.sh", "python train.py\n"), ("train.py", "import torch\n")];
    let at = folder(&files);
    let mut workspace = open(at.path());
    let script = at.path().join("run.sh");
    assert_eq!(whole(&workspace), []);
    workspace.edit(&script, Some(LAUNCH.into()));
    let complaint = vec![("acc.yaml".to_owned(), "multi-gpu-one-process")];
    assert_eq!(whole(&workspace), complaint);
    assert_eq!(around(&workspace, &script), complaint);
    workspace.edit(&script, None);
    assert_eq!(whole(&workspace), []);
}

/// Files that are opened at once share the first look at the folder: no thread of a pool waits for what the same pool has to do.
#[test]
fn files_that_are_opened_at_once_all_get_an_answer() {
    let texts: Vec<(String, String)> = (0..120)
        .map(|number| {
            (format!("part{}/run{number}.sh", number % 7), format!("accelerate launch --num_processes 2 train{number}.py\n"))
        })
        .collect();
    let at = folder(&texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>());
    let (send, answers) = std::sync::mpsc::channel();
    let rounds = 12;
    for round in 0..rounds {
        let request =
            Request { cwd: at.path().to_path_buf(), paths: vec![at.path().to_path_buf()], jobs: 2, ..Request::default() };
        let workspace = Workspace::new(request);
        for (path, _) in texts.iter().skip(round).step_by(17) {
            let (workspace, send, path) = (workspace.clone(), send.clone(), at.path().join(path));
            std::thread::spawn(move || send.send(workspace.analyze_file(&path, &CancellationToken::default()).is_ok()));
        }
    }
    drop(send);
    let asked: usize = (0..rounds).map(|round| texts.iter().skip(round).step_by(17).count()).sum();
    for _ in 0..asked {
        // A deadlock would wait for ever.
        let answer = answers.recv_timeout(std::time::Duration::from_mins(5));
        assert_eq!(answer, Ok(true));
    }
}

#[test]
fn a_text_that_grows_beyond_configuration_is_left_out() {
    let at = folder(&[("acc.yaml", ONE), ("run.sh", LAUNCH)]);
    let mut workspace = open(at.path());
    let file = at.path().join("acc.yaml");
    assert_eq!(whole(&workspace).len(), 1);
    workspace.edit(&file, Some("a: 1\n".repeat(1 << 19).into()));
    let answer = workspace.analyze_file(&file, &CancellationToken::default());
    assert!(matches!(answer, Err(AnalysisError::NotInWorkspace)), "it is read");
    workspace.edit(&file, Some(ONE.into()));
    assert_eq!(whole(&workspace).len(), 1);
}

#[test]
fn a_copy_of_a_library_stays_one_when_its_files_are_reduced_to_imports() {
    let train =
        "import torch\nfrom torch.optim import AdamW\n\noptimizer = AdamW([])\ntorch.ones(1).backward()\noptimizer.step()\n";
    let at =
        folder(&[("libs/trl/__init__.py", "__version__ = \"1.16.0\"\n"), ("libs/trl/train.py", train), ("mine/train.py", train)]);
    let answer = open(at.path()).analyze_all(&CancellationToken::default()).expect("an answer");
    let entries: Vec<&str> = answer.report.runs().map(|run| answer.report.project.file(run.place.file).path.as_str()).collect();
    assert_eq!(entries, ["mine/train.py"]);
}

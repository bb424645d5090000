//! What a request reads and parses, and what it leaves alone.

use crate::request::Request;
use crate::{Report, check};
use vramlint_resolve::SourceFile;

/// The report on `paths` in a folder of these files.
fn report(files: &[(&str, &str)], paths: &[&str]) -> Report {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("writable");
    }
    let paths = paths.iter().map(Into::into).collect();
    check(&Request { cwd: folder.path().to_path_buf(), paths, ..Request::default() }, &|_, _| {}).expect("no error")
}

fn file<'a>(report: &'a Report, path: &str) -> Option<&'a SourceFile> {
    report.project.files.iter().find(|file| file.path == path && file.host.is_none())
}

#[test]
fn a_named_file_is_read_with_what_it_is_connected_to() {
    let others: Vec<String> = (0..60).map(|number| format!("others/part_{number}.py")).collect();
    let mut files = vec![
        (".git/HEAD", ""),
        ("conf/acc.yaml", "distributed_type: MULTI_GPU\nnum_processes: 1\ncompute_environment: LOCAL_MACHINE\n"),
        ("launch.sh", "accelerate launch --config_file conf/acc.yaml train.py\n"),
        ("train.py", "import torch\nfrom sizes import BATCH\nloss.backward()\n"),
        ("sizes.py", "BATCH = 4\n"),
        ("eval.py", "import torch\n"),
    ];
    files.extend(others.iter().map(|path| (path.as_str(), "A = 1\n")));
    let found = report(&files, &["conf/acc.yaml"]);
    let read: Vec<&str> = found.project.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(read, ["conf/acc.yaml", "launch.sh", "sizes.py", "train.py"]);
    assert_eq!(found.files, 1);
    let findings = |report: &Report| report.findings.iter().map(|finding| finding.name).collect::<Vec<_>>();
    let whole = report(&files, &[]);
    assert_eq!(findings(&found), findings(&whole));
    assert!(!findings(&found).is_empty());
}

#[test]
fn python_that_names_no_training_is_not_parsed() {
    let rows = "import json\n\n\ndef rows(path):\n    return [json.loads(line) for line in open(path)]\n";
    let found = report(&[("rows.py", rows), ("train.py", "import torch\n\ntorch.ones(1).backward()\n")], &[]);
    let parsed = |path: &str| file(&found, path).expect("read").tree.is_parsed();
    assert!(!parsed("rows.py"));
    assert!(parsed("train.py"));
}

#[test]
fn a_copy_of_a_library_is_not_interpreted_and_a_folder_of_its_name_is() {
    let train = "import torch\nfrom torch.optim import AdamW\n\n\ndef main():\n    optimizer = AdamW([])\n    torch.ones(1).backward()\n    \
                 optimizer.step()\n\n\nif __name__ == \"__main__\":\n    main()\n";
    let runs = |init: &str| {
        let found = report(&[("third_party/trl/__init__.py", init), ("third_party/trl/train.py", train)], &[]);
        found.project.runs.len()
    };
    assert_eq!(runs("__version__ = \"1.16.0\"\n"), 0);
    assert_eq!(runs("from .train import main\n"), 1);
}

#[test]
fn documents_of_a_copied_library_start_nothing_here_and_those_of_its_repository_do() {
    let script = "\"\"\"\n```bash\npython trl/scripts/sft.py --batch 4\n```\n\"\"\"\nimport torch\nfrom torch.optim import AdamW\n\n\n\
                  def main():\n    optimizer = AdamW([])\n    torch.ones(1).backward()\n    optimizer.step()\n";
    let runs = |more: &[(&str, &str)]| {
        let files = [&[("trl/__init__.py", "__version__ = \"1.16.0\"\n"), ("trl/scripts/sft.py", script)], more].concat();
        report(&files, &[]).project.runs.len()
    };
    assert_eq!(runs(&[]), 0);
    assert_eq!(runs(&[("pyproject.toml", "[project]\nname = \"trl\"\n")]), 1);
}

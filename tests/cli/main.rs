//! The binary as users and scripts meet it: arguments in, text and an exit status out.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A file in which something can be fixed for sure, with what must stay: CRLF and Chinese.
const ODD: &str = "# 批量\r\nlearning_rate: 2e-5\r\nper_device_train_batch_size: 4\r\n";
/// A file that accelerate refuses.
const REFUSED: &str = "compute_environment: LOCAL_MACHINE\ndistributed_type: 'NO'\nnum_processes: 1\ngpu_ids: 0\n";

/// A folder with files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vramlint"));
    command.args(arguments).current_dir(folder);
    for name in ["GITHUB_ACTIONS", "GITHUB_WORKSPACE", "NO_COLOR", "CLICOLOR_FORCE", "LANGUAGE", "RUST_BACKTRACE"] {
        command.env_remove(name);
    }
    command.env("LC_ALL", "C");
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("started")
}

fn run_with(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child =
        command(folder, arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("written");
    child.wait_with_output().expect("ended")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("a status")
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_str(&out(output)).expect("JSON")
}

#[test]
fn the_status_tells_findings_from_none() {
    let clean = folder(&[("accelerate_config.yaml", "distributed_type: 'NO'\nnum_processes: 1\n")]);
    let odd = folder(&[("sft.yaml", ODD)]);
    let refused = folder(&[("accelerate_config.yaml", REFUSED)]);
    assert_eq!(status(&run(clean.path(), &["check"])), 0);
    assert_eq!(status(&run(odd.path(), &["check"])), 0, "advice alone does not fail");
    assert_eq!(status(&run(odd.path(), &["check", "--fail-on", "info"])), 1);
    assert_eq!(status(&run(refused.path(), &["check", "--fail-on", "error"])), 1);
    assert_eq!(status(&run(refused.path(), &["check", "--exit-zero"])), 0);
    std::fs::write(odd.path().join("vramlint.toml"), "[lint]\nfail-on = 'info'\n").expect("written");
    assert_eq!(status(&run(odd.path(), &["check"])), 1);
    assert_eq!(status(&run(odd.path(), &["check", "--isolated"])), 0);
}

#[test]
fn faults_are_told_on_standard_error_alone() {
    let folder = folder(&[("sft.yaml", ODD), ("broken.toml", "[lint]\nselct = []\n")]);
    let faults: &[&[&str]] = &[
        &["check", "--no-such-flag"],
        &["check", "--gpu-memory", "24"],
        &["check", "absent.yaml"],
        &["check", "--select", "no-such-rule"],
        &["check", "--config", "broken.toml"],
        &["check", "--output-file", "no/such/folder"],
        &["check", "-"],
        &["rule", "no-such-rule"],
        &["man", "no-such-command"],
        &["nonsense"],
    ];
    for arguments in faults {
        let output = run(folder.path(), arguments);
        assert_eq!((status(&output), out(&output).as_str()), (2, ""), "{arguments:?}");
        assert!(!err(&output).is_empty(), "{arguments:?}");
        assert!(!err(&output).contains("bug in vramlint"), "{arguments:?}: {}", err(&output));
    }
    assert!(err(&run(folder.path(), &["check", "--config", "broken.toml"])).contains("`select`"), "the nearest key is named");
    for arguments in [["--help"], ["--version"]] {
        assert_eq!(status(&run(folder.path(), &arguments)), 0);
    }
}

#[test]
fn safe_fixes_change_nothing_else() {
    let folder = folder(&[("sft.yaml", ODD)]);
    let path = folder.path().join("sft.yaml");
    let diff = run(folder.path(), &["check", "--diff"]);
    assert_eq!(status(&diff), 1);
    assert!(out(&diff).starts_with("--- a/sft.yaml\n+++ b/sft.yaml\n"), "{}", out(&diff));
    assert_eq!(std::fs::read_to_string(&path).expect("readable"), ODD);
    let fix = run(folder.path(), &["check", "--fix"]);
    assert_eq!((status(&fix), out(&fix).as_str()), (0, "No findings in 1 file (1 run); 1 fixed\n"));
    assert_eq!(std::fs::read_to_string(&path).expect("readable"), ODD.replace("2e-5", "2.0e-5"));
    assert_eq!(status(&run(folder.path(), &["check", "--diff"])), 0);
}

#[test]
fn standard_input_is_checked_and_fixed() {
    let folder = folder(&[]);
    let check = run_with(folder.path(), &["check", "-", "--stdin-filename", "sft.yaml", "--output-format", "concise", "-q"], ODD);
    assert!(out(&check).starts_with("sft.yaml:2:16: info[VL007] "), "{}", out(&check));
    let fix = run_with(folder.path(), &["check", "-", "--stdin-filename", "sft.yaml", "--fix"], ODD);
    assert_eq!(out(&fix), ODD.replace("2e-5", "2.0e-5"));
    assert!(err(&fix).contains("1 fixed"), "{}", err(&fix));
    let untouched = run_with(folder.path(), &["check", "-", "--stdin-filename", "a.yaml", "--fix"], "a: 1");
    assert_eq!(out(&untouched), "a: 1");
    assert_eq!(std::fs::read_dir(folder.path()).expect("readable").count(), 0, "nothing is written");
}

#[test]
fn findings_have_the_same_place_in_every_format() {
    let folder = folder(&[("accelerate_config.yaml", REFUSED)]);
    let of = |format: &str| run(folder.path(), &["check", "--output-format", format, "--color", "never"]);
    let whole = json(&of("json"));
    let finding = &whole["findings"][0];
    assert_eq!((&finding["code"], &finding["start"]["line"]), (&"VL102".into(), &4.into()));
    let line: serde_json::Value = serde_json::from_str(out(&of("jsonl")).lines().next().expect("a line")).expect("JSON");
    assert_eq!(&line, finding);
    assert_eq!(whole["summary"]["error"], 1);
    let start = &finding["start"];
    let place = format!("accelerate_config.yaml:{}:{}", start["line"], start["column"]);
    assert!(out(&of("concise")).starts_with(&format!("{place}: error[VL102] ")));
    assert!(out(&of("full")).contains(&format!("[{place}]")));
    assert!(out(&of("github")).starts_with("::error file=accelerate_config.yaml,line=4,"));
    let mut on_github = command(folder.path(), &["check"]);
    assert!(out(&on_github.env("GITHUB_ACTIONS", "true").output().expect("started")).starts_with("::error file="));
}

#[test]
fn the_language_comes_from_the_flag_the_configuration_or_the_locale() {
    let folder = folder(&[("sft.yaml", ODD)]);
    let closing = |arguments: &[&str], locale: &str| {
        out(&command(folder.path(), arguments).env("LC_ALL", locale).output().expect("started"))
    };
    assert!(closing(&["check"], "zh_CN.UTF-8").contains("发现"));
    assert!(closing(&["check"], "C").contains("Found 1 info"));
    assert!(closing(&["check", "--lang", "en"], "zh_CN.UTF-8").contains("Found"));
    std::fs::write(folder.path().join("vramlint.toml"), "[lint]\nlang = 'zh'\n").expect("written");
    assert!(closing(&["check"], "C").contains("发现"));
}

#[test]
fn output_may_go_to_a_file_and_colour_only_where_wanted() {
    let folder = folder(&[("sft.yaml", ODD)]);
    let plain = run(folder.path(), &["check"]);
    assert!(!out(&plain).contains('\u{1b}'));
    assert!(out(&run(folder.path(), &["check", "--color", "always"])).contains('\u{1b}'));
    let to_file = run(folder.path(), &["check", "--output-file", "found.txt"]);
    assert_eq!(out(&to_file), "");
    assert_eq!(std::fs::read_to_string(folder.path().join("found.txt")).expect("readable"), out(&plain));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_failure() {
    let folder = folder(&[("sft.yaml", ODD)]);
    let mut child =
        command(folder.path(), &["rule", "--all"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ended");
    assert_eq!((status(&output), err(&output).as_str()), (0, ""));
}

#[test]
fn runs_are_shown_as_table_and_as_json() {
    let folder = folder(&[
        ("train.py", "import torch\nfrom transformers import TrainingArguments\n"),
        ("run.sh", "accelerate launch --num_processes 2 --config_file accelerate_config.yaml train.py\n"),
        ("accelerate_config.yaml", "distributed_type: MULTI_GPU\nnum_processes: 4\n"),
    ]);
    let whole = json(&run(folder.path(), &["runs", "--output-format", "json"]));
    let run_ = &whole["runs"][0];
    assert_eq!((&run_["id"], &run_["num_processes"]), (&"run.sh#1".into(), &2.into()));
    assert!(run_.get("effective_batch").is_some_and(serde_json::Value::is_null), "unknown is null, not absent");
    let setting = &run_["settings"]["num_processes"];
    assert_eq!((&setting["origin"]["kind"], &setting["origin"]["path"]), (&"flag".into(), &"run.sh".into()));
    assert_eq!(setting["overridden"][0]["value"], 4);
    let table = out(&run(folder.path(), &["runs"]));
    assert!(
        table.contains("2 processes") && table.contains("overrides 4 from accelerate_config.yaml:2 num_processes"),
        "{table}"
    );
}

#[test]
fn everything_that_is_printed_once_is_there() {
    let folder = folder(&[]);
    let of = |arguments: &[&str]| out(&run(folder.path(), arguments));
    assert!(of(&["rule", "vl102"]).starts_with("VL102 gpu-ids-not-text (error"));
    assert!(of(&["rule", "VL102", "--lang", "zh", "--output-format", "markdown"]).contains("级别：错误"));
    let list: serde_json::Value = serde_json::from_str(&of(&["rule", "--all", "--output-format", "json"])).expect("JSON");
    assert_eq!(list.as_array().map(Vec::len), Some(of(&["rule"]).lines().count()));
    assert!(of(&["schema", "vramlint"]).starts_with("{\n"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(of(&["completions", shell]).contains("unsafe-fixes"), "{shell}");
    }
    assert!(of(&["man"]).contains(".TH vramlint") && of(&["man", "check"]).contains("vramlint-check"));
}

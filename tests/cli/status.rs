//! Exit statuses, and what is said where.

use crate::run::{Folder, vramlint};
use std::io::Read;
use std::process::Stdio;

#[test]
fn zero_one_two() {
    let clean = Folder::new(&[("train.yaml", "batch_size: 4\n")]);
    assert_eq!(clean.run("check").out(0), "Nothing found in 1 file (0 runs)\n");
    assert_eq!(clean.run("check -q").out(0), "");
    let project = Folder::project();
    assert_eq!(project.run("check").status, Some(1));
    assert_eq!(project.run("check --exit-zero").status, Some(0));
    assert_eq!(project.run("check --fail-on error").status, Some(0), "warnings are below errors");
    assert_eq!(project.run("check --select VL007 notes.md").status, Some(0), "a note is below the default");
    assert_eq!(project.run("check --select VL007 notes.md --fail-on info").status, Some(1));
}

#[test]
fn mistakes_on_the_command_line_say_what_was_meant() {
    let folder = Folder::project();
    let told = |words: &str| folder.run(words).fault();
    assert_eq!(
        told("check --select yaml-numbr-is-text"),
        "error: --select: unknown rule `yaml-numbr-is-text`; did you mean `yaml-number-is-text`?\n"
    );
    assert_eq!(
        told("check --ignore yaml-numbr-is-text --lang zh"),
        "错误：--ignore：未知的规则 `yaml-numbr-is-text`；是否想写 `yaml-number-is-text`？\n"
    );
    assert_eq!(told("check nowhere"), "error: nowhere: no such file or folder\n");
    assert_eq!(told("check nowhere --lang zh"), "错误：nowhere：文件或文件夹不存在\n");
    assert_eq!(
        told("rule yaml-numbr-is-text"),
        "error: unknown rule `yaml-numbr-is-text`; did you mean `yaml-number-is-text`?\n"
    );
    assert!(told("check -").contains("--stdin-filename"));
    assert!(told("check - train.yaml --stdin-filename x.yaml").contains("must be the only path"));
    assert!(told("check --stdin-filename x.yaml").contains("needs the path `-`"));
    assert!(told("check --output-file nowhere/x.txt").starts_with("error: cannot write nowhere/x.txt: "));
    for words in
        ["check --bogus", "check --gpu-memory much", "check --output-format xml", "nonsense", "check --quiet --verbose", ""]
    {
        assert!(told(words).contains("Usage") || told(words).contains("--help"), "{words}");
    }
}

#[test]
fn a_bad_configuration_is_no_finding() {
    let folder = Folder::project();
    folder.write("vramlint.toml", "[lint]\nselct = []\n");
    assert_eq!(
        folder.run("check").fault(),
        "error: vramlint.toml:2:1: unknown key `selct` in `[lint]`; did you mean `select`?\n"
    );
    assert_eq!(
        folder.run_with("check", &[("LC_ALL", "zh_CN.UTF-8")]).fault(),
        "错误：vramlint.toml:2:1：未知的键 `selct`（在 `[lint]` 中）；是否想写 `select`？\n"
    );
    assert_eq!(folder.run("check --output-format json").fault(), folder.run("runs").fault());
    assert_eq!(folder.run("check --isolated").status, Some(1));
}

#[test]
fn the_locale_chooses_the_language() {
    let folder = Folder::project();
    let chinese = |words: &str, variables: &[(&str, &str)]| folder.run_with(words, variables).out.contains("个警告");
    assert!(!chinese("check", &[]));
    assert!(chinese("check", &[("LC_ALL", "zh_CN.UTF-8")]));
    assert!(chinese("check", &[("LANG", "zh_TW.UTF-8")]));
    assert!(!chinese("check", &[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C")]));
    assert!(!chinese("check --lang en", &[("LC_ALL", "zh_CN.UTF-8")]));
    folder.write("vramlint.toml", "[lint]\nlang = \"zh\"\n");
    assert!(chinese("check", &[]));
    assert!(!chinese("check --lang en", &[]));
}

#[test]
fn github_actions_gets_annotations() {
    let folder = Folder::project();
    let out = |value: &str, words: &str| folder.run_with(words, &[("GITHUB_ACTIONS", value)]).out;
    assert!(out("true", "check").starts_with("::warning title="));
    assert!(out("true", "check --output-format concise").starts_with("accelerate_config.yaml:2:19: "));
    assert!(out("false", "check").starts_with("warning["));
    assert!(out("true", "check --statistics").starts_with("2 VL007 "), "counts are no annotations");
}

#[test]
fn quiet_and_verbose() {
    let folder = Folder::project();
    folder.write("vramlint.toml", "");
    let quiet = folder.run("check -q --output-format concise");
    assert!(!quiet.out.contains("Found") && quiet.out.lines().count() >= 4 && quiet.err.is_empty());
    let verbose = folder.run("check -v --output-format concise");
    assert!(verbose.err.contains("configuration: vramlint.toml\n"), "{}", verbose.err);
    assert!(verbose.err.contains("INFO run launch.sh#1: "), "{}", verbose.err);
    assert!(verbose.out.trim_end().ends_with(" ms]"), "{}", verbose.out);
}

#[test]
fn nothing_to_check_is_said() {
    let empty = Folder::new(&[("readme.txt", "hello")]);
    let ran = empty.run("check");
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), "warning: no files to check\n"));
    assert!(empty.run("check -q").err.is_empty());
    let data = empty.run("check --output-format json").out;
    assert!(
        data.contains(
            r#""summary":{"files":0,"error":0,"warning":0,"info":0,"skipped":{"files":[],"counts":{"unsupported-kind":1}}}"#
        ),
        "{data}"
    );
}

/// `vramlint check | head -1` must not complain, nor look like a failure of ours.
#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let many: String = (0..20_000).fold(String::new(), |text, i| text + &format!("k{i}: 2e-5\nk{i}: 1\n"));
    let folder = Folder::new(&[("train.yaml", &many)]);
    for words in [["check", "--output-format=concise"], ["check", "--output-format=json"], ["rule", "--all"]] {
        let mut child =
            vramlint(folder.path()).args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        let mut first = [0; 1];
        child.stdout.take().expect("a pipe").read_exact(&mut first).expect("one byte");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
        assert!(output.status.code().is_some_and(|code| code < 2), "{words:?}: {:?}", output.status);
    }
}

#[test]
fn an_output_file_gets_everything() {
    let folder = Folder::project();
    let on_screen = folder.run("check").out;
    let ran = folder.run("check --output-file report.txt");
    assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (Some(1), "", ""));
    assert_eq!(folder.read("report.txt"), on_screen);
    folder.run("check --diff -q -o change.diff");
    assert!(folder.read("change.diff").starts_with("--- a/"));
}

#[test]
fn a_named_file_that_is_not_read_is_reported() {
    let folder = Folder::new(&[("train.yaml", "batch_size: 4\n"), ("nb.ipynb", "{}"), ("rows.jsonl", "{}")]);
    let ran = folder.run("check train.yaml nb.ipynb rows.jsonl");
    assert_eq!((ran.status, ran.out.as_str()), (Some(0), "Nothing found in 1 file (0 runs)\n"));
    assert_eq!(
        ran.err,
        "warning: nb.ipynb was not read: not a supported kind of file\n\
         warning: rows.jsonl was not read: a dataset, not configuration\n"
    );
    assert!(folder.run("check -q nb.ipynb").err.is_empty());
    assert!(folder.run("check nb.ipynb --lang zh").err.starts_with("警告：未读取 nb.ipynb："));
    let json = folder.run("check nb.ipynb --output-format json");
    let data: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(data["summary"]["skipped"]["files"][0]["reason"], "unsupported-kind");
    let verbose = folder.run("check -v").err;
    assert!(verbose.contains("2 paths not read: 1 not a supported kind of file, 1 a dataset"), "{verbose}");
}

#[test]
fn the_log_shows_what_was_decided() {
    let folder = Folder::project();
    let log = |level: &str| folder.run_with("check --output-format concise", &[("VRAMLINT_LOG", level)]).err;
    assert!(log("info").contains("INFO run launch.sh#1: "));
    assert!(log("debug").contains("DEBUG file accelerate_config.yaml: Accelerate"), "{}", log("debug"));
    assert!(log("trace").contains("TRACE rule VL101 multi-gpu-one-process: 1 findings in "));
    assert!(log("loud").starts_with("warning: VRAMLINT_LOG=loud is ignored"));
    assert_eq!(log("off"), "");
}

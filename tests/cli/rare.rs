//! Texts that are hard to draw, and the commands beside `check` and `runs`.

use crate::run::Folder;
use insta::assert_snapshot;

fn full(name: &str, text: &str) -> String {
    Folder::new(&[(name, text)]).run("check -q --output-format full").out
}

#[test]
fn wide_letters_tabs_and_a_missing_line_end() {
    let folder = Folder::new(&[("train.yaml", "batch_size: 1\r\nlearning_rate: 1\t# 末尾\r\n训练:\t{批量: 2, 批量: 3}")]);
    assert_snapshot!(folder.run("check -q --select VL006").out, @r"
    warning[VL006] duplicate key `批量`: the last value takes effect (duplicate-key)
       ╭─[train.yaml:3:13]
     2 │ learning_rate: 1    # 末尾
     3 │ 训练:   {批量: 2, 批量: 3}
       ·          ──┬─     ────
       ·            ╰── `批量` is first set here
       ╰────
      help: keep the intended one, and delete the other
    ");
}

#[test]
fn a_very_long_line_is_cut_around_what_matters() {
    let (before, after) = ("长".repeat(200), "y".repeat(300));
    let out = full("train.yaml", &format!("{{说明: {before}, batch_size: 2, learning_rate: 2e-5, rest: {after}}}\n"));
    assert!(out.contains("learning_rate: 2e-5") && out.contains("+ …") && out.contains("y…"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() < 180), "{out}");
}

#[test]
fn the_end_of_a_file_can_be_shown() {
    assert_snapshot!(full("train.yaml", "model:\n  name: [a,\n"), @r"
    info[VL001] the `[` opened here is not closed (syntax-error)
       ╭─[train.yaml:2:9]
     1 │ model:
     2 │   name: [a,
       ·         ─
       ╰────
    ");
    let last = full("train.sh", "#!/bin/bash\n# vramlint: ignore[VL101]");
    assert_snapshot!(last, @r"
    warning[VL002] no finding of `VL101` to suppress here (unused-suppression)
       ╭─[train.sh:2:1]
     1 │ #!/bin/bash
     2 │ # vramlint: ignore[VL101]
       · ─────────────────────────
       ╰────
      fix: remove the unused suppression
        2 - # vramlint: ignore[VL101]
    ");
    assert_eq!(full("empty.yaml", ""), "");
}

/// A file must not be able to write to the terminal.
#[test]
fn escape_sequences_of_a_file_are_not_passed_on() {
    let out = full("train.py", "import torch\n\n\ndef f(:  # \u{1b}[2J\u{202e}\n    pass\n");
    assert!(out.contains("␛[2J") && !out.contains(['\u{1b}', '\u{202e}']), "{out}");
}

#[test]
fn insertions_deletions_and_edits_of_one_line_are_shown_as_lines() {
    let folder = Folder::project();
    folder.run("check --fix");
    let out = folder.run("check -q --select VL201").out;
    assert!(
        out.contains(
            "\n    4 - gradient_accumulation_steps: 8   # effective batch size = 64\n      + gradient_accumulation_steps: "
        ),
        "{out}"
    );
}

#[test]
fn rules_explain_themselves() {
    let folder = Folder::new(&[]);
    let english = folder.run("rule VL007").out(0);
    assert!(english.starts_with("# VL007 yaml-number-is-text\n"), "{english}");
    assert_eq!(folder.run("rule yaml-number-is-text").out(0), english);
    assert_ne!(folder.run("rule VL007 --lang zh").out(0), english);
    let one: serde_json::Value = serde_json::from_str(&folder.run("rule VL007 --output-format json").out(0)).expect("JSON");
    assert_eq!(one["code"], "VL007");
    let all: serde_json::Value = serde_json::from_str(&folder.run("rule --all --output-format json").out(0)).expect("JSON");
    assert!(all.as_array().is_some_and(|rules| rules.len() > 10 && rules.contains(&one)));
}

#[test]
fn completions_the_manual_and_the_version() {
    let folder = Folder::new(&[]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.run(&format!("completions {shell}")).out(0);
        assert!(script.contains("output-format") && script.contains("runs"), "{shell}");
    }
    let page = folder.run("man").out(0);
    for part in ["check", "runs", "rule", "EXIT STATUS", "output\\-format", "stdin\\-filename"] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(folder.run("--version").out(0), format!("vramlint {}\n", env!("CARGO_PKG_VERSION")));
    assert!(folder.run("--help").out(0).contains("Exit status"));
}

#[test]
fn a_model_is_declared_once() {
    let folder = Folder::new(&[("weights/config.json", "{\"model_type\": \"llama\", \"vocab_size\": 100, \"hidden_size\": 64}")]);
    let add = |words: &str| folder.run(&format!("model add {words}"));
    assert!(add("weights --id acme/x").out(0).starts_with("vramlint.toml now declares acme/x: "));
    assert!(add("weights --id acme/x --lang zh").out(0).starts_with("vramlint.toml 中已有 acme/x："));
    assert!(folder.run("estimate --model acme/x --micro-batch 1 --seq 64").out(0).starts_with("acme/x\n"));
    assert!(add("acme/nowhere").fault().contains("hf download acme/nowhere config.json"));
}

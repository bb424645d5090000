//! The README shows what the program prints, and every command in the documents exists.
//!
//! `UPDATE_README=1 cargo test --test readme` rewrites the output blocks.

use std::path::Path;
use std::process::Command;
use vramlint_test::workspace_root;

/// Runs the binary at the root of the checkout.
fn run(words: &[&str]) -> (Option<i32>, String, String) {
    run_in(&workspace_root(), words)
}

/// Runs the binary in a folder: its exit status, standard output and standard error.
fn run_in(folder: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_vramlint"))
        .args(words)
        .current_dir(folder)
        .env_clear()
        .env("LANG", "C.UTF-8")
        .output()
        .expect("the binary starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The words of a line `$ vramlint …`, without the remark behind it.
fn command(line: &str) -> Option<Vec<&str>> {
    let words = line.strip_prefix("$ vramlint ")?;
    Some(words.split(" #").next().unwrap_or(words).split_whitespace().collect())
}

/// The README as it should be: in a `console` block, what stands below a command is what the command prints.
fn with_output(readme: &str) -> String {
    let (mut made, mut inside, mut lines) = (String::new(), false, readme.lines().peekable());
    while let Some(line) = lines.next() {
        made.push_str(line);
        made.push('\n');
        inside = if inside { line != "```" } else { line == "```console" };
        let shows_output = |next: &&str| !next.starts_with("$ ") && *next != "```";
        let Some(words) = command(line).filter(|_| inside && lines.peek().is_some_and(shows_output)) else { continue };
        while lines.next_if(shows_output).is_some() {}
        let (status, out, err) = run(&words);
        assert!(status.is_some_and(|status| status < 2) && err.is_empty(), "{line}: {err}");
        made.push_str(&out);
    }
    made
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let path = workspace_root().join("README.md");
    let kept = std::fs::read_to_string(&path).expect("readable");
    let made = with_output(&kept);
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&path, &made).expect("writable");
        return;
    }
    let differing = kept.lines().zip(made.lines()).position(|(kept, made)| kept != made);
    assert!(
        kept == made,
        "README.md differs from line {} on; UPDATE_README=1 cargo test --test readme writes it anew",
        differing.map_or(kept.lines().count(), |line| line + 1)
    );
    assert!(!made.contains("<!-- output"), "no placeholder is left");
}

/// A front page is read in one sitting.
#[test]
fn the_readme_is_short() {
    let readme = std::fs::read_to_string(workspace_root().join("README.md")).expect("readable");
    assert!(readme.lines().count() <= 250, "{} lines", readme.lines().count());
}

/// With `--help` after it, a command reads its arguments and does nothing.
#[test]
fn commands_in_the_documents_exist() {
    for document in ["README.md", "docs/configuration.md", "docs/configuration.zh.md"] {
        let text = std::fs::read_to_string(workspace_root().join(document)).expect("readable");
        let commands: Vec<Vec<&str>> = text.lines().filter_map(command).collect();
        assert!(commands.len() >= 4, "{document}: {commands:?}");
        for mut words in commands {
            words.push("--help");
            let (status, _, err) = run(&words);
            assert_eq!((status, err.as_str()), (Some(0), ""), "{document}: {words:?}");
        }
    }
}

/// The TOML in the documents is a configuration that vramlint accepts.
#[test]
fn configurations_in_the_documents_are_accepted() {
    for document in ["README.md", "docs/configuration.md", "docs/configuration.zh.md"] {
        let text = std::fs::read_to_string(workspace_root().join(document)).expect("readable");
        let blocks: Vec<&str> = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(!blocks.is_empty(), "{document} shows no configuration");
        for block in blocks {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let file = folder.path().join("vramlint.toml");
            // The architecture that the example names is not there.
            let block = block.replace("config = \"models/acme/config.json\"", "config = \"config.json\"");
            std::fs::write(&file, block).expect("writable");
            let model = r#"{"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 1000}"#;
            std::fs::write(folder.path().join("config.json"), model).expect("writable");
            let (status, _, err) = run_in(folder.path(), &["check"]);
            assert!(status.is_some_and(|status| status < 2), "{document}: {err}");
        }
    }
}

/// The example is worth its place: findings of several families, and a run whose batch is known.
#[test]
fn the_example_shows_several_families() {
    let (status, out, _) = run(&["check", "-q", "--output-format", "concise", "examples/reward-model"]);
    let families: std::collections::BTreeSet<&str> = out.lines().filter_map(|line| line.split("[VL").nth(1)?.get(..1)).collect();
    assert_eq!(status, Some(1));
    assert!(families.len() >= 3, "{out}");
    assert!((3..=4).contains(&out.lines().count()), "{out}");
}

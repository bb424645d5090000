//! The README shows what the program prints: its output blocks and its table of rules are made, not written.
//!
//! `UPDATE_README=1 cargo test --test readme` writes them anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;
use vramlint_base::Lang;
use vramlint_rules::{Group, RULES};
use vramlint_test::workspace_root;

/// Runs the binary at the root of the checkout.
fn run(words: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_vramlint"))
        .args(words)
        .current_dir(workspace_root())
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

/// The rules by family, between their marks, each with its page.
fn with_rules(readme: &str) -> String {
    let (before, rest) = readme.split_once("<!-- rules -->\n").expect("the table is marked");
    let (_, after) = rest.split_once("<!-- /rules -->\n").expect("the table is marked");
    let mut families: BTreeMap<Group, Vec<String>> = BTreeMap::new();
    for rule in RULES.iter() {
        families.entry(rule.group).or_default().push(format!("[`{0}`](docs/rules/{0}.md)", rule.name));
    }
    let mut table = String::from("| codes | rules |\n| --- | --- |\n");
    for (group, rules) in families {
        writeln!(table, "| `{}xx` {} | {} |", group.prefix(), group.about(Lang::En), rules.join(", ")).expect("memory");
    }
    format!("{before}<!-- rules -->\n{table}<!-- /rules -->\n{after}")
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let path = workspace_root().join("README.md");
    let kept = std::fs::read_to_string(&path).expect("readable");
    let made = with_rules(&with_output(&kept));
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

/// Every command that the README names is one: with `--help` behind it, arguments are read and nothing is done.
#[test]
fn commands_of_the_readme_are_real() {
    let readme = std::fs::read_to_string(workspace_root().join("README.md")).expect("readable");
    let commands: Vec<Vec<&str>> = readme.lines().filter_map(command).collect();
    assert!(commands.len() >= 6, "{commands:?}");
    for mut words in commands {
        words.push("--help");
        let (status, _, err) = run(&words);
        assert_eq!((status, err.as_str()), (Some(0), ""), "{words:?}");
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

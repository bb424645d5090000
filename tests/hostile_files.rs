//! Pipes, devices and endless files in a project: every command answers, and says what it did not read.
#![cfg(unix)]

use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn vramlint(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vramlint"));
    command.args(args).current_dir(folder).env("LC_ALL", "C.UTF-8");
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    vramlint(folder, args).output().expect("it runs")
}

/// What was printed, and the exit status.
fn told(out: &Output) -> (String, Option<i32>) {
    let text = [&out.stdout, &out.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    (text, out.status.code())
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.yaml"), "a: [1\n").expect("writable");
    folder
}

#[test]
fn a_named_pipe_is_refused() {
    let at = folder();
    pipe(&at.path().join("config.yaml"));
    let (text, status) = told(&run(at.path(), &["check", "config.yaml"]));
    assert!(text.contains("cannot be read: not a regular file"), "{text}");
    assert_eq!(status, Some(1));
}

#[test]
fn patterns_that_cannot_be_read_are_said() {
    for inside in ["", "sub"] {
        for name in [".gitignore", ".ignore"] {
            let at = folder();
            let sub = at.path().join(inside);
            std::fs::create_dir_all(&sub).expect("writable");
            pipe(&sub.join(name));
            let (text, _) = told(&run(at.path(), &["check"]));
            assert!(text.contains("not a regular file") && text.contains("a.yaml"), "{inside} {name}: {text}");
        }
    }
    let at = folder();
    let many: String = (0..100_000).map(|number| format!("folder{number}/\n")).collect();
    std::fs::write(at.path().join(".gitignore"), many).expect("writable");
    let (text, _) = told(&run(at.path(), &["check"]));
    assert!(text.contains("more than 256 KiB"), "{text}");
}

/// The reader of patterns calls itself for each bracket within a bracket.
#[test]
fn braces_in_braces_end_no_command() {
    let deep = format!("{}{}", "{a,".repeat(20_000), "}".repeat(20_000));
    let cases = [
        (".gitignore", format!("{deep}\n")),
        (".ignore", format!("x\n{deep}\n")),
        ("vramlint.toml", format!("exclude = [\"{deep}\"]\n")),
        ("vramlint.toml", format!("[runs.\"{deep}\"]\nmicro_batch = 1\n")),
    ];
    for (name, text) in cases {
        let at = folder();
        std::fs::write(at.path().join(name), text).expect("writable");
        let (text, status) = told(&run(at.path(), &["check"]));
        assert!(text.contains("more than 100 braces"), "{name}: {status:?} {}", text.len());
    }
}

#[test]
fn devices_in_place_of_files_end_no_command() {
    for name in ["vramlint.toml", "pyproject.toml", "requirements.txt", "uv.lock", ".env", "train.py", "Makefile", "config.json"]
    {
        let at = folder();
        symlink("/dev/zero", at.path().join(name)).expect("a link");
        let (text, status) = told(&run(at.path(), &["check"]));
        assert!(matches!(status, Some(0..=2)) && text.contains("a.yaml"), "{name}: {text}");
    }
    let at = folder();
    let cases = [["check", "--config"], ["check", "--baseline"], ["estimate", "--setup"]];
    for [command, flag] in cases {
        let (text, status) = told(&run(at.path(), &[command, flag, "/dev/zero"]));
        assert!(text.contains("not a regular file"), "{flag}: {text}");
        assert_eq!(status, Some(2));
    }
}

#[test]
fn standard_input_has_an_end() {
    let at = folder();
    for args in [&["check", "-", "--stdin-filename", "a.yaml"][..], &["estimate", "--setup", "-"]] {
        let mut child = vramlint(at.path(), args);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        let mut stdin = child.stdin.take().expect("piped");
        let chunk = vec![b' '; 1 << 20];
        // The command stops reading, and the pipe breaks.
        while stdin.write_all(&chunk).is_ok() {}
        let (text, status) = told(&child.wait_with_output().expect("it ends"));
        assert!(text.contains("more than 65536 KiB"), "{args:?}: {text}");
        assert_eq!(status, Some(2));
    }
}

//! `--fix` and `--diff`.

use crate::run::{Folder, files_below, guides};
use std::path::Path;
use std::process::Command;
use vramlint_syntax::{json, python, yaml};

fn texts(folder: &Path) -> Vec<(String, String)> {
    let name = |path: &Path| path.to_string_lossy().into_owned();
    files_below(folder)
        .into_iter()
        .map(|path| (name(&path), String::from_utf8(std::fs::read(folder.join(&path)).expect("readable")).expect("UTF-8")))
        .collect()
}

/// How many errors the reader of a file sees.
fn errors(name: &str, text: &str) -> usize {
    match name.rsplit('.').next() {
        Some("yaml" | "yml") => yaml::parse(text).errors.len(),
        Some("json") => json::parse(text).errors.len(),
        Some("py") => python::parse(text).errors.len(),
        _ => 0,
    }
}

/// Comments of a text, as far as they can be told without its grammar.
fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| Some(line[line.find("# ")?..].trim_end())).collect()
}

#[test]
fn fixing_the_guides_twice_is_fixing_them_once() {
    for guide in guides() {
        let folder = Folder::copy(&guide);
        let before = texts(folder.path());
        folder.run("check --fix");
        let once = texts(folder.path());
        let again = folder.run("check --fix");
        assert_eq!(texts(folder.path()), once, "{}", guide.display());
        assert!(!again.err.contains("pplied"), "{}: {}", guide.display(), again.err);
        for ((name, old), (_, new)) in before.iter().zip(&once) {
            assert_eq!(comments(old), comments(new), "{}: {name}", guide.display());
            assert_eq!(errors(name, old), errors(name, new), "{}: {name}", guide.display());
            assert_eq!(old.lines().count(), new.lines().count(), "{}: {name}", guide.display());
        }
        let left = folder.run("check --output-format json").out;
        assert!(!left.contains(r#""applicability":"safe""#), "{}: {left}", guide.display());
    }
}

#[test]
fn the_diff_is_what_fixing_does() {
    let fixed = Folder::project();
    let ran = fixed.run("check --fix --select VL007");
    assert_eq!(ran.err, "Applied 2 fixes in 2 files\n");
    assert_eq!((ran.status, ran.out.as_str()), (Some(0), "Nothing found in 5 files (1 run)\n"));

    let patched = Folder::project();
    let ran = patched.run("check --diff --select VL007");
    assert_eq!((ran.status, ran.err.as_str()), (Some(1), "Would apply 2 fixes in 2 files\n"));
    assert_eq!(texts(patched.path()), texts(Folder::project().path()), "a diff changes nothing");
    patched.write("change.diff", &ran.out);
    let git = Command::new("git").args(["apply", "change.diff"]).current_dir(patched.path()).output();
    match git {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            std::fs::remove_file(patched.path().join("change.diff")).expect("removable");
            assert_eq!(texts(patched.path()), texts(fixed.path()));
        }
        Err(error) => println!("skipped: git is absent ({error})"),
    }
    assert_eq!(fixed.run("check --diff --select VL007").out(0), "", "nothing would change");
}

#[test]
fn line_endings_and_the_byte_order_mark_stay() {
    let folder = Folder::new(&[("train.yaml", "\u{feff}# 学习率\r\nlearning_rate: 2e-5  # 小\r\nbatch_size: 4")]);
    folder.run("check --fix");
    assert_eq!(folder.read("train.yaml"), "\u{feff}# 学习率\r\nlearning_rate: 2.0e-5  # 小\r\nbatch_size: 4");
}

#[test]
fn unsafe_fixes_need_to_be_asked_for() {
    let folder = Folder::project();
    let wanted = "distributed_type: 'NO'";
    folder.run("check --fix");
    assert!(!folder.read("accelerate_config.yaml").contains(wanted));
    folder.run("check --fix --unsafe-fixes");
    assert!(folder.read("accelerate_config.yaml").contains(wanted));
    assert!(folder.read("accelerate_config.yaml").contains("# 多卡"), "the comment stays");
}

#[test]
fn standard_input_is_fixed_on_standard_output() {
    let folder = Folder::new(&[]);
    let text = "# 学习率\r\nbatch_size: 4\r\nlearning_rate: 2e-5\r\n";
    let ran = folder.pipe("check - --stdin-filename conf/train.yaml --fix", text.as_bytes());
    assert_eq!((ran.status, ran.out.as_str()), (Some(0), "# 学习率\r\nbatch_size: 4\r\nlearning_rate: 2.0e-5\r\n"));
    assert_eq!(ran.err, "Nothing found in 1 file (1 run)\n");
    assert_eq!(files_below(folder.path()), Vec::<std::path::PathBuf>::new(), "nothing is written");

    let diff = folder.pipe("check - --stdin-filename conf/train.yaml --diff -q", text.as_bytes()).out(1);
    assert!(diff.starts_with("--- a/conf/train.yaml\n+++ b/conf/train.yaml\n"), "{diff}");

    let checked = folder.pipe("check - --stdin-filename conf/train.yaml --output-format concise -q", text.as_bytes()).out(0);
    assert!(checked.starts_with("conf/train.yaml:3:16: info[VL007] "), "{checked}");
}

/// What cannot be fixed comes back byte for byte, or an editor would destroy the file.
#[test]
fn standard_input_that_cannot_be_read_comes_back_as_it_was() {
    let bytes = b"batch_size: 4 # \xe9\xe8\n";
    let mut child = crate::run::vramlint(Path::new("."))
        .args(["check", "-", "--stdin-filename", "train.yaml", "--fix"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), bytes).expect("it reads");
    assert_eq!(child.wait_with_output().expect("it ends").stdout, bytes);
}

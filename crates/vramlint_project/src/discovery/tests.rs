use crate::testing::{Folder, check, lines};
use crate::{Report, Request, SkipReason};

/// Shown paths of the files that were read: reported files, then context files.
fn read(report: &Report) -> (Vec<String>, Vec<String>) {
    let hosts = report.project.files.iter().filter(|file| file.host.is_none());
    let (reported, context): (Vec<_>, Vec<_>) = hosts.partition(|file| file.reported);
    let paths = |files: Vec<&vramlint_resolve::SourceFile>| files.iter().map(|file| file.path.clone()).collect();
    (paths(reported), paths(context))
}

fn reported(request: &Request) -> Vec<String> {
    read(&check(request).expect("no error")).0
}

fn context(request: &Request) -> Vec<String> {
    read(&check(request).expect("no error")).1
}

#[test]
fn what_is_read_and_what_is_not() {
    let folder = Folder::new(&[
        ("train.yaml", ""),
        ("ds.json", ""),
        ("a/train.py", ""),
        ("a/run.sh", ""),
        ("a/run.ps1", ""),
        ("a/run.bat", ""),
        ("README.md", ""),
        ("Makefile", ""),
        ("Dockerfile.gpu", ""),
        ("launch", "#!/usr/bin/env bash\n"),
        ("LICENSE", "free\n"),
        ("notes.txt", ""),
        ("data.jsonl", "{}\n"),
        (".hidden.yaml", ""),
        (".cache/x.yaml", ""),
        (".github/workflows/ci.yml", ""),
        (".github/dependabot.yml", ""),
        ("node_modules/m/package.json", ""),
        (".venv/lib/x.py", ""),
        ("env/pyvenv.cfg", ""),
        ("env/lib/x.py", ""),
        ("lib/site-packages/x.py", ""),
        ("__pycache__/x.py", ""),
        (".gitignore", "out/\n*.tmp.yaml\n"),
        ("out/x.yaml", ""),
        ("x.tmp.yaml", ""),
        ("配置/训练.yaml", ""),
    ]);
    let expected = [
        ".github/workflows/ci.yml",
        "Dockerfile.gpu",
        "Makefile",
        "README.md",
        "a/run.bat",
        "a/run.ps1",
        "a/run.sh",
        "a/train.py",
        "ds.json",
        "launch",
        "train.yaml",
        "配置/训练.yaml",
    ];
    assert_eq!(reported(&folder.request(&[])), expected);
    let all = reported(&Request { no_ignore: true, ..folder.request(&[]) });
    for path in ["out/x.yaml", "x.tmp.yaml", "node_modules/m/package.json", "env/lib/x.py"] {
        assert!(all.contains(&path.to_owned()) && !expected.contains(&path), "{path}");
    }
}

#[test]
fn named_files_are_reported_and_their_project_is_context() {
    let folder = Folder::new(&[
        ("p/.git/HEAD", ""),
        ("p/train.yaml", ""),
        ("p/sub/a.yaml", ""),
        ("p/sub/b.yaml", ""),
        ("q/other.yaml", ""),
    ]);
    let request = folder.request(&["p/sub/a.yaml"]);
    assert_eq!(reported(&request), ["p/sub/a.yaml"]);
    assert_eq!(context(&request), ["p/sub/b.yaml", "p/train.yaml"]);
    let request = folder.request(&["p/sub"]);
    assert_eq!(reported(&request), ["p/sub/a.yaml", "p/sub/b.yaml"]);
    assert_eq!(context(&request), ["p/train.yaml"]);
    // Without a marked parent folder, the named folder is the project.
    let request = folder.request(&["q"]);
    assert_eq!((reported(&request), context(&request)), (vec!["q/other.yaml".into()], vec![]));
    // From a subfolder, paths start with `..`.
    let request = Request { cwd: folder.path().join("p/sub"), paths: vec!["a.yaml".into()], ..Request::default() };
    assert_eq!((reported(&request), context(&request)), (vec!["a.yaml".into()], vec!["b.yaml".into(), "../train.yaml".into()]));
}

#[test]
fn a_configuration_marks_a_root_and_is_itself_a_file() {
    let folder = Folder::new(&[("vramlint.toml", "[batch]\neffective = 64\n"), ("a.yaml", ""), ("s/b.yaml", "")]);
    let report = check(&folder.request(&["s"])).expect("no error");
    assert_eq!(read(&report).1, ["a.yaml", "vramlint.toml"]);
    assert_eq!(report.configs, ["vramlint.toml"]);
    let policy = &report.project.policies[report.project.files[0].policy];
    assert_eq!((policy.root.as_str(), policy.file.as_deref()), ("", Some("vramlint.toml")));
    let (batch, place) = policy.effective_batch.expect("set");
    let place = place.expect("the configuration is one of the files");
    assert_eq!((batch, place.range.slice(&report.project.file(place.file).text)), (64, "64"));
}

#[test]
fn excludes_win_over_named_paths() {
    let folder = Folder::new(&[
        ("vramlint.toml", "extend-exclude = [\"legacy\"]\n"),
        ("a.yaml", ""),
        ("legacy/b.yaml", ""),
        ("gen/c.yaml", ""),
        ("venv/d.yaml", ""),
    ]);
    let request =
        Request { exclude: vec!["gen/**".into()], ..folder.request(&[".", "legacy/b.yaml", "gen", "gen/c.yaml", "venv/d.yaml"]) };
    assert_eq!(reported(&request), ["a.yaml"]);
    let report = check(&request).expect("no error");
    let first = &report.skipped.named[0];
    assert_eq!((first.path.as_str(), first.reason), ("legacy/b.yaml", SkipReason::Excluded));
    let request = Request { no_ignore: true, ..request };
    assert_eq!(reported(&request), ["a.yaml", "gen/c.yaml", "legacy/b.yaml", "venv/d.yaml"]);
    folder.write("vramlint.toml", "exclude = [\"a.yaml\"]\n");
    assert_eq!(
        reported(&folder.request(&[])),
        ["gen/c.yaml", "legacy/b.yaml", "venv/d.yaml"],
        "`exclude` replaces the usual list"
    );
}

#[test]
fn a_missing_path_is_misuse() {
    let folder = Folder::new(&[("a.yaml", "")]);
    let error = check(&folder.request(&["a.yaml", "没有.yaml"])).expect_err("absent");
    assert_eq!(error.message.en, "没有.yaml: no such file or folder");
}

#[test]
fn large_data_is_skipped_unless_named() {
    let folder = Folder::new(&[("a.yaml", ""), ("big.json", &" ".repeat(3 << 20)), ("rows.jsonl", "{}")]);
    assert_eq!(reported(&folder.request(&[])), ["a.yaml"]);
    let report = check(&folder.request(&["big.json", "rows.jsonl"])).expect("no error");
    assert_eq!(lines(&report), ["big.json:1:1 file-too-large the file has 3 MiB, too large for configuration; it is not read"]);
    assert_eq!(report.skipped.named[0].path, "rows.jsonl");
}

#[test]
fn a_named_file_of_no_supported_kind_is_reported_as_not_read() {
    let folder = Folder::new(&[
        ("notes.txt", "BAD\n"),
        ("nb.ipynb", "{}\n"),
        ("job", "#!/bin/sh\nBAD\n"),
        (".env.yaml", "BAD\n"),
        ("requirements.txt", "torch\n"),
    ]);
    let report = check(&folder.request(&["notes.txt", "nb.ipynb", "job", ".env.yaml", "requirements.txt"])).expect("no error");
    assert_eq!(lines(&report), [".env.yaml:1:1 bad-word a bad word", "job:2:1 bad-word a bad word"]);
    let named: Vec<_> = report.skipped.named.iter().map(|file| (file.path.as_str(), file.reason)).collect();
    assert_eq!(named, [("notes.txt", SkipReason::UnsupportedKind), ("nb.ipynb", SkipReason::UnsupportedKind)]);
}

#[test]
fn files_that_are_not_read_are_counted_by_reason() {
    let folder = Folder::new(&[
        ("a.yaml", ""),
        ("big.json", &" ".repeat(3 << 20)),
        ("rows.jsonl", "{}"),
        ("nb.ipynb", "{}"),
        ("requirements.txt", "torch\n"),
        ("node_modules/a.yaml", ""),
        ("bytes.yaml", "a\0b"),
    ]);
    let report = check(&folder.request(&[])).expect("no error");
    let counts: Vec<_> = report.skipped.counts().iter().map(|(reason, count)| (reason.name(), *count)).collect();
    assert_eq!(counts, [("excluded", 1), ("unsupported-kind", 1), ("dataset", 1), ("too-large", 1), ("binary", 1)]);
    assert!(report.skipped.named.is_empty());
}

#[test]
fn standard_input_stands_for_its_file_and_is_reported_alone() {
    let folder = Folder::new(&[("vramlint.toml", ""), ("a.yaml", "BAD\n"), ("s/b.yaml", "BAD\nBAD\n")]);
    let request = Request { stdin: Some(("s/b.yaml".into(), b"# new\nBAD\n".to_vec())), ..folder.request(&[]) };
    assert_eq!(lines(&check(&request).expect("no error")), ["s/b.yaml:2:1 bad-word a bad word"]);
    assert_eq!(context(&request), ["a.yaml", "vramlint.toml"]);
    let request = Request { stdin: Some(("s/new.yaml".into(), b"BAD\n".to_vec())), ..folder.request(&[]) };
    assert_eq!(lines(&check(&request).expect("no error")), ["s/new.yaml:1:1 bad-word a bad word"]);
}

#[test]
fn overlays_count_instead_of_the_disk() {
    let folder = Folder::new(&[("a.yaml", "BAD\n")]);
    let mut request = folder.request(&[]);
    request.overlay.insert("a.yaml".into(), b"fine\n".to_vec());
    request.overlay.insert(folder.path().join("new/b.yaml"), b"\nBAD\n".to_vec());
    request.overlay.insert("node_modules/c.yaml".into(), b"BAD\n".to_vec());
    // Nothing on disk tells its size.
    request.overlay.insert("new/large.yaml".into(), [b"BAD\n".to_vec(), vec![b' '; super::MAX_FILE_SIZE as usize]].concat());
    assert_eq!(lines(&check(&request).expect("no error")), ["new/b.yaml:2:1 bad-word a bad word"]);
}

#[test]
fn a_walk_gives_up_at_its_limit() {
    let folder = Folder::new(&[("a.yaml", ""), ("b.yaml", ""), ("c/d.yaml", ""), ("c/e.txt", "")]);
    let walk = |files, entries| {
        let limit = Some(super::walk::WalkLimit { files, entries });
        super::walk::walk(folder.path(), &crate::overlay_fs::OverlayFs::default(), false, 2, limit, &|_, _| false)
    };
    assert!(!walk(3, 6).limit_reached);
    assert_eq!(walk(3, 6).files.len(), 3);
    assert!(walk(2, 6).limit_reached);
    assert!(walk(3, 5).limit_reached);
}

#[test]
fn without_its_whole_context_a_suppression_is_not_called_unused() {
    let loose: Vec<(String, &str)> = (0..2_100).map(|n| (format!("{n}.sh"), "")).collect();
    let mut files: Vec<(&str, &str)> = loose.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    files.push(("a.yaml", "x: BAD\ny: 1 # vramlint: ignore[bad-word]\n"));
    let folder = Folder::new(&files);
    let report = check(&folder.request(&["a.yaml"])).expect("no error");
    assert_eq!(lines(&report), ["a.yaml:1:4 bad-word a bad word"]);
    assert_eq!(report.project.files.len(), 1);
}

#[test]
fn an_ignored_file_is_read_if_a_file_of_the_project_names_it() {
    let folder = Folder::new(&[
        (".git/HEAD", ""),
        (".gitignore", "*.json\nmodels/\nout/\n"),
        ("run.sh", "deepspeed train.py --deepspeed scripts/zero3.json --output_dir out/first --data node_modules/a.json\n"),
        ("train.py", "from models.llama import build\nimport out\n"),
        ("scripts/zero3.json", ""),
        ("scripts/zero2.json", ""),
        ("models/__init__.py", ""),
        ("models/llama.py", "from . import layers\nopen('configs/sizes.json')\n"),
        ("models/layers.py", ""),
        ("models/unused.py", ""),
        ("configs/sizes.json", ""),
        ("out/first/config.json", ""),
        ("node_modules/a.json", ""),
    ]);
    let named =
        ["configs/sizes.json", "models/__init__.py", "models/layers.py", "models/llama.py", "run.sh", "scripts/zero3.json"];
    let whole: Vec<String> = named.iter().chain(&["train.py"]).map(ToString::to_string).collect();
    assert_eq!(reported(&folder.request(&[])), whole);
    let request = folder.request(&["run.sh"]);
    assert_eq!(reported(&request), ["run.sh"]);
    assert_eq!(context(&request), whole.into_iter().filter(|path| path != "run.sh").collect::<Vec<_>>());
    // A file of the command line is read whatever matches it, with what it names.
    assert_eq!(reported(&folder.request(&["scripts/zero2.json"])), ["scripts/zero2.json"]);
    folder.write("out/again.sh", "bash ../run.sh; bash out/first/env.sh\n");
    folder.write("out/first/env.sh", "");
    let request = folder.request(&["out/again.sh"]);
    assert!(context(&request).contains(&"out/first/env.sh".to_owned()));
    let request = Request { exclude: vec!["scripts".into()], ..folder.request(&[]) };
    assert!(!reported(&request).contains(&"scripts/zero3.json".to_owned()));
}

#[test]
fn a_loose_file_is_read_with_what_it_names_below_the_working_directory() {
    let folder = Folder::new(&[
        ("scripts/run.sh", "python -m tools.train --config configs/a.yaml\n"),
        ("configs/a.yaml", ""),
        ("configs/b.yaml", ""),
        ("tools/train.py", ""),
    ]);
    let request = folder.request(&["scripts/run.sh"]);
    assert_eq!(reported(&request), ["scripts/run.sh"]);
    assert_eq!(context(&request), ["configs/a.yaml", "tools/train.py"]);
    let request = Request { cwd: folder.path().join("scripts"), paths: vec!["run.sh".into()], ..Request::default() };
    assert_eq!(context(&request), [""; 0]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn links_never_lead_astray() {
        let folder = Folder::new(&[("a/real.yaml", "BAD\n"), ("elsewhere.txt", "")]);
        let at = |path: &str| folder.path().join(path);
        symlink("..", at("a/loop")).expect("link");
        symlink("nowhere.yaml", at("a/broken.yaml")).expect("link");
        symlink("real.yaml", at("a/alias.yaml")).expect("link");
        let report = check(&folder.request(&["a"])).expect("no error");
        assert_eq!(lines(&report), ["a/real.yaml:1:1 bad-word a bad word"]);
        assert_eq!(read(&report), (vec!["a/real.yaml".into()], vec!["a/alias.yaml".into()]));
        let report = check(&folder.request(&["a/alias.yaml", "a/broken.yaml"])).expect("no error");
        let found = lines(&report);
        assert_eq!(found[0], "a/alias.yaml:1:1 bad-word a bad word");
        assert!(found[1].starts_with("a/broken.yaml:1:1 unreadable-file cannot be read: "), "{found:?}");
    }

    #[test]
    fn what_the_machine_refuses_is_a_finding() {
        let folder = Folder::new(&[("a.yaml", "BAD\n"), ("locked.yaml", ""), ("shut/x.yaml", "")]);
        let set = |path: &str, mode| {
            std::fs::set_permissions(folder.path().join(path), std::fs::Permissions::from_mode(mode)).expect("chmod");
        };
        set("locked.yaml", 0o000);
        set("shut", 0o000);
        let refused = std::fs::read(folder.path().join("locked.yaml")).is_err();
        let found = lines(&check(&folder.request(&[])).expect("no error"));
        set("shut", 0o755);
        assert_eq!(found[0], "a.yaml:1:1 bad-word a bad word");
        // Root can read every file.
        if refused {
            assert!(found[1].starts_with("locked.yaml:1:1 unreadable-file cannot be read: "), "{found:?}");
            assert!(found[2].starts_with("shut:1:1 unreadable-file cannot be read: "), "{found:?}");
        } else {
            assert_eq!(found.len(), 1, "{found:?}");
        }
    }

    #[test]
    fn names_need_not_be_utf8() {
        let folder = Folder::new(&[]);
        let name = std::ffi::OsStr::from_bytes(b"caf\xe9.yaml");
        if std::fs::write(folder.path().join(name), "BAD\n").is_ok() {
            assert_eq!(lines(&check(&folder.request(&[])).expect("no error")), ["caf\u{fffd}.yaml:1:1 bad-word a bad word"]);
        }
    }
}

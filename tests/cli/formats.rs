//! Every format on one small project, in both languages, as snapshots.

use crate::run::Folder;
use insta::assert_snapshot;

/// Rules of which the project breaks one each, so that a new rule does not change every snapshot.
const RULES: &str = "--select VL007,VL101,VL201";

fn check(words: &str) -> String {
    Folder::project().run(&format!("check {RULES} {words}")).out(1)
}

#[test]
fn full() {
    assert_snapshot!("full-en", check("--output-format full"));
    assert_snapshot!("full-zh", check("--output-format full --lang zh"));
}

#[test]
fn concise() {
    assert_snapshot!("concise-en", check("--output-format concise"));
    assert_snapshot!("concise-zh", check("--output-format concise --lang zh"));
}

/// The text with what stands from the name of the estimate to its end left out: its figures are those of a simulation, whose
/// relations `tests/estimate.rs` holds.
fn without_figures(text: &str, end: &str) -> String {
    let from = text.find("\"estimate\":").expect("an estimate");
    let length = text[from..].find(end).expect("its end");
    format!("{}\"estimate\": …{}", &text[..from], &text[from + length..])
}

#[test]
fn json() {
    assert_snapshot!("json-en", without_figures(&check("--output-format json"), "}],\"summary\""));
    assert_snapshot!("json-zh", without_figures(&check("--output-format json --lang zh"), "}],\"summary\""));
}

#[test]
fn jsonl() {
    assert_snapshot!("jsonl-en", check("--output-format jsonl"));
}

#[test]
fn github() {
    assert_snapshot!("github-en", check("--output-format github"));
    assert_snapshot!("github-zh", check("--output-format github --lang zh"));
}

#[test]
fn gitlab() {
    assert_snapshot!("gitlab-en", check("--output-format gitlab"));
}

#[test]
fn junit() {
    assert_snapshot!("junit-en", check("--output-format junit"));
    assert_snapshot!("junit-zh", check("--output-format junit --lang zh"));
    // Some readers take a report without cases for a failure.
    let nothing = Folder::new(&[("notes.md", "nothing\n")]).run("check --output-format junit").out(0);
    assert!(nothing.contains("tests=\"1\" failures=\"0\"") && nothing.contains("<testcase "), "{nothing}");
}

#[test]
fn rdjson() {
    assert_snapshot!("rdjson-en", check("--output-format rdjson"));
}

/// The pages of the rules left out: `docs.rs` holds them.
#[test]
fn sarif() {
    for (name, words) in [("sarif-en", "--output-format sarif"), ("sarif-zh", "--output-format sarif --lang zh")] {
        let text = check(words);
        let (rules, rest) =
            (text.find("\"rules\":[").expect("rules"), text.find("]}},\"automation").expect("the end of the rules"));
        for rule in ["VL007", "VL101", "VL201"] {
            assert!(text[rules..rest].contains(&format!("{{\"id\":\"{rule}\",")), "{rule}: {text}");
        }
        assert_eq!(text[rules..rest].matches("\"help\":{\"text\":\"").count(), 3, "{text}");
        assert_snapshot!(name, format!("{}…{}", &text[..rules], &text[rest..]));
    }
}

#[test]
fn runs() {
    let estimated = |text: &str| text.lines().filter(|line| line.starts_with("  estimate ")).count();
    // An estimate goes on below its first line, in the column of values.
    let figures = |line: &&str| line.starts_with("  estimate ") || line.starts_with("     ");
    let others = |text: &str| text.lines().filter(|line| !figures(line)).collect::<Vec<_>>().join("\n");
    for (name, words) in [("runs-en", "runs"), ("runs-zh", "runs --lang zh")] {
        let text = Folder::project().run(words).out(0);
        assert_eq!(estimated(&text), 1, "{text}");
        assert_snapshot!(name, others(&text));
    }
    let json = Folder::project().run("runs --output-format json").out(0);
    assert_snapshot!("runs-json", without_figures(&json, "\n    }\n  ]\n}"));
}

#[test]
fn statistics() {
    assert_snapshot!(check("--statistics"), @r"
    2 VL007 yaml-number-is-text
    1 VL101 multi-gpu-one-process
    1 VL201 effective-batch-claim
    Found 3 warnings, 1 note in 5 files (1 run); 2 fixable with --fix, 2 more with --unsafe-fixes
    ");
    assert_snapshot!(check("--statistics --output-format json"), @r#"[{"code":"VL007","name":"yaml-number-is-text","count":2},{"code":"VL101","name":"multi-gpu-one-process","count":1},{"code":"VL201","name":"effective-batch-claim","count":1}]"#);
}

/// No format may leave blanks at the end of a line, a carriage return or an escape sequence.
#[test]
fn text_is_clean() {
    let folder = Folder::project();
    for name in ["accelerate_config.yaml", "train.yaml", "launch.sh"] {
        folder.write(name, folder.read(name).replace('\n', "\r\n"));
    }
    for words in [
        "check",
        "check --lang zh",
        "runs",
        "runs --lang zh",
        "check --output-format concise",
        "rule VL007",
        "rule --all --lang zh",
    ] {
        let out = folder.run(words).out;
        assert!(out.lines().count() > 3, "{words}: {out}");
        for line in out.split('\n') {
            assert_eq!(line, line.trim_end(), "{words}");
            assert!(!line.contains(['\r', '\x1b']), "{words}: {line:?}");
        }
    }
}

/// What a file or its name says is quoted in messages: it may not move the cursor, nor pass for a finding of its own.
#[test]
fn what_is_quoted_stays_on_its_line() {
    let text = "compute_environment: LOCAL_MACHINE\n\"a\\nb.yaml:1:1: error[VL001] c\\e[31m\\u202E\": 1\nnum_processes: 1\n";
    let folder = Folder::new(&[("accelerate_config.yaml", text)]);
    let count = |words: &str| {
        let out = folder.run(&format!("check --select VL004 {words}")).out(1);
        assert!(!out.contains(['\x1b', '\u{202e}']) && out.contains("a␊b.yaml"), "{words}: {out:?}");
        out.lines().count()
    };
    assert_eq!(count("--quiet --output-format concise"), 1);
    count("--output-format full");
    #[cfg(unix)]
    {
        let folder = Folder::new(&[("x\n\x1b[2Jy/accelerate_config.yaml", text)]);
        for format in ["concise", "full"] {
            let out = folder.run(&format!("check --select VL004 --output-format {format}")).out(1);
            assert!(!out.contains('\x1b') && out.contains("x␊␛[2Jy/accelerate_config.yaml"), "{out:?}");
        }
    }
}

#[test]
fn colour_is_where_it_is_asked_for() {
    let folder = Folder::project();
    let coloured = |words: &str, variables: &[(&str, &str)]| folder.run_with(words, variables).out.contains('\x1b');
    for command in ["check", "check --output-format concise", "check --statistics", "runs"] {
        assert!(!coloured(command, &[]), "{command}: this is no terminal");
        assert!(coloured(&format!("{command} --color always"), &[("NO_COLOR", "1")]), "{command}");
        assert!(coloured(command, &[("CLICOLOR_FORCE", "1")]), "{command}");
        assert!(!coloured(command, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), "{command}");
        assert!(!coloured(&format!("{command} --color never"), &[("CLICOLOR_FORCE", "1")]), "{command}");
    }
    for format in ["json", "jsonl", "github", "gitlab", "sarif", "junit", "rdjson"] {
        assert!(!coloured(&format!("check --color always --output-format {format}"), &[]), "{format}");
    }
}

//! Suppressions in every kind of file have an effect.

use super::{AddIgnoreOutcome, add_with};
use crate::fix::write;
use crate::testing::{Folder, backend, lines};

fn added(folder: &Folder, paths: &[&str]) -> AddIgnoreOutcome {
    let outcome = add_with(&backend(), &folder.request(paths), "known  since\nMay", &|_, _| {}).expect("no error");
    for file in &outcome.files {
        write(file).expect("writable");
    }
    outcome
}

#[test]
fn a_comment_stands_above_and_holds() {
    let folder = Folder::new(&[
        ("a.yaml", "\u{feff}x: BAD\r\nmap:\r\n  # why\r\n  y: BAD UGLY\r\n  z: 1"),
        ("run.sh", "#!/bin/sh\nlaunch \\\n  --a BAD \\\n  --b\n"),
        ("Makefile", "all:\n\ttrain BAD\n"),
        ("run.bat", "train BAD\r\n"),
    ]);
    let outcome = added(&folder, &[]);
    assert_eq!((lines(&outcome.report), outcome.count), (vec![], 6));
    assert_eq!(
        folder.read("a.yaml"),
        "\u{feff}# vramlint: ignore[bad-word] known since May\r\nx: BAD\r\nmap:\r\n  # why\r\n  # vramlint: ignore[bad-word, other-word] known since May\r\n  y: BAD UGLY\r\n  z: 1"
    );
    assert_eq!(
        folder.read("run.sh"),
        "#!/bin/sh\n# vramlint: ignore[bad-word] known since May\nlaunch \\\n  --a BAD \\\n  --b\n"
    );
    assert_eq!(folder.read("Makefile"), "all:\n# vramlint: ignore[bad-word] known since May\n\ttrain BAD\n");
    assert!(folder.read("run.bat").starts_with("rem vramlint: ignore[bad-word] known since May\r\n"));
    assert!(added(&folder, &[]).files.is_empty(), "twice is once");
}

#[test]
fn json_goes_to_the_configuration() {
    let folder = Folder::new(&[("sub/ds.json", "{\"x\": \"BAD\"}\n"), ("sub/b.jsonc", "{\n  \"x\": \"BAD\"\n}\n")]);
    let outcome = added(&folder, &[]);
    assert_eq!((lines(&outcome.report), outcome.count), (vec![], 2));
    assert_eq!(folder.read("sub/ds.json"), "{\"x\": \"BAD\"}\n");
    assert_eq!(folder.read("vramlint.toml"), "[lint.per-file-ignores]\n\"sub/ds.json\" = [\"bad-word\"]\n");
    assert_eq!(folder.read("sub/b.jsonc"), "{\n  // vramlint: ignore[bad-word] known since May\n  \"x\": \"BAD\"\n}\n");
    assert!(added(&folder, &[]).files.is_empty(), "twice is once");
    // Without a configuration, there is no placement, and the finding stays.
    let folder = Folder::new(&[("ds.json", "{\"x\": \"BAD\"}\n")]);
    let request = crate::Request { isolated: true, ..folder.request(&[]) };
    let outcome = add_with(&backend(), &request, "x", &|_, _| {}).expect("no error");
    assert_eq!((lines(&outcome.report).len(), outcome.files.len(), outcome.count), (1, 0, 0));
}

#[test]
fn an_example_of_a_document_is_suppressed_above_its_fence() {
    let folder = Folder::new(&[("README.md", "# T\n\n```yaml\nx: 1\ny: BAD\n```\n")]);
    let outcome = added(&folder, &[]);
    assert_eq!(lines(&outcome.report), Vec::<String>::new());
    assert_eq!(
        folder.read("README.md"),
        "# T\n\n<!-- vramlint: ignore[bad-word] known since May -->\n```yaml\nx: 1\ny: BAD\n```\n"
    );
}

//! Names say what they hold: no file is called after a word of a sentence, and no path or sentence repeats a private metaphor.

use vramlint_test::{files_below, workspace_root};

/// Words that are no names of things. A file with one of them as its name does not tell a newcomer what it holds.
const FILE_STEMS: &[&str] = &[
    "at", "beside", "blame", "claimed", "given", "ground", "held", "ink", "marks", "note", "of_runs", "offered", "one",
    "refused", "said", "seed", "shelf", "sift", "spread", "stated", "thin", "told", "trouble", "utils", "voice", "web", "which",
    "who", "whole", "within", "world",
];

/// Function names that say nothing outside a sentence. Constructors of a type may be called `of`.
const FUNCTIONS: &[&str] = &["one", "said", "told", "given", "stated", "meant", "spoken", "whole", "stands"];

#[test]
fn file_names_say_what_is_inside() {
    let mut wrong = Vec::new();
    for path in files_below(&workspace_root().join("crates")) {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if path.extension().is_some_and(|end| end == "rs") && FILE_STEMS.contains(&stem) {
            wrong.push(path);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn public_functions_have_names_that_can_be_searched_for() {
    let mut wrong = Vec::new();
    for path in
        files_below(&workspace_root().join("crates")).into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"))
    {
        let text = std::fs::read_to_string(&path).expect("readable");
        for line in text.lines().map(str::trim_start).filter(|line| line.starts_with("pub")) {
            let name = line.split("fn ").nth(1).and_then(|rest| rest.split(['(', '<']).next());
            if name.is_some_and(|name| FUNCTIONS.contains(&name)) {
                wrong.push(format!("{}: {line}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

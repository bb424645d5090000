//! The page on reliability names every group of faults, every language of texts and every fuzz target, and no others.

use std::collections::BTreeSet;
use std::path::Path;
use vramlint_test::workspace_root;

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The quoted words of the list that `name` starts in a Python file.
fn list(text: &str, name: &str) -> BTreeSet<String> {
    let from = text.split_once(&format!("{name} = [")).expect("the list is there").1;
    let body = from.split_once(']').expect("it ends").0;
    body.split(',').map(|word| word.trim().trim_matches('"').to_owned()).filter(|word| !word.is_empty()).collect()
}

fn stems(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there").flatten();
    entries.filter_map(|entry| Some(entry.path().file_stem()?.to_str()?.to_owned())).collect()
}

#[test]
fn the_page_names_what_is_tried() {
    let root = workspace_root();
    let groups = list(&read(&root.join("tests/reliability/faults.py")), "GROUPS");
    let languages = list(&read(&root.join("tests/reliability/texts/__init__.py")), "LANGUAGES");
    let targets = stems(&root.join("fuzz/fuzz_targets"));
    assert!(groups.len() > 5 && languages.len() > 10 && targets.len() > 10);
    for page in ["docs/reliability.md", "docs/reliability.zh.md"] {
        let text = read(&root.join(page));
        let words: BTreeSet<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        for name in groups.iter().chain(&languages).chain(&targets) {
            assert!(words.contains(name.as_str()), "{page} does not name {name}");
        }
        let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        assert_eq!(rows.map(str::to_owned).collect::<BTreeSet<_>>(), groups, "{page}");
    }
}

#[test]
fn every_target_is_built() {
    let root = workspace_root();
    let manifest = read(&root.join("fuzz/Cargo.toml"));
    for target in stems(&root.join("fuzz/fuzz_targets")) {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{target}.rs\"")), "{target}");
    }
}

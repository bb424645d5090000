//! JSON: places that can be trusted, and the documented form.

use crate::run::{Folder, guides, root};
use crate::schema::Schema;
use serde_json::Value;
use std::path::Path;

fn json(folder: &Folder, words: &str) -> Value {
    serde_json::from_str(&folder.run(words).out).expect("JSON")
}

/// The byte at which a line and a column (from 1, in Unicode scalar values) stand.
fn byte_of(text: &str, line: u64, column: u64) -> usize {
    let (mut at, mut now, mut chars) = (0, 1, text.char_indices().peekable());
    while now < line {
        let (i, c) = chars.next().expect("the line exists");
        let ends = c == '\n' || c == '\r' && chars.peek().map(|(_, c)| *c) != Some('\n');
        now += u64::from(ends);
        at = i + c.len_utf8();
    }
    let line = &text[at..];
    at + line.char_indices().nth(column as usize - 1).map_or(line.len(), |(i, _)| i)
}

fn check_place(folder: &Folder, place: &Value) {
    let text = folder.read(place["path"].as_str().expect("a path"));
    for end in ["start", "end"] {
        let number = |name: &str| place[end][name].as_u64().expect("a number");
        let offset = number("offset") as usize;
        assert!(text.is_char_boundary(offset), "{place}");
        assert_eq!(byte_of(&text, number("line"), number("column")), offset, "{place}");
    }
}

#[test]
fn lines_columns_and_offsets_agree() {
    let mut seen = 0;
    let sources = guides().into_iter().chain([root().join("tests/cli/project"), root().join("examples/reward-model")]);
    for (source, crlf) in sources.flat_map(|source| [(source.clone(), false), (source, true)]) {
        let folder = Folder::copy(&source);
        if crlf {
            for name in crate::run::files_below(folder.path()) {
                let name = name.to_str().expect("a plain name").to_owned();
                folder.write(&name, folder.read(&name).replace('\n', "\r\n"));
            }
        }
        for finding in json(&folder, "check --output-format json")["findings"].as_array().expect("a list") {
            seen += 1;
            check_place(&folder, finding);
            finding["related"].as_array().expect("a list").iter().for_each(|related| check_place(&folder, related));
            for edit in
                finding["fixes"].as_array().expect("a list").iter().flat_map(|fix| fix["edits"].as_array().expect("a list"))
            {
                let text = folder.read(edit["path"].as_str().expect("a path"));
                let (start, end) = (edit["offset"].as_u64().expect("bytes"), edit["end_offset"].as_u64().expect("bytes"));
                assert!(text.get(start as usize..end as usize).is_some(), "{edit}");
            }
        }
        for run in json(&folder, "runs --output-format json")["runs"].as_array().expect("a list") {
            check_place(&folder, &run["place"]);
            for (_, setting) in run["settings"].as_object().expect("an object") {
                let overridden = setting["overridden"].as_array().expect("a list").iter().map(|loser| &loser["origin"]);
                overridden
                    .chain([&setting["origin"]])
                    .filter(|origin| origin["path"].is_string())
                    .for_each(|origin| check_place(&folder, origin));
            }
        }
    }
    assert!(seen > 20, "{seen} findings looked at");
}

/// Places in a fence are places in the document.
#[test]
fn a_fence_is_a_part_of_its_document() {
    let folder = Folder::project();
    let report = json(&folder, "check --select VL007 --output-format json notes.md");
    let finding = &report["findings"][0];
    assert_eq!((finding["start"]["line"].as_u64(), finding["start"]["column"].as_u64()), (Some(7), Some(18)));
    let text = folder.read("notes.md");
    let at = |name: &str| finding[name]["offset"].as_u64().expect("bytes") as usize;
    assert_eq!(&text[at("start")..at("end")], "3e-5");
    let edit = &finding["fixes"][0]["edits"][0];
    assert_eq!((edit["path"].as_str(), edit["offset"].as_u64()), (Some("notes.md"), Some(at("start") as u64)));
}

#[test]
fn the_output_has_the_documented_form() {
    let schema = Schema::read(&root().join("schemas/output.json"));
    let sources: Vec<_> = guides().into_iter().chain([root().join("tests/cli/project")]).collect();
    for source in sources {
        let folder = Folder::copy(&source);
        schema.check("report", &json(&folder, "check --output-format json"));
        schema.check("runs", &json(&folder, "runs --output-format json"));
        for line in folder.run("check --output-format jsonl").out.lines() {
            schema.check("finding", &serde_json::from_str(line).expect("JSON"));
        }
    }
}

/// The order of fields is that of the documentation: people read JSON too.
#[test]
fn fields_stand_in_their_order() {
    let folder = Folder::project();
    let order = |text: &str, names: &[&str]| {
        let places: Vec<_> =
            names.iter().map(|name| text.find(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{name}: {text}"))).collect();
        assert!(places.is_sorted(), "{names:?}: {places:?}");
    };
    let checked = folder.run("check --output-format json").out;
    order(
        &checked,
        &[
            "version",
            "findings",
            "code",
            "name",
            "severity",
            "message",
            "help",
            "path",
            "start",
            "line",
            "column",
            "offset",
            "end",
            "related",
            "run",
            "fixes",
            "title",
            "applicability",
            "edits",
            "end_offset",
            "text",
            "runs",
            "id",
            "effective_batch",
            "world_size",
            "summary",
            "files",
            "error",
            "warning",
            "info",
        ],
    );
    assert_eq!(checked.lines().count(), 1);
    let runs = folder.run("runs --output-format json").out;
    let outer = ["version", "runs", "id", "world_size", "micro_batch", "gradient_accumulation_steps", "effective_batch"];
    order(
        &runs,
        &[&outer[..], &["model", "settings", "value", "origin", "kind", "overridden", "files", "place", "absent"]].concat(),
    );
    order(&runs, &["path", "start", "line", "column", "offset", "end"]);
}

#[test]
fn what_is_not_known_is_null() {
    let folder = Folder::new(&[("train.sh", "accelerate launch --num_processes $N train.py\n"), ("train.py", "print(1)\n")]);
    let run = &json(&folder, "runs --output-format json")["runs"][0];
    for name in ["world_size", "micro_batch", "gradient_accumulation_steps", "effective_batch"] {
        assert!(run.as_object().expect("a run").contains_key(name), "{name}: {run}");
    }
    assert!(run["world_size"].is_null() && run["effective_batch"].is_null(), "{run}");
}

#[test]
fn the_schema_of_the_configuration_is_the_one_in_the_repository() {
    let printed: Value = serde_json::from_str(&Folder::new(&[]).run("schema vramlint").out(0)).expect("JSON");
    let kept = std::fs::read_to_string(root().join(Path::new("schemas/vramlint.json"))).expect("readable");
    assert_eq!(printed, serde_json::from_str::<Value>(&kept).expect("JSON"));
}

/// What DeepSpeed takes, its schema takes: over the real files, where they are there.
#[test]
fn the_schema_of_deepspeed_takes_what_deepspeed_takes() {
    let printed: Value = serde_json::from_str(&Folder::new(&[]).run("schema deepspeed").out(0)).expect("JSON");
    let kept = root().join("schemas/deepspeed.json");
    assert_eq!(printed, serde_json::from_str::<Value>(&std::fs::read_to_string(&kept).expect("readable")).expect("JSON"));
    let schema = Schema::read(&kept);
    schema.check("", &serde_json::json!({"train_batch_size": "auto", "zero_optimization": {"stage": 3}, "of_my_own": {}}));
}

#[test]
#[ignore = "needs the reference material in ../shared"]
fn the_schema_of_deepspeed_accepts_real_files() {
    let schema = Schema::read(&root().join("schemas/deepspeed.json"));
    let corpus = vramlint_test::shared("corpus");
    let labels = std::fs::read_to_string(corpus.join("LABELS.jsonl")).expect("readable");
    let mut checked = 0;
    for row in labels.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let taken = matches!(row["label"].as_str(), Some("accepted" | "warned" | "world_dependent"));
        let Some(path) = row["path"].as_str().filter(|_| taken && row["kind"] == "deepspeed") else { continue };
        let Ok(text) = std::fs::read_to_string(corpus.join(path)) else { continue };
        let Ok(config) = serde_json::from_str::<Value>(&text) else { continue };
        schema.check("", &config);
        checked += 1;
    }
    assert!(checked > 50, "only {checked} files");
}

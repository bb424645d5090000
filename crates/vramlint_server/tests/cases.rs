//! The same findings from the command line and from the server, for every project among the pairs of cases. Skipped, and said so,
//! where they are absent.

mod client;

use client::{Client, able, fresh};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Every `good` and `bad` folder below.
fn sides(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("readable")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.is_dir())
        .collect();
    entries.sort();
    for path in entries {
        if path.file_name().is_some_and(|name| name == "good" || name == "bad") {
            out.push(path);
        } else {
            sides(&path, out);
        }
    }
}

#[tokio::test]
async fn the_server_finds_what_the_command_line_finds() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/projects");
    let Ok(top) = top.canonicalize() else {
        println!("skipped: the cases of the reference material are absent");
        return;
    };
    let mut all = Vec::new();
    sides(&top, &mut all);
    assert!(all.len() > 200, "only {} projects", all.len());
    let mut differ = Vec::new();
    // One session for many folders, as somebody works through a day; new ones now and then.
    for folders in all.chunks(20) {
        let mut client = Client::with(&[], able(), json!({})).await;
        for folder in folders {
            let named = json!({"uri": client::uri(folder), "name": "case"});
            client.tell("workspace/didChangeWorkspaceFolders", json!({"event": {"added": [named.clone()], "removed": []}})).await;
            client.settle().await;
            let (told, expected) = (client.everything(), fresh(folder, &[], false));
            if told != expected {
                let (more, less) = (told.difference(&expected), expected.difference(&told));
                differ.push(format!("{}: {:?} / {:?}", folder.display(), more.collect::<Vec<_>>(), less.collect::<Vec<_>>()));
            }
            client.tell("workspace/didChangeWorkspaceFolders", json!({"event": {"added": [], "removed": [named]}})).await;
        }
        assert!(client.leave().await);
    }
    assert!(differ.is_empty(), "{differ:#?}");
}

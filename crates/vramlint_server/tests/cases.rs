//! The server reports what `check` reports.

mod client;

use client::{Client, able, fresh};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Folders that one session opens, one after the other.
const FOLDERS_PER_SESSION: usize = 20;

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Opens each folder, waits, and compares the diagnostics with the findings of a fresh `check`.
async fn reports_what_check_reports(projects: &[PathBuf]) {
    let mut different = Vec::new();
    for folders in projects.chunks(FOLDERS_PER_SESSION) {
        let mut client = Client::with(&[], able(), json!({})).await;
        for folder in folders {
            let named = json!({"uri": client::uri(folder), "name": "case"});
            client.tell("workspace/didChangeWorkspaceFolders", json!({"event": {"added": [named.clone()], "removed": []}})).await;
            client.settle().await;
            let (reported, expected) = (client.everything(), fresh(folder, &[], false));
            if reported != expected {
                let (more, less) = (reported.difference(&expected), expected.difference(&reported));
                different.push(format!("{}: {:?} / {:?}", folder.display(), more.collect::<Vec<_>>(), less.collect::<Vec<_>>()));
            }
            client.tell("workspace/didChangeWorkspaceFolders", json!({"event": {"added": [], "removed": [named]}})).await;
        }
        assert!(client.leave().await);
    }
    assert!(different.is_empty(), "{different:#?}");
}

#[tokio::test]
async fn the_server_reports_what_check_reports_in_the_guides() {
    let mut projects = below(&repository().join("examples"));
    projects.extend(below(&repository().join("tests/guides")).iter().flat_map(|guide| below(guide)));
    assert!(projects.len() > 10, "only {} projects", projects.len());
    reports_what_check_reports(&projects).await;
}

#[tokio::test]
#[ignore = "needs the shared cases next to the checkout"]
async fn the_server_reports_what_check_reports_in_the_shared_cases() {
    let shared = repository().join("../shared/cases/projects").canonicalize().expect("the shared cases");
    let cases = below(&shared).iter().flat_map(|family| below(family)).collect::<Vec<_>>();
    let sides = cases.iter().flat_map(|case| ["good", "bad"].map(|side| case.join(side)));
    let projects: Vec<PathBuf> = sides.filter(|side| side.is_dir()).collect();
    assert!(projects.len() > 200, "only {} projects", projects.len());
    reports_what_check_reports(&projects).await;
}

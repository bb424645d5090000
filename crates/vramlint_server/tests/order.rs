//! Edits are applied in order under concurrent requests.

mod client;

use client::{Client, able, fresh, project, real, uri};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

/// 300 edits in a row, each on top of the one before, while every analysis is slow and requests are interleaved.
#[tokio::test]
async fn rapid_edits_under_slow_analysis_keep_order_and_text() {
    let folder = project();
    let root = real(&folder);
    let path = root.join("acc.yaml");
    let mut client = Client::with(&[&root], able(), json!({})).await;
    client.host.slow.store(25, Ordering::SeqCst);
    let mut text = std::fs::read_to_string(&path).expect("readable");
    client.open(&path, "yaml", 0, &text).await;
    let mut requests = Vec::new();
    for version in 1..=300 {
        // Each edit inserts before the previous one: in another order the text would differ.
        let line = format!("wrong_{version:03}: {version}\n");
        let at = json!({"line": 0, "character": 0});
        let first = json!({"range": {"start": at, "end": at}, "text": line});
        // Replaces the `w` of the new line.
        let second = json!({"range": {"start": at, "end": {"line": 0, "character": 1}}, "text": "W"});
        client.change(&path, version, json!([first, second])).await;
        text = format!("W{}{text}", &line[1..]);
        if version % 7 == 0 {
            let params = json!({"textDocument": {"uri": uri(&path)}, "position": {"line": 0, "character": 2}});
            requests.push(client.post("textDocument/hover", params).await);
        }
    }
    client.settle().await;
    let unsaved = [(path.clone(), text.clone())];
    assert_eq!(client.everything(), fresh(&root, &unsaved, false));
    let wrong: Vec<String> = client.shown[&uri(&path)]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["message"].as_str()?.split('`').find(|word| word.starts_with("Wrong_")).map(str::to_owned))
        .collect();
    let all: Vec<String> = (1..=300).rev().map(|number| format!("Wrong_{number:03}")).collect();
    assert_eq!(wrong, all, "every edit is there, the last one first");
    let versions: Vec<i64> = client
        .notes
        .iter()
        .filter(|note| note["params"]["uri"] == uri(&path) && note["method"] == "textDocument/publishDiagnostics")
        .filter_map(|note| note["params"]["version"].as_i64())
        .collect();
    assert!(versions.is_sorted() && versions.last() == Some(&300), "{versions:?}");
    // Far fewer analyses than edits: outdated ones are skipped or cancelled.
    assert!(client.host.analyses.load(Ordering::SeqCst) < 300);
    assert!(!requests.is_empty());
    assert!(client.leave().await);
}

/// A request sees every edit sent before it, and fails if the text changes during it.
#[tokio::test]
async fn a_request_sees_the_edits_before_it() {
    let folder = project();
    let root = real(&folder);
    let path = root.join("acc.yaml");
    let mut client = Client::with(&[&root], client::pulling(), json!({})).await;
    let text = std::fs::read_to_string(&path).expect("readable");
    client.open(&path, "yaml", 1, &text).await;
    client.settle().await;
    client.host.slow.store(40, Ordering::SeqCst);
    let ask = json!({"textDocument": {"uri": uri(&path)}});
    let mut numbers = Vec::new();
    for version in 2..12 {
        client.write(&path, version, &format!("{text}extra_{version}: 1\n")).await;
        numbers.push((version, client.post("textDocument/diagnostic", ask.clone()).await));
    }
    for (version, number) in numbers {
        match client.answer(number).await {
            Ok(report) => {
                let messages: Vec<&str> = messages(&report);
                let word = format!("`extra_{version}`");
                assert!(messages.iter().any(|message| message.contains(&word)), "{version}: {messages:?}");
            }
            // The client asks again.
            Err(error) => {
                assert!(version < 11, "nothing changed after the last request: {error}");
                assert_eq!((&error["code"], &error["data"]["retriggerRequest"]), (&json!(-32802), &json!(true)));
            }
        }
    }
    assert!(client.leave().await);
}

fn messages(report: &Value) -> Vec<&str> {
    report["items"].as_array().into_iter().flatten().filter_map(|one| one["message"].as_str()).collect()
}

/// A request whose document changed fails, and so does one that the client cancelled.
#[tokio::test]
async fn requests_are_cancelled_by_edits_and_by_the_client() {
    let folder = project();
    let root = real(&folder);
    let path = root.join("acc.yaml");
    let mut client = Client::start(&root).await;
    let text = std::fs::read_to_string(&path).expect("readable");
    client.open(&path, "yaml", 1, &text).await;
    client.settle().await;
    client.host.slow.store(150, Ordering::SeqCst);
    let place = json!({"textDocument": {"uri": uri(&path)}, "position": {"line": 0, "character": 2}});
    client.write(&path, 2, &format!("{text}\n")).await;
    let stale = client.post("textDocument/hover", place.clone()).await;
    client.write(&path, 3, &format!("{text}\n\n")).await;
    let cancelled = client.post("textDocument/hover", place).await;
    client.tell("$/cancelRequest", json!({"id": cancelled})).await;
    let stale = client.answer(stale).await.expect_err("its text changed");
    let cancelled = client.answer(cancelled).await.expect_err("it was cancelled");
    assert_eq!((&stale["code"], &cancelled["code"]), (&json!(-32801), &json!(-32800)));
    client.settle().await;
    assert!(client.leave().await);
}

//! Sessions apart from edit order: published and pulled diagnostics, encodings, folders, settings, failures, the end.

mod client;

use client::{Client, able, fresh, line, project, pulling, real, uri};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::Ordering;

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(path, text).expect("written");
}

#[tokio::test]
async fn a_change_in_one_file_refreshes_another() {
    let folder = project();
    let root = real(&folder);
    let (script, config) = (root.join("run.sh"), root.join("acc.yaml"));
    let mut client = Client::with(&[&root], able(), json!({})).await;
    client.settle().await;
    let at_first = client.everything();
    assert_eq!(at_first, fresh(&root, &[], false));
    let text = std::fs::read_to_string(&script).expect("readable");
    client.open(&script, "shellscript", 1, &text).await;
    let related = client.shown.values().flat_map(|found| found.as_array().into_iter().flatten());
    assert!(related.into_iter().any(|one| one["relatedInformation"].is_array()), "who sets the other value is told");
    // The script no longer sets the number of processes: the value of the configuration takes effect.
    let text = text.replace(" --num_processes 4", "");
    client.write(&script, 2, &text).await;
    client.settle().await;
    let unsaved = [(script.clone(), text)];
    assert_eq!(client.everything(), fresh(&root, &unsaved, false));
    let of = |all: &BTreeSet<String>| all.iter().filter(|line| line.starts_with(&uri(&config))).cloned().collect::<Vec<_>>();
    assert_ne!(of(&at_first), of(&client.everything()), "the configuration has other findings now");
    // Closed without saving: the file on disk counts again.
    client.close(&script).await;
    client.settle().await;
    assert_eq!(client.everything(), at_first);
    assert!(client.leave().await);
}

#[tokio::test]
async fn nothing_is_told_twice() {
    let folder = project();
    let root = real(&folder);
    let mut client = Client::start(&root).await;
    client.settle().await;
    let published =
        |client: &Client| client.notes.iter().filter(|note| note["method"] == "textDocument/publishDiagnostics").count();
    let before = published(&client);
    let script = root.join("run.sh");
    let text = std::fs::read_to_string(&script).expect("readable");
    client.open(&script, "shellscript", 1, &text).await;
    client.settle().await;
    // At most the opened file is published again, for its version.
    assert!(published(&client) <= before + 1);
    client.settle().await;
    assert!(published(&client) <= before + 1);
    assert!(client.leave().await);
}

#[tokio::test]
async fn bytes_and_units_of_two_bytes_give_equal_places() {
    let folder = project();
    let root = real(&folder);
    let path = root.join("多.yaml");
    let text = "compute_environment: LOCAL_MACHINE\r\n\"显存🚀\": 1 # 🚀\r\n\"模\": 2\r\nmixed_precision: fp16\r\ndistributed_type: MULTI_GPU\r\n";
    for (offered, utf16) in [(json!(["utf-16", "utf-8"]), false), (json!(["utf-16"]), true), (json!([]), true)] {
        let mut abilities = able();
        abilities["general"] = json!({"positionEncodings": offered});
        let mut client = Client::with(&[&root], abilities, json!({})).await;
        let spoken = if utf16 { "utf-16" } else { "utf-8" };
        assert_eq!(client.capabilities["positionEncoding"], json!(spoken));
        client.open(&path, "yaml", 1, text).await;
        // After the rocket, in the encoding of this client.
        let column = if utf16 { "\"显存🚀".encode_utf16().count() } else { "\"显存🚀".len() };
        let at = json!({"line": 1, "character": column});
        client.change(&path, 2, json!([{"range": {"start": at, "end": at}, "text": "卡"}])).await;
        client.settle().await;
        let unsaved = [(path.clone(), text.replace("🚀\":", "🚀卡\":"))];
        assert_eq!(client.everything(), fresh(&root, &unsaved, utf16), "{spoken}");
        assert!(client.shown[&uri(&path)].to_string().contains("🚀卡"), "{:?}", client.shown);
        assert!(client.leave().await);
    }
}

#[tokio::test]
async fn a_client_that_asks_is_not_told() {
    let folder = project();
    let root = real(&folder);
    let path = root.join("acc.yaml");
    let mut client = Client::with(&[&root], pulling(), json!({})).await;
    assert_eq!(client.capabilities["diagnosticProvider"]["interFileDependencies"], json!(true));
    let text = std::fs::read_to_string(&path).expect("readable");
    client.open(&path, "yaml", 1, &text).await;
    client.settle().await;
    let all = client.ask("workspace/diagnostic", json!({"previousResultIds": []})).await.expect("an answer");
    let items = all["items"].as_array().expect("a list").clone();
    let line_of = |item: &Value| {
        let uri = item["uri"].as_str().expect("an address").to_owned();
        item["items"].as_array().into_iter().flatten().map(|one| line(&uri, one)).collect::<Vec<_>>()
    };
    assert_eq!(items.iter().flat_map(line_of).collect::<BTreeSet<_>>(), fresh(&root, &[], false));
    // Known diagnostics are not reported again: the same request waits for changes.
    let known: Vec<Value> = items.iter().map(|item| json!({"uri": item["uri"], "value": item["resultId"]})).collect();
    let waiting = client.post("workspace/diagnostic", json!({"previousResultIds": known})).await;
    let ask = json!({"textDocument": {"uri": uri(&path)}});
    let report = client.ask("textDocument/diagnostic", ask.clone()).await.expect("an answer");
    assert_eq!(report["kind"], json!("full"));
    let mut again = ask.clone();
    again["previousResultId"] = report["resultId"].clone();
    let same = client.ask("textDocument/diagnostic", again.clone()).await.expect("an answer");
    assert_eq!((&same["kind"], &same["resultId"]), (&json!("unchanged"), &report["resultId"]));
    client.write(&path, 2, &format!("{}num_procesess: 2\n", text.replace("MULTI_GPU", "NO"))).await;
    let other = client.ask("textDocument/diagnostic", again).await.expect("an answer");
    assert_eq!(other["kind"], json!("full"));
    let new = client.answer(waiting).await.expect("an answer");
    assert!(!new["items"].as_array().expect("a list").is_empty());
    client.settle().await;
    assert!(client.asked.iter().any(|asked| asked["method"] == "workspace/diagnostic/refresh"), "other files changed");
    assert!(client.shown.is_empty(), "nothing is sent of its own accord: {:?}", client.shown);
    assert!(client.leave().await);

    let mut other = Client::with(&[&root], able(), json!({})).await;
    assert_eq!(other.capabilities["diagnosticProvider"], Value::Null);
    other.settle().await;
    assert!(!other.shown.is_empty());
    assert!(other.leave().await);
}

#[tokio::test]
async fn a_panic_is_logged_and_the_server_lives_on() {
    let folder = project();
    let root = real(&folder);
    let path = root.join("acc.yaml");
    let mut client = Client::with(&[&root], able(), json!({})).await;
    let text = std::fs::read_to_string(&path).expect("readable");
    client.open(&path, "yaml", 1, &text).await;
    client.settle().await;
    *client.host.fails.lock().expect("whole") = Some("textDocument/hover");
    let place = json!({"textDocument": {"uri": uri(&path)}, "position": {"line": 0, "character": 2}});
    assert_eq!(client.ask("textDocument/hover", place.clone()).await, Ok(Value::Null));
    assert!(client.ask("textDocument/definition", place.clone()).await.is_ok(), "other requests are answered");
    *client.host.fails.lock().expect("whole") = None;
    assert!(client.ask("textDocument/hover", place).await.is_ok());
    *client.host.breaks.lock().expect("whole") = true;
    client.write(&path, 2, &format!("{text}wrong_key: 1\n")).await;
    client.settle().await;
    client.write(&path, 3, &format!("{text}wrong_key: 2\n")).await;
    client.settle().await;
    let unsaved = [(path.clone(), format!("{text}wrong_key: 2\n"))];
    assert_eq!(client.everything(), fresh(&root, &unsaved, false));
    let logged = client.logged().join("\n");
    assert!(
        logged.contains("textDocument/hover: the answer breaks") && logged.contains("analysis: the analysis breaks"),
        "{logged}"
    );
    assert!(client.leave().await);
}

#[tokio::test]
async fn a_broken_configuration_is_shown_and_the_rest_stays() {
    let folder = project();
    let root = real(&folder);
    let path = root.join("vramlint.toml");
    let mut client = Client::with(&[&root], able(), json!({})).await;
    client.settle().await;
    let before = client.everything();
    assert!(!before.is_empty());
    client.open(&path, "toml", 1, "[target]\ngpu = 4\n").await;
    client.settle().await;
    let found = &client.shown[&uri(&path)];
    assert_eq!((&found[0]["severity"], &found[0]["range"]["start"]["line"]), (&json!(1), &json!(1)), "{found}");
    let with_it = client.everything();
    assert!(before.is_subset(&with_it), "what was found before stays");
    let shown = client.notes.iter().filter(|note| note["method"] == "window/showMessage").count();
    assert_eq!(shown, 1, "and it is said once");
    client.write(&path, 2, "[lint]\nlang = \"zh\"\n").await;
    client.settle().await;
    assert_eq!(client.shown[&uri(&path)], json!([]));
    let messages: String = client.shown.values().map(Value::to_string).collect();
    assert!(messages.chars().any(|c| ('\u{4e00}'..'\u{9fff}').contains(&c)), "an unsaved configuration rules: {messages}");
    assert!(client.leave().await);
}

#[tokio::test]
async fn folders_have_their_own_configuration_and_come_and_go() {
    let (one, two) = (project(), project());
    let (one, two) = (real(&one), real(&two));
    put(&two.join("vramlint.toml"), "exclude = [\"**\"]\n");
    let mut client = Client::with(&[&one, &two], able(), json!({})).await;
    client.settle().await;
    assert_eq!(client.everything(), fresh(&one, &[], false), "the second folder leaves everything out");
    let folders = |added: Vec<Value>, removed: Vec<Value>| json!({"event": {"added": added, "removed": removed}});
    let named = |root: &Path| json!({"uri": uri(root), "name": "x"});
    client.tell("workspace/didChangeWorkspaceFolders", folders(vec![], vec![named(&one)])).await;
    client.settle().await;
    assert_eq!(client.everything(), BTreeSet::new(), "what is not open is not reported");
    client.tell("workspace/didChangeWorkspaceFolders", folders(vec![named(&one)], vec![])).await;
    client.settle().await;
    assert_eq!(client.everything(), fresh(&one, &[], false));
    assert!(client.leave().await);
}

#[tokio::test]
async fn a_file_outside_of_all_folders_and_a_text_without_a_file_are_read() {
    let (inside, outside) = (project(), project());
    let (inside, outside) = (real(&inside), real(&outside));
    let mut client = Client::with(&[&inside], able(), json!({})).await;
    client.settle().await;
    let before = client.everything();
    let path = outside.join("acc.yaml");
    let text = format!("{}num_procesess: 1\n", std::fs::read_to_string(&path).expect("readable"));
    client.open(&path, "yaml", 1, &text).await;
    client.settle().await;
    assert!(client.codes(&path).contains(&"VL004".to_owned()), "{:?}", client.shown);
    assert!(!client.shown.contains_key(&uri(&outside.join("run.sh"))), "only what is open is reported there");
    client.close(&path).await;
    client.settle().await;
    assert_eq!(client.everything(), before);

    let untitled = "untitled:Untitled-1";
    client.open_uri(untitled, "yaml", 1, "compute_environment: LOCAL_MACHINE\nnum_procesess: 1\ndistributed_type: NO\n").await;
    client.settle().await;
    assert!(client.shown[untitled].to_string().contains("num_procesess"), "{:?}", client.shown);
    client.tell("textDocument/didClose", json!({"textDocument": {"uri": untitled}})).await;
    client.settle().await;
    assert_eq!(client.everything(), before);
    assert!(client.leave().await);
}

#[tokio::test]
async fn files_that_change_on_the_disk_are_read_again() {
    let folder = project();
    let root = real(&folder);
    let mut client = Client::with(&[&root], able(), json!({})).await;
    client.settle().await;
    assert!(client.asked.iter().any(|asked| asked["method"] == "client/registerCapability"));
    let (config, new) = (root.join("acc.yaml"), root.join("more/acc2.yaml"));
    let changed = |path: &Path, kind: u32| json!({"changes": [{"uri": uri(path), "type": kind}]});
    let wrong = "compute_environment: LOCAL_MACHINE\nnum_procesess: 2\ndistributed_type: NO\n";
    put(&config, wrong);
    client.tell("workspace/didChangeWatchedFiles", changed(&config, 2)).await;
    client.settle().await;
    assert_eq!(client.everything(), fresh(&root, &[], false));
    assert!(client.codes(&config).contains(&"VL004".to_owned()));
    put(&new, wrong);
    client.tell("workspace/didChangeWatchedFiles", changed(&new, 1)).await;
    client.settle().await;
    assert_eq!(client.everything(), fresh(&root, &[], false));
    assert!(!client.codes(&new).is_empty());
    std::fs::remove_file(&new).expect("removed");
    client.tell("workspace/didChangeWatchedFiles", changed(&new, 3)).await;
    client.settle().await;
    assert_eq!(client.codes(&new), Vec::<String>::new());
    let toml = root.join("vramlint.toml");
    put(&toml, "exclude = [\"acc.yaml\"]\n");
    client.tell("workspace/didChangeWatchedFiles", changed(&toml, 1)).await;
    client.settle().await;
    assert_eq!(client.everything(), fresh(&root, &[], false));
    assert_eq!(client.codes(&config), Vec::<String>::new());
    assert!(client.leave().await);
}

#[tokio::test]
async fn the_language_is_the_users_then_the_projects_then_the_clients() {
    let folder = project();
    let root = real(&folder);
    let chinese = |client: &Client| {
        let all: String = client.shown.values().map(Value::to_string).collect();
        assert!(!client.everything().is_empty());
        all.chars().any(|c| ('\u{4e00}'..'\u{9fff}').contains(&c))
    };
    let mut client = Client::with(&[&root], able(), json!({"locale": "zh-cn"})).await;
    client.settle().await;
    assert!(chinese(&client));
    client.tell("workspace/didChangeConfiguration", json!({"settings": {"vramlint": {"lang": "en"}}})).await;
    client.settle().await;
    assert!(!chinese(&client));
    client.settings = json!({"lang": "zh"});
    client.tell("workspace/didChangeConfiguration", json!({"settings": null})).await;
    client.wait_for("textDocument/publishDiagnostics").await;
    client.settle().await;
    assert!(chinese(&client), "a client that is asked answers");
    assert!(client.leave().await);
    let mut client = Client::with(&[&root], able(), json!({"initializationOptions": {"lang": "zh"}, "locale": "en"})).await;
    client.settle().await;
    assert!(chinese(&client));
    assert!(client.leave().await);
}

#[tokio::test]
async fn the_runs_of_an_open_text_are_told_and_can_be_shown() {
    let folder = project();
    let root = real(&folder);
    let path = root.join("acc.yaml");
    let mut client = Client::with(&[&root], able(), json!({"initializationOptions": {"status": true}})).await;
    let text = std::fs::read_to_string(&path).expect("readable");
    client.open(&path, "yaml", 1, &text).await;
    client.settle().await;
    let status = client.notes.iter().rev().find(|note| note["method"] == "vramlint/status").expect("it is told");
    assert_eq!((&status["params"]["uri"], &status["params"]["runs"][0]["id"]), (&json!(uri(&path)), &json!("run.sh#1")));
    let argument = json!({"uri": uri(&path), "run": "run.sh#1"});
    let shown = client.ask("workspace/executeCommand", json!({"command": "vramlint.run", "arguments": [argument.clone()]})).await;
    let shown = shown.expect("an answer");
    assert!(shown["text"].as_str().is_some_and(|text| text.contains("num_processes")), "{shown}");
    let page = client.ask("workspace/executeCommand", json!({"command": "vramlint.timeline", "arguments": [argument]})).await;
    let page = page.expect("an answer");
    assert!(page["html"].as_str().is_some_and(|html| html.contains("<html")), "{page}");
    let unknown = json!({"command": "vramlint.run", "arguments": [{"uri": uri(&path), "run": "none"}]});
    assert_eq!(client.ask("workspace/executeCommand", unknown).await, Ok(Value::Null));
    assert!(client.leave().await);
}

#[tokio::test]
async fn the_page_of_a_rule_opens_in_every_client() {
    let folder = project();
    let root = real(&folder);
    let path = root.join("acc.yaml");
    let everywhere = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let params = json!({"textDocument": {"uri": uri(&path)}, "range": everywhere, "context": {"diagnostics": []}});
    // A client that shows documents opens a file.
    let mut client = Client::with(&[&root], able(), json!({})).await;
    client.settle().await;
    assert!(!client.shown.values().any(|found| found.to_string().contains("codeDescription")), "{:?}", client.shown);
    let actions = client.ask("textDocument/codeAction", params).await.expect("an answer");
    let mut commands = actions.as_array().expect("a list").iter().map(|action| &action["command"]);
    let explain = commands.find(|command| command["command"] == "vramlint.explainRule").expect("a rule to explain").clone();
    let rule = explain["arguments"][0]["rule"].as_str().expect("its name").to_owned();
    let request = json!({"command": "vramlint.explainRule", "arguments": explain["arguments"]});
    let answer = client.ask("workspace/executeCommand", request.clone()).await.expect("an answer");
    assert!(answer["text"].as_str().is_some_and(|text| text.starts_with(&format!("# {rule} (VL"))), "{answer}");
    let opened = client.asked.iter().find(|asked| asked["method"] == "window/showDocument").expect("it opens").clone();
    let file = opened["params"]["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file").to_owned();
    assert_eq!(std::fs::read_to_string(file).ok().as_deref(), answer["text"].as_str());
    let why = json!({"command": "vramlint.why", "arguments": [{"uri": uri(&path), "line": 2}]});
    let answer = client.ask("workspace/executeCommand", why).await.expect("an answer");
    assert!(answer["text"].as_str().is_some_and(|text| text.starts_with("acc.yaml:2")), "{answer}");
    let opened = client.asked.iter().filter(|asked| asked["method"] == "window/showDocument").count();
    assert_eq!(opened, 2);
    let unknown = json!({"command": "vramlint.explainRule", "arguments": [{"rule": "no-such-rule"}]});
    assert_eq!(client.ask("workspace/executeCommand", unknown).await, Ok(Value::Null));
    assert!(client.leave().await);
    // A client with documents for rules gets links to them.
    let options = json!({"initializationOptions": {"ruleDocuments": true}});
    let mut client = Client::with(&[&root], able(), options).await;
    client.settle().await;
    let found = client.shown.values().flat_map(|found| found.as_array().into_iter().flatten());
    let links: Vec<&str> = found.filter_map(|one| one["codeDescription"]["href"].as_str()).collect();
    assert!(links.contains(&format!("vramlint-rule:/{rule}.md").as_str()), "{links:?}");
    let answer = client.ask("workspace/executeCommand", request).await.expect("an answer");
    assert!(answer["text"].is_string());
    assert!(client.asked.iter().all(|asked| asked["method"] != "window/showDocument"));
    assert!(client.leave().await);
}

#[tokio::test]
async fn the_end_is_told_in_order_or_not() {
    let folder = project();
    let root = real(&folder);
    let client = Client::start(&root).await;
    assert!(client.leave().await);
    let mut client = Client::start(&root).await;
    client.host.slow.store(3_000, Ordering::SeqCst);
    let path = root.join("acc.yaml");
    client.open(&path, "yaml", 1, "a: 1\n").await;
    client
        .post("textDocument/hover", json!({"textDocument": {"uri": uri(&path)}, "position": {"line": 0, "character": 0}}))
        .await;
    client.tell("exit", Value::Null).await;
    assert!(!client.server.await.expect("it ends while an analysis is at work"));
}

#[tokio::test]
async fn what_cannot_be_read_is_answered_and_survived() {
    let folder = project();
    let root = real(&folder);
    let mut client = Client::start(&root).await;
    client.tell("textDocument/didOpen", json!({"textDocument": 4})).await;
    client
        .tell(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri(&root.join("acc.yaml")), "version": 2}, "contentChanges": []}),
        )
        .await;
    client.tell("vramlint/unknown", Value::Null).await;
    assert!(client.ask("vramlint/unknown", Value::Null).await.is_err());
    assert!(client.ask("textDocument/hover", json!({"textDocument": {"uri": 7}})).await.is_err());
    for place in ["git:/a/b.yaml", "file:///nowhere/at/all.yaml", "untitled:x"] {
        let params = json!({"textDocument": {"uri": place}, "position": {"line": 5, "character": 5}});
        assert_eq!(client.ask("textDocument/hover", params).await, Ok(Value::Null), "{place}");
    }
    client.settle().await;
    assert_eq!(client.everything(), fresh(&root, &[], true));
    assert!(client.logged().iter().any(|line| line.starts_with("textDocument/didOpen")), "{:?}", client.logged());
    assert!(client.leave().await);
}

/// A message that cannot be read is answered with its error, and the session goes on.
#[tokio::test]
async fn messages_that_cannot_be_read_are_answered() {
    let folder = project();
    let root = real(&folder);
    let mut client = Client::start(&root).await;
    for (body, code) in [("{", -32700), ("[]", -32600), (r#"{"jsonrpc":"2.0","id":{},"method":"shutdown"}"#, -32600)] {
        client.send_raw(&format!("Content-Length: {}\r\n\r\n{body}", body.len())).await;
        let answer = loop {
            let message = client.receive().await;
            if message.get("error").is_some() {
                break message;
            }
        };
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &Value::Null), "{body}");
    }
    client.send_raw("no header at all\r\nContent-Length: many\r\n\r\n").await;
    client.settle().await;
    // Half of a character, as some editors send it: the rest of the document counts.
    let path = root.join("half.yaml");
    let text = r"num_processes: 1 # \ud83d\n";
    let item = format!(r#"{{"uri":"{}","languageId":"yaml","version":1,"text":"{text}"}}"#, uri(&path));
    let body = format!(r#"{{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":{item}}}}}"#);
    client.send_raw(&format!("Content-Length: {}\r\n\r\n{body}", body.len())).await;
    client.settle().await;
    assert!(!client.server.is_finished());
}

#[tokio::test]
async fn the_server_ends_with_the_process_that_started_it() {
    let folder = project();
    let root = real(&folder);
    let client = Client::with(&[&root], json!({}), json!({"processId": client::ENDED_PROCESS})).await;
    let ended = tokio::time::timeout(std::time::Duration::from_mins(1), client.server).await;
    assert!(!ended.expect("it ends").expect("without a panic"), "nobody asked it to shut down");
}

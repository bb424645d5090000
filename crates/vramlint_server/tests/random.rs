//! A long session of random edits ends with the findings of a fresh check of the final text.

mod client;

use client::dice::Dice;
use client::{Client, able, fresh, project, pulling, real, uri};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Edits of the long session, and the interval at which everything is compared.
const EDITS: usize = 10_000;
const EACH: usize = 100;

/// A document as the client holds it: UTF-16 units and its own line counting.
struct Model {
    path: PathBuf,
    language: &'static str,
    version: i32,
    units: Vec<u16>,
    original: String,
}

impl Model {
    fn new(path: PathBuf, language: &'static str) -> Self {
        let original = std::fs::read_to_string(&path).expect("readable");
        Self { path, language, version: 1, units: original.encode_utf16().collect(), original }
    }

    fn text(&self) -> String {
        String::from_utf16(&self.units).expect("cut between characters only")
    }

    /// A random position between characters and not inside a line break.
    fn place(&self, dice: &mut Dice) -> usize {
        let mut at = dice.roll(self.units.len() + 1);
        let low = |unit: u16| (0xDC00..0xE000).contains(&unit);
        let within = |at: usize| {
            at > 0 && at < self.units.len() && (low(self.units[at]) || self.units[at - 1] == 13 && self.units[at] == 10)
        };
        while within(at) {
            at -= 1;
        }
        at
    }

    fn position(&self, at: usize) -> Value {
        let (mut line, mut start) = (0, 0);
        for index in 0..at {
            let unit = self.units[index];
            if unit == 10 || unit == 13 && self.units.get(index + 1) != Some(&10) {
                line += 1;
                start = index + 1;
            }
        }
        json!({"line": line, "character": at - start})
    }

    /// An edit as it is sent; applied here independently of the server.
    fn edit(&mut self, dice: &mut Dice) -> Value {
        let (mut start, mut end) = (self.place(dice), self.place(dice));
        if start > end {
            (start, end) = (end, start);
        }
        // Most edits are small; sometimes a large piece is removed, and a text that has grown is reset.
        if dice.roll(12) > 0 {
            end = end.min(start + dice.roll(6));
            while end < self.units.len() && end > start && String::from_utf16(&self.units[start..end]).is_err() {
                end += 1;
            }
            if end > 0 && end < self.units.len() && self.units[end - 1] == 13 && self.units[end] == 10 {
                end += 1;
            }
        }
        if self.units.len() > 3000 || dice.roll(15) == 0 {
            self.units = self.original.encode_utf16().collect();
            return json!({"text": self.original});
        }
        let piece = PIECES[dice.roll(PIECES.len())];
        let range = json!({"start": self.position(start), "end": self.position(end)});
        self.units.splice(start..end, piece.encode_utf16());
        json!({"range": range, "text": piece})
    }
}

const PIECES: [&str; 28] = [
    "",
    "",
    "\n",
    "\r\n",
    "\r",
    " ",
    "  ",
    "8",
    "16",
    ": ",
    "num_processes: 8\n",
    "mixed_precision: fp8\r\n",
    "# 显存不够 🚀\n",
    "批量",
    "🚀",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    "\\",
    "fsdp_config:\n  fsdp_version: 3\n",
    "\"stage\": 3,\n",
    "bf16=True, fp16=True,\n    ",
    "gradient_accumulation_steps=8,\n",
    "\t- &a *a\n",
    " --num_processes 2 ",
];

fn models(root: &std::path::Path) -> Vec<Model> {
    let files = [("acc.yaml", "yaml"), ("ds.json", "json"), ("train.py", "python"), ("run.sh", "shellscript")];
    files.into_iter().map(|(name, language)| Model::new(root.join(name), language)).collect()
}

#[tokio::test]
async fn ten_thousand_random_edits_end_with_what_a_fresh_check_finds() {
    let folder = project();
    let root = real(&folder);
    let mut abilities = able();
    abilities["general"] = json!({"positionEncodings": ["utf-16"]});
    let mut client = Client::with(&[&root], abilities, json!({})).await;
    let mut models = models(&root);
    for model in &models {
        client.open(&model.path, model.language, model.version, &model.original).await;
    }
    let mut dice = Dice(0x5EED);
    let mut seen = BTreeSet::new();
    for number in 1..=EDITS {
        let which = dice.roll(models.len());
        let model = &mut models[which];
        let changes: Vec<Value> = (0..=dice.roll(3)).map(|_| model.edit(&mut dice)).collect();
        model.version += 1;
        client.change(&model.path, model.version, Value::from(changes)).await;
        if number % EACH == 0 {
            client.settle().await;
            let unsaved: Vec<(PathBuf, String)> = models.iter().map(|model| (model.path.clone(), model.text())).collect();
            let expected = fresh(&root, &unsaved, true);
            assert_eq!(client.everything(), expected, "after {number} edits: {unsaved:#?}");
            seen.extend(expected.iter().filter_map(|line| line.rsplit(' ').next().map(str::to_owned)));
        }
    }
    assert!(seen.len() > 5, "the edits bring about more than a few rules: {seen:?}");
    assert!(client.leave().await);
}

/// The diagnostics of a file pulled right after an edit are those of a fresh check.
#[tokio::test]
async fn the_quick_answer_about_a_file_is_what_a_fresh_check_finds_in_it() {
    let folder = project();
    let root = real(&folder);
    let mut abilities = pulling();
    abilities["general"] = json!({"positionEncodings": ["utf-16"]});
    let mut client = Client::with(&[&root], abilities, json!({})).await;
    let mut models = models(&root);
    for model in &models {
        client.open(&model.path, model.language, model.version, &model.original).await;
    }
    let mut dice = Dice(0xA11CE);
    for number in 0..200 {
        let which = dice.roll(models.len());
        let change = models[which].edit(&mut dice);
        models[which].version += 1;
        client.change(&models[which].path, models[which].version, json!([change])).await;
        let uri = uri(&models[which].path);
        let report = client.ask("textDocument/diagnostic", json!({"textDocument": {"uri": uri}})).await.expect("an answer");
        let found: BTreeSet<String> =
            report["items"].as_array().expect("all of them").iter().map(|one| client::line(&uri, one)).collect();
        let unsaved: Vec<(PathBuf, String)> = models.iter().map(|model| (model.path.clone(), model.text())).collect();
        let mut expected = fresh(&root, &unsaved, true);
        expected.retain(|line| line.starts_with(&format!("{uri} ")));
        assert_eq!(found, expected, "edit {number}: {unsaved:#?}");
    }
    assert!(client.leave().await);
}

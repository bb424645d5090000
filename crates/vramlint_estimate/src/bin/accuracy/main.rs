//! Compares estimates with measurements: `cargo run --release -p vramlint_estimate --bin accuracy [FILE…]`.
//!
//! Uses the records of this project by default. Prints Markdown.

mod measure;
mod published;
mod report;
mod tables;

use measure::{Reading, measure};
use std::path::Path;

fn main() -> std::process::ExitCode {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vramlint_memory/tests/records");
    let given: Vec<String> = std::env::args().skip(1).collect();
    let own = ["own", "shared", "seq2seq", "scripts", "device_map"]
        .map(|name| records.join(name).with_extension("jsonl").display().to_string());
    let files = if given.is_empty() { own.to_vec() } else { given.clone() };
    let mut text = String::new();
    for file in &files {
        match std::fs::read_to_string(file) {
            Ok(part) => text += &(part + "\n"),
            Err(why) => {
                eprintln!("{file}: {why}");
                return std::process::ExitCode::from(2);
            }
        }
    }
    let (measured, unread) = measure(&text, Reading::Family);
    print!("{}{}{}", report::overview(&measured), tables::dimensions(&measured), report::worst(&measured));
    let (unknown, counted) = (measure(&text, Reading::Unknown).0, measure(&text, Reading::Count).0);
    print!("{}", tables::spreads(&measured, &unknown, &counted));
    if !unread.is_empty() {
        println!("\n### Not read\n\n- {}", unread.join("\n- "));
    }
    if given.is_empty() {
        let read = |name: &str| std::fs::read_to_string(records.join(name)).map_err(|why| format!("{name}: {why}"));
        let figures = read("published.jsonl").and_then(|text| published::compare(&text, &read("published_setups.jsonl")?));
        match figures {
            Ok(figures) => print!("\n### Published\n\n{}", published::table(&figures)),
            Err(why) => {
                eprintln!("{why}");
                return std::process::ExitCode::from(2);
            }
        }
    }
    std::process::ExitCode::SUCCESS
}

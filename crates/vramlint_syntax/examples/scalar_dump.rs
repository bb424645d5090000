//! Prints what the YAML reader makes of texts, for the comparison with the real libraries in `tests/pyyaml`.
//!
//! `scalar_dump MODE LOADER` reads lines from standard input, each one text as hexadecimal UTF-8, and answers each with one line
//! of JSON. `MODE` is `scalars` (each text is one plain scalar) or `files` (each text is a whole file). `LOADER` is `pyyaml`,
//! `omegaconf`, `trl`, `yaml12` or `json`.
//!
//! A value is a list: its type, then its content: `["int","12"]`, `["float","3ff0000000000000"]` (the bits, or `nan`),
//! `["str","…"]`, `["null"]`, `["bool","true"]`, `["time"]`, `["list",[…]]`, `["map",[[key,value],…]]`. What the loader refuses is
//! `["refused"]`; what is too large or contains itself is `["none"]`. A file is the list of its documents, or `["refused"]`.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write as _};
use vramlint_base::Value;
use vramlint_syntax::RefusedBy;
use vramlint_syntax::data::{Loader, NodeRef, Scalar, Style};
use vramlint_syntax::yaml::{parse, scalar};

/// Nodes of one document at most: above any file of a corpus.
const BUDGET: usize = 5_000_000;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, loader] = arguments.as_slice() else {
        return Err(io::Error::other("usage: scalar_dump scalars|files LOADER"));
    };
    let loader = match loader.as_str() {
        "pyyaml" => Loader::PyYaml,
        "omegaconf" => Loader::OmegaConf,
        "trl" => Loader::TrlParser,
        "yaml12" => Loader::Yaml12,
        "json" => Loader::Json,
        other => return Err(io::Error::other(format!("unknown loader {other}"))),
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let text = unhex(&line?)?;
        let answer = if mode == "files" { file(&text, loader) } else { plain(text, loader) };
        writeln!(out, "{answer}")?;
    }
    out.flush()
}

fn unhex(line: &str) -> io::Result<String> {
    let pairs = line.as_bytes().chunks(2).map(|pair| {
        let digits = std::str::from_utf8(pair).map_err(io::Error::other)?;
        u8::from_str_radix(digits, 16).map_err(io::Error::other)
    });
    String::from_utf8(pairs.collect::<io::Result<Vec<u8>>>()?).map_err(io::Error::other)
}

fn plain(text: String, loader: Loader) -> String {
    let scalar = Scalar { text, style: Style::Plain };
    if matches!(loader, Loader::PyYaml | Loader::TrlParser) && scalar::refusal(&scalar, None, false).is_some() {
        return "[\"refused\"]".to_string();
    }
    let mut out = String::new();
    write_value(&scalar::resolve(&scalar, None, loader), &mut out);
    out
}

fn file(text: &str, loader: Loader) -> String {
    let file = parse(text);
    let refused = file.errors.iter().find(|error| matches!(error.refused_by, RefusedBy::All | RefusedBy::PyYaml));
    if let Some(error) = refused {
        let mut out = "[\"refused\",".to_string();
        write_text(&format!("{:?} {}", error.range, error.message.en), &mut out);
        out.push(']');
        return out;
    }
    let mut out = "[\"documents\",[".to_string();
    for (i, document) in file.documents.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        match document.root.map(|id| scalar::value(NodeRef { file: &file, id }, loader, &mut { BUDGET })) {
            None => out.push_str("[\"null\"]"),
            Some(None) => out.push_str("[\"none\"]"),
            Some(Some(value)) => write_value(&value, &mut out),
        }
    }
    out.push_str("]]");
    out
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("[\"null\"]"),
        Value::Bool(truth) => tagged("bool", &truth.to_string(), out),
        Value::Int(number) => tagged("int", &number.to_string(), out),
        Value::BigInt(digits) => tagged("int", digits, out),
        Value::Float(number) if number.is_nan() => tagged("float", "nan", out),
        Value::Float(number) => tagged("float", &format!("{:016x}", number.to_bits()), out),
        Value::Text(text) => tagged("str", text, out),
        Value::Timestamp(_) => out.push_str("[\"time\"]"),
        Value::List(items) => {
            out.push_str("[\"list\",[");
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_value(item, out);
            }
            out.push_str("]]");
        }
        Value::Map(entries) => {
            out.push_str("[\"map\",[");
            for (i, (key, value)) in entries.iter().enumerate() {
                out.push_str(if i > 0 { ",[" } else { "[" });
                write_value(key, out);
                out.push(',');
                write_value(value, out);
                out.push(']');
            }
            out.push_str("]]");
        }
    }
}

fn tagged(tag: &str, text: &str, out: &mut String) {
    out.push_str("[\"");
    out.push_str(tag);
    out.push_str("\",");
    write_text(text, out);
    out.push(']');
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

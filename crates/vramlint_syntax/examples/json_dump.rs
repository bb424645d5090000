//! What the JSON reader makes of many texts, for `tests/json`: frames of `LENGTH\n` and that many bytes on standard input; for
//! each a line `STRICT HJSON TREE` on standard output: whether each dialect accepts (`1`, `0`), and the tree as JSON. In the tree
//! `["p", text]` is a plain scalar, `["s", text]` a quoted one, `["l", items]` a list, `["m", pairs]` a mapping, `["x"]` nothing.

use std::fmt::Write as _;
use std::io::{self, BufRead, Read, Write};
use vramlint_syntax::data::{NodeKind, NodeRef, Style};
use vramlint_syntax::{RefusedBy, json};

fn main() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = io::BufWriter::new(io::stdout().lock());
    let mut head = String::new();
    while input.read_line(&mut head)? > 0 {
        let length = head.trim().parse().map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        input.read_exact(&mut bytes)?;
        let text = String::from_utf8(bytes).map_err(io::Error::other)?;
        writeln!(output, "{}", answer(&text))?;
        head.clear();
    }
    output.flush()
}

fn answer(text: &str) -> String {
    let file = json::parse(text);
    let accepts = |but: RefusedBy| u8::from(file.errors.iter().all(|error| error.refused_by == but));
    let mut out = format!("{} {} ", accepts(RefusedBy::Hjson), accepts(RefusedBy::StrictJson));
    match file.root() {
        Some(root) => tree(root, &mut out),
        None => out.push_str("null"),
    }
    out
}

fn tree(node: NodeRef<'_>, out: &mut String) {
    match &node.raw().kind {
        NodeKind::Scalar(scalar) => {
            out.push_str(if scalar.style == Style::Plain { "[\"p\"," } else { "[\"s\"," });
            quoted(&scalar.text, out);
        }
        NodeKind::Sequence(_) => {
            out.push_str("[\"l\",[");
            for (i, item) in node.items().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                tree(item, out);
            }
            out.push(']');
        }
        NodeKind::Mapping(_) => {
            out.push_str("[\"m\",[");
            for (i, (key, value)) in node.entries().enumerate() {
                out.push_str(if i > 0 { ",[" } else { "[" });
                tree(key, out);
                out.push(',');
                tree(value, out);
                out.push(']');
            }
            out.push(']');
        }
        NodeKind::Missing | NodeKind::Alias { .. } => out.push_str("[\"x\""),
    }
    out.push(']');
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\' => out.push(char::from(byte)),
            // Writing to a string cannot fail.
            _ => write!(out, "\\u{unit:04x}").unwrap_or_default(),
        }
    }
    out.push('"');
}

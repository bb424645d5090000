//! `requirements.txt`: one requirement per line, options, comments, line continuations.

use super::LibraryMention;
use super::requirement::{in_address, name_in_address, read as read_one};
use vramlint_base::TextRange;

/// A file that another one includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    /// Its path as written, relative to the file that names it.
    pub path: String,
    /// Whether it only constrains versions (`-c`) and requires nothing.
    pub constraint: bool,
}

/// The requirements of a file.
pub(super) fn read(text: &str) -> Vec<LibraryMention> {
    lines(text).filter_map(|(line, range)| parse_line(&line, range)).collect()
}

/// The files that a file includes.
pub fn includes(text: &str) -> Vec<Include> {
    let of = |(line, _): (String, TextRange)| {
        let flags = [("--requirement", false), ("--constraint", true), ("-r", false), ("-c", true)];
        flags.iter().find_map(|(flag, constraint)| {
            let rest = line.strip_prefix(flag)?;
            let path = rest.trim_start_matches([' ', '\t', '=']).trim_matches(['"', '\'']);
            let fits = !path.is_empty() && (flag.len() == 2 || rest.starts_with([' ', '\t', '=']));
            fits.then(|| Include { path: path.to_owned(), constraint: *constraint })
        })
    };
    lines(text).filter_map(of).collect()
}

fn parse_line(line: &str, range: TextRange) -> Option<LibraryMention> {
    if let Some(rest) = line.strip_prefix("--editable").or_else(|| line.strip_prefix("-e")) {
        let address = rest.trim_start_matches([' ', '=']);
        return address_alone(address, range);
    }
    if line.starts_with('-') {
        return None;
    }
    // `--hash=…` and other options of one requirement follow it.
    let line = line.find(" --").map_or(line, |at| &line[..at]);
    let scheme = line.split("://").next().is_some_and(|scheme| scheme.len() < line.len() && !scheme.contains(['@', ' ']));
    if scheme || line.ends_with(".whl") && !line.contains('@') {
        return address_alone(line, range);
    }
    read_one(line, range)
}

fn address_alone(address: &str, range: TextRange) -> Option<LibraryMention> {
    let name = name_in_address(address)?;
    LibraryMention::new(&name, in_address(address, &name), range)
}

/// The lines with their places, without comments; a line that ends with `\` is joined with the next one.
fn lines(text: &str) -> impl Iterator<Item = (String, TextRange)> {
    let (mut out, mut at): (Vec<(String, TextRange)>, usize) = (Vec::new(), 0);
    let mut open: Option<Open> = None;
    for raw in text.split_inclusive('\n') {
        let (start, line) = (at, raw.trim_end_matches(['\n', '\r']));
        at += raw.len();
        let own = line.trim_start_matches(['\u{feff}', ' ', '\t']);
        let (part, goes_on) = own.strip_suffix('\\').map_or((own, false), |part| (part, true));
        let part = part.trim_end();
        let mut now =
            open.take().unwrap_or_else(|| Open { line: String::new(), from: start + line.len() - own.len(), first: part.len() });
        if !now.line.is_empty() {
            now.line.push(' ');
        }
        now.line.push_str(part);
        if goes_on {
            open = Some(now);
        } else {
            out.extend(now.close());
        }
    }
    out.extend(open.and_then(Open::close));
    out.into_iter()
}

/// A line that may continue.
struct Open {
    line: String,
    /// Its start.
    from: usize,
    /// Bytes of its first line. The place is that of the requirement; the options after it may fill many lines.
    first: usize,
}

impl Open {
    fn close(self) -> Option<(String, TextRange)> {
        let line = self.line.as_str();
        let comment = if line.starts_with('#') { Some(0) } else { line.find(" #").or_else(|| line.find("\t#")) };
        let line = comment.map_or(line, |at| &line[..at]).trim_end();
        let own = line.find(" --").unwrap_or(line.len()).min(self.first);
        (!line.is_empty()).then(|| (line.to_owned(), TextRange::of(self.from..self.from + own)))
    }
}

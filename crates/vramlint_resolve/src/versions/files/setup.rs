//! `setup.cfg`, and the literal requirements in `setup.py`.

use super::{LibraryMention, requirement};
use vramlint_base::TextRange;

/// `install_requires` of `[options]`, and the lists of `[options.extras_require]`.
pub(super) fn read_cfg(text: &str) -> Vec<LibraryMention> {
    let (mut out, mut section, mut wanted, mut at) = (Vec::new(), String::new(), false, 0);
    for raw in text.split_inclusive('\n') {
        let (start, line) = (at, raw.trim_end());
        at += raw.len();
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        let mut value = (line, start);
        if !line.starts_with([' ', '\t']) {
            if bare.starts_with('[') {
                bare.trim_matches(['[', ']']).clone_into(&mut section);
                wanted = false;
                continue;
            }
            let (key, rest) = line.split_once('=').unwrap_or((line, ""));
            wanted = section == "options" && key.trim() == "install_requires" || section == "options.extras_require";
            value = (rest, start + line.len() - rest.len());
        }
        let (text, from) = value;
        let own = text.trim();
        if wanted && !own.is_empty() {
            let from = from + (text.len() - text.trim_start().len());
            out.extend(requirement::read(own, TextRange::of(from..from + own.len())));
        }
    }
    out
}

/// The quoted requirements in the lists of a `setup.py` with `install_requires`, whatever the name of the list. Strings that are built at
/// run time are not read.
pub(super) fn read_py(text: &str) -> Vec<LibraryMention> {
    // A manifest is read by its text alone: it need not be a source file, which would have features.
    if !text.contains("install_requires") {
        return Vec::new();
    }
    let (mut out, mut at) = (Vec::new(), 0);
    for raw in text.split_inclusive('\n') {
        let (start, line) = (at, raw);
        at += raw.len();
        let code = line.trim_start();
        if code.starts_with('#') {
            continue;
        }
        let mut from = 0;
        while let Some(open) = line[from..].find(['"', '\'']).map(|found| from + found) {
            let quote = line.as_bytes()[open] as char;
            let Some(close) = line[open + 1..].find(quote).map(|found| open + 1 + found) else { break };
            let own = &line[open + 1..close];
            // A bare name may be any word; with a version it is a requirement. `f"…{version}"` is not a literal.
            let literal = !own.contains('{') && !line[..open].ends_with(['f', 'F']);
            if literal && own.contains(['=', '<', '>', '~']) {
                out.extend(requirement::read(own, TextRange::of(start + open + 1..start + close)));
            }
            from = close + 1;
        }
    }
    out
}

//! `pip install transformers==4.44` in shell scripts and Dockerfiles.

use super::{LibraryMention, requirement};
use crate::versions::EvidenceRank;
use memchr::memmem;
use vramlint_base::TextRange;

/// The exact versions that `pip install` commands of a text name. Ranges there say less than the dependency files of a project.
pub fn pip_installs(text: &str) -> Vec<LibraryMention> {
    let (mut out, mut at, mut going) = (Vec::new(), 0, false);
    for raw in text.split_inclusive('\n') {
        let (start, line) = (at, raw.trim_end());
        at += raw.len();
        let bare = line.trim_start();
        let from = if going { Some(0) } else { command(line) };
        going = false;
        let Some(from) = from.filter(|_| !bare.starts_with('#')) else { continue };
        going = line.ends_with('\\');
        let end = ["&&", "||", ";", "|", " #"].iter().filter_map(|stop| line[from..].find(stop)).min();
        if end.is_some() {
            going = false;
        }
        let words = &line[from..end.map_or(line.len(), |end| from + end)];
        let mut place = start + from;
        for word in words.split_inclusive([' ', '\t']) {
            let quotes = word.len() - word.trim_start_matches(['"', '\'']).len();
            let own = word.trim().trim_end_matches(')').trim_matches(['"', '\'', '\\']);
            if own.contains("==") && !own.contains('$') {
                let range = TextRange::of(place + quotes..place + quotes + own.len());
                out.extend(requirement::read(own, range).filter(|mention| mention.rank == EvidenceRank::Exact));
            }
            place += word.len();
        }
    }
    out
}

/// Whether a text may hold a command that [`pip_installs`] reads.
pub(super) fn mentions_pip(text: &str) -> bool {
    memmem::find(text.as_bytes(), b" install ").is_some()
}

/// The offset of the words after `pip install`.
fn command(line: &str) -> Option<usize> {
    let at = line.find("pip install ").map(|at| at + "pip install ".len());
    at.or_else(|| line.find("pip3 install ").map(|at| at + "pip3 install ".len()))
}

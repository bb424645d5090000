//! Versions that a Python script names for itself: inline metadata (PEP 723), and the commands of a notebook saved as a script.

use super::{LibraryMention, install, toml_tables};
use memchr::memmem;
use vramlint_base::TextRange;

/// The exact versions that a Python file installs for itself.
pub fn script_pins(text: &str) -> Vec<LibraryMention> {
    let mut found = metadata(text);
    found.extend(notebook_installs(text));
    found.retain(LibraryMention::is_exact);
    found
}

/// The dependencies in a `# /// script` block. Comment signs become blanks, so that places stay where they are.
fn metadata(text: &str) -> Vec<LibraryMention> {
    const START: &str = "# /// script";
    let Some(start) = memmem::find(text.as_bytes(), START.as_bytes()).filter(|at| *at == 0 || text[..*at].ends_with('\n')) else {
        return Vec::new();
    };
    let body = start + START.len();
    let mut toml = String::new();
    for line in text[body..].split_inclusive('\n').skip(1) {
        match line.strip_prefix('#') {
            Some(rest) if rest.trim_end() != " ///" => {
                toml.push(' ');
                toml.push_str(rest);
            }
            _ => break,
        }
    }
    let first = text[body..].find('\n').map_or(text.len(), |end| body + end + 1) as u32;
    let mentions = toml_tables::inline_script(&toml).into_iter();
    mentions.map(|mention| mention.moved_by(first)).collect()
}

/// `!pip install x==1`, `%pip install x==1` and `get_ipython().system('pip install x==1')`, commented out or not: a notebook runs its
/// cells whatever a converter makes of them.
fn notebook_installs(text: &str) -> Vec<LibraryMention> {
    /// As it stands in the source of a string.
    const NEW_LINE: &str = "\\n";
    let (mut out, mut at) = (Vec::new(), 0);
    if !install::mentions_pip(text) {
        return out;
    }
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_start_matches(['#', ' ', '\t']);
        let from = start + line.len() - bare.len();
        if bare.starts_with("get_ipython()") {
            // A cell of several lines is one text with `\n` between them.
            let mut place = from;
            for command in bare.split(NEW_LINE) {
                out.extend(install::pip_installs(command).into_iter().map(|mention| mention.moved_by(place as u32)));
                place += command.len() + NEW_LINE.len();
            }
        } else if let Some(command) = bare.strip_prefix(['!', '%']) {
            out.extend(install::pip_installs(command).into_iter().map(|mention| mention.moved_by(from as u32 + 1)));
        }
    }
    out
}

impl LibraryMention {
    fn is_exact(&self) -> bool {
        self.rank == super::EvidenceRank::Exact
    }

    fn moved_by(mut self, offset: u32) -> Self {
        self.range = TextRange::new(self.range.start + offset, self.range.end + offset);
        self
    }
}

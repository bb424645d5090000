//! Files inside files: fenced blocks of Markdown, recipes of a Makefile, `RUN`/`CMD` of a Dockerfile, `run:` of a workflow.

use vramlint_base::TextRange;

/// The language of an embedded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// YAML.
    Yaml,
    /// JSON.
    Json,
    /// Python.
    Python,
    /// bash, sh, zsh.
    Bash,
    /// PowerShell.
    PowerShell,
    /// TOML.
    Toml,
}

/// A text inside another, with the way back.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// Its language.
    pub language: Language,
    /// The text with the host's indentation and quote marks removed.
    pub text: String,
    /// Where it stands in the host, fence marks not included.
    pub range: TextRange,
    /// The way back: (offset in `text`, offset in the host), ascending; between two entries offsets run in step.
    pub map: Vec<(u32, u32)>,
}

impl Embedded {
    /// The place in the host of a range of the embedded text.
    pub fn to_host(&self, range: TextRange) -> TextRange {
        TextRange::new(self.offset_to_host(range.start), self.offset_to_host(range.end))
    }

    fn offset_to_host(&self, offset: u32) -> u32 {
        let after = self.map.partition_point(|(own, _)| *own <= offset);
        let (own, host) = if after == 0 { (0, self.range.start) } else { self.map[after - 1] };
        host + (offset - own)
    }
}

/// Fenced code blocks of Markdown (or of any text that uses them) in the languages that vramlint reads.
pub fn markdown(text: &str) -> Vec<Embedded> {
    todo!("{text}")
}

/// Shell commands of a Makefile's recipes.
pub fn makefile(text: &str) -> Vec<Embedded> {
    todo!("{text}")
}

/// Shell commands of a Dockerfile: `RUN`, `CMD`, `ENTRYPOINT`, and `ENV` as assignments.
pub fn dockerfile(text: &str) -> Vec<Embedded> {
    todo!("{text}")
}

/// `run:` blocks of a GitHub workflow, or of a composite action.
pub fn workflow(text: &str) -> Vec<Embedded> {
    todo!("{text}")
}

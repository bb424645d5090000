//! Files that were not read, and why.

use std::collections::BTreeMap;
use vramlint_base::{Message, message};

/// Why a file was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// Excluded by `exclude`, `--exclude` or the built-in list; an excluded folder counts once.
    Excluded,
    /// Not a kind of file that vramlint reads, such as a notebook.
    UnsupportedKind,
    /// A dataset.
    Dataset,
    /// Too large for configuration.
    TooLarge,
    /// The operating system denies access.
    Unreadable,
    /// A link that leads out of the project.
    LeadsOut,
    /// Binary content in a file with the name of a text file.
    Binary,
}

impl SkipReason {
    /// Name in the JSON output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Excluded => "excluded",
            Self::UnsupportedKind => "unsupported-kind",
            Self::Dataset => "dataset",
            Self::TooLarge => "too-large",
            Self::Unreadable => "unreadable",
            Self::LeadsOut => "link-leads-out",
            Self::Binary => "binary",
        }
    }

    /// The reason, to follow a path or a count.
    pub fn message(self) -> Message {
        match self {
            Self::Excluded => message!("excluded", "已排除"),
            Self::UnsupportedKind => message!("not a supported kind of file", "不支持的文件类型"),
            Self::Dataset => message!("a dataset, not configuration", "是数据集，不是配置"),
            Self::TooLarge => message!("too large for configuration", "文件过大，不会是配置"),
            Self::Unreadable => message!("unreadable", "无法读取"),
            Self::LeadsOut => {
                message!("a link leads out of the project; --follow-links reads it", "链接指向项目之外；--follow-links 可读取")
            }
            Self::Binary => message!("binary, not text", "是二进制文件，不是文本"),
        }
    }
}

/// A path of the command line that was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedPath {
    /// The path as shown.
    pub path: String,
    /// Why it was not read.
    pub reason: SkipReason,
}

/// The files of a request that were not read.
#[derive(Clone, Debug, Default)]
pub struct Skipped {
    /// Paths of the command line.
    pub named: Vec<SkippedPath>,
    counts: BTreeMap<SkipReason, usize>,
}

impl Skipped {
    /// Number of paths by reason, those below named folders included.
    pub fn counts(&self) -> &BTreeMap<SkipReason, usize> {
        &self.counts
    }

    /// Adds a path of the command line.
    pub(crate) fn add_named(&mut self, path: String, reason: SkipReason) {
        self.named.push(SkippedPath { path, reason });
        self.add(reason, 1);
    }

    /// Adds paths below a named folder.
    pub(crate) fn add(&mut self, reason: SkipReason, count: usize) {
        if count > 0 {
            *self.counts.entry(reason).or_default() += count;
        }
    }
}

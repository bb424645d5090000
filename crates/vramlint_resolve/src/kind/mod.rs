//! What a file is, by evidence: a directive in a comment first, then the files that refer to it, then its keys, its name last.
//!
//! [`classify_all`] decides it for every file, once. A run may refine the kind of a file that its content leaves open
//! ([`refine_by_runs`]); nothing that finds runs sees that refinement.

mod classify_content;
mod classify_reference;

pub use classify_content::classify;
pub(crate) use classify_content::is_deepspeed;
pub(crate) use classify_content::{visit_scalars, visit_values};

use crate::launch::Launch;
use crate::path_resolver::PathResolver;
use crate::source::SourceFile;
use crate::source_set::SourceSet;
use std::sync::Arc;
use vramlint_base::{FileId, Message, message};
use vramlint_catalog::frameworks::ConfigFiles;
use vramlint_catalog::{Dialect, UnsupportedFramework};
use vramlint_syntax::Comment;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// accelerate's configuration.
    Accelerate,
    /// DeepSpeed's configuration.
    DeepSpeed,
    /// Arguments of a framework.
    Framework(Dialect),
    /// The project's own training configuration.
    Training,
    /// Anything else: not analyzed.
    Other,
}

/// How certain the kind of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KindConfidence {
    /// By keys that other tools share, or by nothing at all.
    Guessed,
    /// By keys that no other tool has.
    Recognized,
    /// By a directive in the file, or by a launcher or a file that names it in a role.
    Declared,
}

/// What a file is, how certain that is, and why.
#[derive(Clone, Debug)]
pub struct FileClass {
    /// The kind.
    pub kind: FileKind,
    /// How certain it is.
    pub confidence: KindConfidence,
    /// The evidence for it.
    pub reason: Message,
    /// The framework whose settings it holds, where these are not read.
    pub unsupported: Option<UnsupportedFramework>,
}

impl FileKind {
    /// Every kind that a comment may name.
    pub fn all() -> impl Iterator<Item = Self> {
        let frameworks = Dialect::ALL.iter().filter(|dialect| dialect.files.is_some()).map(|dialect| Self::Framework(*dialect));
        [Self::Accelerate, Self::DeepSpeed].into_iter().chain(frameworks).chain([Self::Training, Self::Other])
    }

    /// The name in `# vramlint: kind=…`.
    pub fn name(self) -> &'static str {
        self.dialect().map_or("other", |dialect| dialect.framework().id)
    }

    /// The vocabulary of its keys; `None` for files that are not ours.
    pub const fn dialect(self) -> Option<Dialect> {
        Some(match self {
            Self::Accelerate => Dialect::Accelerate,
            Self::DeepSpeed => Dialect::DeepSpeed,
            Self::Framework(dialect) => dialect,
            Self::Training => Dialect::Plain,
            Self::Other => return None,
        })
    }

    /// How the framework whose file it is reads it; `None` for files of no framework.
    pub fn config(self) -> Option<&'static ConfigFiles> {
        match self {
            Self::Framework(dialect) => dialect.framework().files.as_ref(),
            _ => None,
        }
    }

    /// Whether it holds the arguments of a training, rather than of a launcher or an engine.
    pub const fn is_training(self) -> bool {
        !matches!(self, Self::Accelerate | Self::DeepSpeed | Self::Other)
    }
}

impl FileClass {
    /// A file without training settings.
    pub fn other() -> Self {
        let reason = message!("no training settings", "没有训练设置");
        Self { kind: FileKind::Other, confidence: KindConfidence::Guessed, reason, unsupported: None }
    }

    /// The file of a framework whose settings are not read.
    fn of_unsupported(framework: UnsupportedFramework) -> Self {
        let reason = not_read(framework);
        Self { kind: FileKind::Other, confidence: KindConfidence::Recognized, reason, unsupported: Some(framework) }
    }

    /// A file that `key` of another file or of a command names.
    fn named_by(kind: FileKind, key: &str) -> Self {
        let reason = message!("`{key}` names it", "`{key}` 指向它");
        Self { kind, confidence: KindConfidence::Declared, reason, unsupported: None }
    }
}

/// What is said where a framework's settings are not read.
pub(crate) fn not_read(framework: UnsupportedFramework) -> Message {
    let name = framework.name;
    message!("{name} is not supported: its settings are not read", "不支持 {name}：不读取它的设置")
}

/// The kind that a directive `# vramlint: kind=NAME` in the first ten lines sets.
pub fn from_directive(file: &SourceFile) -> Option<FileClass> {
    let comments: &[Comment] = &file.data()?.comments;
    comments.iter().take_while(|comment| file.lines().line_of(comment.range.start) < 10).find_map(|comment| {
        let name =
            comment.text.trim().strip_prefix("vramlint:")?.trim().strip_prefix("kind")?.trim_start().strip_prefix('=')?.trim();
        let kind = FileKind::all().find(|kind| kind.name() == name)?;
        let reason = message!("set by a comment", "由注释设置");
        Some(FileClass { kind, confidence: KindConfidence::Declared, reason, unsupported: None })
    })
}

/// What each file is, in the order of the files: by its own content, then by the launches and files that name it.
pub(crate) fn classify_all<'a>(
    sources: &SourceSet,
    path_resolver: &PathResolver,
    launches: impl Iterator<Item = &'a Arc<Launch>>,
) -> Vec<FileClass> {
    let content = |file| from_directive(file).unwrap_or_else(|| classify(file));
    let mut classes: Vec<FileClass> = sources.files.iter().map(content).collect();
    for (id, class) in classify_reference::by_launches(path_resolver, launches) {
        reclassify(&mut classes, sources.file(id), class);
    }
    for (id, class) in classify_reference::by_files(sources, path_resolver, &classes) {
        reclassify(&mut classes, sources.file(id), class);
    }
    classes
}

/// The classes of all files, refined by the files that runs take as DeepSpeed's configuration: such a file is one, whatever its keys
/// are (`deepspeed.initialize(config="ds.json")`).
pub(crate) fn refine_by_runs(
    sources: &SourceSet,
    mut classes: Vec<FileClass>,
    deepspeed_files: impl Iterator<Item = FileId>,
) -> Vec<FileClass> {
    for id in deepspeed_files {
        if classes[id.0 as usize].kind == FileKind::Other {
            reclassify(&mut classes, sources.file(id), FileClass::named_by(FileKind::DeepSpeed, "deepspeed"));
        }
    }
    classes
}

/// Sets the class of a data file, unless a directive in the file itself decides.
fn reclassify(classes: &mut [FileClass], file: &SourceFile, class: FileClass) {
    if file.is_data() && from_directive(file).is_none() {
        classes[file.id.0 as usize] = class;
    }
}

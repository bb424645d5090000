//! Names that argument classes and trainers take, by the releases that the project may run with.

use vramlint_base::FileId;
use vramlint_catalog::classes::{self, Class, Field, Unknown};
use vramlint_resolve::arguments::class_name;
use vramlint_resolve::code::LibraryCall;
use vramlint_resolve::versions::{RangeMatch, VersionRange};
use vramlint_resolve::{Feature, Project};
use vramlint_syntax::python::{Module, StmtKind};

/// Whether a class has a name.
#[derive(Clone, Copy, Debug)]
pub enum FieldStatus {
    /// It is taken, or may be as far as is known.
    Accepted,
    /// It is gone from `library` since a release.
    Removed {
        /// Whether every release that may be installed lacks it.
        certain: bool,
        /// The package.
        library: &'static str,
        /// The release.
        until: &'static str,
        /// What to write instead.
        instead: Option<&'static str>,
    },
    /// The releases that may be installed do not have it yet.
    NotYet {
        /// The package.
        library: &'static str,
        /// The first release that has it.
        since: &'static str,
    },
    /// No release has it.
    Unknown,
}

/// Whether several classes that one parser fills, or one class, have a name.
pub fn status(project: &Project, file: FileId, found: &[&'static Class], name: &str) -> FieldStatus {
    let fields: Vec<&'static Field> = found.iter().flat_map(|class| declarations(class, name)).collect();
    if replaced_by_unsloth(project, file, found) {
        return FieldStatus::Accepted;
    }
    if fields.is_empty() {
        return FieldStatus::Unknown;
    }
    let mut last: Option<(&'static Field, RangeMatch)> = None;
    let mut young: Option<&'static Field> = None;
    for field in fields {
        let library: &'static str = field.library.as_str();
        let holds = |since: Option<&'static str>, until: Option<&'static str>| {
            project.version_matches(file, &VersionRange { library, since, until })
        };
        let too_old = field.since.as_deref().map_or(RangeMatch::Never, |since| holds(None, Some(since)));
        let gone = field.until.as_deref().map_or(RangeMatch::Never, |until| holds(Some(until), None));
        match (too_old, gone) {
            (RangeMatch::Always, _) => young = Some(field),
            (_, RangeMatch::Never) => return FieldStatus::Accepted,
            (_, holds) => {
                // Of several that may have it the strongest doubt counts.
                if last.is_none_or(|(_, known)| known == RangeMatch::Always) {
                    last = Some((field, holds));
                }
            }
        }
    }
    match (last, young) {
        (Some((field, holds)), _) => match field.until.as_deref() {
            Some(until) => FieldStatus::Removed {
                certain: holds == RangeMatch::Always,
                library: field.library.as_str(),
                until,
                instead: field.instead.as_deref(),
            },
            None => FieldStatus::Accepted,
        },
        (None, Some(field)) => match field.since.as_deref() {
            Some(since) => FieldStatus::NotYet { library: field.library.as_str(), since },
            None => FieldStatus::Accepted,
        },
        (None, None) => FieldStatus::Accepted,
    }
}

/// Every declaration of a name in a class and those that it is made from.
fn declarations(class: &'static Class, name: &str) -> Vec<&'static Field> {
    let mut found = Vec::new();
    let mut at = Some(class);
    while let Some(class) = at {
        found.extend(class.fields.iter().find(|field| field.name == name));
        at = class.base();
    }
    found
}

/// Whether a file that imports unsloth makes an argument class of TRL: unsloth puts its own in the place of it, which takes more, and
/// drops or renames what TRL no longer takes with a warning (unsloth 2026.10.9 `models/rl.py`, `models/rl_config_compat.py`, read).
fn replaced_by_unsloth(project: &Project, file: FileId, found: &[&'static Class]) -> bool {
    found.iter().any(|class| class.name.starts_with("trl.") && class.name.ends_with("Config")) && imports_unsloth(project, file)
}

/// Whether a file imports unsloth, which replaces classes of TRL.
pub fn imports_unsloth(project: &Project, file: FileId) -> bool {
    let imported = |module: &Module| {
        module.statements().any(|located| match &located.stmt.kind {
            StmtKind::FromImport { module, level: 0, .. } | StmtKind::Import { module, .. } => {
                module.split('.').next() == Some("unsloth")
            }
            _ => false,
        })
    };
    project.features(file).has(Feature::Unsloth) && project.file(file).python().is_some_and(imported)
}

/// The newest declaration of a name that a class has, to know what it holds.
pub fn field(found: &[&'static Class], name: &str) -> Option<&'static Field> {
    let mut fields = found.iter().flat_map(|class| declarations(class, name));
    let first = fields.next()?;
    Some(if first.is_current() { first } else { fields.find(|field| field.is_current()).unwrap_or(first) })
}

/// The tables of classes, all of them, or nothing.
pub fn tables(names: &[String]) -> Option<Vec<&'static Class>> {
    names.iter().map(|name| classes::find(name)).collect()
}

/// The name of a class as people know it: `SFTConfig`.
pub fn short(names: &[String]) -> &str {
    let training = names.iter().find(|name| vramlint_resolve::arguments::is_training_class(name)).or_else(|| names.first());
    training.map_or("", |name| name.rsplit('.').next().unwrap_or(name))
}

/// The table of a class or trainer whose call rejects every other keyword. Argument classes are looked at as sets of arguments; a
/// class of the project may take more; unsloth replaces trainers by its own.
pub fn class_of_call(project: &Project, call: &LibraryCall) -> Option<&'static Class> {
    if class_name(&call.path).is_some() || call.is_subclass {
        return None;
    }
    let class = classes::find(&plain_path(&call.path))?;
    // A rule of its own knows what `Accelerator()` says.
    let own = class.name == "accelerate.Accelerator";
    let trainer = class.name.ends_with("Trainer");
    let replaced = trainer && project.features(call.file).has(Feature::Unsloth);
    (class.unknown == Unknown::Refused && !replaced && !own).then_some(class)
}

/// The path of the top package for a class that is imported from an inner module.
fn plain_path(path: &str) -> String {
    if classes::find(path).is_some() {
        return path.to_owned();
    }
    let library = path.split('.').next().unwrap_or(path);
    let leaf = path.rsplit('.').next().unwrap_or(path);
    let inner = path.contains(".experimental.") || !leaf.starts_with(char::is_uppercase);
    if inner { path.to_owned() } else { format!("{library}.{leaf}") }
}

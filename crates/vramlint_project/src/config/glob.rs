//! Globs of the configuration and the command line.
//!
//! As in ruff: a glob matches a path relative to its base or the last component of a path, `*` crosses `/`, and a glob that
//! matches a folder includes everything in it.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use vramlint_base::{Message, message};

/// Globs with one base folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Globs {
    set: GlobSet,
}

impl Globs {
    /// Compiles patterns. The error contains the index of the invalid pattern.
    pub(crate) fn new<S: AsRef<str>>(patterns: &[S]) -> Result<Self, (usize, Message)> {
        let mut builder = GlobSetBuilder::new();
        for (index, pattern) in patterns.iter().enumerate() {
            builder.add(compile(pattern.as_ref()).map_err(|message| (index, message))?);
        }
        let set = builder.build().map_err(|error| (0, message!("{error}", "{error}")))?;
        Ok(Self { set })
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Whether a path itself matches, ignoring its parent folders. The path is relative to the base, with `/`.
    pub(crate) fn names(&self, relative: &str) -> bool {
        !self.set.is_empty()
            && (self.set.is_match(relative) || self.set.is_match(relative.rsplit('/').next().unwrap_or(relative)))
    }

    /// Whether a path or one of its parent folders, up to the base, matches.
    pub(crate) fn hold(&self, relative: &str) -> bool {
        let ends = relative.match_indices('/').map(|(at, _)| at).chain([relative.len()]);
        !self.set.is_empty()
            && ends
                .map(|end| &relative[..end])
                .filter(|part| !part.is_empty() && !part.ends_with(".."))
                .any(|part| self.names(part))
    }
}

fn compile(pattern: &str) -> Result<Glob, Message> {
    let trimmed = pattern.trim_start_matches("./").trim_end_matches('/');
    if has_too_many_braces(trimmed.as_bytes()) {
        return Err(too_many_braces());
    }
    GlobBuilder::new(trimmed).build().map_err(|error| {
        let reason = error.kind();
        message!("`{pattern}` is not a glob: {reason}", "`{pattern}` 不是有效的通配模式：{reason}")
    })
}

/// Braces of one pattern at most. Compiling it needs stack for each brace within a brace.
const MAX_BRACES: usize = 100;

/// Whether a pattern must not be compiled.
pub(crate) fn has_too_many_braces(pattern: &[u8]) -> bool {
    pattern.iter().filter(|byte| **byte == b'{').nth(MAX_BRACES).is_some()
}

/// Why such a pattern is refused. It is too long to be shown.
pub(crate) fn too_many_braces() -> Message {
    message!("a glob has more than {MAX_BRACES} braces", "通配模式的花括号超过 {MAX_BRACES} 个")
}

#[cfg(test)]
mod tests {
    use super::Globs;

    #[test]
    fn folders_names_and_stars() {
        let globs = Globs::new(&["legacy/**", "old/", "*.bak.py", "./a/b.yaml"]).expect("globs");
        for path in ["legacy/x.yaml", "legacy/a/b.py", "old/x/y.py", "old", "src/x.bak.py", "a/b.yaml"] {
            assert!(globs.hold(path), "{path}");
        }
        for path in ["src/x.py", "legacy.py", "b.yaml", "c/a/b.yaml", "../x.py"] {
            assert!(!globs.hold(path), "{path}");
        }
        assert!(Globs::new(&["ok", "a[", "x"]).is_err_and(|(index, _)| index == 1));
        assert!(!Globs::default().hold("x"));
    }
}

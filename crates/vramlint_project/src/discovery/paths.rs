//! Lexical path operations, without file access.

use std::path::{Component, Path, PathBuf};

/// `path` relative to `cwd` as an absolute path, without `.` and `..`. Symbolic links are not resolved.
pub(crate) fn absolute(cwd: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in cwd.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = out.pop(),
            _ => out.push(part),
        }
    }
    out
}

/// A path as shown to the user: relative to `cwd`, with `/`; `.` for `cwd` itself. Absolute if there is no relative path, as
/// between two drives.
pub(crate) fn shown(path: &Path, cwd: &Path) -> String {
    let text = relative(path, cwd);
    if text.is_empty() { ".".to_owned() } else { text }
}

/// `path` relative to `base`, with `/`; empty for `base` itself.
pub(crate) fn relative(path: &Path, base: &Path) -> String {
    if let Some(inner) = plainly_below(path, base) {
        return inner.to_owned();
    }
    let (own, other): (Vec<_>, Vec<_>) = (path.components().collect(), base.components().collect());
    let common = own.iter().zip(&other).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return path.to_string_lossy().replace('\\', "/");
    }
    let up = other[common..].iter().map(|_| "..".into());
    let down = own[common..].iter().map(|part| part.as_os_str().to_string_lossy());
    up.chain(down).collect::<Vec<std::borrow::Cow<'_, str>>>().join("/")
}

/// The rest of a path whose text begins with that of `base`, if it is written as [`relative`] writes it: nearly every path.
fn plainly_below<'a>(path: &'a Path, base: &Path) -> Option<&'a str> {
    if cfg!(windows) {
        return None;
    }
    let rest = path.to_str()?.strip_prefix(base.to_str()?)?.strip_prefix('/')?;
    rest.split('/').all(|part| !matches!(part, "" | ".")).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_working_directory() {
        let cwd = Path::new("/a/b");
        let see = |path: &str| shown(&absolute(cwd, Path::new(path)), cwd);
        assert_eq!(see("c.yaml"), "c.yaml");
        assert_eq!(see("./x/../c d/配置.yaml"), "c d/配置.yaml");
        assert_eq!(see("../x/y"), "../x/y");
        assert_eq!(see("/a/b"), ".");
        assert_eq!(see("/z"), "../../z");
        assert_eq!(see("../../../../z"), "../../z");
    }

    #[test]
    fn only_whole_folders_are_shared() {
        let see = |path: &str, base: &str| relative(Path::new(path), Path::new(base));
        assert_eq!(see("/a/bc", "/a/b"), "../bc");
        assert_eq!(see("/a//b/./c/", "/a"), "b/c");
        assert_eq!(see("/a/b", "/"), "a/b");
        assert_eq!(see("/a/b/..", "/a"), "b/..");
        assert_eq!(see("/a", "/a"), "");
    }
}

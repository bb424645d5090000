//! Paths as URI references.

use std::path::{Component, Path, PathBuf};

/// A shown path as a URI reference. A path in the working directory stays relative. All others become absolute, because a URI with
/// a named base must not leave that base with `..`.
pub(super) enum Reference {
    /// Relative to the working directory.
    Below(String),
    /// `file:///…`.
    Elsewhere(String),
}

/// The reference of a shown path.
pub(super) fn reference(path: &str, cwd: Option<&Path>) -> Reference {
    let leaves = path.starts_with("../") || Path::new(path).is_absolute();
    match cwd {
        Some(cwd) if leaves => Reference::Elsewhere(file(&cwd.join(path))),
        None if Path::new(path).is_absolute() => Reference::Elsewhere(file(Path::new(path))),
        _ => Reference::Below(encoded(path)),
    }
}

fn file(path: &Path) -> String {
    let mut folded = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(folded.pop()),
            Component::CurDir => {}
            other => folded.push(other),
        }
    }
    let text = folded.to_string_lossy().replace('\\', "/");
    let slash = if text.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", encoded(&text))
}

/// Percent-encodes all UTF-8 bytes except letters, digits, `-._~` and `/`: `%E8%AE%AD`. An unencoded colon in the first component
/// of a relative path would mark a scheme.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &str) -> String {
        match reference(path, Some(Path::new("/project/my project"))) {
            Reference::Below(uri) | Reference::Elsewhere(uri) => uri,
        }
    }

    #[test]
    fn names_of_every_kind() {
        assert_eq!(shown("configs/a-b_1.yaml"), "configs/a-b_1.yaml");
        assert_eq!(shown("训练/a b.yaml"), "%E8%AE%AD%E7%BB%83/a%20b.yaml");
        assert_eq!(shown("100%#?.json"), "100%25%23%3F.json");
        assert_eq!(shown("c:d.yaml"), "c%3Ad.yaml");
    }

    #[cfg(unix)]
    #[test]
    fn what_lies_elsewhere_is_absolute() {
        assert_eq!(shown("../other/a.yaml"), "file:///project/other/a.yaml");
        assert_eq!(shown("/tmp/a b.yaml"), "file:///tmp/a%20b.yaml");
        assert!(matches!(reference("../a.yaml", None), Reference::Below(_)));
    }
}

//! Conversion between URIs and paths.

use std::path::{Component, Path, PathBuf};
use tower_lsp_server::ls_types::Uri;
use vramlint_base::Lang;

/// The path of a `file` URI; `None` for other schemes.
pub(crate) fn to_path(uri: &Uri) -> Option<PathBuf> {
    if !uri.scheme().as_str().eq_ignore_ascii_case("file") {
        return None;
    }
    uri.to_file_path().map(|path| normalize(&path))
}

/// Path for an untitled document, from its title and language id.
pub(crate) fn untitled_path(uri: &Uri, language: &str) -> Option<PathBuf> {
    if !uri.scheme().as_str().eq_ignore_ascii_case("untitled") {
        return None;
    }
    let decoded = uri.path().decode().to_string_lossy().into_owned();
    let name = decoded.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or("untitled");
    let extensions: &[&str] = match language {
        "yaml" => &["yaml", "yml"],
        "json" | "jsonc" => &["json"],
        "python" => &["py"],
        "shellscript" => &["sh", "bash", "slurm", "sbatch"],
        "powershell" => &["ps1"],
        "markdown" => &["md"],
        _ => &[],
    };
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    if extensions.is_empty() || extensions.iter().any(|extensions| extensions.eq_ignore_ascii_case(extension)) {
        return Some(PathBuf::from(name));
    }
    Some(PathBuf::from(format!("{name}.{}", extensions[0])))
}

/// The URI of a file.
pub(crate) fn from_path(path: &Path) -> Option<Uri> {
    Uri::from_file_path(path)
}

/// The path of a displayed path, relative to a folder.
pub(crate) fn resolve(root: &Path, display: &str) -> PathBuf {
    normalize(&root.join(display))
}

/// A path as displayed: relative to a folder, with `/`.
pub(crate) fn display(root: &Path, path: &Path) -> String {
    let (path_components, root_components): (Vec<_>, Vec<_>) = (path.components().collect(), root.components().collect());
    let common = path_components.iter().zip(&root_components).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return path.to_string_lossy().replace('\\', "/");
    }
    let up = root_components[common..].iter().map(|_| "..".into());
    let down = path_components[common..].iter().map(|component| component.as_os_str().to_string_lossy());
    up.chain(down).collect::<Vec<std::borrow::Cow<'_, str>>>().join("/")
}

/// The file name of a rule's page.
pub(crate) fn rule_file(rule: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!("{rule}.md"),
        Lang::Zh => format!("{rule}.zh.md"),
    }
}

/// The URI of a rule's page, for clients with documents for rules.
pub(crate) fn rule(rule: &str, lang: Lang) -> Option<Uri> {
    format!("vramlint-rule:/{}", rule_file(rule, lang)).parse().ok()
}

fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = out.pop(),
            _ => out.push(component),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Uri {
        text.parse().expect("an address")
    }

    #[test]
    #[cfg(unix)]
    fn files_come_back_whatever_they_are_called() {
        for path in ["/a/b.yaml", "/a/c d/配置.yaml", "/a/[x]/y#z?.json", "/a/100%.py"] {
            let path = Path::new(path);
            assert_eq!(to_path(&from_path(path).expect("an absolute path")).as_deref(), Some(path));
        }
        assert_eq!(to_path(&parsed("git:/a/b.yaml")), None);
        assert_eq!(to_path(&parsed("file:///a/x/../b.yaml")), Some(PathBuf::from("/a/b.yaml")));
    }

    #[test]
    fn untitled_texts_are_named_by_their_language() {
        let name = |uri: &str, language| untitled_path(&parsed(uri), language);
        assert_eq!(name("untitled:Untitled-1", "yaml"), Some("Untitled-1.yaml".into()));
        assert_eq!(name("untitled:Untitled-2", "shellscript"), Some("Untitled-2.sh".into()));
        assert_eq!(name("untitled:/w/train.py", "python"), Some("train.py".into()));
        assert_eq!(name("untitled:ds.json", "jsonc"), Some("ds.json".into()));
        assert_eq!(name("untitled:notes", "plaintext"), Some("notes".into()));
        assert_eq!(name("file:///a.yaml", "yaml"), None);
    }

    #[test]
    fn shown_paths_lead_back() {
        let root = Path::new("/w/p");
        for path in ["/w/p/a.yaml", "/w/p/配/b.py", "/w/root_components/c.yaml"] {
            assert_eq!(resolve(root, &display(root, Path::new(path))), Path::new(path));
        }
        assert_eq!(display(root, Path::new("/w/p/a/b.yaml")), "a/b.yaml");
    }
}

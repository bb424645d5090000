//! The names of the files that matter: discovery, version readers, file watchers and hooks share them.

/// The endings of the files that are read.
pub const EXTENSIONS: &[&str] = &[
    "yaml",
    "yml",
    "json",
    "jsonc",
    "hjson",
    "py",
    "sh",
    "bash",
    "zsh",
    "slurm",
    "sbatch",
    "ps1",
    "bat",
    "cmd",
    "env",
    "md",
    "markdown",
    "mk",
    "dockerfile",
];

/// Folders of requirement files, which hold for the folder above.
pub const REQUIREMENT_FOLDERS: &[&str] = &["requirements", "requirement", "reqs", "dependencies"];

/// The endings of requirement files.
pub const REQUIREMENT_EXTENSIONS: &[&str] = &["txt", "in", "pip"];

/// Files that name versions by a fixed name; requirement files and conda's environments are known by a part of theirs.
pub const MANIFESTS: &[&str] =
    &["pyproject.toml", "Pipfile", "Pipfile.lock", "uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "setup.cfg", "setup.py"];

/// Files that decide what is analyzed, and how.
pub const CONFIGURATION: &[&str] = &["vramlint.toml", ".vramlint.toml", ".gitignore", ".ignore", ".env"];

/// Whether a file with this name in one of [`REQUIREMENT_FOLDERS`] lists requirements.
pub fn is_requirement_list(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| REQUIREMENT_EXTENSIONS.contains(&extension))
}

/// Whether the files of a folder may list requirements.
pub fn is_requirement_folder(name: &str) -> bool {
    REQUIREMENT_FOLDERS.contains(&name)
}

/// The globs of the files that an editor should watch.
pub fn watch_globs() -> Vec<String> {
    let requirement_extensions = REQUIREMENT_EXTENSIONS.join(",");
    vec![
        format!("**/*.{{{}}}", EXTENSIONS.join(",")),
        format!("**/{{{}}}", [CONFIGURATION, MANIFESTS].concat().join(",")),
        format!("**/{{*requirement*,*constraint*,reqs}}.{{{requirement_extensions}}}"),
        format!("**/{{{}}}/*.{{{requirement_extensions}}}", REQUIREMENT_FOLDERS.join(",")),
        "**/{Makefile,GNUmakefile,makefile}".to_owned(),
        "**/{Dockerfile,Dockerfile.*,*.Dockerfile}".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_pass_every_file_that_is_read() {
        let hooks = include_str!("../../../.pre-commit-hooks.yaml");
        let pattern = hooks.lines().find_map(|line| line.trim().strip_prefix("\\.(")?.strip_suffix(')')).expect("the endings");
        let mut endings: Vec<String> = Vec::new();
        for ending in pattern.split('|') {
            // `ya?ml` stands for `yaml` and `yml`.
            match ending.find('?') {
                Some(at) => endings.extend([
                    format!("{}{}", &ending[..at], &ending[at + 1..]),
                    format!("{}{}", &ending[..at - 1], &ending[at + 1..]),
                ]),
                None => endings.push(ending.to_owned()),
            }
        }
        endings.sort_unstable();
        let mut expected: Vec<&str> = EXTENSIONS.to_vec();
        expected.sort_unstable();
        assert_eq!(endings, expected);
    }

    #[test]
    fn requirement_lists_are_watched() {
        let globs = watch_globs();
        for part in [
            "*requirement*,*constraint*,reqs}.{txt,in,pip}",
            "{requirements,requirement,reqs,dependencies}/*",
            "Pipfile,",
            "pylock.toml",
        ] {
            assert!(globs.iter().any(|glob| glob.contains(part)), "{part}");
        }
        assert!(is_requirement_list("base.txt") && is_requirement_list("dev.in") && !is_requirement_list("base.md"));
    }
}

//! Determines the format of a file from its name, its folder or its first line.

use std::path::Path;
use vramlint_resolve::SyntaxKind;

/// The format of a file, which selects its parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FileFormat {
    /// YAML.
    Yaml,
    /// A GitHub workflow or composite action: YAML with scripts inside.
    Workflow,
    /// JSON in all its dialects.
    Json,
    /// Python.
    Python,
    /// bash, sh, zsh.
    Bash,
    /// PowerShell.
    PowerShell,
    /// Batch files of the Windows command interpreter.
    Batch,
    /// Environment files: `.env`, `train.env`.
    EnvFile,
    /// Markdown.
    Markdown,
    /// A Makefile.
    Makefile,
    /// A Dockerfile.
    Dockerfile,
    /// Plain text that the command line names.
    Text,
}

/// The format according to a file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormatByName {
    /// This format.
    Format(FileFormat),
    /// No extension: the first line decides.
    AskShebang,
    /// A dataset, which is never read.
    Dataset,
    /// Not read unless the command line names the file.
    Unknown,
}

impl FileFormat {
    /// What its parser makes.
    pub(crate) const fn syntax_kind(self) -> SyntaxKind {
        match self {
            Self::Yaml | Self::Workflow => SyntaxKind::Yaml,
            Self::Json => SyntaxKind::Json,
            Self::Python => SyntaxKind::Python,
            Self::Bash | Self::PowerShell | Self::Batch | Self::EnvFile => SyntaxKind::Script,
            Self::Markdown | Self::Makefile | Self::Dockerfile | Self::Text => SyntaxKind::Text,
        }
    }

    /// The format according to the path.
    pub(crate) fn by_name(path: &Path) -> FormatByName {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let lower = name.to_lowercase();
        if lower == "makefile" || lower == "gnumakefile" {
            return FormatByName::Format(Self::Makefile);
        }
        let extension = lower.rsplit_once('.').map(|(_, extension)| extension);
        // `Dockerfile.train` and `train.Dockerfile` are both common; `Dockerfile.md` is a document.
        let format = match extension {
            Some("yaml" | "yml") => {
                if is_workflow(path, &lower) {
                    Self::Workflow
                } else {
                    Self::Yaml
                }
            }
            Some("json" | "jsonc" | "hjson") => Self::Json,
            Some("py") => Self::Python,
            Some("sh" | "bash" | "zsh" | "slurm" | "sbatch") => Self::Bash,
            Some("ps1") => Self::PowerShell,
            Some("bat" | "cmd") => Self::Batch,
            Some("env") => Self::EnvFile,
            Some("md" | "markdown") => Self::Markdown,
            Some("mk") => Self::Makefile,
            Some("dockerfile") => Self::Dockerfile,
            Some("jsonl" | "ndjson" | "parquet" | "csv" | "tsv" | "arrow") => return FormatByName::Dataset,
            _ if lower == "dockerfile" || lower.starts_with("dockerfile.") => Self::Dockerfile,
            None => return FormatByName::AskShebang,
            Some(_) => return FormatByName::Unknown,
        };
        FormatByName::Format(format)
    }

    /// The format according to the first line, if it names a supported interpreter.
    pub(crate) fn by_shebang(head: &[u8]) -> Option<Self> {
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_whitespace();
        let mut program = words.next()?.rsplit(['/', '\\']).next()?;
        if program == "env" {
            program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        }
        let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        match bare {
            "sh" | "bash" | "zsh" | "dash" | "ksh" => Some(Self::Bash),
            "python" | "pypy" => Some(Self::Python),
            "pwsh" | "powershell" => Some(Self::PowerShell),
            _ => None,
        }
    }
}

/// `.github/workflows/*.yml`, and `action.yml` of a composite action.
fn is_workflow(path: &Path, lower: &str) -> bool {
    let name = |path: Option<&Path>| path.and_then(Path::file_name).map(std::ffi::OsStr::to_os_string).unwrap_or_default();
    let folder = path.parent();
    let above = folder.and_then(Path::parent);
    name(folder) == "workflows" && name(above) == ".github" || lower == "action.yml" || lower == "action.yaml"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_that_is_read_has_a_format() {
        for extension in vramlint_catalog::files::EXTENSIONS {
            let format = FileFormat::by_name(Path::new(&format!("a/train.{extension}")));
            assert!(matches!(format, FormatByName::Format(_)), "{extension}");
        }
    }

    #[test]
    fn names_and_folders() {
        let of = |path| FileFormat::by_name(Path::new(path));
        assert_eq!(of("a/DS.JSON"), FormatByName::Format(FileFormat::Json));
        assert_eq!(of("a/train.slurm"), FormatByName::Format(FileFormat::Bash));
        assert_eq!(of("Makefile"), FormatByName::Format(FileFormat::Makefile));
        assert_eq!(of("docker/Dockerfile.train"), FormatByName::Format(FileFormat::Dockerfile));
        assert_eq!(of("docker/Dockerfile.md"), FormatByName::Format(FileFormat::Markdown));
        assert_eq!(of(".github/workflows/ci.yml"), FormatByName::Format(FileFormat::Workflow));
        assert_eq!(of("workflows/ci.yml"), FormatByName::Format(FileFormat::Yaml));
        assert_eq!(of("run/.env"), FormatByName::Format(FileFormat::EnvFile));
        assert_eq!(of("train.env"), FormatByName::Format(FileFormat::EnvFile));
        assert_eq!(of(".env.example"), FormatByName::Unknown);
        assert_eq!(of("run"), FormatByName::AskShebang);
        assert_eq!(of("data.jsonl"), FormatByName::Dataset);
        assert_eq!(of("a.txt"), FormatByName::Unknown);
        assert_eq!(of("配置.yaml"), FormatByName::Format(FileFormat::Yaml));
    }

    #[test]
    fn shebangs() {
        assert_eq!(FileFormat::by_shebang(b"#!/bin/bash -l\n"), Some(FileFormat::Bash));
        assert_eq!(FileFormat::by_shebang(b"#!/usr/bin/env -S python3.11 -u\r\n"), Some(FileFormat::Python));
        assert_eq!(FileFormat::by_shebang(b"#! /usr/bin/env pwsh\n"), Some(FileFormat::PowerShell));
        assert_eq!(FileFormat::by_shebang(b"#!/usr/bin/perl\n"), None);
        assert_eq!(FileFormat::by_shebang(b"#!\n"), None);
        assert_eq!(FileFormat::by_shebang(b"\x7fELF"), None);
    }
}

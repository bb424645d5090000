//! Lock files. Tools write them line by line in one form, and they may be long, so they are not parsed fully.

use super::LibraryMention;
use crate::versions::VersionSpec;
use pep440_rs::Version;
use std::str::FromStr;
use vramlint_base::TextRange;

/// `uv.lock`, `poetry.lock`, `pdm.lock`, `pylock.toml`: tables with a `name` and a `version`.
pub(super) fn packages(text: &str) -> Vec<LibraryMention> {
    let mut out = Vec::new();
    let (mut inside, mut name, mut at) = (false, None, 0);
    for raw in text.split_inclusive('\n') {
        let (start, line) = (at, raw.trim_end());
        at += raw.len();
        if line.starts_with('[') {
            inside = matches!(line, "[[package]]" | "[[packages]]");
            name = None;
        } else if inside && let Some(value) = value_of(line, "name") {
            name = Some(value);
        } else if inside
            && let Some(value) = value_of(line, "version")
            && let (Some(name), Ok(version)) = (name, Version::from_str(value))
        {
            out.extend(LibraryMention::new(name, VersionSpec::Exact(version), TextRange::of(start..start + line.len())));
        }
    }
    out
}

fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.strip_prefix(key)?.trim_start().strip_prefix('=')?.trim().strip_prefix('"')?.split('"').next()
}

/// `Pipfile.lock`: `"transformers": { … "version": "==4.44.0" }` in sections of packages.
pub(super) fn pipfile_packages(text: &str) -> Vec<LibraryMention> {
    let data = vramlint_syntax::json::parse(text);
    let Some(root) = data.root() else { return Vec::new() };
    let sections = root.entries().filter(|(key, _)| key.text() != Some("_meta"));
    let packages = sections.flat_map(|(_, section)| section.entries());
    packages
        .filter_map(|(name, package)| {
            let version = package.get("version")?;
            LibraryMention::new(name.text()?, VersionSpec::from_specifiers(version.text()?)?, version.range())
        })
        .collect()
}

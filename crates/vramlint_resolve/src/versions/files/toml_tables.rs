//! `pyproject.toml`, `Pipfile` and the inline metadata of scripts.

use super::{LibraryMention, requirement};
use crate::versions::VersionSpec;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use vramlint_base::TextRange;

type Node<'a> = Spanned<DeValue<'a>>;

/// `[project]`, `[dependency-groups]`, `[tool.poetry]`, `[tool.pdm]`, `[tool.uv]`, `[tool.pixi]`.
pub(super) fn pyproject(text: &str) -> Vec<LibraryMention> {
    let Ok(document) = DeTable::parse(text.trim_start_matches('\u{feff}')) else { return Vec::new() };
    // Places are counted after the byte order mark.
    let shift = text.len() - text.trim_start_matches('\u{feff}').len();
    let root = document.get_ref();
    let mut out = Vec::new();
    let table = |path: &[&str]| at(root, path);
    out.extend(table(&["project", "dependencies"]).into_iter().flat_map(list));
    for groups in [&["project", "optional-dependencies"][..], &["dependency-groups"], &["tool", "pdm", "dev-dependencies"]] {
        out.extend(table(groups).into_iter().flat_map(values).flat_map(list));
    }
    for keys in [
        &["tool", "uv", "dev-dependencies"][..],
        &["tool", "uv", "override-dependencies"],
        &["tool", "uv", "constraint-dependencies"],
    ] {
        out.extend(table(keys).into_iter().flat_map(list));
    }
    out.extend(table(&["tool", "poetry", "dependencies"]).into_iter().flat_map(poetry));
    out.extend(table(&["tool", "poetry", "dev-dependencies"]).into_iter().flat_map(poetry));
    let groups = table(&["tool", "poetry", "group"]).into_iter().flat_map(values);
    out.extend(groups.filter_map(|group| group.get_ref().as_table()?.get("dependencies")).flat_map(poetry));
    for mention in &mut out {
        let range = mention.range;
        mention.range = TextRange::new(range.start + shift as u32, range.end + shift as u32);
    }
    out
}

/// `dependencies` of a script's inline metadata.
pub(super) fn inline_script(text: &str) -> Vec<LibraryMention> {
    let Ok(document) = DeTable::parse(text) else { return Vec::new() };
    at(document.get_ref(), &["dependencies"]).into_iter().flat_map(list).collect()
}

/// `[packages]`, `[dev-packages]`.
pub(super) fn pipfile(text: &str) -> Vec<LibraryMention> {
    let Ok(document) = DeTable::parse(text) else { return Vec::new() };
    ["packages", "dev-packages"].iter().filter_map(|key| at(document.get_ref(), &[key])).flat_map(poetry).collect()
}

fn at<'a>(table: &'a DeTable<'a>, path: &[&str]) -> Option<&'a Node<'a>> {
    let (first, rest) = path.split_first()?;
    let mut node = table.get(*first)?;
    for key in rest {
        node = node.get_ref().as_table()?.get(*key)?;
    }
    Some(node)
}

fn values<'a>(node: &'a Node<'a>) -> impl Iterator<Item = &'a Node<'a>> {
    node.get_ref().as_table().into_iter().flat_map(|table| table.values())
}

/// A list of requirements.
fn list(node: &Node<'_>) -> Vec<LibraryMention> {
    let items = node.get_ref().as_array().into_iter().flatten();
    items.filter_map(|item| requirement::read(item.get_ref().as_str()?, TextRange::of(item.span()))).collect()
}

/// A table from names to versions: text, or a table with `version`, `tag`, `url`, or a list of such.
fn poetry(node: &Node<'_>) -> Vec<LibraryMention> {
    let entries = node.get_ref().as_table().into_iter().flatten();
    let mut out = Vec::new();
    for (name, value) in entries {
        let range = TextRange::new(TextRange::of(name.span()).start, TextRange::of(value.span()).end);
        let name = name.get_ref().as_ref();
        if let Some(several) = value.get_ref().as_array() {
            let each = several.iter().filter_map(|one| version_of(name, one));
            out.extend(each.filter_map(|version| LibraryMention::new(name, version, range)).map(|it| it.conditional(true)));
        } else {
            out.extend(version_of(name, value).and_then(|version| LibraryMention::new(name, version, range)));
        }
    }
    out
}

fn version_of(name: &str, node: &Node<'_>) -> Option<VersionSpec> {
    if let Some(text) = node.get_ref().as_str() {
        return VersionSpec::from_poetry(text);
    }
    let table = node.get_ref().as_table()?;
    let text = |key: &str| table.get(key).and_then(|value| value.get_ref().as_str());
    if let Some(version) = text("version") {
        return VersionSpec::from_poetry(version);
    }
    if let Some(tag) = text("tag").or_else(|| text("ref")) {
        return Some(requirement::in_address(&format!("git+x@{tag}"), name));
    }
    Some(text("url").or_else(|| text("file")).map_or_else(VersionSpec::any, |address| requirement::in_address(address, name)))
}

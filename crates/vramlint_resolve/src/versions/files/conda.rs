//! conda's `environment.yml`: `dependencies`, with the requirements of pip inside.

use super::{LibraryMention, requirement};
use crate::versions::VersionSpec;

pub(super) fn read(text: &str) -> Vec<LibraryMention> {
    let data = vramlint_syntax::yaml::parse(text);
    let Some(list) = data.root().and_then(|root| root.get("dependencies")) else { return Vec::new() };
    let mut out = Vec::new();
    for item in list.items() {
        if let Some(text) = item.text() {
            out.extend(parse_dependency(text).and_then(|(name, version)| LibraryMention::new(name, version, item.range())));
        } else if let Some(pip) = item.get("pip") {
            let requirements = pip.items().filter_map(|item| requirement::read(item.text()?, item.range()));
            out.extend(requirements);
        }
    }
    out
}

/// `conda-forge::transformers=4.44`, `python =3.10`, `pytorch[version='>=2']` (of which only the name is read).
fn parse_dependency(text: &str) -> Option<(&str, VersionSpec)> {
    let text = text.rsplit_once("::").map_or(text, |(_, own)| own).trim();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let version = if rest.starts_with('[') { VersionSpec::any() } else { VersionSpec::from_conda(rest)? };
    Some((name, version))
}

//! One requirement: `name[extras] >=1,<2 ; marker`, `name @ url`.

use super::LibraryMention;
use super::marker::{MarkerResult, evaluate};
use crate::versions::VersionSpec;
use pep440_rs::Version;
use std::str::FromStr;
use vramlint_base::TextRange;

/// Parses the requirement at `range`.
pub(super) fn read(text: &str, range: TextRange) -> Option<LibraryMention> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']')?.1.trim_start(),
        None => rest,
    };
    let (version, marker) = if let Some(address) = rest.strip_prefix('@') {
        // The marker of an address needs a blank before its `;`.
        let (address, marker) = address.split_once(" ;").unwrap_or((address, ""));
        (in_address(address.trim(), name), marker)
    } else {
        let (specifiers, marker) = rest.split_once(';').unwrap_or((rest, ""));
        (VersionSpec::from_specifiers(specifiers)?, marker)
    };
    let counts = evaluate(marker);
    (counts != MarkerResult::Excluded)
        .then(|| LibraryMention::new(name, version, range))?
        .map(|it| it.conditional(counts == MarkerResult::Unknown))
}

/// The version in an address: a tag of a repository, or the name of a wheel. Any version if there is none.
pub(super) fn in_address(address: &str, name: &str) -> VersionSpec {
    exact_in_address(address, name).map_or_else(VersionSpec::any, VersionSpec::Exact)
}

fn exact_in_address(address: &str, name: &str) -> Option<Version> {
    let bare = address.split(['#', '?', ' ']).next()?;
    if address.starts_with("git+") || bare.ends_with(".git") {
        let tag = bare.rsplit_once('@').map(|(_, tag)| tag).filter(|tag| !tag.contains('/'))?;
        return tagged(tag);
    }
    let file = bare.rsplit('/').next()?.replace("%2B", "+");
    if let Some(wheel) = file.strip_suffix(".whl") {
        return Version::from_str(wheel.split('-').nth(1)?).ok();
    }
    let source = [".tar.gz", ".zip"].iter().find_map(|end| file.strip_suffix(end))?;
    let own = source.get(name.len()..).filter(|_| source.to_lowercase().starts_with(&name.to_lowercase()));
    tagged(own.map_or(source, |rest| rest.trim_start_matches('-')))
}

/// `v4.44.0`, `4.44.0`; not `v4.44-release`.
fn tagged(tag: &str) -> Option<Version> {
    let tag = tag.strip_prefix('v').unwrap_or(tag);
    // A commit may look like a number; a version has a dot.
    tag.contains('.').then(|| Version::from_str(tag).ok())?
}

/// The library name in an address: `git+https://…/transformers.git@v4.44.0`, `…#egg=transformers`.
pub(super) fn name_in_address(address: &str) -> Option<String> {
    if let Some((_, egg)) = address.split_once("egg=") {
        let end = egg.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)).unwrap_or(egg.len());
        return Some(egg[..end].to_owned());
    }
    let bare = address.split(['#', '?', ' ', ';']).next()?;
    let bare = if address.starts_with("git+") {
        let (scheme, path) = bare.split_once("://").unwrap_or(("", bare));
        let path = path.split_once('/').map_or(path, |(_, path)| path).split('@').next()?;
        if scheme.is_empty() {
            return None;
        }
        path
    } else {
        bare
    };
    let last = bare.trim_end_matches('/').rsplit('/').next()?;
    let last = last.strip_suffix(".git").unwrap_or(last);
    Some(if last.ends_with(".whl") { last.split('-').next()?.to_owned() } else { last.to_owned() })
}

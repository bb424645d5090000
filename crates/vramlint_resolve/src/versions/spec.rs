//! A version as far as it is known, and the notations of the tools.

use pep440_rs::{Operator, Version, VersionSpecifier, VersionSpecifiers};
use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use vramlint_catalog::releases::releases;

/// The major version that represents future releases.
const TO_COME: u64 = 1_000_000;

/// Conditions of one range that are kept when ranges are joined; a file that has more says nothing by the rest.
const MOST_SPECIFIERS: usize = 64;

/// Whether a version stands for the releases that are yet to come.
pub(super) fn is_to_come(version: &Version) -> bool {
    version.release().first() == Some(&TO_COME)
}

/// A version, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum VersionSpec {
    /// Exactly this one: a pin, a lock file, an installed package.
    Exact(Version),
    /// One that these specifiers allow; any if there are none.
    Range(VersionSpecifiers),
    /// One of several: files differ, or markers choose.
    OneOf(Vec<VersionSpec>),
}

impl VersionSpec {
    /// Any version.
    pub fn any() -> Self {
        Self::Range(VersionSpecifiers::empty())
    }

    /// Parses what follows the name in a requirement: `==4.44.0`, `>=4.40,<5`, `~=4.44`, nothing.
    pub fn from_specifiers(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches('(').trim_end_matches(')').trim().trim_end_matches(',');
        let lenient = || text.split(',').map(lenient_part).collect::<Vec<_>>().join(",");
        let read = VersionSpecifiers::from_str(text).or_else(|_| VersionSpecifiers::from_str(&lenient())).ok()?;
        let exact = read.iter().find(|one| matches!(one.operator(), Operator::Equal | Operator::ExactEqual));
        Some(exact.map(|one| one.version().clone()).map_or(Self::Range(read), Self::Exact))
    }

    /// Parses the notation of `vramlint.toml`: `5.23` (any of that line), `4.44.2`, or specifiers.
    pub fn parse_declared(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        match Version::from_str(text) {
            Ok(version) if version.release().len() < 3 && version.is_stable() && !version.is_post() => {
                Self::from_specifiers(&format!("=={text}.*"))
            }
            Ok(version) => Some(Self::Exact(version)),
            Err(_) if text.ends_with(".*") && text.starts_with(|c: char| c.is_ascii_digit()) => {
                Self::from_specifiers(&format!("=={text}"))
            }
            Err(_) => Self::from_specifiers(text),
        }
    }

    /// Parses the notation of Poetry: `^4.40`, `~4.40`, `4.*`, `4.44.0`, `>=4,<5`, `a || b`.
    pub fn from_poetry(text: &str) -> Option<Self> {
        let one = |text: &str| {
            let parts: Option<Vec<String>> = text.split([',']).flat_map(str::split_whitespace).map(poetry_part).collect();
            Self::from_specifiers(&parts?.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(","))
        };
        let all: Option<Vec<Self>> = join_operators(text).split('|').filter(|part| !part.trim().is_empty()).map(one).collect();
        all.filter(|all| !all.is_empty()).map(Self::one_of)
    }

    /// Parses the notation of conda after a name: `=2.1`, `==2.1.0`, `=2.1.0=py310_0`, `>=4.40,<5`, ` 2.1`.
    pub fn from_conda(spec: &str) -> Option<Self> {
        let spec = spec.trim();
        if spec.is_empty() || spec == "*" {
            return Some(Self::any());
        }
        if spec.contains('|') {
            let all: Option<Vec<Self>> = spec.split('|').map(Self::from_conda).collect();
            return all.map(Self::one_of);
        }
        if spec.starts_with(['>', '<', '!', '~']) || spec.starts_with("==") {
            return Self::from_specifiers(spec.split_whitespace().next()?);
        }
        let bare = spec.trim_start_matches('=');
        let (version, build) = bare.split_once(['=', ' ']).map_or((bare, false), |(version, _)| (version, true));
        let version = version.trim_end_matches(".*").trim_end_matches('*');
        let fuzzy = spec.starts_with('=') && !build || bare.contains('*');
        Self::from_specifiers(&if fuzzy { format!("=={version}.*") } else { format!("=={version}") })
    }

    /// One of several; a single one stays itself.
    pub fn one_of(all: impl IntoIterator<Item = Self>) -> Self {
        let (mut list, mut seen) = (Vec::new(), HashSet::new());
        for known in all {
            let parts = if let Self::OneOf(inner) = known { inner } else { vec![known] };
            list.extend(parts.into_iter().filter(|part| seen.insert(part.clone())));
        }
        if list.len() == 1 { list.remove(0) } else { Self::OneOf(list) }
    }

    /// What both allow, if both are ranges: each condition once, and no more than [`MOST_SPECIFIERS`] of them.
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        let (Self::Range(own), Self::Range(other)) = (self, other) else { return None };
        let new = other.iter().filter(|specifier| !own.iter().any(|known| known == *specifier));
        let room = MOST_SPECIFIERS.saturating_sub(own.len());
        let new: Vec<VersionSpecifier> = new.take(room).cloned().collect();
        if new.is_empty() {
            return Some(self.clone());
        }
        Some(Self::Range(own.iter().cloned().chain(new).collect()))
    }

    /// Whether it allows a version.
    pub fn allows(&self, version: &Version) -> bool {
        match self {
            Self::Exact(own) => own == version,
            Self::Range(specifiers) => specifiers.contains(&version.clone().without_local()),
            Self::OneOf(all) => all.iter().any(|known| known.allows(version)),
        }
    }

    /// Whether it consists of exact versions only, and a condition holds for all of them.
    pub(super) fn all_exact(&self, holds: impl Fn(&Version) -> bool + Copy) -> bool {
        match self {
            Self::Exact(version) => holds(version),
            Self::Range(_) => false,
            Self::OneOf(all) => all.iter().all(|known| known.all_exact(holds)),
        }
    }

    /// The releases of a library that it allows; empty if unknown.
    pub(super) fn possible_releases(&self, library: &str) -> Vec<Version> {
        match self {
            // A build between two releases has parts of the later one.
            Self::Exact(version) if version.any_prerelease() => vec![version.clone(), version.only_release()],
            Self::Exact(version) => {
                let own = version.clone().without_local();
                let later = later_than_unlisted(library, &own);
                [Some(own), later].into_iter().flatten().collect()
            }
            Self::Range(specifiers) => released(library, specifiers),
            Self::OneOf(all) => {
                let each: Vec<Vec<Version>> = all.iter().map(|known| known.possible_releases(library)).collect();
                if each.iter().any(Vec::is_empty) { Vec::new() } else { each.concat() }
            }
        }
    }
}

/// The releases that specifiers allow, from the oldest that vramlint knows if there are any, and future ones.
fn released(library: &str, specifiers: &VersionSpecifiers) -> Vec<Version> {
    let Some(releases) = releases(library) else { return Vec::new() };
    let allowed = |version: &Version| specifiers.contains(version);
    let oldest = Version::from_str(releases.oldest).ok();
    let all = releases.versions.split(' ').filter_map(|text| Version::from_str(text).ok());
    let fitting: Vec<Version> = all.chain([Version::new([TO_COME])]).filter(allowed).collect();
    let recent: Vec<Version> =
        fitting.iter().filter(|version| oldest.as_ref().is_none_or(|oldest| *version >= oldest)).cloned().collect();
    if recent.is_empty() { fitting } else { recent }
}

/// The release after a version that lies among the listed ones and was withdrawn: which of both has a change is not recorded.
fn later_than_unlisted(library: &str, version: &Version) -> Option<Version> {
    let all = releases(library)?.versions.split(' ').filter_map(|text| Version::from_str(text).ok());
    let (mut is_after_another, mut later) = (false, None);
    for known in all {
        match known.cmp(version) {
            Ordering::Less => is_after_another = true,
            Ordering::Equal => return None,
            Ordering::Greater => later = later.filter(|own: &Version| *own < known).or(Some(known)),
        }
    }
    later.filter(|_| is_after_another)
}

/// Notations that old tools accept and the standard does not: `>=4.40.*`, `= 4.40`.
fn lenient_part(part: &str) -> String {
    let part = part.trim();
    match part.strip_suffix(".*") {
        Some(bare) if !part.starts_with("==") && !part.starts_with("!=") => bare.to_owned(),
        _ if part.starts_with('=') && !part.starts_with("==") => format!("={part}"),
        _ => part.to_owned(),
    }
}

/// `>= 4.0` without the blank, so that blanks only separate conditions.
fn join_operators(text: &str) -> String {
    let mut out = String::new();
    for c in text.trim().chars() {
        if c.is_whitespace() && out.ends_with(['=', '<', '>', '!', '~', '^']) {
            continue;
        }
        out.push(c);
    }
    out
}

fn poetry_part(part: &str) -> Option<String> {
    if part == "*" {
        return Some(String::new());
    }
    if let Some(version) = part.strip_prefix('^') {
        let numbers = numbers(version)?;
        let significant = numbers.iter().position(|number| *number > 0).unwrap_or(numbers.len() - 1);
        return Some(format!(">={version},<{}", bumped(&numbers, significant)));
    }
    if let Some(version) = part.strip_prefix('~').filter(|rest| !rest.starts_with('=')) {
        let numbers = numbers(version)?;
        return Some(format!(">={version},<{}", bumped(&numbers, 1.min(numbers.len() - 1))));
    }
    if part.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(format!("=={part}"));
    }
    Some(part.to_owned())
}

fn numbers(version: &str) -> Option<Vec<u64>> {
    let version = Version::from_str(version.trim()).ok()?;
    Some(version.release().to_vec()).filter(|numbers| !numbers.is_empty())
}

fn bumped(numbers: &[u64], at: usize) -> String {
    let kept = numbers.iter().take(at + 1).enumerate().map(|(index, number)| if index == at { number + 1 } else { *number });
    kept.map(|number| number.to_string()).collect::<Vec<_>>().join(".")
}

impl fmt::Display for VersionSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(version) => write!(f, "{version}"),
            Self::Range(specifiers) if specifiers.is_empty() => write!(f, "*"),
            Self::Range(specifiers) => {
                let parts: Vec<String> = specifiers.iter().map(|one| one.to_string().replace(' ', "")).collect();
                write!(f, "{}", parts.join(","))
            }
            Self::OneOf(all) => {
                let parts: Vec<String> = all.iter().map(ToString::to_string).collect();
                write!(f, "{}", parts.join(" | "))
            }
        }
    }
}

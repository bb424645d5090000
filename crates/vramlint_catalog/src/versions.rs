//! The releases of the libraries that a project runs with, as far as they are known.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A final release: its numbers, with the number of a post-release last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Release {
    numbers: Vec<u64>,
    post: u64,
}

impl Release {
    /// Reads `4.44`, `2026.8.20`, `0.10.1.post2`. A pre-release counts as its release: it has most of it.
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = Vec::new();
        let mut post = 0;
        for part in text.trim().split('.') {
            if let Some(number) = part.strip_prefix("post") {
                post = number.parse().unwrap_or_default();
                break;
            }
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            let Ok(number) = part[..digits].parse() else { break };
            numbers.push(number);
            if digits < part.len() {
                break;
            }
        }
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        (!numbers.is_empty() || text.starts_with('0')).then_some(Self { numbers, post })
    }
}

impl Ord for Release {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then(self.post.cmp(&other.post))
    }
}

impl PartialOrd for Release {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares two releases; one that is not a release comes first.
pub fn compare(left: &str, right: &str) -> Ordering {
    Release::parse(left).cmp(&Release::parse(right))
}

/// The release of each library that a project runs with. A library without one counts as its newest release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LibraryVersions(BTreeMap<String, String>);

impl LibraryVersions {
    /// No library is known: the newest release of each.
    pub const fn newest() -> Self {
        Self(BTreeMap::new())
    }

    /// Notes the release of a library (its normalized name).
    pub fn insert(&mut self, library: &str, release: String) {
        self.0.insert(library.to_owned(), release);
    }

    /// The release of a library; `None` stands for its newest.
    pub fn get(&self, library: &str) -> Option<&str> {
        self.0.get(library).map(String::as_str)
    }

    /// Whether the release of a library is `release` or a later one.
    pub fn reaches(&self, library: &str, release: &str) -> bool {
        self.get(library).is_none_or(|own| compare(own, release) != Ordering::Less)
    }

    /// The last of several states, each with the first release that has it, oldest first.
    pub(crate) fn state<'a, T>(&self, library: &str, states: &'a [(Option<String>, T)]) -> Option<&'a T> {
        let mut reached =
            states.iter().rev().filter(|(since, _)| since.as_deref().is_none_or(|since| self.reaches(library, since)));
        // The first state of a history also stands for the releases before it.
        reached.next().or_else(|| states.first()).map(|(_, state)| state)
    }

    /// Whether the release of a library has what came in `since` and went in `until`, but for the spans between.
    pub(crate) fn has(&self, library: &str, since: Option<&str>, until: Option<&str>, absent: &[(String, String)]) -> bool {
        let reaches = |release: &str| self.reaches(library, release);
        since.is_none_or(reaches)
            && !until.is_some_and(reaches)
            && !absent.iter().any(|(gone, back)| reaches(gone) && !reaches(back))
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for LibraryVersions {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self(entries.into_iter().map(|(library, release)| (library.into(), release.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_ordered_by_their_numbers() {
        let ordered = ["0", "0.9.1", "0.10.1", "0.10.1.post2", "0.10.2", "1.0.0", "4.46.3", "2026.8.20"];
        for pair in ordered.windows(2) {
            assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
        }
        for (left, right) in [("1.0", "1.0.0"), ("5.0.0rc1", "5.0.0"), ("5.0.0.dev0", "5"), ("2.8.0+cu128", "2.8")] {
            assert_eq!(compare(left, right), Ordering::Equal, "{left} {right}");
        }
    }

    #[test]
    fn an_unknown_release_is_the_newest() {
        let versions = LibraryVersions::from_iter([("trl", "0.15.2")]);
        assert!(versions.reaches("trl", "0.15.0") && !versions.reaches("trl", "0.16.0"));
        assert!(versions.reaches("torch", "99"));
        assert!(versions.has("trl", Some("0.15"), Some("0.16"), &[]));
        assert!(!versions.has("trl", None, None, &[("0.15.0".into(), "0.16.0".into())]));
        let states = [(Some("0.14.0".to_owned()), "a"), (Some("0.16.0".to_owned()), "b")];
        assert_eq!(versions.state("trl", &states), Some(&"a"));
        assert_eq!(LibraryVersions::newest().state("trl", &states), Some(&"b"));
        assert_eq!(LibraryVersions::from_iter([("trl", "0.1")]).state("trl", &states), Some(&"a"));
    }
}

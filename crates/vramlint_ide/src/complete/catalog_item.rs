//! A name from the catalog: a key of a file, a field of a class, or a flag.

use super::CompletionKind;
use super::builder::Item;
use super::common_values;
use super::target_syntax::TargetSyntax;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use vramlint_base::{FileId, Lang};
use vramlint_catalog::LibraryVersions;
use vramlint_catalog::classes::Field;
use vramlint_catalog::keys::{self, Key, KeyType, Standing};
use vramlint_resolve::Project;
use vramlint_resolve::versions::{RangeMatch, VersionEvidence, VersionRange};

/// A row of the catalog.
#[derive(Clone, Copy, Debug)]
pub(super) enum CatalogItem {
    /// A key of an accelerate or DeepSpeed configuration, with the library.
    Key(&'static Key, &'static str),
    /// A field of a class.
    Field(&'static Field),
}

/// Whether the project's library versions have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Availability {
    Available,
    /// Deprecated, or removed in some of the versions that may be installed.
    Deprecated,
    Unavailable,
}

/// The library versions of a project, as seen from one file.
pub(super) struct VersionFilter<'a> {
    project: &'a Project,
    file: FileId,
    /// Matching a range walks the releases of a library; a table has few distinct ranges.
    cache: RefCell<HashMap<ReleaseRange, RangeMatch>>,
    /// Version evidence by library; finding it walks the folders of the project.
    declared: RefCell<HashMap<&'static str, Option<&'a VersionEvidence>>>,
    /// The releases with which the file runs.
    releases: OnceCell<LibraryVersions>,
}

type ReleaseRange = (&'static str, Option<&'static str>, Option<&'static str>);

impl<'a> VersionFilter<'a> {
    pub(super) fn new(project: &'a Project, file: FileId) -> Self {
        Self { project, file, cache: RefCell::default(), declared: RefCell::default(), releases: OnceCell::new() }
    }

    fn declared(&self, library: &'static str) -> Option<&'a VersionEvidence> {
        *self.declared.borrow_mut().entry(library).or_insert_with(|| self.project.library(self.file, library))
    }

    fn holds(&self, library: &'static str, since: Option<&'static str>, until: Option<&'static str>) -> RangeMatch {
        let span = VersionRange { library, since, until };
        let ask = || self.declared(library).map_or_else(|| span.match_unknown(), |declared| declared.matches(&span));
        *self.cache.borrow_mut().entry((library, since, until)).or_insert_with(ask)
    }

    /// Whether the project's version of a library is in a range.
    fn availability_in(&self, library: &'static str, since: Option<&'static str>, until: Option<&'static str>) -> Availability {
        if since.is_some() && self.holds(library, None, since) == RangeMatch::Always {
            return Availability::Unavailable;
        }
        let Some(until) = until else { return Availability::Available };
        match self.holds(library, Some(until), None) {
            RangeMatch::Never => Availability::Available,
            // No version is known: assume the newest.
            RangeMatch::Sometimes if self.declared(library).is_some() => Availability::Deprecated,
            _ => Availability::Unavailable,
        }
    }

    /// Whether the project's versions have a name.
    pub(super) fn availability(&self, item: CatalogItem) -> Availability {
        let (library, since, until) = item.release_range();
        let availability = self.availability_in(library, since, until);
        let is_deprecated = match item {
            CatalogItem::Key(key, _) if until.is_none() => match key.standing {
                Standing::Current => false,
                Standing::Converted => true,
                Standing::Ignored | Standing::Refused => return Availability::Unavailable,
            },
            CatalogItem::Key(key, _) => key.standing == Standing::Converted,
            CatalogItem::Field(field) => {
                let deprecated = field.deprecated.as_deref();
                deprecated.is_some() && self.holds(library, deprecated, None) != RangeMatch::Never
            }
        };
        if is_deprecated && availability == Availability::Available { Availability::Deprecated } else { availability }
    }

    /// The default in the releases with which the file runs.
    fn default(&self, item: CatalogItem) -> Option<&'static str> {
        let releases = self.releases.get_or_init(|| self.project.library_versions(self.file));
        match item {
            CatalogItem::Key(key, _) => key.default_in(releases),
            CatalogItem::Field(field) => field.default_in(releases),
        }
    }

    /// The accepted values; those that only some versions accept are marked.
    pub(super) fn values(&self, item: CatalogItem) -> Vec<(&'static str, bool)> {
        let mut found: Vec<(&'static str, bool)> = item.closed_values().iter().map(|value| (value.as_str(), false)).collect();
        match item {
            CatalogItem::Field(field) => {
                for past in field.past_values.iter().filter(|past| past.since.is_some() || past.until.is_some()) {
                    let availability = self.availability_in(&field.library, past.since.as_deref(), past.until.as_deref());
                    found.retain(|(value, _)| *value != past.value);
                    if availability != Availability::Unavailable {
                        found.push((&past.value, availability == Availability::Deprecated));
                    }
                }
            }
            CatalogItem::Key(key, "accelerate") => {
                for past in keys::accelerate_removed_values().iter().filter(|past| past.path == key.path) {
                    match self.availability_in("accelerate", Some(&past.since), Some(&past.until)) {
                        Availability::Unavailable => {}
                        availability => found.push((&past.value, availability == Availability::Deprecated)),
                    }
                }
            }
            CatalogItem::Key(..) => {}
        }
        if found.is_empty() {
            found.extend(common_values::values(item.name()).iter().map(|value| (*value, false)));
        }
        let is_boolean = item.kind() == KeyType::Bool || matches!(self.default(item), Some("true" | "false"));
        if is_boolean && found.is_empty() {
            found.extend([("true", false), ("false", false)]);
        }
        if matches!(item, CatalogItem::Key(key, _) if !key.auto.is_empty()) {
            found.push(("auto", false));
        }
        if found.is_empty()
            && let Some(default) =
                self.default(item).filter(|default| !default.contains(['{', '[', ' ', '<']) && *default != "null")
        {
            found.push((default, false));
        }
        found
    }

    /// The completion of a key, written as `text`.
    pub(super) fn key(&self, item: CatalogItem, text: String, availability: Availability, lang: Lang, weight: u32) -> Item {
        Item {
            label: item.name().to_owned(),
            detail: item.detail(self.default(item), lang),
            documentation: item.documentation(lang),
            text,
            kind: CompletionKind::Key,
            deprecated: availability == Availability::Deprecated,
            weight,
        }
    }

    /// The completion of one of its values.
    pub(super) fn value(
        &self,
        item: CatalogItem,
        syntax: TargetSyntax,
        value: &str,
        quoted: Option<char>,
        deprecated: bool,
        lang: Lang,
    ) -> Item {
        let is_default = self.default(item) == Some(value);
        let detail = match (is_default, lang) {
            (true, Lang::En) => "default".to_owned(),
            (true, Lang::Zh) => "默认".to_owned(),
            (false, _) => String::new(),
        };
        Item {
            label: value.to_owned(),
            detail,
            documentation: String::new(),
            text: syntax.value(item.kind(), value, quoted),
            kind: CompletionKind::Value,
            deprecated,
            weight: u32::from(!is_default),
        }
    }
}

impl CatalogItem {
    /// The last segment of the name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Key(key, _) => key.name(),
            Self::Field(field) => &field.name,
        }
    }

    pub(super) const fn kind(self) -> KeyType {
        match self {
            Self::Key(key, _) => key.kind,
            Self::Field(field) => field.kind,
        }
    }

    /// The closed set of values of the newest version.
    fn closed_values(self) -> &'static [String] {
        match self {
            Self::Key(key, _) => &key.values,
            Self::Field(field) => &field.values,
        }
    }

    pub(super) const fn required(self) -> bool {
        match self {
            Self::Key(key, _) => key.required,
            Self::Field(field) => field.required,
        }
    }

    fn release_range(self) -> ReleaseRange {
        match self {
            Self::Key(key, library) => (library, key.since.as_deref(), key.until.as_deref()),
            Self::Field(field) => (&field.library, field.since.as_deref(), field.until.as_deref()),
        }
    }

    /// `int, default 1`.
    fn detail(self, default: Option<&str>, lang: Lang) -> String {
        let kind = match self.kind() {
            KeyType::Bool => "bool",
            KeyType::Int => "int",
            KeyType::Float => "float",
            KeyType::Text => "str",
            KeyType::List => "list",
            KeyType::Map => "dict",
            KeyType::Any => "any",
        };
        match (default, self.required(), lang) {
            (_, true, Lang::En) => format!("{kind}, required"),
            (_, true, Lang::Zh) => format!("{kind}，必填"),
            (Some(default), _, Lang::En) => format!("{kind}, default {default}"),
            (Some(default), _, Lang::Zh) => format!("{kind}，默认 {default}"),
            (None, ..) => kind.to_owned(),
        }
    }

    /// Description, values, releases and source.
    pub(super) fn documentation(self, lang: Lang) -> String {
        let (about, source, instead) = match self {
            Self::Key(key, _) => (&key.about, &key.source, &key.instead),
            Self::Field(field) => (&field.about, &field.source, &field.instead),
        };
        let (library, since, until) = self.release_range();
        let mut lines: Vec<String> = Vec::new();
        if !about.is_empty() {
            lines.push(about.clone());
        }
        let values = self.closed_values();
        if !values.is_empty() {
            let list = values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
            lines.push(match lang {
                Lang::En => format!("Values: {list}"),
                Lang::Zh => format!("取值：{list}"),
            });
        }
        lines.extend(match (since, until, lang) {
            (Some(since), None, Lang::En) => Some(format!("Since {library} {since}")),
            (Some(since), None, Lang::Zh) => Some(format!("自 {library} {since} 起")),
            (Some(since), Some(until), Lang::En) => Some(format!("Since {library} {since}, removed in {until}")),
            (Some(since), Some(until), Lang::Zh) => Some(format!("自 {library} {since} 起，在 {until} 中移除")),
            (None, Some(until), Lang::En) => Some(format!("Removed in {library} {until}")),
            (None, Some(until), Lang::Zh) => Some(format!("在 {library} {until} 中移除")),
            (None, None, _) => None,
        });
        lines.extend(instead.as_ref().map(|instead| match lang {
            Lang::En => format!("Use `{instead}` instead"),
            Lang::Zh => format!("请改用 `{instead}`"),
        }));
        lines.push(match lang {
            Lang::En => format!("Source: {source}"),
            Lang::Zh => format!("出处：{source}"),
        });
        lines.join("\n\n")
    }
}

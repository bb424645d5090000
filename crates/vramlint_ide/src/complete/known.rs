//! A name that a tool knows: a key of a file, a field of a class, a flag; as a row of the catalogue.

use super::CompletionKind;
use super::form::Form;
use super::offer::Draft;
use super::usual;
use std::cell::RefCell;
use std::collections::HashMap;
use vramlint_base::{FileId, Lang};
use vramlint_catalog::classes::Field;
use vramlint_catalog::keys::{self, Key, KeyType, Standing};
use vramlint_resolve::Project;
use vramlint_resolve::versions::{RangeMatch, VersionEvidence, VersionRange};

/// A row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    /// A key of accelerate's or DeepSpeed's configuration, with the library.
    Key(&'static Key, &'static str),
    /// A field of a class.
    Field(&'static Field),
}

/// How a name stands with the libraries of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offered {
    Yes,
    /// It is on its way out, or gone in some of the versions that may be installed.
    Deprecated,
    No,
}

/// The versions of a project, asked for one file.
pub(super) struct Versions<'a> {
    project: &'a Project,
    file: FileId,
    /// To ask for one span means to go through the releases of a library; a table has few different ones.
    asked: RefCell<HashMap<Span3, RangeMatch>>,
    /// What the project says of each library, which means to go through its folders.
    said: RefCell<HashMap<&'static str, Option<&'a VersionEvidence>>>,
}

type Span3 = (&'static str, Option<&'static str>, Option<&'static str>);

impl<'a> Versions<'a> {
    pub(super) fn new(project: &'a Project, file: FileId) -> Self {
        Self { project, file, asked: RefCell::default(), said: RefCell::default() }
    }

    fn said(&self, library: &'static str) -> Option<&'a VersionEvidence> {
        *self.said.borrow_mut().entry(library).or_insert_with(|| self.project.library(self.file, library))
    }

    fn holds(&self, library: &'static str, since: Option<&'static str>, until: Option<&'static str>) -> RangeMatch {
        let span = VersionRange { library, since, until };
        let ask = || self.said(library).map_or_else(|| span.match_unknown(), |evidence| evidence.matches(&span));
        *self.asked.borrow_mut().entry((library, since, until)).or_insert_with(ask)
    }

    /// Whether a span of a library's releases is one of this project's.
    fn span(&self, library: &'static str, since: Option<&'static str>, until: Option<&'static str>) -> Offered {
        if since.is_some() && self.holds(library, None, since) == RangeMatch::Always {
            return Offered::No;
        }
        let Some(until) = until else { return Offered::Yes };
        match self.holds(library, Some(until), None) {
            RangeMatch::Never => Offered::Yes,
            // Nobody says a version: the newest is meant.
            RangeMatch::Sometimes if self.said(library).is_some() => Offered::Deprecated,
            _ => Offered::No,
        }
    }

    /// How a name stands here.
    pub(super) fn offered(&self, known: Known) -> Offered {
        let (library, since, until) = known.span();
        let offered = self.span(library, since, until);
        let late = match known {
            Known::Key(key, _) if until.is_none() => match key.standing {
                Standing::Current => false,
                Standing::Converted => true,
                Standing::Ignored | Standing::Refused => return Offered::No,
            },
            Known::Key(key, _) => key.standing == Standing::Converted,
            Known::Field(field) => {
                let deprecated = field.deprecated.as_deref();
                deprecated.is_some() && self.holds(library, deprecated, None) != RangeMatch::Never
            }
        };
        if late && offered == Offered::Yes { Offered::Deprecated } else { offered }
    }

    /// The values that may be written, with those that only some versions take marked.
    pub(super) fn values(&self, known: Known) -> Vec<(&'static str, bool)> {
        let mut found: Vec<(&'static str, bool)> = known.stated().iter().map(|value| (value.as_str(), false)).collect();
        match known {
            Known::Field(field) => {
                for past in &field.past_values {
                    let offered = self.span(&field.library, past.since.as_deref(), past.until.as_deref());
                    found.retain(|(value, _)| *value != past.value);
                    if offered != Offered::No {
                        found.push((&past.value, offered == Offered::Deprecated));
                    }
                }
            }
            Known::Key(key, "accelerate") => {
                for past in keys::accelerate_removed_values().iter().filter(|past| past.path == key.path) {
                    match self.span("accelerate", Some(&past.since), Some(&past.until)) {
                        Offered::No => {}
                        offered => found.push((&past.value, offered == Offered::Deprecated)),
                    }
                }
            }
            Known::Key(..) => {}
        }
        if found.is_empty() {
            found.extend(usual::values(known.name()).iter().map(|value| (*value, false)));
        }
        let truth = known.kind() == KeyType::Bool || matches!(known.default(), Some("true" | "false"));
        if truth && found.is_empty() {
            found.extend([("true", false), ("false", false)]);
        }
        if matches!(known, Known::Key(key, _) if !key.auto.is_empty()) {
            found.push(("auto", false));
        }
        if found.is_empty()
            && let Some(default) = known.default().filter(|default| !default.contains(['{', '[', ' ', '<']) && *default != "null")
        {
            found.push((default, false));
        }
        found
    }
}

impl Known {
    /// The last part of its name.
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

    /// The values of the newest version, where they are a set.
    fn stated(self) -> &'static [String] {
        match self {
            Self::Key(key, _) => &key.values,
            Self::Field(field) => &field.values,
        }
    }

    pub(super) fn default(self) -> Option<&'static str> {
        match self {
            Self::Key(key, _) => key.default.as_deref(),
            Self::Field(field) => field.default.as_deref(),
        }
    }

    pub(super) const fn required(self) -> bool {
        match self {
            Self::Key(key, _) => key.required,
            Self::Field(field) => field.required,
        }
    }

    fn span(self) -> Span3 {
        match self {
            Self::Key(key, library) => (library, key.since.as_deref(), key.until.as_deref()),
            Self::Field(field) => (&field.library, field.since.as_deref(), field.until.as_deref()),
        }
    }

    /// `int, default 1`.
    pub(super) fn detail(self, lang: Lang) -> String {
        let kind = match self.kind() {
            KeyType::Bool => "bool",
            KeyType::Int => "int",
            KeyType::Float => "float",
            KeyType::Text => "str",
            KeyType::List => "list",
            KeyType::Map => "dict",
            KeyType::Any => "any",
        };
        match (self.default(), self.required(), lang) {
            (_, true, Lang::En) => format!("{kind}, required"),
            (_, true, Lang::Zh) => format!("{kind}，必填"),
            (Some(default), _, Lang::En) => format!("{kind}, default {default}"),
            (Some(default), _, Lang::Zh) => format!("{kind}，默认 {default}"),
            (None, ..) => kind.to_owned(),
        }
    }

    /// What it does, its values, since when, and where that stands.
    pub(super) fn documentation(self, lang: Lang) -> String {
        let (about, source, instead) = match self {
            Self::Key(key, _) => (&key.about, &key.source, &key.instead),
            Self::Field(field) => (&field.about, &field.source, &field.instead),
        };
        let (library, since, until) = self.span();
        let mut lines: Vec<String> = Vec::new();
        if !about.is_empty() {
            lines.push(about.clone());
        }
        let values = self.stated();
        if !values.is_empty() {
            let all = values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
            lines.push(match lang {
                Lang::En => format!("Values: {all}"),
                Lang::Zh => format!("取值：{all}"),
            });
        }
        lines.extend(match (since, until, lang) {
            (Some(since), None, Lang::En) => Some(format!("Since {library} {since}")),
            (Some(since), None, Lang::Zh) => Some(format!("自 {library} {since} 起")),
            (Some(since), Some(until), Lang::En) => Some(format!("From {library} {since} on, before {until}")),
            (Some(since), Some(until), Lang::Zh) => Some(format!("{library} {since} 起，{until} 之前")),
            (None, Some(until), Lang::En) => Some(format!("Before {library} {until}")),
            (None, Some(until), Lang::Zh) => Some(format!("{library} {until} 之前")),
            (None, None, _) => None,
        });
        lines.extend(instead.as_ref().map(|instead| match lang {
            Lang::En => format!("Write `{instead}` instead"),
            Lang::Zh => format!("请改用 `{instead}`"),
        }));
        lines.push(match lang {
            Lang::En => format!("Source: {source}"),
            Lang::Zh => format!("出处：{source}"),
        });
        lines.join("\n\n")
    }

    /// It as a key that is written as `text`.
    pub(super) fn key(self, text: String, offered: Offered, lang: Lang, weight: u32) -> Draft {
        Draft {
            label: self.name().to_owned(),
            detail: self.detail(lang),
            documentation: self.documentation(lang),
            text,
            kind: CompletionKind::Key,
            deprecated: offered == Offered::Deprecated,
            weight,
        }
    }

    /// One of its values.
    pub(super) fn value(self, form: Form, value: &str, quoted: Option<char>, deprecated: bool, lang: Lang) -> Draft {
        let is_default = self.default() == Some(value);
        let detail = match (is_default, lang) {
            (true, Lang::En) => "default".to_owned(),
            (true, Lang::Zh) => "默认".to_owned(),
            (false, _) => String::new(),
        };
        Draft {
            label: value.to_owned(),
            detail,
            documentation: String::new(),
            text: form.value(self.kind(), value, quoted),
            kind: CompletionKind::Value,
            deprecated,
            weight: u32::from(!is_default),
        }
    }
}

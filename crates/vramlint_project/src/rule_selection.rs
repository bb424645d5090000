//! Rule selection: which rules are enabled, and with which severity.
//!
//! As in ruff, the more specific selector takes precedence: `select = ["VL601"]` overrides `ignore = ["VL6"]`. Of two equally
//! specific selectors, `ignore` takes precedence. The command line is a second layer that overrides the configuration.

use crate::ConfigError;
use crate::config::raw::Level;
use std::collections::BTreeSet;
use vramlint_base::{Message, Severity, message, suggest};
use vramlint_rules::{Rule, engine};

/// The names and codes of all rules.
#[derive(Clone, Debug)]
pub(crate) struct RuleList {
    /// (code, name), by code.
    rules: Vec<(&'static str, &'static str)>,
}

/// A rule selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selector {
    /// `all` or `default`: every rule. The words differ so that a rule can be off by default in the future.
    All,
    /// A prefix of codes, in upper case.
    Prefix(String),
    /// One rule, by code.
    Rule(&'static str),
}

impl RuleList {
    /// The names and codes of these rules.
    pub(crate) fn new(rules: &[&'static Rule]) -> Self {
        let mut list: Vec<_> = rules.iter().map(|rule| (rule.code, rule.name)).collect();
        list.extend(engine::RULES.iter().map(|rule| (rule.code, rule.name)));
        list.sort_unstable();
        list.dedup();
        Self { rules: list }
    }

    /// Parses a name, a code, a prefix, `all` or `default`. The error suggests the closest name.
    pub(crate) fn parse_selector(&self, text: &str) -> Result<Selector, Message> {
        if text == "all" || text == "default" {
            return Ok(Selector::All);
        }
        if let Some((code, _)) = self.rules.iter().find(|(code, name)| *name == text || code.eq_ignore_ascii_case(text)) {
            return Ok(Selector::Rule(code));
        }
        let upper = text.to_uppercase();
        let family =
            upper.strip_prefix("VL").is_some_and(|digits| digits.len() <= 1 && digits.bytes().all(|b| b.is_ascii_digit()));
        if family || upper.len() > 3 && self.rules.iter().any(|(code, _)| code.starts_with(&upper)) {
            return Ok(Selector::Prefix(upper));
        }
        Err(match self.nearest(text) {
            Some(meant) => {
                message!("unknown rule `{text}`; did you mean `{meant}`?", "未知的规则 `{text}`；是否想写 `{meant}`？")
            }
            None => message!(
                "unknown rule `{text}`; `vramlint rule --all` lists all rules",
                "未知的规则 `{text}`；`vramlint rule --all` 可查看全部规则"
            ),
        })
    }

    /// The name or code that `text` most likely misspells.
    pub(crate) fn nearest(&self, text: &str) -> Option<&'static str> {
        let names = self.rules.iter().map(|(_, name)| *name).chain(["all", "default"]);
        // For a code, only extra digits are corrected: any other correction would be a guess.
        let code = || self.rules.iter().map(|(code, _)| *code).find(|code| text.to_uppercase().starts_with(code));
        suggest(text, names).or_else(code)
    }

    /// Whether there is a rule with exactly this name or code.
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.rules.iter().any(|(code, name)| *name == text || code.eq_ignore_ascii_case(text))
    }

    /// All codes.
    pub(crate) fn codes(&self) -> impl Iterator<Item = &'static str> {
        self.rules.iter().map(|(code, _)| *code)
    }

    /// Parses the list of selectors of a flag.
    pub(crate) fn parse_flag(&self, flag: &str, words: &[String]) -> Result<Vec<Selector>, ConfigError> {
        let words = words.iter().flat_map(|word| word.split(',')).map(str::trim).filter(|word| !word.is_empty());
        words.map(|word| self.parse_selector(word).map_err(|what| in_flag(flag, &what))).collect()
    }
}

fn in_flag(flag: &str, what: &Message) -> ConfigError {
    let Message { en, zh } = what;
    ConfigError::new(message!("{flag}: {en}", "{flag}：{zh}"))
}

impl Selector {
    /// Whether the selector matches the rule with this code.
    pub(crate) fn matches(&self, code: &str) -> bool {
        match self {
            Self::All => true,
            Self::Prefix(prefix) => code.starts_with(prefix.as_str()),
            Self::Rule(own) => *own == code,
        }
    }

    /// Higher for more specific selectors.
    fn specificity(&self) -> usize {
        match self {
            Self::All => 0,
            Self::Prefix(prefix) => prefix.len(),
            Self::Rule(_) => usize::MAX,
        }
    }
}

/// The selection of one layer: a configuration, or the command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct SelectionLayer {
    /// Replaces the selection of the lower layer.
    pub select: Option<Vec<Selector>>,
    /// Added to it.
    pub extend: Vec<Selector>,
    /// Removed from it.
    pub ignore: Vec<Selector>,
}

/// The codes of the enabled rules, after all layers.
pub(crate) fn enabled_codes(rules: &RuleList, layers: &[&SelectionLayer]) -> BTreeSet<&'static str> {
    let mut on: BTreeSet<&'static str> = rules.codes().collect();
    for layer in layers {
        if layer.select.is_some() {
            on.clear();
        }
        for code in rules.codes() {
            let specificity = |list: &[Selector]| list.iter().filter(|s| s.matches(code)).map(Selector::specificity).max();
            let select = specificity(layer.select.as_deref().unwrap_or(&[])).max(specificity(&layer.extend));
            match (select, specificity(&layer.ignore)) {
                (Some(select), Some(ignore)) if select > ignore => _ = on.insert(code),
                (_, Some(_)) => _ = on.remove(code),
                (Some(_), None) => _ = on.insert(code),
                (None, None) => {}
            }
        }
    }
    on
}

/// The configured level of a rule, from the most specific selector.
pub(crate) fn configured_level(levels: &[(Selector, Level)], code: &str) -> Option<Level> {
    levels
        .iter()
        .filter(|(selector, _)| selector.matches(code))
        .max_by_key(|(selector, _)| selector.specificity())
        .map(|(_, level)| *level)
}

impl Level {
    /// The severity; `None` for `off`.
    pub(crate) const fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Info => Some(Severity::Info),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RULES;

    fn choice(select: Option<&[&str]>, extend: &[&str], ignore: &[&str]) -> SelectionLayer {
        let rules = RuleList::new(RULES);
        let read = |list: &[&str]| list.iter().map(|text| rules.parse_selector(text).expect("known")).collect::<Vec<_>>();
        SelectionLayer { select: select.map(read), extend: read(extend), ignore: read(ignore) }
    }

    fn on(layers: &[&SelectionLayer]) -> Vec<&'static str> {
        let own: Vec<_> = engine::RULES.iter().map(|own| own.code).collect();
        enabled_codes(&RuleList::new(RULES), layers).into_iter().filter(|code| !own.contains(code)).collect()
    }

    #[test]
    fn names_codes_prefixes_and_all() {
        let everything = on(&[]);
        assert_eq!(everything, ["VL601", "VL602", "VL701"]);
        assert_eq!(on(&[&choice(Some(&["all"]), &[], &["VL6"])]), ["VL701"]);
        assert_eq!(on(&[&choice(Some(&["bad-word"]), &["vl7"], &[])]), ["VL601", "VL701"]);
        assert_eq!(on(&[&choice(Some(&["VL60"]), &[], &["VL602"])]), ["VL601"]);
        assert_eq!(on(&[&choice(None, &[], &["all"])]), [""; 0]);
    }

    #[test]
    fn the_more_exact_selector_wins_and_the_command_line_is_newer() {
        assert_eq!(on(&[&choice(Some(&["VL601"]), &[], &["VL6"])]), ["VL601"]);
        let config = choice(Some(&["VL601", "VL701"]), &[], &[]);
        assert_eq!(on(&[&config, &choice(None, &[], &["VL6"])]), ["VL701"]);
        assert_eq!(on(&[&config, &choice(None, &["VL602"], &[])]), ["VL601", "VL602", "VL701"]);
        assert_eq!(on(&[&config, &choice(Some(&["VL602"]), &[], &[])]), ["VL602"]);
    }

    #[test]
    fn unknown_rules_name_the_nearest() {
        let rules = RuleList::new(RULES);
        assert!(rules.parse_selector("bad-wrod").expect_err("typo").en.ends_with("did you mean `bad-word`?"));
        assert!(rules.parse_selector("VL6011").expect_err("typo").en.contains("did you mean `VL601`?"));
        assert!(rules.parse_selector("flash").expect_err("unknown").zh.contains("vramlint rule --all"));
        assert_eq!(rules.parse_selector("VL8"), Ok(Selector::Prefix("VL8".into())));
        let error = rules.parse_flag("--select", &["all,bad_word".into()]).expect_err("typo");
        assert_eq!(error.message.en, "--select: unknown rule `bad_word`; did you mean `bad-word`?");
    }

    #[test]
    fn levels_follow_the_most_exact() {
        let rules = RuleList::new(RULES);
        let read = |text| rules.parse_selector(text).expect("known");
        let levels = [(read("VL601"), Level::Off), (read("VL6"), Level::Error), (read("all"), Level::Info)];
        assert_eq!(configured_level(&levels, "VL601"), Some(Level::Off));
        assert_eq!(configured_level(&levels, "VL602"), Some(Level::Error));
        assert_eq!(configured_level(&levels, "VL701"), Some(Level::Info));
        assert_eq!(configured_level(&[], "VL701"), None);
    }
}

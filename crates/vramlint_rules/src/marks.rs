//! What an editor shows of a rule beside its words: which text does nothing, which is gone, and where its page is.

use crate::Rule;
use vramlint_base::Lang;

/// Where the pages of `docs/rules` are published.
pub const PAGES: &str = "https://vramlint.dev/rules/";

/// What the text is that a rule points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// It does nothing as it stands.
    Inert,
    /// The library no longer has it, or calls it by another name.
    Gone,
}

/// Rules that point at text which does nothing.
const INERT: &[&str] = &[
    "activation-checkpointing-block-inert",
    "allocator-setting-shadowed",
    "argument-not-read",
    "flag-without-its-mode",
    "fsdp-config-without-fsdp",
    "inert-key",
    "loading-option-unused",
    "quantization-key-ignored",
    "unused-suppression",
    "visible-devices-ignored",
    "zero-key-without-its-stage",
];

/// Rules that point at what a library no longer has.
const GONE: &[&str] = &["import-removed", "legacy-zero-key", "loading-keyword-removed", "removed-key"];

/// What the rule of this name points at; `None` for most.
pub fn mark(name: &str) -> Option<Mark> {
    if INERT.contains(&name) { Some(Mark::Inert) } else { GONE.contains(&name).then_some(Mark::Gone) }
}

/// The address of the page of the rule of this name.
pub fn address(name: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!("{PAGES}{name}.md"),
        Lang::Zh => format!("{PAGES}{name}.zh.md"),
    }
}

impl Rule {
    /// The address of its page.
    pub fn address(&self, lang: Lang) -> String {
        address(self.name, lang)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marked_rule_is_there() {
        for name in INERT.iter().chain(GONE) {
            assert!(crate::find(name).is_some_and(|rule| rule.name == *name), "{name}");
        }
        assert_eq!(mark("does-not-fit"), None);
    }

    #[test]
    fn pages_are_those_of_the_documentation() {
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules");
        for lang in [Lang::En, Lang::Zh] {
            let address = crate::find("inert-key").expect("a rule").address(lang);
            assert!(docs.join(address.strip_prefix(PAGES).expect("below them")).is_file(), "{address}");
        }
    }
}

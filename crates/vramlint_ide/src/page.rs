//! Where the pages of the rules are.

use vramlint_base::Lang;

/// The folder of the pages, as the repository publishes `docs/rules`.
pub const PAGES: &str = "https://github.com/vramlint/vramlint/blob/main/docs/rules";

/// The address of the page of a rule, by its name.
pub fn page_address(name: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!("{PAGES}/{name}.md"),
        Lang::Zh => format!("{PAGES}/{name}.zh.md"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_rule_has_its_page_in_both_languages() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules");
        for rule in vramlint_rules::RULES.iter() {
            for lang in [Lang::En, Lang::Zh] {
                let address = page_address(rule.name, lang);
                let name = address.strip_prefix(PAGES).and_then(|rest| rest.strip_prefix('/')).expect("below the folder");
                assert!(docs.join(name).is_file(), "{name}");
            }
        }
    }
}

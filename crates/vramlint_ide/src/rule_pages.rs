//! The pages of rules.

use vramlint_base::Lang;

/// The page of a rule as Markdown; `None` if there is no such rule.
pub fn rule_page(name: &str, lang: Lang) -> Option<String> {
    let rule = vramlint_rules::find(name)?;
    Some(format!("# {} ({})\n\n{}\n", rule.name, rule.code, rule.page(lang).body))
}

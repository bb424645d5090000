//! Adds an entry to `[lint.per-file-ignores]` in the text of a configuration, keeping comments and order.

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

/// The text of a configuration with a rule ignored for a file; `None` if the entry cannot be added.
pub(super) fn with_ignores(text: &str, is_pyproject: bool, glob: &str, rule: &str) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let path: &[&str] =
        if is_pyproject { &["tool", "vramlint", "lint", "per-file-ignores"] } else { &["lint", "per-file-ignores"] };
    let mut at: &mut dyn TableLike = document.as_table_mut();
    for key in path {
        let new_table = || {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        };
        at = at.entry(key).or_insert_with(new_table).as_table_like_mut()?;
    }
    let rules = at.entry(glob).or_insert_with(|| value(Array::new())).as_array_mut()?;
    if rules.iter().all(|item| item.as_str() != Some(rule)) {
        rules.push(rule);
    }
    let new = document.to_string();
    Some(if text.contains("\r\n") { new.replace("\r\n", "\n").replace('\n', "\r\n") } else { new })
}

#[cfg(test)]
mod tests {
    use super::with_ignores;

    #[test]
    fn what_is_there_stays() {
        let text = "# ours\n[lint] # here\nignore = [\"a\"]\n[lint.per-file-ignores]\n\"x.json\" = [\"b\"] # why\n";
        let once = with_ignores(text, false, "x.json", "c").expect("taken");
        assert_eq!(once, "# ours\n[lint] # here\nignore = [\"a\"]\n[lint.per-file-ignores]\n\"x.json\" = [\"b\", \"c\"] # why\n");
        assert_eq!(with_ignores(&once, false, "x.json", "c").as_deref(), Some(once.as_str()));
        assert_eq!(
            with_ignores("", false, "d/x.json", "c").as_deref(),
            Some("[lint.per-file-ignores]\n\"d/x.json\" = [\"c\"]\n")
        );
        let project = with_ignores("[tool.vramlint]\r\n", true, "x.json", "c").expect("taken");
        assert_eq!(project, "[tool.vramlint]\r\n\r\n[tool.vramlint.lint.per-file-ignores]\r\n\"x.json\" = [\"c\"]\r\n");
        for broken in ["lint = 3\n", "[lint\n", "[lint]\nper-file-ignores = []\n"] {
            assert_eq!(with_ignores(broken, false, "x", "c"), None, "{broken}");
        }
    }
}

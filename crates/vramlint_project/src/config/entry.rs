//! Writes an entry of a list into a configuration: `[[model]]`, `[[measured]]`.

use super::configuration_in;
use crate::atomic_file::{create, replace};
use crate::discovery::paths::shown;
use crate::overlay_fs::OverlayFs;
use std::path::Path;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, Value, value};
use vramlint_base::{Message, message};

/// The file that a folder without a configuration gets.
const CONFIGURATION: &str = "vramlint.toml";

/// An entry of a list, by the key that names it.
pub(crate) struct Entry<'a> {
    /// The list: `model`.
    pub list: &'a str,
    /// The key of the name, and the name.
    pub name: (&'a str, &'a str),
    /// The other keys; what an earlier entry has besides is removed.
    pub values: Vec<(&'a str, Value)>,
}

/// A configuration with an entry.
pub(crate) struct Written {
    /// Its path as shown to the user.
    pub configuration: String,
    /// Whether it had the same entry before.
    pub was_there: bool,
}

/// Writes an entry into the configuration of the folder `project`, which is created if there is none. An entry with the same name is
/// replaced; comments and style stay.
pub(crate) fn write_entry(project: &Path, cwd: &Path, entry: &Entry<'_>) -> Result<Written, Message> {
    let file = configuration_in(project).unwrap_or_else(|| project.join(CONFIGURATION));
    let failed = |error: &std::io::Error| {
        let path = shown(&file, cwd);
        message!("cannot write {path}: {error}", "无法写入 {path}：{error}")
    };
    let bytes = if file.exists() { OverlayFs::default().read(&file).map_err(|error| failed(&error))? } else { Vec::new() };
    let text = String::from_utf8(bytes).map_err(|error| failed(&std::io::Error::other(error)))?;
    let is_pyproject = file.file_name().is_some_and(|name| name == "pyproject.toml");
    let Some(new) = with_entry(&text, is_pyproject, entry) else {
        let (path, list) = (shown(&file, cwd), entry.list);
        return Err(message!(
            "{path} has no place for [[{list}]]: it is no valid configuration",
            "{path} 无法加入 [[{list}]]：不是有效的配置"
        ));
    };
    let was_there = new == text;
    if !file.exists() {
        create(&file, b"").map_err(|error| failed(&error))?;
    }
    if !was_there {
        replace(&file, new.as_bytes()).map_err(|error| failed(&error))?;
    }
    Ok(Written { configuration: shown(&file, cwd), was_there })
}

/// The text of a configuration with the entry. `None` if it has no place for it.
pub(crate) fn with_entry(text: &str, is_pyproject: bool, entry: &Entry<'_>) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let mut at: &mut dyn TableLike = document.as_table_mut();
    for key in is_pyproject.then_some(["tool", "vramlint"]).iter().flatten() {
        let new_table = || {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        };
        at = at.entry(key).or_insert_with(new_table).as_table_like_mut()?;
    }
    let list = at.entry(entry.list).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new())).as_array_of_tables_mut()?;
    let (key, name) = entry.name;
    let same = |table: &&mut Table| table.get(key).and_then(Item::as_str) == Some(name);
    if let Some(table) = list.iter_mut().find(same) {
        table.retain(|own, _| own == key || entry.values.iter().any(|(new, _)| *new == own));
        put(table, &entry.values);
    } else {
        let mut table = Table::new();
        table[key] = value(name);
        put(&mut table, &entry.values);
        list.push(table);
    }
    let new = document.to_string();
    Some(if text.contains("\r\n") { new.replace("\r\n", "\n").replace('\n', "\r\n") } else { new })
}

/// Sets the values that differ, so that the others keep their comments.
fn put(table: &mut Table, values: &[(&str, Value)]) {
    for (key, new) in values {
        let is_same = table.get(key).and_then(Item::as_value).is_some_and(|old| plain(old) == plain(new));
        if !is_same {
            table[*key] = value(new.clone());
        }
    }
}

fn plain(value: &Value) -> String {
    value.clone().decorated("", "").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry<'a>(name: &'a str, values: Vec<(&'a str, Value)>) -> Entry<'a> {
        Entry { list: "measured", name: ("run", name), values }
    }

    #[test]
    fn an_entry_is_added_once_and_then_replaced() {
        let text = "# ours\r\n[target]\r\ncount = 1 # one\r\n";
        let once = with_entry(text, false, &entry("a.sh#1", vec![("reserved", 5.into()), ("tensors", 3.into())])).expect("taken");
        assert_eq!(once, format!("{text}\r\n[[measured]]\r\nrun = \"a.sh#1\"\r\nreserved = 5\r\ntensors = 3\r\n"));
        let again = with_entry(&once, false, &entry("a.sh#1", vec![("reserved", 6.into())])).expect("taken");
        assert_eq!(again, format!("{text}\r\n[[measured]]\r\nrun = \"a.sh#1\"\r\nreserved = 6\r\n"));
        let other = with_entry(&again, false, &entry("b.sh#1", vec![("reserved", 1.into())])).expect("taken");
        assert_eq!(other.matches("[[measured]]").count(), 2);
    }

    #[test]
    fn a_configuration_without_a_place_is_left_alone() {
        for broken in ["measured = 3\n", "[measured\n", "[measured]\nrun = 1\n"] {
            assert_eq!(with_entry(broken, false, &entry("a", Vec::new())), None, "{broken}");
        }
        let project = with_entry("[tool.vramlint]\n", true, &entry("a", Vec::new())).expect("taken");
        assert_eq!(project, "[tool.vramlint]\n\n[[tool.vramlint.measured]]\nrun = \"a\"\n");
    }
}

//! Writes what a run took into the configuration of its project: `vramlint compare --save`.

use crate::config::{Entry, write_entry};
use crate::discovery::paths::absolute;
use std::path::Path;
use toml_edit::Value;
use vramlint_base::Message;
use vramlint_resolve::MeasuredRun;

/// Writes a measurement into the configuration of the folder `project`, in place of an earlier one of the same run. Returns the path of
/// the configuration as shown to the user.
///
/// # Errors
///
/// The configuration cannot be written, or is not valid.
pub fn save_measurement(project: &Path, cwd: &Path, measured: &MeasuredRun) -> Result<String, Message> {
    let sizes = [("tensors", measured.tensors), ("reserved", measured.reserved), ("process", measured.process)];
    let size = |bytes: u64| i64::try_from(bytes).ok().map(Value::from);
    let mut values: Vec<(&str, Value)> = sizes.into_iter().filter_map(|(name, bytes)| Some((name, size(bytes?)?))).collect();
    values.push(("source", measured.source.as_str().into()));
    values.push(("setup", measured.setup.as_str().into()));
    let entry = Entry { list: "measured", name: ("run", &measured.run), values };
    Ok(write_entry(&absolute(cwd, project), cwd, &entry)?.configuration)
}

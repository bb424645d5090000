//! The largest value of a setting that fits, on several machines.

use crate::estimate::format::gib;
use crate::estimate::machine_name;
use crate::table::{align, cut};
use crate::{StyleRole, Styler};
use vramlint_base::{Lang, message};
use vramlint_estimate::Machine;
use vramlint_estimate::fit::Ceiling;

/// Maximum columns of a name.
const NAME: usize = 96;

/// The largest values of one run.
#[derive(Clone, Debug)]
pub struct CeilingTable {
    /// The name of the run.
    pub name: String,
    /// The setting, by its name in `vramlint runs`.
    pub setting: &'static str,
    /// The machines; `None` where no value certainly fits.
    pub rows: Vec<(Machine, Option<Ceiling>)>,
}

/// The tables as text.
pub fn ceiling_tables(tables: &[CeilingTable], lang: Lang, styler: Styler) -> String {
    tables.iter().map(|table| draw(table, lang, styler)).collect::<Vec<_>>().join("\n")
}

fn draw(table: &CeilingTable, lang: Lang, styler: Styler) -> String {
    let setting = table.setting;
    let header = [
        message!("GPUs", "GPU"),
        message!("memory", "显存"),
        message!("largest {setting}", "最大 {setting}"),
        message!("peak", "峰值"),
        message!("at most", "至多"),
    ];
    let mut rows = vec![header.map(|cell| cell.get(lang).to_owned())];
    rows.extend(table.rows.iter().map(|(machine, ceiling)| {
        let (name, memory) = (machine_name(machine), gib(machine.bytes));
        match ceiling {
            Some(ceiling) => [name, memory, ceiling.value.to_string(), gib(ceiling.estimate.peak), gib(ceiling.estimate.high)],
            None => [name, memory, "-".to_owned(), String::new(), String::new()],
        }
    }));
    let lines = align(&rows).into_iter().map(|line| format!("  {}\n", line.trim_end()));
    format!("{}\n{}", styler(&cut(&table.name, NAME), StyleRole::Strong), lines.collect::<String>())
}

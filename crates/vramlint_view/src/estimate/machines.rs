//! A run on several machines as a table.

use super::format::{gib, gib_value};
use crate::table::{align, cut};
use crate::{StyleRole, Styler};
use vramlint_base::{Lang, Message, message};
use vramlint_estimate::{Machine, MachineEstimate, Verdict};

/// Maximum columns of a name.
const NAME: usize = 48;

/// A run on the machines of a list.
#[derive(Clone, Debug)]
pub struct MachineTable {
    /// The name of the run.
    pub name: String,
    /// The machines; `None` where the run cannot use that many GPUs.
    pub rows: Vec<(Machine, Option<MachineEstimate>)>,
    /// The smallest GPUs of the catalogue that certainly hold it.
    pub smallest: Option<MachineEstimate>,
    /// The cheapest of the GPUs with a price, and the price of all of them for an hour; `None` without prices.
    pub cheapest: Option<Option<(MachineEstimate, f64)>>,
}

/// The tables, and why other runs have none.
pub fn machine_tables(tables: &[MachineTable], without: &[(String, Message)], lang: Lang, styler: Styler) -> String {
    let mut blocks: Vec<String> = tables.iter().map(|table| draw(table, lang, styler)).collect();
    blocks.extend(without.iter().map(|(id, why)| {
        let (id, why) = (cut(id, NAME * 2), why.get(lang));
        message!("{id}  no estimate: {why}", "{id}  无法估算：{why}").get(lang).to_owned() + "\n"
    }));
    blocks.join("\n")
}

fn draw(table: &MachineTable, lang: Lang, styler: Styler) -> String {
    let mut lines = vec![styler(&cut(&table.name, NAME * 2), StyleRole::Strong)];
    let header = [
        message!("GPUs", "GPU"),
        message!("memory", "显存"),
        message!("peak", "峰值"),
        message!("bounds", "上下界"),
        message!("effective batch", "有效批大小"),
        message!("verdict", "结论"),
    ];
    let (mut rows, mut verdicts) = (vec![header.map(|cell| cell.get(lang).to_owned())], vec![None]);
    for (machine, found) in &table.rows {
        let (cells, verdict) = row(machine, found.as_ref(), lang);
        rows.push(cells);
        verdicts.push(verdict);
    }
    for (line, verdict) in align(&rows).into_iter().zip(verdicts) {
        lines.push(format!("  {}", verdict.map_or_else(|| line.clone(), |verdict| styler(&line, StyleRole::Verdict(verdict)))));
    }
    lines.extend(notes(table).iter().map(|note| format!("  {}", note.get(lang))));
    lines.join("\n") + "\n"
}

fn row(machine: &Machine, found: Option<&MachineEstimate>, lang: Lang) -> ([String; 6], Option<Verdict>) {
    let (name, memory) = (machine_name(machine), gib(machine.bytes));
    let Some(found) = found else {
        let why = message!("the run divides its GPUs in another way", "该任务按其他方式划分 GPU");
        let unknown = || "?".to_owned();
        return ([name, memory, unknown(), unknown(), unknown(), why.get(lang).to_owned()], None);
    };
    let estimate = &found.estimate;
    let verdict = verdict(found).get(lang).to_owned();
    let bounds = format!("{} – {}", gib_value(estimate.low), gib(estimate.high));
    ([name, memory, gib(estimate.peak), bounds, found.effective_batch.to_string(), verdict], Some(found.verdict))
}

fn verdict(found: &MachineEstimate) -> Message {
    match (found.verdict, found.has_types) {
        (Verdict::Fits, Some(false)) => message!("fits, but the GPU has no bf16", "放得下，但该 GPU 不支持 bf16"),
        (Verdict::Fits, _) => message!("fits", "放得下"),
        (Verdict::MayNotFit, _) => message!("may not fit", "可能放不下"),
        (Verdict::DoesNotFit, _) => message!("does not fit", "放不下"),
    }
}

/// `8 × RTX 4090`, `1 × 24 GiB`.
pub fn machine_name(machine: &Machine) -> String {
    let gpus = machine.gpus;
    match machine.gpu {
        Some(gpu) => format!("{gpus} × {}", gpu.name),
        None => format!("{gpus} × {} GiB", vramlint_base::text::gib(machine.bytes, 0)),
    }
}

fn notes(table: &MachineTable) -> Vec<Message> {
    let mut notes = Vec::new();
    notes.push(match &table.smallest {
        Some(found) => {
            let (name, high) = (machine_name(&found.machine), gib(found.estimate.high));
            message!(
                "fewest and smallest GPUs that certainly hold it: {name}, up to {high}",
                "一定放得下的最少且最小的 GPU：{name}，至多 {high}"
            )
        }
        None => message!("no 8 GPUs of the catalogue certainly hold it", "目录中没有任何 8 个 GPU 一定放得下"),
    });
    match &table.cheapest {
        Some(Some((found, price))) => {
            let name = machine_name(&found.machine);
            let price = format!("{price:.2}");
            notes.push(message!(
                "cheapest of the priced GPUs that certainly hold it: {name}, {price} an hour",
                "有报价的 GPU 中一定放得下且最便宜的：{name}，每小时 {price}"
            ));
        }
        Some(None) => notes.push(message!("none of the priced GPUs certainly holds it", "有报价的 GPU 都不能保证放得下")),
        None => {}
    }
    let batches = table.rows.iter().filter_map(|(_, found)| found.as_ref()).map(|found| found.effective_batch);
    if batches.clone().min() != batches.max() {
        notes.push(message!(
            "micro-batch and accumulation stay as they are, so the effective batch grows with the number of GPUs",
            "微批量与梯度累积保持不变，因此有效批大小随 GPU 数增长"
        ));
    }
    notes
}

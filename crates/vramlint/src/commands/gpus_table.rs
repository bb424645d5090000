//! `vramlint estimate --gpus-table`.

use crate::cli::{EstimateArgs, EstimateFormat};
use crate::estimated_runs::{self, EstimatedRun};
use crate::exit::{Status, user_error, write_error};
use crate::gpu_list;
use crate::output::estimate::machines_json;
use crate::output::styler::styler;
use crate::stdio::{print_stdout, write_named};
use anyhow::Result;
use vramlint_base::{Message, message};
use vramlint_catalog::gpus::Gpu;
use vramlint_estimate::Machine;
use vramlint_view::estimate::{MachineTable, machine_tables};

/// Prints the runs on the machines of `list`.
pub(super) fn run(args: &EstimateArgs, list: &[String]) -> Result<Status> {
    let machines = gpu_list::machines(list)?;
    let prices = args.gpu_prices.as_deref().map(gpu_list::prices).transpose()?;
    let runs = estimated_runs::of_arguments(&args.common, &args.paths, args.run.as_deref(), &args.flags)?;
    if let ([], Some((id, Message { en, zh }))) = (&runs.known[..], runs.without.first()) {
        return Err(user_error(message!("{id}: {en}", "{id}：{zh}")));
    }
    if runs.known.is_empty() {
        return Err(user_error(message!("no training run found", "未找到训练任务")));
    }
    let tables: Vec<MachineTable> = runs.known.iter().map(|run| table(run, &machines, prices.as_deref())).collect();
    let color = args.common.color.resolve(args.output_file.is_some());
    let text = match args.output_format.unwrap_or(EstimateFormat::Text) {
        EstimateFormat::Text => machine_tables(&tables, &runs.without, runs.lang, styler(color)),
        EstimateFormat::Json => machines_json(&tables, &runs.without, runs.lang),
        _ => {
            return Err(user_error(message!(
                "--gpus-table has the formats text and json",
                "--gpus-table 只有 text 和 json 两种格式"
            )));
        }
    };
    match &args.output_file {
        Some(path) => write_named(path, text.as_bytes()).map_err(|error| write_error(path, &error))?,
        None => print_stdout(&text, color)?,
    }
    Ok(Status::Clean)
}

fn table(run: &EstimatedRun, machines: &[Machine], prices: Option<&[(&'static Gpu, f64)]>) -> MachineTable {
    let estimated = &run.estimated;
    MachineTable {
        name: run.report().name(),
        rows: machines.iter().map(|machine| (machine.clone(), estimated.on_machine(machine))).collect(),
        smallest: estimated.smallest_machine(),
        cheapest: prices.map(|prices| estimated.cheapest_machine(prices)),
    }
}

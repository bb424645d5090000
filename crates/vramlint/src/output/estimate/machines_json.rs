//! `estimate --gpus-table --output-format json`.

use crate::output::ordered_json::{Node, Object};
use crate::output::serialize;
use serde::Serialize;
use serde_json::Value as Json;
use vramlint_base::{Lang, Message};
use vramlint_estimate::{Machine, MachineEstimate, Verdict};
use vramlint_view::estimate::MachineTable;

#[derive(Serialize)]
struct TableJson {
    version: u32,
    #[serde(flatten)]
    table: Object,
}

/// One object, or a list if there is not exactly one run.
pub(crate) fn machines_json(tables: &[MachineTable], without: &[(String, Message)], lang: Lang) -> String {
    let mut all: Vec<TableJson> = tables.iter().map(|one| TableJson { version: serialize::VERSION, table: table(one) }).collect();
    for (id, why) in without {
        let mut object = Object::default();
        object.put("run", id.as_str());
        object.put("machines", Node::List(Vec::new()));
        object.put("why", why.get(lang));
        all.push(TableJson { version: serialize::VERSION, table: object });
    }
    match &all[..] {
        [only] => serialize::to_string_pretty(only),
        _ => serialize::to_string_pretty(&all),
    }
}

fn table(table: &MachineTable) -> Object {
    let mut object = Object::default();
    object.put("run", table.name.as_str());
    object.put(
        "machines",
        table.rows.iter().map(|(machine, found)| self::machine(machine, found.as_ref()).into()).collect::<Node>(),
    );
    object.put("smallest", table.smallest.as_ref().map_or_else(|| Node::from(Json::Null), |found| of_estimate(found).into()));
    if let Some(cheapest) = &table.cheapest {
        let cheapest = cheapest.as_ref().map(|(found, price)| {
            let mut object = of_estimate(found);
            object.put("price_per_hour", *price);
            object
        });
        object.put("cheapest", cheapest.map_or_else(|| Node::from(Json::Null), Node::from));
    }
    object
}

fn of_estimate(found: &MachineEstimate) -> Object {
    machine(&found.machine, Some(found))
}

/// The figures are null where the run cannot use that many GPUs.
fn machine(machine: &Machine, found: Option<&MachineEstimate>) -> Object {
    let mut object = Object::default();
    object.put("gpu", machine.gpu.map_or(Json::Null, |gpu| gpu.name.into()));
    object.put("gpus", machine.gpus);
    object.put("bytes", machine.bytes);
    let figure = |value: fn(&MachineEstimate) -> Json| found.map_or(Json::Null, value);
    object.put("peak", figure(|found| found.estimate.peak.into()));
    object.put("low", figure(|found| found.estimate.low.into()));
    object.put("high", figure(|found| found.estimate.high.into()));
    object.put("host", figure(|found| found.estimate.host.peak.into()));
    object.put("effective_batch", figure(|found| found.effective_batch.into()));
    object.put(
        "fits",
        figure(|found| match found.verdict {
            Verdict::Fits => true.into(),
            Verdict::MayNotFit => Json::Null,
            Verdict::DoesNotFit => false.into(),
        }),
    );
    object.put("has_types", found.and_then(|found| found.has_types).map_or(Json::Null, Json::from));
    object
}

//! `gpu --output-format json`.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use vramlint_base::Lang;
use vramlint_gpu::advice::advice;
use vramlint_gpu::{Card, Kind, Machine, Memory, Process, Slice};

/// Grows when a field goes or changes its meaning.
const VERSION: u32 = 1;

/// Output of `vramlint gpu --output-format json`. `null` is what the driver does not tell. Fields may be added; `version` grows
/// only when one goes or changes its meaning.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "Cards of the machine")]
struct MachineJson {
    /// Version of this form.
    version: u32,
    /// Version of the NVIDIA driver.
    driver: Option<String>,
    /// Newest CUDA that the driver can run: `12.8`.
    cuda: Option<String>,
    /// The cards, in the order of the PCI bus.
    gpus: Vec<CardJson>,
}

#[derive(Serialize, JsonSchema)]
struct CardJson {
    /// Number in the order of the PCI bus, as nvidia-smi counts.
    index: u32,
    /// Name as the driver writes it.
    name: Option<String>,
    /// Identity: `GPU-…`.
    uuid: Option<String>,
    /// Compute capability: `8.9`.
    compute_capability: Option<String>,
    /// Memory of the card.
    memory: Option<MemoryJson>,
    /// How busy the card was in the driver's last sample.
    utilization: Option<UtilizationJson>,
    /// Temperature of the chip, degrees Celsius.
    temperature_celsius: Option<u32>,
    /// Power drawn, milliwatts.
    power_milliwatts: Option<u32>,
    /// Power that may be drawn, milliwatts.
    power_limit_milliwatts: Option<u32>,
    /// Whether a display runs on it.
    display: Option<bool>,
    /// Whether error correction is on.
    ecc: Option<bool>,
    /// Multi-Instance GPU; `null` where the card cannot be cut up.
    mig: Option<MigJson>,
    /// Processes that use the card, those that hold most first.
    processes: Option<Vec<ProcessJson>>,
    /// Statements that follow from the figures.
    advice: Vec<AdviceJson>,
}

#[derive(Serialize, JsonSchema)]
struct MemoryJson {
    /// All of it, bytes.
    total: u64,
    /// What driver and firmware keep, bytes.
    reserved: u64,
    /// What is allocated, bytes.
    used: u64,
    /// What can still be allocated, bytes.
    free: u64,
}

#[derive(Serialize, JsonSchema)]
struct UtilizationJson {
    /// Time in which some kernel ran, percent.
    gpu: u32,
    /// Time in which memory was read or written, percent.
    memory: u32,
}

#[derive(Serialize, JsonSchema)]
struct MigJson {
    /// Whether it is on.
    enabled: bool,
    /// Whether it will be on after the next reset.
    pending: bool,
    /// The instances.
    instances: Vec<SliceJson>,
}

#[derive(Serialize, JsonSchema)]
struct SliceJson {
    /// Number on the card.
    index: u32,
    /// Name as the driver writes it.
    name: Option<String>,
    /// Identity: `MIG-…`.
    uuid: Option<String>,
    /// Memory of the instance.
    memory: Option<MemoryJson>,
}

#[derive(Serialize, JsonSchema)]
struct ProcessJson {
    /// Number of the process.
    pid: u32,
    /// Program, without folders.
    name: Option<String>,
    /// What it holds on the card, bytes.
    memory: Option<u64>,
    /// What it does there.
    kind: KindJson,
    /// Whether it belongs to the user who asks.
    own: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum KindJson {
    Compute,
    Graphics,
    Both,
}

#[derive(Serialize, JsonSchema)]
struct AdviceJson {
    /// What kind it is: `room`, `holder`, `idle-and-full`, …
    kind: &'static str,
    /// What is told, in the language that was asked for.
    message: String,
}

/// The machine as one object; over several lines if `pretty`.
pub(crate) fn all(machine: &Machine, usual: fn(&str) -> Option<u64>, lang: Lang, pretty: bool) -> String {
    let object = MachineJson {
        version: VERSION,
        driver: machine.driver.clone(),
        cuda: machine.cuda.map(dotted),
        gpus: machine.cards.iter().map(|one| card(machine, one, usual, lang)).collect(),
    };
    let text = if pretty { serde_json::to_string_pretty(&object) } else { serde_json::to_string(&object) };
    // Numbers, text and lists only: there is nothing that could fail.
    text.expect("numbers, text and lists become JSON") + "\n"
}

fn dotted((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}

fn card(machine: &Machine, card: &Card, usual: fn(&str) -> Option<u64>, lang: Lang) -> CardJson {
    let told = advice(machine, card, card.name.as_deref().and_then(usual));
    CardJson {
        index: card.index,
        name: card.name.clone(),
        uuid: card.uuid.clone(),
        compute_capability: card.compute_capability.map(dotted),
        memory: card.memory.map(memory),
        utilization: card.utilization.map(|of| UtilizationJson { gpu: of.gpu, memory: of.memory }),
        temperature_celsius: card.temperature,
        power_milliwatts: card.power.map(|power| power.draw),
        power_limit_milliwatts: card.power.and_then(|power| power.limit),
        display: card.display,
        ecc: card.ecc,
        mig: card.mig.as_ref().map(|mig| MigJson {
            enabled: mig.enabled,
            pending: mig.pending,
            instances: mig.instances.iter().map(slice).collect(),
        }),
        processes: card.processes.as_ref().map(|all| all.iter().map(process).collect()),
        advice: told.into_iter().map(|one| AdviceJson { kind: one.kind, message: one.message.get(lang).to_owned() }).collect(),
    }
}

fn memory(of: Memory) -> MemoryJson {
    MemoryJson { total: of.total, reserved: of.reserved, used: of.used, free: of.free }
}

fn slice(of: &Slice) -> SliceJson {
    SliceJson { index: of.index, name: of.name.clone(), uuid: of.uuid.clone(), memory: of.memory.map(memory) }
}

fn process(of: &Process) -> ProcessJson {
    let kind = match of.kind {
        Kind::Compute => KindJson::Compute,
        Kind::Graphics => KindJson::Graphics,
        Kind::Both => KindJson::Both,
    };
    ProcessJson { pid: of.pid, name: of.name.clone(), memory: of.memory, kind, own: of.own }
}

/// The schema as pretty JSON with a final newline, as committed in `schemas/gpu.json`.
pub(crate) fn schema_text() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| settings.inline_subschemas = true);
    format!("{:#}\n", tidy(settings.into_generator().into_root_schema_for::<MachineJson>().to_value()))
}

/// Joins the lines of descriptions and sorts the keys, so that the text does not hang on how `serde_json` was built.
fn tidy(schema: Value) -> Value {
    match schema {
        Value::Object(mut object) => {
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            let sorted: BTreeMap<String, Value> = object.into_iter().map(|(key, value)| (key, tidy(value))).collect();
            Value::Object(sorted.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(tidy).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests;

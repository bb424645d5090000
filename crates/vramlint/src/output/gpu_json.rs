//! `gpu --output-format json`.

use super::serialize::{to_string, to_string_pretty};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use vramlint_base::Lang;
use vramlint_gpu::insights::insights;
use vramlint_gpu::{Gpu, Kind, Machine, Memory, MigInstance, Process};

/// Changes when a field is removed or changes its meaning.
const VERSION: u32 = 1;

/// Output of `vramlint gpu --output-format json`. A value that the driver does not report is `null`. Fields may be added; `version`
/// changes only when one is removed or changes its meaning.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "GPUs of the machine")]
struct MachineJson {
    /// Version of this format.
    version: u32,
    /// Version of the NVIDIA driver.
    driver: Option<String>,
    /// Newest CUDA that the driver can run: `12.8`.
    cuda: Option<String>,
    /// The GPUs, in the order of the PCI bus.
    gpus: Vec<GpuJson>,
}

#[derive(Serialize, JsonSchema)]
struct GpuJson {
    /// Number in the order of the PCI bus, as nvidia-smi counts.
    index: u32,
    /// Name as the driver writes it.
    name: Option<String>,
    /// UUID: `GPU-…`.
    uuid: Option<String>,
    /// Compute capability: `8.9`.
    compute_capability: Option<String>,
    /// Memory of the GPU.
    memory: Option<MemoryJson>,
    /// Utilization in the driver's last sample.
    utilization: Option<UtilizationJson>,
    /// Temperature of the chip, degrees Celsius.
    temperature_celsius: Option<u32>,
    /// Power draw, milliwatts.
    power_milliwatts: Option<u32>,
    /// Power limit, milliwatts.
    power_limit_milliwatts: Option<u32>,
    /// Whether a display is connected.
    display: Option<bool>,
    /// Whether ECC is enabled.
    ecc: Option<bool>,
    /// Multi-Instance GPU; `null` if the GPU does not support it.
    mig: Option<MigJson>,
    /// Processes that use the GPU, largest first.
    processes: Option<Vec<ProcessJson>>,
    /// Conclusions from the figures.
    advice: Vec<InsightJson>,
}

#[derive(Serialize, JsonSchema)]
struct MemoryJson {
    /// Total, bytes.
    total: u64,
    /// Reserved by driver and firmware, bytes.
    reserved: u64,
    /// Allocated, bytes.
    used: u64,
    /// Available, bytes.
    free: u64,
}

#[derive(Serialize, JsonSchema)]
struct UtilizationJson {
    /// Share of time in which a kernel ran, percent.
    gpu: u32,
    /// Share of time in which memory was read or written, percent.
    memory: u32,
}

#[derive(Serialize, JsonSchema)]
struct MigJson {
    /// Whether it is enabled.
    enabled: bool,
    /// Whether it will be enabled after the next reset.
    pending: bool,
    /// The instances.
    instances: Vec<MigInstanceJson>,
}

#[derive(Serialize, JsonSchema)]
struct MigInstanceJson {
    /// Number on the GPU.
    index: u32,
    /// Name as the driver writes it.
    name: Option<String>,
    /// UUID: `MIG-…`.
    uuid: Option<String>,
    /// Memory of the instance.
    memory: Option<MemoryJson>,
}

#[derive(Serialize, JsonSchema)]
struct ProcessJson {
    /// Process id.
    pid: u32,
    /// Program name, without folders.
    name: Option<String>,
    /// Memory that it uses on the GPU, bytes.
    memory: Option<u64>,
    /// How it uses the GPU.
    kind: KindJson,
    /// Whether it belongs to the current user.
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
struct InsightJson {
    /// Identifier: `room`, `holder`, `idle-and-full`, …
    kind: &'static str,
    /// Text in the selected language.
    message: String,
}

/// The machine as one object; over several lines if `pretty`.
pub(crate) fn render(machine: &Machine, usual: fn(&str) -> Option<u64>, lang: Lang, pretty: bool) -> String {
    let object = MachineJson {
        version: VERSION,
        driver: machine.driver.clone(),
        cuda: machine.cuda.map(dotted),
        gpus: machine.gpus.iter().map(|device| gpu(machine, device, usual, lang)).collect(),
    };
    if pretty { to_string_pretty(&object) } else { to_string(&object) }
}

fn dotted((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}

fn gpu(machine: &Machine, gpu: &Gpu, usual: fn(&str) -> Option<u64>, lang: Lang) -> GpuJson {
    let insights = insights(machine, gpu, gpu.name.as_deref().and_then(usual));
    GpuJson {
        index: gpu.index,
        name: gpu.name.clone(),
        uuid: gpu.uuid.clone(),
        compute_capability: gpu.compute_capability.map(dotted),
        memory: gpu.memory.map(memory),
        utilization: gpu.utilization.map(|rates| UtilizationJson { gpu: rates.gpu, memory: rates.memory }),
        temperature_celsius: gpu.temperature,
        power_milliwatts: gpu.power.map(|power| power.draw),
        power_limit_milliwatts: gpu.power.and_then(|power| power.limit),
        display: gpu.display,
        ecc: gpu.ecc,
        mig: gpu.mig.as_ref().map(|mig| MigJson {
            enabled: mig.enabled,
            pending: mig.pending,
            instances: mig.instances.iter().map(mig_instance).collect(),
        }),
        processes: gpu.processes.as_ref().map(|all| all.iter().map(process).collect()),
        advice: insights
            .into_iter()
            .map(|insight| InsightJson { kind: insight.kind, message: insight.message.get(lang).to_owned() })
            .collect(),
    }
}

fn memory(memory: Memory) -> MemoryJson {
    MemoryJson { total: memory.total, reserved: memory.reserved, used: memory.used, free: memory.free }
}

fn mig_instance(instance: &MigInstance) -> MigInstanceJson {
    let MigInstance { index, name, uuid, memory: size } = instance;
    MigInstanceJson { index: *index, name: name.clone(), uuid: uuid.clone(), memory: size.map(memory) }
}

fn process(process: &Process) -> ProcessJson {
    let kind = match process.kind {
        Kind::Compute => KindJson::Compute,
        Kind::Graphics => KindJson::Graphics,
        Kind::Both => KindJson::Both,
    };
    ProcessJson { pid: process.pid, name: process.name.clone(), memory: process.memory, kind, own: process.own }
}

/// The schema as pretty JSON with a final newline, as committed in `schemas/gpu.json`.
pub(crate) fn schema_text() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| settings.inline_subschemas = true);
    format!("{:#}\n", tidy(settings.into_generator().into_root_schema_for::<MachineJson>().to_value()))
}

/// Joins the lines of descriptions and sorts the keys, so that the text does not depend on the features of `serde_json`.
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

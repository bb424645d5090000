//! `estimate --output-format json` and `jsonl`, and the `estimate` field of the other commands.

use super::super::ordered_json::{Node, Object};
use serde::Serialize;
use serde_json::Value as Json;
use vramlint_base::{Lang, Message};
use vramlint_estimate::step_time::{Resource, ResourceTime};
use vramlint_estimate::{OpenSetting, Verdict};
use vramlint_memory::estimate::Part;
use vramlint_view::estimate::{EstimateReport, dimensions, step_time};

/// An estimate.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields, title = "Output of vramlint estimate"))]
struct EstimateJson<'a> {
    /// Version of this format; it changes only when a field is removed or changes its meaning.
    version: u32,
    /// The run, or the `id` of the setup as it was given. Absent for a setup by flags.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Json>,
    /// Every dimension with its value, by the names of `vramlint runs`; null if it has none.
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, Json>"))]
    setup: Object,
    /// Assumptions about what is not stated.
    assumptions: Vec<String>,
    /// Settings that the project leaves open, the one that moves the peak most first. Only in `vramlint estimate`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    open: Vec<OpenJson>,
    /// Lower bound of the time of an optimizer step with full rows, on a GPU whose speeds are known. Only in `vramlint estimate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    step_time: Option<StepTimeJson>,
    /// Memory of one GPU.
    gpu: GpuJson,
    /// Memory of one machine.
    host: HostJson,
    /// Lower bound of `gpu.peak`, bytes.
    low: u64,
    /// Upper bound of `gpu.peak`, bytes.
    high: u64,
    /// One optimizer step over time.
    timeline: Vec<MomentJson<'a>>,
}

/// A setting that the project leaves open.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct OpenJson {
    /// Its name.
    setting: &'static str,
    /// The value that is estimated.
    assumed: Option<Json>,
    /// The lightest value that it may have.
    lightest: Option<Json>,
    /// How much lower the peak is with it, bytes.
    bytes: u64,
}

/// The least time of a step.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(crate) struct StepTimeJson {
    /// Seconds that a step takes at least: those of the part that takes longest.
    at_least: f64,
    /// The GPU of the catalogue.
    gpu: &'static str,
    /// The paper that states its speeds.
    source: &'static str,
    /// The type of the products: bf16, fp16, tf32 or fp32.
    products: &'static str,
    /// What the GPU is needed for, the longest first.
    parts: Vec<ResourceTimeJson>,
    /// Operations of forward passes.
    forward_flops: f64,
    /// Operations of forward passes that backward repeats.
    recompute_flops: f64,
    /// Operations of backward.
    backward_flops: f64,
}

/// The least time of one resource of a GPU.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct ResourceTimeJson {
    /// compute, memory, links (to other GPUs) or host.
    resource: &'static str,
    /// Operations, or bytes, of a step.
    amount: f64,
    /// The same per second, at most.
    per_second: f64,
    /// Seconds.
    seconds: f64,
}

/// The least time of a step on the GPU of a report.
pub(crate) fn step_time_json(answer: &EstimateReport) -> Option<StepTimeJson> {
    let time = step_time::step_time(answer)?;
    let part = |part: &ResourceTime| ResourceTimeJson {
        resource: match part.resource {
            Resource::Compute => "compute",
            Resource::Memory => "memory",
            Resource::Links => "links",
            Resource::Host => "host",
        },
        amount: part.amount.round(),
        per_second: part.rate,
        seconds: part.seconds(),
    };
    Some(StepTimeJson {
        at_least: time.seconds(),
        gpu: time.gpu.name,
        source: time.source,
        products: time.products,
        parts: time.parts.iter().map(part).collect(),
        forward_flops: time.work.forward_flops.round(),
        recompute_flops: time.work.recompute_flops.round(),
        backward_flops: time.work.backward_flops.round(),
    })
}

/// Memory of one GPU, bytes.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct GpuJson {
    /// What nvidia-smi would show at the peak: `reserved`, the CUDA context and libraries.
    peak: u64,
    /// Phase of the peak: load, forward, loss, backward, optimizer or generate.
    at: &'static str,
    /// Highest `torch.cuda.max_memory_allocated`.
    tensors: u64,
    /// Highest `torch.cuda.max_memory_reserved`.
    reserved: u64,
    /// Breakdown of the peak.
    parts: PartsJson,
    /// Memory of the GPU; null if no GPU is specified.
    capacity: Option<u64>,
    /// Whether the upper bound fits.
    fits: Option<bool>,
    /// Memory that `peak` leaves on the GPU; negative if it does not fit.
    headroom: Option<i64>,
}

/// Bytes of each part; they sum to `peak`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct PartsJson {
    weights: u64,
    gradients: u64,
    optimizer: u64,
    activations: u64,
    logits: u64,
    kv_cache: u64,
    buffers: u64,
    other: u64,
    context: u64,
    fragmentation: u64,
}

/// Memory of one machine, bytes.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct HostJson {
    /// Peak of all ranks of the machine together.
    peak: u64,
    /// Breakdown.
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, u64>"))]
    parts: Object,
    /// Memory of the machine; null if unknown.
    capacity: Option<u64>,
    /// Whether the peak fits.
    fits: Option<bool>,
}

/// One point in time.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct MomentJson<'a> {
    /// Label: `layer 3 mlp forward`.
    label: &'a str,
    /// The phase, as in `gpu.at`.
    phase: &'static str,
    /// Peak allocation within it, bytes.
    bytes: u64,
}

/// A run that cannot be estimated.
#[derive(Serialize)]
struct WithoutJson<'a> {
    version: u32,
    id: &'a str,
    unknown: &'a str,
}

/// The estimate of a run in the output of `check` and `runs`.
#[derive(Serialize)]
pub(crate) struct RunEstimateJson<'a> {
    /// As `vramlint estimate` prints it; null if there is none.
    estimate: Option<EstimateJson<'a>>,
    /// Why there is no estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate_unknown: Option<&'a str>,
}

impl<'a> RunEstimateJson<'a> {
    /// The estimate of a run, or why there is none.
    pub(crate) fn new(answer: &'a Result<EstimateReport, Message>, lang: Lang) -> Self {
        Self {
            estimate: answer.as_ref().ok().map(|answer| without_open(answer, lang)),
            estimate_unknown: answer.as_ref().err().map(|why| why.get(lang)),
        }
    }
}

fn to_json(answer: &EstimateReport, lang: Lang) -> EstimateJson<'_> {
    EstimateJson { open: open(answer), step_time: step_time_json(answer), ..without_open(answer, lang) }
}

/// Without what is open, which costs a simulation for each setting.
fn without_open(answer: &EstimateReport, lang: Lang) -> EstimateJson<'_> {
    let (subject, estimate) = (&answer.input, &answer.estimate);
    let part = |part: Part| Part::ALL.iter().position(|own| *own == part).map_or(0, |index| estimate.parts[index]);
    let mut host = Object::default();
    for item in estimate.host.parts.iter().filter(|item| item.bytes > 0) {
        if !host.has(item.name) {
            let sum: u64 = estimate.host.parts.iter().filter(|other| other.name == item.name).map(|other| other.bytes).sum();
            host.put(item.name, sum);
        }
    }
    EstimateJson {
        version: super::super::serialize::VERSION,
        id: Some(&subject.id).filter(|id| !id.is_null()),
        setup: setup(answer),
        assumptions: answer.assumptions().iter().map(|assumption| assumption.get(lang).to_owned()).collect(),
        open: Vec::new(),
        step_time: None,
        gpu: GpuJson {
            peak: estimate.peak,
            at: estimate.peak_phase.name(),
            tensors: estimate.tensors,
            reserved: estimate.reserved,
            parts: PartsJson {
                weights: part(Part::Weights),
                gradients: part(Part::Gradients),
                optimizer: part(Part::Optimizer),
                activations: part(Part::Activations),
                logits: part(Part::Logits),
                kv_cache: part(Part::KvCache),
                buffers: part(Part::Buffers),
                other: part(Part::Other),
                context: part(Part::Context),
                fragmentation: part(Part::Fragmentation),
            },
            capacity: answer.gpu().map(|gpu| gpu.bytes),
            fits: answer.verdict().map(|verdict| verdict == Verdict::Fits),
            headroom: answer.headroom(),
        },
        host: HostJson {
            peak: estimate.host.peak,
            parts: host,
            capacity: subject.host,
            fits: subject.host.map(|capacity| estimate.host.peak <= capacity),
        },
        low: estimate.low,
        high: estimate.high,
        timeline: answer
            .timeline()
            .iter()
            .map(|moment| MomentJson { label: &moment.label, phase: moment.phase.name(), bytes: moment.bytes })
            .collect(),
    }
}

fn open(answer: &EstimateReport) -> Vec<OpenJson> {
    let row = |setting: &OpenSetting| OpenJson {
        setting: setting.name,
        assumed: dimensions::value_in(answer, &answer.input.setup, setting.name),
        lightest: dimensions::value_in(answer, &setting.setup, setting.name),
        bytes: setting.bytes,
    };
    answer.open_settings().iter().map(row).collect()
}

fn setup(answer: &EstimateReport) -> Object {
    let mut object = Object::default();
    for (name, value) in dimensions::list(answer) {
        object.put(name, Node::Plain(value));
    }
    object
}

fn without<'a>(id: &'a str, why: &'a Message, lang: Lang) -> WithoutJson<'a> {
    WithoutJson { version: super::super::serialize::VERSION, id, unknown: why.get(lang) }
}

/// One object per line.
pub(crate) fn jsonl(answers: &[EstimateReport], others: &[(String, Message)], lang: Lang) -> String {
    let answers = answers.iter().map(|answer| super::super::serialize::to_string(&to_json(answer, lang)));
    let others = others.iter().map(|(id, why)| super::super::serialize::to_string(&without(id, why, lang)));
    answers.chain(others).collect()
}

/// One object, or a list if there is not exactly one.
pub(crate) fn json(answers: &[EstimateReport], others: &[(String, Message)], lang: Lang) -> String {
    if let ([answer], []) = (answers, others) {
        return super::super::serialize::to_string_pretty(&to_json(answer, lang));
    }
    let list = jsonl(answers, others, lang).lines().collect::<Vec<_>>().join(",\n");
    if list.is_empty() { "[]\n".to_owned() } else { format!("[\n{list}\n]\n") }
}

#[cfg(test)]
mod tests {
    use super::EstimateJson;

    #[test]
    fn the_schema_is_the_committed_one() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/estimate.json");
        let mut text = serde_json::to_string_pretty(&schemars::schema_for!(EstimateJson<'static>)).expect("a schema is JSON");
        text.push('\n');
        if std::env::var_os("UPDATE_SCHEMAS").is_some() {
            std::fs::write(&path, &text).expect("writable");
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        assert_eq!(committed, text, "run the tests with UPDATE_SCHEMAS=1 and look at the change");
    }
}

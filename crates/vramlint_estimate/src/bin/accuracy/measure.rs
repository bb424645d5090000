//! One traced step and its estimate.

use serde_json::Value;
use vramlint_estimate::Models;
use vramlint_estimate::record::parse;
use vramlint_memory::arch::Certainty;
use vramlint_memory::estimate::Part;
use vramlint_memory::setup::Scheme;
use vramlint_memory::{Arch, Setup, estimate};

/// Parts of a peak, as records split it. The last one collects the rest.
pub(crate) const PARTS: [&str; 6] = ["weights", "gradients", "optimizer", "activations and buffers", "logits", "other"];

/// A record and its prediction, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// Its id.
    pub(crate) id: String,
    /// A description: the model and its setup.
    pub(crate) title: String,
    /// Whether several ranks share the work.
    pub(crate) sharded: bool,
    /// Highest allocated: measured, predicted.
    pub(crate) tensors: (u64, u64),
    /// Highest reserved: measured, predicted.
    pub(crate) reserved: (u64, u64),
    /// Bounds of reserved bytes.
    pub(crate) bounds: (u64, u64),
    /// [`PARTS`] at the peak: measured, predicted.
    pub(crate) parts: [(u64, u64); 6],
    /// Dimensions with the record's value in each.
    pub(crate) labels: Vec<(&'static str, String)>,
}

/// The difference between `predicted` and `measured`, in percent of the latter.
#[allow(clippy::cast_precision_loss)] // percents of byte counts
pub(crate) fn error((measured, predicted): (u64, u64)) -> f64 {
    (predicted as f64 - measured as f64) / (measured as f64).max(1.0) * 100.0
}

impl Measured {
    /// The record's value in a dimension.
    pub(crate) fn label(&self, dimension: &str) -> &str {
        self.labels.iter().find(|(own, _)| *own == dimension).map_or("", |(_, value)| value.as_str())
    }

    /// The error of a part in percent of the measured peak.
    pub(crate) fn part_error(&self, part: usize) -> f64 {
        let (measured, predicted) = self.parts[part];
        let whole = self.tensors.0;
        error((whole, (whole + predicted).saturating_sub(measured)))
    }

    /// Whether the bounds contain the reserved bytes.
    pub(crate) fn held(&self) -> bool {
        (self.bounds.0..=self.bounds.1).contains(&self.reserved.0)
    }

    /// The width of the bounds in percent of reserved bytes.
    pub(crate) fn width(&self) -> f64 {
        error((self.reserved.0, self.reserved.0 + (self.bounds.1 - self.bounds.0)))
    }
}

/// How much of the architecture the estimate gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Everything.
    Family,
    /// The keys of the `config.json` without the family.
    Unknown,
    /// Only the parameter count.
    Count,
}

/// Measures records, one per line. Also returns the ids of unsupported ones with the reason.
pub(crate) fn measure(text: &str, reading: Reading) -> (Vec<Measured>, Vec<String>) {
    let models = Models::catalogue();
    let (mut measured, mut unread) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match one(line, &models, reading) {
            Ok(record) => measured.push(record),
            Err(why) => unread.push(why),
        }
    }
    (measured, unread)
}

fn one(line: &str, models: &Models, reading: Reading) -> Result<Measured, String> {
    let mut raw: Value = serde_json::from_str(line).map_err(|why| why.to_string())?;
    if reading == Reading::Unknown {
        raw["model"]["arch"]["model_type"] = Value::from("unlisted");
    }
    let id = raw["id"].as_str().unwrap_or("?").to_owned();
    let records = parse(&raw.to_string(), models).map_err(|why| format!("{id}: {}", why.en))?;
    let Some(mut record) = records.into_iter().next() else { return Err(format!("{id}: empty")) };
    if reading == Reading::Count {
        let parameters = raw["model"]["n_params"].as_u64().ok_or_else(|| format!("{id}: no count of parameters"))?;
        record.arch = Arch::from_parameters(parameters);
    }
    if !record.unused.is_empty() {
        return Err(format!("{id}: {} mean nothing here", record.unused.join(", ")));
    }
    let oracle = &raw["oracle"];
    let bytes = |value: &Value| value.as_u64().ok_or_else(|| format!("{id}: no measured bytes"));
    let (allocated, reserved) = (bytes(&oracle["peak_allocated"])?, bytes(&oracle["peak_reserved"])?);
    let split = |names: &[&str]| names.iter().filter_map(|name| oracle["split_at_peak"][name].as_u64()).sum::<u64>();
    let answer = estimate(&record.arch, &Setup { cuda_context: false, ..record.setup.clone() });
    let of = |parts: &[Part]| parts.iter().map(|part| answer.parts[*part as usize]).sum::<u64>();
    let parts = [
        (split(&["params"]), of(&[Part::Weights])),
        (split(&["grads"]), of(&[Part::Gradients])),
        (split(&["optim"]), of(&[Part::Optimizer])),
        // The tracer identifies parameters, gradients and states by name, and logits by size: it counts buckets as activations.
        (split(&["activations", "buffers"]), of(&[Part::Activations, Part::Buffers])),
        (split(&["logits"]), of(&[Part::Logits])),
        (split(&["inputs", "workspace"]), of(&[Part::KvCache, Part::Other])),
    ];
    let mut labels = labels(&raw);
    let label = |name: &str| labels.iter().find(|(own, _)| *own == name).map_or("", |(_, value)| value.as_str());
    let setup = &raw["setup"];
    let title = format!(
        "{} {} {} {} {} x {}, {}",
        raw["model"]["id"].as_str().unwrap_or("?"),
        label("dist"),
        label("task"),
        label("dtype"),
        setup["micro_batch"],
        setup["seq"],
        label("checkpointing"),
    );
    let known = if record.arch.certainty() == Certainty::Traced { "known family" } else { "generic decoder" };
    labels.push(("architecture", known.to_owned()));
    Ok(Measured {
        id,
        title: title.replace(" single ", " "),
        sharded: record.setup.parallel.scheme != Scheme::None,
        tensors: (allocated, answer.tensors),
        reserved: (reserved, answer.reserved),
        bounds: (answer.low, answer.high),
        parts,
        labels,
    })
}

/// The dimensions as the record writes them.
fn labels(raw: &Value) -> Vec<(&'static str, String)> {
    let setup = &raw["setup"];
    let text = |key: &str, otherwise: &str| setup[key].as_str().unwrap_or(otherwise).to_owned();
    let lora = match &setup["lora"]["targets"] {
        Value::Null => "none",
        Value::String(_) => "all-linear",
        _ => "named",
    };
    let ckpt = match text("checkpointing", "none").as_str() {
        "none" => "none",
        _ => "on",
    };
    let padding = if setup["padding_mask"].as_bool().unwrap_or(false) { "yes" } else { "no" };
    let experts = raw["model"]["arch"].as_object().is_some_and(|arch| arch.keys().any(|key| key.contains("expert")));
    vec![
        ("family", raw["model"]["family"].as_str().unwrap_or("?").to_owned()),
        ("task", text("task", "clm")),
        ("dtype", text("dtype", "?")),
        ("checkpointing", ckpt.to_owned()),
        ("attention", text("attn", "sdpa")),
        ("padding", padding.to_owned()),
        ("optimizer", text("optimizer", "?")),
        ("quantization", text("quant", "none")),
        ("lora", lora.to_owned()),
        ("head", text("head", "full_logits")),
        ("dist", text("dist", "single")),
        ("blocks", if experts { "experts" } else { "dense" }.to_owned()),
    ]
}

//! Summaries of errors.

use crate::measure::{Measured, PARTS, error};

/// Median, 95th percentile and maximum of absolute values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// Number of values.
    pub(crate) count: usize,
    /// The median.
    pub(crate) median: f64,
    /// The 95th percentile: the smallest value that at least 95 of 100 do not exceed.
    pub(crate) p95: f64,
    /// The largest.
    pub(crate) worst: f64,
}

impl Spread {
    /// Computes them from absolute values.
    pub(crate) fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.map(f64::abs).collect();
        sorted.sort_by(f64::total_cmp);
        let at = |hundredths: usize| {
            let index = (sorted.len() * hundredths).div_ceil(100).saturating_sub(1);
            sorted.get(index).copied().unwrap_or(0.0)
        };
        Self { count: sorted.len(), median: at(50), p95: at(95), worst: at(100) }
    }
}

/// The summary of a set of records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary {
    /// Errors of allocated bytes, percent.
    pub(crate) tensors: Spread,
    /// Errors of reserved bytes, percent.
    pub(crate) reserved: Spread,
    /// Median error of each part, percent of the peak.
    pub(crate) parts: [f64; 6],
    /// Share of the records whose bounds contain the reserved bytes, percent.
    pub(crate) coverage: f64,
    /// Median width of the bounds, percent of reserved bytes.
    pub(crate) width: f64,
}

impl Summary {
    /// Summarizes records.
    #[allow(clippy::cast_precision_loss)] // hundreds of records
    pub(crate) fn of<'a>(records: impl Iterator<Item = &'a Measured>) -> Self {
        let records: Vec<&Measured> = records.collect();
        let spread = |of: &dyn Fn(&Measured) -> f64| Spread::of(records.iter().map(|record| of(record)));
        let held = records.iter().filter(|record| record.held()).count();
        Self {
            tensors: spread(&|record| error(record.tensors)),
            reserved: spread(&|record| error(record.reserved)),
            parts: std::array::from_fn(|part| spread(&|record| record.part_error(part)).median),
            coverage: held as f64 * 100.0 / (records.len() as f64).max(1.0),
            width: spread(&Measured::width).median,
        }
    }
}

/// The head of a table of [`row`]s.
pub(crate) const HEAD: &str = "| | records | tensors: median | 95 of 100 | worst | reserved: median | 95 of 100 | worst | coverage | width |\n\
                    | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";

/// One line.
pub(crate) fn row(name: &str, summary: &Summary) -> String {
    let Summary { tensors, reserved, coverage, width, .. } = summary;
    format!(
        "| {name} | {} | {:.3} % | {:.2} % | {:.2} % | {:.2} % | {:.2} % | {:.2} % | {coverage:.1} % | {width:.1} % |\n",
        tensors.count, tensors.median, tensors.p95, tensors.worst, reserved.median, reserved.p95, reserved.worst
    )
}

/// One GPU and several: the figures that the documents quote.
pub(crate) fn overview(records: &[Measured]) -> String {
    let mut out = HEAD.to_owned();
    let single = Summary::of(records.iter().filter(|record| !record.sharded));
    let sharded = Summary::of(records.iter().filter(|record| record.sharded));
    let all = Summary::of(records.iter());
    out += &row("one GPU", &single);
    out += &row("several GPUs", &sharded);
    out += &row("all", &all);
    out += "\n| part | median error in percent of the peak: one GPU | several GPUs |\n| --- | ---: | ---: |\n";
    for (part, name) in PARTS.iter().enumerate() {
        out += &format!("| {name} | {:.3} % | {:.3} % |\n", single.parts[part], sharded.parts[part]);
    }
    out
}

/// The records with the largest errors, and those outside their bounds.
pub(crate) fn worst(records: &[Measured]) -> String {
    let mut out = "\n### Farthest off\n\n| record | tensors | reserved | what |\n| --- | ---: | ---: | --- |\n".to_owned();
    let line = |record: &Measured| {
        format!("| {} | {:+.2} % | {:+.2} % | {} |\n", record.id, error(record.tensors), error(record.reserved), record.title)
    };
    let mut sorted: Vec<&Measured> = records.iter().collect();
    let off = |record: &Measured| error(record.tensors).abs().max(error(record.reserved).abs());
    sorted.sort_by(|a, b| off(b).total_cmp(&off(a)));
    for record in sorted.iter().take(20) {
        out += &line(record);
    }
    out += "\n### Outside their bounds\n\n| record | tensors | reserved | what |\n| --- | ---: | ---: | --- |\n";
    for record in records.iter().filter(|record| !record.held()) {
        out += &line(record);
    }
    out
}

/// Whether it is a decoder without experts: the assumption for unknown families. Encoders train classifiers and masked words.
pub(crate) fn usual(record: &Measured) -> bool {
    record.label("blocks") == "dense" && predicts_tokens(record)
}

/// Whether it is a decoder with experts.
pub(crate) fn with_experts(record: &Measured) -> bool {
    record.label("blocks") == "experts" && predicts_tokens(record)
}

fn predicts_tokens(record: &Measured) -> bool {
    let of_encoders = ["mlm", "seq2seq", "seqcls", "token-classification", "question-answering", "image-classification"];
    !of_encoders.contains(&record.label("task"))
}

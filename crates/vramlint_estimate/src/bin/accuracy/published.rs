//! Published figures next to the estimates of their setups.

use crate::measure::error;
use crate::report::Spread;
use serde_json::Value;
use std::collections::BTreeMap;
use vramlint_estimate::Models;
use vramlint_estimate::record::parse;
use vramlint_memory::{Setup, estimate};

/// A published figure and its prediction.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    /// Its id.
    pub(crate) id: String,
    /// The model and the setup, as the source describes them.
    pub(crate) title: String,
    /// The GPU.
    pub(crate) gpu: String,
    /// Bytes: measured, predicted.
    pub(crate) bytes: (u64, u64),
}

/// Bytes of a figure, from its unit.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // sizes of cards
fn bytes(figure: &Value) -> Option<u64> {
    let unit = match figure["unit"].as_str()?.split(' ').next()? {
        "GiB" => (1_u64 << 30) as f64,
        "MiB" => (1_u64 << 20) as f64,
        "GB" => 1e9,
        _ => return None,
    };
    Some((figure["measured"].as_f64()? * unit) as u64)
}

/// The figures of `published` that `setups` describes, in order. A setup says which part of the estimate is compared:
/// `reserved`, or `peak` with the context; `outside_mib` is memory that the source counts in addition to the allocator.
pub(crate) fn compare(published: &str, setups: &str) -> Result<Vec<Published>, String> {
    let lines = |text: &str| -> Result<Vec<Value>, String> {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| serde_json::from_str(line).map_err(|why| why.to_string())).collect()
    };
    let figures = lines(published)?;
    let figures: BTreeMap<&str, &Value> = figures.iter().filter_map(|figure| Some((figure["id"].as_str()?, figure))).collect();
    let records = parse(setups, &Models::catalogue()).map_err(|why| why.en)?;
    let mut out = Vec::new();
    for (given, record) in lines(setups)?.iter().zip(records) {
        let id = given["id"].as_str().unwrap_or("?").to_owned();
        let figure = figures.get(id.as_str()).ok_or_else(|| format!("{id}: no such figure"))?;
        let measured = bytes(figure).ok_or_else(|| format!("{id}: no bytes"))?;
        let answer = estimate(&record.arch, &Setup { cuda_context: given["figure"] == "peak", ..record.setup });
        let outside = given["outside_mib"].as_u64().unwrap_or(0) << 20;
        let said = &figure["setup"];
        let title = ["method", "model"].into_iter().find_map(|key| said[key].as_str()).unwrap_or("?");
        out.push(Published {
            title: format!("{title}, {}", given["setup"]["micro_batch"].to_string() + " x " + &given["setup"]["seq"].to_string()),
            gpu: figure["gpu"].as_str().unwrap_or("?").to_owned(),
            bytes: (measured, answer.peak + outside),
            id,
        });
    }
    Ok(out)
}

/// Markdown.
#[allow(clippy::cast_precision_loss)] // GiB with two decimals
pub(crate) fn table(figures: &[Published]) -> String {
    let mut out =
        "| figure | setup | GPU | measured | predicted | error |\n| --- | --- | --- | ---: | ---: | ---: |\n".to_owned();
    let gib = |bytes: u64| bytes as f64 / (1_u64 << 30) as f64;
    for Published { id, title, gpu, bytes } in figures {
        let (measured, predicted) = (gib(bytes.0), gib(bytes.1));
        out += &format!("| {id} | {title} | {gpu} | {measured:.2} GiB | {predicted:.2} GiB | {:+.1} % |\n", error(*bytes));
    }
    let errors = Spread::of(figures.iter().map(|figure| error(figure.bytes)));
    out + &format!("\nMedian error {:.1} % over {} figures.\n", errors.median, errors.count)
}

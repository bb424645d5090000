//! Rejects implausible `config.json` values.

use crate::config::Config;
use crate::estimate::Assumption;

/// The largest plausible value of a key, by a part of its name: over ten times that of any released model.
const LIMITS: &[(&str, f64)] = &[
    ("intermediate_size", 1_048_576.0),
    ("vocab", 134_217_728.0),
    ("expert", 4096.0),
    ("layer", 4096.0),
    ("depth", 4096.0),
    ("head", 16384.0),
    ("position", 268_435_456.0),
    ("window", 268_435_456.0),
    ("labels", 1_048_576.0),
    ("rank", 1_048_576.0),
    ("size", 1_048_576.0),
    ("dim", 1_048_576.0),
    ("inner", 1_048_576.0),
    ("embd", 1_048_576.0),
    ("model", 1_048_576.0),
    ("d_ff", 1_048_576.0),
    ("d_kv", 16384.0),
];

/// A thousand times the largest model, in parameters.
const PARAMETERS: f64 = 2e15;

fn limit(key: &str) -> Option<f64> {
    LIMITS.iter().find(|(piece, _)| key.contains(piece)).map(|(_, most)| *most)
}

/// A copy without implausible values, and a note that names their keys; `None` if all values are plausible.
pub(super) fn sanitize(config: &Config) -> Option<(Config, Assumption)> {
    let beyond =
        |key: &&str| config.number(key).is_some_and(|number| limit(key).is_some_and(|most| number.is_nan() || number > most));
    let mut dropped: Vec<&str> = config.keys().filter(beyond).collect();
    let most = |pieces: &[&str]| {
        // The width of an expert is no number of experts.
        let counts = |key: &&str| pieces.iter().any(|piece| key.contains(piece)) && !key.contains("intermediate_size");
        let named = config.keys().filter(|key| counts(key) && !dropped.contains(key));
        named.filter_map(|key| config.number(key)).fold(1.0, f64::max)
    };
    let widths = ["size", "dim", "inner", "embd", "model", "d_ff"];
    let narrow: Vec<&str> = config.keys().filter(|key| widths.iter().any(|piece| key.contains(piece))).collect();
    // Lengths of rows and chunks are no widths of layers.
    let other = ["vocab", "length", "position", "chunk"];
    let wide = narrow.iter().filter(|key| !other.iter().any(|piece| key.contains(piece)) && !dropped.contains(key));
    let widest = wide.filter_map(|key| config.number(key)).fold(1.0, f64::max);
    let across = most(&["heads", "n_head"]) * most(&["head_dim", "head_size", "kv_channels", "d_kv"]);
    if most(&["layer", "depth"]) * most(&["expert"]) * widest * widest.max(across) > PARAMETERS {
        // Each alone may be right, together they are not: none of them is believed.
        dropped = config.keys().filter(|key| config.number(key).is_some() && limit(key).is_some()).collect();
    }
    if dropped.is_empty() {
        return None;
    }
    let mut sane = Config::default();
    for key in config.keys().filter(|key| !dropped.contains(key)) {
        if let Some(value) = config.get(key) {
            sane.set(key, value.clone());
        }
    }
    let names = dropped.join(", ");
    let why = Assumption {
        en: format!("implausible values in the architecture are ignored: {names}"),
        zh: format!("忽略架构中不合理的值：{names}"),
    };
    Some((sane, why))
}

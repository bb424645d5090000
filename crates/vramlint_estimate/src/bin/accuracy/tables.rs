//! The longer tables: errors by dimension, and the bounds that records need.

use crate::measure::{Measured, error};
use crate::report::{HEAD, Summary, row, usual, with_experts};
use std::collections::BTreeMap;

/// By family and by dimension.
pub(crate) fn dimensions(records: &[Measured]) -> String {
    let mut groups: BTreeMap<(usize, &str, &str), Vec<&Measured>> = BTreeMap::new();
    for record in records {
        for (order, (dimension, value)) in record.labels.iter().enumerate() {
            groups.entry((order, dimension, value)).or_default().push(record);
        }
    }
    let (mut out, mut before) = (String::new(), "");
    for ((_, dimension, value), group) in groups {
        if dimension != before {
            out += &format!("\n### By {dimension}\n\n{HEAD}");
            before = dimension;
        }
        out += &row(value, &Summary::of(group.into_iter()));
    }
    out
}

/// The bounds that records need: how far reserved memory is below and above the prediction, in percent, when `aside` records
/// of a hundred are ignored on either side.
pub(crate) fn needed<'a>(records: impl Iterator<Item = &'a Measured>, aside: usize) -> (usize, f64, f64) {
    let mut sorted: Vec<f64> = records.map(|record| error((record.reserved.1, record.reserved.0))).collect();
    sorted.sort_by(f64::total_cmp);
    let aside = sorted.len() * aside / 100;
    let below = sorted.get(aside).copied().unwrap_or(0.0);
    let above = sorted.iter().rev().nth(aside).copied().unwrap_or(0.0);
    (sorted.len(), (-below).max(0.0), above.max(0.0))
}

/// The source of the spreads in `constants.rs`.
pub(crate) fn spreads(known: &[Measured], unknown: &[Measured], counted: &[Measured]) -> String {
    let mut out = "\n### What bounds need\n\n| known | records | 98 of 100: below | above | 90 of 100: below | above |\n\
                   | --- | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    let mut add = |name: &str, records: &[&Measured]| {
        let (count, below, above) = needed(records.iter().copied(), 1);
        let (_, less, more) = needed(records.iter().copied(), 5);
        out += &format!("| {name} | {count} | {below:.1} % | {above:.1} % | {less:.1} % | {more:.1} % |\n");
    };
    let mut schemes: Vec<&str> = known.iter().map(|record| record.label("dist")).collect();
    schemes.sort_unstable();
    schemes.dedup();
    for scheme in schemes {
        let of: Vec<&Measured> = known.iter().filter(|record| record.label("dist") == scheme).collect();
        add(&format!("the family, {scheme}"), &of);
    }
    add("the keys of a decoder's config", &unknown.iter().filter(|record| usual(record)).collect::<Vec<_>>());
    add("the keys of a decoder's config, experts", &unknown.iter().filter(|record| with_experts(record)).collect::<Vec<_>>());
    add("the parameter count", &counted.iter().filter(|record| usual(record)).collect::<Vec<_>>());
    out
}

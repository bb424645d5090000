//! What `accelerate launch` makes of its file and its flags, for the rules about both.

mod given;
mod hints;
pub(crate) mod json;
mod kind;
mod numbers;
mod start;

pub(crate) use given::{Answer, Given, truth};
pub(crate) use kind::{Path, Type, is_sagemaker};
pub(crate) use start::{Start, starts};

use crate::Sink;
use std::collections::BTreeMap;
use vramlint_base::{FileRange, Finding};

/// Reports each place once, with the gravest of what the starts with one file find there.
pub(crate) fn worst(found: Vec<Finding>, out: &mut Sink) {
    let mut places: BTreeMap<FileRange, usize> = BTreeMap::new();
    let mut kept: Vec<Finding> = Vec::new();
    for finding in found {
        match places.get(&finding.place) {
            Some(at) if kept[*at].severity >= finding.severity => {}
            Some(at) => kept[*at] = finding,
            None => {
                places.insert(finding.place, kept.len());
                kept.push(finding);
            }
        }
    }
    out.findings.extend(kept);
}

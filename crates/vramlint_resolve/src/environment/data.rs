//! Variables that YAML and JSON files set: `env:` of workflows and editors, `environment:` of compose files, `name`/`value` pairs
//! of manifests.

use super::{Setter, VariableAssignment, inner, is_tracked};
use crate::SourceFile;
use vramlint_base::{FileRange, TextRange, Value, may_be_templated};
use vramlint_syntax::data::{DataFile, Loader, NodeId, NodeKind, NodeRef, Style};

pub(super) fn collect(file: &SourceFile, data: &DataFile, found: &mut Vec<VariableAssignment>) {
    let start = found.len();
    for index in 0..data.nodes.len() {
        let node = NodeRef { file: data, id: NodeId(index as u32) };
        match &node.raw().kind {
            NodeKind::Mapping(_) => mapping(file, data, node, found),
            NodeKind::Sequence(_) => list(file, node, found),
            _ => {}
        }
    }
    found[start..].sort_by_key(|set| set.full_range.range.start);
}

fn mapping(file: &SourceFile, data: &DataFile, node: NodeRef<'_>, found: &mut Vec<VariableAssignment>) {
    let pair = node.get("name").zip(node.get("value"));
    if let Some((name, value)) = pair
        && let Some(text) = name.text().filter(|name| is_tracked(name))
    {
        found.extend(set(file, data, text, name.range(), value));
    }
    for (key, value) in node.entries() {
        if let Some(name) = key.text().filter(|name| is_tracked(name)) {
            found.extend(set(file, data, name, key.range(), value));
        }
    }
}

fn set(file: &SourceFile, data: &DataFile, name: &str, key: TextRange, value: NodeRef<'_>) -> Option<VariableAssignment> {
    let scalar = value.scalar()?;
    let loader = if data.json { Loader::Json } else { Loader::PyYaml };
    // A number or boolean reaches the program as its text; readers differ in the case of a boolean.
    let text = match value.value(loader)? {
        Value::Null => String::new(),
        Value::Bool(_) if scalar.style == Style::Plain => return None,
        _ => scalar.text.clone(),
    };
    // `${{ vars.GPUS }}` and `${GPUS:-0}` are filled in elsewhere.
    let value_known = (!may_be_templated(&text)).then_some(text);
    let range = value.follow().range();
    let (place, verbatim) = value_known.as_deref().map_or((range, false), |text| inner(&file.text, range, text));
    Some(VariableAssignment {
        file: file.id,
        name: name.to_owned(),
        value: value_known,
        place: FileRange::new(file.id, place),
        verbatim,
        full_range: FileRange::new(file.id, TextRange::new(key.start.min(range.start), key.end.max(range.end))),
        setter: Setter::Data,
        exported: true,
        conditional: false,
    })
}

/// `- CUDA_VISIBLE_DEVICES=0,1` of a compose file.
fn list(file: &SourceFile, node: NodeRef<'_>, found: &mut Vec<VariableAssignment>) {
    for item in node.items() {
        let Some(scalar) = item.scalar() else { continue };
        let Some((name, value)) = scalar.text.split_once('=').filter(|(name, _)| is_tracked(name)) else { continue };
        let known = (!may_be_templated(value)).then(|| value.to_owned());
        let range = item.follow().range();
        let written = range.slice(&file.text);
        let at = written.find(&scalar.text).map(|at| range.start + (at + name.len() + 1) as u32);
        let place = at.map_or(range, |start| TextRange::new(start, start + value.len() as u32));
        found.push(VariableAssignment {
            file: file.id,
            name: name.to_owned(),
            value: known,
            place: FileRange::new(file.id, place),
            verbatim: at.is_some(),
            full_range: FileRange::new(file.id, range),
            setter: Setter::Data,
            exported: true,
            conditional: false,
        });
    }
}

//! The edits that train adapters, on a base in half precision or in 4 bits.

use super::{fixes, insert_setting};
use vramlint_base::Edit;
use vramlint_catalog::Concept;
use vramlint_catalog::frameworks::FixValue;
use vramlint_memory::setup::Quantization;
use vramlint_resolve::{Origin, Project, Run};

/// Adapters of rank 16 on all linear layers, where the full model is trained, and a base in 4 bits, by the keys of the framework. `None` if
/// code says how the model is loaded, or if something says how the base is stored.
pub(super) fn adapters(project: &Project, run: &Run, quantization: Quantization, has_adapters: bool) -> Option<Vec<Edit>> {
    let keys = &run.dialect.framework().fixes;
    let rows = run.settings.get(&Concept::MicroBatch)?.winning()?;
    // In code, adapters and a quantized base are objects of their own.
    if matches!(rows.origin, Origin::Code { .. }) {
        return None;
    }
    let takes = |key: &str| fixes::accepts_key(project, run, key);
    let mut edits = Vec::new();
    if !has_adapters {
        if keys.adapters.is_empty() || !keys.adapters.iter().all(|(_, key, _)| takes(key)) {
            return None;
        }
        for (concept, key, value) in keys.adapters {
            edits.extend(set(project, run, *concept, key, *value)?);
        }
    }
    if quantization == Quantization::None {
        return Some(edits);
    }
    let has_keys = !keys.four_bit.is_empty() && keys.four_bit.iter().all(|(key, _)| takes(key));
    if !has_keys || run.settings.get(&Concept::Quantization).is_some_and(fixes::is_written) {
        return None;
    }
    for (key, value) in keys.four_bit {
        edits.push(fixes::beside_rows(project, run, key, *value)?);
    }
    Some(edits)
}

/// Replaces the value of a setting where it is written, else adds `key`. Empty if it has that value.
fn set(project: &Project, run: &Run, concept: Concept, key: &str, value: FixValue) -> Option<Vec<Edit>> {
    let written = run.settings.get(&concept).filter(|setting| fixes::is_written(setting));
    let Some(winner) = written.and_then(|setting| setting.winning()) else {
        return fixes::beside_rows(project, run, key, value).map(|edit| vec![edit]);
    };
    insert_setting::replace(project, winner, value)
}

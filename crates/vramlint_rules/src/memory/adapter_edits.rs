//! The edits that train adapters, on a base in half precision or in 4 bits.

use super::{fixes, insert_setting};
use vramlint_base::Edit;
use vramlint_catalog::Concept;
use vramlint_catalog::frameworks::FixValue;
use vramlint_memory::setup::Quantization;
use vramlint_resolve::{Origin, Project, Run};

/// Adapters of rank 16 on all linear layers, where the full model is trained, and a base in 4 bits, by the keys of the framework. `None` if
/// code says how the model is loaded, if something says how the base is stored, or if the program does not take a key.
pub(super) fn adapters(project: &Project, run: &Run, quantization: Quantization, has_adapters: bool) -> Option<Vec<Edit>> {
    let fixes = &run.dialect.framework().fixes;
    let quantizes = quantization != Quantization::None;
    let rows = run.settings.get(&Concept::MicroBatch)?.winning()?;
    // In code, adapters and a quantized base are objects of their own.
    let in_code = matches!(rows.origin, Origin::Code { .. });
    let is_stored = quantizes && run.settings.get(&Concept::Quantization).is_some_and(fixes::is_written);
    let has_keys = (has_adapters || !fixes.adapters.is_empty()) && (!quantizes || !fixes.four_bit.is_empty());
    if in_code || is_stored || !has_keys {
        return None;
    }
    let of_base = if quantizes { fixes.four_bit } else { &[] };
    let of_adapters = if has_adapters { &[] } else { fixes.adapters };
    let is_of_base = |key: &str| of_base.iter().any(|(_, own, _)| *own == key);
    let keys = of_adapters.iter().filter(|(_, key, _)| !is_of_base(key)).chain(of_base);
    let edits = keys.map(|(concept, key, value)| {
        fixes::accepts_key(project, run, key).then(|| set(project, run, *concept, key, *value)).flatten()
    });
    edits.collect::<Option<Vec<Vec<Edit>>>>().map(|edits| edits.concat())
}

/// Replaces the value of a setting where it is written, else adds `key`. Empty if it has that value.
fn set(project: &Project, run: &Run, concept: Concept, key: &str, value: FixValue) -> Option<Vec<Edit>> {
    let written = run.settings.get(&concept).filter(|setting| fixes::is_written(setting));
    let Some(winner) = written.and_then(|setting| setting.winning()) else {
        return fixes::beside_rows(project, run, key, value).map(|edit| vec![edit]);
    };
    insert_setting::replace(project, winner, value)
}

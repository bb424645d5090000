//! The card of the target.

use super::subject::Card;
use crate::exit::fault;
use anyhow::Result;
use vramlint_base::message;
use vramlint_resolve::Target;

/// The card, where the target names one or its memory.
pub(super) fn of(target: &Target) -> Result<Option<Card>> {
    let Some(name) = &target.gpu else { return Ok(target.memory.map(|bytes| Card { name: None, bytes, capability: None })) };
    match (known(name), target.memory) {
        (Some((name, bytes, capability)), given) => {
            Ok(Some(Card { name: Some(name.to_owned()), bytes: given.unwrap_or(bytes), capability: Some(capability) }))
        }
        (None, Some(bytes)) => Ok(Some(Card { name: Some(name.clone()), bytes, capability: None })),
        (None, None) => Err(fault(message!(
            "the card `{name}` is not in the catalogue; give its memory with --gpu-memory",
            "目录中没有显卡 `{name}`；请用 --gpu-memory 给出显存大小"
        ))),
    }
}

/// A stand-in until the catalogue of cards lands: a few cards, with the memory that NVML reports and their capability.
fn known(name: &str) -> Option<(&'static str, u64, u32)> {
    const CARDS: [(&str, &str, u64, u32); 3] = [
        ("rtx4090", "RTX 4090", 24_564, 89),
        ("a100sxm440gb", "A100-SXM4-40GB", 40_960, 80),
        ("h10080gb", "H100-80GB", 81_559, 90),
    ];
    let plain: String = name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    CARDS.iter().find(|(own, ..)| *own == plain).map(|(_, name, mib, capability)| (*name, mib << 20, *capability))
}

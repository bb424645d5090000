//! What the machine holds.

use vramlint_base::{Message, message};
use vramlint_catalog::gpus::{self, Gpu};
use vramlint_resolve::Target;

/// Memory of one card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Bytes, as NVML reports them where the card is known.
    pub bytes: u64,
    /// What it is, in a few words: `GeForce RTX 4090`, `the target`.
    pub name: Message,
}

impl Capacity {
    /// Of a target; `None` where it says neither a memory nor a card that is known. A stated memory wins: it may be a part of a card.
    pub fn of(target: &Target) -> Option<Self> {
        let gpu = card(target);
        let bytes = target.memory.or_else(|| gpu.map(|gpu| gpu.memory_mib << 20)).filter(|bytes| *bytes > 0)?;
        let named = gpu.map(|gpu| gpu.name.to_owned()).or_else(|| target.gpu.clone());
        let name = match named {
            Some(name) => Message { en: name.clone(), zh: name },
            None => message!("the target", "目标显卡"),
        };
        Some(Self { bytes, name })
    }
}

/// The card of a target, where the catalogue knows it.
pub(crate) fn card(target: &Target) -> Option<&'static Gpu> {
    gpus::find(target.gpu.as_deref()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stated_memory_is_the_capacity() {
        let target = Target { memory: Some(24 << 30), gpu: Some("a card of our own".into()), ..Target::default() };
        let capacity = Capacity::of(&target).expect("stated");
        assert_eq!((capacity.bytes, capacity.name.en.as_str()), (24 << 30, "a card of our own"));
        assert_eq!(Capacity::of(&Target::default()), None);
        let unnamed = Target { memory: Some(1), ..Target::default() };
        assert_eq!(Capacity::of(&unnamed).map(|capacity| capacity.name.zh), Some("目标显卡".to_owned()));
    }
}

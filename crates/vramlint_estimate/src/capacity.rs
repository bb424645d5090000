//! Memory of the machine.

use vramlint_base::{Message, message};
use vramlint_catalog::gpus::{self, Gpu};
use vramlint_resolve::Target;

/// Memory of one GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Bytes, as NVML reports them for known GPUs.
    pub bytes: u64,
    /// A short name: `GeForce RTX 4090`, `the target`.
    pub name: Message,
}

impl Capacity {
    /// The capacity of a target; `None` if it states neither memory nor a known GPU. Stated memory wins: it may be a part of a GPU.
    pub fn from_target(target: &Target) -> Option<Self> {
        let gpu = gpu_of(target);
        let bytes = target.memory.or_else(|| gpu.map(|gpu| gpu.memory_mib << 20)).filter(|bytes| *bytes > 0)?;
        let named = gpu.map(|gpu| gpu.name.to_owned()).or_else(|| target.gpu.clone());
        let name = match named {
            Some(name) => Message { en: name.clone(), zh: name },
            None => message!("the target", "目标 GPU"),
        };
        Some(Self { bytes, name })
    }
}

/// The GPU of a target, if the catalogue knows it.
pub(crate) fn gpu_of(target: &Target) -> Option<&'static Gpu> {
    gpus::find(target.gpu.as_deref()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stated_memory_is_the_capacity() {
        let target = Target { memory: Some(24 << 30), gpu: Some("a card of our own".into()), ..Target::default() };
        let capacity = Capacity::from_target(&target).expect("stated");
        assert_eq!((capacity.bytes, capacity.name.en.as_str()), (24 << 30, "a card of our own"));
        assert_eq!(Capacity::from_target(&Target::default()), None);
        let unnamed = Target { memory: Some(1), ..Target::default() };
        assert_eq!(Capacity::from_target(&unnamed).map(|capacity| capacity.name.zh), Some("目标 GPU".to_owned()));
    }
}

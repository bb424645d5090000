//! What the project leaves open, by how much memory each setting moves the estimate.

use crate::simulation_cache::SimulationCache;
use vramlint_memory::{Arch, Setup};

/// A model and a setup with the lightest value of everything that the project does not state.
#[derive(Clone, Debug, PartialEq)]
pub struct Lightest {
    /// The architecture of the lightest candidate of the model.
    pub arch: Arch,
    /// The setup.
    pub setup: Setup,
}

/// A setting that the project does not state.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenSetting {
    /// Its name, as `vramlint runs` writes it.
    pub name: &'static str,
    /// The setup with its lightest value and everything else as estimated.
    pub setup: Setup,
    /// By how many bytes the peak is lower then.
    pub bytes: u64,
}

/// Gives the first setup the values that the second has for one setting.
type Take = fn(&mut Setup, &Setup);

/// Gives a setup the lengths of another.
pub(crate) fn take_length(to: &mut Setup, from: &Setup) {
    (to.sequence_length, to.target_length, to.prompt_length) = (from.sequence_length, from.target_length, from.prompt_length);
    to.generation = from.generation;
}

/// Settings and what belongs to them in a setup.
const SETTINGS: &[(&str, Take)] = &[
    ("micro_batch", |to, from| to.micro_batch = from.micro_batch),
    ("evaluation_batch", |to, from| to.evaluation_batch = from.evaluation_batch),
    ("gradient_accumulation_steps", |to, from| to.accumulation = from.accumulation),
    ("sequence_length", take_length),
    ("weights_dtype", |to, from| to.weights = from.weights),
    ("mixed_precision", |to, from| to.autocast = from.autocast),
    ("quantization", |to, from| {
        (to.quantization, to.kbit_prepare, to.kbit_restored) = (from.quantization, from.kbit_prepare, from.kbit_restored);
        to.quantized_experts = from.quantized_experts;
    }),
    ("gradient_checkpointing", |to, from| to.checkpointing = from.checkpointing),
    ("optimizer", |to, from| to.optimizer = from.optimizer),
    ("method", |to, from| {
        (to.lora, to.freeze_base, to.trained) = (from.lora.clone(), from.freeze_base, from.trained.clone());
    }),
    ("attention", |to, from| (to.attention, to.padding_mask) = (from.attention, from.padding_mask)),
    ("head", |to, from| to.head = from.head),
    ("reference_model", |to, from| to.reference = from.reference),
    ("residents", |to, from| to.residents.clone_from(&from.residents)),
    ("world_size", |to, from| to.parallel = from.parallel.clone()),
];

/// The settings in which the lightest setup differs, the one that moves the estimate most first. Those that do not move it are left out.
/// `peak` is that of the setup.
pub fn open_settings(arch: &Arch, setup: &Setup, peak: u64, lightest: &Lightest) -> Vec<OpenSetting> {
    let cache = SimulationCache::default();
    let changed = SETTINGS.iter().filter_map(|(name, take)| {
        let mut changed = setup.clone();
        take(&mut changed, &lightest.setup);
        (changed != *setup).then_some((*name, changed))
    });
    let mut open: Vec<OpenSetting> = changed
        .map(|(name, setup)| OpenSetting { name, bytes: peak.saturating_sub(cache.estimate(arch, &setup).peak), setup })
        .filter(|setting| setting.bytes > 0)
        .collect();
    if lightest.arch != *arch {
        let bytes = peak.saturating_sub(cache.estimate(&lightest.arch, setup).peak);
        open.push(OpenSetting { name: "model", setup: setup.clone(), bytes });
    }
    open.sort_by_key(|setting| std::cmp::Reverse(setting.bytes));
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_that_moves_most_comes_first() {
        let arch = Arch::from_parameters(1_000_000_000);
        let setup = Setup { micro_batch: 8, sequence_length: 2048, accumulation: 4, ..Setup::default() };
        let lightest = Setup { micro_batch: 4, sequence_length: 16, ..setup.clone() };
        let peak = vramlint_memory::estimate(&arch, &setup).peak;
        let open = open_settings(&arch, &setup, peak, &Lightest { arch: arch.clone(), setup: lightest });
        let names: Vec<_> = open.iter().map(|setting| setting.name).collect();
        assert_eq!(names, ["sequence_length", "micro_batch"]);
        assert!(open[0].bytes > open[1].bytes && open[1].bytes > 1 << 30);
        assert_eq!((open[0].setup.sequence_length, open[0].setup.micro_batch), (16, 8));
    }

    #[test]
    fn nothing_open_is_nothing() {
        let arch = Arch::from_parameters(100_000_000);
        let setup = Setup::default();
        assert!(open_settings(&arch, &setup, 1, &Lightest { arch: arch.clone(), setup: setup.clone() }).is_empty());
    }
}

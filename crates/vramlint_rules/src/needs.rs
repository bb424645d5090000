//! Which Python files rules look at.
//!
//! A rule declares the [`Feature`]s of which a file must have one. A rule that declares none gets every file, so that a forgotten
//! declaration costs time and not findings.

use crate::RULES;
use crate::rule::Sink;
use std::sync::LazyLock;
use vramlint_resolve::{Feature, FileFeatures, SourceFile};

/// Files that may take part in a training.
pub(crate) const TRAINING: &[Feature] =
    &[Feature::TrainingLibrary, Feature::TorchTraining, Feature::TorchDistributed, Feature::ConfigLibrary, Feature::ModelLoading];

/// Files that may take part in a training, or set variables for one.
pub(crate) const ENVIRONMENT: &[Feature] = &[
    Feature::TrainingLibrary,
    Feature::TorchTraining,
    Feature::TorchDistributed,
    Feature::ConfigLibrary,
    Feature::ModelLoading,
    Feature::EnvironmentAccess,
];

/// Files that may take part in a training, or state its batch size.
pub(crate) const BATCH: &[Feature] = &[
    Feature::TrainingLibrary,
    Feature::TorchTraining,
    Feature::TorchDistributed,
    Feature::ConfigLibrary,
    Feature::ModelLoading,
    Feature::Batch,
];

/// Python files that may be programs or train. What others do is for Python's own linters.
pub(crate) const PROGRAM: &[Feature] =
    &[Feature::MainGuard, Feature::TrainCall, Feature::BackwardCall, Feature::DistributedTraining];

/// Files whose syntax is checked: they name a library that trains.
pub(crate) const PARSED: &[Feature] = &[Feature::Torch, Feature::TrainingCode, Feature::TrainingLibrary];

/// Whether the text of a file names a library that trains.
pub fn names_training_library(file: &SourceFile) -> bool {
    file.features().has_any(PARSED)
}

/// Files that may choose settings by the memory of a GPU.
pub(crate) const CHOICES: &[Feature] = &[Feature::GpuMemory, Feature::Batch];

/// Files with comments for vramlint.
pub(crate) const DIRECTIVES: &[Feature] = &[Feature::Directive];

/// The features that rules need, together; `None` if a rule gets every file.
static NEEDED: LazyLock<Option<Vec<Feature>>> = LazyLock::new(|| {
    let undeclared = RULES.iter().any(|rule| rule.check.is_some() && rule.needs.is_empty());
    (!undeclared).then(|| {
        let mut needed: Vec<Feature> = RULES.iter().flat_map(|rule| rule.needs).copied().collect();
        needed.sort_unstable();
        needed.dedup();
        needed
    })
});

/// Whether a rule may report something in a Python file, or elsewhere because of it.
pub fn is_relevant(file: &SourceFile, features: FileFeatures) -> bool {
    let Some(needed) = NEEDED.as_ref() else { return true };
    features.has_any(needed) || {
        let mut out = Sink::default();
        RULES.iter().filter_map(|rule| rule.check_file).for_each(|check| check(file, features, &mut out));
        !out.findings.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_declares_what_it_needs() {
        let undeclared: Vec<_> =
            RULES.iter().filter(|rule| rule.check.is_some() && rule.needs.is_empty()).map(|rule| rule.name).collect();
        assert!(undeclared.is_empty(), "{undeclared:?} get every file of an editor's folder: name the features that they need");
        assert!(NEEDED.is_some());
    }
}

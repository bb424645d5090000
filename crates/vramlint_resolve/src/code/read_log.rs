//! Named values that the code reads: a constant that is never read says nothing about the run.

use super::value::{AbstractValue, Alternative, ValueKind};
use std::collections::BTreeMap;
use vramlint_base::FileRange;

/// The values that were read, by the place where they are written.
#[derive(Default)]
pub(super) struct ReadLog {
    reads: BTreeMap<FileRange, Alternative>,
    muted: u32,
}

impl ReadLog {
    /// Reads do not count until [`Self::unmute`].
    pub(super) fn mute(&mut self) {
        self.muted += 1;
    }

    pub(super) fn unmute(&mut self) {
        self.muted -= 1;
    }

    pub(super) fn is_muted(&self) -> bool {
        self.muted > 0
    }

    /// Logs the named alternatives of a value.
    pub(super) fn log(&mut self, val: &AbstractValue) {
        if self.muted > 0 {
            return;
        }
        for alt in &val.alternatives {
            if let (true, Some(place), ValueKind::Scalar(_) | ValueKind::Items(_) | ValueKind::Unknown) =
                (alt.source.declared, alt.source.place, &alt.kind)
            {
                let better = self.reads.get(&place).is_none_or(|known| known.condition.is_some() && alt.condition.is_none());
                if better {
                    self.reads.insert(place, alt.clone());
                }
            }
        }
    }

    /// What was read since the last call, in order of place.
    pub(super) fn take(&mut self) -> Vec<Alternative> {
        std::mem::take(&mut self.reads).into_values().collect()
    }
}

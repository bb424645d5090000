//! Named values that the code reads: a constant that is never read says nothing about the run.

use super::value::{AbstractValue, Alternative, ValueKind};
use std::collections::BTreeMap;
use vramlint_base::FileRange;

/// A value that was read.
pub(super) struct Read {
    pub(super) alternative: Alternative,
    /// Whether only functions read it that evaluate or infer.
    pub(super) only_inferred: bool,
}

/// The values that were read, by the place where they are written.
#[derive(Default)]
pub(super) struct ReadLog {
    reads: BTreeMap<FileRange, Read>,
    muted: u32,
    /// The number of functions around the current statement that evaluate or infer.
    inferring: u32,
}

impl ReadLog {
    /// Reads do not count until [`Self::unmute`].
    pub(super) fn mute(&mut self) {
        self.muted += 1;
    }

    pub(super) fn unmute(&mut self) {
        self.muted -= 1;
    }

    /// From here on a function evaluates or infers, until [`Self::end_inference`].
    pub(super) fn begin_inference(&mut self) {
        self.inferring += 1;
    }

    pub(super) fn end_inference(&mut self) {
        self.inferring -= 1;
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
                let known = self.reads.get(&place);
                let only_inferred = self.inferring > 0 && known.is_none_or(|known| known.only_inferred);
                let better = known
                    .is_none_or(|known| known.only_inferred || known.alternative.condition.is_some() && alt.condition.is_none());
                if better {
                    self.reads.insert(place, Read { alternative: alt.clone(), only_inferred });
                }
            }
        }
    }

    /// What was read since the last call, in order of place.
    pub(super) fn take(&mut self) -> Vec<Read> {
        std::mem::take(&mut self.reads).into_values().collect()
    }
}

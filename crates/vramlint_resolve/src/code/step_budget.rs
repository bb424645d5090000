//! Bounds of the work: no source text can make an interpretation hang.

/// Maximum number of steps (expressions and statements).
pub(crate) const STEP_LIMIT: u32 = 250_000;
/// Maximum number of steps for code without visible callers.
const UNCALLED_STEP_LIMIT: u32 = 60_000;
/// Maximum number of steps for code without visible callers when only its library calls are wanted.
const CALL_SEARCH_STEP_LIMIT: u32 = 30_000;
/// Maximum nesting of expressions and blocks.
const MAX_NESTING: u32 = 150;

/// Steps left, steps used, and the current nesting.
pub(super) struct StepBudget {
    limit: u32,
    left: u32,
    used: u32,
    nesting: u32,
}

impl StepBudget {
    pub(super) fn new(limit: u32) -> Self {
        Self { limit, left: limit, used: 0, nesting: 0 }
    }

    /// Takes one step. Returns whether there was one left.
    pub(super) fn step(&mut self) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.used += 1;
        true
    }

    /// Whether no step is left.
    pub(super) const fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Enters an expression or block. Returns `false` if it is nested too deeply; otherwise [`Self::leave`] must follow.
    pub(super) fn enter(&mut self) -> bool {
        if self.nesting >= MAX_NESTING {
            return false;
        }
        self.nesting += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.nesting -= 1;
    }

    /// Limits what is left to the budget of code without visible callers.
    pub(super) fn restrict_to_uncalled(&mut self) {
        self.left = self.left.min(UNCALLED_STEP_LIMIT);
    }

    /// Starts the search for library calls with a budget of its own.
    pub(super) fn restart_for_calls(&mut self) {
        self.left = CALL_SEARCH_STEP_LIMIT.min(self.limit);
    }

    /// Steps that were taken.
    pub(super) fn used(&self) -> u32 {
        self.used
    }
}

//! Collects and ranks completions.

use super::{Completion, CompletionKind};
use std::collections::HashSet;
use vramlint_base::TextRange;

/// A completion without its rank.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub label: String,
    pub detail: String,
    pub documentation: String,
    pub text: String,
    pub kind: CompletionKind,
    pub deprecated: bool,
    /// Smaller is better; ties keep their order.
    pub weight: u32,
}

/// The completions at one position.
#[derive(Debug)]
pub(super) struct CompletionBuilder {
    /// The replaced range, in the innermost file.
    start: usize,
    end: usize,
    /// The typed prefix.
    typed: String,
    drafts: Vec<Item>,
    labels: HashSet<String>,
}

impl CompletionBuilder {
    /// No completions yet. `start..end` is replaced, `typed` is the prefix to match.
    pub(super) fn new(start: usize, end: usize, typed: &str) -> Self {
        Self { start, end, typed: typed.to_lowercase(), drafts: Vec::new(), labels: HashSet::new() }
    }

    /// Whether a label matches the typed prefix: its letters occur in the same order.
    pub(super) fn matches_typed(&self, label: &str) -> bool {
        let mut letters = label.chars().map(|c| c.to_ascii_lowercase());
        self.typed.chars().all(|wanted| letters.any(|letter| letter == wanted))
    }

    /// Adds a completion if it matches.
    pub(super) fn add(&mut self, draft: Item) {
        if self.matches_typed(&draft.label) && self.labels.insert(draft.label.clone()) {
            self.drafts.push(draft);
        }
    }

    /// The replaced range.
    pub(super) fn replace(&self) -> TextRange {
        TextRange::of(self.start..self.end)
    }

    /// The completions, best first.
    pub(super) fn ranked(mut self, replace: TextRange) -> Vec<Completion> {
        let typed = self.typed;
        self.drafts.sort_by_key(|draft| {
            let begins = draft.label.to_lowercase().trim_start_matches('-').starts_with(typed.trim_start_matches('-'));
            (draft.deprecated, !begins, draft.weight)
        });
        let complete = |(draft, rank): (Item, u32)| {
            let Item { label, detail, documentation, text, kind, deprecated, .. } = draft;
            Completion { label, detail, documentation, replace, text, kind, deprecated, rank }
        };
        self.drafts.into_iter().zip(0..).map(complete).collect()
    }
}

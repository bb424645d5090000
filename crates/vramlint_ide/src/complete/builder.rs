//! The offers of one place.

use super::{Completion, CompletionKind};
use std::collections::HashSet;
use vramlint_base::TextRange;

/// One offer before it has its rank.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub label: String,
    pub detail: String,
    pub documentation: String,
    pub text: String,
    pub kind: CompletionKind,
    pub deprecated: bool,
    /// The smaller the better, before the order in which it was offered.
    pub weight: u32,
}

/// What is offered at one place.
#[derive(Debug)]
pub(super) struct CompletionBuilder {
    /// What is replaced, in the innermost text.
    start: usize,
    end: usize,
    /// What is typed of it.
    typed: String,
    drafts: Vec<Item>,
    labels: HashSet<String>,
}

impl CompletionBuilder {
    /// Nothing yet, in place of a part of the text; `typed` is what of it counts as the word.
    pub(super) fn new(start: usize, end: usize, typed: &str) -> Self {
        Self { start, end, typed: typed.to_lowercase(), drafts: Vec::new(), labels: HashSet::new() }
    }

    /// Whether something with this name could be meant by what is typed: its letters in the same order.
    pub(super) fn matches_typed(&self, label: &str) -> bool {
        let mut letters = label.chars().map(|c| c.to_ascii_lowercase());
        self.typed.chars().all(|wanted| letters.any(|letter| letter == wanted))
    }

    /// Offers something, unless something else is being typed.
    pub(super) fn add(&mut self, draft: Item) {
        if self.matches_typed(&draft.label) && self.labels.insert(draft.label.clone()) {
            self.drafts.push(draft);
        }
    }

    /// What is replaced.
    pub(super) fn replace(&self) -> TextRange {
        TextRange::of(self.start..self.end)
    }

    /// The offers, best first.
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

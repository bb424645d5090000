//! The parts unfolded: who holds the bytes of the peak.

use super::{Item, Part, Words};
use crate::allocator::rounded;
use crate::step::compress::{Combined, Short};
use crate::tape::EventKind;

/// Bytes of one name in one run.
#[derive(Clone, Copy)]
struct Group {
    part: Part,
    name: &'static Words,
    /// They lie in blocks of the model.
    layered: bool,
    bytes: u64,
}

fn groups(short: &Short, event: usize) -> Vec<Group> {
    let mut live: Vec<Option<Group>> = vec![None; short.trace.blocks as usize];
    for event in &short.trace.events[..=event] {
        match event.kind {
            EventKind::Alloc { bytes, part, .. } => {
                live[event.block as usize] =
                    Some(Group { part, name: event.site.name, layered: event.site.layer > 0, bytes: rounded(bytes) });
            }
            EventKind::Free => live[event.block as usize] = None,
            EventKind::Become(part) => {
                if let Some(group) = &mut live[event.block as usize] {
                    group.part = part;
                }
            }
            EventKind::EmptyCache => {}
        }
    }
    let mut out: Vec<Group> = Vec::new();
    for group in live.into_iter().flatten() {
        match out.iter_mut().find(|other| other.part == group.part && std::ptr::eq(other.name, group.name)) {
            Some(other) => other.bytes += group.bytes,
            None => out.push(group),
        }
    }
    out
}

/// The items of the moment that is number `index` of the base run. `layers` is the number of blocks of the whole model.
pub(super) fn items(combined: &Combined, index: usize, layers: u64, tokens: u64) -> Vec<Item> {
    let base = groups(&combined.base, combined.base.profile.moments[index].event);
    let matched = combined.matched(index);
    let others: Vec<Vec<Group>> = combined
        .further
        .iter()
        .zip(&matched)
        .map(|(further, at)| groups(&further.short, further.short.profile.moments[*at].event))
        .collect();
    let mut items: Vec<Item> = base
        .iter()
        .map(|group| {
            let of = |groups: &[Group]| {
                groups
                    .iter()
                    .find(|other| other.part == group.part && std::ptr::eq(other.name, group.name))
                    .map_or(0, |g| g.bytes)
            };
            let bytes = combined.extend(group.bytes, others.iter().map(|groups| of(groups)));
            let formula = if group.layered && layers > 0 { per_block(bytes, layers, tokens) } else { String::new() };
            Item { part: group.part, label: *group.name, bytes, formula }
        })
        .collect();
    items.sort_by(|a, b| a.part.cmp(&b.part).then(b.bytes.cmp(&a.bytes)));
    items
}

/// `28 blocks × 1024 tokens × 57344 B`, as far as it divides.
fn per_block(bytes: u64, layers: u64, tokens: u64) -> String {
    let each = bytes / layers;
    if tokens > 0 && each >= tokens {
        format!("{layers} × {tokens} tokens × {} B", each / tokens)
    } else {
        format!("{layers} × {each} B")
    }
}

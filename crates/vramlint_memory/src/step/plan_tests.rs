//! Blocks that play plans write the same events as blocks that run.

use super::random_setups::{Numbers, model_and_setup};
use super::{EventTrace, device, run_on};
use crate::estimate::{Part, estimate, estimate_with_timeline, timeline};
use crate::tape::{Allocation, Site, Tape, Visitor};

/// An event, its block and its place.
type SeenEvent = (u32, Site, String);

/// The events of a trace.
#[derive(Default)]
struct SeenEvents {
    site: Site,
    all: Vec<SeenEvent>,
}

impl SeenEvents {
    fn note(&mut self, block: u32, what: String) {
        self.all.push((block, self.site, what));
    }
}

impl Visitor for SeenEvents {
    fn place(&mut self, site: Site) {
        self.site = site;
    }

    fn alloc(&mut self, number: usize, block: u32, allocation: Allocation) {
        self.note(block, format!("{number} {:?}", Allocation { at_once: false, ..allocation }));
        if allocation.at_once {
            self.free(number + 1, block);
        }
    }

    fn free(&mut self, number: usize, block: u32) {
        self.note(block, format!("{number} freed"));
    }

    fn relabel(&mut self, number: usize, block: u32, part: Part) {
        self.note(block, format!("{number} {part:?}"));
    }

    fn empty_cache(&mut self, number: usize) {
        self.note(u32::MAX, format!("{number} cache emptied"));
    }
}

fn events(trace: &EventTrace) -> Vec<SeenEvent> {
    let mut seen = SeenEvents::default();
    trace.record.visit(&mut seen);
    assert_eq!(seen.all.len(), trace.record.len());
    seen.all
}

fn compare(seed: u64, most_layers: usize) {
    let (arch, setup) = model_and_setup(&mut Numbers::new(seed), most_layers);
    let ran = Tape::new(device(&setup));
    ran.play_nothing();
    let ran = run_on(ran, &arch, &setup, &arch.layers);
    let played = run_on(Tape::new(device(&setup)), &arch, &setup, &arch.layers);
    let (expected, found) = (events(&ran), events(&played));
    let differs = expected.iter().zip(&found).position(|(a, b)| a != b);
    let around = |all: &[SeenEvent]| {
        let at = differs.unwrap_or(0);
        let some = &all[at.saturating_sub(3)..all.len().min(at + 4)];
        some.iter()
            .map(|(block, site, kind)| format!("{block} {:?} {} {} {kind}\n", site.phase, site.layer, site.name.en))
            .collect::<String>()
    };
    assert!(
        differs.is_none() && expected.len() == found.len(),
        "seed {seed}: event {differs:?} of {} and {}\n{}\n{}\n{arch:?}\n{setup:?}",
        expected.len(),
        found.len(),
        around(&expected),
        around(&found),
    );
    assert_eq!(
        (ran.loaded, ran.trainable, ran.blocks, ran.managed),
        (played.loaded, played.trainable, played.blocks, played.managed)
    );
}

#[test]
fn a_plan_writes_what_its_block_writes() {
    for seed in 0..400 {
        compare(seed, 6);
    }
}

#[test]
fn a_plan_writes_what_deep_models_write() {
    for seed in 1000..1040 {
        compare(seed, 120);
    }
}

#[test]
fn an_estimate_and_its_timeline_come_from_one_simulation() {
    for seed in 0..60 {
        let (arch, setup) = model_and_setup(&mut Numbers::new(seed), 6);
        let (found, moments) = estimate_with_timeline(&arch, &setup);
        assert_eq!(found, estimate(&arch, &setup), "seed {seed}");
        assert_eq!(moments, timeline(&arch, &setup), "seed {seed}");
    }
}

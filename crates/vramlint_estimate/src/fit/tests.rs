use super::*;
use crate::models::{Model, Source};
use crate::run_estimate::estimate_setup;
use vramlint_memory::Arch;
use vramlint_memory::setup::{Attention, Checkpointing, Lora, Optimizer, Parallel, Scheme};
use vramlint_resolve::Target;

fn of(setup: Setup, parameters: u64) -> RunEstimate {
    let model = Model {
        id: "acme/one".into(),
        arch: Arch::from_parameters(parameters),
        source: Source::CommandLine,
        exact_parameters: None,
        dtype: None,
        prequantized: None,
    };
    estimate_setup(model, setup, &Target { memory: Some(1 << 40), ..Target::default() })
}

fn options(limit: u64) -> FitOptions {
    FitOptions { limit, keep: Vec::new(), max_slowdown: None, speeds: None, most: 5 }
}

const GIB: u64 = 1 << 30;

fn lora() -> Setup {
    Setup {
        micro_batch: 8,
        accumulation: 2,
        sequence_length: 2048,
        lora: Some(Lora { r: 64, ..Lora::default() }),
        ..Setup::default()
    }
}

#[test]
fn plans_fit_and_keep_the_effective_batch() {
    let run = of(lora(), 7_000_000_000);
    let found = fit(&run, &options(40 * GIB));
    assert!(!found.fits && !found.plans.is_empty());
    for plan in &found.plans {
        assert!(plan.estimate.high <= 40 * GIB, "{:?}", plan.changes);
        assert_eq!(plan.setup.micro_batch * plan.setup.accumulation, 16, "{:?}", plan.changes);
        assert!(plan.slowdown.low <= plan.slowdown.high);
    }
    assert!(found.plans.is_sorted_by_key(|plan| (plan.effect, plan.changes.len())));
    assert_eq!(found.plans[0].effect, TrainingEffect::Same);
}

#[test]
fn no_plan_holds_a_change_that_it_does_not_need() {
    let run = of(lora(), 7_000_000_000);
    let options = options(24 * GIB);
    let subject = Subject::new(&run, &options);
    for plan in fit(&run, &options).plans {
        for left_out in 0..plan.changes.len() {
            let mut fewer = plan.changes.clone();
            fewer.remove(left_out);
            let Some(setup) = subject.apply(&fewer) else { continue };
            assert!(!subject.fits(&setup, &subject.estimate(&setup)), "{:?} without {left_out}", plan.changes);
        }
    }
}

#[test]
fn what_is_kept_does_not_change() {
    let run = of(lora(), 7_000_000_000);
    let keep = ["micro_batch", "lora_r", "sequence_length"].map(str::to_owned).to_vec();
    let found = fit(&run, &FitOptions { keep, ..options(24 * GIB) });
    assert!(!found.plans.is_empty());
    for plan in found.plans {
        assert_eq!((plan.setup.micro_batch, plan.setup.sequence_length), (8, 2048), "{:?}", plan.changes);
        assert_eq!(plan.setup.lora.map(|lora| lora.r), Some(64));
    }
}

#[test]
fn a_limit_of_time_leaves_slow_plans_out() {
    let run = of(lora(), 7_000_000_000);
    let all = fit(&run, &options(24 * GIB)).plans;
    let fast = fit(&run, &FitOptions { max_slowdown: Some(1.2), ..options(24 * GIB) }).plans;
    assert!(fast.iter().all(|plan| plan.slowdown.high <= 1.2), "{fast:#?}");
    assert!(all.iter().any(|plan| plan.slowdown.high > 1.2));
}

#[test]
fn nothing_fits_a_card_without_memory() {
    let run = of(lora(), 7_000_000_000);
    let found = fit(&run, &options(1 << 20));
    assert!(!found.fits && found.plans.is_empty());
    assert!(found.least.is_some_and(|least| least > 1 << 20));
}

#[test]
fn an_empty_card_is_used_for_speed() {
    let setup = Setup { micro_batch: 1, accumulation: 16, checkpointing: Checkpointing::NonReentrant, ..lora() };
    let found = fit(&of(setup, 1_000_000_000), &options(80 * GIB));
    assert!(found.fits);
    let best = &found.plans[0];
    assert!(best.slowdown.low < 1.0, "{best:?}");
    assert_eq!(best.setup.micro_batch * best.setup.accumulation, 16);
}

#[test]
fn many_ranks_shard_what_one_cannot_hold() {
    let parallel = Parallel { scheme: Scheme::Ddp, world: 8, local: 8, ..Parallel::default() };
    let setup = Setup { parallel, checkpointing: Checkpointing::NonReentrant, ..Setup::default() };
    let found = fit(&of(setup, 7_000_000_000), &options(80 * GIB));
    let best = &found.plans[0];
    assert!(best.changes.iter().any(|change| matches!(change, Change::Shard(_))), "{best:#?}");
}

#[test]
fn the_largest_value_that_fits_is_a_limit() {
    let run = of(Setup { micro_batch: 1, ..lora() }, 1_000_000_000);
    let options = options(24 * GIB);
    for dimension in [Dimension::MicroBatch, Dimension::SequenceLength, Dimension::Rank] {
        let found = ceiling(&run, &options, dimension).expect("one fits");
        assert!(found.estimate.high <= 24 * GIB);
        let more = match dimension {
            Dimension::MicroBatch => Setup { micro_batch: found.value + 1, ..found.setup },
            Dimension::SequenceLength => Setup { sequence_length: found.value + 64, ..found.setup },
            Dimension::Rank => continue,
        };
        assert!(run.cache.estimate(&run.model.arch, &more).high > 24 * GIB, "{dimension:?} {}", found.value);
    }
    assert_eq!(ceiling(&of(Setup::default(), 7_000_000_000), &options, Dimension::MicroBatch), None);
}

/// Every combination of every step of every move, without any of the reasoning of the search.
fn exhaustive(run: &RunEstimate, options: &FitOptions) -> Option<(TrainingEffect, usize)> {
    fn visit(subject: &Subject<'_>, rest: &[moves::Move], changes: &mut Vec<Change>, best: &mut Option<(TrainingEffect, usize)>) {
        let Some((own, later)) = rest.split_first() else {
            let effect = changes.iter().map(|change| change.effect(&subject.of.setup)).max();
            let Some(rank) = effect.map(|effect| (effect, changes.len())) else { return };
            if best.is_some_and(|best| best <= rank) {
                return;
            }
            if let Some(setup) = subject.apply(changes)
                && subject.fits(&setup, &subject.estimate(&setup))
            {
                *best = Some(rank);
            }
            return;
        };
        visit(subject, later, changes, best);
        for step in &own.steps {
            changes.push(*step);
            visit(subject, later, changes, best);
            changes.pop();
        }
    }
    let subject = Subject::new(run, options);
    let mut best = None;
    visit(&subject, &moves::moves(&subject), &mut Vec::new(), &mut best);
    best
}

#[test]
fn no_exhaustive_search_finds_a_better_plan() {
    let small = |setup: Setup| of(setup, 300_000_000);
    let base = Setup { micro_batch: 4, sequence_length: 512, weights: vramlint_memory::setup::Dtype::Bf16, ..Setup::default() };
    let setups = [
        base.clone(),
        Setup { lora: Some(Lora { r: 16, ..Lora::default() }), attention: Attention::Eager, ..base.clone() },
        Setup { optimizer: Optimizer::AdamWForeach, evaluation_batch: Some(8), ..base.clone() },
        Setup { checkpointing: Checkpointing::NonReentrant, micro_batch: 2, ..base },
    ];
    for setup in setups {
        let run = small(setup);
        for tenth in 2..10 {
            let options = options(run.estimate.high / 10 * tenth);
            let found = fit(&run, &options).plans.first().map(|plan| (plan.effect, plan.changes.len()));
            assert_eq!(found, exhaustive(&run, &options), "{:?} at {tenth} tenths", run.setup);
        }
    }
}

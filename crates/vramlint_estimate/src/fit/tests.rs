use super::*;
use crate::models::{Model, Source};
use crate::run_estimate::estimate_setup;
use vramlint_memory::Arch;
use vramlint_memory::setup::{Attention, Checkpointing, Lora, Optimizer, Parallel, Reference, Scheme, Task};
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
    FitOptions { limit, keep: Vec::new(), max_slowdown: None, most: 5 }
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
            assert!(!subject.fits(&subject.estimate(&setup)), "{:?} without {left_out}", plan.changes);
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
    assert!(found.least.is_some_and(|least| least.peak > 1 << 20));
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
                && subject.fits(&subject.estimate(&setup))
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

/// How many random setups are searched exhaustively.
const SETUPS: u64 = 24;

/// Numbers that look random and are the same in every run (Knuth's MMIX generator).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn is_one_of(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }
}

fn random_setup(numbers: &mut Numbers) -> Setup {
    let world = [1, 1, 2, 8][numbers.below(4) as usize];
    let scheme = if world == 1 { Scheme::None } else { [Scheme::Ddp, Scheme::Zero2][numbers.below(2) as usize] };
    let lora = numbers.is_one_of(2).then(|| Lora { r: 16, ..Lora::default() });
    Setup {
        task: if numbers.is_one_of(4) { Task::Dpo } else { Task::CausalLm },
        reference: if numbers.is_one_of(4) { Reference::Copy } else { Reference::None },
        micro_batch: 1 << numbers.below(4),
        accumulation: 1 << numbers.below(3),
        sequence_length: [256, 512, 1024][numbers.below(3) as usize],
        checkpointing: if numbers.is_one_of(3) { Checkpointing::NonReentrant } else { Checkpointing::None },
        attention: if numbers.is_one_of(3) { Attention::Eager } else { Attention::Sdpa },
        optimizer: if numbers.is_one_of(2) { Optimizer::AdamWForeach } else { Optimizer::AdamWFused },
        evaluation_batch: numbers.is_one_of(4).then_some(8),
        parallel: Parallel { scheme, world, local: world, ..Parallel::default() },
        lora,
        ..Setup::default()
    }
}

#[test]
fn no_exhaustive_search_finds_a_better_plan() {
    for seed in 0..SETUPS {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let run = of(random_setup(&mut numbers), 20_000_000);
        let limit = run.estimate.high / 16 * (4 + numbers.below(12));
        // The exhaustive search multiplies with every length.
        let keep = vec!["sequence_length".to_owned()];
        let options = FitOptions { keep, ..options(limit) };
        let found = fit(&run, &options);
        assert!(found.plans.iter().all(|plan| plan.estimate.high <= limit), "seed {seed}");
        let best = found.plans.first().map(|plan| (plan.effect, plan.changes.len()));
        assert_eq!(best, exhaustive(&run, &options), "seed {seed}: {:?}", run.setup);
    }
}

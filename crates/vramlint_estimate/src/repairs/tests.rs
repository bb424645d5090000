use super::*;
use crate::capacity::Capacity;
use crate::models::{Model, Source};
use crate::run_estimate::estimate_setup;
use vramlint_base::message;
use vramlint_catalog::Dialect;
use vramlint_memory::Arch;
use vramlint_memory::setup::{Checkpointing, Generation, Optimizer, Scheme};
use vramlint_resolve::Target;

/// A setup on a GPU whose size is irrelevant unless a test sets it.
fn of(setup: Setup, capacity: u64) -> RunEstimate {
    let model = Model {
        id: "acme/one".into(),
        arch: Arch::from_parameters(1_000_000_000),
        source: Source::CommandLine,
        exact_parameters: None,
        dtype: None,
        prequantized: None,
    };
    let mut found = estimate_setup(model, setup, &Target { memory: Some(1 << 40), ..Target::default() });
    found.capacity = Some(Capacity { bytes: capacity, name: message!("a card", "显卡") });
    found
}

/// Every offered change, regardless of its gain.
fn offered(of: &RunEstimate) -> Vec<Change> {
    change::single_changes(of)
}

#[test]
fn divisors_are_whole_and_in_order() {
    assert_eq!(divisors(12), [1, 2, 3, 4, 6, 12]);
    assert_eq!(divisors(1), [1]);
    assert_eq!(divisors(7), [1, 7]);
    assert_eq!(divisors(1 << 40).last(), Some(&(1 << 40)));
}

#[test]
fn a_smaller_batch_keeps_the_effective_one() {
    let setup = Setup { micro_batch: 12, accumulation: 5, ..Setup::default() };
    for rows in divisors(12) {
        let mut smaller = setup.clone();
        Change::Batch { rows, accumulation: 5 * 12 / rows }.apply(&mut smaller);
        assert_eq!(smaller.micro_batch * smaller.accumulation, 60, "{rows}");
    }
    // Nothing fits a GPU without memory: the result is the smallest micro-batch.
    let repair = smaller_batch(&of(setup, 0)).expect("there are smaller ones");
    assert_eq!(repair.change, Change::Batch { rows: 1, accumulation: 60 });
    assert!(!repair.fits);
}

#[test]
fn a_larger_batch_divides_the_accumulation() {
    let setup = Setup { micro_batch: 2, accumulation: 6, ..Setup::default() };
    let repair = larger_batch(&of(setup.clone(), 1 << 50), 85).expect("the card is huge");
    assert_eq!(repair.change, Change::Batch { rows: 12, accumulation: 1 });
    assert_eq!(larger_batch(&of(setup, 1 << 20), 85), None);
    let whole = Setup { accumulation: 1, ..Setup::default() };
    assert_eq!(larger_batch(&of(whole, 1 << 50), 85), None);
}

#[test]
fn groups_of_completions_stay_whole() {
    let round = |sequences| Some(Generation { sequences, prompt: 8, completion: 8, vllm_share: None, sleep_mode: false });
    // Micro-batch 4, two steps per generation round whatever the accumulation: 8 completions on one rank are one group of 8.
    let setup = Setup {
        task: Task::Grpo,
        micro_batch: 4,
        accumulation: 1,
        sequence_length: 16,
        generation: round(8),
        ..Setup::default()
    };
    let mut grpo = of(setup, 1 << 50);
    grpo.num_generations = Some(8);
    assert_eq!(apply_change(&grpo, Change::Batch { rows: 2, accumulation: 2 }), None, "2 x 2 completions are no group of 8");
    // If the round follows the accumulation, every split keeps groups whole.
    grpo.setup.accumulation = 2;
    let repair = apply_change(&grpo, Change::Batch { rows: 1, accumulation: 8 }).expect("8 completions in a round");
    assert_eq!(repair.setup.generation.map(|round| round.sequences), Some(8));
}

#[test]
fn what_is_on_already_is_not_offered() {
    let plain = Setup { optimizer: Optimizer::AdamWForeach, ..Setup::default() };
    let open = offered(&of(plain.clone(), 0));
    assert!(open.contains(&Change::Checkpointing) && open.contains(&Change::Optimizer(Optimizer::AdamWFused)));
    assert!(!open.iter().any(|change| matches!(change, Change::Shard(_))), "one rank shares with nobody");
    let done = Setup { checkpointing: Checkpointing::Reentrant, head: vramlint_memory::setup::Head::Fused, ..plain.clone() };
    let less = offered(&of(done, 0));
    assert!(!less.contains(&Change::Checkpointing) && !less.iter().any(|change| matches!(change, Change::Loss(_))));
    let mut ranks = plain;
    ranks.parallel.scheme = Scheme::Ddp;
    ranks.parallel.world = 4;
    assert!(offered(&of(ranks, 0)).contains(&Change::Shard(Scheme::Zero2)));
}

#[test]
fn a_loss_is_offered_only_by_a_library_that_has_it() {
    let mut loop_of_its_own = of(Setup::default(), 0);
    loop_of_its_own.library = Some(Dialect::Plain);
    assert!(!offered(&loop_of_its_own).iter().any(|change| matches!(change, Change::Loss(_))));
    let mut trainer = of(Setup::default(), 0);
    trainer.library = Some(Dialect::HfTrainer);
    assert!(offered(&trainer).contains(&Change::Loss(vramlint_memory::setup::Head::Liger)));
}

#[test]
fn what_changes_the_training_comes_last_and_says_so() {
    let setup = Setup { micro_batch: 8, sequence_length: 2048, ..Setup::default() };
    let found = repairs(&of(setup, 1 << 50));
    let order: Vec<TrainingEffect> = found.iter().map(|repair| repair.effect).collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert_eq!(order, sorted);
    assert!(found.iter().all(|repair| repair.gained > 0 && repair.fits));
    assert_eq!(Change::Length(512).effect(&Setup::default()), TrainingEffect::Different);
    assert_eq!(Change::Optimizer(Optimizer::AdamW8bit).effect(&Setup::default()), TrainingEffect::NearlySame);
    assert_eq!(Change::Checkpointing.effect(&Setup::default()), TrainingEffect::Same);
}

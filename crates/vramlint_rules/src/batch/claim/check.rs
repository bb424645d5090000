//! A claim about the effective batch against the numbers: those of the runs, or those that are next to it.

use super::{BatchFactor, Claim};
use crate::batch::claim::extract::{LocatedClaim, lines_in_arms, speaks_of_batches};
use crate::batch::claim::factors;
use std::cell::OnceCell;
use std::ops::{Range, RangeInclusive};
use vramlint_base::{FileRange, Related, TextRange, message};
use vramlint_catalog::Concept;
use vramlint_resolve::local_values::{self, LocalValue};
use vramlint_resolve::{Feature, Origin, Project, Run, Setting, SourceFile};
use vramlint_syntax::data::NodeRef;

/// What a claim is compared with.
#[derive(Clone, Debug)]
pub(in crate::batch) struct Numbers<'a> {
    /// Rows per process.
    pub micro: i64,
    /// Micro-batches per step.
    pub steps: i64,
    /// Processes, where known.
    pub world: Option<i64>,
    /// Completions per prompt: people count prompts or completions.
    generations: Option<i64>,
    /// Where each is.
    pub related: Vec<Related>,
    /// The run that they are of; `None` for the values of a file that no run uses.
    pub run: Option<&'a Run>,
    /// Where the accumulation is, for a file that no run uses.
    pub steps_at: Option<FileRange>,
}

/// What the numbers say.
#[derive(Clone, Debug)]
pub(in crate::batch) enum Comparison<'a> {
    /// Nothing: they are not known, or it is not clear of what the claim speaks.
    Unknown,
    /// They bear the claim out, as far as they are known.
    Consistent(Numbers<'a>),
    /// They contradict it. `total` is theirs, with `world` processes.
    Differs { numbers: Numbers<'a>, world: i64, total: i64 },
    /// They contradict it whatever the number of processes.
    DiffersForAnyWorld(Numbers<'a>),
}

/// The claims of one file, and what they are compared with: found once, since a file may claim much.
pub(in crate::batch) struct ClaimsOfFile<'a> {
    project: &'a Project,
    file: &'a SourceFile,
    runs: Vec<&'a Run>,
    /// Where the claims start, in order.
    starts: Vec<u32>,
    arms: Vec<RangeInclusive<u32>>,
    values: OnceCell<Vec<LocalValue>>,
    numbers: Vec<OnceCell<Option<Numbers<'a>>>>,
}

impl<'a> ClaimsOfFile<'a> {
    /// What `claims` of a file are compared with.
    pub(in crate::batch) fn new(project: &'a Project, file: &'a SourceFile, claims: &[LocatedClaim]) -> Self {
        let mut runs: Vec<&Run> = project.runs_of(file.id).collect();
        if file.script().is_some() {
            runs.retain(|run| run.place.file == file.id);
            runs.sort_by_key(|run| run.place.range.start);
        }
        let mut starts: Vec<u32> = claims.iter().map(|other| other.claim.range.start).collect();
        starts.sort_unstable();
        let numbers = runs.iter().map(|_| OnceCell::new()).collect();
        Self { project, file, runs, starts, arms: lines_in_arms(file), values: OnceCell::new(), numbers }
    }

    /// Compares a claim with every run of its file; it is wrong only if it holds for none of them.
    pub(in crate::batch) fn compare(&self, claimed: &LocatedClaim) -> Comparison<'a> {
        let (file, at) = (self.file, claimed.claim.range.start);
        if claimed.prose || self.in_an_arm(at) {
            return Comparison::Unknown;
        }
        let runs = if file.script().is_some() { self.below(at) } else { 0..self.runs.len() };
        if runs.is_empty() {
            return if file.script().is_some() { Comparison::Unknown } else { self.compare_with_file(claimed) };
        }
        let mut first: Option<Comparison<'a>> = None;
        for number in runs {
            let numbers = if self.is_of(self.runs[number], claimed) { self.numbers(number) } else { None };
            let Some(numbers) = numbers else { return self.compare_with_file_if_runs_know_nothing(claimed) };
            match compare_numbers(&claimed.claim, numbers) {
                holds @ Comparison::Consistent(_) => return holds,
                differs => first = first.or(Some(differs)),
            }
        }
        first.unwrap_or(Comparison::Unknown)
    }

    fn in_an_arm(&self, at: u32) -> bool {
        let line = self.file.lines().line_of(at);
        let behind = self.arms.partition_point(|arm| *arm.start() <= line);
        behind.checked_sub(1).is_some_and(|number| self.arms[number].contains(&line))
    }

    /// A comment of a launch script is about the commands below it, up to the next comment that claims something.
    fn below(&self, at: u32) -> Range<usize> {
        let from = |at: u32| self.runs.partition_point(|run| run.place.range.start < at);
        let next = self.starts.get(self.starts.partition_point(|start| *start <= at));
        from(at)..next.map_or(self.runs.len(), |next| from(*next))
    }

    fn numbers(&self, number: usize) -> Option<Numbers<'a>> {
        self.numbers[number].get_or_init(|| numbers_of_run(self.project, self.runs[number])).clone()
    }

    fn values(&self) -> &[LocalValue] {
        self.values.get_or_init(|| local_values::local_values(self.project, self.file))
    }

    /// Whether a claim is about what this run uses: not about one of several alternatives that are in the file.
    fn is_of(&self, run: &Run, claimed: &LocatedClaim) -> bool {
        let file = self.file;
        if file.script().is_some() {
            return true;
        }
        let line = |at: u32| file.lines().line_of(at);
        let here = line(claimed.claim.range.start);
        let both = [Concept::MicroBatch, Concept::GradientAccumulationSteps];
        let settings = || both.iter().filter_map(|concept| run.settings.get(concept));
        let on_line =
            |place: Option<FileRange>| place.is_some_and(|place| place.file == file.id && line(place.range.start) == here);
        let code = TextRange::new(file.lines().line_start(here), claimed.claim.range.start).slice(&file.text);
        if claimed.trailing && speaks_of_batches(code) {
            // The line's own value takes part: as the winner, or beaten from another file.
            return settings().any(|setting| {
                let winner = setting.winning().and_then(|candidate| candidate.origin.place());
                on_line(winner)
                    || winner.is_some_and(|place| place.file != file.id)
                        && setting.candidates.iter().any(|candidate| on_line(candidate.origin.place()))
            });
        }
        let alone = both.iter().all(|concept| distinct(self.values(), *concept) < 2);
        let compare_with_file = |setting: &Setting| {
            let mut known: Vec<_> = setting
                .candidates
                .iter()
                .filter(|candidate| candidate.origin.place().is_some_and(|place| place.file == file.id))
                .filter_map(|candidate| candidate.known()?.as_int())
                .collect();
            known.sort_unstable();
            known.dedup();
            known.len()
        };
        alone && settings().all(|setting| compare_with_file(setting) < 2)
    }

    /// The file's own values, where the runs that use it know none at all.
    fn compare_with_file_if_runs_know_nothing(&self, claimed: &LocatedClaim) -> Comparison<'a> {
        let silent = |run: &Run| {
            [Concept::MicroBatch, Concept::GradientAccumulationSteps].iter().all(|concept| {
                run.settings.get(concept).is_none_or(|setting| {
                    setting
                        .candidates
                        .iter()
                        .all(|candidate| matches!(candidate.origin, Origin::Default { .. } | Origin::Assumed { .. }))
                })
            })
        };
        if self.project.runs_of(self.file.id).all(silent) { self.compare_with_file(claimed) } else { Comparison::Unknown }
    }

    /// The values next to a claim in a file that no run uses: a block of a document, a lone file.
    fn compare_with_file(&self, claimed: &LocatedClaim) -> Comparison<'a> {
        let values = self.values();
        let one = |concept: Concept| {
            let mut values = values.iter().filter(|value| value.concept == concept);
            let first = values.next()?;
            values.all(|other| other.number == first.number).then_some(first)
        };
        let (Some(micro), Some(steps)) = (one(Concept::MicroBatch), one(Concept::GradientAccumulationSteps)) else {
            return Comparison::Unknown;
        };
        let related = [micro, steps].map(|value| {
            let (name, number) = (value.concept.name(), value.number);
            Related { place: value.place, message: message!("{name} is {number}", "{name} 为 {number}") }
        });
        let numbers = Numbers {
            micro: micro.number,
            steps: steps.number,
            world: None,
            generations: one(Concept::NumGenerations).map(|value| value.number),
            related: related.into(),
            run: None,
            steps_at: Some(steps.place),
        };
        compare_numbers(&claimed.claim, numbers)
    }
}

/// The numbers of a run, where they are known and not only taken for want of better.
pub(in crate::batch) fn numbers_of_run<'a>(project: &Project, run: &'a Run) -> Option<Numbers<'a>> {
    let sure = |concept: Concept| {
        let candidate = run.settings.get(&concept)?.winning()?;
        let settled = candidate.condition.is_none() && !matches!(candidate.origin, Origin::Assumed { .. });
        settled.then(|| candidate.known()?.as_int()).flatten()
    };
    let written = |concept: Concept| {
        run.settings
            .get(&concept)
            .and_then(Setting::winning)
            .is_some_and(|winner| !matches!(winner.origin, Origin::Default { .. }))
    };
    if !written(Concept::MicroBatch) || splits_batches(project, run) {
        return None;
    }
    Some(Numbers {
        micro: sure(Concept::MicroBatch)?,
        steps: sure(Concept::GradientAccumulationSteps)?,
        world: sure(Concept::WorldSize).filter(|_| world_is_sure(project, run) && !shares_rows(project, run)),
        generations: run.int(Concept::NumGenerations),
        related: factors::factors(run),
        run: Some(run),
        steps_at: None,
    })
}

/// Whether the number of processes is known and says how many GPUs share a step: a default in a script (`${N:-8}`) is only a
/// default.
fn world_is_sure(project: &Project, run: &Run) -> bool {
    let assumed = run
        .settings
        .get(&Concept::NumProcesses)
        .and_then(Setting::winning)
        .is_some_and(|candidate| !candidate.assumptions.is_empty());
    !assumed && (!factors::may_spread(run) || factors::visible_gpus(project, run) == Some(1))
}

/// Whether the loader's batch is already that of all processes (accelerate 1.15.0 `accelerator.py:2188`, `split_batches`).
fn splits_batches(project: &Project, run: &Run) -> bool {
    run.code.as_ref().is_some_and(|code| project.any_has(&code.files, Feature::SplitBatchesMention))
}

/// Whether some processes may work on the same rows: tensor, context, sequence and pipeline parallelism.
fn shares_rows(project: &Project, run: &Run) -> bool {
    let mentions = |name: &str| {
        let name = name.to_lowercase().replace('-', "_");
        let own = !["vllm", "rollout", "infer", "sglang"].iter().any(|word| name.contains(word));
        own && (["tensor", "pipeline", "context", "sequence", "model", "ulysses"]
            .iter()
            .any(|kind| name.contains(&format!("{kind}_parallel")))
            || ["tp_size", "pp_size", "cp_size", "sp_size", "parallelism_config", "autotp_size", "tensor_parallel"]
                .iter()
                .any(|word| name.contains(word)))
    };
    let in_data = |file: &SourceFile| {
        file.data().is_some_and(|data| data.roots().flat_map(NodeRef::entries).any(|(key, _)| key.text().is_some_and(mentions)))
    };
    run.launch.as_ref().is_some_and(|launch| launch.options().iter().any(|option| mentions(&option.name)))
        || run.files.iter().any(|file| in_data(project.file(*file)))
}

fn distinct(values: &[LocalValue], concept: Concept) -> usize {
    let mut numbers: Vec<i64> = values.iter().filter(|value| value.concept == concept).map(|value| value.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.len()
}

fn compare_numbers<'a>(claim: &Claim, numbers: Numbers<'a>) -> Comparison<'a> {
    let Some(rows) = numbers.micro.checked_mul(numbers.steps).filter(|rows| *rows > 0) else { return Comparison::Unknown };
    if claim.per_gpu_too && claim.total == rows {
        return Comparison::Consistent(numbers);
    }
    let counts = |total: i64| {
        let generations = numbers.generations.filter(|n| *n > 0);
        claim.total == total
            || generations.is_some_and(|n| total.checked_mul(n) == Some(claim.total) || claim.total.checked_mul(n) == Some(total))
    };
    // A sentence that names its GPUs is about those, even where this run has others.
    let world = claim.setup.or(numbers.world).or_else(|| claim.gpus());
    if let Some(world) = world {
        let of = |world: i64| rows.checked_mul(world);
        let Some(total) = of(world) else { return Comparison::Unknown };
        let holds = counts(total) || numbers.world.and_then(of).is_some_and(counts);
        return if holds { Comparison::Consistent(numbers) } else { Comparison::Differs { numbers, world, total } };
    }
    let divides = |total: i64| total % rows == 0;
    let possible = divides(claim.total) || numbers.generations.is_some_and(|n| claim.total.checked_mul(n).is_some_and(divides));
    if possible && explains(claim, &numbers) { Comparison::Consistent(numbers) } else { Comparison::DiffersForAnyWorld(numbers) }
}

/// Whether written factors can be micro-batch, accumulation and some number of processes, one or two of them merged.
fn explains(claim: &Claim, numbers: &Numbers<'_>) -> bool {
    let values: Vec<i64> = claim.factors.iter().map(|factor| factor.value).collect();
    if values.len() < 2 {
        return true;
    }
    let labelled = |part: BatchFactor, number: i64| {
        let mut of = claim.factors.iter().filter(|factor| factor.part == Some(part)).map(|factor| factor.value);
        of.next().is_none_or(|first| first == number || of.next().is_some())
    };
    if !labelled(BatchFactor::Accumulation, numbers.steps) || !labelled(BatchFactor::Micro, numbers.micro) {
        return false;
    }
    let rows = numbers.micro * numbers.steps;
    (0..1u32 << values.len().min(8)).any(|set| {
        let product = |inside: bool| {
            let chosen = values.iter().enumerate().filter(|(i, _)| (set >> i & 1 == 1) == inside);
            chosen.fold(1i64, |product, (_, value)| product.saturating_mul(*value))
        };
        let (inside, outside) = (product(true), product(false));
        inside == rows
            || inside == numbers.steps && outside % numbers.micro == 0
            || inside == numbers.micro && outside % numbers.steps == 0
    })
}

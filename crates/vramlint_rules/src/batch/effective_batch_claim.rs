//! # effective-batch-claim
//!
//! A comment or document states an effective batch that the numbers contradict.
//!
//! ## Why it matters
//! The learning rate was chosen for the batch in the comment. When micro-batch, accumulation or the number of GPUs moved and
//! the comment did not, the run trains something else than people believe.
//!
//! ## Example
//! ```yaml file=config.yaml
//! model_name: mistralai/Mistral-7B-v0.1
//! learning_rate: 2.0e-5
//! batch_size: 3
//! gradient_accumulation_steps: 16   # effective batch = 64
//! ```
//!
//! ## Fine
//! ```yaml file=config.yaml
//! model_name: mistralai/Mistral-7B-v0.1
//! learning_rate: 2.0e-5
//! batch_size: 2
//! gradient_accumulation_steps: 4
//! # effective batch_size = 2 x 4 x 8 GPUs = 64
//! ```
//!
//! ## Fix
//! Unsafe: the accumulation that makes the claim true, or the number in the claim. We cannot know which one is meant.
//!
//! ## Sources
//! The arithmetic of each framework, as `vramlint runs` shows it.
//!
//! # 中文
//!
//! 注释或文档声明的有效 batch 与实际数值矛盾。
//!
//! ## 为什么重要
//! 学习率是按注释中的 batch 选的。微批大小、累积步数或 GPU 数量变了而注释没变，训练的就不是大家以为的那回事。
//!
//! ## 修复
//! 不安全：让声明成立的累积步数，或改正声明中的数字。我们无法得知哪一个才是本意。

use super::claim::{self, Claim};
use super::stated;
use crate::rule::Build;
use crate::{Context, Group, Rule, Sink, edit};
use vramlint_base::{Applicability, Finding, Fix, Place, Related, Severity, TextRange, message};
use vramlint_catalog::Concept;
use vramlint_resolve::{Project, Run, SourceFile, Syntax};
use vramlint_syntax::embedded;

pub(crate) static RULE: Rule = Rule {
    code: "VL201",
    name: "effective-batch-claim",
    group: Group::Batch,
    severity: Severity::Warning,
    since: "0.1.0",
    source: include_str!("effective_batch_claim.rs"),
    check: Some(check),
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in &cx.project.files {
        for (claim, at) in claims(file) {
            let place = |range: TextRange| Place::new(file.id, range.shifted(at));
            out.findings.extend(
                arithmetic(&claim, place(claim.range), place(claim.total_range))
                    .or_else(|| against(cx.project, file, &claim, at)),
            );
        }
    }
}

/// Every claim of a file, with the offset of its text: in comments, and in the prose of documents.
fn claims(file: &SourceFile) -> Vec<(Claim, u32)> {
    let texts: Vec<TextRange> = match &file.syntax {
        Syntax::Data(data) => data.comments.iter().map(|comment| comment.range).collect(),
        Syntax::Python(module) => module.comments.iter().map(|comment| comment.range).collect(),
        Syntax::Script(script) => script.comments.iter().map(|comment| comment.range).collect(),
        Syntax::Text if file.host.is_none() => embedded::prose(&file.text),
        Syntax::Text | Syntax::Unreadable => Vec::new(),
    };
    texts
        .into_iter()
        .flat_map(|range| claim::find(range.slice(&file.text)).into_iter().map(move |claim| (claim, range.start)))
        .collect()
}

/// A claim that is wrong by itself: `2 x 4 x 8 = 128`.
fn arithmetic(claim: &Claim, place: Place, total: Place) -> Option<Finding> {
    let product = claim.factors.iter().try_fold(1i64, |product, factor| product.checked_mul(*factor))?;
    if claim.factors.len() < 2 || product == claim.total {
        return None;
    }
    let factors = claim.factors.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ");
    let stated = claim.total;
    Some(
        RULE.finding(place, message!("{factors} is {product}, not {stated}", "{factors} 等于 {product}，而不是 {stated}"))
            .fix(correct(total, product)),
    )
}

fn correct(total: Place, actual: i64) -> Fix {
    Fix {
        title: message!("write {actual} in the claim", "把声明改为 {actual}"),
        applicability: Applicability::Unsafe,
        edits: vec![edit::replace(total, actual.to_string())],
    }
}

/// What the claim is compared with.
struct Numbers {
    micro: i64,
    steps: i64,
    world: Option<i64>,
    generations: Option<i64>,
    related: Vec<Related>,
}

fn against(project: &Project, file: &SourceFile, claim: &Claim, at: u32) -> Option<Finding> {
    // Prose describes runs of its own choice; only its arithmetic can be judged.
    if matches!(file.syntax, Syntax::Text) {
        return None;
    }
    let mut runs: Vec<&Run> = project.runs_of(file.id).collect();
    if file.script().is_some() {
        // A comment of a launch script speaks of the command below it.
        let below = runs
            .iter()
            .filter(|run| run.place.file == file.id && run.place.range.start >= at)
            .min_by_key(|run| run.place.range.start)
            .copied();
        runs = below.into_iter().collect();
    }
    let with_numbers: Vec<(&Run, Numbers)> = runs.iter().filter_map(|run| Some((*run, of_run(run)?))).collect();
    if with_numbers.is_empty() {
        let numbers = of_file(project, file)?;
        let actual = contradicted(claim, &numbers)?;
        return Some(finding(file, claim, at, &numbers, actual, None));
    }
    // With several runs the claim is wrong only if it holds for none of them.
    let verdicts: Vec<Option<Actual>> = with_numbers.iter().map(|(_, numbers)| contradicted(claim, numbers)).collect();
    let actual = verdicts.iter().all(Option::is_some).then(|| verdicts[0].clone())??;
    let (run, numbers) = &with_numbers[0];
    Some(finding(file, claim, at, numbers, actual, Some(run)))
}

fn of_run(run: &Run) -> Option<Numbers> {
    Some(Numbers {
        micro: run.int(Concept::MicroBatch)?,
        steps: run.int(Concept::GradientAccumulationSteps)?,
        world: run.int(Concept::WorldSize),
        generations: run.int(Concept::NumGenerations),
        related: stated::factors(run),
    })
}

/// The values beside a claim in a file that no run uses: a block of a document, a lone file.
fn of_file(project: &Project, file: &SourceFile) -> Option<Numbers> {
    let beside = vramlint_resolve::beside::values(project, file);
    let one = |concept: Concept| {
        let mut values = beside.iter().filter(|value| value.concept == concept);
        let first = values.next()?;
        values.all(|other| other.number == first.number).then_some(first)
    };
    let (micro, steps) = (one(Concept::MicroBatch)?, one(Concept::GradientAccumulationSteps)?);
    let related = [micro, steps].map(|value| {
        let (name, number) = (value.concept.name(), value.number);
        Related { place: value.place, message: message!("{name} is {number}", "{name} 为 {number}") }
    });
    Some(Numbers {
        micro: micro.number,
        steps: steps.number,
        world: None,
        generations: one(Concept::NumGenerations).map(|value| value.number),
        related: related.into(),
    })
}

/// What the numbers say instead.
#[derive(Clone, Debug)]
enum Actual {
    /// All factors are known.
    Total { formula: String, total: i64 },
    /// The processes are not known, and none would do.
    NoWorld { formula: String },
}

fn contradicted(claim: &Claim, numbers: &Numbers) -> Option<Actual> {
    let rows = numbers.micro.checked_mul(numbers.steps).filter(|rows| *rows > 0)?;
    let (micro, steps) = (numbers.micro, numbers.steps);
    if let Some(world) = numbers.world.or(claim.gpus) {
        let total = rows.checked_mul(world)?;
        // Under reinforcement learning people count prompts or completions.
        let other = numbers.generations.filter(|n| *n > 0).is_some_and(|n| claim.total == total * n || claim.total * n == total);
        let right = claim.total == total || other;
        return (!right).then(|| Actual::Total { formula: format!("{micro} x {steps} x {world}"), total });
    }
    let possible = claim.total % rows == 0 || numbers.generations.is_some_and(|n| n > 0 && (claim.total * n) % rows == 0);
    // Written factors must hold both numbers, whatever the third is.
    let mut rest = claim.factors.clone();
    let held = [micro, steps]
        .iter()
        .all(|n| *n == 1 || rest.iter().position(|factor| factor == n).map(|i| rest.swap_remove(i)).is_some());
    let explained = claim.factors.len() < 2 || held;
    (!possible || !explained).then(|| Actual::NoWorld { formula: format!("{micro} x {steps}") })
}

fn finding(file: &SourceFile, claim: &Claim, at: u32, numbers: &Numbers, actual: Actual, run: Option<&Run>) -> Finding {
    let place = Place::new(file.id, claim.range.shifted(at));
    let stated = claim.total;
    let mut fixes = Vec::new();
    let message = match actual {
        Actual::Total { formula, total } => {
            fixes.extend(run.and_then(|run| stated::restore(run, stated)));
            fixes.push(correct(Place::new(file.id, claim.total_range.shifted(at)), total));
            message!(
                "the text says an effective batch of {stated}, the numbers give {formula} = {total}",
                "文字声明有效 batch 为 {stated}，而数值给出 {formula} = {total}"
            )
        }
        Actual::NoWorld { formula } => message!(
            "the text says an effective batch of {stated}, the numbers give {formula} per GPU",
            "文字声明有效 batch 为 {stated}，而数值给出每张 GPU {formula}"
        ),
    };
    let mut finding = RULE.finding(place, message).help(message!(
        "effective batch = micro_batch x gradient_accumulation_steps x world_size",
        "有效 batch = micro_batch x gradient_accumulation_steps x world_size"
    ));
    finding.related.clone_from(&numbers.related);
    finding.fixes = fixes;
    if let Some(run) = run {
        finding = finding.run(&run.id);
    }
    finding
}

//! # effective-batch-claim
//!
//! A comment or document states an effective batch size that contradicts the settings.
//!
//! ## Why it matters
//! The learning rate was chosen for the batch size in the comment. If micro-batch size, accumulation or the number of GPUs
//! changed and the comment did not, the run does not train what its readers believe.
//!
//! ## Example
//! ```yaml file=config.yaml
//! model_name: mistralai/Mistral-7B-v0.1
//! learning_rate: 2.0e-5
//! batch_size: 3
//! gradient_accumulation_steps: 16   # effective batch = 64
//! ```
//!
//! ## Use instead
//! ```yaml file=config.yaml
//! model_name: mistralai/Mistral-7B-v0.1
//! learning_rate: 2.0e-5
//! batch_size: 2
//! gradient_accumulation_steps: 4
//! # effective batch_size = 2 x 4 x 8 GPUs = 64
//! ```
//!
//! ## Fix
//! Unsafe: sets the accumulation that makes the claim true, if there is one, or corrects the numbers in the claim. vramlint
//! cannot know which one is intended.
//!
//! ## What is read
//! `effective batch = 2 * 4 * 8 = 64`, `有效 batch：2×4×8=64`, `64 (4 x 16)`, `4 (per device) x 8 (accum) x 2 (GPUs) = 64` and
//! similar forms, in comments of YAML, Python and shell scripts. A comment in a script refers to the commands below it. If
//! several runs use a file, a claim is wrong only if it holds for none of them. If the number of GPUs is not known, a claim is
//! wrong only if no number of GPUs makes it true. In the prose of documents, only the arithmetic itself is checked.
//!
//! ## When it stays silent
//! Comments that compare, suppose, ask, recall or estimate (`was 384`, `if …`, `目标`, `~64`, `64 per GPU`, `64k tokens`),
//! commented-out settings (`# global_batch_size: 256`), claims in one branch of an `if` or next to one of several presets, and
//! docstrings. A claim that names another number of GPUs than the launch (`on 4 GPUs`) is compared with that number.
//!
//! ## Sources
//! The arithmetic of each framework, as `vramlint runs` shows it. The Trainers of transformers 5.23.0 use every visible GPU
//! when plain `python` starts them (`training_args.py`, `n_gpu`): the number of GPUs is then not known.
//!
//! # 中文
//!
//! 注释或文档中写的有效批大小与设置矛盾。
//!
//! ## 为什么重要
//! 学习率是按注释中的批大小选择的。微批大小、梯度累积步数或 GPU 数量改了而注释没改，实际训练的就与读者以为的不同。
//!
//! ## 修复
//! 不安全：若有合适的梯度累积步数，则改为该值使注释成立，或改正注释中的数字。vramlint 无法得知哪一个才是本意。
//!
//! ## 读取哪些写法
//! YAML、Python 与 shell 脚本注释中的 `effective batch = 2 * 4 * 8 = 64`、`有效 batch：2×4×8=64`、`64 (4 x 16)`、
//! `4 (per device) x 8 (accum) x 2 (GPUs) = 64` 等写法。脚本中的注释指其下方的命令。若多次运行共用一个文件，只有对所有运行都不
//! 成立才算错误。GPU 数量未知时，只有任何 GPU 数量都不能使其成立才算错误。文档正文只检查算式本身。
//!
//! ## 何时不报
//! 比较、假设、疑问、回顾或估计的注释（`was 384`、`if …`、`目标`、`~64`、`64 per GPU`、`64k tokens`），被注释掉的设置
//! （`# global_batch_size: 256`），`if` 某个分支内或多组预设之一旁边的注释，以及 docstring。注释若写明与启动不同的 GPU 数量
//! （`on 4 GPUs`），则按该数量比较。
//!
//! ## 来源
//! 各框架自己的算法，与 `vramlint runs` 显示的一致。transformers 5.23.0 的 Trainer 由 `python` 直接启动时会使用全部可见 GPU
//! （`training_args.py` 的 `n_gpu`），此时 GPU 数量视为未知。

use super::claim::{BatchFactor, Claim};
use crate::batch::claim::check::{ClaimsOfFile, Comparison, Numbers};
use crate::batch::claim::extract::{self, LocatedClaim};
use crate::batch::claim::factors;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Edit, FileRange, Finding, Fix, Message, Severity, TextRange, message};
use vramlint_edit as edit;
use vramlint_resolve::SourceFile;

pub(crate) static RULE: Rule = Rule {
    needs: needs::BATCH,
    symptoms: &[Symptom::OtherBatch],
    ..Rule::new("VL201", "effective-batch-claim", Severity::Warning, page!("effective_batch_claim.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in &cx.project.files {
        let claims = extract::claims(file);
        if claims.is_empty() {
            continue;
        }
        let numbers = ClaimsOfFile::new(cx.project, file, &claims);
        for claimed in claims {
            let verdict = numbers.compare(&claimed);
            out.findings.extend(arithmetic(file, &claimed.claim, &verdict).or_else(|| contradiction(file, &claimed, &verdict)));
        }
    }
}

/// A claim that is wrong by itself: `2 x 4 x 8 = 128`.
fn arithmetic(file: &SourceFile, claim: &Claim, verdict: &Comparison<'_>) -> Option<Finding> {
    let product = claim.factors.iter().try_fold(1i64, |product, factor| product.checked_mul(factor.value))?;
    if claim.factors.len() < 2 || claim.implied || product == claim.total {
        return None;
    }
    let factors = claim.factors.iter().map(|factor| factor.value.to_string()).collect::<Vec<_>>().join(" × ");
    let stated = claim.total;
    let mut finding = RULE.finding(
        FileRange::new(file.id, claim.range),
        message!(
            "{factors} = {stated} is wrong: {factors} is {product}",
            "{factors} = {stated} 不成立：{factors} 等于 {product}"
        ),
    );
    // Which number is wrong is known only from the run: the total where the factors hold, the factors where the total does.
    let fix = match verdict {
        Comparison::Unknown => Some(correct(file, claim, product)),
        Comparison::Consistent(numbers) => numbers.world.and_then(|world| rewrite(file, claim, numbers, world)),
        Comparison::Differs { total, .. } if *total == product => Some(correct(file, claim, product)),
        Comparison::Differs { numbers, world, .. } => rewrite(file, claim, numbers, *world),
        Comparison::DiffersForAnyWorld(_) => None,
    };
    finding.fixes.extend(fix);
    Some(finding)
}

/// A claim that the numbers of its run, or those next to it, contradict.
fn contradiction(file: &SourceFile, claimed: &LocatedClaim, verdict: &Comparison<'_>) -> Option<Finding> {
    let (claim, stated) = (&claimed.claim, claimed.claim.total);
    let (numbers, message, fixes) = match verdict {
        Comparison::Unknown | Comparison::Consistent(_) => return None,
        Comparison::Differs { numbers, world, total } => {
            let mut fixes = Vec::new();
            fixes.extend(restore(file, claim, numbers, *world));
            fixes.extend(rewrite(file, claim, numbers, *world));
            fixes.extend(numbers.run.into_iter().flat_map(|run| factors::rescaled(run, claim.total, *total)));
            (numbers, differs(numbers, *world, *total, stated), fixes)
        }
        Comparison::DiffersForAnyWorld(numbers) => (numbers, differs_always(claim, numbers), Vec::new()),
    };
    let mut finding = RULE
        .finding(FileRange::new(file.id, claim.range), message)
        .with_help(message!("update the comment, or restore the setting that changed", "修改注释，或恢复变动过的设置"));
    finding.related.clone_from(&numbers.related);
    finding.fixes = fixes;
    Some(match numbers.run {
        Some(run) => finding.with_run(&run.id),
        None => finding,
    })
}

fn differs(numbers: &Numbers<'_>, world: i64, total: i64, stated: i64) -> Message {
    let formula = format!("{} × {} × {world}", numbers.micro, numbers.steps);
    if world > 1 && numbers.micro * numbers.steps == stated {
        return message!(
            "comment says the effective batch size is {stated}, but that is per process; with {world} processes it is {formula} = {total}",
            "注释中的有效批大小 {stated} 只是单个进程的大小；{world} 个进程时为 {formula} = {total}"
        );
    }
    message!(
        "comment says the effective batch size is {stated}, but {formula} = {total} (micro-batch × accumulation × world size)",
        "注释中的有效批大小为 {stated}，但 {formula} = {total}（微批大小 × 梯度累积步数 × 进程数）"
    )
}

fn differs_always(claim: &Claim, numbers: &Numbers<'_>) -> Message {
    let (stated, rows) = (claim.total, numbers.micro * numbers.steps);
    let formula = format!("{} × {}", numbers.micro, numbers.steps);
    if stated % rows != 0 {
        return message!(
            "comment says the effective batch size is {stated}, not a multiple of {formula} = {rows} (micro-batch × accumulation)",
            "注释中的有效批大小为 {stated}，不是 {formula} = {rows}（微批大小 × 梯度累积步数）的倍数"
        );
    }
    let factors = claim.factors.iter().map(|factor| factor.value.to_string()).collect::<Vec<_>>().join(" × ");
    message!(
        "comment says {factors} = {stated}, but micro-batch × accumulation is {formula}",
        "注释写的是 {factors} = {stated}，但微批大小 × 梯度累积步数为 {formula}"
    )
}

/// The accumulation that makes the claim true.
fn restore(file: &SourceFile, claim: &Claim, numbers: &Numbers<'_>, world: i64) -> Option<Fix> {
    match (numbers.run, numbers.steps_at) {
        (Some(run), _) if numbers.world == Some(world) => factors::restore(run, claim.total),
        (None, Some(place)) if place.file == file.id => {
            let written = place.range.slice(&file.text).parse() == Ok(numbers.steps);
            written.then(|| factors::accumulation(place, numbers.micro, world, claim.total)).flatten()
        }
        _ => None,
    }
}

/// Another total in the text.
fn correct(file: &SourceFile, claim: &Claim, total: i64) -> Fix {
    Fix {
        title: message!("change the total to {total}", "把总数改为 {total}"),
        applicability: Applicability::Unsafe,
        edits: vec![edit::replace(FileRange::new(file.id, claim.total_range), total.to_string())],
    }
}

/// The claim with the actual numbers: its total, and the factors that are wrong, where it is clear what each stands for.
fn rewrite(file: &SourceFile, claim: &Claim, numbers: &Numbers<'_>, world: i64) -> Option<Fix> {
    let total = numbers.micro.checked_mul(numbers.steps)?.checked_mul(world)?;
    if claim.factors.is_empty() {
        return Some(correct(file, claim, total));
    }
    let replace = |range: TextRange, number: i64| edit::replace(FileRange::new(file.id, range), number.to_string());
    let mut edits: Vec<Edit> = Vec::new();
    for (index, number) in assigned(claim, numbers, world)? {
        let factor = &claim.factors[index];
        if factor.value != number {
            edits.push(replace(factor.range, number));
        }
    }
    if !claim.implied && claim.total != total {
        edits.push(replace(claim.total_range, total));
    }
    edits.sort_by_key(|edit| edit.place.range);
    let formula = format!("{} × {} × {world} = {total}", numbers.micro, numbers.steps);
    (!edits.is_empty()).then(|| Fix {
        title: message!("change the numbers to {formula}", "把数值改为 {formula}"),
        applicability: Applicability::Unsafe,
        edits,
    })
}

/// Which number each of three factors ought to be: by label, by value, and the last one by what is left.
fn assigned(claim: &Claim, numbers: &Numbers<'_>, world: i64) -> Option<Vec<(usize, i64)>> {
    let mut left =
        vec![(BatchFactor::Micro, numbers.micro), (BatchFactor::Accumulation, numbers.steps), (BatchFactor::World, world)];
    if claim.factors.len() != left.len() {
        return None;
    }
    let mut found = Vec::new();
    let mut take = |index: usize, left: &mut Vec<(BatchFactor, i64)>, at: Option<usize>| {
        let Some(at) = at else { return false };
        found.push((index, left.remove(at).1));
        true
    };
    let mut open: Vec<usize> = (0..claim.factors.len()).collect();
    open.retain(|index| {
        let at = left.iter().position(|(part, _)| claim.factors[*index].part == Some(*part));
        !take(*index, &mut left, at)
    });
    open.retain(|index| {
        let at = left.iter().position(|(_, number)| claim.factors[*index].value == *number);
        !take(*index, &mut left, at)
    });
    match (open.as_slice(), left.as_slice()) {
        ([], []) => {}
        ([index], [(_, number)]) if claim.factors[*index].part.is_none() => found.push((*index, *number)),
        _ => return None,
    }
    Some(found)
}

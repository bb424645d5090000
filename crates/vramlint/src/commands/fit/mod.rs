//! `vramlint fit`.

mod edits;
mod subjects;

use crate::cli::{FitArgs, RunsFormat};
use crate::exit::{Status, user_error, write_error};
use crate::output::fit_json;
use crate::output::styler::styler;
use crate::stdio::print_stdout;
use anyhow::Result;
use std::path::Path;
pub(crate) use subjects::{Subject, Subjects, project_subjects};
use vramlint_base::{Message, message};
use vramlint_estimate::fit::{Ceiling, FitOptions, Fitting, ceiling, fit};
use vramlint_project::FixedFile;
use vramlint_project::fix::{unified_diff, write_all};
use vramlint_view::fit as view;

/// Maximum number of plans of a run.
const PLANS: usize = 5;

/// A plan with its edits.
pub(crate) struct EditedPlan {
    pub(crate) plan: vramlint_estimate::Plan,
    /// The files that it changes; empty if no file sets the values, or if not every edit is known.
    pub(crate) files: Vec<FixedFile>,
    /// The edits of these files.
    pub(crate) edits: Vec<fit_json::FileEdit>,
}

/// The answer for one run.
pub(crate) struct Answer {
    pub(crate) subject: Subject,
    pub(crate) options: FitOptions,
    pub(crate) fitting: Fitting,
    pub(crate) plans: Vec<EditedPlan>,
    pub(crate) ceiling: Option<(&'static str, Option<Ceiling>)>,
}

/// Searches plans for the setup or the runs, and prints or applies them.
pub(crate) fn run(args: &FitArgs) -> Result<Status> {
    let subjects = subjects::subjects(args)?;
    if subjects.known.is_empty() {
        return Err(nothing(&subjects));
    }
    let lang = subjects.lang;
    let answers: Vec<Answer> =
        subjects.known.iter().map(|subject| answer(args, &subjects, subject.clone())).collect::<Result<_>>()?;
    if args.apply {
        return apply(args, &answers);
    }
    let color = args.common.color.resolve(false);
    let text = match args.output_format {
        RunsFormat::Json => fit_json::render(&answers, &subjects.without, lang),
        RunsFormat::Text => {
            let look = view::Look { lang, styler: styler(color), explain: args.explain || args.common.verbose };
            let blocks: Vec<view::Block<'_>> = answers.iter().map(block).collect();
            view::text(&blocks, &subjects.without, &look)
        }
    };
    print_stdout(&text, color)?;
    let all_answered = answers.iter().all(|answer| match &answer.ceiling {
        Some((_, ceiling)) => ceiling.is_some(),
        None => answer.fitting.fits || !answer.plans.is_empty(),
    });
    Ok(if all_answered { Status::Clean } else { Status::Findings })
}

impl Answer {
    /// The plans, each with the setup that it changes.
    pub(crate) fn shown_plans(&self) -> impl Iterator<Item = (&vramlint_estimate::Plan, &vramlint_memory::Setup)> {
        self.plans.iter().map(|own| (&own.plan, &self.subject.run.setup))
    }
}

/// The plans for a run on a GPU of `limit` bytes.
pub(crate) fn answer_within(subjects: &Subjects, subject: &Subject, limit: u64) -> Answer {
    let options = FitOptions { limit, keep: Vec::new(), max_slowdown: None, speeds: None, most: PLANS };
    answer_with(subjects, subject.clone(), options)
}

fn answer_with(subjects: &Subjects, subject: Subject, options: FitOptions) -> Answer {
    let fitting = fit(&subject.run, &options);
    let plans = fitting.plans.iter().map(|plan| edits::with_edits(subjects, &subject, plan.clone())).collect();
    Answer { ceiling: None, plans, subject, options, fitting }
}

fn block(answer: &Answer) -> view::Block<'_> {
    let edited = |plan: &EditedPlan| view::Edited { files: plan.files.iter().map(|file| file.shown.clone()).collect() };
    view::Block {
        report: answer.subject.report(),
        limit: answer.options.limit,
        fitting: &answer.fitting,
        plans: answer.plans.iter().map(|plan| (answer.subject.report_of(&plan.plan), &plan.plan, edited(plan))).collect(),
        ceiling: answer.ceiling.as_ref().map(|(setting, ceiling)| (*setting, ceiling.as_ref())),
    }
}

fn answer(args: &FitArgs, subjects: &Subjects, subject: Subject) -> Result<Answer> {
    let Some(capacity) = &subject.run.capacity else {
        return Err(user_error(message!(
            "specify the GPU with --gpu or --gpu-memory, or in `[target]` of vramlint.toml",
            "请用 --gpu 或 --gpu-memory，或在 vramlint.toml 的 `[target]` 中指明 GPU"
        )));
    };
    let limit = capacity.bytes / 100 * (100 - args.headroom);
    let options = FitOptions {
        limit: if args.headroom == 0 { capacity.bytes } else { limit },
        keep: args.keep.iter().map(|name| canonical(name)).collect(),
        max_slowdown: args.max_slowdown,
        speeds: None,
        most: PLANS,
    };
    if let Some(largest) = args.max {
        let found = ceiling(&subject.run, &options, largest.dimension());
        let fitting = Fitting { fits: found.is_some(), plans: Vec::new(), least: None };
        return Ok(Answer { ceiling: Some((largest.setting(), found)), plans: Vec::new(), subject, options, fitting });
    }
    Ok(answer_with(subjects, subject, options))
}

/// The name of a setting in `vramlint runs`.
fn canonical(name: &str) -> String {
    match name.trim() {
        "seq" => "sequence_length".to_owned(),
        "rank" => "lora_r".to_owned(),
        "accum" => "gradient_accumulation_steps".to_owned(),
        "checkpointing" => "gradient_checkpointing".to_owned(),
        "quant" => "quantization".to_owned(),
        "sharding" => "parallel".to_owned(),
        "loss" => "head".to_owned(),
        other => other.replace('-', "_"),
    }
}

/// `--apply`: prints the diff of one plan and writes its files, all or none.
fn apply(args: &FitArgs, answers: &[Answer]) -> Result<Status> {
    let [answer] = answers else {
        let names = answers.iter().map(|answer| answer.subject.id.as_str()).collect::<Vec<_>>().join(", ");
        return Err(user_error(message!(
            "--apply changes one run; choose it with --run: {names}",
            "--apply 只修改一个训练任务；请用 --run 指定：{names}"
        )));
    };
    let number = args.plan as usize;
    let Some(plan) = answer.plans.get(number - 1) else {
        let count = answer.plans.len();
        return Err(user_error(message!(
            "there is no plan {number}: {count} were found",
            "没有第 {number} 个方案：共找到 {count} 个"
        )));
    };
    if plan.files.is_empty() {
        return Err(user_error(message!(
            "plan {number} cannot be written into the files: not every value that it changes is a plain value in a file",
            "无法把方案 {number} 写入文件：它改动的值并非都以普通值写在文件里"
        )));
    }
    print_stdout(&plan.files.iter().map(unified_diff).collect::<String>(), false)?;
    write_all(&plan.files).map_err(|(shown, error)| write_error(Path::new(&shown), &error))?;
    Ok(Status::Clean)
}

/// Why there is nothing to fit.
fn nothing(subjects: &Subjects) -> anyhow::Error {
    match subjects.without.first() {
        Some((id, Message { en, zh })) => user_error(message!("{id}: {en}", "{id}：{zh}")),
        None => user_error(message!("no training run found", "未找到训练任务")),
    }
}

//! `vramlint fit`.

use crate::cli::{FitArgs, Largest, RunsFormat};
use crate::estimated_runs::{self, EstimatedRun, EstimatedRuns};
use crate::exit::{Status, user_error, write_error};
use crate::gpu_list;
use crate::output::fit_json;
use crate::output::styler::styler;
use crate::plans::{EditedPlan, MOST_PLANS, RunPlans};
use crate::stdio::print_stdout;
use anyhow::Result;
use rayon::prelude::*;
use std::path::Path;
use vramlint_base::{Message, message};
use vramlint_estimate::Machine;
use vramlint_estimate::fit::{FitOptions, ceiling};
use vramlint_project::STACK_SIZE;
use vramlint_project::fix::{unified_diff, write_all};
use vramlint_view::ceilings::{CeilingTable, ceiling_tables};
use vramlint_view::fit as view;

/// Searches plans for the setup or the runs, and prints or applies them.
pub(crate) fn run(args: &FitArgs) -> Result<Status> {
    let runs = estimated_runs::of_arguments(&args.common, &args.paths, args.run.as_deref(), &args.flags)?;
    if runs.known.is_empty() {
        return Err(nothing(&runs));
    }
    let lang = runs.lang;
    if let (Some(list), Some(largest)) = (&args.gpus_table, args.max) {
        return ceilings(args, &runs, list, largest);
    }
    let answers = answers(args, &runs)?;
    if args.apply {
        return apply(args, &answers);
    }
    let color = args.common.color.resolve(false);
    let text = match args.output_format {
        RunsFormat::Json => fit_json::render(&answers, &runs.without, lang, args.measured),
        RunsFormat::Text => {
            let explain = args.explain || args.common.verbose;
            let look = view::Look { lang, styler: styler(color), explain, measured: args.measured };
            let blocks: Vec<view::Block<'_>> = answers.iter().map(block).collect();
            view::text(&blocks, &runs.without, &look)
        }
    };
    print_stdout(&text, color)?;
    let all_answered = answers.iter().all(|answer| match &answer.ceiling {
        Some((_, ceiling)) => ceiling.is_some(),
        None => answer.fitting.fits || !answer.plans.is_empty(),
    });
    Ok(if all_answered { Status::Clean } else { Status::Findings })
}

fn block(answer: &RunPlans) -> view::Block<'_> {
    let edited = |plan: &EditedPlan| view::Edited {
        files: plan.files.iter().map(|file| file.shown.clone()).collect(),
        by_hand: plan.by_hand.clone(),
    };
    view::Block {
        report: answer.run.report(),
        limit: answer.options.limit,
        fitting: &answer.fitting,
        plans: answer.plans.iter().map(|plan| (answer.run.report_of(&plan.plan), &plan.plan, edited(plan))).collect(),
        ceiling: answer.ceiling.as_ref().map(|(setting, ceiling)| (*setting, ceiling.as_ref())),
    }
}

/// The plans of every run, in parallel: searches simulate, and edited projects are read again.
fn answers(args: &FitArgs, runs: &EstimatedRuns) -> Result<Vec<RunPlans>> {
    let of_run = |run: &EstimatedRun| plans_of(args, runs, run.clone());
    match rayon::ThreadPoolBuilder::new().num_threads(args.common.jobs).stack_size(STACK_SIZE).build() {
        Ok(pool) => pool.install(|| runs.known.par_iter().map(of_run).collect()),
        // Without threads, one after the other.
        Err(_) => runs.known.iter().map(of_run).collect(),
    }
}

fn plans_of(args: &FitArgs, runs: &EstimatedRuns, run: EstimatedRun) -> Result<RunPlans> {
    let Some(capacity) = &run.estimated.capacity else {
        return Err(user_error(message!(
            "specify the GPU with --gpu or --gpu-memory, or in `[target]` of vramlint.toml",
            "请用 --gpu 或 --gpu-memory，或在 vramlint.toml 的 `[target]` 中指明 GPU"
        )));
    };
    let options = options(args, capacity.bytes);
    if let Some(largest) = args.max {
        return Ok(RunPlans::largest(run, options, largest.dimension(), largest.setting()));
    }
    Ok(RunPlans::search(runs, run, options))
}

/// `--max SETTING --gpus-table`: the largest values on several machines.
fn ceilings(args: &FitArgs, runs: &EstimatedRuns, list: &[String], largest: Largest) -> Result<Status> {
    let machines = gpu_list::machines(list)?;
    let on = |run: &EstimatedRun, machine: &Machine| {
        let moved = run.estimated.moved_to(machine)?;
        ceiling(&moved, &options(args, machine.bytes), largest.dimension())
    };
    let table = |run: &EstimatedRun| CeilingTable {
        name: run.report().name(),
        setting: largest.setting(),
        rows: machines.iter().map(|machine| (machine.clone(), on(run, machine))).collect(),
    };
    let tables: Vec<CeilingTable> = runs.known.iter().map(table).collect();
    let color = args.common.color.resolve(false);
    let text = match args.output_format {
        RunsFormat::Json => fit_json::ceilings(&tables),
        RunsFormat::Text => ceiling_tables(&tables, runs.lang, styler(color)),
    };
    print_stdout(&text, color)?;
    let found = tables.iter().all(|table| table.rows.iter().any(|(_, ceiling)| ceiling.is_some()));
    Ok(if found { Status::Clean } else { Status::Findings })
}

/// What plans must respect on a GPU of `bytes`.
fn options(args: &FitArgs, bytes: u64) -> FitOptions {
    FitOptions {
        limit: if args.headroom == 0 { bytes } else { bytes / 100 * (100 - args.headroom) },
        keep: args.keep.iter().map(|name| canonical(name)).collect(),
        max_slowdown: args.max_slowdown,
        most: MOST_PLANS,
    }
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
fn apply(args: &FitArgs, answers: &[RunPlans]) -> Result<Status> {
    let [answer] = answers else {
        let names = answers.iter().map(|answer| answer.run.id.as_str()).collect::<Vec<_>>().join(", ");
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
    if !plan.by_hand.is_empty() {
        let titles = plan.plan.titles(&answer.run.estimated.setup);
        let by_hand: Vec<&Message> = plan.by_hand.iter().filter_map(|place| titles.get(*place)).collect();
        let en = by_hand.iter().map(|title| title.en.as_str()).collect::<Vec<_>>().join("; ");
        let zh = by_hand.iter().map(|title| title.zh.as_str()).collect::<Vec<_>>().join("；");
        return Err(user_error(message!(
            "plan {number} cannot be written into the files; no edit makes this change: {en}",
            "无法把方案 {number} 写入文件；以下改动需手动完成：{zh}"
        )));
    }
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
fn nothing(runs: &EstimatedRuns) -> anyhow::Error {
    match runs.without.first() {
        Some((id, Message { en, zh })) => user_error(message!("{id}: {en}", "{id}：{zh}")),
        None => user_error(message!("no training run found", "未找到训练任务")),
    }
}

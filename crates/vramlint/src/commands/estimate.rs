//! `vramlint estimate`.

use crate::cli::{EstimateArgs, EstimateFormat};
use crate::exit::{Status, user_error, write_error};
use crate::language;
use crate::output::estimate as output;
use crate::output::styler::styler;
use crate::progress::Progress;
use crate::request;
use crate::setup_flags::{self, gpu, model};
use crate::stdio::{print_stdout, write_named, write_stdout};
use anyhow::Result;
use std::path::{Path, PathBuf};
use vramlint_base::{Lang, Message, message};
use vramlint_estimate::{Model, record};
use vramlint_project::{MAX_READ, Request, check, governing, read_file, read_stream};
use vramlint_resolve::Target;
use vramlint_view::estimate::{self as view, EstimateInput, EstimateReport, RenderOptions, run_inputs};

/// The estimates, and the runs without one.
struct Estimates {
    answers: Vec<EstimateReport>,
    without: Vec<(String, Message)>,
    lang: Lang,
}

/// Estimates the setup or the runs, and prints the result.
pub(crate) fn run(args: &EstimateArgs) -> Result<Status> {
    if let Some(list) = &args.gpus_table {
        return super::gpus_table::run(args, list);
    }
    let has_model_flag = args.paths.is_empty() && (args.flags.model.is_some() || args.flags.params.is_some());
    let format = args.output_format.unwrap_or(if args.setup.is_some() { EstimateFormat::Jsonl } else { EstimateFormat::Text });
    let timelines = format != EstimateFormat::Text;
    let found = match &args.setup {
        Some(file) => estimate_file(args, file, timelines)?,
        None if has_model_flag => estimate_flags(args, timelines)?,
        None => estimate_project(args, timelines)?,
    };
    let color = args.common.color.resolve(args.output_file.is_some());
    let look = RenderOptions { lang: found.lang, styler: styler(color), explain: args.explain || args.common.verbose };
    let (answers, without) = (&found.answers, &found.without);
    let text = match format {
        EstimateFormat::Snapshot => {
            let only = require_one(answers, without, look.lang)?;
            let bytes = output::snapshot(&only.input).ok_or_else(|| {
                user_error(message!(
                    "steps of Megatron-Core are computed, not simulated: there are no allocations to show",
                    "Megatron-Core 的训练步由公式计算而非模拟：没有可显示的分配"
                ))
            })?;
            return write_bytes(args, &bytes);
        }
        EstimateFormat::ChromeTrace => output::chrome_trace(require_one(answers, without, look.lang)?),
        EstimateFormat::Text => view::text(answers, without, look),
        EstimateFormat::Json if args.setup.is_none() => output::json(answers, without, look.lang),
        EstimateFormat::Json | EstimateFormat::Jsonl => output::jsonl(answers, without, look.lang),
        EstimateFormat::Html => view::html(require_any(answers, without, look.lang)?, without, look.lang),
        EstimateFormat::Svg => view::svg(require_one(answers, without, look.lang)?, look.lang),
    };
    match &args.output_file {
        Some(path) => write_named(path, text.as_bytes()).map_err(|error| write_error(path, &error))?,
        None => print_stdout(&text, color)?,
    }
    Ok(Status::Clean)
}

/// Simulates a setup, with its timeline if the output shows it.
fn simulate(input: EstimateInput, timelines: bool) -> EstimateReport {
    if timelines { EstimateReport::with_timeline(input) } else { EstimateReport::new(input) }
}

fn write_bytes(args: &EstimateArgs, bytes: &[u8]) -> Result<Status> {
    match &args.output_file {
        Some(path) => write_named(path, bytes).map_err(|error| write_error(path, &error))?,
        None => write_stdout(bytes)?,
    }
    Ok(Status::Clean)
}

/// Estimates the setups in a file.
fn estimate_file(args: &EstimateArgs, file: &Path, timelines: bool) -> Result<Estimates> {
    if let Some(flag) = args.flags.first_flag() {
        return Err(user_error(message!(
            "{flag} cannot be used with --setup: the file describes the training",
            "{flag} 不能与 --setup 一起使用：训练配置由文件给出"
        )));
    }
    let shown = if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() };
    let bytes = if file == Path::new("-") { read_stream(std::io::stdin().lock(), MAX_READ) } else { read_file(file, MAX_READ) };
    let bytes = bytes.map_err(|error| user_error(message!("cannot read {shown}: {error}", "无法读取 {shown}：{error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| user_error(message!("{shown} is not UTF-8", "{shown} 不是 UTF-8 编码")))?;
    let (config, target) = governing(&request::build(&args.common, &[])?)?;
    let in_file = |why: Message| {
        let (en, zh) = (why.en, why.zh);
        message!("{shown}: {en}", "{shown}：{zh}")
    };
    let records = record::parse_each(&text, &model::declared_models(&config)).map_err(|why| user_error(in_file(why)))?;
    let mut without = Vec::new();
    let mut readable = Vec::new();
    for record in records {
        match record {
            Ok(record) => readable.push(record),
            Err(error) => {
                let id = error.id.as_str().map_or_else(|| error.id.to_string(), str::to_owned);
                without.push((id, in_file(error.why)));
            }
        }
    }
    // Where nothing can be read, the file is the mistake.
    if let (true, Some((_, why))) = (readable.is_empty(), without.first()) {
        return Err(user_error(why.clone()));
    }
    let capacity = gpu::from_target(&target)?.map(|(capacity, _)| capacity);
    let answers = readable.into_iter().map(|record| {
        let (task, mut setup) = (record.setup.task.name(), record.setup);
        setup.capability = setup.capability.or_else(|| capacity.as_ref().and_then(|capacity| capacity.capability));
        let input = EstimateInput {
            id: record.id,
            model: record.model,
            task,
            num_generations: None,
            arch: record.arch,
            setup,
            known: None,
            floor: None,
            lightest: None,
            gpu: capacity.clone(),
            host: target.host_memory,
            assumptions: record.assumptions,
            unused: record.unused,
        };
        simulate(input, timelines)
    });
    Ok(Estimates { answers: answers.collect(), without, lang: language::resolve(args.common.lang, config.lang) })
}

/// Estimates the setup that the flags describe.
fn estimate_flags(args: &EstimateArgs, timelines: bool) -> Result<Estimates> {
    if args.run.is_some() {
        return Err(user_error(message!(
            "--run needs a path: flags alone describe no runs",
            "--run 需要与路径一起使用：仅有选项时没有训练任务"
        )));
    }
    let request = request::build(&args.common, &[])?;
    let (config, target) = governing(&request)?;
    let Some(model) = model::from_flags(&args.flags, &model::declared_models(&config), &request)? else {
        return Err(user_error(message!(
            "specify the model with --model or --params",
            "请用 --model 或 --params 指明要训练的模型"
        )));
    };
    let mut input = setup_flags::to_input(&args.flags, model, &target)?;
    assign_gpu(&mut input, &target)?;
    Ok(Estimates {
        answers: vec![simulate(input, timelines)],
        without: Vec::new(),
        lang: language::resolve(args.common.lang, config.lang),
    })
}

/// Estimates the runs of a project, with the flags as overrides.
fn estimate_project(args: &EstimateArgs, timelines: bool) -> Result<Estimates> {
    let paths = if args.paths.is_empty() { vec![PathBuf::from(".")] } else { args.paths.clone() };
    let request = Request { timelines, ..request::build(&args.common, &paths)? };
    let progress = Progress::new(args.common.quiet);
    let report = check(&request, &|done, all| progress.update(done, all))?;
    progress.clear();
    let (config, target) = governing(&request)?;
    let named = model::from_flags(&args.flags, &model::declared_models(&config), &request)?;
    let mut found =
        Estimates { answers: Vec::new(), without: Vec::new(), lang: language::resolve(args.common.lang, report.lang) };
    let wanted = |id: &str| args.run.as_ref().is_none_or(|only| only == id);
    let runs: Vec<_> = run_inputs(&report, found.lang).into_iter().filter(|(id, _)| wanted(id)).collect();
    if let (Some(id), true) = (&args.run, runs.is_empty()) {
        return Err(user_error(message!(
            "unknown run `{id}`; `vramlint runs` lists the runs",
            "未知的训练任务 `{id}`；`vramlint runs` 可查看全部"
        )));
    }
    for (id, input) in runs {
        match (input, &named) {
            (Ok(mut input), named) => {
                if let Some(Model { id, arch, .. }) = named {
                    (input.model, input.arch) = (id.clone(), arch.clone());
                }
                setup_flags::override_input(&args.flags, &mut input, &target)?;
                found.answers.push(simulate(input, timelines));
            }
            (Err(why), _) => found.without.push((id, why)),
        }
    }
    Ok(found)
}

/// Sets the GPU of a input.
fn assign_gpu(input: &mut EstimateInput, target: &Target) -> Result<()> {
    let Some((capacity, note)) = gpu::from_target(target)? else {
        input
            .assumptions
            .push(message!("no GPU is specified, so whether it fits is unknown", "未指定 GPU，因此无法判断是否放得下"));
        return Ok(());
    };
    input.setup.capability = capacity.capability;
    input.assumptions.extend(note);
    input.gpu = Some(capacity);
    Ok(())
}

/// The estimates, or an error if there are none.
fn require_any<'a>(answers: &'a [EstimateReport], without: &[(String, Message)], lang: Lang) -> Result<&'a [EstimateReport]> {
    if let ([], Some((id, why))) = (answers, without.first()) {
        let why = why.get(lang);
        return Err(user_error(message!("{id}: {why}", "{id}：{why}")));
    }
    if answers.is_empty() {
        return Err(user_error(message!("no training run found", "未找到训练任务")));
    }
    Ok(answers)
}

/// The only estimate, or an error if there are several.
fn require_one<'a>(answers: &'a [EstimateReport], without: &[(String, Message)], lang: Lang) -> Result<&'a EstimateReport> {
    match require_any(answers, without, lang)? {
        [single] => Ok(single),
        more => {
            let names = more.iter().filter_map(|answer| answer.input.id.as_str()).collect::<Vec<_>>().join(", ");
            Err(user_error(message!(
                "an image shows one run; choose it with --run: {names}",
                "一张图只显示一个训练任务；请用 --run 指定：{names}"
            )))
        }
    }
}

//! `vramlint compare`.

use crate::cli::{CompareArgs, RunsFormat};
use crate::estimated_runs::{self, EstimatedRun, EstimatedRuns};
use crate::exit::{Status, user_error};
use crate::output::compare_json;
use crate::output::styler::styler;
use crate::stdio::print_stdout;
use anyhow::Result;
use serde_json::{Map, Value as Json};
use std::io;
use std::path::{Path, PathBuf};
use vramlint_base::{Message, message};
use vramlint_estimate::record;
use vramlint_measured::{Measured, is_wandb_file, read, read_wandb};
use vramlint_project::{governing, read_file, read_stream, save_measurement};
use vramlint_resolve::MeasuredRun;
use vramlint_view::compare as view;
use vramlint_view::estimate::{EstimateReport, dimensions};

/// Largest source, bytes: a snapshot with a long history is large.
const MOST_BYTES: u64 = 2 << 30;
/// Deepest folder of Weights & Biases below the one that is named.
const MOST_DEPTH: usize = 4;

/// Compares a measured run with its estimate.
pub(crate) fn run(args: &CompareArgs) -> Result<Status> {
    let measured = measure(&args.source)?;
    let runs = estimated_runs::of_project(&args.common, &args.paths, args.run.as_deref())?;
    let run = measured_run(args, &runs)?;
    let report = run.report();
    let color = args.common.color.resolve(false);
    match args.output_format {
        RunsFormat::Json => print_stdout(&compare_json::render(&run.id, &measured, &report), false)?,
        RunsFormat::Text => print_stdout(&view::text(&measured, &report, runs.lang, styler(color)), color)?,
    }
    if args.save {
        let file = save(args, &runs, &run.id, &measured, &report)?;
        if args.output_format == RunsFormat::Text && !args.common.quiet {
            let said = message!("saved in {file}; the bounds of this run follow it\n", "已写入 {file}；该任务的上下界据此调整\n");
            print_stdout(said.get(runs.lang), false)?;
        }
    }
    Ok(Status::Clean)
}

/// The run that was measured: the only one, or the only one that executes the script.
fn measured_run<'a>(args: &CompareArgs, runs: &'a EstimatedRuns) -> Result<&'a EstimatedRun> {
    let found: Vec<&EstimatedRun> = match &args.script {
        Some(script) => runs.known.iter().filter(|run| runs.executes(run, script)).collect(),
        None => runs.known.iter().collect(),
    };
    match (&found[..], runs.without.first()) {
        ([only], _) => Ok(only),
        ([], Some((id, Message { en, zh }))) => Err(user_error(message!("{id}: {en}", "{id}：{zh}"))),
        ([], None) => Err(user_error(message!("no training run found", "未找到训练任务"))),
        (several, _) => {
            let names = several.iter().map(|run| run.id.as_str()).collect::<Vec<_>>().join(", ");
            Err(user_error(message!(
                "choose the run that was measured with --run: {names}",
                "请用 --run 指定被测量的训练任务：{names}"
            )))
        }
    }
}

/// Writes the measurement with the setup that ran, and returns the file.
fn save(args: &CompareArgs, runs: &EstimatedRuns, id: &str, measured: &Measured, report: &EstimateReport) -> Result<String> {
    let setup: Map<String, Json> = dimensions::list(report)
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let setup = Json::Object(setup).to_string();
    let cannot = |why: &Message| {
        let Message { en, zh } = why;
        user_error(message!("this setup cannot be saved: {en}", "无法保存该配置：{zh}"))
    };
    let Some((request, project)) = &runs.project else {
        return Err(user_error(message!("no training run found", "未找到训练任务")));
    };
    record::parse(&setup, &project.models).map_err(|why| cannot(&why))?;
    let of = MeasuredRun {
        run: id.to_owned(),
        tensors: measured.tensors,
        reserved: measured.reserved,
        process: measured.process,
        source: measured.source.name().to_owned(),
        setup,
    };
    let (config, _) = governing(request)?;
    let named = request.cwd.join(args.paths.first().map_or(Path::new("."), PathBuf::as_path));
    let own = if named.is_dir() { Some(named.as_path()) } else { named.parent() };
    let folder = config.file.as_deref().and_then(Path::parent).or(own).unwrap_or(&request.cwd);
    save_measurement(folder, &request.cwd, &of).map_err(user_error)
}

fn measure(source: &Path) -> Result<Measured> {
    let shown = source.display().to_string();
    let cannot = |error: &io::Error| user_error(message!("cannot read {shown}: {error}", "无法读取 {shown}：{error}"));
    let found = if source == Path::new("-") {
        read(&read_stream(io::stdin().lock(), MOST_BYTES).map_err(|error| cannot(&error))?)
    } else if source.is_dir() {
        let files = wandb_files(source, MOST_DEPTH).map_err(|error| cannot(&error))?;
        read_wandb(files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())))
    } else {
        read(&read_file(source, MOST_BYTES).map_err(|error| cannot(&error))?)
    };
    found
        .ok_or_else(|| user_error(message!("{shown} holds no measured memory that is known", "{shown} 中没有可识别的显存测量值")))
}

/// The files of a folder of Weights & Biases that tell anything.
fn wandb_files(folder: &Path, depth: usize) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        let kind = path.symlink_metadata()?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if kind.is_dir() && depth > 0 {
            found.extend(wandb_files(&path, depth - 1)?);
        } else if kind.is_file() && is_wandb_file(&name) {
            found.push((name, read_file(&path, MOST_BYTES)?));
        }
    }
    Ok(found)
}

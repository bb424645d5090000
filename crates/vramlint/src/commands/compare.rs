//! `vramlint compare`.

use crate::cli::{CompareArgs, RunsFormat};
use crate::estimated_runs;
use crate::exit::{Status, user_error};
use crate::output::compare_json;
use crate::output::styler::styler;
use crate::stdio::print_stdout;
use anyhow::Result;
use std::io;
use std::path::{Path, PathBuf};
use vramlint_base::{Message, message};
use vramlint_measured::{Measured, is_wandb_file, read, read_wandb};
use vramlint_project::read_file;
use vramlint_view::compare as view;

/// Largest source, bytes: a snapshot with a long history is large.
const MOST_BYTES: u64 = 2 << 30;
/// Deepest folder of Weights & Biases below the one that is named.
const MOST_DEPTH: usize = 4;

/// Compares a measured run with its estimate.
pub(crate) fn run(args: &CompareArgs) -> Result<Status> {
    let measured = measure(&args.source)?;
    let runs = estimated_runs::of_project(&args.common, &args.paths, args.run.as_deref())?;
    let run = match (&runs.known[..], runs.without.first()) {
        ([only], _) => only,
        ([], Some((id, Message { en, zh }))) => return Err(user_error(message!("{id}: {en}", "{id}：{zh}"))),
        ([], None) => return Err(user_error(message!("no training run found", "未找到训练任务"))),
        (several, _) => {
            let names = several.iter().map(|run| run.id.as_str()).collect::<Vec<_>>().join(", ");
            return Err(user_error(message!(
                "choose the run that was measured with --run: {names}",
                "请用 --run 指定被测量的训练任务：{names}"
            )));
        }
    };
    let report = run.report();
    let color = args.common.color.resolve(false);
    match args.output_format {
        RunsFormat::Json => print_stdout(&compare_json::render(&run.id, &measured, &report), false)?,
        RunsFormat::Text => print_stdout(&view::text(&measured, &report, runs.lang, styler(color)), color)?,
    }
    Ok(Status::Clean)
}

fn measure(source: &Path) -> Result<Measured> {
    let shown = source.display().to_string();
    let cannot = |error: &io::Error| user_error(message!("cannot read {shown}: {error}", "无法读取 {shown}：{error}"));
    let found = if source.is_dir() {
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

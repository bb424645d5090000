//! `vramlint diff`.

mod revision;

use crate::cli::{DiffArgs, DiffFormat};
use crate::exit::{Status, user_error};
use crate::language;
use crate::output::diff_json;
use crate::output::styler::styler;
use crate::progress::Progress;
use crate::request;
use crate::stdio::print_stdout;
use anyhow::Result;
use revision::Extracted;
use std::path::{Path, PathBuf};
use vramlint_base::message;
use vramlint_estimate::Verdict;
use vramlint_project::{Report, check};
use vramlint_view::diff::{self as view, Diff, RunDiff};

/// One side: its name, the folder that holds it, and what of it to read.
struct Side {
    name: String,
    folder: PathBuf,
    path: PathBuf,
    /// Keeps the folder of a revision.
    _extracted: Option<Extracted>,
}

/// Compares two sides, and prints the result.
pub(crate) fn run(args: &DiffArgs) -> Result<Status> {
    let [base, head] = sides(args)?;
    let (old, new) = (report(args, &base)?, report(args, &head)?);
    let found = view::diff(&old, &new);
    let lang = language::resolve(args.common.lang, new.lang);
    let color = args.common.color.resolve(false);
    match args.output_format {
        DiffFormat::Text => print_stdout(&view::text(&found, &old, &new, lang, styler(color)), color)?,
        DiffFormat::Markdown => print_stdout(&view::markdown(&found, &old, &new, lang), false)?,
        DiffFormat::Json => print_stdout(&diff_json::render(&found, [(&base.name, &old), (&head.name, &new)], lang), false)?,
    }
    Ok(if fails(&args.fail_on, &found) { Status::Findings } else { Status::Clean })
}

/// The two sides that the words name.
fn sides(args: &DiffArgs) -> Result<[Side; 2]> {
    let here = request::working_directory()?;
    let words: Vec<&str> = args.sides.iter().map(String::as_str).collect();
    if let [first, second, rest @ ..] = &words[..]
        && Path::new(first).is_dir()
        && Path::new(second).is_dir()
    {
        let path = rest.first().map_or_else(|| PathBuf::from("."), |path| PathBuf::from(*path));
        let side =
            |folder: &str| Side { name: folder.to_owned(), folder: here.join(folder), path: path.clone(), _extracted: None };
        return Ok([side(first), side(second)]);
    }
    let (revisions, rest) = words.split_first().map_or(("HEAD", &words[..]), |(first, rest)| (*first, rest));
    if rest.len() > 1 {
        let what = rest[1];
        return Err(user_error(message!(
            "unexpected argument {what}: name two folders, or one revision and a path",
            "多余的参数 {what}：请给出两个文件夹，或一个版本和一个路径"
        )));
    }
    let path = rest.first().map_or_else(|| PathBuf::from("."), PathBuf::from);
    let (base, head) = match revisions.split_once("..") {
        Some((base, head)) => (base, Some(head.trim_start_matches('.'))),
        None => (revisions, None),
    };
    let or_head = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
    let base = of_revision(&here, &or_head(base), &path)?;
    let head = match head {
        Some(head) => of_revision(&here, &or_head(head), &path)?,
        None => Side { name: message!("working tree", "工作区").en, folder: here, path, _extracted: None },
    };
    Ok([base, head])
}

fn of_revision(here: &Path, revision: &str, path: &Path) -> Result<Side> {
    let extracted = Extracted::new(here, revision)?;
    Ok(Side { name: revision.to_owned(), folder: extracted.folder(), path: path.to_path_buf(), _extracted: Some(extracted) })
}

fn report(args: &DiffArgs, side: &Side) -> Result<Report> {
    let mut request = request::build(&args.common, std::slice::from_ref(&side.path))?;
    request.cwd.clone_from(&side.folder);
    let progress = Progress::new(args.common.quiet);
    let report = check(&request, &|done, all| progress.update(done, all))?;
    progress.clear();
    Ok(report)
}

/// Whether something changed that `--fail-on` names.
fn fails(names: &[String], diff: &Diff<'_>) -> bool {
    let differs = |run: &RunDiff, name: &str| match name.trim() {
        "fits" => {
            let fits = |memory: Option<view::Memory>| {
                memory.and_then(|memory| memory.verdict).is_some_and(|verdict| verdict == Verdict::Fits)
            };
            run.head.is_some() && fits(run.base) && !fits(run.head)
        }
        "precision" => {
            run.settings.iter().any(|setting| matches!(setting.name, "mixed_precision" | "weights_dtype" | "quantization"))
        }
        other => run.settings.iter().any(|setting| setting.name == other.replace('-', "_")),
    };
    names.iter().any(|name| diff.runs.iter().any(|run| differs(run, name)))
}

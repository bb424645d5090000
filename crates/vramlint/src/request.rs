//! From arguments to what the project layer is asked.

use crate::cli::{CheckArgs, Files, RunsArgs, TargetArgs};
use crate::exit::fault;
use std::io::Read;
use std::path::{Path, PathBuf};
use vramlint_base::message;
use vramlint_project::Request;
use vramlint_resolve::Target;

/// The request of `check`.
pub(crate) fn of_check(args: &CheckArgs) -> anyhow::Result<Request> {
    Ok(Request {
        select: args.select.clone(),
        extend_select: args.extend_select.clone(),
        ignore: args.ignore.clone(),
        target: target(&args.target),
        ..of_files(&args.files)?
    })
}

/// The request of `runs`.
pub(crate) fn of_runs(args: &RunsArgs) -> anyhow::Result<Request> {
    Ok(Request { target: target(&args.target), ..of_files(&args.files)? })
}

fn of_files(files: &Files) -> anyhow::Result<Request> {
    let cwd =
        std::env::current_dir().map_err(|error| fault(message!("no working directory: {error}", "没有工作目录：{error}")))?;
    let stdin = match named_stdin(files)? {
        Some(name) => Some((name, read_stdin()?)),
        None => None,
    };
    Ok(Request {
        cwd,
        paths: if stdin.is_some() { Vec::new() } else { files.paths.clone() },
        stdin,
        config: files.config.clone(),
        isolated: files.isolated,
        no_ignore: files.no_ignore,
        exclude: files.exclude.iter().flat_map(|globs| split(globs)).collect(),
        jobs: files.jobs,
        ..Request::default()
    })
}

/// The name of the text on standard input, where that is read.
fn named_stdin(files: &Files) -> anyhow::Result<Option<PathBuf>> {
    let dashes = files.paths.iter().filter(|path| path.as_path() == Path::new("-")).count();
    match &files.stdin_filename {
        Some(name) if dashes == files.paths.len() => Ok(Some(name.clone())),
        Some(_) => Err(fault(message!(
            "--stdin-filename goes with `-` and no other path",
            "--stdin-filename 只能与 `-` 一起使用，不能再给其他路径"
        ))),
        None if dashes > 0 => Err(fault(message!(
            "`-` needs --stdin-filename: what a file is depends on its name",
            "`-` 需要 --stdin-filename：文件的类型取决于它的名字"
        ))),
        None => Ok(None),
    }
}

/// Globs that commas part; a comma in braces belongs to its glob.
fn split(globs: &str) -> Vec<String> {
    let mut depth = 0usize;
    let at_comma = |c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    globs.split(at_comma).filter(|glob| !glob.is_empty()).map(str::to_owned).collect()
}

fn read_stdin() -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| fault(message!("cannot read standard input: {error}", "无法读取标准输入：{error}")))?;
    Ok(bytes)
}

fn target(args: &TargetArgs) -> Target {
    Target {
        gpu: args.gpu.clone(),
        memory: args.gpu_memory,
        count: args.gpus,
        nodes: args.nodes,
        host_memory: args.host_memory,
        os: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str], name: Option<&str>) -> Files {
        Files {
            paths: paths.iter().map(PathBuf::from).collect(),
            stdin_filename: name.map(PathBuf::from),
            config: None,
            isolated: false,
            no_ignore: false,
            exclude: Vec::new(),
            jobs: 0,
        }
    }

    #[test]
    fn standard_input_has_a_name_and_stands_alone() {
        assert_eq!(named_stdin(&files(&["-"], Some("a.yaml"))).expect("accepted"), Some("a.yaml".into()));
        assert_eq!(named_stdin(&files(&[], Some("a.yaml"))).expect("accepted"), Some("a.yaml".into()));
        assert_eq!(named_stdin(&files(&["a", "b"], None)).expect("accepted"), None);
        assert!(named_stdin(&files(&["-"], None)).is_err());
        assert!(named_stdin(&files(&["-", "a"], Some("a.yaml"))).is_err());
        assert!(named_stdin(&files(&["a"], Some("a.yaml"))).is_err());
    }

    #[test]
    fn globs_are_parted_by_commas_outside_of_braces() {
        assert_eq!(split("a/**,b.{yaml,json},,c"), ["a/**", "b.{yaml,json}", "c"]);
        assert_eq!(split("}a,b"), ["}a", "b"]);
    }
}

//! Builds a request from the shared arguments of a command.

use crate::cli::CommonArgs;
use crate::exit::user_error;
use anyhow::Result;
use std::path::PathBuf;
use vramlint_base::message;
use vramlint_project::Request;
use vramlint_project::config::parse_assignment;

/// The request of a command that reads `paths`.
pub(crate) fn build(common: &CommonArgs, paths: &[PathBuf]) -> Result<Request> {
    Ok(Request {
        cwd: working_directory()?,
        paths: paths.to_vec(),
        config: common.config.clone(),
        isolated: common.isolated,
        no_ignore: common.no_ignore,
        follow_links: common.follow_links,
        exclude: common.exclude.clone(),
        target: common.target.target()?,
        settings: common.settings.iter().map(|text| parse_assignment(text)).collect::<Result<_, _>>().map_err(user_error)?,
        hub_caches: vramlint_project::hub_caches(),
        jobs: common.jobs,
        ..Request::default()
    })
}

/// The working directory; it may have been removed.
pub(crate) fn working_directory() -> Result<PathBuf> {
    std::env::current_dir()
        .map_err(|error| user_error(message!("cannot access the working directory: {error}", "无法访问工作目录：{error}")))
}

//! From paths to findings.

use crate::ConfigError;
use crate::backend::Backend;
use crate::baseline::BaselineStats;
use crate::config::{Config, Configs};
use crate::discovery::paths::absolute;
use crate::request::{Request, first_folder, overlay};
use crate::rule_selection::RuleList;
use crate::session::{AnalysisSession, policy};
use crate::skipped::Skipped;
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;
use vramlint_base::{FileId, Finding, Message, Severity, message};
use vramlint_estimate::{Estimates, Models, RunEstimate};
use vramlint_memory::{Arch, Estimate, Setup};
use vramlint_resolve::{Project, Run, Target};

/// Stack of a working thread, bytes: readers go down as deep as a text is nested.
pub(crate) const STACK_SIZE: usize = 16 << 20;

/// What was found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The project, for places and runs.
    pub project: Arc<Project>,
    /// Findings that are not suppressed, in order of path, place, code. Places are in whole files.
    pub findings: Vec<Finding>,
    /// Files that were checked (hosts, not embedded texts).
    pub files: usize,
    /// `fail-on` of the configuration that governs the first path.
    pub fail_on: Option<Severity>,
    /// `lang` of that configuration: `en` or `zh`.
    pub lang: Option<vramlint_base::Lang>,
    /// What is known about the models that the project names: declared, in its folders, in the caches, in the catalogue.
    pub models: Models,
    /// The estimates of the runs, in the order of the project's runs: see [`Report::estimated_runs`].
    pub(crate) estimates: Arc<Estimates>,
    /// Configuration files that govern reported files, as shown.
    pub configs: Vec<String>,
    /// Files that were not read, and why.
    pub skipped: Skipped,
    /// What the baseline did, where there is one.
    pub baseline: Option<BaselineStats>,
}

impl Report {
    /// The runs in which a reported file takes part, each with its estimate or why there is none. What is not made yet is made by all
    /// processors.
    pub fn estimated_runs(&self) -> impl Iterator<Item = (&Run, &Result<RunEstimate, Message>)> {
        let reported: Vec<&Run> = self.runs().collect();
        let make = || {
            reported.par_iter().for_each(|run| {
                self.estimates.get(&self.project, &self.models, run);
            })
        };
        // Without threads they are made one after the other, below.
        if let Ok(pool) = rayon::ThreadPoolBuilder::new().stack_size(STACK_SIZE).build() {
            pool.install(make);
        }
        self.estimates.iter(&self.project, &self.models).filter(|(run, _)| self.is_reported(run))
    }

    /// The estimate of one run of the project, or why there is none; made when it is first asked for. `None` for a run of another
    /// project.
    pub fn estimate(&self, run: &Run) -> Option<&Result<RunEstimate, Message>> {
        self.estimates.get(&self.project, &self.models, run)
    }

    /// What a model would need under another setup; made once for each. `None` where it cannot be simulated.
    pub fn estimate_under(&self, arch: &Arch, setup: &Setup) -> Option<Estimate> {
        self.estimates.under_setup(arch, setup)
    }

    /// The runs in which a reported file takes part. The project holds those of the files read for context too.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.project.runs.iter().filter(|run| self.is_reported(run))
    }

    fn is_reported(&self, run: &Run) -> bool {
        let reported = |id: FileId| self.project.file(id).reported;
        reported(run.place.file) || run.files.iter().any(|file| reported(*file))
    }
}

/// The configuration that governs the first path of a request, with its target under that of the request. Nothing is checked.
pub fn governing(request: &Request) -> Result<(Config, Target), ConfigError> {
    let (rules, files) = (RuleList::new(Backend::standard().rules), overlay(request));
    let explicit = request.config.as_ref().map(|path| absolute(&request.cwd, path));
    let configs = Configs::new(&files, &rules, &request.cwd, explicit.as_deref(), request.isolated)?;
    let first = configs.of_folder(&first_folder(request));
    let config = configs.into_all().into_iter().nth(first).unwrap_or_else(|| Ok(Config::default()))?;
    let target = policy(&config, request, &[]).target;
    Ok((config, target))
}

/// Checks. `progress` is told (files done, files in all) now and then, from any thread.
pub fn check(request: &Request, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<Report, ConfigError> {
    check_with(&Backend::standard(), request, progress)
}

/// Checks with given backend, on threads of its own.
pub(crate) fn check_with(
    backend: &Backend,
    request: &Request,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Report, ConfigError> {
    let mut request = request.clone();
    let cwd = std::path::absolute(&request.cwd)
        .or_else(|_| std::env::current_dir())
        .map_err(|error| ConfigError::new(message!("cannot access the working directory: {error}", "没有工作目录：{error}")))?;
    // A `..` left in it would be taken for a folder by whoever walks upwards from it.
    request.cwd = absolute(&cwd, Path::new(""));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(request.jobs)
        .stack_size(STACK_SIZE)
        .build()
        .map_err(|error| ConfigError::new(message!("cannot start threads: {error}", "无法启动线程：{error}")))?;
    let files = overlay(&request);
    pool.install(|| {
        let session = AnalysisSession::prepare(backend, &request, &files)?;
        let report = session.run(
            backend,
            &request,
            &files,
            &|tell| session.load_sources(backend, &files, if tell { progress } else { &|_, _| {} }),
            &Arc::default(),
            &|| false,
        );
        // Nobody cancels it.
        report.ok_or_else(|| ConfigError::new(message!("cancelled", "已取消")))
    })
}

#[cfg(test)]
mod tests;

//! Entry points: checks paths and returns a report.

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
use vramlint_estimate::{Estimates, Models, RunEstimate, SimulationCache};
use vramlint_memory::{Arch, Estimate, Setup};
use vramlint_resolve::{Project, Run, Target};

/// Stack size of a worker thread, bytes: parsers recurse as deep as a text is nested.
pub const STACK_SIZE: usize = 16 << 20;

/// The result of a check.
#[derive(Clone, Debug)]
pub struct Report {
    /// The project, for ranges and runs.
    pub project: Arc<Project>,
    /// Findings that are not suppressed, ordered by path, range and code. Ranges are in host files.
    pub findings: Vec<Finding>,
    /// Number of checked files, without embedded texts.
    pub files: usize,
    /// `fail-on` of the configuration that governs the first path.
    pub fail_on: Option<Severity>,
    /// `lang` of that configuration: `en` or `zh`.
    pub lang: Option<vramlint_base::Lang>,
    /// The models that the project names: declared, in its folders, in the caches, or in the catalog.
    pub models: Models,
    /// The estimates of the runs, in the order of the runs of the project; see [`Report::estimated_runs`].
    pub(crate) estimates: Arc<Estimates>,
    /// Configuration files that govern reported files, as shown.
    pub configs: Vec<String>,
    /// Files that were not read, and why.
    pub skipped: Skipped,
    /// How the findings compare to the baseline, if there is one.
    pub baseline: Option<BaselineStats>,
}

impl Report {
    /// The runs that involve a reported file, each with its estimate or the reason why there is none. Missing estimates are computed
    /// in parallel.
    pub fn estimated_runs(&self) -> impl Iterator<Item = (&Run, &Result<RunEstimate, Message>)> {
        let reported: Vec<&Run> = self.runs().collect();
        let make = || {
            reported.par_iter().for_each(|run| {
                self.estimates.get(&self.project, &self.models, run);
            });
        };
        // Without threads, the estimates are computed sequentially below.
        if let Ok(pool) = rayon::ThreadPoolBuilder::new().stack_size(STACK_SIZE).build() {
            pool.install(make);
        }
        self.estimates.iter(&self.project, &self.models).filter(|(run, _)| self.is_reported(run))
    }

    /// The estimate of a run, or the reason why there is none; computed on first use. `None` for a run of another project.
    pub fn estimate(&self, run: &Run) -> Option<&Result<RunEstimate, Message>> {
        self.estimates.get(&self.project, &self.models, run)
    }

    /// The estimate of a model under another setup; cached. `None` if it cannot be simulated.
    pub fn estimate_under(&self, arch: &Arch, setup: &Setup) -> Option<Estimate> {
        self.estimates.under_setup(arch, setup)
    }

    /// The runs that involve a reported file. The project also contains runs of context files.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.project.runs.iter().filter(|run| self.is_reported(run))
    }

    fn is_reported(&self, run: &Run) -> bool {
        let reported = |id: FileId| self.project.file(id).reported;
        reported(run.place.file) || run.files.iter().any(|file| reported(*file))
    }
}

/// The configuration that governs the first path of a request, and its target, overridden by the target of the request. No rule
/// runs.
pub fn governing(request: &Request) -> Result<(Config, Target), ConfigError> {
    let (rules, files) = (RuleList::new(Backend::standard().rules), overlay(request));
    let explicit = request.config.as_ref().map(|path| absolute(&request.cwd, path));
    let configs = Configs::new(&files, &rules, &request.cwd, explicit.as_deref(), request.isolated)?;
    let first = configs.of_folder(&first_folder(request));
    let config = configs.into_all().into_iter().nth(first).unwrap_or_else(|| Ok(Config::default()))?;
    let target = policy(&config, request, &[]).target;
    Ok((config, target))
}

/// Checks the files of a request. `progress` is called with (files done, all files) from any thread.
pub fn check(request: &Request, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<Report, ConfigError> {
    check_with(&Backend::standard(), request, progress)
}

/// Checks with the given backend, on a separate thread pool.
pub(crate) fn check_with(
    backend: &Backend,
    request: &Request,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Report, ConfigError> {
    let mut request = request.clone();
    let cwd = std::path::absolute(&request.cwd).or_else(|_| std::env::current_dir()).map_err(|error| {
        ConfigError::new(message!("cannot access the working directory: {error}", "无法访问工作目录：{error}"))
    })?;
    // Remove `..`: iterating over parent folders would treat it as a folder name.
    request.cwd = absolute(&cwd, Path::new(""));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(request.jobs)
        .stack_size(STACK_SIZE)
        .build()
        .map_err(|error| ConfigError::new(message!("cannot start threads: {error}", "无法启动线程：{error}")))?;
    let files = overlay(&request);
    let simulations = Arc::new(if request.timelines { SimulationCache::with_timelines() } else { SimulationCache::default() });
    pool.install(|| {
        let session = AnalysisSession::prepare(backend, &request, &files)?;
        let report = session.run(
            backend,
            &request,
            &files,
            &|report_progress| session.load_sources(backend, &files, if report_progress { progress } else { &|_, _| {} }),
            &simulations,
            &|| false,
        );
        // The check is never cancelled.
        report.ok_or_else(|| ConfigError::new(message!("cancelled", "已取消")))
    })
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod what_is_read;

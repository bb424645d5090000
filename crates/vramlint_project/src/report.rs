//! From paths to findings.

use crate::ConfigError;
use crate::baseline::{Baseline, Taken};
use crate::config::{Config, Configs, Preset, unknown_card};
use crate::discovery::paths::{absolute, relative, shown};
use crate::discovery::{Discovered, discover};
use crate::files::Files;
use crate::layers::Layers;
use crate::models::gather;
use crate::own::INTERNAL_ERROR;
use crate::read::{please_report, read_all};
use crate::select::{Choice, RuleList, selected};
use crate::sift::Sift;
use crate::versions::{declared, find, libraries};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vramlint_base::{FileId, Finding, Message, Place, Severity, TextRange, message};
use vramlint_estimate::{Estimates, Models, RunEstimate};
use vramlint_memory::{Arch, Estimate, Setup};
use vramlint_resolve::{Policy, Project, Run, SourceFile, Target};
use vramlint_rules::Context;

/// Stack of a working thread, bytes: readers go down as deep as a text is nested.
const STACK: usize = 16 << 20;

/// What is asked for: the command line, without its presentation.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Working directory: shown paths are relative to it.
    pub cwd: PathBuf,
    /// Files and folders to check; empty for the working directory.
    pub paths: Vec<PathBuf>,
    /// One file from standard input, under this name.
    pub stdin: Option<(PathBuf, Vec<u8>)>,
    /// Bytes that count instead of those on the disk: unsaved texts of an editor, texts with fixes applied. A path may be
    /// absolute or relative to `cwd`, and need not exist.
    pub overlay: HashMap<PathBuf, Vec<u8>>,
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--isolated`: no configuration files.
    pub isolated: bool,
    /// `--no-ignore`: `.gitignore` and excludes do not count.
    pub no_ignore: bool,
    /// `--exclude`.
    pub exclude: Vec<String>,
    /// `--select`, instead of the configuration's.
    pub select: Option<Vec<String>>,
    /// `--extend-select`.
    pub extend_select: Vec<String>,
    /// `--ignore`, on top of the configuration's.
    pub ignore: Vec<String>,
    /// `--preset`, instead of the configuration's.
    pub preset: Option<Preset>,
    /// `--baseline`: findings that are known already.
    pub baseline: Option<Arc<Baseline>>,
    /// `--gpu`, `--gpu-memory` (bytes), `--gpus`, `--nodes`, `--host-memory` (bytes): on top of every target.
    pub target: Target,
    /// Folders of Hugging Face caches to look for named models in: see [`crate::hub_caches`].
    pub hub_caches: Vec<PathBuf>,
    /// `--jobs`; 0 for as many as there are cores.
    pub jobs: usize,
}

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
    estimates: Arc<Estimates>,
    /// Configuration files that govern reported files, as shown.
    pub configs: Vec<String>,
    /// Named paths that were not read, and why.
    pub skipped: Vec<(String, Message)>,
    /// What the baseline did, where there is one.
    pub baseline: Option<Taken>,
}

impl Report {
    /// The runs in which a reported file takes part, each with its estimate or why there is none. What is not made yet is made by all
    /// processors.
    pub fn estimated_runs(&self) -> impl Iterator<Item = (&Run, &Result<RunEstimate, Message>)> {
        let reported: Vec<&Run> = self.runs().collect();
        let make = || reported.par_iter().for_each(|run| self.estimates.make(&self.project, &self.models, run));
        // Without threads they are made one after the other, below.
        if let Ok(pool) = rayon::ThreadPoolBuilder::new().stack_size(STACK).build() {
            pool.install(make);
        }
        self.estimates.all(&self.project, &self.models).filter(|(run, _)| self.is_reported(run))
    }

    /// The estimate of one run of the project, or why there is none; made when it is first asked for. `None` for a run of another
    /// project.
    pub fn estimate(&self, run: &Run) -> Option<&Result<RunEstimate, Message>> {
        self.estimates.of(&self.project, &self.models, run)
    }

    /// What a model would need under another setup; made once for each. `None` where it cannot be simulated.
    pub fn estimate_under(&self, arch: &Arch, setup: &Setup) -> Option<Estimate> {
        self.estimates.under(arch, setup)
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
    let (rules, files) = (RuleList::new(Layers::real().rules), overlay(request));
    let given = request.config.as_ref().map(|path| absolute(&request.cwd, path));
    let configs = Configs::new(&files, &rules, &request.cwd, given.as_deref(), request.isolated)?;
    let first = configs.of_folder(&first_folder(request));
    let config = configs.into_all().into_iter().nth(first).unwrap_or_else(|| Ok(Config::default()))?;
    let target = policy(&config, request, &[]).target;
    Ok((config, target))
}

/// Checks. `progress` is told (files done, files in all) now and then, from any thread.
pub fn check(request: &Request, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<Report, ConfigError> {
    check_with(&Layers::real(), request, progress)
}

/// Checks with given layers, on threads of its own.
pub(crate) fn check_with(
    layers: &Layers,
    request: &Request,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Report, ConfigError> {
    let mut request = request.clone();
    let cwd = std::path::absolute(&request.cwd)
        .or_else(|_| std::env::current_dir())
        .map_err(|error| ConfigError::new(message!("no working directory: {error}", "没有工作目录：{error}")))?;
    // A `..` left in it would be taken for a folder by whoever walks upwards from it.
    request.cwd = absolute(&cwd, Path::new(""));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(request.jobs)
        .stack_size(STACK)
        .build()
        .map_err(|error| ConfigError::new(message!("cannot start threads: {error}", "无法启动线程：{error}")))?;
    pool.install(|| run(layers, &request, progress))
}

fn run(layers: &Layers, request: &Request, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<Report, ConfigError> {
    let rules = RuleList::new(layers.rules);
    let choice = Choice {
        select: request.select.as_ref().map(|words| rules.flag("--select", words)).transpose()?,
        extend: rules.flag("--extend-select", &request.extend_select)?,
        ignore: rules.flag("--ignore", &request.ignore)?,
    };
    if let Some(what) =
        request.target.gpu.as_ref().filter(|_| request.target.memory.is_none()).and_then(|gpu| unknown_card(gpu, "--gpu-memory"))
    {
        let Message { en, zh } = what;
        return Err(ConfigError::new(message!("--gpu: {en}", "--gpu：{zh}")));
    }
    let files = overlay(request);
    let given = request.config.as_ref().map(|path| absolute(&request.cwd, path));
    let configs = Configs::new(&files, &rules, &request.cwd, given.as_deref(), request.isolated)?;
    let discovered = discover(request, &files, &configs)?;
    let first = configs.of_folder(&first_folder(request));
    let configs = sound(configs, &discovered, first)?;

    let shown_configs: Vec<Option<(String, Config)>> =
        configs.iter().map(|config| config.file.as_ref().map(|file| (shown(file, &request.cwd), config.clone()))).collect();
    let versions = find(&discovered, &files, &request.cwd);
    let read_files =
        |progress: &(dyn Fn(usize, usize) + Sync)| read_all(layers, &files, &discovered, &shown_configs, &versions, progress);
    let read = read_files(progress);
    let policies: Vec<Policy> = configs.iter().map(|config| policy(config, request, &read.files)).collect();
    let mut found = read.findings;
    let libraries = libraries(&versions, &read.files, &request.cwd);
    let (mut project, failure) = resolve(layers, read.files, policies, || read_files(&|_, _| {}).files);
    project.libraries = libraries;
    found.extend(failure);
    let (models, failure) = models(&project, &files, request, &configs);
    found.extend(failure);

    let selected: Vec<BTreeSet<&'static str>> =
        configs.iter().map(|config| selected(&rules, &[&config.choice, &choice])).collect();
    let estimates = Arc::new(Estimates::default());
    let context = Context { project: &project, models: &models, estimates: &estimates };
    found.extend(crate::rules::run(layers, &context, |code| selected.iter().any(|codes| codes.contains(code))));
    if estimates.failed() {
        let what = message!(
            "vramlint failed to estimate the memory of a run; this is a bug of vramlint",
            "vramlint 估算训练任务的显存时出错，这是 vramlint 的缺陷"
        );
        found.extend(our_failure(&project, what));
    }
    let sift = Sift {
        project: &project,
        rules: &rules,
        cwd: &request.cwd,
        configs: &configs,
        selected: &selected,
        preset: request.preset,
        choice: &choice,
        complete: discovered.complete,
    };
    let mut findings = sift.sift(found);
    let baseline = request.baseline.as_ref().map(|baseline| baseline.take(&project, &request.cwd, &mut findings));

    let governing: BTreeSet<usize> = discovered.files.iter().filter(|file| file.reported).map(|file| file.config).collect();
    let governing = governing.into_iter().filter_map(|number| Some(shown_configs.get(number)?.as_ref()?.0.clone()));
    Ok(Report {
        findings,
        files: discovered.files.iter().filter(|file| file.reported).count(),
        fail_on: configs[first].fail_on,
        lang: configs[first].lang,
        configs: governing.collect(),
        skipped: discovered.skipped,
        baseline,
        models,
        estimates,
        project: Arc::new(project),
    })
}

fn overlay(request: &Request) -> Files {
    let given = request.overlay.iter().map(|(path, bytes)| (absolute(&request.cwd, path), Arc::new(bytes.clone())));
    let stdin = request.stdin.iter().map(|(name, bytes)| (absolute(&request.cwd, name), Arc::new(bytes.clone())));
    Files { overlay: given.chain(stdin).collect() }
}

/// The folder whose configuration speaks for the whole request.
fn first_folder(request: &Request) -> PathBuf {
    let named = request.stdin.as_ref().map(|(name, _)| name).or(request.paths.first());
    let path = absolute(&request.cwd, named.map_or(Path::new(""), PathBuf::as_path));
    if path.is_dir() { path } else { path.parent().map_or_else(|| request.cwd.clone(), Path::to_path_buf) }
}

/// The configurations, where those that govern a reported file (and the first) have no errors. One that only governs context
/// is none of the user's business now; it counts as empty.
fn sound(configs: Configs<'_>, discovered: &Discovered, first: usize) -> Result<Vec<Config>, ConfigError> {
    let mut needed: BTreeSet<usize> = discovered.files.iter().filter(|file| file.reported).map(|file| file.config).collect();
    needed.insert(first);
    let check = |(number, config): (usize, Result<Config, ConfigError>)| match config {
        Err(error) if needed.contains(&number) => Err(error),
        other => Ok(other.unwrap_or_default()),
    };
    configs.into_all().into_iter().enumerate().map(check).collect()
}

/// What runs need to know of a configuration; the command line is on top.
fn policy(config: &Config, request: &Request, files: &[SourceFile]) -> Policy {
    let file = config.file.as_ref().map(|file| shown(file, &request.cwd));
    let number = files.iter().find(|source| Some(&source.path) == file.as_ref() && source.host.is_none()).map(|source| source.id);
    let (own, over) = (&config.target, &request.target);
    let gpu_is_new = over.gpu.is_some();
    Policy {
        root: relative(&config.root, &request.cwd),
        file,
        target: Target {
            gpu: over.gpu.clone().or_else(|| own.gpu.clone()),
            // Another card on the command line has another memory than the one in the file.
            memory: over.memory.or(if gpu_is_new { None } else { own.memory }),
            count: over.count.or(own.count),
            nodes: over.nodes.or(own.nodes),
            host_memory: over.host_memory.or(own.host_memory),
            os: over.os.clone().or_else(|| own.os.clone()),
        },
        count_at: if over.count.is_some() { None } else { config.count_at },
        effective_batch: config.effective_batch.map(|(batch, range)| (batch, number.map(|file| Place::new(file, range)))),
        versions: declared(config, number, &request.cwd),
    }
}

/// Joins the files into a project. Should that fail, the files are read again, and nobody refers to them.
fn resolve(
    layers: &Layers,
    files: Vec<SourceFile>,
    policies: Vec<Policy>,
    again: impl Fn() -> Vec<SourceFile>,
) -> (Project, Vec<Finding>) {
    let spare = policies.clone();
    if let Ok(project) = catch_unwind(AssertUnwindSafe(|| (layers.resolve)(files, policies))) {
        return (project, Vec::new());
    }
    let project = Project::without_runs(again(), spare);
    let what = message!(
        "vramlint failed to join the files into training runs; this is a bug of vramlint",
        "vramlint 在把文件组合成训练任务时出错，这是 vramlint 的缺陷"
    );
    let found = our_failure(&project, what);
    (project, found)
}

/// What is known about the models that the project names. Should reading them fail, the catalogue alone.
fn models(project: &Project, files: &Files, request: &Request, configs: &[Config]) -> (Models, Vec<Finding>) {
    let read = || gather(project, files, &request.cwd, &request.hub_caches, configs);
    if let Ok(models) = catch_unwind(AssertUnwindSafe(read)) {
        return (models, Vec::new());
    }
    let what = message!(
        "vramlint failed to read the models that the project names; this is a bug of vramlint",
        "vramlint 读取项目所用的模型时出错，这是 vramlint 的缺陷"
    );
    (Models::catalogue(), our_failure(project, what))
}

/// The finding that stands for a failure of ours, at the start of the first reported file.
fn our_failure(project: &Project, what: Message) -> Vec<Finding> {
    let first = project.files.iter().find(|file| file.reported && file.host.is_none());
    let finding = first.map(|file| INTERNAL_ERROR.finding(Place::new(file.id, TextRange::at(0)), what, Some(please_report())));
    finding.into_iter().collect()
}

#[cfg(test)]
mod tests;

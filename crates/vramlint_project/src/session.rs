//! Inputs shared by one analysis request (configurations, discovered files, library versions) and the pipeline that runs on them.

use crate::ConfigError;
use crate::backend::Backend;
use crate::config::{Config, Configs, RunSetting, unknown_gpu};
use crate::discovery::paths::{absolute, relative, shown};
use crate::discovery::{Discovery, discover};
use crate::library_packages::library_packages;
use crate::models::collect_models;
use crate::overlay_fs::OverlayFs;
use crate::postprocess::FindingPipeline;
use crate::references::connected;
use crate::report::Report;
use crate::request::{Request, first_folder};
use crate::rule_selection::{RuleList, SelectionLayer, enabled_codes};
use crate::skipped::{SkipReason, Skipped};
use crate::source_loader::{ParsedSource, ProjectSources, assemble_sources, load};
use crate::versions::{VersionFile, declared, find, libraries};
use crate::{internal_error, trace};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vramlint_base::{FileId, FileRange, Finding, Message, TextRange, Value, message, panic_message};
use vramlint_catalog::Concept;
use vramlint_estimate::{Estimates, Models, SimulationCache};
use vramlint_resolve::{Policy, Project, RunSelector, SourceFile, SourceSet, SyntaxKind, Target, UserSetting};
use vramlint_rules::Context;
use vramlint_rules::engine::{FILE_TOO_LARGE, INTERNAL_ERROR, UNREADABLE_FILE};
use vramlint_semantic::Semantics;

/// The inputs of a request that do not change until a file is added or removed or a configuration changes.
#[derive(Debug)]
pub(crate) struct AnalysisSession {
    /// All rules.
    rules: RuleList,
    /// Rule selection on the command line.
    choice: SelectionLayer,
    /// Configurations, by number.
    configs: Vec<Config>,
    /// The number of the configuration that governs the first path.
    first: usize,
    /// The configurations with their paths as shown; `None` without a file.
    shown_configs: Vec<Option<(String, Config)>>,
    /// Codes of the enabled rules, by number of the configuration.
    selected: Vec<BTreeSet<&'static str>>,
    /// The discovered files.
    pub discovered: Discovery,
    /// The files with library versions.
    pub versions: Vec<VersionFile>,
}

impl AnalysisSession {
    /// Collects the inputs, on the threads of the caller.
    pub(crate) fn prepare(backend: &Backend, request: &Request, files: &OverlayFs) -> Result<Self, ConfigError> {
        let rules = RuleList::new(backend.rules);
        let choice = SelectionLayer {
            select: request.select.as_ref().map(|words| rules.parse_flag("--select", words)).transpose()?,
            extend: rules.parse_flag("--extend-select", &request.extend_select)?,
            ignore: rules.parse_flag("--ignore", &request.ignore)?,
        };
        if let Some(what) = request
            .target
            .gpu
            .as_ref()
            .filter(|_| request.target.memory.is_none())
            .and_then(|gpu| unknown_gpu(gpu, "--gpu-memory"))
        {
            let Message { en, zh } = what;
            return Err(ConfigError::new(message!("--gpu: {en}", "--gpu：{zh}")));
        }
        let explicit = request.config.as_ref().map(|path| absolute(&request.cwd, path));
        let configs = Configs::new(files, &rules, &request.cwd, explicit.as_deref(), request.isolated)?;
        let discovered = discover(request, files, &configs)?;
        let first = configs.of_folder(&first_folder(request));
        let configs = usable_configs(configs, &discovered, first)?;
        let shown_configs: Vec<Option<(String, Config)>> =
            configs.iter().map(|config| config.file.as_ref().map(|file| (shown(file, &request.cwd), config.clone()))).collect();
        let selected = configs.iter().map(|config| enabled_codes(&rules, &[&config.choice, &choice])).collect();
        let versions = find(&discovered, files, &request.cwd);
        Ok(Self { rules, choice, configs, first, shown_configs, selected, discovered, versions })
    }

    /// Reads the named files and what is connected to them, in parallel.
    pub(crate) fn load_sources(
        &self,
        backend: &Backend,
        files: &OverlayFs,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> ProjectSources {
        let discovered = &self.discovered.files;
        let to_read = connected(discovered, files);
        let (done, all) = (AtomicUsize::new(0), to_read.len());
        let load = |index: usize| {
            let loaded = load(backend, files, &discovered[index]);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);
            (index, Arc::new(loaded))
        };
        let loaded: Vec<(usize, Arc<ParsedSource>)> = to_read.into_par_iter().map(load).collect();
        self.assemble(&loaded, &|_| true)
    }

    /// Sources in discovery order, given with their indices, followed by the configurations and the wanted version files, so that
    /// findings can refer to them.
    pub(crate) fn assemble(
        &self,
        loaded: &[(usize, Arc<ParsedSource>)],
        wanted: &dyn Fn(&VersionFile) -> bool,
    ) -> ProjectSources {
        let files = loaded.iter().map(|(index, loaded)| (&self.discovered.files[*index], loaded.as_ref()));
        assemble_sources(files, &self.shown_configs, self.versions.iter().filter(|file| wanted(file)))
    }

    /// Resolves the files into a project and runs the rules. `read` loads the files; its argument is whether to report progress.
    /// `simulations` caches the simulations. `None` if `stop` returned true in between.
    pub(crate) fn run(
        &self,
        backend: &Backend,
        request: &Request,
        files: &OverlayFs,
        read: &dyn Fn(bool) -> ProjectSources,
        simulations: &Arc<SimulationCache>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Report> {
        let sources = read(true);
        let policies: Vec<Policy> = self.configs.iter().map(|config| policy(config, request, &sources.files)).collect();
        let skipped = self.skipped(&sources);
        let mut raw_findings = sources.findings;
        let libraries = libraries(&self.versions, &sources.files, &request.cwd);
        if stop() {
            return None;
        }
        let packages = library_packages(&sources.files, files, &request.cwd);
        let sources = SourceSet::new(sources.files, policies, libraries).with_library_packages(packages);
        parse_in_parallel(&sources);
        let (project, failure) = resolve(backend, sources, || read(false).files);
        trace::log_project(&project, &skipped);
        raw_findings.extend(failure);
        if stop() {
            return None;
        }
        let (models, failure) = models(&project, files, request, &self.configs);
        raw_findings.extend(failure);

        let estimates = Arc::new(Estimates::with_cache(Arc::clone(simulations)));
        let semantics = Semantics::new(&project);
        let context = Context { project: &project, models: &models, estimates: &estimates, semantics: &semantics };
        let wanted = |code: &str| !stop() && self.selected.iter().any(|codes| codes.contains(code));
        raw_findings.extend(crate::rule_runner::run(backend, &context, wanted));
        if stop() {
            return None;
        }
        if let Some(panic) = estimates.panic() {
            let what = message!("vramlint failed to estimate the memory of a run", "vramlint 估算训练任务的显存时出错");
            raw_findings.extend(internal_error::in_project(&project, &what, panic));
        }
        raw_findings.extend(parser_panics(&project));
        let pipeline = FindingPipeline {
            project: &project,
            rules: &self.rules,
            cwd: &request.cwd,
            configs: &self.configs,
            selected: &self.selected,
            preset: request.preset,
            choice: &self.choice,
            complete: self.discovered.complete,
        };
        let mut findings = pipeline.process(raw_findings);
        let baseline = request.baseline.as_ref().map(|baseline| baseline.remove_known(&project, &request.cwd, &mut findings));

        let reported: Vec<&SourceFile> = project.files.iter().filter(|file| file.reported && file.host.is_none()).collect();
        let governing: BTreeSet<usize> = reported.iter().map(|file| file.policy).collect();
        let governing = governing.into_iter().filter_map(|number| Some(self.shown_configs.get(number)?.as_ref()?.0.clone()));
        let config = &self.configs[self.first];
        Some(Report {
            findings,
            files: reported.len(),
            fail_on: config.fail_on,
            lang: config.lang,
            configs: governing.collect(),
            skipped,
            baseline,
            models,
            estimates,
            project: Arc::new(project),
        })
    }

    /// The files that were not read, from discovery and from loading.
    fn skipped(&self, sources: &ProjectSources) -> Skipped {
        let mut skipped = self.discovered.skipped.clone();
        let reported = |finding: &&Finding| sources.files[finding.place.file.0 as usize].reported;
        let count = |code: &str| sources.findings.iter().filter(reported).filter(|finding| finding.code == code).count();
        let (too_large, unreadable) = (count(FILE_TOO_LARGE.code), count(UNREADABLE_FILE.code));
        let without_tree = sources.files.iter().filter(|file| file.reported && file.host.is_none());
        let without_tree = without_tree.filter(|file| file.tree.kind() == SyntaxKind::Unreadable).count();
        skipped.add(SkipReason::TooLarge, too_large);
        skipped.add(SkipReason::Unreadable, unreadable);
        skipped.add(SkipReason::Binary, without_tree.saturating_sub(too_large + unreadable + count(INTERNAL_ERROR.code)));
        skipped
    }
}

/// Parses what the resolver and the rules ask for in any case: data, scripts, and Python that names a library that trains.
fn parse_in_parallel(sources: &SourceSet) {
    let is_needed = |file: &&SourceFile| match file.tree.kind() {
        SyntaxKind::Yaml | SyntaxKind::Json | SyntaxKind::Script => true,
        SyntaxKind::Python => vramlint_rules::names_training_library(file) && !sources.is_library_code(file.id),
        SyntaxKind::Text | SyntaxKind::Unreadable => false,
    };
    sources.files.par_iter().filter(is_needed).for_each(|file| {
        file.syntax();
    });
}

/// A finding for each file, or text in it, whose parser panicked.
fn parser_panics(project: &Project) -> impl Iterator<Item = Finding> {
    project.files.iter().filter_map(|file| {
        let place = project.to_host(FileRange::new(file.id, TextRange::at(0)));
        let what = message!("vramlint failed to read this file", "vramlint 读取此文件时出错");
        Some(internal_error::at(FileRange::new(place.file, TextRange::at(0)), &what, file.tree.panic()?))
    })
}

/// All configurations; an error if one that governs a reported file, or the first path, is invalid. Invalid configurations that
/// only affect context files count as empty.
fn usable_configs(configs: Configs<'_>, discovered: &Discovery, first: usize) -> Result<Vec<Config>, ConfigError> {
    let mut needed: BTreeSet<usize> = discovered.files.iter().filter(|file| file.reported).map(|file| file.config).collect();
    needed.insert(first);
    let check = |(number, config): (usize, Result<Config, ConfigError>)| match config {
        Err(error) if needed.contains(&number) => Err(error),
        other => Ok(other.unwrap_or_default()),
    };
    configs.into_all().into_iter().enumerate().map(check).collect()
}

/// The part of a configuration that runs need, overridden by the command line.
pub(crate) fn policy(config: &Config, request: &Request, files: &[SourceFile]) -> Policy {
    let file = config.file.as_ref().map(|file| shown(file, &request.cwd));
    let number = files.iter().find(|source| Some(&source.path) == file.as_ref() && source.host.is_none()).map(|source| source.id);
    let (own, over) = (&config.target, &request.target);
    let gpu_overridden = over.gpu.is_some();
    Policy {
        root: relative(&config.root, &request.cwd),
        file,
        target: Target {
            gpu: over.gpu.clone().or_else(|| own.gpu.clone()),
            // The memory in the file belongs to the GPU in the file.
            memory: over.memory.or(if gpu_overridden { None } else { own.memory }),
            count: over.count.or(own.count),
            nodes: over.nodes.or(own.nodes),
            host_memory: over.host_memory.or(own.host_memory),
            os: over.os.clone().or_else(|| own.os.clone()),
        },
        count_at: if over.count.is_some() { None } else { config.count_at },
        effective_batch: config.effective_batch.map(|(batch, range)| (batch, number.map(|file| FileRange::new(file, range)))),
        versions: declared(config, number, &request.cwd),
        user_settings: user_settings(config, request, number),
        measured: config.measured.clone(),
    }
}

/// The settings that the user gives, strongest first: `--set`, `--gpus`, `[runs."…"]`.
fn user_settings(config: &Config, request: &Request, number: Option<FileId>) -> Vec<UserSetting> {
    let processes = request.target.count.filter(|count| *count > 0).map(|count| UserSetting {
        runs: RunSelector::WithoutLauncher,
        concept: Concept::WorldSize,
        value: Value::Int(i64::from(count) * i64::from(request.target.nodes.unwrap_or(1))),
        source: "--gpus".to_owned(),
        place: None,
    });
    let of_file = config.run_settings.iter().map(|RunSetting { setting, range }| UserSetting {
        place: number.map(|file| FileRange::new(file, *range)),
        ..setting.clone()
    });
    request.settings.iter().cloned().chain(processes).chain(of_file).collect()
}

/// Resolves the files into a project. If that panics, loads them again and leaves the runs unresolved.
fn resolve(backend: &Backend, sources: SourceSet, read_again: impl Fn() -> Vec<SourceFile>) -> (Project, Option<Finding>) {
    let (policies, libraries) = (sources.policies.clone(), sources.libraries.clone());
    match catch_unwind(AssertUnwindSafe(|| (backend.resolve)(sources))) {
        Ok(project) => (project, None),
        Err(payload) => {
            let project = Project::without_runs(SourceSet::new(read_again(), policies, libraries));
            let what = message!("vramlint failed to resolve the training runs", "vramlint 解析训练任务时出错");
            let finding = internal_error::in_project(&project, &what, panic_message(payload.as_ref()));
            (project, finding)
        }
    }
}

/// The models that the project names; only the catalog if reading them panics.
fn models(project: &Project, files: &OverlayFs, request: &Request, configs: &[Config]) -> (Models, Option<Finding>) {
    let files = files.without_bounds();
    match catch_unwind(AssertUnwindSafe(|| collect_models(project, &files, &request.cwd, &request.hub_caches, configs))) {
        Ok(models) => (models, None),
        Err(payload) => {
            let what = message!("vramlint failed to read the models of the project", "vramlint 读取项目所用的模型时出错");
            (Models::catalogue(), internal_error::in_project(project, &what, panic_message(payload.as_ref())))
        }
    }
}

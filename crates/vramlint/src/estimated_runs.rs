//! Runs with their estimates, from a project or from flags.

use crate::cli::{CommonArgs, SetupArgs};
use crate::exit::user_error;
use crate::language;
use crate::progress::Progress;
use crate::request;
use crate::setup_flags::{self, gpu, model};
use anyhow::Result;
use std::path::{Path, PathBuf};
use vramlint_base::{Lang, Message, message};
use vramlint_estimate::{Plan, RunEstimate, estimate_setup};
use vramlint_project::{Report, Request, check, governing};
use vramlint_view::estimate::{EstimateInput, EstimateReport, run_inputs};

/// A run, or a setup by flags.
#[derive(Clone)]
pub(crate) struct EstimatedRun {
    /// Id of the run; empty for a setup by flags.
    pub(crate) id: String,
    pub(crate) estimated: RunEstimate,
    input: EstimateInput,
    /// Whether flags replaced settings of the run: its files do not say what is fitted.
    pub(crate) is_overridden: bool,
}

impl EstimatedRun {
    /// The estimate as it is.
    pub(crate) fn report(&self) -> EstimateReport {
        EstimateReport::new(self.input.clone())
    }

    /// The estimate under a plan.
    pub(crate) fn report_of(&self, plan: &Plan) -> EstimateReport {
        self.report_with(plan.setup.clone(), plan.estimate.clone())
    }

    /// The estimate of another setup.
    pub(crate) fn report_with(&self, setup: vramlint_memory::Setup, estimate: vramlint_memory::Estimate) -> EstimateReport {
        EstimateReport::new(EstimateInput {
            setup,
            known: Some((estimate, None)),
            floor: None,
            lightest: None,
            ..self.input.clone()
        })
    }
}

/// The runs, and what their project says.
pub(crate) struct EstimatedRuns {
    pub(crate) known: Vec<EstimatedRun>,
    /// Runs without an estimate, and why.
    pub(crate) without: Vec<(String, Message)>,
    pub(crate) lang: Lang,
    /// The project, for the edits of plans.
    pub(crate) project: Option<(Request, Report)>,
}

impl EstimatedRuns {
    /// Whether a run executes a Python file, which may be named by another path.
    pub(crate) fn executes(&self, run: &EstimatedRun, script: &Path) -> bool {
        let Some((request, report)) = &self.project else { return false };
        let canonical = |path: &Path| std::fs::canonicalize(request.cwd.join(path)).ok();
        let entry = report.runs().find(|found| found.id == run.id).and_then(|found| found.entry);
        let path = entry.map(|entry| PathBuf::from(&report.project.file(entry).path));
        path.and_then(|path| canonical(&path)).is_some_and(|path| canonical(script).as_ref() == Some(&path))
    }
}

/// What the arguments name.
pub(crate) fn of_arguments(
    common: &CommonArgs,
    paths: &[PathBuf],
    only: Option<&str>,
    flags: &SetupArgs,
) -> Result<EstimatedRuns> {
    if paths.is_empty() && (flags.model.is_some() || flags.params.is_some()) {
        return of_flags(common, flags);
    }
    let here = [PathBuf::from(".")];
    of_overridden_project(common, if paths.is_empty() { &here } else { paths }, only, flags)
}

/// The runs of a project as they are.
pub(crate) fn of_project(common: &CommonArgs, paths: &[PathBuf], only: Option<&str>) -> Result<EstimatedRuns> {
    of_overridden_project(common, paths, only, &SetupArgs::default())
}

/// The runs of a project, with the flags as overrides.
fn of_overridden_project(
    common: &CommonArgs,
    paths: &[PathBuf],
    only: Option<&str>,
    overrides: &SetupArgs,
) -> Result<EstimatedRuns> {
    let request = request::build(common, paths)?;
    let progress = Progress::new(common.quiet);
    let report = check(&request, &|done, all| progress.update(done, all))?;
    progress.clear();
    let lang = language::resolve(common.lang, report.lang);
    let (_, target) = governing(&request)?;
    let is_overridden = overrides.first_flag().is_some();
    let mut inputs: Vec<(String, Result<EstimateInput, Message>)> = run_inputs(&report, lang);
    inputs.retain(|(id, _)| only.is_none_or(|only| only == id));
    if let (Some(id), true) = (only, inputs.is_empty()) {
        return Err(user_error(message!(
            "unknown run `{id}`; `vramlint runs` lists the runs",
            "未知的训练任务 `{id}`；`vramlint runs` 可查看全部"
        )));
    }
    let (mut known, mut without) = (Vec::new(), Vec::new());
    for (id, input) in inputs {
        let found = report.estimated_runs().find(|(run, _)| run.id == id).map(|(_, found)| found.clone());
        match (input, found) {
            (Ok(mut input), Some(Ok(mut run))) => {
                if is_overridden {
                    setup_flags::override_input(overrides, &mut input, &target)?;
                    run = run.with_setup(input.setup.clone());
                    run.num_generations = input.num_generations;
                    input.known = None;
                }
                known.push(EstimatedRun { id, estimated: run, input, is_overridden });
            }
            (Err(why), _) | (_, Some(Err(why))) => without.push((id, why)),
            (Ok(_), None) => {}
        }
    }
    Ok(EstimatedRuns { known, without, lang, project: Some((request, report)) })
}

/// The setup that flags describe.
fn of_flags(common: &CommonArgs, flags: &SetupArgs) -> Result<EstimatedRuns> {
    let request = request::build(common, &[])?;
    let (config, target) = governing(&request)?;
    let Some(model) = model::from_flags(flags, &model::declared_models(&config), &request)? else {
        return Err(user_error(message!(
            "specify the model with --model or --params",
            "请用 --model 或 --params 指明要训练的模型"
        )));
    };
    let mut input = setup_flags::to_input(flags, model.clone(), &target)?;
    input.gpu = gpu::from_target(&target)?.map(|(capacity, _)| capacity);
    let mut run = estimate_setup(model, input.setup.clone(), &target);
    run.num_generations = input.num_generations;
    input.setup = run.setup.clone();
    input.known = Some((run.estimate.clone(), None));
    let lang = language::resolve(common.lang, config.lang);
    Ok(EstimatedRuns {
        known: vec![EstimatedRun { id: String::new(), estimated: run, input, is_overridden: true }],
        without: Vec::new(),
        lang,
        project: None,
    })
}

//! The runs or the setup to fit.

use crate::cli::{CommonArgs, FitArgs, SetupArgs};
use crate::commands::estimate::{flags, gpu, model};
use crate::exit::user_error;
use crate::language;
use crate::progress::Progress;
use crate::request;
use anyhow::Result;
use std::path::PathBuf;
use vramlint_base::{Lang, Message, message};
use vramlint_estimate::{Plan, RunEstimate, estimate_setup};
use vramlint_project::{Report, Request, check, governing};
use vramlint_view::estimate::{EstimateInput, EstimateReport, GpuCapacity, run_inputs};

/// A run, or a setup by flags.
#[derive(Clone)]
pub(crate) struct Subject {
    /// Id of the run; empty for a setup by flags.
    pub(crate) id: String,
    pub(crate) run: RunEstimate,
    input: EstimateInput,
    /// Whether flags replaced settings of the run: its files do not say what is fitted.
    pub(super) is_overridden: bool,
}

impl Subject {
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

/// Everything to fit.
pub(crate) struct Subjects {
    pub(crate) known: Vec<Subject>,
    /// Runs without an estimate, and why.
    pub(crate) without: Vec<(String, Message)>,
    pub(crate) lang: Lang,
    /// The project, for the edits of plans.
    pub(crate) project: Option<(Request, Report)>,
}

/// What the arguments name.
pub(super) fn subjects(args: &FitArgs) -> Result<Subjects> {
    if args.paths.is_empty() && (args.flags.model.is_some() || args.flags.params.is_some()) {
        return of_flags(args);
    }
    let paths = if args.paths.is_empty() { vec![PathBuf::from(".")] } else { args.paths.clone() };
    of_project(&args.common, &paths, args.run.as_deref(), &args.flags)
}

/// The runs of a project as they are.
pub(crate) fn project_subjects(common: &CommonArgs, paths: &[PathBuf], only: Option<&str>) -> Result<Subjects> {
    of_project(common, paths, only, &SetupArgs::default())
}

/// The runs of a project, with the flags as overrides.
fn of_project(common: &CommonArgs, paths: &[PathBuf], only: Option<&str>, overrides: &SetupArgs) -> Result<Subjects> {
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
                    flags::override_subject(overrides, &mut input, &target)?;
                    run = run.with_setup(input.setup.clone());
                    run.num_generations = input.num_generations;
                    input.known = None;
                }
                known.push(Subject { id, run, input, is_overridden });
            }
            (Err(why), _) | (_, Some(Err(why))) => without.push((id, why)),
            (Ok(_), None) => {}
        }
    }
    Ok(Subjects { known, without, lang, project: Some((request, report)) })
}

/// The setup that flags describe.
fn of_flags(args: &FitArgs) -> Result<Subjects> {
    let request = request::build(&args.common, &[])?;
    let (config, target) = governing(&request)?;
    let Some(model) = model::from_flags(&args.flags, &model::declared_models(&config), &request)? else {
        return Err(user_error(message!(
            "specify the model with --model or --params",
            "请用 --model 或 --params 指明要训练的模型"
        )));
    };
    let mut input = flags::to_subject(&args.flags, model.clone(), &target)?;
    let card = gpu::from_target(&target)?.map(|(card, _): (GpuCapacity, _)| card);
    input.gpu = card;
    let mut run = estimate_setup(model, input.setup.clone(), &target);
    run.num_generations = input.num_generations;
    input.setup = run.setup.clone();
    input.known = Some((run.estimate.clone(), None));
    let lang = language::resolve(args.common.lang, config.lang);
    Ok(Subjects {
        known: vec![Subject { id: String::new(), run, input, is_overridden: true }],
        without: Vec::new(),
        lang,
        project: None,
    })
}

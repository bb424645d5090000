//! `fit --output-format json`.

use super::estimate::step_time_json;
use super::ordered_json::{Node, Object};
use crate::plans::{EditedPlan, RunPlans};
use serde::Serialize;
use serde_json::{Value as Json, json};
use vramlint_base::{Lang, Message};
use vramlint_estimate::TrainingEffect;
use vramlint_memory::Estimate;
use vramlint_view::ceilings::CeilingTable;
use vramlint_view::estimate::step_time::{from_measured, step_time};
use vramlint_view::estimate::{EstimateReport, dimensions};
use vramlint_view::fit::{changed_settings, why_not};

#[derive(Serialize)]
struct FitJson {
    version: u32,
    #[serde(flatten)]
    answer: Object,
}

/// One object, or a list if there is not exactly one run.
/// `measured`: the measured time of a step as it is, seconds.
pub(crate) fn render(answers: &[RunPlans], without: &[(String, Message)], lang: Lang, measured: Option<f64>) -> String {
    let mut all: Vec<FitJson> =
        answers.iter().map(|one| FitJson { version: super::serialize::VERSION, answer: answer(one, lang, measured) }).collect();
    for (id, why) in without {
        let mut object = Object::default();
        object.put("run", id.as_str());
        object.put("plans", Node::List(Vec::new()));
        object.put("why", why.get(lang));
        all.push(FitJson { version: super::serialize::VERSION, answer: object });
    }
    match &all[..] {
        [only] => super::serialize::to_string_pretty(only),
        _ => super::serialize::to_string_pretty(&all),
    }
}

/// The largest values on several machines: one object, or a list if there is not exactly one run.
pub(crate) fn ceilings(tables: &[CeilingTable]) -> String {
    let all: Vec<FitJson> =
        tables.iter().map(|table| FitJson { version: super::serialize::VERSION, answer: ceiling_table(table) }).collect();
    match &all[..] {
        [only] => super::serialize::to_string_pretty(only),
        _ => super::serialize::to_string_pretty(&all),
    }
}

fn ceiling_table(table: &CeilingTable) -> Object {
    let mut object = Object::default();
    object.put("run", table.name.as_str());
    object.put("setting", table.setting);
    let machines = table.rows.iter().map(|(machine, ceiling)| {
        let mut object = Object::default();
        object.put("gpu", machine.gpu.map_or(Json::Null, |gpu| gpu.name.into()));
        object.put("gpus", machine.gpus);
        object.put("bytes", machine.bytes);
        object.put("value", ceiling.as_ref().map_or(Json::Null, |ceiling| ceiling.value.into()));
        for (name, bytes) in [
            ("peak", ceiling.as_ref().map(|ceiling| ceiling.estimate.peak)),
            ("low", ceiling.as_ref().map(|ceiling| ceiling.estimate.low)),
            ("high", ceiling.as_ref().map(|ceiling| ceiling.estimate.high)),
        ] {
            object.put(name, bytes.map_or(Json::Null, Json::from));
        }
        object.into()
    });
    object.put("machines", machines.collect::<Node>());
    object
}

fn answer(answer: &RunPlans, lang: Lang, measured: Option<f64>) -> Object {
    let report = answer.run.report();
    let mut object = Object::default();
    object.put("run", if answer.run.id.is_empty() { Json::Null } else { answer.run.id.as_str().into() });
    let mut target = Object::default();
    target.put("gpu", report.gpu().and_then(|gpu| gpu.name.clone()).map_or(Json::Null, Json::from));
    target.put("bytes", report.gpu().map_or(Json::Null, |gpu| gpu.bytes.into()));
    target.put("gpus", report.input.setup.parallel.world);
    target.put("limit", answer.options.limit);
    object.put("target", target);
    let fits = if answer.ceiling.is_some() { None } else { Some(answer.fitting.fits) };
    object.put("now", estimate(&report, &report.estimate, fits.unwrap_or(report.estimate.high <= answer.options.limit)));
    if let Some((setting, ceiling)) = &answer.ceiling {
        let mut largest = Object::default();
        largest.put("setting", *setting);
        largest.put("value", ceiling.as_ref().map_or(Json::Null, |ceiling| ceiling.value.into()));
        if let Some(ceiling) = ceiling {
            let at = answer.run.report_with(ceiling.setup.clone(), ceiling.estimate.clone());
            largest.put("estimate", estimate(&at, &ceiling.estimate, true));
        }
        object.put("max", largest);
        return object;
    }
    object.put("step_time", step_time_of(&report));
    if let Some(measured) = measured {
        object.put("measured", measured);
    }
    let plan_with_time = |own: &EditedPlan| {
        let mut object = plan(answer, &report, own, lang);
        put_times(&mut object, (&report, &answer.run.report_of(&own.plan)), own, measured);
        Node::Object(object)
    };
    object.put("plans", answer.plans.iter().map(plan_with_time).collect::<Node>());
    if answer.plans.is_empty() && !answer.fitting.fits {
        object.put("why", why_not(&answer.fitting, answer.options.limit).get(lang));
    }
    object
}

/// The least time of a step on the GPU of a report; null if it is not known.
fn step_time_of(report: &EstimateReport) -> Json {
    step_time_json(report).and_then(|time| serde_json::to_value(time).ok()).unwrap_or(Json::Null)
}

/// The least time of a step under a plan, and what the plan makes of a measured one.
fn put_times(object: &mut Object, (before, after): (&EstimateReport, &EstimateReport), own: &EditedPlan, measured: Option<f64>) {
    object.put("step_time", step_time_of(after));
    if let Some(measured) = measured {
        let least = |report: &EstimateReport| step_time(report).map(|time| time.seconds());
        let (low, high) = from_measured(measured, own.plan.slowdown, least(before), least(after));
        object.put("from_measured", json!({"low": low, "high": high}));
    }
}

/// The plans, best first, without times: the GPU may be another than that of the project.
pub(super) fn plans(answer: &RunPlans, lang: Lang) -> Node {
    let report = answer.run.report();
    answer.plans.iter().map(|own| Node::Object(plan(answer, &report, own, lang))).collect()
}

fn plan(answer: &RunPlans, before: &EstimateReport, own: &EditedPlan, lang: Lang) -> Object {
    let plan = &own.plan;
    let after = answer.run.report_of(plan);
    let mut object = Object::default();
    object.put("title", plan.title(&answer.run.estimated.setup).get(lang));
    object.put(
        "keeps",
        match plan.effect {
            TrainingEffect::Same => "same",
            TrainingEffect::NearlySame => "nearly",
            TrainingEffect::Different => "differs",
        },
    );
    let changes = changed_settings(before, &after).into_iter().map(|(setting, from, to)| {
        let mut change = Object::default();
        change.put("setting", setting);
        change.put("from", from);
        change.put("to", to);
        change.into()
    });
    object.put("changes", changes.collect::<Node>());
    let mut setup = Object::default();
    for (name, value) in dimensions::list(&after) {
        setup.put(name, Node::Plain(value));
    }
    object.put("setup", setup);
    object.put("estimate", estimate(&after, &plan.estimate, plan.estimate.high <= answer.options.limit));
    object.put("slowdown", json!({"low": plan.slowdown.low, "high": plan.slowdown.high}));
    let edits = own.edits.iter().map(|edit| {
        let mut object = Object::default();
        object.put("path", edit.path.as_str());
        object.put("offset", edit.offset);
        object.put("end_offset", edit.end_offset);
        object.put("text", edit.text.as_str());
        object.into()
    });
    object.put("edits", edits.collect::<Node>());
    let titles = plan.titles(&answer.run.estimated.setup);
    let by_hand = own.by_hand.iter().filter_map(|place| titles.get(*place));
    object.put("by_hand", by_hand.map(|title| Node::from(title.get(lang))).collect::<Node>());
    object
}

fn estimate(report: &EstimateReport, estimate: &Estimate, fits: bool) -> Object {
    let setup = &report.input.setup;
    let mut object = Object::default();
    object.put("peak", estimate.peak);
    object.put("low", report.estimate.low.min(estimate.low));
    object.put("high", estimate.high);
    object.put("tensors", estimate.tensors);
    object.put("reserved", estimate.reserved);
    object.put("fits", fits);
    object.put("effective_batch", setup.micro_batch.saturating_mul(setup.accumulation).saturating_mul(setup.parallel.world));
    object
}

//! `fit --output-format json`.

use super::ordered_json::{Node, Object};
use crate::commands::fit::{Answer, EditedPlan};
use serde::Serialize;
use serde_json::{Value as Json, json};
use vramlint_base::{Lang, Message};
use vramlint_estimate::TrainingEffect;
use vramlint_memory::Estimate;
use vramlint_view::estimate::{EstimateReport, dimensions};
use vramlint_view::fit::{changed_settings, why_not};

/// An edit of a file.
pub(crate) struct FileEdit {
    pub(crate) path: String,
    pub(crate) offset: u32,
    pub(crate) end_offset: u32,
    pub(crate) text: String,
}

#[derive(Serialize)]
struct FitJson {
    version: u32,
    #[serde(flatten)]
    answer: Object,
}

/// One object, or a list if there is not exactly one run.
pub(crate) fn render(answers: &[Answer], without: &[(String, Message)], lang: Lang) -> String {
    let mut all: Vec<FitJson> =
        answers.iter().map(|one| FitJson { version: super::serialize::VERSION, answer: answer(one, lang) }).collect();
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

fn answer(answer: &Answer, lang: Lang) -> Object {
    let report = answer.subject.report();
    let mut object = Object::default();
    object.put("run", if answer.subject.id.is_empty() { Json::Null } else { answer.subject.id.as_str().into() });
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
            let at = answer.subject.report_with(ceiling.setup.clone(), ceiling.estimate.clone());
            largest.put("estimate", estimate(&at, &ceiling.estimate, true));
        }
        object.put("max", largest);
        return object;
    }
    object.put("plans", plans(answer, lang));
    if answer.plans.is_empty() && !answer.fitting.fits {
        object.put("why", why_not(&answer.fitting, answer.options.limit).get(lang));
    }
    object
}

/// The plans, best first.
pub(super) fn plans(answer: &Answer, lang: Lang) -> Node {
    let report = answer.subject.report();
    answer.plans.iter().map(|own| Node::Object(plan(answer, &report, own, lang))).collect()
}

fn plan(answer: &Answer, before: &EstimateReport, own: &EditedPlan, lang: Lang) -> Object {
    let plan = &own.plan;
    let after = answer.subject.report_of(plan);
    let mut object = Object::default();
    object.put("title", plan.title(&answer.subject.run.setup).get(lang));
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

//! The text of `fit`: whether a run fits, and the plans that make it fit.

use crate::estimate::format::{gib, gib_value, in_lang};
use crate::estimate::step_time::{contradiction, explanation, from_measured, sentence, step_time};
use crate::estimate::{EstimateReport, dimensions, step_time as time};
use crate::table::cut;
use crate::{StyleRole, Styler};
use serde_json::Value as Json;
use vramlint_base::{Lang, Message, message};
use vramlint_estimate::fit::{Ceiling, Fitting, Slowdown};
use vramlint_estimate::{Plan, StepTime, TrainingEffect, Verdict};

/// Maximum columns of a name.
const NAME: usize = 96;
/// Figures of a setup that follow from others, so that their change says nothing of its own.
const DERIVED: &[&str] = &["parameters", "trainable", "effective_batch", "reentrant", "adapters_dtype"];

/// How it is shown.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Language of the messages.
    pub lang: Lang,
    /// Applies styles.
    pub styler: Styler,
    /// Whether settings and parts are shown before and after.
    pub explain: bool,
    /// The measured time of a step as it is, seconds.
    pub measured: Option<f64>,
}

/// What became of the edits of a plan.
#[derive(Clone, Debug, Default)]
pub struct Edited {
    /// The files that `--apply` would change, as shown.
    pub files: Vec<String>,
    /// Which changes, by their place in the plan, no edit makes.
    pub by_hand: Vec<usize>,
}

/// One run.
#[derive(Debug)]
pub struct Block<'a> {
    /// Its estimate as it is.
    pub report: EstimateReport,
    /// Bytes of a GPU that it may use.
    pub limit: u64,
    /// The answer.
    pub fitting: &'a Fitting,
    /// The plans, each with the estimate under it.
    pub plans: Vec<(EstimateReport, &'a Plan, Edited)>,
    /// The largest value of a setting, if that was asked for.
    pub ceiling: Option<(&'static str, Option<&'a Ceiling>)>,
}

/// Every run, and why others have no estimate.
pub fn text(blocks: &[Block<'_>], without: &[(String, Message)], look: &Look) -> String {
    let mut parts: Vec<String> = blocks.iter().map(|block| draw(block, look)).collect();
    parts.extend(without.iter().map(|(id, why)| {
        let (id, why) = (cut(id, NAME), why.get(look.lang));
        message!("{id}  no estimate: {why}", "{id}  无法估算：{why}").get(look.lang).to_owned() + "\n"
    }));
    parts.join("\n")
}

fn draw(block: &Block<'_>, look: &Look) -> String {
    let mut lines = vec![head(block, look)];
    if let Some((setting, ceiling)) = block.ceiling {
        lines.push(format!("  {}", largest(setting, ceiling).get(look.lang)));
        return lines.join("\n") + "\n";
    }
    lines.extend(time_now(&block.report, look));
    for (index, (after, plan, edited)) in block.plans.iter().enumerate() {
        lines.extend(plan_lines(block, index + 1, after, plan, edited, look));
    }
    if block.plans.is_empty() && !block.fitting.fits {
        lines.push(format!("  {}", why_not(block.fitting, block.limit).get(look.lang)));
    }
    lines.join("\n") + "\n"
}

fn head(block: &Block<'_>, look: &Look) -> String {
    let report = &block.report;
    let name = (look.styler)(&cut(&report.name(), NAME), StyleRole::Strong);
    let gpu = report.gpu().and_then(|gpu| gpu.name.clone()).unwrap_or_else(|| "GPU".to_owned());
    let (peak, high, limit) = (gib(report.estimate.peak), gib(report.estimate.high), gib(block.limit));
    let fits = block.fitting.fits || block.ceiling.is_some() && report.estimate.high <= block.limit;
    let (verdict, text) = if fits {
        (Verdict::Fits, message!("fits {gpu} ({limit}): {peak}, up to {high}", "{gpu}（{limit}）放得下：{peak}，至多 {high}"))
    } else if report.estimate.low <= block.limit {
        (
            Verdict::MayNotFit,
            message!("may not fit {gpu} ({limit}): {peak}, up to {high}", "{gpu}（{limit}）可能放不下：{peak}，至多 {high}"),
        )
    } else {
        (
            Verdict::DoesNotFit,
            message!("does not fit {gpu} ({limit}): {peak}, up to {high}", "{gpu}（{limit}）放不下：{peak}，至多 {high}"),
        )
    };
    format!("{name}  {}", (look.styler)(text.get(look.lang), StyleRole::Verdict(verdict)))
}

fn plan_lines(
    block: &Block<'_>,
    number: usize,
    after: &EstimateReport,
    plan: &Plan,
    edited: &Edited,
    look: &Look,
) -> Vec<String> {
    let before = &block.report.input.setup;
    let (peak, high) = (gib(plan.estimate.peak), gib(plan.estimate.high));
    let (effect, time) = (effect(plan.effect), duration(plan.slowdown));
    let (effect, time) = (effect.get(look.lang), time.get(look.lang));
    let summary = message!("{peak}, up to {high}; {effect}; {time}", "{peak}，至多 {high}；{effect}；{time}");
    let mut lines = vec![format!("  {number}. {}", (look.styler)(summary.get(look.lang), StyleRole::Strong))];
    lines.extend(plan.titles(before).iter().enumerate().map(|(place, title)| {
        let Message { en, zh } = title;
        let by_hand = message!("by hand: {en}", "需手动：{zh}");
        let text = if edited.by_hand.contains(&place) { &by_hand } else { title };
        format!("     - {}", text.get(look.lang))
    }));
    lines.extend(time_after(&block.report, after, plan, look));
    if !edited.files.is_empty() {
        let files = edited.files.join(", ");
        let text = message!("--apply --plan {number} changes {files}", "--apply --plan {number} 将修改 {files}");
        lines.push(format!("     {}", (look.styler)(text.get(look.lang), StyleRole::Faint)));
    }
    if look.explain {
        lines.extend(
            changed_settings(&block.report, after).iter().map(|(name, from, to)| format!("       {name}: {from} -> {to}")),
        );
        for (part, bytes) in block.report.parts() {
            let new = after.parts().find(|(own, _)| *own == part).map_or(0, |(_, bytes)| bytes);
            if new != bytes {
                let (name, from, to) = (in_lang(part.label(), look.lang), gib_value(bytes), gib(new));
                lines.push(format!("       {name}: {from} -> {to}"));
            }
        }
    }
    lines
}

/// The least time of a step as it is, and whether a measured one contradicts it.
fn time_now(report: &EstimateReport, look: &Look) -> Vec<String> {
    let Some(least) = step_time(report) else { return Vec::new() };
    let mut lines = vec![format!("  {}", sentence(report, &least).get(look.lang))];
    if look.explain {
        lines.extend(explanation(&least).iter().map(|line| format!("    {}", line.get(look.lang))));
    }
    let contradicted = look.measured.and_then(|measured| contradiction(measured, &least));
    lines.extend(contradicted.map(|text| format!("  {}", text.get(look.lang))));
    lines
}

/// The least time of a step under a plan, and what the plan makes of a measured one.
fn time_after(before: &EstimateReport, after: &EstimateReport, plan: &Plan, look: &Look) -> Vec<String> {
    let (now, least) = (step_time(before), step_time(after));
    let seconds = |time: &Option<StepTime>| time.as_ref().map(StepTime::seconds);
    let mut lines = Vec::new();
    if let Some(measured) = look.measured {
        let (low, high) = from_measured(measured, plan.slowdown, seconds(&now), seconds(&least));
        let [measured, low, high] = [measured, low, high].map(time::duration);
        let text = if low == high {
            message!("a step that takes {measured} now takes about {low}", "现在每步 {measured}，改动后约为 {low}")
        } else {
            message!("a step that takes {measured} now takes {low} to {high}", "现在每步 {measured}，改动后为 {low} 至 {high}")
        };
        lines.push(format!("     {}", text.get(look.lang)));
    }
    if let Some(least) = least.filter(|_| look.explain) {
        lines.push(format!("     {}", sentence(after, &least).get(look.lang)));
        lines.extend(explanation(&least).iter().map(|line| format!("       {}", line.get(look.lang))));
    }
    lines
}

fn effect(effect: TrainingEffect) -> Message {
    match effect {
        TrainingEffect::Same => message!("the same training", "训练不变"),
        TrainingEffect::NearlySame => message!("nearly the same training", "训练基本不变"),
        TrainingEffect::Different => message!("a different training", "训练有变化"),
    }
}

/// The time of a step as a multiple of the present one.
fn duration(slowdown: Slowdown) -> Message {
    let Slowdown { low, high } = slowdown;
    if (high - low).abs() < 0.015 {
        return message!("about {high:.2} × the time of a step", "每步用时约 {high:.2} 倍");
    }
    message!("{low:.2} to {high:.2} × the time of a step", "每步用时 {low:.2} 至 {high:.2} 倍")
}

fn largest(setting: &str, ceiling: Option<&Ceiling>) -> Message {
    match ceiling {
        Some(ceiling) => {
            let (value, peak, high) = (ceiling.value, gib(ceiling.estimate.peak), gib(ceiling.estimate.high));
            message!(
                "the largest {setting} that fits is {value}: {peak}, up to {high}",
                "放得下的最大 {setting} 为 {value}：{peak}，至多 {high}"
            )
        }
        None => message!("no {setting} fits", "任何 {setting} 都放不下"),
    }
}

/// Why there is no plan.
pub fn why_not(fitting: &Fitting, limit: u64) -> Message {
    let limit = gib(limit);
    match fitting.least {
        Some(least) => {
            let (peak, high) = (gib(least.peak), gib(least.high));
            message!(
                "no combination of changes fits {limit}; the lowest that they reach is {peak}, up to {high}",
                "没有任何改动组合能放进 {limit}；最低可达 {peak}，至多 {high}"
            )
        }
        None => message!("nothing that may change makes it fit {limit}", "可改动的各项都无法让它放进 {limit}"),
    }
}

/// The settings that differ, with both values.
pub fn changed_settings(before: &EstimateReport, after: &EstimateReport) -> Vec<(&'static str, Json, Json)> {
    let (old, new) = (dimensions::list(before), dimensions::list(after));
    let value = |name: &str, list: &[(&'static str, Json)]| {
        list.iter().find(|(own, _)| *own == name).map_or(Json::Null, |(_, value)| value.clone())
    };
    let names = old.iter().chain(&new).map(|(name, _)| *name).filter(|name| !DERIVED.contains(name));
    let mut changed: Vec<(&'static str, Json, Json)> = Vec::new();
    for name in names {
        let (from, to) = (value(name, &old), value(name, &new));
        if from != to && !changed.iter().any(|(own, ..)| *own == name) {
            changed.push((name, from, to));
        }
    }
    changed
}

//! An estimate with its input, as every format shows it.

use super::{EstimateInput, GpuCapacity, run_inputs};
use rayon::prelude::*;
use std::sync::OnceLock;
use vramlint_base::{Lang, Message, message};
use vramlint_estimate::{Lightest, OpenSetting, Timeline, Verdict, open_settings};
use vramlint_memory::estimate::{Item, Moment, Part};
use vramlint_memory::setup::{AdapterKind, Lora, Quantization, Scheme};
use vramlint_memory::{Arch, Estimate, Setup, estimate, estimate_with_timeline, timeline};
use vramlint_project::Report;

/// An estimate with its input.
#[derive(Debug)]
pub struct EstimateReport {
    /// The input.
    pub input: EstimateInput,
    /// The estimate.
    pub estimate: Estimate,
    /// The moments of one training step, simulated on first use.
    timeline: OnceLock<Timeline>,
    /// What the project leaves open, simulated on first use.
    open: OnceLock<Vec<OpenSetting>>,
}

/// The selected runs in order: the report, or why there is none.
pub fn reports(report: &Report, lang: Lang) -> Vec<Result<EstimateReport, Message>> {
    run_inputs(report, lang).into_iter().map(|(_, input)| input.map(EstimateReport::new)).collect()
}

/// The same with every timeline, simulated in parallel.
pub fn reports_with_timelines(report: &Report, lang: Lang) -> Vec<Result<EstimateReport, Message>> {
    let reports = reports(report, lang);
    // The call fills the cell for later use.
    reports.par_iter().flatten().for_each(|report| _ = report.timeline());
    reports
}

impl EstimateReport {
    /// Computes the estimate.
    pub fn new(input: EstimateInput) -> Self {
        Self::of(input, |arch, setup| (estimate(arch, setup), None))
    }

    /// Computes the estimate and the timeline, from one simulation.
    pub fn with_timeline(input: EstimateInput) -> Self {
        Self::of(input, |arch, setup| {
            let (estimate, timeline) = estimate_with_timeline(arch, setup);
            (estimate, Some(timeline.into()))
        })
    }

    fn of(mut input: EstimateInput, simulate: impl Fn(&Arch, &Setup) -> (Estimate, Option<Timeline>)) -> Self {
        let (mut estimate, timeline) = input.known.take().unwrap_or_else(|| simulate(&input.arch, &input.setup));
        estimate.low = input.floor.map_or(estimate.low, |floor| floor.min(estimate.low));
        let timeline = timeline.map_or_else(OnceLock::new, OnceLock::from);
        Self { input, estimate, timeline, open: OnceLock::new() }
    }

    /// The moments of one training step.
    pub fn timeline(&self) -> &[Moment] {
        self.timeline.get_or_init(|| timeline(&self.input.arch, &self.input.setup).into())
    }

    /// What the project leaves open, the setting that moves the peak most first. Simulates once for each.
    pub fn open_settings(&self) -> &[OpenSetting] {
        let find = |lightest: &Lightest| open_settings(&self.input.arch, &self.input.setup, self.estimate.peak, lightest);
        self.open.get_or_init(|| self.input.lightest.as_deref().map(find).unwrap_or_default())
    }

    /// The displayed name: the run, else the model, else the number of parameters.
    pub fn name(&self) -> String {
        match (&self.input.id, self.input.model.as_str()) {
            (serde_json::Value::String(id), _) => id.clone(),
            (serde_json::Value::Number(id), _) => id.to_string(),
            (_, "") => super::format::parameter_count(self.estimate.parameters),
            (_, model) => model.to_owned(),
        }
    }

    /// The target GPU, if known.
    pub fn gpu(&self) -> Option<&GpuCapacity> {
        self.input.gpu.as_ref()
    }

    /// Whether the run fits the GPU, if one is known.
    pub fn verdict(&self) -> Option<Verdict> {
        let gpu = self.gpu()?;
        Some(Verdict::of(self.estimate.low, self.estimate.high, gpu.bytes))
    }

    /// Capacity minus peak, bytes; negative if the run does not fit.
    pub fn headroom(&self) -> Option<i64> {
        self.gpu().map(|gpu| difference(gpu.bytes, self.estimate.peak))
    }

    /// The parts that are not empty, with their bytes at the peak.
    pub fn parts(&self) -> impl Iterator<Item = (Part, u64)> {
        Part::ALL.into_iter().zip(self.estimate.parts).filter(|(_, bytes)| *bytes > 0)
    }

    /// The items of a part, largest first.
    pub fn items(&self, part: Part) -> Vec<&Item> {
        let mut items: Vec<&Item> = self.estimate.items.iter().filter(|item| item.part == part).collect();
        items.sort_by_key(|item| std::cmp::Reverse(item.bytes));
        items
    }

    /// The index of the moment with the most memory.
    pub fn peak_moment(&self) -> Option<usize> {
        let most = self.timeline().iter().map(|moment| moment.bytes).max()?;
        self.timeline().iter().position(|moment| moment.bytes == most)
    }

    /// All assumptions.
    pub fn assumptions(&self) -> Vec<Message> {
        let simulated = self.estimate.assumptions.iter().map(|one| Message { en: one.en.clone(), zh: one.zh.clone() });
        let mut all: Vec<Message> = Vec::new();
        for one in self.input.assumptions.iter().cloned().chain(simulated) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
        if !self.input.unused.is_empty() {
            let list = self.input.unused.join(", ");
            all.push(message!("unknown fields, ignored: {list}", "未知字段，已忽略：{list}"));
        }
        all
    }

    /// The training method in one word.
    pub fn method(&self) -> &'static str {
        let setup = &self.input.setup;
        match &setup.lora {
            Some(Lora { kind: AdapterKind::Scaling { .. }, .. }) => "ia3",
            Some(_) if setup.quantization == Quantization::None => "lora",
            Some(_) => "qlora",
            None if setup.freeze_base => "freeze",
            None if setup.trained.as_ref().is_some_and(|parts| !parts.is_whole_language_model()) => "freeze",
            None if setup.trains_prompt => "prompt-tuning",
            None => "full",
        }
    }

    /// Whether the DeepSpeed engine keeps fp32 master weights.
    pub(super) fn engine(&self) -> bool {
        let parallel = &self.input.setup.parallel;
        parallel.master && matches!(parallel.scheme, Scheme::Zero1 | Scheme::Zero2 | Scheme::Zero3)
    }
}

/// `a - b`, saturating.
pub(super) fn difference(a: u64, b: u64) -> i64 {
    let whole = i128::from(a) - i128::from(b);
    i64::try_from(whole).unwrap_or(if whole < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_do_not_overflow() {
        assert_eq!((difference(3, 5), difference(u64::MAX, 0), difference(0, u64::MAX)), (-2, i64::MAX, i64::MIN));
    }
}

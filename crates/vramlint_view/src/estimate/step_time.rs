//! The least time of a step in words, and a measured time under a plan.

use super::report::EstimateReport;
use vramlint_base::{Lang, Message, message};
use vramlint_catalog::gpus::lookup;
use vramlint_estimate::StepTime;
use vramlint_estimate::fit::Slowdown;
use vramlint_estimate::step_time::{Resource, ResourceTime};

/// Smallest share of the bound that another resource needs to be named.
const NAMED: f64 = 0.01;

/// The least time of a step on the GPU of a report. `None` where no GPU of the catalogue is named, or where its speeds or the work of the
/// step are not known.
pub fn step_time(report: &EstimateReport) -> Option<StepTime> {
    let gpu = lookup(report.gpu()?.name.as_deref()?)?.smallest();
    StepTime::of(&report.input.arch, &report.input.setup, gpu)
}

/// The bound in one sentence.
pub fn sentence(report: &EstimateReport, time: &StepTime) -> Message {
    let setup = &report.input.setup;
    let (gpu, least) = (time.gpu.name, duration(time.seconds()));
    let article = article(gpu);
    // Pairs count as two rows.
    let counts = [setup.accumulation, setup.rows(), setup.sequence_length];
    let tokens = counts.iter().skip(usize::from(setup.accumulation <= 1)).map(u64::to_string).collect::<Vec<_>>().join(" × ");
    let [en, zh] = [Lang::En, Lang::Zh].map(|lang| {
        let named = time.parts.iter().filter(|part| part.seconds() >= NAMED * time.seconds());
        let words = named.enumerate().map(|(index, part)| {
            let name = resource(part.resource);
            if index == 0 { name.get(lang).to_owned() } else { format!("{} {}", name.get(lang), duration(part.seconds())) }
        });
        words.collect::<Vec<_>>().join(if lang == Lang::Zh { "，" } else { ", " })
    });
    message!(
        "A step of {tokens} tokens takes at least {least} on {article} {gpu} ({en})",
        "在 {gpu} 上，一步（{tokens} 个 token）至少需要 {least}（{zh}）"
    )
}

/// How each part of the bound is computed, and where the speeds come from.
pub fn explanation(time: &StepTime) -> Vec<Message> {
    let mut lines: Vec<Message> = time.parts.iter().map(|part| formula(time, part)).collect();
    let source = time.source;
    lines.push(message!("speeds: {source}", "速度：{source}"));
    lines
}

fn formula(time: &StepTime, part: &ResourceTime) -> Message {
    let name = resource(part.resource);
    let (name_en, name_zh, seconds) = (name.en, name.zh, duration(part.seconds()));
    if part.resource == Resource::Compute {
        let [all, forward, again, backward] =
            [part.amount, time.work.forward_flops, time.work.recompute_flops, time.work.backward_flops].map(tera);
        let (rate, products) = (tera(part.rate), time.products);
        return message!(
            "{name_en}: {forward} forward + {again} recomputed + {backward} backward = {all} TFLOP / {rate} TFLOP/s ({products}) = {seconds}",
            "{name_zh}：前向 {forward} + 重算 {again} + 反向 {backward} = {all} TFLOP / {rate} TFLOP/s（{products}）= {seconds}"
        );
    }
    let (amount, rate) = (format!("{:.2}", part.amount / 1e9), format!("{:.1}", part.rate / 1e9));
    message!("{name_en}: {amount} GB / {rate} GB/s = {seconds}", "{name_zh}：{amount} GB / {rate} GB/s = {seconds}")
}

/// The time of a step under a plan, in seconds, from one that was measured without it: the measured time over the range of the slowdown.
/// The bounds without and with the plan, if they are known, hold for full rows: where the measured step stays below the one, the other
/// says nothing of it.
pub fn from_measured(measured: f64, slowdown: Slowdown, before: Option<f64>, after: Option<f64>) -> (f64, f64) {
    let least = after.filter(|_| before.is_some_and(|before| measured >= before)).unwrap_or(0.0);
    let low = (measured * slowdown.low).max(least);
    let micro = |seconds: f64| (seconds * 1e6).round() / 1e6;
    (micro(low), micro((measured * slowdown.high).max(low)))
}

/// Why a measured time is not that of a step, if it is less than the bound.
pub fn contradiction(measured: f64, time: &StepTime) -> Option<Message> {
    let (shown, least) = (duration(measured), duration(time.seconds()));
    (measured < time.seconds()).then(|| {
        message!(
            "the measured {shown} are less than the least time of a step ({least}): its rows are shorter, or it is another setup",
            "测得的 {shown} 小于一步的最短用时（{least}）：样本更短，或训练设置不同"
        )
    })
}

/// Seconds with three digits: `1.02 s`, `38.4 ms`.
pub fn duration(seconds: f64) -> String {
    let (value, unit) = if seconds < 1.0 { (seconds * 1e3, "ms") } else { (seconds, "s") };
    format!("{} {unit}", digits(value))
}

/// Operations in units of 10¹².
fn tera(operations: f64) -> String {
    digits(operations / 1e12)
}

/// A number with three digits.
fn digits(value: f64) -> String {
    match value {
        _ if value >= 100.0 => format!("{value:.0}"),
        _ if value >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn resource(resource: Resource) -> Message {
    match resource {
        Resource::Compute => message!("compute", "计算"),
        Resource::Memory => message!("memory", "显存读写"),
        Resource::Links => message!("links between GPUs", "GPU 间传输"),
        Resource::Host => message!("link to the host", "主机传输"),
    }
}

/// The article before a name: `an RTX A6000`, `a GeForce RTX 4090`.
fn article(name: &str) -> &'static str {
    let first = name.split(' ').next().unwrap_or_default();
    // A word of capitals and digits is spelled, unless it has a vowel to be spoken with: `TITAN`.
    let is_spelled = first.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()) && first != "TITAN";
    let vowels = if is_spelled { "AEFHILMNORSX" } else { "AEIOU" };
    if first.starts_with(|c| vowels.contains(c)) { "an" } else { "a" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits() {
        assert_eq!(
            [0.000_52, 0.0384, 0.2, 1.018, 12.34, 345.6].map(duration),
            ["0.52 ms", "38.4 ms", "200 ms", "1.02 s", "12.3 s", "346 s"]
        );
    }

    #[test]
    fn names_have_the_article_of_their_sound() {
        let named = [
            "GeForce RTX 4090",
            "RTX A6000",
            "A100 80GB SXM",
            "H100 SXM 80GB",
            "TITAN RTX",
            "Instinct MI300X",
            "GH200 96GB",
            "B200",
        ];
        assert_eq!(named.map(article), ["a", "an", "an", "an", "a", "an", "a", "a"]);
    }

    #[test]
    fn a_measured_step_stays_above_the_bound() {
        let slowdown = Slowdown { low: 0.5, high: 2.0 };
        assert_eq!(from_measured(2.0, slowdown, None, None), (1.0, 4.0));
        assert_eq!(from_measured(2.0, slowdown, Some(1.8), Some(1.5)), (1.5, 4.0));
        assert_eq!(from_measured(2.0, slowdown, Some(1.8), Some(5.0)), (5.0, 5.0));
        assert_eq!(from_measured(2.0, slowdown, Some(2.1), Some(1.5)), (1.0, 4.0), "its rows are not full");
    }
}

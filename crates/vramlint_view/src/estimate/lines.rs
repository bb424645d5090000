//! An estimate in a few lines, for the table of `runs`.

use super::format::{gib, gib_value, in_lang, phase_phrase};
use super::report::EstimateReport;
use super::summary;
use vramlint_base::{Lang, message};

/// Maximum number of listed parts.
const PARTS: usize = 4;

/// Values with remarks; a continuation line has no value.
pub fn lines(report: &EstimateReport, lang: Lang) -> Vec<(String, String)> {
    let estimate = &report.estimate;
    let (peak, low, high, at) =
        (gib(estimate.peak), gib_value(estimate.low), gib(estimate.high), phase_phrase(estimate.peak_phase, lang));
    let value = report.gpu().map_or_else(
        || peak.clone(),
        |gpu| {
            let all = gib(gpu.bytes);
            message!("{peak} of {all}", "{peak} / {all}").get(lang).to_owned()
        },
    );
    let mut parts: Vec<_> = report.parts().collect();
    parts.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let parts: Vec<String> =
        parts.iter().take(PARTS).map(|(part, bytes)| format!("{} {}", in_lang(part.label(), lang), gib_value(*bytes))).collect();
    let (en, zh) = (parts.join(", "), parts.join("，"));
    let bounds = message!("{low} to {high}, highest {at}: {en}", "{low} 至 {high}，峰值在{at}：{zh}");
    let mut lines = vec![(value, bounds.get(lang).to_owned())];
    if let Some((_, text)) = summary::verdict(report) {
        lines.push((String::new(), text.get(lang).to_owned()));
    }
    if estimate.host.peak > 0 {
        let host = gib(estimate.host.peak);
        let text = match report.input.host.map(gib) {
            Some(all) => message!("host memory {host} of {all}", "主机内存 {host} / {all}"),
            None => message!("host memory {host}", "主机内存 {host}"),
        };
        lines.push((String::new(), text.get(lang).to_owned()));
    }
    lines
}

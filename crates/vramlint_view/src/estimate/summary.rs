//! Sentences shared by several formats.

use super::format::{gib, gib_difference, in_lang, pick};
use super::report::EstimateReport;
use vramlint_base::text::percent;
use vramlint_base::{Lang, Message, message};
use vramlint_estimate::Verdict;

/// Whether it fits, and by how much.
pub fn verdict(report: &EstimateReport) -> Option<(Verdict, Message)> {
    let (verdict, gpu) = (report.verdict()?, report.gpu()?.bytes);
    let estimate = &report.estimate;
    let (from_peak, from_high, from_low) =
        (gib_difference(gpu, estimate.peak), gib_difference(gpu, estimate.high), gib_difference(gpu, estimate.low));
    let text = match verdict {
        Verdict::Fits => message!(
            "fits: {from_peak} to spare, {from_high} at the upper bound",
            "放得下：余量 {from_peak}，按上界计 {from_high}"
        ),
        Verdict::MayNotFit if estimate.peak <= gpu => message!(
            "may not fit: {from_peak} to spare, yet {from_high} short at the upper bound",
            "可能放不下：余量 {from_peak}，但按上界计缺 {from_high}"
        ),
        Verdict::MayNotFit => message!(
            "may not fit: {from_peak} short, {from_low} to spare at the lower bound",
            "可能放不下：缺 {from_peak}，按下界计余 {from_low}"
        ),
        Verdict::DoesNotFit => message!(
            "does not fit: {from_peak} short, {from_low} even at the lower bound",
            "放不下：缺 {from_peak}，即使按下界计也缺 {from_low}"
        ),
    };
    Some((verdict, text))
}

/// The largest part, with the largest of its items.
pub fn dominant(report: &EstimateReport, lang: Lang) -> Option<String> {
    let (part, bytes) = report.parts().max_by_key(|(_, bytes)| *bytes)?;
    let (name, size) = (in_lang(part.label(), lang), gib(bytes));
    let percent = format!("{:.0}", percent(bytes, report.estimate.peak));
    let items = report.items(part);
    let largest = items.first().filter(|item| !item.formula.is_empty());
    let head = pick(
        lang,
        format!("Most of it is {name}: {size}, {percent} % of the peak"),
        format!("占比最大：{name}，{size}，占峰值的 {percent} %"),
    );
    Some(match largest {
        Some(item) => {
            let (label, formula) = (in_lang(item.label, lang), &item.formula);
            if items.len() > 1 {
                let own = gib(item.bytes);
                pick(
                    lang,
                    format!("{head}; {own} of it is {label} = {formula}"),
                    format!("{head}；其中：{label} {own} = {formula}"),
                )
            } else {
                pick(lang, format!("{head} = {formula}"), format!("{head} = {formula}"))
            }
        }
        None => head,
    })
}

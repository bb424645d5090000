//! The text of `compare`: what a run took beside what was predicted.

use crate::estimate::EstimateReport;
use crate::estimate::format::{gib, pick};
use crate::table::{cut, pad, widest};
use crate::{StyleRole, Styler};
use vramlint_base::{Lang, message};
use vramlint_measured::Measured;

/// Maximum columns of a name.
const NAME: usize = 96;

/// The difference from the measured to the predicted bytes in percent, to two decimals. `None` if nothing was measured.
pub fn error_percent(measured: Option<u64>, predicted: u64) -> Option<f64> {
    #[allow(clippy::cast_precision_loss)] // bytes of a GPU
    let (measured, predicted) = (measured.filter(|bytes| *bytes > 0)? as f64, predicted as f64);
    Some(((predicted / measured - 1.0) * 10_000.0).round() / 100.0)
}

/// A row for each kind of memory that the source tells.
pub fn text(measured: &Measured, report: &EstimateReport, lang: Lang, styler: Styler) -> String {
    let estimate = &report.estimate;
    let source = measured.source.name();
    let title = message!("measured by {source}", "测量来源：{source}");
    let mut lines = vec![format!("{}  {}", styler(&cut(&report.name(), NAME), StyleRole::Strong), title.get(lang))];
    let rows: Vec<(&str, u64, u64)> = [
        (pick(lang, "tensors", "张量"), measured.tensors, estimate.tensors),
        (pick(lang, "reserved", "预留"), measured.reserved, estimate.reserved),
        (pick(lang, "process", "进程"), measured.process, estimate.peak),
    ]
    .into_iter()
    .filter_map(|(name, own, predicted)| own.map(|own| (name, own, predicted)))
    .collect();
    let names = widest(rows.iter().map(|row| row.0), NAME);
    for (name, own, predicted) in rows {
        let (own_text, predicted_text) = (gib(own), gib(predicted));
        let error = error_percent(Some(own), predicted).map_or_else(String::new, |error| format!("{error:+.2} %"));
        let row = message!(
            "measured {own_text}, predicted {predicted_text}, {error}",
            "实测 {own_text}，预测 {predicted_text}，{error}"
        );
        lines.push(format!("  {}  {}", pad(name, names), row.get(lang)));
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::error_percent;

    #[test]
    fn an_error_is_relative_to_what_was_measured() {
        assert_eq!(error_percent(Some(200), 210), Some(5.0));
        assert_eq!(error_percent(Some(300), 299), Some(-0.33));
        assert_eq!(error_percent(None, 1), None);
        assert_eq!(error_percent(Some(0), 1), None);
    }
}

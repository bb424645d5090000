//! Bytes in messages.

use vramlint_base::Message;
use vramlint_estimate::RunEstimate;
use vramlint_memory::Estimate;
use vramlint_memory::estimate::Part;

const GIB: f64 = 1_073_741_824.0;

/// `66.1 GiB`, with two decimals below ten.
#[allow(clippy::cast_precision_loss)] // far more digits than are shown
pub(super) fn gib(bytes: u64) -> String {
    let number = bytes as f64 / GIB;
    if number < 9.995 { format!("{number:.2} GiB") } else { format!("{number:.1} GiB") }
}

/// A capacity: `23.99 GiB`, `80 GiB`.
#[allow(clippy::cast_precision_loss)] // far more digits than are shown
pub(super) fn capacity(bytes: u64) -> String {
    let text = format!("{:.2}", bytes as f64 / GIB);
    format!("{} GiB", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Parts below this share of the peak, in percent, are left out.
const SMALL: u64 = 2;

/// How many parts a message lists.
const SHOWN: usize = 2;

/// `weights 13.3 GiB, gradients 26.5 GiB, …`, the largest first.
pub(super) fn parts(estimate: &Estimate) -> Message {
    let mut all: Vec<(Part, u64)> = Part::ALL.into_iter().zip(estimate.parts).collect();
    all.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let named = || all.iter().filter(|(_, bytes)| *bytes * 100 >= estimate.peak * SMALL && *bytes > 0).take(SHOWN);
    let join = |words: fn(Part) -> &'static str, between: &str| {
        named().map(|(part, bytes)| format!("{} {}", words(*part), gib(*bytes))).collect::<Vec<_>>().join(between)
    };
    Message { en: join(|part| part.label().en, ", "), zh: join(|part| part.label().zh, "、") }
}

/// `a / b` in percent, rounded.
pub(super) fn percent(a: u64, b: u64) -> u64 {
    if b == 0 { 0 } else { (u128::from(a) * 100 / u128::from(b)) as u64 }
}

/// The assumptions, one per line; `None` without any.
pub(super) fn assumptions(estimate: &RunEstimate) -> Option<Message> {
    if estimate.assumptions.is_empty() {
        return None;
    }
    let lines = |line: fn(&Message) -> String| estimate.assumptions.iter().map(line).collect::<Vec<_>>().join("\n");
    Some(Message { en: lines(|one| format!("assumption: {}", one.en)), zh: lines(|one| format!("假设：{}", one.zh)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_in_gib() {
        assert_eq!(gib(70_973_279_437), "66.1 GiB");
        assert_eq!(gib(2 << 30), "2.00 GiB");
        assert_eq!(capacity(24_564 << 20), "23.99 GiB");
        assert_eq!(capacity(80 << 30), "80 GiB");
        assert_eq!(percent(1, 3), 33);
    }
}

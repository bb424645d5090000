//! An estimate in a few lines, for the table of `runs`.

use super::answer::Answer;
use super::figures::{gib, gib_number, when, words};
use super::sentence;
use vramlint_base::{Lang, message};

/// Parts that are named at most.
const PARTS: usize = 4;

/// Values with their remarks; a line that continues the one above has no value.
pub fn lines(answer: &Answer, lang: Lang) -> Vec<(String, String)> {
    let estimate = &answer.estimate;
    let (peak, low, high, at) =
        (gib(estimate.peak), gib_number(estimate.low), gib(estimate.high), when(estimate.peak_phase, lang));
    let value = answer.card().map_or_else(
        || peak.clone(),
        |card| {
            let all = gib(card.bytes);
            message!("{peak} of {all}", "{peak} / {all}").get(lang).to_owned()
        },
    );
    let mut parts: Vec<_> = answer.parts().collect();
    parts.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let parts: Vec<String> =
        parts.iter().take(PARTS).map(|(part, bytes)| format!("{} {}", words(part.label(), lang), gib_number(*bytes))).collect();
    let (en, zh) = (parts.join(", "), parts.join("，"));
    let bounds = message!("{low} to {high}, highest {at}: {en}", "{low} 至 {high}，峰值在{at}：{zh}");
    let mut lines = vec![(value, bounds.get(lang).to_owned())];
    if let Some((_, said)) = sentence::verdict(answer) {
        lines.push((String::new(), said.get(lang).to_owned()));
    }
    if estimate.host.peak > 0 {
        let host = gib(estimate.host.peak);
        let said = match answer.subject.host.map(gib) {
            Some(all) => message!("host memory {host} of {all}", "主机内存 {host} / {all}"),
            None => message!("host memory {host}", "主机内存 {host}"),
        };
        lines.push((String::new(), said.get(lang).to_owned()));
    }
    lines
}

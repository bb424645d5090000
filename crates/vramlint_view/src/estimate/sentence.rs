//! Sentences that several formats say alike.

use super::answer::{Answer, Verdict};
use super::figures::{gib, gib_apart, pick, share, words};
use vramlint_base::{Lang, Message, message};

/// Whether it fits, and by how much.
pub fn verdict(answer: &Answer) -> Option<(Verdict, Message)> {
    let (verdict, card) = (answer.verdict()?, answer.card()?.bytes);
    let estimate = &answer.estimate;
    let (from_peak, from_high, from_low) =
        (gib_apart(card, estimate.peak), gib_apart(card, estimate.high), gib_apart(card, estimate.low));
    let said = match verdict {
        Verdict::Fits => message!(
            "fits: {from_peak} to spare, {from_high} at the upper bound",
            "放得下：余量 {from_peak}，按上界计 {from_high}"
        ),
        Verdict::MayNotFit if estimate.peak <= card => message!(
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
    Some((verdict, said))
}

/// The largest part, with the largest of its items.
pub fn dominant(answer: &Answer, lang: Lang) -> Option<String> {
    let (part, bytes) = answer.parts().max_by_key(|(_, bytes)| *bytes)?;
    let (name, size) = (words(part.label(), lang), gib(bytes));
    let percent = format!("{:.0}", share(bytes, answer.estimate.peak));
    let items = answer.items(part);
    let largest = items.first().filter(|item| !item.formula.is_empty());
    let head = pick(
        lang,
        format!("Most of it is {name}: {size}, {percent} % of the peak"),
        format!("占比最大：{name}，{size}，占峰值的 {percent} %"),
    );
    Some(match largest {
        Some(item) => {
            let (label, formula) = (words(item.label, lang), &item.formula);
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

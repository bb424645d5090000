//! `text`: a table with a bar for each part.

use super::answer::{Answer, Verdict};
use super::figures::{count, gib, gib_number, pick, share, when, words};
use super::{Look, dimensions, sentence};
use crate::Ink;
use crate::table::{cut, pad, widest};
use unicode_width::UnicodeWidthStr;
use vramlint_base::{Message, message};

/// Columns of a full bar.
const BAR: u64 = 32;
/// Bytes of a row at least, unless everything is unfolded: what two decimals of a GiB show.
const LEAST: u64 = (1 << 30) / 200;
/// Columns of a name at most.
const NAME: usize = 48;

/// Every answer, and why others have none.
pub fn text(answers: &[Answer], without: &[(String, Message)], look: Look) -> String {
    let mut drawn: Vec<String> = answers.iter().map(|answer| Table { answer, look }.draw()).collect();
    drawn.extend(without.iter().map(|(id, why)| {
        let (id, why) = (cut(id, NAME * 2), why.get(look.lang));
        let said = message!("{id}  no estimate: {why}", "{id}  无法估算：{why}");
        format!("{}\n", said.get(look.lang))
    }));
    if drawn.is_empty() {
        return format!("{}\n", pick(look.lang, "No training run found", "未找到训练任务"));
    }
    drawn.join("\n")
}

struct Table<'a> {
    answer: &'a Answer,
    look: Look,
}

impl Table<'_> {
    fn draw(&self) -> String {
        let mut text = String::new();
        for line in self.head().into_iter().chain(self.parts()).chain(self.sums()).chain(self.host()).chain(self.notes()) {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn styled(&self, text: &str, ink: Ink) -> String {
        (self.look.paint)(text, ink)
    }

    fn dim(&self, text: &str) -> String {
        self.styled(text, Ink::Faint)
    }

    fn pick<'a>(&self, en: &'a str, zh: &'a str) -> &'a str {
        pick(self.look.lang, en, zh)
    }

    fn head(&self) -> Vec<String> {
        let answer = self.answer;
        let name = self.styled(&cut(&answer.name(), NAME * 2), Ink::Strong);
        let model = if answer.name() == answer.subject.model { String::new() } else { cut(&answer.subject.model, NAME * 2) };
        let (all, trained) = (count(answer.estimate.parameters), count(answer.estimate.trainable));
        let size = message!("{all} parameters, {trained} trained", "{all} 参数，训练其中 {trained}");
        let line = self.dim(&dimensions::line(answer, self.look.lang));
        let first = if model.is_empty() { name } else { format!("{name}  {model}") };
        vec![first, format!("  {}", self.dim(size.get(self.look.lang))), format!("  {line}"), String::new()]
    }

    /// Columns of the names, the same for all rows of one table.
    fn width(&self) -> usize {
        let parts = self.answer.parts().map(|(part, _)| words(part.label(), self.look.lang));
        // Items stand two columns further in than what they belong to.
        let host = self.answer.estimate.host.parts.iter().map(|item| words(item.label, self.look.lang));
        let sums = ["tensors", "reserved"];
        let items = widest(host, NAME - 2) + 2;
        widest(parts.chain(sums), NAME).max(items).max(self.card_name().width().min(NAME))
    }

    fn row(&self, name: &str, bytes: u64, share: Option<f64>, rest: &str) -> String {
        let share = share.map_or_else(|| " ".repeat(7), |share| format!("{share:5.1} %"));
        format!("  {}  {:>9} GiB  {share}  {rest}", pad(name, self.width()), gib_number(bytes))
    }

    fn parts(&self) -> Vec<String> {
        let (answer, lang) = (self.answer, self.look.lang);
        let peak = answer.estimate.peak;
        let mut lines = Vec::new();
        let shows = |bytes: u64| self.look.explain || bytes >= LEAST;
        for (part, bytes) in answer.parts().filter(|(_, bytes)| shows(*bytes)) {
            let bar = self.styled(&bar(bytes, peak), Ink::Part(part));
            lines.push(self.row(words(part.label(), lang), bytes, Some(share(bytes, peak)), &bar));
            if !self.look.explain {
                continue;
            }
            for item in answer.items(part) {
                let formula = if item.formula.is_empty() { String::new() } else { format!(" = {}", item.formula) };
                let size = format!("{:>9} GiB", gib_number(item.bytes));
                lines.push(self.dim(&format!("    {}  {size}{formula}", pad(words(item.label, lang), self.width() - 2))));
            }
        }
        lines
    }

    fn sums(&self) -> Vec<String> {
        let (estimate, lang) = (&self.answer.estimate, self.look.lang);
        let (low, high, at) = (gib_number(estimate.low), gib(estimate.high), when(estimate.peak_phase, lang));
        let bounds = message!("{at}; {low} to {high}", "{at}；{low} 至 {high}");
        let bold = Ink::Strong;
        let rule = self.dim(&format!("  {}", "─".repeat(self.width() + 15)));
        let mut lines = vec![rule, self.styled(self.row(self.pick("peak", "峰值"), estimate.peak, None, "").trim_end(), bold)];
        if let Some(last) = lines.last_mut() {
            last.push_str(&format!("  {}", bounds.get(lang)));
        }
        let tensors = self.dim("torch.cuda.max_memory_allocated");
        let reserved = self.dim("torch.cuda.max_memory_reserved");
        lines.push(self.row(self.pick("tensors", "张量"), estimate.tensors, None, "").trim_end().to_owned() + "  " + &tensors);
        lines.push(
            self.row(self.pick("reserved", "已预留"), estimate.reserved, None, "").trim_end().to_owned() + "  " + &reserved,
        );
        if estimate.managed > 0 {
            let name = self.pick("managed", "托管内存");
            let what = self.dim(self.pick("moves between GPU and host", "在显存与内存之间换页"));
            lines.push(self.row(name, estimate.managed, None, "").trim_end().to_owned() + "  " + &what);
        }
        if let (Some(card), Some((verdict, said))) = (self.answer.card(), sentence::verdict(self.answer)) {
            let said = self.styled(said.get(lang), Ink::Verdict(verdict));
            lines.push(self.row(&self.card_name(), card.bytes, None, "").trim_end().to_owned() + "  " + &said);
        }
        lines
    }

    fn card_name(&self) -> String {
        let name = self.answer.card().map(|card| card.name.as_deref());
        name.map_or_else(String::new, |name| cut(name.unwrap_or(self.pick("card", "显卡")), NAME))
    }

    fn host(&self) -> Vec<String> {
        let (host, lang) = (&self.answer.estimate.host, self.look.lang);
        if host.peak == 0 {
            return Vec::new();
        }
        let mut lines =
            vec![String::new(), self.row(self.pick("host memory", "主机内存"), host.peak, None, "").trim_end().to_owned()];
        if let Some(capacity) = self.answer.subject.host {
            let fits = host.peak <= capacity;
            let (all, apart) = (gib(capacity), super::figures::gib_apart(capacity, host.peak));
            let said = if fits {
                message!("of {all}: fits, {apart} to spare", "共 {all}：放得下，余量 {apart}")
            } else {
                message!("of {all}: does not fit, {apart} short", "共 {all}：放不下，缺 {apart}")
            };
            let said = self.styled(said.get(lang), Ink::Verdict(if fits { Verdict::Fits } else { Verdict::DoesNotFit }));
            if let Some(last) = lines.last_mut() {
                last.push_str(&format!("  {said}"));
            }
        }
        for item in host.parts.iter().filter(|item| item.bytes > 0) {
            let formula =
                if self.look.explain && !item.formula.is_empty() { format!("  = {}", item.formula) } else { String::new() };
            let size = format!("{:>9} GiB", gib_number(item.bytes));
            lines.push(self.dim(&format!("    {}  {size}{formula}", pad(words(item.label, lang), self.width() - 2))));
        }
        lines
    }

    fn notes(&self) -> Vec<String> {
        let lang = self.look.lang;
        let mut lines = Vec::new();
        if let Some(said) = sentence::dominant(self.answer, lang) {
            lines.extend([String::new(), format!("  {said}")]);
        }
        let assumptions = self.answer.assumptions();
        if !assumptions.is_empty() {
            lines.extend([String::new(), format!("  {}", self.pick("Assumed:", "假设："))]);
            lines.extend(assumptions.iter().map(|one| format!("    - {}", cut(one.get(lang), 400))));
        }
        lines
    }
}

/// A bar of eighths; whatever is not nothing shows.
fn bar(bytes: u64, whole: u64) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    if whole == 0 || bytes == 0 {
        return String::new();
    }
    let eighths = (u128::from(bytes) * u128::from(BAR) * 8).div_ceil(u128::from(whole)).min(u128::from(BAR) * 8) as usize;
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(EIGHTHS[eighths % 8]);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn bars_are_proportional_and_never_vanish() {
        assert_eq!(bar(0, 8), "");
        assert_eq!(bar(1, 1_000_000), "▏");
        assert_eq!(bar(1, 2).chars().count(), 16);
        assert_eq!(bar(u64::MAX, u64::MAX).chars().count(), 32);
        assert_eq!(bar(3, 64), "█▌");
    }
}

//! `text`: a table with a bar for each part.

use super::format::{gib, gib_value, in_lang, parameter_count, phase_phrase, pick};
use super::report::EstimateReport;
use super::{RenderOptions, dimensions, step_time, summary};
use crate::StyleRole;
use crate::table::{cut, pad, widest};
use unicode_width::UnicodeWidthStr;
use vramlint_base::text::percent;
use vramlint_base::visible::one_line;
use vramlint_base::{Message, message};
use vramlint_estimate::Verdict;

/// Columns of a full bar.
const BAR: u64 = 32;
/// Smallest part shown without `--explain`, bytes: what two decimals of a GiB can show.
const LEAST: u64 = (1 << 30) / 200;
/// Maximum columns of a name.
const NAME: usize = 48;

/// Every report, and why other runs have none.
pub fn text(reports: &[EstimateReport], without: &[(String, Message)], options: RenderOptions) -> String {
    let mut drawn: Vec<String> = reports.iter().map(|report| Table { report, options }.draw()).collect();
    drawn.extend(without.iter().map(|(id, why)| {
        let (id, why) = (cut(id, NAME * 2), why.get(options.lang));
        let text = message!("{id}  no estimate: {why}", "{id}  无法估算：{why}");
        format!("{}\n", one_line(text.get(options.lang)))
    }));
    if drawn.is_empty() {
        return format!("{}\n", pick(options.lang, "No training run found", "未找到训练任务"));
    }
    drawn.join("\n")
}

struct Table<'a> {
    report: &'a EstimateReport,
    options: RenderOptions,
}

impl Table<'_> {
    fn draw(&self) -> String {
        let mut text = String::new();
        let lines = [self.head(), self.parts(), self.sums(), self.host(), self.time(), self.notes()];
        for line in lines.iter().flatten() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn styled(&self, text: &str, ink: StyleRole) -> String {
        (self.options.styler)(text, ink)
    }

    fn dim(&self, text: &str) -> String {
        self.styled(text, StyleRole::Faint)
    }

    fn pick<'a>(&self, en: &'a str, zh: &'a str) -> &'a str {
        pick(self.options.lang, en, zh)
    }

    fn head(&self) -> Vec<String> {
        let report = self.report;
        let name = self.styled(&cut(&report.name(), NAME * 2), StyleRole::Strong);
        let model = if report.name() == report.input.model { String::new() } else { cut(&report.input.model, NAME * 2) };
        let (all, trained) = (parameter_count(report.estimate.parameters), parameter_count(report.estimate.trainable));
        let size = message!("{all} parameters, {trained} trained", "{all} 参数，训练其中 {trained}");
        let line = self.dim(&dimensions::line(report, self.options.lang));
        let first = if model.is_empty() { name } else { format!("{name}  {model}") };
        vec![first, format!("  {}", self.dim(size.get(self.options.lang))), format!("  {line}"), String::new()]
    }

    /// Columns of the names, equal for all rows of a table.
    fn width(&self) -> usize {
        let parts = self.report.parts().map(|(part, _)| in_lang(part.label(), self.options.lang));
        // Items are indented by two columns.
        let host = self.report.estimate.host.parts.iter().map(|item| in_lang(item.label, self.options.lang));
        let sums = ["tensors", "reserved"];
        let items = widest(host, NAME - 2) + 2;
        widest(parts.chain(sums), NAME).max(items).max(self.gpu_name().width().min(NAME))
    }

    fn row(&self, name: &str, bytes: u64, share: Option<f64>, rest: &str) -> String {
        let share = share.map_or_else(|| " ".repeat(7), |share| format!("{share:5.1} %"));
        format!("  {}  {:>9} GiB  {share}  {rest}", pad(name, self.width()), gib_value(bytes))
    }

    fn parts(&self) -> Vec<String> {
        let (report, lang) = (self.report, self.options.lang);
        let peak = report.estimate.peak;
        let mut lines = Vec::new();
        let shows = |bytes: u64| self.options.explain || bytes >= LEAST;
        for (part, bytes) in report.parts().filter(|(_, bytes)| shows(*bytes)) {
            let bar = self.styled(&bar(bytes, peak), StyleRole::Part(part));
            lines.push(self.row(in_lang(part.label(), lang), bytes, Some(percent(bytes, peak)), &bar));
            if !self.options.explain {
                continue;
            }
            for item in report.items(part) {
                let formula = if item.formula.is_empty() { String::new() } else { format!(" = {}", item.formula) };
                let size = format!("{:>9} GiB", gib_value(item.bytes));
                lines.push(self.dim(&format!("    {}  {size}{formula}", pad(in_lang(item.label, lang), self.width() - 2))));
            }
        }
        lines
    }

    fn sums(&self) -> Vec<String> {
        let (estimate, lang) = (&self.report.estimate, self.options.lang);
        let (low, high, at) = (gib_value(estimate.low), gib(estimate.high), phase_phrase(estimate.peak_phase, lang));
        let bounds = message!("{at}; {low} to {high}", "{at}；{low} 至 {high}");
        let bold = StyleRole::Strong;
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
        if let (Some(gpu), Some((verdict, text))) = (self.report.gpu(), summary::verdict(self.report)) {
            let text = self.styled(text.get(lang), StyleRole::Verdict(verdict));
            lines.push(self.row(&self.gpu_name(), gpu.bytes, None, "").trim_end().to_owned() + "  " + &text);
        }
        lines
    }

    fn gpu_name(&self) -> String {
        let name = self.report.gpu().map(|gpu| gpu.name.as_deref());
        name.map_or_else(String::new, |name| cut(name.unwrap_or(self.pick("GPU", "GPU")), NAME))
    }

    fn host(&self) -> Vec<String> {
        let (host, lang) = (&self.report.estimate.host, self.options.lang);
        if host.peak == 0 {
            return Vec::new();
        }
        let mut lines =
            vec![String::new(), self.row(self.pick("host memory", "主机内存"), host.peak, None, "").trim_end().to_owned()];
        if let Some(capacity) = self.report.input.host {
            let fits = host.peak <= capacity;
            let (all, apart) = (gib(capacity), super::format::gib_difference(capacity, host.peak));
            let text = if fits {
                message!("of {all}: fits, {apart} to spare", "共 {all}：放得下，余量 {apart}")
            } else {
                message!("of {all}: does not fit, {apart} short", "共 {all}：放不下，缺 {apart}")
            };
            let text = self.styled(text.get(lang), StyleRole::Verdict(if fits { Verdict::Fits } else { Verdict::DoesNotFit }));
            if let Some(last) = lines.last_mut() {
                last.push_str(&format!("  {text}"));
            }
        }
        for item in host.parts.iter().filter(|item| item.bytes > 0) {
            let formula =
                if self.options.explain && !item.formula.is_empty() { format!("  = {}", item.formula) } else { String::new() };
            let size = format!("{:>9} GiB", gib_value(item.bytes));
            lines.push(self.dim(&format!("    {}  {size}{formula}", pad(in_lang(item.label, lang), self.width() - 2))));
        }
        lines
    }

    /// The least time of a step.
    fn time(&self) -> Vec<String> {
        let Some(time) = step_time::step_time(self.report) else { return Vec::new() };
        let sentence = step_time::sentence(self.report, &time);
        let mut lines = vec![String::new(), format!("  {}", sentence.get(self.options.lang))];
        if self.options.explain {
            let explained = step_time::explanation(&time);
            lines.extend(explained.iter().map(|line| self.dim(&format!("    {}", line.get(self.options.lang)))));
        }
        lines
    }

    fn notes(&self) -> Vec<String> {
        let lang = self.options.lang;
        let mut lines = Vec::new();
        if let Some(text) = summary::dominant(self.report, lang) {
            lines.extend([String::new(), format!("  {text}")]);
        }
        let assumptions = self.report.assumptions();
        if !assumptions.is_empty() {
            lines.extend([String::new(), format!("  {}", self.pick("Assumed:", "假设："))]);
            lines.extend(assumptions.iter().map(|one| format!("    - {}", cut(one.get(lang), 400))));
        }
        lines.extend(self.open_settings());
        lines
    }

    /// What the project leaves open, by what it moves the peak.
    fn open_settings(&self) -> Vec<String> {
        let report = self.report;
        let shown = |value: Option<serde_json::Value>| match value {
            Some(serde_json::Value::String(text)) => text,
            Some(value) => value.to_string(),
            None => String::new(),
        };
        let rows = report.open_settings().iter().filter(|setting| setting.bytes >= LEAST).map(|setting| {
            let (name, less) = (setting.name, gib(setting.bytes));
            let own = shown(dimensions::value_in(report, &report.input.setup, name));
            let lightest = shown(dimensions::value_in(report, &setting.setup, name));
            let row = if own == lightest {
                message!("{name}: up to {less} less", "{name}：最多少 {less}")
            } else {
                message!("{name} {own} -> {lightest}: {less} less", "{name} {own} -> {lightest}：少 {less}")
            };
            format!("    - {}", row.get(self.options.lang))
        });
        let rows: Vec<String> = rows.collect();
        if rows.is_empty() {
            return rows;
        }
        let title = self.pick("Not stated, with the lightest value:", "未写明，按最省显存的值：");
        [String::new(), format!("  {title}")].into_iter().chain(rows).collect()
    }
}

/// A bar in eighths of a column; a nonzero value is always visible.
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

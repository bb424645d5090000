//! `html`: a self-contained page.

use super::chart::{self, STACK};
use super::dimensions;
use super::format::{gib, gib_value, in_lang, parameter_count, phase_phrase, pick};
use super::label::label;
use super::markup::{escape, fill, script};
use super::report::EstimateReport;
use super::summary;
use super::svg::lang_tag;
use serde_json::{Value as Json, json};
use vramlint_base::text::percent;
use vramlint_base::{Lang, Message};
use vramlint_estimate::Verdict;
use vramlint_memory::estimate::Part;

const PAGE: &str = include_str!("page.html");
const SECTION: &str = include_str!("section.html");

/// The page of several estimates, and why other runs have none.
pub fn html(reports: &[EstimateReport], without: &[(String, Message)], lang: Lang) -> String {
    let sections: String = reports.iter().enumerate().map(|(number, report)| Section { report, lang, number }.draw()).collect();
    let title = match reports {
        [one] => one.name(),
        more => pick(lang, format!("{} estimates", more.len()), format!("{} 个估算", more.len())),
    };
    let style = concat!(include_str!("colours.css"), include_str!("chart.css"), include_str!("page.css"));
    fill(
        PAGE,
        &[
            ("lang", lang_tag(lang)),
            ("title", &format!("{} · vramlint", escape(&title))),
            ("style", style),
            ("script", include_str!("page.js")),
            ("contents", &contents(reports, lang)),
            ("sections", &sections),
            ("without", &others(without, lang)),
            ("foot", &escape(pick(lang, FOOT.0, FOOT.1))),
        ],
    )
}

const FOOT: (&str, &str) = (
    "Computed offline from the architecture and the setup. 1 GiB is 2³⁰ bytes. Peak is what nvidia-smi would show at the worst moment; \
     reserved is torch.cuda.max_memory_reserved, tensors is torch.cuda.max_memory_allocated.",
    "根据模型结构与训练配置离线计算。1 GiB 为 2³⁰ 字节。峰值是 nvidia-smi 在最坏时刻的读数；已预留即 torch.cuda.max_memory_reserved，\
     张量即 torch.cuda.max_memory_allocated。",
);

fn contents(reports: &[EstimateReport], lang: Lang) -> String {
    if reports.len() < 2 {
        return String::new();
    }
    let item = |(number, report): (usize, &EstimateReport)| {
        let (name, peak) = (escape(&report.name()), gib(report.estimate.peak));
        format!("<li><a href=\"#run-{number}\">{name}</a> <span>{peak}</span></li>")
    };
    let items: String = reports.iter().enumerate().map(item).collect();
    format!("<nav aria-label=\"{}\"><ol>{items}</ol></nav>", pick(lang, "Runs", "训练任务"))
}

fn others(without: &[(String, Message)], lang: Lang) -> String {
    if without.is_empty() {
        return String::new();
    }
    let items: String =
        without.iter().map(|(id, why)| format!("<li><b>{}</b> {}</li>", escape(id), escape(why.get(lang)))).collect();
    format!("<section class=\"without\"><h2>{}</h2><ul>{items}</ul></section>", pick(lang, "Without an estimate", "无法估算"))
}

/// Column widths, shared by two tables.
const COLUMNS: &str =
    "<colgroup><col class=\"c-name\"><col class=\"c-n\"><col class=\"c-n\"><col class=\"c-bar\"><col></colgroup>";

/// An integer with thousands separators; other text unchanged.
fn grouped(text: &str) -> String {
    if text.len() < 5 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.to_owned();
    }
    let groups: Vec<&str> = text.as_bytes().rchunks(3).rev().filter_map(|chunk| std::str::from_utf8(chunk).ok()).collect();
    groups.join(",")
}

struct Section<'a> {
    report: &'a EstimateReport,
    lang: Lang,
    number: usize,
}

impl Section<'_> {
    fn pick<'b>(&self, en: &'b str, zh: &'b str) -> &'b str {
        pick(self.lang, en, zh)
    }

    fn draw(&self) -> String {
        let report = self.report;
        let name = report.name();
        let model = if report.input.model == name { String::new() } else { escape(&report.input.model) };
        let (all, trained) = (parameter_count(report.estimate.parameters), parameter_count(report.estimate.trainable));
        let size = pick(self.lang, format!("{all} parameters, {trained} trained"), format!("{all} 参数，训练其中 {trained}"));
        let plot = chart::Plot::new(report);
        fill(
            SECTION,
            &[
                ("number", &self.number.to_string()),
                ("name", &escape(&name)),
                ("model", &model),
                ("size", &escape(&size)),
                ("line", &escape(&dimensions::line(report, self.lang))),
                ("verdict", &self.verdict()),
                ("figures", &self.figures()),
                ("gauge", &self.gauge()),
                ("dominant", &escape(&summary::dominant(report, self.lang).unwrap_or_default())),
                ("step-title", self.pick("One training step", "一个训练步")),
                ("view", &format!("0 0 {} {}", chart::WIDTH, chart::HEIGHT)),
                ("about", &escape(&chart::description(report, self.lang))),
                ("moments", &report.timeline().len().to_string()),
                ("drawing", &chart::draw(report, self.lang)),
                ("hint", self.pick("Point at a moment, or use the arrow keys", "将指针移到某一时刻，或使用方向键")),
                ("parts-title", self.pick("What the peak consists of", "峰值的组成")),
                ("parts", &self.parts()),
                ("host", &self.host()),
                ("assumed-title", self.pick("Assumed", "假设")),
                ("assumed", &self.assumed()),
                ("setup-title", self.pick("Setup", "训练配置")),
                ("setup", &self.setup()),
                ("data", &script(&self.data(&plot))),
            ],
        )
    }

    fn verdict(&self) -> String {
        let Some((verdict, text)) = summary::verdict(self.report) else { return String::new() };
        let class = match verdict {
            Verdict::Fits => "good",
            Verdict::MayNotFit => "doubt",
            Verdict::DoesNotFit => "bad",
        };
        let text = text.get(self.lang);
        let mut letters = text.chars();
        let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        format!("<p class=\"verdict {class}\">{}{}</p>", escape(&first), escape(letters.as_str()))
    }

    /// The key figures.
    fn figures(&self) -> String {
        let estimate = &self.report.estimate;
        let bounds = format!("{} – {}", gib_value(estimate.low), gib_value(estimate.high));
        let mut rows = vec![
            (self.pick("peak", "峰值").to_owned(), gib_value(estimate.peak), phase_phrase(estimate.peak_phase, self.lang)),
            (self.pick("bounds", "上下界").to_owned(), bounds, self.pick("of the peak", "峰值的范围").to_owned()),
            (
                self.pick("reserved", "已预留").to_owned(),
                gib_value(estimate.reserved),
                self.pick("by the allocator", "由分配器持有").to_owned(),
            ),
            (self.pick("tensors", "张量").to_owned(), gib_value(estimate.tensors), self.pick("allocated", "已分配").to_owned()),
        ];
        if let Some(gpu) = self.report.gpu() {
            let name = gpu.name.clone().unwrap_or_else(|| self.pick("given", "给定").to_owned());
            rows.push((self.pick("GPU", "GPU").to_owned(), gib_value(gpu.bytes), name));
        }
        if estimate.host.peak > 0 {
            let total = self.report.input.host.map(|all| {
                let all = gib(all);
                pick(self.lang, format!("of {all}"), format!("共 {all}"))
            });
            rows.push((self.pick("host", "主机内存").to_owned(), gib_value(estimate.host.peak), total.unwrap_or_default()));
        }
        let row = |(name, value, remark): &(String, String, String)| {
            let (name, remark) = (escape(name), escape(remark));
            format!("<div><dt>{name}</dt><dd><b>{value}</b><small>GiB</small><span>{remark}</span></dd></div>")
        };
        rows.iter().map(row).collect()
    }

    /// The peak within the GPU's memory: stacked parts, and the bounds as a bracket.
    fn gauge(&self) -> String {
        let estimate = &self.report.estimate;
        let whole = self.report.gpu().map_or(0, |gpu| gpu.bytes).max(estimate.high).max(1);
        let parts: String = self
            .report
            .parts()
            .map(|(part, bytes)| {
                let (key, name, width) = (part.name(), escape(in_lang(part.label(), self.lang)), percent(bytes, whole));
                let size = gib(bytes);
                format!("<i class=\"p-{key}\" style=\"width:{width:.4}%\" title=\"{name} {size}\"></i>")
            })
            .collect();
        let (low, high) = (percent(estimate.low, whole), percent(estimate.high, whole));
        let bounds = format!("<u style=\"left:{low:.4}%;width:{:.4}%\"></u>", high - low);
        let gpu =
            self.report.gpu().map_or_else(String::new, |gpu| format!("<s style=\"left:{:.4}%\"></s>", percent(gpu.bytes, whole)));
        let text = escape(&chart::description(self.report, self.lang));
        format!("<div class=\"gauge\" role=\"img\" aria-label=\"{text}\"><div>{parts}</div>{bounds}{gpu}</div>")
    }

    fn parts(&self) -> String {
        let peak = self.report.estimate.peak;
        let head = [self.pick("part", "组成"), "GiB", "%", "", self.pick("arithmetic", "算式")];
        let head: String = head.iter().map(|name| format!("<th scope=\"col\">{name}</th>")).collect();
        let rows: String = self
            .report
            .parts()
            .map(|(part, bytes)| {
                let (key, name, percent) = (part.name(), escape(in_lang(part.label(), self.lang)), percent(bytes, peak));
                format!(
                    "<tr data-part=\"{key}\"><th scope=\"row\"><i class=\"p-{key}\"></i>{name}</th><td class=\"n\">{}</td>\
                     <td class=\"n\">{percent:.1}</td><td class=\"bar\"><i class=\"p-{key}\" style=\"width:{percent:.4}%\"></i></td>\
                     <td class=\"why\">{}</td></tr>",
                    gib_value(bytes),
                    self.items(part)
                )
            })
            .collect();
        let total = self.pick("peak", "峰值");
        format!(
            "<table class=\"parts\">{COLUMNS}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody><tfoot><tr><th scope=\"row\">{total}</th>\
             <td class=\"n\">{}</td><td class=\"n\">100.0</td><td></td><td></td></tr></tfoot></table>",
            gib_value(peak)
        )
    }

    fn items(&self, part: Part) -> String {
        let items = self.report.items(part);
        let one = |item: &&vramlint_memory::estimate::Item| {
            let (name, size, formula) = (escape(in_lang(item.label, self.lang)), gib(item.bytes), escape(&item.formula));
            let formula = if formula.is_empty() { formula } else { format!(" <code>{formula}</code>") };
            format!("<li>{name} <b>{size}</b>{formula}</li>")
        };
        if items.is_empty() { String::new() } else { format!("<ul>{}</ul>", items.iter().map(one).collect::<String>()) }
    }

    fn host(&self) -> String {
        let host = &self.report.estimate.host;
        if host.peak == 0 {
            return String::new();
        }
        let title = self.pick("Host memory", "主机内存");
        let one = |item: &vramlint_memory::estimate::HostItem| {
            let (name, percent) = (escape(in_lang(item.label, self.lang)), percent(item.bytes, host.peak));
            format!(
                "<tr><th scope=\"row\">{name}</th><td class=\"n\">{}</td><td class=\"n\">{percent:.1}</td>\
                 <td class=\"bar\"><i class=\"p-context\" style=\"width:{percent:.4}%\"></i></td><td class=\"why\"><code>{}</code></td></tr>",
                gib_value(item.bytes),
                escape(&item.formula)
            )
        };
        let rows: String = host.parts.iter().filter(|item| item.bytes > 0).map(one).collect();
        format!("<h2>{title}</h2><table class=\"parts\">{COLUMNS}<tbody>{rows}</tbody></table>")
    }

    fn assumed(&self) -> String {
        let all = self.report.assumptions();
        if all.is_empty() {
            return format!("<p>{}</p>", self.pick("None: every value is set.", "无：所有值均已设置。"));
        }
        let items: String = all.iter().map(|one| format!("<li>{}</li>", escape(one.get(self.lang)))).collect();
        format!("<ul>{items}</ul>")
    }

    fn setup(&self) -> String {
        let shown = dimensions::list(self.report).into_iter().filter(|(_, value)| !value.is_null() && *value != json!([]));
        let rows = shown.map(|(name, value)| {
            let value = match value {
                Json::String(text) => text,
                Json::Array(items) => items.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(", "),
                other => grouped(&other.to_string()),
            };
            format!("<div><dt>{name}</dt><dd>{}</dd></div>", escape(&value))
        });
        format!("<dl>{}</dl>", rows.collect::<String>())
    }

    /// The data of the page's script.
    fn data(&self, plot: &chart::Plot) -> Json {
        let (report, lang) = (self.report, self.lang);
        let parts: Vec<Json> = STACK
            .iter()
            .rev()
            .map(|part| {
                let items = report.items(*part);
                let items: Vec<Json> =
                    items.iter().map(|item| json!([in_lang(item.label, lang), item.bytes, item.formula])).collect();
                let number = chart::index(*part);
                json!({"key": part.name(), "name": in_lang(part.label(), lang), "number": number, "items": items,
                    "peak": report.estimate.parts[number]})
            })
            .collect();
        let moments: Vec<Json> = report
            .timeline()
            .iter()
            .map(|one| json!([label(&one.label, lang), super::format::phase(one.phase, lang), one.bytes, one.parts]))
            .collect();
        let edges: Vec<f64> = plot.edges.iter().map(|x| (x * 100.0).round() / 100.0).collect();
        json!({
            "plot": {"x": plot.x, "y": plot.y, "width": plot.width, "height": plot.height, "most": plot.most, "edges": edges},
            "parts": parts,
            "moments": moments,
            "peak": report.peak_moment(),
            "words": {
                "of": self.pick("moment {n} of {all}", "第 {n} 个时刻，共 {all} 个"),
                "total": self.pick("tensors", "张量"),
                "at": self.pick("at the peak", "峰值时"),
                "more": self.pick("{n} more in the table", "另有 {n} 项见下表"),
                "peak": self.pick("peak", "峰值"),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(grouped("4022468096"), "4,022,468,096");
        assert_eq!((grouped("1024"), grouped("8.9"), grouped("true")), ("1024".into(), "8.9".into(), "true".into()));
    }
}

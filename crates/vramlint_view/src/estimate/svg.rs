//! `svg`: the chart as a standalone drawing.

use super::chart::{self, STACK, WIDTH};
use super::format::{gib_value, in_lang};
use super::markup::escape;
use super::report::EstimateReport;
use super::{dimensions, summary};
use crate::table::cut;
use unicode_width::UnicodeWidthStr;
use vramlint_base::Lang;

/// Height of the heading.
const HEAD: f64 = 84.0;
/// Maximum columns of a name.
const NAME: usize = 40;
/// Maximum columns of the setup line.
const LINE: usize = 112;
/// Left edge of the legend.
const LEGEND: f64 = 20.0;
/// Height of a row of the legend.
const ROW: f64 = 22.0;

/// The drawing.
pub fn svg(report: &EstimateReport, lang: Lang) -> String {
    let (legend, rows) = legend(report, lang);
    let height = HEAD + chart::HEIGHT + rows * ROW + 14.0;
    let (title, about) = (escape(&cut(&report.name(), NAME)), escape(&chart::description(report, lang)));
    let (line, language) = (escape(&cut(&dimensions::line(report, lang), LINE)), lang_tag(lang));
    let text = summary::verdict(report).map_or_else(String::new, |(_, text)| escape(text.get(lang)));
    let style = concat!(include_str!("colours.css"), include_str!("chart.css"));
    let model = if report.input.model == report.name() { String::new() } else { escape(&cut(&report.input.model, NAME)) };
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-labelledby="title about" xml:lang="{language}" font-family="system-ui, 'Segoe UI', 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif" font-size="13">
<title id="title">{title}</title>
<desc id="about">{about}</desc>
<style>{style}
.paper {{ fill: var(--paper); }} .name {{ fill: var(--ink); font-size: 18px; font-weight: 650; }} .words {{ fill: var(--soft); }} .ink {{ fill: var(--ink); }}</style>
<rect class="paper" width="100%" height="100%"/>
<text class="name" x="20" y="32">{title}<tspan class="words" dx="10" font-size="13" font-weight="400">{model}</tspan></text>
<text class="words" x="20" y="54">{line}</text>
<text class="ink" x="{verdict_x}" y="74" text-anchor="end" font-weight="600">{text}</text>
<g transform="translate(0 {HEAD})">{drawing}</g>
<g transform="translate(0 {legend_y})">{legend}</g>
</svg>
"#,
        verdict_x = WIDTH - 16.0,
        drawing = chart::draw(report, lang),
        legend_y = HEAD + chart::HEIGHT + 4.0,
    )
}

/// The legend with each part's memory at the peak, and its number of rows.
fn legend(report: &EstimateReport, lang: Lang) -> (String, f64) {
    let (mut out, mut x, mut row) = (String::new(), LEGEND, 0.0);
    let held = report.peak_moment().and_then(|number| report.timeline().get(number));
    for part in STACK.into_iter().filter(|part| report.timeline().iter().any(|moment| moment.parts[chart::index(*part)] > 0)) {
        let name = in_lang(part.label(), lang);
        let size = held.map_or(0, |moment| moment.parts[chart::index(part)]);
        let text = format!("{name} {} GiB", gib_value(size));
        #[allow(clippy::cast_precision_loss)] // a name has few letters
        let width = text.width() as f64 * 7.2 + 36.0;
        if x + width > WIDTH {
            (x, row) = (LEGEND, row + 1.0);
        }
        let y = row * ROW;
        out.push_str(&format!(
            "<rect class=\"p-{}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"12\" height=\"12\" rx=\"2\"/>",
            part.name()
        ));
        out.push_str(&format!("<text class=\"ink\" x=\"{:.1}\" y=\"{:.1}\">{}</text>", x + 18.0, y + 11.0, escape(&text)));
        x += width;
    }
    (out, row + 1.0)
}

/// The language tag for HTML and XML.
pub(super) const fn lang_tag(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "en",
        Lang::Zh => "zh-Hans",
    }
}

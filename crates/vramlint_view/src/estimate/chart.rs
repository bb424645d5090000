//! The chart of one training step: stacked parts per moment and the capacity as a line. Shared by the page and the drawing.

use super::format::{gib, in_lang, phase, phase_phrase, pick};
use super::label::label;
use super::markup::escape;
use super::report::EstimateReport;
use vramlint_base::Lang;
use vramlint_memory::estimate::{Moment, Part, Phase};

/// Parts from the bottom up: persistent ones below, transient ones above.
pub(super) const STACK: [Part; 8] =
    [Part::Weights, Part::Optimizer, Part::Gradients, Part::Buffers, Part::KvCache, Part::Other, Part::Activations, Part::Logits];

/// Width of the chart.
pub(super) const WIDTH: f64 = 820.0;
/// Height of the chart.
pub(super) const HEIGHT: f64 = 470.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 6.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 40.0;
/// Minimum width of a phase with few moments, such as the loss.
const PHASE: f64 = 46.0;

/// Layout of the chart.
pub(super) struct Plot {
    /// Left edge.
    pub(super) x: f64,
    /// Upper edge.
    pub(super) y: f64,
    /// Width.
    pub(super) width: f64,
    /// Height.
    pub(super) height: f64,
    /// Bytes at the upper edge.
    pub(super) most: f64,
    /// Left edges of the moments, and the right edge of the last one.
    pub(super) edges: Vec<f64>,
}

#[allow(clippy::cast_precision_loss)] // a pixel is coarser
impl Plot {
    pub(super) fn new(report: &EstimateReport) -> Self {
        let estimate = &report.estimate;
        let drawn = report.timeline().iter().map(|moment| moment.bytes).max().unwrap_or(0).max(estimate.peak).max(1);
        let capacity = report.gpu().map(|gpu| gpu.bytes).filter(|bytes| *bytes / 3 * 2 <= drawn);
        Self {
            x: LEFT,
            y: TOP,
            width: WIDTH - LEFT - RIGHT,
            height: HEIGHT - TOP - BOTTOM,
            most: capacity.unwrap_or(0).max(drawn) as f64 * 1.06,
            edges: edges(report.timeline(), LEFT, WIDTH - LEFT - RIGHT),
        }
    }

    /// Left edge of a moment.
    fn at(&self, moment: usize) -> f64 {
        self.edges.get(moment).copied().unwrap_or(self.x + self.width)
    }

    /// The y coordinate of a number of bytes.
    fn y_of_bytes(&self, bytes: u64) -> f64 {
        self.y + self.height * (1.0 - bytes as f64 / self.most)
    }

    fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

/// Consecutive moments of the same phase: the phase and their number.
fn runs(moments: &[Moment]) -> Vec<(Phase, usize)> {
    let mut runs: Vec<(Phase, usize)> = Vec::new();
    for moment in moments {
        match runs.last_mut() {
            Some((phase, count)) if *phase == moment.phase => *count += 1,
            _ => runs.push((moment.phase, 1)),
        }
    }
    runs
}

/// Moments have equal width, but short phases are widened to stay visible, using at most two fifths of the width.
#[allow(clippy::cast_precision_loss)] // a pixel is coarser
fn edges(moments: &[Moment], x: f64, width: f64) -> Vec<f64> {
    let runs = runs(moments);
    let even = width / moments.len().max(1) as f64;
    let is_short = |count: usize| even * (count as f64) < PHASE;
    let short = runs.iter().filter(|(_, count)| is_short(*count)).count() as f64;
    let long = runs.iter().filter(|(_, count)| !is_short(*count)).map(|(_, count)| *count).sum::<usize>() as f64;
    // If all phases are short, or none is, no width is moved.
    let room = if long == 0.0 || short == 0.0 { None } else { Some((short * PHASE).min(width * 0.4)) };
    let mut edges = vec![x];
    for (_, count) in runs {
        let own = match room {
            None => even,
            Some(room) if is_short(count) => room / short / count as f64,
            Some(room) => (width - room) / long,
        };
        for _ in 0..count {
            edges.push(edges.last().copied().unwrap_or(x) + own);
        }
    }
    edges
}

/// The index of a part in [`Moment::parts`].
pub(super) fn index(part: Part) -> usize {
    Part::ALL.iter().position(|own| *own == part).unwrap_or(0)
}

/// Describes the chart in a sentence.
pub(super) fn description(report: &EstimateReport, lang: Lang) -> String {
    let estimate = &report.estimate;
    let (tensors, peak, at) = (gib(estimate.tensors), gib(estimate.peak), phase_phrase(estimate.peak_phase, lang));
    let moments = report.timeline().len();
    pick(
        lang,
        format!("{moments} moments of one training step. Tensors reach {tensors} {at}; nvidia-smi would show {peak}."),
        format!("一个训练步的 {moments} 个时刻。张量在{at}达到 {tensors}；nvidia-smi 将显示 {peak}。"),
    )
}

/// The content of the chart, without the surrounding element.
pub(super) fn draw(report: &EstimateReport, lang: Lang) -> String {
    let plot = Plot::new(report);
    let mut out = grid(&plot);
    for part in STACK {
        out.push_str(&area(report, &plot, part, lang));
    }
    out.push_str(&phases(report.timeline(), &plot, lang));
    out.push_str(&lines(report, &plot, lang));
    out.push_str(&peak(report, &plot, lang));
    out
}

/// Grid lines at round numbers of GiB.
fn grid(plot: &Plot) -> String {
    let most = plot.most / f64::from(1 << 30);
    let step = step(most);
    let (left, right) = (plot.x, plot.x + plot.width);
    let decimals = if step >= 1.0 {
        0
    } else if step >= 0.1 {
        1
    } else {
        2
    };
    let mut out = String::new();
    let mut value = 0.0;
    while value <= most {
        let y = plot.y + plot.height * (1.0 - value / most);
        let kind = if value == 0.0 { "base" } else { "grid" };
        out.push_str(&format!(
            "<line class=\"{kind}\" x1=\"{left:.1}\" x2=\"{right:.1}\" y1=\"{y:.2}\" y2=\"{y:.2}\" data-gib=\"{value}\"/>"
        ));
        out.push_str(&format!(
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.2}\" text-anchor=\"end\">{value:.decimals$}</text>",
            left - 8.0,
            y + 4.0
        ));
        value += step;
    }
    out.push_str(&format!(
        "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">GiB</text>",
        left - 8.0,
        plot.y - 12.0
    ));
    out
}

/// 1, 2 or 5 times a power of ten, for four to nine grid lines.
fn step(most: f64) -> f64 {
    let rough = (most / 6.0).max(1e-3);
    let power = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough).unwrap_or(rough)
}

/// The area of one part over all moments.
fn area(report: &EstimateReport, plot: &Plot, part: Part, lang: Lang) -> String {
    let (own, moments) = (index(part), report.timeline());
    if moments.iter().all(|moment| moment.parts[own] == 0) {
        return String::new();
    }
    let below = |moment: &Moment| -> u64 {
        STACK.iter().take_while(|other| **other != part).map(|other| moment.parts[index(*other)]).sum()
    };
    let edge = |bytes: &dyn Fn(&Moment) -> u64| -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for (number, moment) in moments.iter().enumerate() {
            let (left, right, y) = (plot.at(number), plot.at(number + 1), plot.y_of_bytes(bytes(moment)));
            match points.last_mut() {
                Some(last) if (last.1 - y).abs() < 0.005 => last.0 = right,
                _ => points.extend([(left, y), (right, y)]),
            }
        }
        points
    };
    let upper = edge(&|moment| below(moment) + moment.parts[own]);
    let lower = edge(&below);
    let path: Vec<String> = upper.iter().chain(lower.iter().rev()).map(|(x, y)| format!("{x:.2} {y:.2}")).collect();
    let (name, title) = (part.name(), escape(in_lang(part.label(), lang)));
    format!("<path class=\"area p-{name}\" data-part=\"{name}\" d=\"M{}Z\"><title>{title}</title></path>", path.join("L"))
}

/// The names of the phases below the chart, and separators between them.
fn phases(moments: &[Moment], plot: &Plot, lang: Lang) -> String {
    let mut out = String::new();
    let mut start = 0;
    for (phase, count) in runs(moments) {
        out.push_str(&band(phase, plot, start, start + count, lang));
        start += count;
    }
    out
}

fn band(band_phase: Phase, plot: &Plot, from: usize, to: usize, lang: Lang) -> String {
    let (left, right, bottom) = (plot.at(from), plot.at(to), plot.bottom());
    let name = if band_phase == Phase::Optimizer { pick(lang, "step", "更新") } else { phase(band_phase, lang) };
    let wide = name.chars().map(|c| if c.is_ascii() { 6.6 } else { 12.5 }).sum::<f64>() + 6.0 <= right - left;
    let mut out = String::new();
    if from > 0 {
        out.push_str(&format!(
            "<line class=\"hair\" x1=\"{left:.2}\" x2=\"{left:.2}\" y1=\"{:.1}\" y2=\"{:.1}\"/>",
            plot.y,
            bottom + 22.0
        ));
    }
    let key = band_phase.name();
    out.push_str(&format!(
        "<rect class=\"band b-{key}\" x=\"{:.2}\" y=\"{:.1}\" width=\"{:.2}\" height=\"4\"><title>{name}</title></rect>",
        left + 0.5,
        bottom + 5.0,
        (right - left - 1.0).max(0.5)
    ));
    if wide {
        out.push_str(&format!(
            "<text class=\"phase\" x=\"{:.2}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
            f64::midpoint(left, right),
            bottom + 23.0
        ));
    }
    out
}

/// The capacity of the GPU, and what nvidia-smi would show.
fn lines(report: &EstimateReport, plot: &Plot, lang: Lang) -> String {
    let (left, right, shown) = (plot.x, plot.x + plot.width, report.estimate.peak);
    let y = plot.y_of_bytes(shown);
    let gpu = report.gpu().map(|gpu| (gpu, plot.y_of_bytes(gpu.bytes)));
    // Two labels this close would overlap.
    let crowded = gpu.is_some_and(|(_, other)| (y - 24.0..y).contains(&other));
    let name_y = if crowded { y + 15.0 } else { y - 6.0 };
    let size = gib(shown);
    let mut out = format!("<line class=\"smi\" x1=\"{left:.1}\" x2=\"{right:.1}\" y1=\"{y:.2}\" y2=\"{y:.2}\"/>");
    out.push_str(&format!("<text class=\"note\" x=\"{:.1}\" y=\"{name_y:.2}\">nvidia-smi {size}</text>", left + 6.0));
    let Some((gpu, y)) = gpu else { return out };
    let name = escape(gpu.name.as_deref().unwrap_or(pick(lang, "GPU", "GPU")));
    let size = gib(gpu.bytes);
    if y < plot.y {
        let y = plot.y - 12.0;
        out.push_str(&format!("<text class=\"limit\" x=\"{right:.1}\" y=\"{y:.1}\" text-anchor=\"end\">↑ {name} {size}</text>"));
    } else {
        let (x, name_y) = (right - 6.0, y - 6.0);
        out.push_str(&format!("<line class=\"capacity\" x1=\"{left:.1}\" x2=\"{right:.1}\" y1=\"{y:.2}\" y2=\"{y:.2}\"/>"));
        out.push_str(&format!("<text class=\"limit\" x=\"{x:.1}\" y=\"{name_y:.2}\" text-anchor=\"end\">{name} {size}</text>"));
    }
    out
}

/// Marks the moment with the most memory.
fn peak(report: &EstimateReport, plot: &Plot, lang: Lang) -> String {
    let Some((number, moment)) = report.peak_moment().and_then(|number| Some((number, report.timeline().get(number)?))) else {
        return String::new();
    };
    let (x, y) = (f64::midpoint(plot.at(number), plot.at(number + 1)), plot.y_of_bytes(moment.bytes));
    let title = escape(&label(&moment.label, lang));
    let size = gib(moment.bytes);
    format!(
        "<circle class=\"peak\" cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"4\" data-bytes=\"{}\"><title>{title}: {size}</title></circle>",
        moment.bytes
    )
}

#[cfg(test)]
mod tests {
    use super::{Moment, PHASE, Phase, edges, step};

    #[test]
    fn grid_lines_are_round_and_few() {
        for most in [0.3, 1.7, 6.0, 24.0, 80.0, 141.0, 5000.0] {
            let lines = most / step(most);
            assert!((2.0..=9.0).contains(&lines), "{most}: {lines}");
        }
    }

    #[test]
    fn short_phases_stay_visible_between_many_layers() {
        let moment = |phase| Moment { label: String::new(), phase, bytes: 0, parts: [0; 8] };
        let of = |phase, count| std::iter::repeat_with(move || moment(phase)).take(count);
        let moments: Vec<Moment> = of(Phase::Forward, 400).chain(of(Phase::Loss, 2)).chain(of(Phase::Backward, 600)).collect();
        let edges = edges(&moments, 10.0, 800.0);
        assert_eq!(edges.len(), moments.len() + 1);
        assert!((edges[402] - edges[400] - PHASE).abs() < 1e-6);
        assert!((edges.last().expect("an edge") - 810.0).abs() < 1e-6 && edges.is_sorted());
        assert_eq!(super::edges(&[], 10.0, 800.0), [10.0]);
    }
}

//! `gpu --watch` on a terminal: bars of every GPU and process, with the predicted peaks of runs. A frame is a function of its state.

mod bar;

use super::gpu_text::{another_users, heat, kind_name};
use bar::{Bar, FREE, Holder, MARKS, Mark};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use std::collections::BTreeMap;
use vramlint_base::text::{format_size, percent_rounded};
use vramlint_base::visible::{acts_on_display, one_line, picture};
use vramlint_base::{Lang, Message, message};
use vramlint_estimate::Verdict;
use vramlint_gpu::insights::insights;
use vramlint_gpu::{Gpu, Machine, Memory, Process};
use vramlint_view::table::{cut, pad, widest};

/// Widest bar, columns.
const WIDEST_BAR: usize = 60;
/// Narrowest bar in a row with text; below, a bar has a row of its own.
const NARROWEST_BAR: usize = 10;
/// Widest name of a process, columns.
const NAME: usize = 24;
/// Columns before the rows of a GPU, and between their parts.
const GAP: usize = 2;
/// Insights that the bars show already.
const SHOWN_BY_BARS: &[&str] = &["room", "holder", "holders-silent", "holders-hidden"];

/// The predicted memory of a run on each of its GPUs, bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prediction {
    /// Id of the run.
    pub(crate) run: String,
    pub(crate) low: u64,
    pub(crate) peak: u64,
    pub(crate) high: u64,
}

/// Everything that a frame shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiveState {
    pub(crate) machine: Machine,
    /// Finds the memory that a GPU of a name usually has.
    pub(crate) usual: Option<fn(&str) -> Option<u64>>,
    /// The predictions of the runs that processes belong to, by process id.
    pub(crate) running: BTreeMap<u32, Prediction>,
    /// The prediction of a run that no process belongs to.
    pub(crate) waiting: Option<Prediction>,
    /// What is to be said about the project.
    pub(crate) note: Option<Message>,
    /// Seconds between refreshes.
    pub(crate) interval: u32,
    /// The file that is recorded to.
    pub(crate) recording: Option<String>,
    /// Rows above the first one that is shown.
    pub(crate) scroll: usize,
    pub(crate) lang: Lang,
    pub(crate) color: bool,
}

/// Draws a frame.
pub(crate) fn render(frame: &mut Frame<'_>, state: &LiveState) {
    let area = frame.area();
    let width = usize::from(area.width);
    let rows = state.rows(width);
    let (head, body, foot) = areas(area);
    let scroll = state.scroll.min(most_scroll(rows.len(), body));
    let hidden = rows.len().saturating_sub(scroll + usize::from(body.height));
    let shown: Vec<Line<'_>> = rows.into_iter().skip(scroll).take(usize::from(body.height)).collect();
    frame.render_widget(Paragraph::new(state.head(width)), head);
    frame.render_widget(Paragraph::new(shown), body);
    frame.render_widget(Paragraph::new(state.foot(width, scroll, hidden)), foot);
    guard(frame.buffer_mut());
}

/// The farthest that a state can be scrolled on a screen.
pub(crate) fn scroll_limit(state: &LiveState, area: Rect) -> usize {
    most_scroll(state.rows(usize::from(area.width)).len(), areas(area).1)
}

fn most_scroll(rows: usize, body: Rect) -> usize {
    rows.saturating_sub(usize::from(body.height))
}

/// The first row, the rows of the GPUs, the last two rows. A low screen shows GPUs only.
fn areas(area: Rect) -> (Rect, Rect, Rect) {
    let (head, foot) = if area.height < 6 { (0, 0) } else { (1, 2) };
    let part = |y: u16, height: u16| Rect { y: area.y + y, height, ..area };
    (part(0, head), part(head, area.height - head - foot), part(area.height - foot, foot))
}

/// Replaces whatever would act on the terminal, so that a forgotten place cannot send the bytes of a name.
fn guard(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if cell.symbol().chars().any(acts_on_display) {
            let shown: String = cell.symbol().chars().map(|c| if acts_on_display(c) { picture(c) } else { c }).collect();
            cell.set_symbol(&shown);
        }
    }
}

/// A row of a GPU before it is drawn.
struct Row {
    label: String,
    bar: Option<Bar>,
    figures: String,
    /// What is said of its prediction.
    below: Option<Line<'static>>,
}

/// Widths, in columns: the bars of all GPUs stand below each other.
#[derive(Clone, Copy)]
struct Columns {
    all: usize,
    label: usize,
    bar: usize,
}

impl Columns {
    fn of<'a>(rows: impl Iterator<Item = &'a Row> + Clone, all: usize) -> Self {
        let label = widest(rows.clone().map(|row| row.label.as_str()), usize::MAX);
        let figures = widest(rows.map(|row| row.figures.as_str()), usize::MAX);
        Self { all, label, bar: all.saturating_sub(label + figures + 3 * GAP).min(WIDEST_BAR) }
    }
}

impl LiveState {
    fn say(&self, message: &Message) -> String {
        message.get(self.lang).to_owned()
    }

    fn style(&self, style: Style) -> Style {
        if self.color { style } else { Style::new() }
    }

    fn line(&self, text: &str, width: usize, style: Style) -> Line<'static> {
        Line::styled(cut(text, width), self.style(style))
    }

    fn head(&self, width: usize) -> Line<'static> {
        let driver = self.machine.driver.as_deref().unwrap_or("?");
        let cuda = self.machine.cuda.map_or_else(|| "?".to_owned(), |(major, minor)| format!("{major}.{minor}"));
        let seconds = self.interval;
        let text = self.say(&message!(
            "NVIDIA driver {driver}, CUDA up to {cuda}, every {seconds} s",
            "NVIDIA 驱动 {driver}，最高支持 CUDA {cuda}，每 {seconds} 秒刷新"
        ));
        let recording = self.recording.as_ref().map(|path| {
            let path = one_line(path);
            self.say(&message!(", recording to {path}", "，记录到 {path}"))
        });
        self.line(&(text + &recording.unwrap_or_default()), width, Style::new().add_modifier(Modifier::BOLD))
    }

    fn foot(&self, width: usize, above: usize, below: usize) -> Vec<Line<'static>> {
        let [own, other, unknown] = [Holder::Own, Holder::Other, Holder::Unknown].map(Holder::letter);
        let [low, peak, high] = MARKS;
        let marks = if self.running.is_empty() && self.waiting.is_none() {
            String::new()
        } else {
            self.say(&message!("  {low}{peak}{high} predicted peak", "  {low}{peak}{high} 预测峰值"))
        };
        let legend = self.say(&message!(
            "{own} yours  {other} other users  {unknown} driver or unknown  {FREE} free{marks}",
            "{own} 当前用户  {other} 其他用户  {unknown} 驱动或未知  {FREE} 空闲{marks}"
        ));
        let more = if above + below == 0 {
            String::new()
        } else {
            self.say(&message!("  ↑ ↓ scroll: {above} above, {below} below", "  ↑ ↓ 滚动：上方 {above} 行，下方 {below} 行"))
        };
        let keys = self.say(&message!("q quits{more}", "q 退出{more}"));
        let dim = Style::new().add_modifier(Modifier::DIM);
        vec![self.line(&legend, width, Style::new()), self.line(&keys, width, dim)]
    }

    /// All rows of the body, cut to `width` columns.
    fn rows(&self, width: usize) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        if self.machine.gpus.is_empty() {
            let none = self.say(&message!("the NVIDIA driver sees no GPU", "NVIDIA 驱动未发现任何 GPU"));
            lines.push(self.line(&none, width, Style::new()));
        }
        let blocks: Vec<Vec<Row>> = self.machine.gpus.iter().map(|gpu| self.bars(gpu, width)).collect();
        let columns = Columns::of(blocks.iter().flatten(), width);
        for (gpu, rows) in self.machine.gpus.iter().zip(&blocks) {
            lines.push(Line::default());
            self.gpu(gpu, rows, columns, &mut lines);
        }
        if let Some(note) = &self.note {
            lines.push(Line::default());
            lines.push(self.line(note.get(self.lang), width, Style::new().add_modifier(Modifier::DIM)));
        }
        lines
    }

    fn gpu(&self, gpu: &Gpu, rows: &[Row], columns: Columns, lines: &mut Vec<Line<'static>>) {
        let width = columns.all;
        let utilization = gpu.utilization.map(|rates| {
            let busy = rates.gpu;
            self.say(&message!("utilization {busy} %", "利用率 {busy}%"))
        });
        let details: Vec<String> = [utilization, heat(gpu)].into_iter().flatten().collect();
        let title = format!("GPU {}  {}  {}", gpu.index, gpu.name.as_deref().unwrap_or("?"), details.join("  "));
        lines.push(self.line(title.trim_end(), width, Style::new().add_modifier(Modifier::BOLD)));
        for row in rows {
            self.row(row, columns, lines);
        }
        if let Some(waiting) = self.waiting_on(gpu) {
            lines.push(self.prediction(waiting, gpu, None, width));
        }
        let usual = gpu.name.as_deref().and_then(|name| self.usual?(name));
        for insight in insights(&self.machine, gpu, usual).iter().filter(|insight| !SHOWN_BY_BARS.contains(&insight.kind)) {
            lines.push(self.line(&format!("  → {}", insight.message.get(self.lang)), width, Style::new()));
        }
    }

    fn row(&self, row: &Row, columns: Columns, lines: &mut Vec<Line<'static>>) {
        let gap = || Span::raw(" ".repeat(GAP));
        if columns.bar >= NARROWEST_BAR {
            let blank = || vec![Span::raw(" ".repeat(columns.bar))];
            let bar = row.bar.as_ref().map_or_else(blank, |bar| bar.draw(columns.bar, self.color));
            let start = [gap(), Span::raw(pad(&row.label, columns.label)), gap()];
            lines.push(start.into_iter().chain(bar).chain([gap(), Span::raw(row.figures.clone())]).collect());
        } else {
            lines.push(self.line(&format!("  {}  {}", row.label, row.figures), columns.all, Style::new()));
            let own_row = columns.all.saturating_sub(2 * GAP).min(WIDEST_BAR);
            lines.extend(row.bar.iter().map(|bar| [gap()].into_iter().chain(bar.draw(own_row, self.color)).collect()));
        }
        lines.extend(row.below.clone());
    }

    /// The bars of a GPU, its instances and its processes.
    fn bars(&self, gpu: &Gpu, width: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        let name = self.say(&message!("memory", "显存"));
        if let Some(memory) = gpu.memory {
            let bar = Bar { used: holders(gpu, memory), total: memory.total, mark: self.mark(gpu, memory) };
            rows.push(Row { label: name, bar: Some(bar), figures: self.figures(memory), below: None });
        }
        for instance in gpu.mig.iter().flat_map(|mig| &mig.instances) {
            let index = instance.index;
            let label = self.say(&message!("instance {index}", "实例 {index}"));
            let Some(memory) = instance.memory else { continue };
            let used = vec![(Holder::Unknown, in_use(memory))];
            let bar = Bar { used, total: memory.total, mark: None };
            rows.push(Row { label, bar: Some(bar), figures: self.figures(memory), below: None });
        }
        let processes = gpu.processes.as_deref().unwrap_or_default();
        let pids = processes.iter().map(|process| process.pid.to_string().len()).max().unwrap_or(0);
        for process in processes {
            let name = cut(process.name.as_deref().unwrap_or("?"), NAME);
            let label = format!("{}  {name}", pad(&process.pid.to_string(), pids));
            let held = process.memory.map_or_else(|| self.say(&message!("not reported", "未报告")), format_size);
            let others = if process.own == Some(false) { self.say(&another_users()) } else { String::new() };
            let figures = format!("{held}  {}{others}", self.say(&kind_name(process.kind)));
            let prediction = self.running.get(&process.pid);
            let bar = gpu.memory.zip(process.memory).map(|(memory, held)| Bar {
                used: vec![(holder(process), held)],
                total: memory.total,
                mark: prediction.map(|prediction| prediction.mark(0, verdict(prediction, memory, held))),
            });
            let below = prediction.map(|prediction| self.prediction(prediction, gpu, Some(process), width));
            rows.push(Row { label, bar, figures, below });
        }
        rows
    }

    fn figures(&self, memory: Memory) -> String {
        let (used, free, total) = (format_size(memory.used), format_size(memory.free), format_size(memory.total));
        let share = percent_rounded(memory.used, memory.total);
        self.say(&message!("{used} of {total} used ({share} %), {free} free", "已用 {used} / {total}（{share}%），空闲 {free}"))
    }

    /// The processes of a GPU whose run is known, with its prediction and the bytes in use.
    fn running_on<'a>(&'a self, gpu: &'a Gpu) -> impl Iterator<Item = (&'a Prediction, u64)> {
        let processes = gpu.processes.as_deref().unwrap_or_default().iter();
        processes.filter_map(|process| Some((self.running.get(&process.pid)?, process.memory?)))
    }

    /// The run that would use this GPU if it started now.
    fn waiting_on(&self, gpu: &Gpu) -> Option<&Prediction> {
        self.waiting.as_ref().filter(|_| gpu.memory.is_some() && !gpu.is_partitioned())
    }

    /// Where all use of the GPU would be at the peaks of its runs, with what others use now.
    fn mark(&self, gpu: &Gpu, memory: Memory) -> Option<Mark> {
        if gpu.is_partitioned() {
            return None;
        }
        let in_use = in_use(memory);
        if let Some(waiting) = self.waiting_on(gpu) {
            return Some(waiting.mark(in_use, verdict(waiting, memory, 0)));
        }
        let held: u64 = self.running_on(gpu).map(|(_, held)| held).sum();
        let mut sum = None::<Prediction>;
        for (one, _) in self.running_on(gpu) {
            sum = Some(match sum {
                Some(all) => Prediction {
                    low: all.low.saturating_add(one.low),
                    peak: all.peak.saturating_add(one.peak),
                    high: all.high.saturating_add(one.high),
                    ..all
                },
                None => one.clone(),
            });
        }
        sum.map(|sum| sum.mark(in_use.saturating_sub(held), verdict(&sum, memory, held)))
    }

    /// A line on a prediction: for a process of the run, else for a run that has none.
    fn prediction(&self, prediction: &Prediction, gpu: &Gpu, process: Option<&Process>, width: usize) -> Line<'static> {
        let (run, peak) = (one_line(&prediction.run), format_size(prediction.peak));
        let (low, high) = (format_size(prediction.low), format_size(prediction.high));
        let held = process.and_then(|process| process.memory);
        let verdict = gpu.memory.filter(|_| !gpu.is_partitioned()).map(|memory| verdict(prediction, memory, held.unwrap_or(0)));
        let remark = match verdict {
            _ if held.is_some_and(|held| held > prediction.high) => Some(message!("uses more than predicted", "已超出预测范围")),
            Some(Verdict::Fits) => Some(message!("fits", "放得下")),
            Some(Verdict::MayNotFit) => Some(message!("may not fit", "可能放不下")),
            Some(Verdict::DoesNotFit) => Some(message!("does not fit", "放不下")),
            None => None,
        };
        let remark = remark.map_or_else(String::new, |remark| match self.lang {
            Lang::En => format!("; {}", remark.en),
            Lang::Zh => format!("；{}", remark.zh),
        });
        let text = if process.is_some() {
            message!(
                "{run}: predicted peak {peak} ({low} to {high}){remark}",
                "{run}：预测峰值 {peak}（{low} 至 {high}）{remark}"
            )
        } else {
            message!(
                "{run}, if it starts now: predicted peak {peak} ({low} to {high}){remark}",
                "{run}，若现在启动：预测峰值 {peak}（{low} 至 {high}）{remark}"
            )
        };
        let color = match verdict {
            Some(Verdict::DoesNotFit) => Color::Red,
            Some(Verdict::MayNotFit) => Color::Yellow,
            _ => Color::Cyan,
        };
        let indent = " ".repeat(2 * GAP);
        self.line(&format!("{indent}{}", self.say(&text)), width, Style::new().fg(color))
    }
}

impl Prediction {
    /// The mark on a bar, after `used` bytes of others.
    fn mark(&self, used: u64, verdict: Verdict) -> Mark {
        let [low, peak, high] = [self.low, self.peak, self.high].map(|bytes| bytes.saturating_add(used));
        Mark { low, peak, high, verdict }
    }
}

const fn in_use(memory: Memory) -> u64 {
    memory.used.saturating_add(memory.reserved)
}

/// Whether a prediction fits what others leave on a GPU; `held` bytes in use are the run's own.
fn verdict(prediction: &Prediction, memory: Memory, held: u64) -> Verdict {
    Verdict::of(prediction.low, prediction.high, memory.free.saturating_add(held))
}

const fn holder(process: &Process) -> Holder {
    match process.own {
        Some(true) => Holder::Own,
        Some(false) => Holder::Other,
        None => Holder::Unknown,
    }
}

/// The bytes in use by holder. What no process accounts for is the driver's, or of a process that is not seen.
fn holders(gpu: &Gpu, memory: Memory) -> Vec<(Holder, u64)> {
    let processes = gpu.processes.as_deref().unwrap_or_default();
    let held = |by: Holder| -> u64 {
        processes.iter().filter(|process| holder(process) == by).filter_map(|process| process.memory).sum()
    };
    let (own, other) = (held(Holder::Own), held(Holder::Other));
    let rest = in_use(memory).saturating_sub(own).saturating_sub(other);
    vec![(Holder::Own, own), (Holder::Other, other), (Holder::Unknown, rest)]
}

#[cfg(test)]
mod tests;

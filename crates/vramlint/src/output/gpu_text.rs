//! `gpu` as text: a block per GPU with its figures, followed by the insights.

use owo_colors::OwoColorize;
use vramlint_base::text::{format_size, percent_rounded};
use vramlint_base::{Lang, Message, message};
use vramlint_gpu::insights::insights;
use vramlint_gpu::{Gpu, Kind, Machine, Memory, Mig, Process};
use vramlint_view::table::{cut, pad, widest};

/// Width of the bar, columns.
const BAR: u64 = 20;
/// Maximum width of a program name, columns.
const NAME: usize = 32;

/// Renders the machine.
pub(crate) fn render(machine: &Machine, usual: fn(&str) -> Option<u64>, lang: Lang, color: bool) -> String {
    let page = Page { machine, lang, color };
    let blocks: Vec<String> = machine.gpus.iter().map(|gpu| page.gpu(gpu, gpu.name.as_deref().and_then(usual))).collect();
    format!("{}\n{}", page.head(), blocks.join("\n"))
}

struct Page<'a> {
    machine: &'a Machine,
    lang: Lang,
    color: bool,
}

impl Page<'_> {
    fn say(&self, message: &Message) -> String {
        message.get(self.lang).to_owned()
    }

    fn bold(&self, text: &str) -> String {
        if self.color { text.bold().to_string() } else { text.to_owned() }
    }

    fn faint(&self, text: &str) -> String {
        if self.color { text.dimmed().to_string() } else { text.to_owned() }
    }

    fn head(&self) -> String {
        let driver = self.machine.driver.as_deref().unwrap_or("?");
        let cuda = self.machine.cuda.map_or_else(|| "?".to_owned(), |(major, minor)| format!("{major}.{minor}"));
        self.say(&message!("NVIDIA driver {driver}, CUDA up to {cuda}\n", "NVIDIA 驱动 {driver}，最高支持 CUDA {cuda}\n"))
    }

    fn gpu(&self, gpu: &Gpu, usual: Option<u64>) -> String {
        let title = self.bold(&format!("GPU {}  {}", gpu.index, gpu.name.as_deref().unwrap_or("?")));
        let mut text = format!("{title}{}\n", self.faint(&self.identity(gpu)));
        let rows = self.rows(gpu);
        let names = widest(rows.iter().map(|(name, _)| name.as_str()), NAME);
        for (name, value) in &rows {
            text.push_str(&format!("  {}  {value}\n", pad(name, names)));
        }
        for insight in insights(self.machine, gpu, usual) {
            text.push_str(&format!("  {} {}\n", self.bold("→"), insight.message.get(self.lang)));
        }
        text
    }

    fn identity(&self, gpu: &Gpu) -> String {
        let capability = gpu
            .compute_capability
            .map(|(major, minor)| self.say(&message!("compute capability {major}.{minor}", "计算能力 {major}.{minor}")));
        let parts: Vec<String> = [capability, gpu.uuid.clone()].into_iter().flatten().collect();
        if parts.is_empty() { String::new() } else { format!("  {}", parts.join("  ")) }
    }

    /// Names and values of the known figures.
    fn rows(&self, gpu: &Gpu) -> Vec<(String, String)> {
        let mut rows = Vec::new();
        let mut put = |name: Message, value: Option<String>| rows.extend(value.map(|value| (self.say(&name), value)));
        put(message!("memory", "显存"), gpu.memory.map(|memory| self.memory(memory)));
        put(
            message!("utilization", "利用率"),
            gpu.utilization.map(|rates| {
                let (gpu, memory) = (rates.gpu, rates.memory);
                self.say(&message!("{gpu} %, memory bus {memory} %", "{gpu}%，显存读写 {memory}%"))
            }),
        );
        put(message!("temperature and power", "温度与功耗"), heat(gpu));
        put(message!("ECC", "ECC 纠错"), gpu.ecc.map(|on| self.switch(on)));
        put(message!("MIG", "MIG"), gpu.mig.as_ref().map(|mig| self.switch(mig.enabled)));
        for (name, value) in gpu.mig.iter().flat_map(|mig| self.instances(mig)) {
            rows.push((name, value));
        }
        let processes = gpu.processes.as_deref().unwrap_or_default();
        let widths = widest(processes.iter().filter_map(|process| process.name.as_deref()), NAME);
        for process in processes {
            let pid = process.pid;
            rows.push((self.say(&message!("process {pid}", "进程 {pid}")), self.process(process, widths)));
        }
        rows
    }

    fn memory(&self, memory: Memory) -> String {
        let (used, free, total) = (format_size(memory.used), format_size(memory.free), format_size(memory.total));
        let (share, bar) = (percent_rounded(memory.used, memory.total), bar(memory));
        let reserved = format_size(memory.reserved);
        self.say(&message!(
            "{bar} {used} of {total} used ({share} %), {free} free, {reserved} reserved by the driver",
            "{bar} 已用 {used} / {total}（{share}%），空闲 {free}，驱动保留 {reserved}"
        ))
    }

    fn instances(&self, mig: &Mig) -> Vec<(String, String)> {
        let row = |mig_instance: &vramlint_gpu::MigInstance| {
            let index = mig_instance.index;
            let memory = mig_instance.memory.map(|memory| self.memory(memory));
            let parts: Vec<String> =
                [mig_instance.name.clone(), memory, mig_instance.uuid.clone()].into_iter().flatten().collect();
            (self.say(&message!("instance {index}", "实例 {index}")), parts.join("  "))
        };
        mig.instances.iter().map(row).collect()
    }

    fn process(&self, process: &Process, width: usize) -> String {
        let name = pad(&cut(process.name.as_deref().unwrap_or("?"), NAME), width);
        let held = process.memory.map_or_else(|| self.say(&message!("not reported", "未报告")), format_size);
        let other = if process.own == Some(false) { self.say(&another_users()) } else { String::new() };
        format!("{name}  {held}  {}{other}", self.say(&kind_name(process.kind)))
    }

    fn switch(&self, on: bool) -> String {
        self.say(&if on { message!("on", "启用") } else { message!("off", "未启用") })
    }
}

/// How a process uses a GPU.
pub(super) fn kind_name(kind: Kind) -> Message {
    match kind {
        Kind::Compute => message!("compute", "计算"),
        Kind::Graphics => message!("graphics", "图形"),
        Kind::Both => message!("compute and graphics", "计算与图形"),
    }
}

/// What follows the figures of a process of another user.
pub(super) fn another_users() -> Message {
    message!(", another user's", "，其他用户")
}

/// Temperature and power.
pub(super) fn heat(gpu: &Gpu) -> Option<String> {
    let power = gpu.power.map(|power| match power.limit {
        Some(limit) => format!("{} / {} W", power.draw / 1000, limit / 1000),
        None => format!("{} W", power.draw / 1000),
    });
    let heat = gpu.temperature.map(|degrees| format!("{degrees} °C"));
    let parts: Vec<String> = [heat, power].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// A bar of the used share; any use fills at least one column.
fn bar(memory: Memory) -> String {
    let full = (percent_rounded(memory.used, memory.total) * BAR).div_ceil(100).min(BAR);
    let columns = |count: u64, mark: &str| mark.repeat(usize::try_from(count).unwrap_or(0));
    columns(full, "█") + &columns(BAR - full, "░")
}

//! `gpu` as text: a block per card, its figures first, then what follows from them.

use owo_colors::OwoColorize;
use vramlint_base::{Lang, Message, message};
use vramlint_gpu::advice::{advice, percent, size};
use vramlint_gpu::{Card, Kind, Machine, Memory, Mig, Process};
use vramlint_view::table::{cut, pad, widest};

/// Columns of the bar.
const BAR: u64 = 20;
/// Columns of a program's name at most.
const NAME: usize = 32;

/// The machine.
pub(crate) fn all(machine: &Machine, usual: fn(&str) -> Option<u64>, lang: Lang, colour: bool) -> String {
    let page = Page { machine, lang, colour };
    let blocks: Vec<String> = machine.cards.iter().map(|card| page.card(card, card.name.as_deref().and_then(usual))).collect();
    format!("{}\n{}", page.head(), blocks.join("\n"))
}

struct Page<'a> {
    machine: &'a Machine,
    lang: Lang,
    colour: bool,
}

impl Page<'_> {
    fn say(&self, message: &Message) -> String {
        message.get(self.lang).to_owned()
    }

    fn bold(&self, text: &str) -> String {
        if self.colour { text.bold().to_string() } else { text.to_owned() }
    }

    fn faint(&self, text: &str) -> String {
        if self.colour { text.dimmed().to_string() } else { text.to_owned() }
    }

    fn head(&self) -> String {
        let driver = self.machine.driver.as_deref().unwrap_or("?");
        let cuda = self.machine.cuda.map_or_else(|| "?".to_owned(), |(major, minor)| format!("{major}.{minor}"));
        self.say(&message!("NVIDIA driver {driver}, CUDA up to {cuda}\n", "NVIDIA 驱动 {driver}，最高支持 CUDA {cuda}\n"))
    }

    fn card(&self, card: &Card, usual: Option<u64>) -> String {
        let title = self.bold(&format!("GPU {}  {}", card.index, card.name.as_deref().unwrap_or("?")));
        let mut text = format!("{title}{}\n", self.faint(&self.identity(card)));
        let rows = self.rows(card);
        let names = widest(rows.iter().map(|(name, _)| name.as_str()), NAME);
        for (name, value) in &rows {
            text.push_str(&format!("  {}  {value}\n", pad(name, names)));
        }
        for advice in advice(self.machine, card, usual) {
            text.push_str(&format!("  {} {}\n", self.bold("→"), advice.message.get(self.lang)));
        }
        text
    }

    fn identity(&self, card: &Card) -> String {
        let capability = card
            .compute_capability
            .map(|(major, minor)| self.say(&message!("compute capability {major}.{minor}", "计算能力 {major}.{minor}")));
        let parts: Vec<String> = [capability, card.uuid.clone()].into_iter().flatten().collect();
        if parts.is_empty() { String::new() } else { format!("  {}", parts.join("  ")) }
    }

    /// Names and values of what is known.
    fn rows(&self, card: &Card) -> Vec<(String, String)> {
        let mut rows = Vec::new();
        let mut put = |name: Message, value: Option<String>| rows.extend(value.map(|value| (self.say(&name), value)));
        put(message!("memory", "显存"), card.memory.map(|memory| self.memory(memory)));
        put(
            message!("busy", "利用率"),
            card.utilization.map(|of| {
                let (gpu, memory) = (of.gpu, of.memory);
                self.say(&message!("{gpu} %, memory bus {memory} %", "{gpu}%，显存读写 {memory}%"))
            }),
        );
        put(message!("heat and power", "温度与功耗"), heat(card));
        put(message!("ECC", "ECC 纠错"), card.ecc.map(|on| self.switch(on)));
        put(message!("MIG", "MIG"), card.mig.as_ref().map(|mig| self.switch(mig.enabled)));
        for (name, value) in card.mig.iter().flat_map(|mig| self.instances(mig)) {
            rows.push((name, value));
        }
        let processes = card.processes.as_deref().unwrap_or_default();
        let widths = widest(processes.iter().filter_map(|process| process.name.as_deref()), NAME);
        for process in processes {
            let pid = process.pid;
            rows.push((self.say(&message!("process {pid}", "进程 {pid}")), self.process(process, widths)));
        }
        rows
    }

    fn memory(&self, memory: Memory) -> String {
        let (used, free, total) = (size(memory.used), size(memory.free), size(memory.total));
        let (share, bar) = (percent(memory.used, memory.total), bar(memory));
        let reserved = size(memory.reserved);
        self.say(&message!(
            "{bar} {used} of {total} used ({share} %), {free} free, {reserved} kept by the driver",
            "{bar} 已用 {used} / {total}（{share}%），空闲 {free}，驱动保留 {reserved}"
        ))
    }

    fn instances(&self, mig: &Mig) -> Vec<(String, String)> {
        let one = |slice: &vramlint_gpu::Slice| {
            let index = slice.index;
            let memory = slice.memory.map(|memory| self.memory(memory));
            let parts: Vec<String> = [slice.name.clone(), memory, slice.uuid.clone()].into_iter().flatten().collect();
            (self.say(&message!("instance {index}", "实例 {index}")), parts.join("  "))
        };
        mig.instances.iter().map(one).collect()
    }

    fn process(&self, process: &Process, width: usize) -> String {
        let name = pad(&cut(process.name.as_deref().unwrap_or("?"), NAME), width);
        let held = process.memory.map_or_else(|| self.say(&message!("not told", "未提供")), size);
        let other =
            if process.own == Some(false) { self.say(&message!(", another user's", "，其他用户")) } else { String::new() };
        let kind = match process.kind {
            Kind::Compute => message!("compute", "计算"),
            Kind::Graphics => message!("graphics", "图形"),
            Kind::Both => message!("compute and graphics", "计算与图形"),
        };
        format!("{name}  {held}  {}{other}", self.say(&kind))
    }

    fn switch(&self, on: bool) -> String {
        self.say(&if on { message!("on", "启用") } else { message!("off", "未启用") })
    }
}

fn heat(card: &Card) -> Option<String> {
    let power = card.power.map(|power| match power.limit {
        Some(limit) => format!("{} / {} W", power.draw / 1000, limit / 1000),
        None => format!("{} W", power.draw / 1000),
    });
    let heat = card.temperature.map(|degrees| format!("{degrees} °C"));
    let parts: Vec<String> = [heat, power].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The used share; anything above nothing shows.
fn bar(memory: Memory) -> String {
    let full = (percent(memory.used, memory.total) * BAR).div_ceil(100).min(BAR);
    let columns = |count: u64, mark: &str| mark.repeat(usize::try_from(count).unwrap_or(0));
    columns(full, "█") + &columns(BAR - full, "░")
}

//! The text of `oom`: what failed, why, and what helps.

use crate::estimate::EstimateReport;
use crate::estimate::format::{gib, gib_value, in_lang, phase_phrase, pick};
use crate::table::cut;
use crate::{StyleRole, Styler};
use vramlint_base::{Lang, Message, message};
use vramlint_estimate::{Plan, Verdict as Fits};
use vramlint_memory::Setup;
use vramlint_memory::estimate::Phase;
use vramlint_oom::{Amount, Device, Event, Failure, Judgement, Kill, Stage, Verdict};

/// Maximum columns of what a log says.
const QUOTE: usize = 120;
/// Parts that are named.
const PARTS: usize = 4;

/// One event.
#[derive(Debug)]
pub struct Block<'a> {
    /// Name of the log.
    pub log: &'a str,
    /// The event.
    pub event: &'a Event,
    /// Id of the run that wrote it, if known.
    pub run: Option<&'a str>,
    /// Why it failed.
    pub explanation: &'a Message,
    /// The plans that help, each with the setup that it changes.
    pub plans: Vec<(&'a Plan, &'a Setup)>,
}

/// Every event; how many were left out.
pub fn text(blocks: &[Block<'_>], omitted: u64, lang: Lang, styler: Styler) -> String {
    if blocks.is_empty() {
        return pick(lang, "no out-of-memory failure found\n", "未发现显存或内存不足\n").to_owned();
    }
    let mut parts: Vec<String> = blocks.iter().map(|block| draw(block, lang, styler)).collect();
    if omitted > 0 {
        parts.push(message!("{omitted} more\n", "另有 {omitted} 个\n").get(lang).to_owned());
    }
    parts.join("\n")
}

fn draw(block: &Block<'_>, lang: Lang, styler: Styler) -> String {
    let event = block.event;
    let place = format!("{}:{}", cut(block.log, QUOTE), event.line);
    let headline = headline(event);
    let headline = styler(&cut(headline.get(lang), QUOTE * 2), StyleRole::Verdict(Fits::DoesNotFit));
    let mut lines = vec![format!("{}  {headline}", styler(&place, StyleRole::Strong))];
    if let Some(amounts) = amounts(event) {
        lines.push(format!("  {}", styler(amounts.get(lang), StyleRole::Faint)));
    }
    lines.extend(block.explanation.get(lang).split('\n').map(|line| format!("  {line}")));
    for (index, (plan, before)) in block.plans.iter().enumerate() {
        let (number, peak, high) = (index + 1, gib(plan.estimate.peak), gib(plan.estimate.high));
        lines.push(message!("  {number}. {peak}, up to {high}", "  {number}. {peak}，至多 {high}").get(lang).to_owned());
        lines.extend(plan.titles(before).iter().map(|title| format!("     - {}", title.get(lang))));
    }
    lines.join("\n") + "\n"
}

/// What failed, in one line.
fn headline(event: &Event) -> Message {
    let ranks = ranks(event);
    let exception = event.exception.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    match &event.failure {
        Failure::Device(device) => {
            let backend = device.backend.to_uppercase();
            let on = device.device.map(|device| format!(" {device}")).unwrap_or_default();
            message!("{backend} out of memory on GPU{on}{ranks}{exception}", "{backend} 显存不足：GPU{on}{ranks}{exception}")
        }
        Failure::Kill(kill) => {
            let pid = kill.pid.map(|pid| format!(" {pid}")).unwrap_or_default();
            message!("process{pid} was killed (SIGKILL){ranks}", "进程{pid} 被终止（SIGKILL）{ranks}")
        }
        Failure::Host(_) => message!("out of host memory{ranks}{exception}", "主机内存不足{ranks}{exception}"),
        Failure::SharedMemory(_) => message!("out of shared memory{ranks}", "共享内存不足{ranks}"),
        Failure::Engine(_) => message!("the inference engine lacks GPU memory{exception}", "推理引擎显存不足{exception}"),
    }
}

fn ranks(event: &Event) -> String {
    match (event.rank, event.ranks.len()) {
        (Some(rank), 0 | 1) => format!(", rank {rank}"),
        (Some(_), _) => {
            let list = event.ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            format!(", ranks {list}")
        }
        (None, _) => String::new(),
    }
}

fn size(amount: Amount) -> String {
    format!("{} {}", amount.value, amount.unit.name())
}

/// The numbers of the message.
fn amounts(event: &Event) -> Option<Message> {
    let parts: Vec<(&str, &str, Amount)> = match &event.failure {
        Failure::Device(device) => device_amounts(device),
        Failure::Kill(Kill { anon_rss, limit, .. }) => {
            [("resident", "常驻", *anon_rss), ("limit", "上限", *limit)].into_iter().filter_map(known).collect()
        }
        Failure::Host(host) => [("requested", "请求", host.requested)].into_iter().filter_map(known).collect(),
        Failure::SharedMemory(shared) => [("requested", "请求", shared.requested)].into_iter().filter_map(known).collect(),
        Failure::Engine(engine) => {
            [("free", "空闲", engine.free), ("of", "总量", engine.total), ("wanted", "需要", engine.desired)]
                .into_iter()
                .filter_map(known)
                .collect()
        }
    };
    if parts.is_empty() {
        return None;
    }
    let list = |name: fn(&(&'static str, &'static str, Amount)) -> &'static str| -> String {
        parts.iter().map(|part| format!("{} {}", name(part), size(part.2))).collect::<Vec<_>>().join(", ")
    };
    Some(Message::new(list(|part| part.0), list(|part| part.1)))
}

type Part = (&'static str, &'static str, Amount);

fn known((en, zh, amount): (&'static str, &'static str, Option<Amount>)) -> Option<Part> {
    amount.map(|amount| (en, zh, amount))
}

fn device_amounts(device: &Device) -> Vec<Part> {
    [
        ("requested", "请求", device.requested),
        ("tensors", "张量", device.allocated),
        ("reserved beside them", "另行预留", device.reserved_unallocated),
        ("reserved in all", "共预留", device.reserved_total),
        ("free", "空闲", device.free),
        ("cap", "上限", device.allowed),
        ("of", "总量", device.total),
    ]
    .into_iter()
    .filter_map(known)
    .collect()
}

/// Why it failed, what that means for the run, what to do: one line each.
pub fn explanation(event: &Event, judgement: &Judgement, run: Option<&EstimateReport>) -> Message {
    let mut lines = vec![judgement.why.clone()];
    if let Some(report) = run {
        lines.extend(match &event.failure {
            Failure::Device(device) => Some(step_of(report, event, device)),
            Failure::Kill(_) | Failure::Host(_) => host_of(report),
            Failure::SharedMemory(_) | Failure::Engine(_) => None,
        });
    }
    lines.extend(judgement.verdict.map(advice));
    let join = |text: fn(&Message) -> &str| lines.iter().map(text).collect::<Vec<_>>().join("\n");
    Message { en: join(|line| &line.en), zh: join(|line| &line.zh) }
}

/// What the run needs, by its largest parts, and where the step died.
fn step_of(report: &EstimateReport, event: &Event, device: &Device) -> Message {
    let mut parts: Vec<_> = report.parts().collect();
    parts.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let list = |lang: Lang| {
        parts
            .iter()
            .take(PARTS)
            .map(|(part, bytes)| format!("{} {}", in_lang(part.label(), lang), gib_value(*bytes)))
            .collect::<Vec<_>>()
    };
    let (name, peak, high) = (report.name(), gib(report.estimate.peak), gib(report.estimate.high));
    let (en, zh) = (list(Lang::En).join(", "), list(Lang::Zh).join("、"));
    let needs = message!("{name} needs {peak}, up to {high}: {en} GiB", "{name} 需要 {peak}，至多 {high}：{zh} GiB");
    match died_in(report, event, device) {
        Some(Message { en: stage, zh: stage_zh }) => {
            let Message { en, zh } = needs;
            message!("{en}; the step died {stage}", "{zh}；在{stage_zh}失败")
        }
        None => needs,
    }
}

/// The stage of the traceback; else the first moment of the predicted step that holds more than the live tensors of the message.
fn died_in(report: &EstimateReport, event: &Event, device: &Device) -> Option<Message> {
    if let Some(stage) = event.context.stage {
        let Some(phase) = simulated(stage) else { return Some(message!("in saving", "保存阶段")) };
        return Some(in_phase(phase));
    }
    let allocated = device.allocated?.in_bytes();
    #[allow(clippy::cast_precision_loss)] // bytes of a GPU
    let moment = report.timeline().iter().find(|moment| moment.bytes as f64 > allocated)?;
    Some(in_phase(moment.phase))
}

fn in_phase(phase: Phase) -> Message {
    Message { en: phase_phrase(phase, Lang::En), zh: phase_phrase(phase, Lang::Zh) }
}

/// The phase of the simulated step; `None` for saving, which is not simulated.
const fn simulated(stage: Stage) -> Option<Phase> {
    Some(match stage {
        Stage::Load => Phase::Load,
        Stage::Forward => Phase::Forward,
        Stage::Loss => Phase::Loss,
        Stage::Backward => Phase::Backward,
        Stage::Optimizer => Phase::Optimizer,
        Stage::Generate => Phase::Generate,
        Stage::Evaluate => Phase::Evaluate,
        Stage::Save => return None,
    })
}

/// What the run needs on its host.
fn host_of(report: &EstimateReport) -> Option<Message> {
    let host = &report.estimate.host;
    if host.peak == 0 {
        return None;
    }
    let mut parts: Vec<_> = host.parts.iter().filter(|part| part.bytes > 0).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
    let list = |lang: Lang| {
        parts
            .iter()
            .take(PARTS)
            .map(|part| format!("{} {}", in_lang(part.label, lang), gib_value(part.bytes)))
            .collect::<Vec<_>>()
    };
    let (name, peak) = (report.name(), gib(host.peak));
    let (en, zh) = (list(Lang::En).join(", "), list(Lang::Zh).join("、"));
    Some(message!("{name} needs {peak} of host memory: {en} GiB", "{name} 需要 {peak} 主机内存：{zh} GiB"))
}

/// What to do, by the kind of failure.
fn advice(verdict: Verdict) -> Message {
    match verdict {
        Verdict::Full | Verdict::LargerThanDevice => message!(
            "make the step smaller: `vramlint fit` ranks the changes that keep the training the same",
            "减小训练步：`vramlint fit` 会列出不改变训练的改法"
        ),
        Verdict::FullOnEveryRank => message!(
            "shard the states over the ranks (ZeRO, FSDP), or make the step of each rank smaller",
            "把状态分片到各 rank（ZeRO、FSDP），或减小每个 rank 的训练步"
        ),
        Verdict::Fragmentation => message!(
            "set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, so that segments grow instead of leaving gaps",
            "设置 PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True，让显存段原地增长而不留空洞"
        ),
        Verdict::OtherProcess => message!(
            "free the GPU first: `vramlint gpu` lists the processes that use it",
            "先释放 GPU：`vramlint gpu` 会列出占用它的进程"
        ),
        Verdict::Cap => message!(
            "raise the cap (`set_per_process_memory_fraction`, PYTORCH_MPS_HIGH_WATERMARK_RATIO), or make the step smaller",
            "提高上限（`set_per_process_memory_fraction`、PYTORCH_MPS_HIGH_WATERMARK_RATIO），或减小训练步"
        ),
        Verdict::SystemMemoryFallback => message!(
            "turn the system memory fallback of the NVIDIA driver off, so that a step that does not fit fails at once instead of becoming slow",
            "在 NVIDIA 驱动中关闭系统内存回退，使放不下的训练步立即失败而不是变慢"
        ),
        Verdict::BadSize => message!(
            "look for the first error above: a failed collective or a broken shape",
            "查看上方的第一个错误：失败的集合通信或损坏的形状"
        ),
        Verdict::OutsideAllocator => message!(
            "leave room outside the allocator, and check that token ids are smaller than the vocabulary",
            "在分配器之外留出空间，并检查 token id 是否小于词表大小"
        ),
        Verdict::HostOomLikely | Verdict::HostOomConfirmed => message!(
            "look at host memory: offloaded states, ranks that each load the whole model, data loader workers, the limit of the container or job",
            "检查主机内存：卸载的状态、各 rank 分别加载整个模型、数据加载进程、容器或作业的上限"
        ),
        Verdict::ShmTooSmall => message!(
            "start the container with --ipc=host or a larger --shm-size, or use fewer data loader workers",
            "用 --ipc=host 或更大的 --shm-size 启动容器，或减少数据加载进程"
        ),
        Verdict::Colocation => message!(
            "lower the share of the engine, or let the other process release memory first",
            "降低引擎的份额，或先让另一个进程释放显存"
        ),
        Verdict::UtilizationTooLow => message!(
            "raise the share of the engine (gpu_memory_utilization, mem-fraction-static), or load smaller weights",
            "提高引擎的份额（gpu_memory_utilization、mem-fraction-static），或加载更小的权重"
        ),
        Verdict::CacheTooSmall => {
            message!("lower max_model_len, or raise the share of the engine", "减小 max_model_len，或提高引擎的份额")
        }
    }
}

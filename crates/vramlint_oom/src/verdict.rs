//! What kind of failure an event is, from its own numbers.

use crate::amount::hundredths;
use crate::event::{
    Device, DeviceTemplate, EngineBudget, EngineTemplate, Event, Failure, HostTemplate, Kill, SharedMemoryTemplate,
};
use vramlint_base::{Message, message};

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Live tensors fill the GPU.
    Full,
    /// They fill it on several ranks alike.
    FullOnEveryRank,
    /// The allocator holds enough, in pieces that are too small.
    Fragmentation,
    /// Other processes hold what is missing.
    OtherProcess,
    /// The process reached a cap of its own.
    Cap,
    /// One request is larger than the GPU.
    LargerThanDevice,
    /// The driver of Windows or WSL moved tensors into system memory before.
    SystemMemoryFallback,
    /// The requested size is not a real one.
    BadSize,
    /// A library or the driver allocates beside the caching allocator.
    OutsideAllocator,
    /// The host's memory is at fault, in all likelihood.
    HostOomLikely,
    /// The host's memory is at fault.
    HostOomConfirmed,
    /// `/dev/shm` is too small.
    ShmTooSmall,
    /// Something else uses the GPU of an engine.
    Colocation,
    /// The share of an engine is too small.
    UtilizationTooLow,
    /// The cache of an engine is smaller than one sequence.
    CacheTooSmall,
}

impl Verdict {
    /// Name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::FullOnEveryRank => "full_on_every_rank",
            Self::Fragmentation => "fragmentation",
            Self::OtherProcess => "other_process",
            Self::Cap => "cap",
            Self::LargerThanDevice => "larger_than_device",
            Self::SystemMemoryFallback => "system_memory_fallback",
            Self::BadSize => "bad_size",
            Self::OutsideAllocator => "outside_allocator",
            Self::HostOomLikely => "host_oom_likely",
            Self::HostOomConfirmed => "host_oom_confirmed",
            Self::ShmTooSmall => "shm_too_small",
            Self::Colocation => "colocation",
            Self::UtilizationTooLow => "utilization_too_low",
            Self::CacheTooSmall => "cache_too_small",
        }
    }

    /// Whether a smaller training step helps.
    pub const fn is_of_the_step(self) -> bool {
        matches!(
            self,
            Self::Full
                | Self::FullOnEveryRank
                | Self::Fragmentation
                | Self::Cap
                | Self::LargerThanDevice
                | Self::SystemMemoryFallback
        )
    }
}

/// What follows from the numbers of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The kind of failure. `None` if the message is cut before it shows.
    pub verdict: Option<Verdict>,
    /// Why.
    pub why: Message,
    /// What the allocator holds besides live tensors, in MiB.
    pub reserved_unallocated_mib: Option<f64>,
    /// What is used outside the allocator of this process, in MiB: its context, libraries, other processes.
    pub outside_torch_mib: Option<f64>,
    /// Largest share that an engine can take, 0 to 1.
    pub max_utilization: Option<f64>,
    /// Memory of the host in GiB, from DeepSpeed's report.
    pub host_total_gb: Option<f64>,
}

impl Event {
    /// What follows from the numbers of this event.
    pub fn judge(&self) -> Judgement {
        match &self.failure {
            Failure::Device(device) => judge_device(device, self.messages, self.ranks.len()),
            Failure::Kill(kill) => judge_kill(kill),
            Failure::Host(host) => judgement(Verdict::HostOomConfirmed, host_reason(host.template)),
            Failure::SharedMemory(shared) => judgement(Verdict::ShmTooSmall, shared_memory_reason(shared.template)),
            Failure::Engine(engine) => judge_engine(engine),
        }
    }
}

fn judgement(verdict: Verdict, why: Message) -> Judgement {
    Judgement {
        verdict: Some(verdict),
        why,
        reserved_unallocated_mib: None,
        outside_torch_mib: None,
        max_utilization: None,
        host_total_gb: None,
    }
}

/// Free memory inside the allocator below which a request that fails does not mean fragmentation, in MiB: the ends of its segments,
/// of 2 and 20 MiB each, are always there.
const MIN_FRAGMENTS_MIB: f64 = 256.0;
/// What one process uses at most outside the allocator of PyTorch, in MiB: context, kernels, communicators.
const MAX_OWN_CONTEXT_MIB: f64 = 3072.0;

fn judge_device(device: &Device, messages: u64, ranks: usize) -> Judgement {
    let mib = |amount: Option<crate::Amount>| amount.map(crate::Amount::mib);
    let (requested, total, free, allocated) = (mib(device.requested), mib(device.total), mib(device.free), mib(device.allocated));
    let reserved = mib(device.reserved_total);
    let unallocated = mib(device.reserved_unallocated).or_else(|| Some(hundredths((reserved? - allocated?).max(0.0))));
    let held = reserved.or_else(|| Some(allocated? + unallocated?));
    let outside = match mib(device.process_used) {
        Some(used) => held.map(|held| used - held),
        None => (|| Some(total? - held? - free?))(),
    };
    let others = others_mib(device, total, free, held, outside);
    let (verdict, why) = device_verdict(device, requested, total, allocated, unallocated, others, messages, ranks);
    Judgement {
        verdict,
        why,
        reserved_unallocated_mib: unallocated,
        outside_torch_mib: outside.map(|outside| hundredths(outside.max(0.0))),
        max_utilization: None,
        host_total_gb: None,
    }
}

/// What other processes hold, in MiB: as listed, or what is neither free nor of this process.
fn others_mib(device: &Device, total: Option<f64>, free: Option<f64>, held: Option<f64>, outside: Option<f64>) -> f64 {
    if !device.other_processes.is_empty() {
        let own = own_process(device, held);
        let others = device.other_processes.iter().enumerate().filter(|(index, _)| Some(*index) != own);
        return others.map(|(_, process)| process.used.mib()).sum();
    }
    match (total, free, device.process_used) {
        (Some(total), Some(free), Some(used)) => (total - free - used.mib()).max(0.0),
        _ => outside.filter(|outside| *outside > MAX_OWN_CONTEXT_MIB).unwrap_or(0.0),
    }
}

/// Which listed process is this one. In a container the driver knows it by the identifier of the host, so that the message takes it for
/// another: it uses what this allocator holds, and a context.
fn own_process(device: &Device, held: Option<f64>) -> Option<usize> {
    let held = held.filter(|_| device.process_used.is_none() && device.process_used_raw.is_none())?;
    let is_own = |used: f64| (held..=held + MAX_OWN_CONTEXT_MIB).contains(&used);
    device.other_processes.iter().position(|process| is_own(process.used.mib()))
}

#[allow(clippy::too_many_arguments)] // the numbers of one message, in MiB
fn device_verdict(
    device: &Device,
    requested: Option<f64>,
    total: Option<f64>,
    allocated: Option<f64>,
    unallocated: Option<f64>,
    others: f64,
    messages: u64,
    ranks: usize,
) -> (Option<Verdict>, Message) {
    match device.template {
        DeviceTemplate::Over1Eb => return bad_size(),
        DeviceTemplate::Driver | DeviceTemplate::Nccl | DeviceTemplate::Bitsandbytes | DeviceTemplate::MathLibrary => {
            return outside_allocator();
        }
        DeviceTemplate::Cublas => return outside_cublas(),
        _ => {}
    }
    if let (Some(allocated), Some(total)) = (allocated, total)
        && allocated > total
    {
        return system_memory();
    }
    if let (Some(requested), Some(total)) = (requested, total)
        && requested > total
    {
        let why = message!("one request is larger than the whole GPU", "单次请求超过整张 GPU 的显存");
        return (Some(Verdict::LargerThanDevice), why);
    }
    if is_capped(device, requested, allocated, unallocated) {
        let why = message!("the process reached the cap that it set for itself", "进程达到了自身设置的显存上限");
        return (Some(Verdict::Cap), why);
    }
    let fragments = unallocated.filter(|free| *free > requested.unwrap_or(f64::MAX) && *free >= MIN_FRAGMENTS_MIB);
    if let Some(fragments) = fragments
        && fragments >= others
    {
        let why = message!("reserved minus allocated is larger than the request", "已预留减去已分配的部分大于请求");
        return (Some(Verdict::Fragmentation), why);
    }
    if requested.is_some_and(|requested| others >= requested && others >= MIN_FRAGMENTS_MIB) {
        let why = message!("other processes hold more than the request", "其他进程占用的显存超过请求");
        return (Some(Verdict::OtherProcess), why);
    }
    if device.template == DeviceTemplate::Cut || (allocated.is_none() && device.template != DeviceTemplate::Xla) {
        let why = message!("the message is cut before its numbers", "消息在给出数字之前被截断");
        return (None, why);
    }
    if ranks > 1 || messages > 1 && device.device.is_some() {
        let why =
            message!("all ranks fail alike: replicated states, shard them", "各 rank 以相同方式失败：状态被复制，应进行分片");
        return (Some(Verdict::FullOnEveryRank), why);
    }
    (Some(Verdict::Full), message!("live tensors fill the GPU", "活动张量占满了 GPU"))
}

fn is_capped(device: &Device, requested: Option<f64>, allocated: Option<f64>, unallocated: Option<f64>) -> bool {
    let Some(allowed) = device.allowed else { return false };
    let held = allocated.unwrap_or(0.0) + unallocated.unwrap_or(0.0);
    let has_room = device.free.is_none_or(|free| requested.is_some_and(|requested| free.mib() >= requested));
    has_room && held + requested.unwrap_or(0.0) > allowed.mib()
}

fn bad_size() -> (Option<Verdict>, Message) {
    let why = message!(
        "a size overflow or a corrupt shape (often after a failed collective), not a memory shortage",
        "尺寸溢出或形状损坏（常见于集合通信失败之后），并非显存不足"
    );
    (Some(Verdict::BadSize), why)
}

fn outside_allocator() -> (Option<Verdict>, Message) {
    let why = message!(
        "the driver did not grant memory outside the caching allocator: a context on a full GPU, pinned host memory, or another library",
        "驱动在缓存分配器之外拒绝了分配：在已满的 GPU 上创建上下文、锁页主机内存，或其他库"
    );
    (Some(Verdict::OutsideAllocator), why)
}

fn outside_cublas() -> (Option<Verdict>, Message) {
    let why = message!(
        "the library workspace did not fit; an out-of-range token id gives the same text",
        "库的工作区放不下；越界的 token id 也会产生相同的文本"
    );
    (Some(Verdict::OutsideAllocator), why)
}

fn system_memory() -> (Option<Verdict>, Message) {
    let why = message!(
        "allocated is larger than the GPU: the driver of Windows or WSL spilled into system memory",
        "已分配量大于 GPU 显存：Windows 或 WSL 的驱动溢出到了系统内存"
    );
    (Some(Verdict::SystemMemoryFallback), why)
}

fn judge_kill(kill: &Kill) -> Judgement {
    let (verdict, why) = if kill.template.is_proof() {
        let why = if kill.is_in_cgroup == Some(true) {
            message!("host memory ran out; the limit is that of the container or job", "主机内存耗尽；限制来自容器或作业")
        } else {
            message!("host memory ran out", "主机内存耗尽")
        };
        (Verdict::HostOomConfirmed, why)
    } else {
        let why = message!(
            "SIGKILL without a device message: host memory first, not the GPU; lowering the device batch does not help by itself",
            "收到 SIGKILL 而没有设备消息：首先怀疑主机内存而非 GPU；仅减小批大小没有帮助"
        );
        (Verdict::HostOomLikely, why)
    };
    let host_total_gb = kill.last_memory.as_ref().and_then(|memory| {
        let percent = memory.host_percent.filter(|percent| *percent > 0.0)?;
        Some((memory.host_used? / percent * 1000.0).round() / 10.0)
    });
    Judgement { host_total_gb, ..judgement(verdict, why) }
}

fn host_reason(template: HostTemplate) -> Message {
    match template {
        HostTemplate::WindowsPageFile => {
            message!("Windows could not commit more memory: its page file is too small", "Windows 无法再提交内存：页面文件太小")
        }
        _ => message!("an allocation in host memory failed", "主机内存分配失败"),
    }
}

fn shared_memory_reason(template: SharedMemoryTemplate) -> Message {
    match template {
        SharedMemoryTemplate::NcclShm => message!(
            "NCCL found too little room in /dev/shm (64 MiB by default in a container)",
            "/dev/shm 空间不足（容器中默认 64 MiB），NCCL 无法使用"
        ),
        _ => message!(
            "container shared memory (64 MiB by default) is smaller than what the workers put there",
            "容器共享内存（默认 64 MiB）小于工作进程放入的数据"
        ),
    }
}

fn judge_engine(engine: &EngineBudget) -> Judgement {
    let max_utilization = engine
        .free
        .zip(engine.total)
        .filter(|(_, total)| total.mib() > 0.0)
        .map(|(free, total)| (free.mib() / total.mib() * 100.0).floor() / 100.0);
    let held = engine.free.zip(engine.total).map_or(0.0, |(free, total)| (total.mib() - free.mib()) / 1024.0);
    let (verdict, why) = match engine.template {
        EngineTemplate::VllmFreeOnStartup => (
            Verdict::Colocation,
            message!(
                "something else holds {held:.0} GiB: the trainer or another engine",
                "其他程序占用了 {held:.0} GiB：训练进程或另一个引擎"
            ),
        ),
        EngineTemplate::VllmProfiling => (
            Verdict::Colocation,
            message!(
                "another process changed its use of the GPU while the engine measured",
                "引擎测量期间，另一个进程改变了 GPU 占用"
            ),
        ),
        EngineTemplate::VllmCacheTooSmall => (
            Verdict::CacheTooSmall,
            message!(
                "the cache of keys and values holds less than one sequence of the longest length",
                "KV 缓存容纳不下一条最长的序列"
            ),
        ),
        EngineTemplate::VllmNoCacheBlocks | EngineTemplate::SglangNotEnough => (
            Verdict::UtilizationTooLow,
            message!(
                "weights and the profiling run fill the engine share, nothing is left for the cache",
                "权重和性能测量占满了引擎的份额，没有空间留给缓存"
            ),
        ),
    };
    Judgement { max_utilization, ..judgement(verdict, why) }
}

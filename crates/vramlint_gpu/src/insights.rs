//! What a monitor would tell: statements that follow from the figures, each with them.

use crate::machine::{Gpu, Kind, Machine, Process};
use vramlint_base::{Message, message};

/// A statement about a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insight {
    /// What kind it is, for programs.
    pub kind: &'static str,
    /// What is reported.
    pub message: Message,
}

/// Share of the memory from which on a holder is worth a word, in percent.
const WORTH: u64 = 2;
/// Share from which on memory counts as full for an idle GPU, in percent.
const FULL: u64 = 50;
/// Utilisation up to which a GPU counts as idle, in percent.
const IDLE: u32 = 5;
/// Share by which a GPU must fall below its catalogue entry, in permille: versions of the driver differ by less.
const SHORT: u64 = 10;
/// Holders that are named at most.
const NAMED: usize = 3;

/// Everything that can be said of a GPU. `catalogue` is what a GPU of this name has, bytes, where that is known.
pub fn insights(machine: &Machine, gpu: &Gpu, catalogue: Option<u64>) -> Vec<Insight> {
    let mut insights = Vec::new();
    if let Some(failure) = &gpu.failure {
        insights.push(Insight { kind: "failure", message: failure.clone() });
        return insights;
    }
    unknown(machine, gpu, &mut insights);
    mig(gpu, &mut insights);
    room(gpu, &mut insights);
    holders(gpu, &mut insights);
    idle(gpu, &mut insights);
    capacity(gpu, catalogue, &mut insights);
    insights
}

/// Bytes as GiB with one decimal, or MiB below one.
pub fn size(bytes: u64) -> String {
    if bytes < 1 << 30 { format!("{} MiB", bytes >> 20) } else { format!("{:.1} GiB", gib(bytes)) }
}

/// Bytes in GiB.
#[allow(clippy::cast_precision_loss)] // no memory has 2^53 bytes
pub fn gib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

/// `part` of `whole` in percent, rounded.
pub fn percent(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole.max(1)));
    u64::try_from((part * 100 + whole / 2) / whole).unwrap_or(u64::MAX)
}

fn unknown(machine: &Machine, gpu: &Gpu, insights: &mut Vec<Insight>) {
    if gpu.memory.is_none() && !gpu.is_partitioned() {
        let driver = machine.driver.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        insights.push(Insight {
            kind: "memory-unknown",
            message: message!(
                "the driver{driver} does not tell the memory of this GPU (drivers before 510, and boards that share the host's \
                 memory, do not); name it with --gpu or --gpu-memory",
                "驱动{driver} 不提供此卡的显存信息（510 之前的驱动以及与主机共享内存的设备均如此）；请用 --gpu 或 --gpu-memory 指定"
            ),
        });
    }
}

fn mig(gpu: &Gpu, insights: &mut Vec<Insight>) {
    let Some(mig) = &gpu.mig else { return };
    if mig.enabled != mig.pending {
        let message = if mig.pending {
            message!("MIG will be on after the next reset of the GPU", "下次重置显卡后将启用 MIG")
        } else {
            message!("MIG will be off after the next reset of the GPU", "下次重置显卡后将关闭 MIG")
        };
        insights.push(Insight { kind: "mig-pending", message });
    }
    if !mig.enabled {
        return;
    }
    let count = mig.instances.len();
    let largest = mig.instances.iter().filter_map(|mig_instance| mig_instance.memory).map(|memory| memory.total).max();
    let message = match (count, largest.map(size)) {
        (0, _) => message!(
            "MIG is on and no instance was made: no run can use this GPU",
            "MIG 已启用但未创建任何实例：训练无法使用此卡"
        ),
        (1, Some(largest)) => message!(
            "MIG is on: a run gets the one instance, {largest}, not the GPU",
            "MIG 已启用：训练只能使用唯一的实例（{largest}），而不是整张卡"
        ),
        (_, Some(largest)) => message!(
            "MIG is on: a process gets one of {count} instances, {largest} at most, not the GPU",
            "MIG 已启用：一个进程只能使用 {count} 个实例之一（最多 {largest}），而不是整张卡"
        ),
        (_, None) => message!(
            "MIG is on: a process gets one of the instances ({count}), not the GPU",
            "MIG 已启用：一个进程只能使用其中一个实例（共 {count} 个），而不是整张卡"
        ),
    };
    insights.push(Insight { kind: "mig", message });
}

/// What a run could have, where somebody holds a part.
fn room(gpu: &Gpu, insights: &mut Vec<Insight>) {
    let Some(memory) = gpu.memory.filter(|_| !gpu.is_partitioned()) else { return };
    if percent(memory.used, memory.total) < WORTH {
        return;
    }
    let (free, used, total) = (size(memory.free), size(memory.used), size(memory.total));
    let share = percent(memory.used, memory.total);
    insights.push(Insight {
        kind: "room",
        message: message!(
            "a run that starts now can have {free} of {total}: {used} ({share} %) are held already",
            "现在启动的训练最多可用 {free}（共 {total}）：已有 {used}（{share}%）被占用"
        ),
    });
}

/// Who holds the rest.
fn holders(gpu: &Gpu, insights: &mut Vec<Insight>) {
    let Some(memory) = gpu.memory else { return };
    let processes = gpu.processes.as_deref().unwrap_or_default();
    let worth = |bytes: u64| percent(bytes, memory.total) >= WORTH;
    for process in processes.iter().filter(|process| process.memory.is_some_and(worth)).take(NAMED) {
        insights.push(Insight { kind: "holder", message: holder(process) });
    }
    let silent = processes.iter().filter(|process| process.memory.is_none()).count();
    let known: u64 = processes.iter().filter_map(|process| process.memory).sum();
    let rest = memory.used.saturating_sub(known);
    if silent > 0 && worth(rest) {
        let (who, rest) =
            (if silent == 1 { "1 process holds".to_owned() } else { format!("{silent} processes hold") }, size(rest));
        insights.push(Insight {
            kind: "holders-silent",
            message: message!(
                "the driver does not tell what {who}; {rest} are not accounted for",
                "驱动未给出 {silent} 个进程各自的占用；有 {rest} 无法归属"
            ),
        });
    } else if worth(rest) {
        let rest = size(rest);
        insights.push(Insight {
            kind: "holders-hidden",
            message: message!(
                "{rest} are held by nobody who can be seen from here: the driver itself, or processes outside of this container or \
                 account",
                "有 {rest} 的占用者在此处不可见：驱动自身，或此容器、此账户之外的进程"
            ),
        });
    }
    if gpu.display == Some(true) {
        let drawing = processes.iter().filter(|process| process.kind != Kind::Compute).filter_map(|process| process.memory);
        let held: u64 = drawing.sum();
        let message = if held == 0 {
            message!(
                "a display runs on this GPU: the desktop takes memory, and more with every window",
                "此卡连接着显示器：桌面会占用显存，窗口越多占用越多"
            )
        } else {
            let held = size(held);
            message!("a display runs on this GPU: programs that draw hold {held}", "此卡连接着显示器：图形程序占用 {held}")
        };
        insights.push(Insight { kind: "display", message });
    }
}

fn holder(process: &Process) -> Message {
    let (pid, bytes) = (process.pid, size(process.memory.unwrap_or(0)));
    let name = process.name.as_deref().unwrap_or("?");
    if process.own == Some(false) {
        message!("{name} (process {pid}) of another user holds {bytes}", "其他用户的 {name}（进程 {pid}）占用 {bytes}")
    } else {
        message!("{name} (process {pid}) holds {bytes}", "{name}（进程 {pid}）占用 {bytes}")
    }
}

fn idle(gpu: &Gpu, insights: &mut Vec<Insight>) {
    let (Some(memory), Some(busy)) = (gpu.memory, gpu.utilization) else { return };
    let share = percent(memory.used, memory.total);
    if busy.gpu > IDLE || share < FULL {
        return;
    }
    let (busy, used) = (busy.gpu, size(memory.used));
    insights.push(Insight {
        kind: "idle-and-full",
        message: message!(
            "the GPU is {busy} % busy while {used} ({share} %) are held: a process that waits, or one that was left behind",
            "显卡利用率为 {busy}%，却有 {used}（{share}%）被占用：可能有进程在等待，或有遗留进程未退出"
        ),
    });
}

/// Less than a GPU of this name has.
fn capacity(gpu: &Gpu, catalogue: Option<u64>, insights: &mut Vec<Insight>) {
    let (Some(memory), Some(usual)) = (gpu.memory.filter(|_| !gpu.is_partitioned()), catalogue) else { return };
    let missing = usual.saturating_sub(memory.total);
    if missing.saturating_mul(1000) <= usual.saturating_mul(SHORT) {
        return;
    }
    let (total, missing) = (size(memory.total), size(missing));
    let (usual, title) = (size(usual), gpu.title());
    let message = if gpu.ecc == Some(true) {
        message!(
            "this {title} has {total}, {missing} less than the usual {usual}; error correction (ECC) is on, which takes memory on \
             some GPUs",
            "此 {title} 的显存为 {total}，比通常的 {usual} 少 {missing}；已启用 ECC 纠错，部分显卡会因此减少可用显存"
        )
    } else {
        message!(
            "this {title} has {total}, {missing} less than the usual {usual}",
            "此 {title} 的显存为 {total}，比通常的 {usual} 少 {missing}"
        )
    };
    insights.push(Insight { kind: "below-usual", message });
}

#[cfg(test)]
mod tests;

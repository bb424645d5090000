//! Insights about a GPU: conclusions from its figures, with the figures.

use crate::machine::{Gpu, Kind, Machine, Process};
use vramlint_base::text::{format_size, len_noun, percent_rounded};
use vramlint_base::{Message, message};

/// A conclusion about a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insight {
    /// Identifier for programs.
    pub kind: &'static str,
    /// The conclusion.
    pub message: Message,
}

/// Lowest share of the memory that is reported, in percent.
const MIN_SHARE: u64 = 2;
/// Lowest share of the memory that counts as full on an idle GPU, in percent.
const FULL_SHARE: u64 = 50;
/// Highest utilization of an idle GPU, in percent.
const MAX_IDLE_UTILIZATION: u32 = 5;
/// Lowest shortfall against the catalog that is reported, in permille: driver versions differ by less.
const MIN_SHORTFALL: u64 = 10;
/// Maximum number of processes that are named.
const MAX_NAMED_PROCESSES: usize = 3;

/// All insights about a GPU. `catalogue` is the usual memory of its model in bytes, if known.
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

fn unknown(machine: &Machine, gpu: &Gpu, insights: &mut Vec<Insight>) {
    if gpu.memory.is_none() && !gpu.is_partitioned() {
        let driver = machine.driver.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        insights.push(Insight {
            kind: "memory-unknown",
            message: message!(
                "the driver{driver} does not report the memory of this GPU (drivers before 510 and boards that share the host's memory do not); specify it with --gpu or --gpu-memory",
                "驱动{driver} 不提供此 GPU 的显存信息（510 之前的驱动以及与主机共享内存的设备均如此）；请用 --gpu 或 --gpu-memory 指定"
            ),
        });
    }
}

fn mig(gpu: &Gpu, insights: &mut Vec<Insight>) {
    let Some(mig) = &gpu.mig else { return };
    if mig.enabled != mig.pending {
        let message = if mig.pending {
            message!("MIG will be enabled after the next GPU reset", "下次重置 GPU 后将启用 MIG")
        } else {
            message!("MIG will be disabled after the next GPU reset", "下次重置 GPU 后将禁用 MIG")
        };
        insights.push(Insight { kind: "mig-pending", message });
    }
    if !mig.enabled {
        return;
    }
    let count = mig.instances.len();
    let largest = mig.instances.iter().filter_map(|mig_instance| mig_instance.memory).map(|memory| memory.total).max();
    let message = match (count, largest.map(format_size)) {
        (0, _) => {
            message!(
                "MIG is enabled without instances: no run can use this GPU",
                "MIG 已启用但未创建任何实例：训练任务无法使用此 GPU"
            )
        }
        (1, Some(largest)) => message!(
            "MIG is enabled: a run gets the only instance ({largest}), not the whole GPU",
            "MIG 已启用：训练任务只能使用唯一的实例（{largest}），而不是整个 GPU"
        ),
        (_, Some(largest)) => message!(
            "MIG is enabled: a process gets one of {count} instances (at most {largest}), not the whole GPU",
            "MIG 已启用：一个进程只能使用 {count} 个实例之一（最多 {largest}），而不是整个 GPU"
        ),
        (_, None) => message!(
            "MIG is enabled: a process gets one of {count} instances, not the whole GPU",
            "MIG 已启用：一个进程只能使用 {count} 个实例之一，而不是整个 GPU"
        ),
    };
    insights.push(Insight { kind: "mig", message });
}

/// The memory that a run can use, if some of it is in use.
fn room(gpu: &Gpu, insights: &mut Vec<Insight>) {
    let Some(memory) = gpu.memory.filter(|_| !gpu.is_partitioned()) else { return };
    if percent_rounded(memory.used, memory.total) < MIN_SHARE {
        return;
    }
    let (free, used, total) = (format_size(memory.free), format_size(memory.used), format_size(memory.total));
    let share = percent_rounded(memory.used, memory.total);
    insights.push(Insight {
        kind: "room",
        message: message!(
            "a run started now can use {free} of {total}: {used} ({share} %) are already in use",
            "现在启动的训练任务最多可用 {free}（共 {total}）：已有 {used}（{share}%）被占用"
        ),
    });
}

/// The processes that use the memory.
fn holders(gpu: &Gpu, insights: &mut Vec<Insight>) {
    let Some(memory) = gpu.memory else { return };
    let processes = gpu.processes.as_deref().unwrap_or_default();
    let worth = |bytes: u64| percent_rounded(bytes, memory.total) >= MIN_SHARE;
    for process in processes.iter().filter(|process| process.memory.is_some_and(worth)).take(MAX_NAMED_PROCESSES) {
        insights.push(Insight { kind: "holder", message: holder(process) });
    }
    let silent = processes.iter().filter(|process| process.memory.is_none()).count();
    let known: u64 = processes.iter().filter_map(|process| process.memory).sum();
    let rest = memory.used.saturating_sub(known);
    if silent > 0 && worth(rest) {
        let (who, rest) = (len_noun(silent, "process"), format_size(rest));
        insights.push(Insight {
            kind: "holders-silent",
            message: message!(
                "the driver does not report the memory of {who}; {rest} cannot be attributed",
                "驱动未报告 {silent} 个进程的显存占用；有 {rest} 无法归属"
            ),
        });
    } else if worth(rest) {
        let rest = format_size(rest);
        insights.push(Insight {
            kind: "holders-hidden",
            message: message!(
                "{rest} are used outside the visible processes: by the driver, another container or another account",
                "有 {rest} 由此处不可见的程序占用：驱动，或其他容器、其他账户的进程"
            ),
        });
    }
    if gpu.display == Some(true) {
        let drawing = processes.iter().filter(|process| process.kind != Kind::Compute).filter_map(|process| process.memory);
        let held: u64 = drawing.sum();
        let message = if held == 0 {
            message!(
                "a display is connected to this GPU: the desktop uses memory, more with every window",
                "此 GPU 连接着显示器：桌面会占用显存，窗口越多占用越多"
            )
        } else {
            let held = format_size(held);
            message!(
                "a display is connected to this GPU: graphics programs use {held}",
                "此 GPU 连接着显示器：图形程序占用 {held}"
            )
        };
        insights.push(Insight { kind: "display", message });
    }
}

fn holder(process: &Process) -> Message {
    let (pid, bytes) = (process.pid, format_size(process.memory.unwrap_or(0)));
    let name = process.name.as_deref().unwrap_or("?");
    if process.own == Some(false) {
        message!("{name} (process {pid}, another user) uses {bytes}", "其他用户的 {name}（进程 {pid}）占用 {bytes}")
    } else {
        message!("{name} (process {pid}) uses {bytes}", "{name}（进程 {pid}）占用 {bytes}")
    }
}

fn idle(gpu: &Gpu, insights: &mut Vec<Insight>) {
    let (Some(memory), Some(busy)) = (gpu.memory, gpu.utilization) else { return };
    let share = percent_rounded(memory.used, memory.total);
    if busy.gpu > MAX_IDLE_UTILIZATION || share < FULL_SHARE {
        return;
    }
    let (busy, used) = (busy.gpu, format_size(memory.used));
    insights.push(Insight {
        kind: "idle-and-full",
        message: message!(
            "GPU utilization is {busy} %, but {used} ({share} %) are in use: a process is waiting, or did not exit",
            "GPU 利用率为 {busy}%，却有 {used}（{share}%）被占用：有进程在等待，或有进程未退出"
        ),
    });
}

/// A GPU with less memory than its model usually has.
fn capacity(gpu: &Gpu, catalogue: Option<u64>, insights: &mut Vec<Insight>) {
    let (Some(memory), Some(usual)) = (gpu.memory.filter(|_| !gpu.is_partitioned()), catalogue) else { return };
    let missing = usual.saturating_sub(memory.total);
    if missing.saturating_mul(1000) <= usual.saturating_mul(MIN_SHORTFALL) {
        return;
    }
    let (total, missing) = (format_size(memory.total), format_size(missing));
    let (usual, title) = (format_size(usual), gpu.title());
    let message = if gpu.ecc == Some(true) {
        message!(
            "this {title} has {total}, {missing} less than usual ({usual}); ECC is enabled, which uses memory on some GPUs",
            "此 {title} 的显存为 {total}，比通常的 {usual} 少 {missing}；已启用 ECC 纠错，部分 GPU 会因此减少可用显存"
        )
    } else {
        message!(
            "this {title} has {total}, {missing} less than usual ({usual})",
            "此 {title} 的显存为 {total}，比通常的 {usual} 少 {missing}"
        )
    };
    insights.push(Insight { kind: "below-usual", message });
}

#[cfg(test)]
mod tests;

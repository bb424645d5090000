//! Joins what several ranks, and several programs, say about one failure.

use crate::event::{Device, DeviceTemplate, Event, Failure, HostShortage, Kill, KillTemplate, MemoryLine, SharedMemory};
use crate::forms::Sighting;

/// Maximum number of events.
const MAX_EVENTS: usize = 1000;
/// How many of the last events a message may belong to.
const MAX_OPEN: usize = 64;
/// Maximum number of lines between two reports of one kill, or of one bus error.
const NEAR: u64 = 100;
/// Maximum number of lines between a failure and the end of the processes that it caused.
const CONSEQUENCE: u64 = 500;
/// Largest difference between the tensors of ranks that fail alike.
const ALIKE: f64 = 0.05;

/// Collects the failures of one log.
#[derive(Default)]
pub(crate) struct Collector {
    events: Vec<Event>,
    omitted: u64,
    memory: Option<MemoryLine>,
    /// The processes that DeepSpeed's launcher killed: the first, and how many.
    killed_subprocesses: (Option<u32>, u32),
}

impl Collector {
    /// Takes what stands on `line`.
    pub(crate) fn take(&mut self, line: u64, sighting: Sighting) {
        match sighting {
            Sighting::Memory(memory) => self.take_memory(memory),
            Sighting::KillingSubprocess(pid) => {
                let (first, count) = self.killed_subprocesses;
                self.killed_subprocesses = (first.or(Some(pid)), count + 1);
            }
            Sighting::Failure(event) => self.take_event(Event { line, ..*event }),
        }
    }

    /// The events in the order of their first message, and the number of those that were left out.
    pub(crate) fn finish(self) -> (Vec<Event>, u64) {
        (self.events, self.omitted)
    }

    fn take_memory(&mut self, memory: MemoryLine) {
        if memory.stage.is_some() {
            self.memory = Some(memory);
            return;
        }
        let last = self.memory.get_or_insert_default();
        last.device_allocated = memory.device_allocated.or(last.device_allocated);
        last.host_used = memory.host_used.or(last.host_used);
        last.host_percent = memory.host_percent.or(last.host_percent);
    }

    fn take_event(&mut self, mut event: Event) {
        if let Failure::Kill(kill) = &mut event.failure {
            if kill.template == KillTemplate::DeepspeedLauncher {
                // Of several, one was killed before.
                let (first, count) = std::mem::take(&mut self.killed_subprocesses);
                kill.pid = first.filter(|_| count == 1);
            }
            kill.last_memory.clone_from(&self.memory);
        }
        let open = self.events.len().saturating_sub(MAX_OPEN);
        if self.events[open..].iter().rev().any(|earlier| is_consequence(earlier, &event)) {
            return;
        }
        if self.events[open..].iter_mut().rev().any(|earlier| join(earlier, &event)) {
            return;
        }
        if self.events.len() < MAX_EVENTS {
            self.events.push(event);
        } else {
            self.omitted += 1;
        }
    }
}

/// Whether `event` only says that a process was ended because another had failed.
fn is_consequence(earlier: &Event, event: &Event) -> bool {
    let Failure::Kill(kill) = &event.failure else { return false };
    let is_cause = matches!(earlier.failure, Failure::Device(_) | Failure::SharedMemory(_) | Failure::Host(_));
    is_cause && !kill.template.is_proof() && event.line.saturating_sub(earlier.line) <= CONSEQUENCE
}

/// Joins `event` to `earlier` if both are about one failure.
fn join(earlier: &mut Event, event: &Event) -> bool {
    let lines = event.line.saturating_sub(earlier.line);
    let same_process = event.rank == earlier.rank || event.rank.is_some_and(|rank| earlier.ranks.contains(&rank));
    let joined = match (&mut earlier.failure, &event.failure) {
        (Failure::Device(first), Failure::Device(second)) if is_nccl(first) && is_nccl(second) => {
            // It reports the failure of the driver, then what it asked for.
            first.requested = first.requested.or(second.requested);
            lines <= NEAR
        }
        (Failure::Device(first), Failure::Device(second)) => {
            let is_other_device = first.device.is_some() && second.device.is_some() && first.device != second.device;
            if same_process && !is_other_device { is_repeated(first, second) } else { is_alike(first, second) }
        }
        (Failure::Kill(first), Failure::Kill(second)) => lines <= NEAR && join_kills(first, second),
        (Failure::SharedMemory(first), Failure::SharedMemory(second)) => lines <= NEAR && join_shared_memory(first, second),
        (Failure::Host(first), Failure::Host(second)) => lines <= NEAR && is_same_shortage(first, second),
        (Failure::Engine(first), Failure::Engine(second)) => first == second,
        _ => false,
    };
    if joined {
        earlier.messages += 1;
        earlier.ranks.extend(&event.ranks);
        earlier.ranks.sort_unstable();
        earlier.ranks.dedup();
        earlier.rank = earlier.ranks.first().copied();
        earlier.context.join(&event.context);
        if earlier.exception.is_none() {
            earlier.exception.clone_from(&event.exception);
        }
    }
    joined
}

fn is_nccl(device: &Device) -> bool {
    device.template == DeviceTemplate::Nccl
}

/// Whether both messages give the same numbers, as far as both give them.
fn is_repeated(first: &Device, second: &Device) -> bool {
    let same_form = first.template == second.template && first.backend == second.backend;
    same_form
        && first.requested == second.requested
        && first.allocated == second.allocated
        && first.free == second.free
        && first.reserved_total == second.reserved_total
}

/// Whether another rank failed in the same way: the same request, about the same tensors.
fn is_alike(first: &Device, second: &Device) -> bool {
    let is_cut = |device: &Device| device.template == DeviceTemplate::Cut;
    let same_form = first.template == second.template || is_cut(first) || is_cut(second);
    let same = |a: Option<f64>, b: Option<f64>, tolerance: f64| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= tolerance * a.max(b),
        _ => true,
    };
    let mib = |amount: Option<crate::Amount>| amount.map(crate::Amount::mib);
    same_form
        && first.backend == second.backend
        && same(mib(first.requested), mib(second.requested), 0.0)
        && same(mib(first.total), mib(second.total), ALIKE)
        && same(mib(first.allocated), mib(second.allocated), ALIKE)
}

/// Joins two reports of one kill; the more certain reporter gives the name.
fn join_kills(first: &mut Kill, second: &Kill) -> bool {
    if first.pid.is_some() && second.pid.is_some() && first.pid != second.pid {
        return false;
    }
    first.template = first.template.max(second.template);
    first.local_rank = first.local_rank.or(second.local_rank);
    first.pid = first.pid.or(second.pid);
    // A shell reports 137 for a process that Python reports with -9.
    first.exitcode = first.exitcode.or(second.exitcode);
    first.host = first.host.take().or_else(|| second.host.clone());
    first.process = first.process.take().or_else(|| second.process.clone());
    first.is_in_cgroup = match (first.is_in_cgroup, second.is_in_cgroup) {
        (Some(a), Some(b)) => Some(a || b),
        (a, b) => a.or(b),
    };
    first.anon_rss = first.anon_rss.or(second.anon_rss);
    first.limit = first.limit.or(second.limit);
    first.last_memory = first.last_memory.take().or_else(|| second.last_memory.clone());
    true
}

fn join_shared_memory(first: &mut SharedMemory, second: &SharedMemory) -> bool {
    let both_bus_errors = first.is_bus_error && second.is_bus_error;
    if first.template != second.template && !both_bus_errors {
        return false;
    }
    first.pid = first.pid.or(second.pid);
    first.requested = first.requested.or(second.requested);
    true
}

fn is_same_shortage(first: &HostShortage, second: &HostShortage) -> bool {
    first.template == second.template && first.requested == second.requested
}

//! Processes that SIGKILL ended: the kernel, batch systems, containers, shells, exceptions.

use super::{event, exception_in, number, pattern};
use crate::amount::Amount;
use crate::event::{Event, Failure, Kill, KillTemplate};
use crate::excerpt::Excerpt;

pattern!(KERNEL, r"(?:Killed|Kill) process (?P<pid>\d{1,9})(?: \((?P<name>[^)]{1,64})\)|,| )");
pattern!(ANON_RSS, r"anon-rss:(?P<kb>\d+)kB");
pattern!(KERNEL_TASK, r"oom-kill:constraint=(?P<constraint>\w+).*?task=(?P<name>[^,]{1,64}),pid=(?P<pid>\d{1,9})");
pattern!(SLURM_OOM, r"(?:Detected \d+ oom[-_]kill event|oom[-_]kill event)");
pattern!(SRUN_TASK, r"tasks? (?P<tasks>[\d,\[\]-]{1,200}): Out Of Memory|Out Of Memory\s*$");
pattern!(SLURM_LIMIT, r"[Ee]xceeded (?:job )?memory limit(?: \((?P<used>\d+)(?P<unit>[KMG]?) > (?P<limit>\d+)[KMG]?\))?");
pattern!(SHELL, r"(?:line |行 ?|第 ?)(?P<line>\d+)(?: ?行)?[:：]\s*(?P<pid>\d{1,9})\s+(?:Killed|已杀死|killed)\b?");
pattern!(JOB, r"^\s*\[\d+\][+-]?\s+(?:(?P<pid>\d{1,9})\s+)?(?:Killed|已杀死|killed)\s");
pattern!(ALONE, r"^\s*(?:Killed|已杀死|zsh: killed\s+.*|Command terminated by signal 9)\s*$");
pattern!(
    MPI,
    r"process rank (?P<rank>\d{1,6}) with PID (?P<pid>\d{1,9}) on node (?P<host>\S{1,255}) exited on signal 9 \(Killed\)"
);
pattern!(SRUN_KILLED, r"srun: error: (?P<host>\S{1,255}): tasks? (?P<tasks>[\d,\[\]-]{1,200}): Killed");
pattern!(
    PBS_LIMIT,
    r"PBS: job killed: (?:v?mem|pmem) (?P<used>\d+)(?P<unit>[kmg]?)b exceeded limit (?P<limit>\d+)(?P<of>[kmg]?)b"
);
pattern!(
    STATUS_137,
    r"(?:[Ee]xit(?:ed)?(?: with)?|status|[Cc]ompleted with exit|terminated with exit|[Rr]eturn(?:ed non-zero exit)?)[ _-]?(?:status|code)?\s*[:=]?\s*137\b|(?:exit|Exit|return) (?:code|Code|status)\s*[:=]?\s*137\b|Exit Code:\s+137\b"
);
pattern!(CALLED_PROCESS, r"died with <Signals\.SIGKILL: 9>");
pattern!(SPAWNED, r"process (?P<rank>\d{1,6}) terminated with signal SIGKILL");
pattern!(LOADER, r"worker \(pid(?:\(s\))? (?P<pid>\d{1,9})\) is killed by signal: Killed");
pattern!(RAY, r"was(?P<used>[\d.]+)GB/(?P<total>[\d.]+)GB\(");
pattern!(DAEMON, r"systemd-oomd\S*\s*(?:\[\d+\])?:?.*?[Kk]illed|earlyoom.*?sending SIG(?:TERM|KILL) to process (?P<pid>\d{1,9})");

/// A kill of which nothing is known but its reporter.
pub(super) fn kill(template: KillTemplate) -> Kill {
    Kill {
        template,
        local_rank: None,
        pid: None,
        exitcode: None,
        host: None,
        process: None,
        is_in_cgroup: None,
        anon_rss: None,
        limit: None,
        last_memory: None,
    }
}

fn killed(excerpt: &Excerpt<'_>, kill: Kill) -> Event {
    event(excerpt, None, Failure::Kill(kill))
}

/// `Out of memory: Killed process 17 (python3) total-vm:…, anon-rss:…` of the kernel.
pub(super) fn by_kernel(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    let found = KERNEL.captures(&line)?;
    let is_oom = line.contains("ut of memory") || line.contains("anon-rss:") || line.contains("oom");
    is_oom.then(|| {
        let anon_rss = ANON_RSS.captures(&line).and_then(|found| Amount::parse(&found["kb"], "KiB"));
        let process = found.name("name").map(|name| name.as_str().to_owned());
        // The line without a cause, `Killed process 17`, follows one that says whether a control group was full.
        let is_in_cgroup = line.contains("ut of memory").then(|| line.contains("emory cgroup out of memory"));
        killed(excerpt, Kill { pid: number(&found, "pid"), process, anon_rss, is_in_cgroup, ..kill(KillTemplate::KernelOom) })
    })
}

/// `oom-kill:constraint=…` of the kernel, `Detected 1 oom-kill event(s)` of Slurm.
pub(super) fn by_oom_killer(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    if let Some(found) = KERNEL_TASK.captures(&line) {
        let is_in_cgroup = Some(&found["constraint"] == "CONSTRAINT_MEMCG");
        let process = Some(found["name"].to_owned());
        return Some(killed(
            excerpt,
            Kill { pid: number(&found, "pid"), process, is_in_cgroup, ..kill(KillTemplate::KernelOom) },
        ));
    }
    (SLURM_OOM.is_match(&line)).then(|| killed(excerpt, Kill { is_in_cgroup: Some(true), ..kill(KillTemplate::Scheduler) }))
}

/// `task 3: Out Of Memory` of srun, `Exceeded job memory limit`, `TERM_MEMLIMIT` of LSF.
pub(super) fn by_scheduler(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    if let Some(found) = SRUN_TASK.captures(&line).filter(|_| line.contains("error") || line.contains("srun")) {
        let mut event = killed(excerpt, Kill { is_in_cgroup: Some(true), ..kill(KillTemplate::Scheduler) });
        if let Some(tasks) = found.name("tasks") {
            event.ranks = ranks(tasks.as_str());
        }
        event.rank = event.ranks.first().copied();
        return Some(event);
    }
    if let Some(found) = PBS_LIMIT.captures(&line) {
        let unit = match &found["of"] {
            "k" => "KiB",
            "m" => "MiB",
            "g" => "GiB",
            _ => "bytes",
        };
        return Some(killed(excerpt, Kill { limit: Amount::parse(&found["limit"], unit), ..kill(KillTemplate::Scheduler) }));
    }
    if line.contains("TERM_MEMLIMIT") {
        return Some(killed(excerpt, kill(KillTemplate::Scheduler)));
    }
    let found = SLURM_LIMIT.captures(&line)?;
    // Slurm counts in KiB.
    let limit = found.name("limit").and_then(|limit| Amount::parse(limit.as_str(), "KiB"));
    Some(killed(excerpt, Kill { limit, ..kill(KillTemplate::Scheduler) }))
}

/// The numbers of `0,4-6`, at most 1024 of them.
fn ranks(list: &str) -> Vec<u32> {
    const MOST: usize = 1024;
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    list.trim_matches(['[', ']']).split(',').filter_map(range).flatten().take(MOST).collect()
}

/// `Reason: OOMKilled` of Kubernetes, `"OOMKilled": true` of Docker, a node without memory, a notebook that was restarted.
pub(super) fn in_container(excerpt: &Excerpt<'_>) -> Option<Event> {
    pattern!(NOT_KILLED, r#"^OOMKilled"?\s*[:=]\s*"?false"#);
    if NOT_KILLED.is_match(&excerpt.line_after()) {
        return None;
    }
    Some(killed(excerpt, Kill { is_in_cgroup: Some(true), ..kill(KillTemplate::Container) }))
}

/// Ray's memory monitor.
pub(super) fn by_ray(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    let is_kill = line.contains("was killed") || line.contains("were killed") || line.contains("killed due to");
    if !is_kill {
        return None;
    }
    let limit =
        RAY.captures(&excerpt.message_without_spaces("low on memory")).and_then(|found| Amount::parse(&found["total"], "GB"));
    let failure = Failure::Kill(Kill { limit, ..kill(KillTemplate::Ray) });
    Some(event(excerpt, exception_in(&line), failure))
}

/// systemd-oomd, earlyoom.
pub(super) fn by_daemon(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    let found = DAEMON.captures(&line)?;
    Some(killed(excerpt, Kill { pid: number(&found, "pid"), ..kill(KillTemplate::Daemon) }))
}

/// `bash: line 1: 17 Killed`, `[1]+ Killed`, `Killed` alone; a worker of a data loader; a process of mpirun or srun.
pub(super) fn in_shell(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    if let Some(found) = LOADER.captures(&line) {
        return Some(killed(excerpt, Kill { pid: number(&found, "pid"), ..kill(KillTemplate::DataLoader) }));
    }
    if let Some(found) = MPI.captures(&line) {
        let host = Some(found["host"].to_owned());
        let mut event = killed(excerpt, Kill { pid: number(&found, "pid"), host, ..kill(KillTemplate::Mpi) });
        event.rank = number(&found, "rank");
        event.ranks = event.rank.into_iter().collect();
        return Some(event);
    }
    if let Some(found) = SRUN_KILLED.captures(&line) {
        let mut event = killed(excerpt, Kill { host: Some(found["host"].to_owned()), ..kill(KillTemplate::Shell) });
        event.ranks = ranks(&found["tasks"]);
        event.rank = event.ranks.first().copied();
        return Some(event);
    }
    let pid = match SHELL.captures(&line).or_else(|| JOB.captures(&line)) {
        Some(found) => number(&found, "pid"),
        None => ALONE.is_match(&line).then_some(None)?,
    };
    Some(killed(excerpt, Kill { pid, ..kill(KillTemplate::Shell) }))
}

/// `exit status 137`, `exited with code 137`.
pub(super) fn status_137(excerpt: &Excerpt<'_>) -> Option<Event> {
    STATUS_137.is_match(&excerpt.line()).then(|| killed(excerpt, Kill { exitcode: Some(137), ..kill(KillTemplate::ExitStatus) }))
}

/// `died with <Signals.SIGKILL: 9>`, `process 0 terminated with signal SIGKILL`.
pub(super) fn in_exception(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    if let Some(found) = SPAWNED.captures(&line) {
        let mut event = killed(excerpt, Kill { exitcode: Some(-9), ..kill(KillTemplate::Multiprocessing) });
        event.rank = number(&found, "rank");
        event.ranks = event.rank.into_iter().collect();
        return Some(event);
    }
    CALLED_PROCESS.is_match(&line).then(|| killed(excerpt, Kill { exitcode: Some(-9), ..kill(KillTemplate::CalledProcess) }))
}

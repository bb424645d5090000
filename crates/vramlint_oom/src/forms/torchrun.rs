//! torchrun: its log line and its table of failures.

use super::{event, number, pattern};
use crate::event::{Event, Failure, Kill, KillTemplate, SharedMemory, SharedMemoryTemplate};
use crate::excerpt::Excerpt;

pattern!(LINE, r"failed \(exitcode: (?P<code>-?\d{1,4})\) local_rank: (?P<rank>\d{1,6}) \(pid: (?P<pid>\d{1,9})\)");
pattern!(ROW, r"exitcode\s*:\s*(?P<code>-?\d{1,4})\s*\(pid:\s*(?P<pid>\d{1,9})\)");
pattern!(RANK, r"^\s*rank\s*:\s*(?P<rank>\d{1,6})(?:\s*\(local_rank:\s*(?P<local>\d{1,6})\))?");
pattern!(HOST, r"^\s*host\s*:\s*(?P<host>\S+)");

/// `failed (exitcode: -9) local_rank: 0 (pid: 17)`, or `exitcode : -9 (pid: 17)` of the root cause.
pub(super) fn read(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    if let Some(found) = LINE.captures(&line) {
        let local_rank = number(&found, "rank");
        return failure(excerpt, number(&found, "code")?, number(&found, "pid"), None, local_rank, None);
    }
    let found = ROW.captures(&line)?;
    // Only the first failure counts: the launcher itself ends the others.
    let above: Vec<String> = excerpt.lines_above().take_while(|line| !line.contains("Other Failures")).collect();
    let heading = above.iter().find(|line| line.contains("Root Cause") || line.trim() == "Failures:")?;
    if !heading.contains("Root Cause") {
        return None;
    }
    let entry = || above.iter().take_while(|line| !line.trim_start().starts_with("=====")).take(5);
    let rank = entry().find_map(|line| RANK.captures(line));
    let (global, local) = rank.map_or((None, None), |found| (number(&found, "rank"), number(&found, "local")));
    let host = entry().find_map(|line| Some(HOST.captures(line)?["host"].to_owned()));
    failure(excerpt, number(&found, "code")?, number(&found, "pid"), global, local, host)
}

fn failure(
    excerpt: &Excerpt<'_>,
    code: i32,
    pid: Option<u32>,
    rank: Option<u32>,
    local_rank: Option<u32>,
    host: Option<String>,
) -> Option<Event> {
    let failure = match code {
        -9 | 137 => {
            Failure::Kill(Kill { local_rank, pid, exitcode: Some(code), host, ..super::killed::kill(KillTemplate::Torchrun) })
        }
        -7 => Failure::SharedMemory(SharedMemory {
            template: SharedMemoryTemplate::TorchrunSigbus,
            pid,
            requested: None,
            is_bus_error: true,
        }),
        _ => return None,
    };
    let mut event = event(excerpt, None, failure);
    event.rank = rank.or(event.rank);
    event.ranks = event.rank.into_iter().collect();
    Some(event)
}

//! DeepSpeed: its reports of memory and its launcher.

use super::{Sighting, event, number, pattern};
use crate::event::{Event, Failure, Kill, KillTemplate, MemoryLine};
use crate::excerpt::Excerpt;

pattern!(DEVICE, r"MA (?P<allocated>\d+(?:\.\d+)?) GB\s+Max_MA");
pattern!(HOST, r"CPU Virtual Memory:\s+used = (?P<used>\d+(?:\.\d+)?) GB, percent = (?P<percent>\d+(?:\.\d+)?)%");
pattern!(STAGE, r"see_memory_usage\]\s*(?P<stage>\S.*?)\s*$");
pattern!(KILLING, r"Killing subprocess (?P<pid>\d{1,9})");
pattern!(EXITS, r"exits with return code = (?P<code>-?\d{1,4})");
pattern!(LOCAL_RANK, r"--local[_-]rank[= ](?P<rank>\d{1,6})");

/// A line of DeepSpeed.
pub(super) fn read(excerpt: &Excerpt<'_>) -> Option<Sighting> {
    let line = excerpt.line();
    if let Some(found) = EXITS.captures(&line) {
        return killed(excerpt, &line, number(&found, "code")?).map(|event| Sighting::Failure(Box::new(event)));
    }
    if let Some(found) = KILLING.captures(&line) {
        return Some(Sighting::KillingSubprocess(number(&found, "pid")?));
    }
    if let Some(found) = DEVICE.captures(&line) {
        return Some(Sighting::Memory(MemoryLine { device_allocated: number(&found, "allocated"), ..MemoryLine::default() }));
    }
    if let Some(found) = HOST.captures(&line) {
        let (host_used, host_percent) = (number(&found, "used"), number(&found, "percent"));
        return Some(Sighting::Memory(MemoryLine { host_used, host_percent, ..MemoryLine::default() }));
    }
    let stage = STAGE.captures(&line)?["stage"].to_owned();
    Some(Sighting::Memory(MemoryLine { stage: Some(stage), ..MemoryLine::default() }))
}

fn killed(excerpt: &Excerpt<'_>, line: &str, code: i32) -> Option<Event> {
    if !matches!(code, -9 | 137) {
        return None;
    }
    let local_rank = LOCAL_RANK.captures(line).and_then(|found| number(&found, "rank"));
    let kill = Kill { local_rank, exitcode: Some(code), ..super::killed::kill(KillTemplate::DeepspeedLauncher) };
    let mut event = event(excerpt, None, Failure::Kill(kill));
    event.rank = event.rank.or(local_rank);
    event.ranks = event.rank.into_iter().collect();
    Some(event)
}

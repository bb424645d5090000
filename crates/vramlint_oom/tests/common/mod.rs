//! One line for each event, so that a log and what is read from it fit on one screen.
#![allow(dead_code, unreachable_pub, missing_docs)] // each test binary uses its part of a private module

use vramlint_oom::{Amount, Event, Failure, Log, Scanner};

/// The events of a log, one line each.
pub fn events(log: &str) -> Vec<String> {
    Scanner::scan(log.as_bytes()).events.iter().map(line).collect()
}

/// Panics unless `log` holds exactly `expected`.
pub fn check(log: &str, expected: &[&str]) {
    let found = events(log);
    assert_eq!(found, expected, "in this log:\n{log}");
}

pub fn scan_in_pieces(log: &[u8], size: usize) -> Log {
    let mut scanner = Scanner::new();
    for piece in log.chunks(size) {
        scanner.push(piece);
    }
    scanner.finish()
}

fn line(event: &Event) -> String {
    let mut words = Vec::new();
    let mut put = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            words.push(format!("{name}={value}"));
        }
    };
    let size = |amount: Option<Amount>| amount.map(|amount| format!("{}{}", amount.value, amount.unit.name()));
    put("line", Some(event.line.to_string()));
    let ranks = event.ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    put("ranks", (!ranks.is_empty()).then_some(ranks));
    put("exception", event.exception.clone());
    let head = match &event.failure {
        Failure::Device(device) => {
            put("device", device.device.map(|device| device.to_string()));
            put("requested", size(device.requested));
            put("total", size(device.total));
            put("free", size(device.free));
            put("allocated", size(device.allocated));
            put("active", size(device.current_active));
            put("reserved", size(device.reserved_total));
            put("unallocated", size(device.reserved_unallocated));
            put("process", size(device.process_used));
            for other in &device.other_processes {
                put("other", size(Some(other.used)).map(|used| format!("{}:{used}", other.pid)));
            }
            put("allowed", size(device.allowed));
            put("pools", size(device.private_pools));
            put("hint", device.hint.map(str::to_owned));
            format!("{} {}", device.backend, device.template.name())
        }
        Failure::Kill(kill) => {
            put("pid", kill.pid.map(|pid| pid.to_string()));
            put("exitcode", kill.exitcode.map(|code| code.to_string()));
            put("host", kill.host.clone());
            put("process", kill.process.clone());
            put("cgroup", kill.is_in_cgroup.map(|cgroup| cgroup.to_string()));
            put("rss", size(kill.anon_rss));
            put("limit", size(kill.limit));
            put("stage", kill.last_memory.as_ref().and_then(|memory| memory.stage.clone()));
            format!("killed {}", kill.template.name())
        }
        Failure::Host(host) => {
            put("requested", size(host.requested));
            format!("host {}", host.template.name())
        }
        Failure::SharedMemory(shared) => {
            put("pid", shared.pid.map(|pid| pid.to_string()));
            put("requested", size(shared.requested));
            format!("shared_memory {}", shared.template.name())
        }
        Failure::Engine(engine) => {
            put("free", size(engine.free));
            put("total", size(engine.total));
            put("share", engine.utilization.map(|share| share.to_string()));
            put("desired", size(engine.desired));
            put("tokens", engine.cache.and_then(|cache| cache.max_tokens).map(|tokens| tokens.to_string()));
            put("cache_tokens", engine.cache.and_then(|cache| cache.cache_tokens).map(|tokens| tokens.to_string()));
            put("needed", engine.cache.and_then(|cache| size(cache.needed)));
            put("available", engine.cache.and_then(|cache| size(cache.available)));
            format!("engine {}", engine.template.name())
        }
    };
    let verdict = event.judge().verdict.map_or("unknown", vramlint_oom::Verdict::name);
    format!("{head}: {} -> {verdict}", words.join(" "))
}

//! Inference engines beside or before a training.

use super::{event, exception_in, number, pattern};
use crate::amount::Amount;
use crate::event::{CacheShortage, EngineBudget, EngineTemplate, Event, Failure};
use crate::excerpt::Excerpt;
use regex::Captures;

pattern!(
    FREE,
    r"Free memory on device(?: \S+)? \((?P<free>[\d.]+)/(?P<total>[\d.]+) (?P<unit>[KMGT]iB)\) on startup is less than desired GPU memory utilization \((?P<share>[\d.]+), (?P<desired>[\d.]+) (?P<desired_unit>[KMGT]iB)\)"
);
pattern!(NO_BLOCKS, r"No available memory for the cache blocks");
pattern!(
    MAX_LENGTH,
    r"model's max seq len \((?P<max>\d+)\) is larger than the maximum number of tokens that can be stored in KV cache \((?P<cache>\d+)\)"
);
pattern!(
    ONE_REQUEST,
    r"max seq len \((?P<max>\d+)\), \(?(?P<needed>[\d.]+) (?P<needed_unit>[KMGT]i?B) KV cache is needed, which is larger than the available KV cache memory \((?P<available>[\d.]+) (?P<available_unit>[KMGT]i?B)\)(?:.*?estimated maximum model length is (?P<cache>\d+))?"
);
pattern!(PROFILING, r"Error in memory profiling\. Initial free memory");
pattern!(SGLANG, r"Not enough memory.*mem-fraction-static");

/// A message of vLLM or SGLang.
pub(super) fn read(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    let budget = free_on_startup(&line).or_else(|| cache_too_small(&line)).or_else(|| {
        let template = match () {
            () if NO_BLOCKS.is_match(&line) => EngineTemplate::VllmNoCacheBlocks,
            () if PROFILING.is_match(&line) => EngineTemplate::VllmProfiling,
            () if SGLANG.is_match(&line) => EngineTemplate::SglangNotEnough,
            () => return None,
        };
        Some(budget(template))
    })?;
    Some(event(excerpt, exception_in(&line), Failure::Engine(budget)))
}

fn budget(template: EngineTemplate) -> EngineBudget {
    EngineBudget { template, free: None, total: None, utilization: None, desired: None, cache: None }
}

fn free_on_startup(line: &str) -> Option<EngineBudget> {
    let found = FREE.captures(line)?;
    Some(EngineBudget {
        free: pair(&found, "free", "unit"),
        total: pair(&found, "total", "unit"),
        utilization: number(&found, "share"),
        desired: pair(&found, "desired", "desired_unit"),
        ..budget(EngineTemplate::VllmFreeOnStartup)
    })
}

fn cache_too_small(line: &str) -> Option<EngineBudget> {
    let found = ONE_REQUEST.captures(line).or_else(|| MAX_LENGTH.captures(line))?;
    let has_amounts = found.name("needed").is_some();
    let cache = CacheShortage {
        max_tokens: number(&found, "max"),
        cache_tokens: number(&found, "cache"),
        needed: if has_amounts { pair(&found, "needed", "needed_unit") } else { None },
        available: if has_amounts { pair(&found, "available", "available_unit") } else { None },
    };
    Some(EngineBudget { cache: Some(cache), ..budget(EngineTemplate::VllmCacheTooSmall) })
}

fn pair(found: &Captures<'_>, value: &str, unit: &str) -> Option<Amount> {
    Amount::parse(found.name(value)?.as_str(), found.name(unit)?.as_str())
}

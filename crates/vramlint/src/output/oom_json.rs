//! `oom --output-format json`.

use super::ordered_json::{Node, Object};
use crate::explained_failure::ExplainedFailure;
use crate::output::fit_json;
use serde::Serialize;
use serde_json::{Value as Json, json};
use vramlint_base::Lang;
use vramlint_oom::{
    Amount, CacheShortage, Device, DeviceTemplate, EngineBudget, Event, Failure, HostShortage, Judgement, Kill, SharedMemory,
};

#[derive(Serialize)]
struct OomJson {
    version: u32,
    events: Node,
}

/// The events as one object.
pub(crate) fn render(explained: &[ExplainedFailure], lang: Lang) -> String {
    let events = explained.iter().map(|explained| Node::Object(self::explained(explained, lang))).collect();
    super::serialize::to_string_pretty(&OomJson { version: super::serialize::VERSION, events })
}

fn explained(explained: &ExplainedFailure, lang: Lang) -> Object {
    let mut object = event(&explained.event, lang);
    object.put("log", explained.log.as_str());
    object.put("stage", optional(explained.event.context.stage.map(vramlint_oom::Stage::name)));
    object.put("run", optional(explained.run.as_deref()));
    object.put("explanation", explained.explanation.get(lang));
    let plans = explained.plans.as_ref().map(|answer| fit_json::plans(answer, lang));
    object.put("plans", plans.unwrap_or_else(|| Node::List(Vec::new())));
    object
}

/// The fields of an event, as far as its kind has them.
fn event(event: &Event, lang: Lang) -> Object {
    let judgement = event.judge();
    let mut object = Object::default();
    match &event.failure {
        Failure::Device(device) => {
            object.put("kind", "device_oom");
            object.put("backend", device.backend.as_str());
            object.put("template", device.template.name());
            header(&mut object, event);
            self::device(&mut object, device);
        }
        Failure::Kill(kill) => {
            object.put("kind", "process_killed");
            object.put("template", kill.template.name());
            header(&mut object, event);
            self::kill(&mut object, kill);
        }
        Failure::Host(host) => {
            object.put("kind", "host_oom");
            object.put("template", host.template.name());
            header(&mut object, event);
            self::host(&mut object, host);
        }
        Failure::SharedMemory(shared) => {
            object.put("kind", "shared_memory");
            object.put("template", shared.template.name());
            header(&mut object, event);
            shared_memory(&mut object, shared);
        }
        Failure::Engine(budget) => {
            object.put("kind", "engine_budget");
            object.put("template", budget.template.name());
            header(&mut object, event);
            engine(&mut object, budget);
        }
    }
    object.put("derived", derived(&judgement, lang));
    object
}

fn header(object: &mut Object, event: &Event) {
    object.put("line", event.line);
    object.put("exception", event.exception.clone().map_or(Json::Null, Json::from));
    object.put("rank", optional(event.rank));
    if event.ranks.len() > 1 {
        object.put("ranks", event.ranks.clone());
    }
    if event.messages > 1 {
        object.put("messages", event.messages);
    }
}

fn device(object: &mut Object, device: &Device) {
    object.put("device", optional(device.device));
    object.put("requested", amount(device.requested));
    if !matches!(device.template, DeviceTemplate::Legacy | DeviceTemplate::LegacyNpu | DeviceTemplate::V2) {
        for (name, value) in
            [("total", device.total), ("free", device.free), ("allocated", device.allocated), ("allowed", device.allowed)]
        {
            if value.is_some() {
                object.put(name, amount(value));
            }
        }
        return;
    }
    object.put("total", amount(device.total));
    object.put("free", amount(device.free));
    object.put("allocated", amount(device.allocated));
    if device.current_active.is_some() {
        object.put("current_active", amount(device.current_active));
    }
    if device.template == DeviceTemplate::V2 {
        object.put("reserved_unallocated", amount(device.reserved_unallocated));
        object.put("process_used", amount(device.process_used));
        if device.process_used_raw.is_some() {
            object.put("process_used_raw", amount(device.process_used_raw));
        }
        let others = device.other_processes.iter().map(|process| {
            let mut object = Object::default();
            object.put("pid", process.pid);
            object.put("used", amount(Some(process.used)));
            object.into()
        });
        object.put("other_processes", others.collect::<Node>());
    } else {
        object.put("reserved_total", amount(device.reserved_total));
        if device.reserved_unallocated.is_some() {
            object.put("reserved_unallocated", amount(device.reserved_unallocated));
        }
    }
    for (name, value) in [("allowed", device.allowed), ("private_pools", device.private_pools)] {
        if value.is_some() {
            object.put(name, amount(value));
        }
    }
    object.put("hint", optional(device.hint));
    object.put("hint_variable", optional(device.hint_variable.as_deref()));
    if device.is_misspelled {
        object.put("spelling", "capacty");
    }
}

fn kill(object: &mut Object, kill: &Kill) {
    object.put("local_rank", optional(kill.local_rank));
    object.put("pid", optional(kill.pid));
    object.put("exitcode", optional(kill.exitcode));
    object.put("signal", "SIGKILL");
    let mut put = |name: &str, value: Json| {
        if !value.is_null() {
            object.put(name, value);
        }
    };
    put("host", optional(kill.host.as_deref()));
    put("process", optional(kill.process.as_deref()));
    put("cgroup", optional(kill.is_in_cgroup));
    put("anon_rss", amount_json(kill.anon_rss));
    put("limit", amount_json(kill.limit));
    if let Some(memory) = &kill.last_memory {
        put("last_stage", optional(memory.stage.as_deref()));
        put("device_allocated_gb", optional(memory.device_allocated));
        put("host_used_gb", optional(memory.host_used));
        put("host_percent", optional(memory.host_percent));
    }
}

fn host(object: &mut Object, host: &HostShortage) {
    object.put("requested", amount(host.requested));
}

fn shared_memory(object: &mut Object, shared: &SharedMemory) {
    object.put("pid", optional(shared.pid));
    object.put("requested", amount(shared.requested));
    if shared.is_bus_error {
        object.put("signal", "SIGBUS");
    }
}

fn engine(object: &mut Object, engine: &EngineBudget) {
    for (name, value) in [("free", engine.free), ("total", engine.total)] {
        if value.is_some() {
            object.put(name, amount(value));
        }
    }
    if engine.utilization.is_some() {
        object.put("utilization", optional(engine.utilization));
    }
    if engine.desired.is_some() {
        object.put("desired", amount(engine.desired));
    }
    if let Some(CacheShortage { max_tokens, cache_tokens, needed, available }) = engine.cache {
        object.put("max_tokens", optional(max_tokens));
        object.put("cache_tokens", optional(cache_tokens));
        object.put("needed", amount(needed));
        object.put("available", amount(available));
    }
}

fn derived(judgement: &Judgement, lang: Lang) -> Object {
    let mut object = Object::default();
    object.put("verdict", judgement.verdict.map_or(Json::Null, |verdict| verdict.name().into()));
    object.put("why", judgement.why.get(lang));
    for (name, value) in [
        ("reserved_unallocated_mib", judgement.reserved_unallocated_mib),
        ("outside_torch_mib", judgement.outside_torch_mib),
        ("max_utilization", judgement.max_utilization),
        ("host_total_gb", judgement.host_total_gb),
    ] {
        if let Some(value) = value {
            object.put(name, value);
        }
    }
    object
}

fn optional<T: Into<Json>>(value: Option<T>) -> Json {
    value.map_or(Json::Null, Into::into)
}

fn amount(amount: Option<Amount>) -> Node {
    amount_json(amount).into()
}

/// `{"value", "unit", "mib"}`.
fn amount_json(amount: Option<Amount>) -> Json {
    amount.map_or(Json::Null, |amount| json!({"value": amount.value, "unit": amount.unit.name(), "mib": amount.mib()}))
}

use super::*;
use std::path::Path;
use vramlint_gpu::{Mig, Power, Utilization};

#[test]
fn the_committed_schema_is_the_one_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/gpu.json");
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, schema_text()).expect("schemas/ is writable");
    }
    let committed = std::fs::read_to_string(&path).expect("schemas/gpu.json is committed").replace("\r\n", "\n");
    assert_eq!(committed, schema_text(), "run the tests with UPDATE_SCHEMAS=1 and look at the change");
}

/// Every field of `value` stands in `schema` with a description and a type that fits, and every required one is there.
fn fits(schema: &Value, value: &Value, path: &str) {
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    let schema = match schema["anyOf"].as_array() {
        Some(_) if value.is_null() => return,
        Some(any) => any.iter().find(|one| one["type"] != "null").expect("something but null"),
        None => schema,
    };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let known = schema["enum"].as_array().is_some_and(|all| all.contains(value));
    assert!(known || types.is_empty() || types.contains(&kind), "{path}: {kind} is none of {types:?}");
    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
        fits(&schema["items"], item, &format!("{path}[{i}]"));
    }
    let Some(object) = value.as_object() else { return };
    for (name, part) in object {
        let field = &schema["properties"][name];
        assert!(field["description"].is_string(), "{path}.{name} is not documented");
        fits(field, part, &format!("{path}.{name}"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        assert!(object.contains_key(name), "{path}.{name} is missing");
    }
}

fn full() -> Machine {
    let memory = Some(Memory { total: 42_949_672_960, reserved: 500, used: 30_000_000_000, free: 12_949_672_460 });
    let process = |kind, own| Process { pid: 7, name: Some("python".into()), memory: Some(1 << 34), kind, own };
    let gpu = Gpu {
        index: 1,
        name: Some("NVIDIA A100-SXM4-40GB".into()),
        uuid: Some("GPU-1".into()),
        compute_capability: Some((8, 0)),
        memory,
        utilization: Some(Utilization { gpu: 3, memory: 1 }),
        temperature: Some(41),
        power: Some(Power { draw: 61_500, limit: Some(400_000) }),
        display: Some(false),
        ecc: Some(true),
        mig: Some(Mig { enabled: true, pending: true, instances: vec![MigInstance { memory, ..MigInstance::default() }] }),
        processes: Some(vec![process(Kind::Compute, Some(false)), process(Kind::Graphics, None), process(Kind::Both, None)]),
        failure: None,
    };
    Machine { driver: Some("570.86".into()), cuda: Some((12, 8)), gpus: vec![gpu, Gpu::default()] }
}

#[test]
fn what_is_written_is_what_the_schema_says() {
    let schema: Value = serde_json::from_str(&schema_text()).expect("JSON");
    for pretty in [true, false] {
        let text = render(&full(), |_| None, Lang::Zh, pretty);
        let value: Value = serde_json::from_str(&text).expect("JSON");
        fits(&schema, &value, "");
        assert_eq!(value["gpus"][0]["memory"]["total"], 42_949_672_960_u64);
        assert_eq!(value["gpus"][0]["power_milliwatts"], 61_500);
        assert_eq!(text.lines().count() == 1, !pretty);
    }
}

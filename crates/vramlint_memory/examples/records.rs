use std::collections::BTreeMap;
use vramlint_memory::setup::*;
use vramlint_memory::{Arch, Config, Setup, Value};
fn value(v: &serde_json::Value) -> Value {
    match v {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(b) => Value::Bool(*b),
        serde_json::Value::Number(n) => Value::Number(n.as_f64().unwrap()),
        serde_json::Value::String(s) => Value::Text(s.clone()),
        serde_json::Value::Array(a) => Value::List(a.iter().map(value).collect()),
        serde_json::Value::Object(o) => Value::Object(config(o)),
    }
}
fn config(o: &serde_json::Map<String, serde_json::Value>) -> Config {
    let mut c = Config::default();
    for (k, v) in o {
        c.set(k.clone(), value(v));
    }
    c
}
pub fn setup(s: &serde_json::Value) -> Option<Setup> {
    let mut out = Setup::default();
    let text = |k: &str| s[k].as_str().unwrap_or("");
    let dt = |t: &str| match t {
        "bf16" => Dtype::Bf16,
        "fp16" => Dtype::Fp16,
        _ => Dtype::Fp32,
    };
    out.task = match text("task") {
        "clm" => Task::CausalLm,
        "rm" => Task::Reward,
        "dpo" => Task::Dpo,
        "grpo" => Task::Grpo,
        "seqcls" => Task::SequenceClassification,
        "mlm" => Task::MaskedLm,
        "seq2seq" => Task::Seq2Seq,
        _ => return None,
    };
    out.weights = dt(text("weights_dtype"));
    out.autocast = s["autocast"].as_str().map(dt);
    out.micro_batch = s["micro_batch"].as_u64()?;
    out.sequence_length = s["seq"].as_u64()?;
    out.target_length = s["target"].as_u64().unwrap_or(0);
    out.prompt_length = s["prompt"].as_u64().unwrap_or(0);
    out.accumulation = s["accum"].as_u64().unwrap_or(1);
    out.checkpointing = match text("checkpointing") {
        "none" => Checkpointing::None,
        "reentrant" => Checkpointing::Reentrant,
        _ => Checkpointing::NonReentrant,
    };
    out.attention = match text("attn") {
        "eager" => Attention::Eager,
        "sdpa" => Attention::Sdpa,
        _ => Attention::Flash,
    };
    out.padding_mask = s["padding_mask"].as_bool().unwrap_or(false);
    out.use_cache = s["use_cache"].as_bool().unwrap_or(false);
    out.kbit_prepare = s["kbit_prepare"].as_bool().unwrap_or(false);
    out.optimizer = match text("optimizer") {
        "adamw_torch_fused" => Optimizer::AdamWFused,
        "adamw_torch" => Optimizer::AdamWForeach,
        "adamw_forloop" => Optimizer::AdamWForLoop,
        "adamw_bnb_8bit" => Optimizer::AdamW8bit,
        "paged_adamw_8bit" => Optimizer::PagedAdamW8bit,
        "paged_adamw_32bit" => Optimizer::PagedAdamW32bit,
        "lion_8bit" => Optimizer::Lion8bit,
        "adafactor" => Optimizer::Adafactor,
        "sgd" => Optimizer::Sgd,
        "sgd_momentum" => Optimizer::SgdMomentum,
        _ => return None,
    };
    if let Some(l) = s["lora"].as_object() {
        out.lora = Some(Lora {
            r: l["r"].as_u64()?,
            dropout: l.get("dropout").and_then(|d| d.as_f64()).unwrap_or(0.05) > 0.0,
            fp32: l.get("fp32_adapters").and_then(|d| d.as_bool()).unwrap_or(true),
            dora: l.get("dora").and_then(|d| d.as_bool()).unwrap_or(false),
            targets: match &l["targets"] {
                serde_json::Value::Array(a) => Targets::Named(a.iter().map(|x| x.as_str().unwrap().to_owned()).collect()),
                _ => Targets::AllLinear,
            },
        });
    }
    out.quantization = match s["quant"].as_str() {
        None => Quantization::None,
        Some("int8") => Quantization::Int8,
        Some("nf4_dq") => Quantization::FourBit { double: true },
        _ => Quantization::FourBit { double: false },
    };
    out.head = match text("head") {
        "trl_fused" => Head::Fused,
        _ => Head::FullLogits,
    };
    if out.task == Task::Dpo {
        out.reference = if out.lora.is_some() { Reference::Adapter } else { Reference::Copy };
    }
    out.parallel.world = s["world"].as_u64().unwrap_or(1);
    out.parallel.scheme = match s["dist"].as_str() {
        None => Scheme::None,
        Some("ddp") => Scheme::Ddp,
        Some("zero1") => Scheme::Zero1,
        Some("zero2") => Scheme::Zero2,
        Some("zero3") => Scheme::Zero3,
        _ => Scheme::Fsdp2,
    };
    // A sharded model computes in the type of mixed precision without autocast; torch 2.15 reduces in the type of the shards.
    if !matches!(out.parallel.scheme, Scheme::None | Scheme::Ddp) && text("dtype") == "bf16_amp" {
        out.autocast = Some(Dtype::Bf16);
        out.parallel.reduce_fp32 = true;
    }
    let given = &s["parallel"];
    let p = &mut out.parallel;
    let number = |key: &str, place: &mut u64| {
        if let Some(value) = given[key].as_f64() {
            *place = value as u64;
        }
    };
    number("bucket", &mut p.reduce_bucket);
    number("prefetch", &mut p.prefetch_bucket);
    number("max_live", &mut p.max_live);
    number("persistence", &mut p.persistence);
    number("sub_group", &mut p.sub_group);
    number("hpz", &mut p.hpz);
    p.overlap = given["overlap_comm"].as_bool().unwrap_or(p.overlap);
    p.contiguous = given["contiguous"].as_bool().unwrap_or(p.contiguous);
    p.bucket_view = given["bucket_view"].as_bool().unwrap_or(p.bucket_view);
    p.reshard = given["reshard"].as_bool().unwrap_or(p.reshard);
    p.defer_reduction = given["defer"].as_bool().unwrap_or(p.defer_reduction);
    if given["offload_optimizer"].is_string() {
        p.offload_optimizer = Offload::Cpu;
    }
    if given["offload_param"].is_string() {
        p.offload_param = Offload::Cpu;
    }
    Some(out)
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let file = args.get(1).cloned().unwrap_or("/work/shared/memory/records.jsonl".into());
    let only = args.get(2).cloned().unwrap_or_default();
    std::panic::set_hook(Box::new(|_| {}));
    let mut errors: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let r: serde_json::Value = serde_json::from_str(line).unwrap();
        let id = r["id"].as_str().unwrap();
        if !only.is_empty() && !id.starts_with(&only) {
            continue;
        }
        let Some(setup) = setup(&r["setup"]) else {
            println!("{id} unread");
            continue;
        };
        let arch = Arch::from_config(&config(r["model"]["arch"].as_object().unwrap()));
        let key = format!(
            "{}{}{}",
            r["setup"]["dist"].as_str().unwrap_or(""),
            r["setup"]["task"].as_str().unwrap(),
            if setup.lora.is_some() { "+lora" } else { "" }
        );
        if std::env::var("EVENTS").is_ok() {
            for l in vramlint_memory::events(&arch, &setup) {
                println!("{l}");
            }
            continue;
        }
        let real = (r["oracle"]["peak_allocated"].as_f64().unwrap(), r["oracle"]["peak_reserved"].as_f64().unwrap());
        let start = std::time::Instant::now();
        let Ok((a, b, e0)) = std::panic::catch_unwind(|| {
            let mut s = setup.clone();
            s.context = false;
            let e = vramlint_memory::estimate(&arch, &s);
            (e.tensors, e.reserved, e)
        }) else {
            println!("{id} todo {key} {}", r["setup"]["optimizer"]);
            continue;
        };
        let e = ((a as f64 / real.0 - 1.) * 100., (b as f64 / real.1 - 1.) * 100.);
        println!(
            "{id} {:+.3}% res {:+.2}% {} {} {} {} mb{} s{} {:?} us{}",
            e.0,
            e.1,
            r["model"]["id"].as_str().unwrap(),
            key,
            r["setup"]["dtype"].as_str().unwrap(),
            r["setup"]["checkpointing"].as_str().unwrap(),
            setup.micro_batch,
            setup.sequence_length,
            setup.optimizer,
            start.elapsed().as_micros()
        );
        if real.1 < e0.low as f64 || real.1 > e0.high as f64 {
            println!("   OUTSIDE {} {}", e0.low as f64 / real.1, e0.high as f64 / real.1);
        }
        if !only.is_empty() {
            println!("{:?} {:?}", e0.at, e0.parts);
            for i in &e0.items {
                println!("   {:?} {} {} {}", i.part, i.label.en, i.bytes, i.formula);
            }
        }
        errors.entry(key).or_default().push((e.0.abs(), e.1.abs()));
    }
    for (k, v) in errors {
        let q = |f: fn(&(f64, f64)) -> f64, p: f64| {
            let mut x: Vec<f64> = v.iter().map(f).collect();
            x.sort_by(f64::total_cmp);
            x[((x.len() - 1) as f64 * p) as usize]
        };
        println!(
            "{k}: n {} alloc median {:.3} p95 {:.3} max {:.3}; reserved median {:.2} p95 {:.2} max {:.2}",
            v.len(),
            q(|x| x.0, 0.5),
            q(|x| x.0, 0.95),
            q(|x| x.0, 1.0),
            q(|x| x.1, 0.5),
            q(|x| x.1, 0.95),
            q(|x| x.1, 1.0)
        );
    }
}

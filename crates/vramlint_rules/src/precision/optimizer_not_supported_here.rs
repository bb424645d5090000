//! # optimizer-not-supported-here
//!
//! The optimizer does not work with the sharding, offload or adapters of this run.
//!
//! ## Why it matters
//! 8-bit states of bitsandbytes, Muon and low-rank projections need whole parameters on the GPU. Sharding, offload or adapters take those
//! away, and the framework raises an error.
//!
//! ## Example
//! ```yaml file=config.yaml
//! base_model: acme/tiny-llama
//! micro_batch_size: 2
//! gradient_accumulation_steps: 4
//! optimizer: adamw_bnb_8bit
//! fsdp_version: 2
//! fsdp_config:
//!   offload_params: false
//! datasets:
//!   - path: data/train.jsonl
//!     type: alpaca
//! learning_rate: 2e-4
//! output_dir: out
//! ```
//!
//! ## Use instead
//! ```yaml file=config.yaml
//! base_model: acme/tiny-llama
//! micro_batch_size: 2
//! gradient_accumulation_steps: 4
//! optimizer: adamw_torch_8bit
//! fsdp_version: 2
//! fsdp_config:
//!   offload_params: false
//! datasets:
//!   - path: data/train.jsonl
//!     type: alpaca
//! learning_rate: 2e-4
//! output_dir: out
//! ```
//!
//! ## Fix
//! None: another optimizer changes the training.
//!
//! ## Sources
//! Axolotl 0.18.0 `utils/schemas/validation.py:842` and `:1131`; LLaMA-Factory 0.9.6.dev0 `hparams/parser.py:507`,
//! `hparams/finetuning_args.py:595`, read.
//!
//! # 中文
//!
//! 所选优化器不支持该运行的分片、卸载或适配器。
//!
//! ## 为什么重要
//! bitsandbytes 的 8 位状态、Muon 与低秩投影都要求 GPU 上有完整参数。分片、卸载或适配器使其不成立，框架会报错。
//!
//! ## 修复
//! 无：换优化器等于换一种训练。
//!
//! ## 来源
//! Axolotl 0.18.0 `utils/schemas/validation.py:842` 与 `:1131`；LLaMA-Factory 0.9.6.dev0 `hparams/parser.py:507`、
//! `hparams/finetuning_args.py:595`，阅读源码。

use crate::frameworks::{self, Check, Refusal};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_catalog::Dialect;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL484", "optimizer-not-supported-here", Severity::Error, page!("optimizer_not_supported_here.rs"), check)
};

const CHECKS: &[(Dialect, Check)] = &[
    (Dialect::Axolotl, axolotl_fsdp),
    (Dialect::Axolotl, axolotl_engine),
    (Dialect::Axolotl, axolotl_tensor_parallel),
    (Dialect::LlamaFactory, llamafactory_adapters),
    (Dialect::LlamaFactory, llamafactory_deepspeed),
    (Dialect::LlamaFactory, llamafactory_two),
];

fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run(cx, &RULE, CHECKS, out);
}

fn refusal(at: &'static str, with: &[&'static str], optimizer: &str, conflict: &str) -> Refusal {
    Refusal::new(
        at,
        with,
        message!("{optimizer} does not work with {conflict}", "{optimizer} 不能与 {conflict} 同用"),
        message!("choose another optimizer, or remove {conflict}", "请换用其他优化器，或去掉 {conflict}"),
    )
}

fn fsdp2(keys: &FrameworkConfig<'_>) -> Option<bool> {
    let version =
        ["fsdp_version", "fsdp_config.fsdp_version", "fsdp_config.version"].into_iter().find(|key| keys.place(key).is_some());
    match version {
        None => Some(false),
        Some(key) => Some(keys.int(key)? == 2),
    }
}

fn axolotl_fsdp(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let optimizer = keys.text("optimizer")?;
    if !keys.is_on("fsdp_config") || !optimizer.contains("8bit") {
        return None;
    }
    if fsdp2(keys)? {
        return matches!(optimizer, "adamw_8bit" | "adamw_bnb_8bit")
            .then(|| refusal("optimizer", &["fsdp_version", "fsdp_config"], optimizer, "FSDP 2").since("axolotl", "0.10.0"));
    }
    let offload = ["fsdp_config.offload_params", "fsdp_config.fsdp_offload_params"].into_iter().find(|key| keys.is_on(key))?;
    let refusal = refusal("optimizer", &[offload], optimizer, "offload_params");
    // Older schemas check only if the list of options is set too, and under the older name.
    let listed = keys.is_on("fsdp") && offload == "fsdp_config.fsdp_offload_params";
    Some(if listed { refusal } else { refusal.since("axolotl", "0.12.0") })
}

fn axolotl_engine(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let optimizer = keys.text("optimizer")?;
    let since = match optimizer {
        "muon" => "0.8.0",
        "q_galore_adamw8bit" => "0.18.0",
        _ if optimizer.starts_with("flash_") => "0.18.0",
        _ => return None,
    };
    if keys.is_on("deepspeed") {
        return Some(refusal("optimizer", &["deepspeed"], optimizer, "deepspeed").since("axolotl", since));
    }
    if optimizer == "q_galore_adamw8bit" && keys.is_on("adapter") {
        return Some(refusal("optimizer", &["adapter"], optimizer, "adapter").since("axolotl", since));
    }
    let sharded = keys.is_on("fsdp") || keys.is_on("fsdp_config");
    // Muon with FSDP 2 came with 0.13.1.
    if sharded && optimizer == "muon" && fsdp2(keys) == Some(true) {
        return Some(
            refusal("optimizer", &["fsdp_version", "fsdp_config"], optimizer, "FSDP").between("axolotl", since, "0.13.1"),
        );
    }
    (sharded && fsdp2(keys) == Some(false))
        .then(|| refusal("optimizer", &["fsdp_config", "fsdp"], optimizer, "FSDP 1").since("axolotl", since))
}

fn axolotl_tensor_parallel(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let optimizer =
        keys.text("optimizer").filter(|name| matches!(*name, "paged_adamw_8bit" | "adamw_8bit" | "adamw_bnb_8bit"))?;
    keys.int("tensor_parallel_size").filter(|size| *size > 1)?;
    Some(refusal("optimizer", &["tensor_parallel_size"], optimizer, "tensor_parallel_size").since("axolotl", "0.12.0"))
}

const PROJECTIONS: [&str; 3] = ["use_galore", "use_apollo", "use_badam"];

fn llamafactory_adapters(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let at = PROJECTIONS.into_iter().find(|key| keys.is_on(key))?;
    // lora is the default of finetuning_type.
    let lora = keys.place("finetuning_type").is_none() || keys.text("finetuning_type") == Some("lora");
    lora.then(|| refusal(at, &["finetuning_type"], at, "finetuning_type: lora"))
}

fn llamafactory_deepspeed(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let at = ["use_galore", "use_apollo"].into_iter().find(|key| keys.is_on(key))?;
    keys.is_on("deepspeed").then(|| refusal(at, &["deepspeed"], at, "deepspeed"))
}

fn llamafactory_two(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let mut on = PROJECTIONS.into_iter().filter(|key| keys.is_on(key));
    let (first, second) = (on.next()?, on.next()?);
    Some(refusal(second, &[], second, first))
}

//! ms-swift: swift/arguments of 4.6.0, read.

use super::{Refusals, pair};
use crate::frameworks::Refusal;
use vramlint_base::message;
use vramlint_catalog::Dialect;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(super) static REFUSALS: Refusals = Refusals {
    dialect: Dialect::MsSwift,
    checks: &[
        ("keys-exclude-each-other", exclusive),
        ("keys-exclude-each-other", vllm),
        ("keys-exclude-each-other", truncation),
        ("keys-exclude-each-other", half_twice),
        ("keys-exclude-each-other", split_model),
        ("packing-not-possible", packing),
        ("packing-not-possible", padding_free_rl),
        ("single-generation", one_generation),
        ("precision-from-checkpoint", precision_from_checkpoint),
    ],
};

const SINCE: &str = "4.6.0";

/// fp16 and bf16 together: transformers raises.
fn half_twice(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    (keys.is_on("fp16") && keys.is_on("bf16")).then(|| pair("fp16", "bf16").by("transformers"))
}

/// Packing or padding-free samples in trainers without support for them (rlhf_args.py:711).
fn padding_free_rl(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let at = ["packing", "padding_free"].into_iter().find(|key| keys.is_on(key))?;
    let kind = keys.text("rlhf_type").filter(|kind| !matches!(*kind, "grpo" | "dpo" | "kto" | "gkd"))?;
    Some(
        Refusal::new(
            at,
            &["rlhf_type"],
            message!("`{at}` with rlhf_type {kind}", "`{at}` 与 rlhf_type {kind} 同用"),
            message!(
                "remove it; ms-swift supports it only for grpo, dpo, kto and gkd",
                "请删除它；ms-swift 只在 grpo、dpo、kto、gkd 中支持"
            ),
        )
        .since("ms-swift", SINCE),
    )
}

/// A group of one completion has no advantage (rlhf_args.py:409).
fn one_generation(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let few = keys.int("num_generations").is_some_and(|group| group < 2);
    let teacher = keys.is_unset("teacher_model") && keys.is_unset("teacher_model_server");
    (few && teacher && keys.text("rlhf_type") == Some("grpo")).then(|| {
        Refusal::new(
            "num_generations",
            &["rlhf_type"],
            message!("fewer than 2 completions per prompt for GRPO", "GRPO 的每个提示少于 2 个补全"),
            message!(
                "use at least 2: advantages compare the completions of one prompt",
                "至少使用 2：优势由同一提示的补全相互比较得出"
            ),
        )
        .by("TRL")
    })
}

/// Several GPUs in one process split the model by layers, which DeepSpeed and FSDP do not support (sft_args.py:255,290).
fn split_model(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let launch = keys.launch?;
    let at = ["deepspeed", "fsdp"].into_iter().find(|key| keys.is_on(key))?;
    if ["SWIFT_SINGLE_DEVICE_MODE", "NNODES"].iter().any(|name| launch.variable(name).is_some()) || !keys.is_off("use_ray") {
        return None;
    }
    let devices = launch.variable("CUDA_VISIBLE_DEVICES")?.value.text()?;
    let count = devices.split(',').count();
    let plain = devices.chars().all(|c| c.is_ascii_digit() || c == ',');
    let processes = match launch.variable("NPROC_PER_NODE") {
        None => 1,
        Some(assignment) => assignment.value.text()?.parse::<usize>().ok().filter(|number| *number > 0)?,
    };
    (plain && count / processes >= 2 && count % processes == 0).then(|| {
        let started = if processes == 1 { "1 process".to_owned() } else { format!("{processes} processes") };
        Refusal::new(
            at,
            &[],
            message!(
                "`{at}` with {count} GPUs for {started}, so `device_map` would split the model between them",
                "使用 `{at}`，但 {processes} 个进程对应 {count} 个 GPU，`device_map` 会把模型拆分到这些 GPU 上"
            ),
            message!("put `NPROC_PER_NODE={count}` in front of the command", "请在命令前加上 `NPROC_PER_NODE={count}`"),
        )
    })
}

/// The training precision if neither is set: that of the checkpoint (base_args/model_args.py:126).
fn precision_from_checkpoint(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let dtype = keys.text("torch_dtype").filter(|dtype| matches!(*dtype, "float32" | "fp32" | "float16" | "fp16"))?;
    (keys.is_unset("bf16") && keys.is_unset("fp16")).then(|| {
        Refusal::new(
            "torch_dtype",
            &[],
            message!(
                "torch_dtype is {dtype}, and neither `bf16` nor `fp16` is set: ms-swift trains in fp16 mixed precision",
                "torch_dtype 为 {dtype}，且未设置 `bf16` 和 `fp16`：ms-swift 会以 fp16 混合精度训练"
            ),
            message!(
                "set the precision explicitly: `--bf16 true`, or `--fp16 false` for float32",
                "请明确设置精度：`--bf16 true`；若要 float32 则写 `--fp16 false`"
            ),
        )
        .info()
    })
}

fn exclusive(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    if keys.is_on("fsdp") && keys.is_on("deepspeed") {
        return Some(pair("fsdp", "deepspeed").since("ms-swift", "4.0.0"));
    }
    let kind = keys.text("rlhf_type").or_else(|| keys.place("rlhf_type").is_none().then_some("dpo"))?;
    let named = ["tuner_type", "train_type", "sft_type"].into_iter().find(|key| keys.place(key).is_some());
    let tuner = named.map_or(Some("lora"), |key| keys.text(key))?;
    let needed = matches!(kind, "dpo" | "kto" | "ppo" | "grpo") && tuner == "full";
    // GRPO without a penalty drops the reference itself.
    (keys.is_set("ref_model") && !needed && kind != "grpo").then(|| {
        Refusal::new(
            "ref_model",
            &[named.unwrap_or("rlhf_type"), "rlhf_type"],
            message!(
                "`ref_model` is set for {kind} with {tuner}, which does not need one",
                "{kind} 与 {tuner} 同用时不需要 `ref_model`"
            ),
            message!(
                "remove `ref_model`: with adapters the reference is the model without them",
                "请删除 `ref_model`：使用适配器时参考模型就是不带适配器的模型"
            ),
        )
    })
}

fn vllm(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    // Files of Ray and Megatron have roles of their own and another parser.
    let other_reader = ["train", "rollout", "colocate_groups", "use_ray", "global_batch_size"];
    if !matches!(keys.text("rlhf_type"), Some("grpo" | "gkd")) || other_reader.iter().any(|key| keys.place(key).is_some()) {
        return None;
    }
    let refusal = if keys.is_on("use_vllm") && keys.is_unset("vllm_mode") {
        Refusal::new(
            "use_vllm",
            &[],
            message!("`use_vllm` is set without `vllm_mode`", "设置了 `use_vllm`，但没有 `vllm_mode`"),
            message!("set `vllm_mode` to server or colocate", "请把 `vllm_mode` 设为 server 或 colocate"),
        )
    } else if keys.is_set("vllm_mode") && keys.is_off("use_vllm") {
        Refusal::new(
            "vllm_mode",
            &["use_vllm"],
            message!("`vllm_mode` is set without `use_vllm`", "设置了 `vllm_mode`，但没有 `use_vllm`"),
            message!("set `use_vllm` to true", "请把 `use_vllm` 设为 true"),
        )
    } else {
        return None;
    };
    Some(refusal.since("ms-swift", "4.6.0"))
}

fn truncation(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let strategy = keys.text("truncation_strategy").filter(|strategy| !matches!(*strategy, "left" | "delete"))?;
    (keys.text("rlhf_type") == Some("grpo")).then(|| {
        Refusal::new(
            "truncation_strategy",
            &["rlhf_type"],
            message!("truncation_strategy {strategy} with GRPO", "GRPO 使用了 truncation_strategy {strategy}"),
            message!(
                "use left or delete: ms-swift accepts only these for GRPO",
                "请使用 left 或 delete：ms-swift 在 GRPO 中只接受这两者"
            ),
        )
        .since("ms-swift", "4.6.0")
    })
}

fn packing(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let at = ["packing", "padding_free"].into_iter().find(|key| keys.is_on(key))?;
    let flash = ["flash_attn", "flash_attention_2", "flash_attention_3", "flash_attention_4"];
    // If not set, ms-swift looks for a flash attention itself.
    let attention = keys.text("attn_impl").filter(|name| !flash.contains(name))?;
    Some(
        Refusal::new(
            at,
            &["attn_impl"],
            message!("`{at}` with attn_impl {attention}", "`{at}` 与 attn_impl {attention} 同用"),
            message!("set `attn_impl` to flash_attn", "请把 `attn_impl` 设为 flash_attn"),
        )
        .since("ms-swift", "3.9.0"),
    )
}

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

/// Two half precisions: transformers refuses them.
fn half_twice(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    (keys.is_on("fp16") && keys.is_on("bf16")).then(|| pair("fp16", "bf16").by("transformers"))
}

/// Rows without padding in trainers that do not know them (rlhf_args.py:711).
fn padding_free_rl(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let at = ["packing", "padding_free"].into_iter().find(|key| keys.is_on(key))?;
    let kind = keys.text("rlhf_type").filter(|kind| !matches!(*kind, "grpo" | "dpo" | "kto" | "gkd"))?;
    Some(
        Refusal::new(
            at,
            &["rlhf_type"],
            message!("{at} with rlhf_type {kind}", "{at} 与 rlhf_type {kind} 同用"),
            message!("ms-swift knows it for grpo, dpo, kto and gkd", "ms-swift 只在 grpo、dpo、kto、gkd 中支持它"),
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
            message!("advantages compare the completions of one prompt", "优势来自同一提示的补全之间的比较"),
        )
        .by("TRL")
    })
}

/// Several GPUs in one process are split between layers, which DeepSpeed and FSDP do not take (sft_args.py:255,290).
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
                "{at} with {count} GPUs for {started}, where the model would be split between them by device_map",
                "{processes} 个进程对应 {count} 个 GPU，模型会按 device_map 拆分，却与 {at} 同用"
            ),
            message!("put NPROC_PER_NODE={count} in front", "请在命令前加上 NPROC_PER_NODE={count}"),
        )
    })
}

/// Which precision is trained in, where nothing says it: that of the checkpoint (base_args/model_args.py:126).
fn precision_from_checkpoint(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let dtype = keys.text("torch_dtype").filter(|dtype| matches!(*dtype, "float32" | "fp32" | "float16" | "fp16"))?;
    (keys.is_unset("bf16") && keys.is_unset("fp16")).then(|| {
        Refusal::new(
            "torch_dtype",
            &[],
            message!(
                "torch_dtype {dtype} and neither bf16 nor fp16: ms-swift trains in fp16 mixed precision",
                "torch_dtype 为 {dtype}，且未设置 bf16、fp16：ms-swift 会以 fp16 混合精度训练"
            ),
            message!(
                "say which is meant: --bf16 true, or --fp16 false for float32",
                "请明确写出：--bf16 true，或以 --fp16 false 使用 float32"
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
    // A GRPO without a penalty drops the reference by itself.
    (keys.is_set("ref_model") && !needed && kind != "grpo").then(|| {
        Refusal::new(
            "ref_model",
            &[named.unwrap_or("rlhf_type"), "rlhf_type"],
            message!("a ref_model for {kind} with {tuner}", "{kind} 与 {tuner} 不需要 ref_model"),
            message!(
                "with adapters the reference is the model without them; take ref_model away",
                "使用适配器时参考模型就是不带适配器的模型；请去掉 ref_model"
            ),
        )
    })
}

fn vllm(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    // Files of Ray and Megatron have roles of their own, and another reader.
    let other_reader = ["train", "rollout", "colocate_groups", "use_ray", "global_batch_size"];
    if !matches!(keys.text("rlhf_type"), Some("grpo" | "gkd")) || other_reader.iter().any(|key| keys.place(key).is_some()) {
        return None;
    }
    let refusal = if keys.is_on("use_vllm") && keys.is_unset("vllm_mode") {
        Refusal::new(
            "use_vllm",
            &[],
            message!("use_vllm is set without vllm_mode", "设置了 use_vllm，却没有 vllm_mode"),
            message!("write vllm_mode server or colocate", "请写 vllm_mode server 或 colocate"),
        )
    } else if keys.is_set("vllm_mode") && keys.is_off("use_vllm") {
        Refusal::new(
            "vllm_mode",
            &["use_vllm"],
            message!("vllm_mode is set, but use_vllm is not", "设置了 vllm_mode，却没有 use_vllm"),
            message!("write use_vllm true", "请写 use_vllm true"),
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
            message!("ms-swift takes left or delete there", "ms-swift 在此只接受 left 或 delete"),
        )
        .since("ms-swift", "4.6.0")
    })
}

fn packing(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let at = ["packing", "padding_free"].into_iter().find(|key| keys.is_on(key))?;
    let flash = ["flash_attn", "flash_attention_2", "flash_attention_3", "flash_attention_4"];
    // Left open, ms-swift looks for a flash attention itself.
    let attention = keys.text("attn_impl").filter(|name| !flash.contains(name))?;
    Some(
        Refusal::new(
            at,
            &["attn_impl"],
            message!("{at} with attn_impl {attention}", "{at} 与 attn_impl {attention} 同用"),
            message!("write attn_impl flash_attn", "请写 attn_impl flash_attn"),
        )
        .since("ms-swift", "3.9.0"),
    )
}

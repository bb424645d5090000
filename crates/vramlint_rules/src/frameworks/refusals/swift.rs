//! ms-swift: swift/arguments of 4.6.0, read.

use super::pair;
use crate::frameworks::Refusal;
use vramlint_base::message;
use vramlint_semantic::frameworks::FrameworkConfig;

const SINCE: &str = "4.6.0";

/// Two half precisions: transformers refuses them.
pub(crate) fn half_twice(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    (keys.is_on("fp16") && keys.is_on("bf16")).then(|| pair("fp16", "bf16").by("transformers"))
}

/// Rows without padding in trainers that do not know them (rlhf_args.py:711).
pub(crate) fn padding_free_rl(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
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
pub(crate) fn one_generation(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
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
pub(crate) fn split_model(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
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
pub(crate) fn precision_from_checkpoint(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
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

//! Axolotl: utils/schemas/validation.py of 0.5.2, 0.8.1, 0.12.2, 0.13.1, 0.16.1, 0.18.0 and 0.19.0, read; 0.18.0 run.

use super::pair;
use crate::frameworks::Refusal;
use vramlint_base::message;
use vramlint_semantic::frameworks::FrameworkConfig;

/// FSDP 2 does not shard quantized weights if the trainer compares with a reference.
pub(crate) fn quantized_rl(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let rl = keys.text("rl").filter(|rl| matches!(*rl, "dpo" | "kto" | "orpo" | "ipo"))?;
    let at = ["load_in_4bit", "load_in_8bit"].into_iter().find(|key| keys.is_on(key))?;
    (keys.int("fsdp_version") == Some(2)).then(|| {
        Refusal::new(
            at,
            &["fsdp_version", "rl"],
            message!("`{at}` with FSDP 2 and `rl: {rl}`", "`{at}` 与 FSDP 2、`rl: {rl}` 同用"),
            message!(
                "use DeepSpeed, `fsdp_version: 1`, or weights without quantization",
                "请改用 DeepSpeed、`fsdp_version: 1`，或不量化权重"
            ),
        )
        .since("axolotl", "0.12.0")
    })
}

/// Context parallelism splits sequences over GPUs with flash attention kernels.
pub(crate) fn context_without_flash(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    keys.int("context_parallel_size").filter(|size| *size > 1)?;
    if keys.is_on("use_glm_dsa_kernels") || keys.place("flash_attention").is_some() && !keys.is_off("flash_attention") {
        return None;
    }
    let other = ["sdp_attention", "flex_attention", "xformers_attention", "eager_attention"];
    let attention = if keys.is_set("attn_implementation") {
        let name = keys.text("attn_implementation")?;
        (!name.contains("flash")).then_some("attn_implementation")?
    } else if keys.place("attn_implementation").is_some() {
        return None;
    } else {
        other.into_iter().find(|key| keys.is_on(key)).unwrap_or("context_parallel_size")
    };
    Some(
        Refusal::new(
            "context_parallel_size",
            &[attention],
            message!("context parallelism without flash attention", "启用了上下文并行，却没有使用 flash attention"),
            message!(
                "set `attn_implementation: flash_attention_2` (before 0.18: `flash_attention: true`)",
                "请设置 `attn_implementation: flash_attention_2`（0.18 之前为 `flash_attention: true`）"
            ),
        )
        .since("axolotl", "0.12.0"),
    )
}

/// Samples that are packed together attend to each other unless the attention separates them.
pub(crate) fn packing_without_attention(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    const NAMES: &[&str] = &[
        "attn_implementation",
        "flash_attention",
        "sdp_attention",
        "flex_attention",
        "xformers_attention",
        "sage_attention",
        "eager_attention",
        "s2_attention",
    ];
    // Samples of reward models, pretraining and images are packed in another way.
    let plain = keys.is_off("reward_model") && keys.is_off("rl") && keys.is_off("batch_flattening");
    (plain && keys.is_on("sample_packing") && NAMES.iter().all(|key| keys.is_off(key))).then(|| {
        Refusal::new(
            "sample_packing",
            &[],
            message!(
                "samples are packed, but the attention does not separate them",
                "启用了打包，但注意力实现不区分各个样本"
            ),
            message!(
                "set `attn_implementation: flash_attention_2` (before 0.18: `flash_attention: true`), or turn off `sample_packing`; else samples attend to each other, as Axolotl warns",
                "请设置 `attn_implementation: flash_attention_2`（0.18 之前为 `flash_attention: true`），或关闭 `sample_packing`；否则样本会互相关注，Axolotl 也会警告"
            ),
        )
        .warning()
    })
}

/// Evaluation with a batch size other than that of training.
pub(crate) fn evaluation_batch(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let (eval, micro) = (keys.int("eval_batch_size")?, keys.int("micro_batch_size")?);
    (eval != micro && eval > 0 && micro > 0).then(|| {
        Refusal::new(
            "eval_batch_size",
            &["micro_batch_size"],
            message!(
                "eval_batch_size {eval} differs from micro_batch_size {micro}: memory use changes with every evaluation",
                "eval_batch_size {eval} 与 micro_batch_size {micro} 不同：每次评估时显存占用都会变化"
            ),
            message!("set both to the same value; Axolotl warns about the difference", "请设为相同的值；Axolotl 会对此警告"),
        )
        .info()
    })
}

/// Completions come in groups of one prompt.
pub(crate) fn groups(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let group = keys.int("trl.num_generations").filter(|group| *group > 0)?;
    if keys.text("rl") != Some("grpo") {
        return None;
    }
    if group < 2 {
        return None;
    }
    let (batch, at, with): (i64, &'static str, Vec<&'static str>) = if keys.is_set("trl.generation_batch_size") {
        (keys.int("trl.generation_batch_size")?, "trl.generation_batch_size", vec!["trl.num_generations"])
    } else {
        if keys.place("trl.generation_batch_size").is_some() && !keys.is_unset("trl.generation_batch_size") {
            return None;
        }
        let one = |key: &str| if keys.is_unset(key) { Some(1) } else { keys.int(key).map(|number| number.max(1)) };
        let total = one("micro_batch_size")?.checked_mul(one("gradient_accumulation_steps")?)?;
        (total, "trl.num_generations", vec!["micro_batch_size", "gradient_accumulation_steps"])
    };
    (batch % group != 0).then(|| {
        let mut refusal = Refusal::new(
            at,
            &[],
            message!(
                "{batch} completions per generation are not a multiple of num_generations {group}",
                "每次生成 {batch} 个补全，不是 num_generations {group} 的整数倍"
            ),
            message!(
                "change `micro_batch_size`, `gradient_accumulation_steps` or `num_generations`",
                "请调整 `micro_batch_size`、`gradient_accumulation_steps` 或 `num_generations`"
            ),
        );
        refusal.with = with;
        refusal.since("axolotl", "0.18.0")
    })
}

/// A group of one completion has no advantage.
pub(crate) fn one_generation(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let few = keys.int("trl.num_generations").is_some_and(|group| group < 2);
    (few && keys.text("rl") == Some("grpo")).then(|| {
        Refusal::new(
            "trl.num_generations",
            &["rl"],
            message!("fewer than 2 completions per prompt for GRPO", "GRPO 的每个提示少于 2 个补全"),
            message!(
                "use at least 2: advantages compare the completions of one prompt",
                "至少使用 2：优势由同一提示的补全相互比较得出"
            ),
        )
        .by("TRL")
    })
}

/// Reentrant checkpointing loses gradients of adapters on quantized weights in multi-process reinforcement learning.
pub(crate) fn partly_frozen(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let reentrant = keys.value("gradient_checkpointing_kwargs.use_reentrant") == Some(&vramlint_base::Value::Bool(true));
    (reentrant && keys.is_set("unfrozen_parameters"))
        .then(|| pair("gradient_checkpointing_kwargs.use_reentrant", "unfrozen_parameters"))
}

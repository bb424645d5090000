//! OpenRLHF: the checks after the parser in cli/train_*.py of 0.11.2, read.

use super::{Refusals, needs, pair};
use crate::frameworks::Refusal;
use vramlint_base::message;
use vramlint_catalog::Dialect;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(super) static REFUSALS: Refusals = Refusals {
    dialect: Dialect::OpenRlhf,
    checks: &[
        ("keys-exclude-each-other", sleep),
        ("single-generation", one_sample),
        ("missing-key", data),
        ("missing-key", asynchronous),
    ],
};

const SINCE: &str = "0.11.0";

fn module<'a>(keys: &FrameworkConfig<'a>) -> Option<&'a str> {
    keys.launch?.module.as_ref()?.text()?.strip_prefix("openrlhf.cli.")
}

/// vLLM sleeps only if it shares its GPU with the trainer.
fn sleep(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    if !keys.is_on("vllm.enable_sleep") {
        return None;
    }
    if keys.is_on("train.async_enable") && keys.is_on("train.colocate_all") {
        return Some(pair("vllm.enable_sleep", "train.async_enable").since("openrlhf", SINCE));
    }
    keys.is_off("train.colocate_all").then(|| {
        Refusal::new(
            "vllm.enable_sleep",
            &["train.colocate_all"],
            message!(
                "`vllm.enable_sleep` has no effect without `train.colocate_all`: OpenRLHF turns it off",
                "没有 `train.colocate_all` 时 `vllm.enable_sleep` 不起作用：OpenRLHF 会将其关闭"
            ),
            message!(
                "add `--train.colocate_all`, or remove `--vllm.enable_sleep`",
                "请加上 `--train.colocate_all`，或删除 `--vllm.enable_sleep`"
            ),
        )
        .warning()
    })
}

/// Packed samples, ring attention and multi-turn data need the options they build on.
fn data(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let module = module(keys)?;
    let found = match module {
        "train_ppo_ray" => {
            let none = keys.is_unset("vllm.num_engines") || keys.int("vllm.num_engines") == Some(0);
            (keys.is_on("ds.packing_samples") && none).then(|| needs("ds.packing_samples", "vllm.num_engines"))
        }
        "train_sft" if keys.is_on("data.multiturn") && keys.is_off("data.apply_chat_template") => {
            Some(needs("data.multiturn", "data.apply_chat_template"))
        }
        "train_sft" | "train_dpo" | "train_rm" => {
            let ring = keys.int("ds.ring_attn_size").is_some_and(|size| size > 1);
            (ring && keys.is_off("ds.packing_samples")).then(|| needs("ds.ring_attn_size", "ds.packing_samples"))
        }
        _ => None,
    };
    found.map(|refusal| refusal.since("openrlhf", SINCE))
}

/// Estimators that compare the completions of one prompt need several.
fn one_sample(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let estimator = keys.text("algo.advantage.estimator")?;
    let groups = matches!(estimator, "rloo" | "reinforce_baseline" | "group_norm" | "dr_grpo");
    let samples = if keys.is_unset("rollout.n_samples_per_prompt") { 1 } else { keys.int("rollout.n_samples_per_prompt")? };
    (groups && samples < 2).then(|| {
        let at =
            if keys.is_set("rollout.n_samples_per_prompt") { "rollout.n_samples_per_prompt" } else { "algo.advantage.estimator" };
        Refusal::new(
            at,
            &["algo.advantage.estimator"],
            message!("{estimator} with one completion per prompt", "{estimator} 的每个提示只有一个补全"),
            message!(
                "set `--rollout.n_samples_per_prompt` above 1, for example 4",
                "请把 `--rollout.n_samples_per_prompt` 设为大于 1 的值，例如 4"
            ),
        )
        .since("openrlhf", SINCE)
    })
}

/// Only the asynchronous trainer generates more prompts ahead than a rollout holds, or continues partial rollouts.
fn asynchronous(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    if !keys.is_off("train.async_enable") {
        return None;
    }
    if keys.is_on("train.partial_rollout_enable") {
        return Some(needs("train.partial_rollout_enable", "train.async_enable").since("openrlhf", SINCE));
    }
    let (ahead, batch) = (keys.int("rollout.vllm_generate_batch_size")?, keys.int("rollout.batch_size")?);
    (ahead > batch).then(|| needs("rollout.vllm_generate_batch_size", "train.async_enable").since("openrlhf", SINCE))
}

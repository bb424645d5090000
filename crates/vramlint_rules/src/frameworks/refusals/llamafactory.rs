//! LLaMA-Factory: hparams/parser.py and hparams/*_args.py of 0.8.3, 0.9.1, 0.9.3, 0.9.4 and 0.9.5, read.

use super::{needs, pair};
use crate::frameworks::Refusal;
use vramlint_base::{Value, message};
use vramlint_semantic::frameworks::FrameworkConfig;

/// Keys that belong to one stage.
pub(crate) fn stage(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let stage = match keys.place("stage") {
        None => "sft",
        Some(_) => keys.text("stage")?,
    };
    let at = match stage {
        "sft" => None,
        _ => ["predict_with_generate", "train_on_prompt", "mask_history"].into_iter().find(|key| keys.is_on(key)),
    };
    let at = at.or_else(|| matches!(stage, "rm" | "ppo").then_some("load_best_model_at_end").filter(|key| keys.is_on(key)));
    let reference = || {
        let loss = keys.text("pref_loss").or_else(|| keys.place("pref_loss").is_none().then_some("sigmoid"));
        stage == "dpo" && loss.is_some_and(|loss| !matches!(loss, "orpo" | "simpo"))
    };
    let pissa = || (keys.is_on("pissa_init") && (matches!(stage, "ppo" | "kto") || reference())).then_some("pissa_init");
    let at = at.or_else(pissa)?;
    Some(
        Refusal::new(
            at,
            &["stage"],
            message!("`{at}` in stage {stage}", "在 {stage} 阶段设置了 `{at}`"),
            message!("remove it, or use another stage", "请删除它，或换用其他阶段"),
        )
        .since("llamafactory", "0.8.3"),
    )
}

/// Adapters on a quantized model.
pub(crate) fn quantized_adapters(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    if !keys.is_set("quantization_bit") || !keys.is_set("adapter_name_or_path") {
        return None;
    }
    if keys.is_on("create_new_adapter") {
        return Some(pair("create_new_adapter", "quantization_bit"));
    }
    let several = match keys.value("adapter_name_or_path")? {
        Value::Text(paths) => paths.contains(','),
        Value::List(items) => items.len() > 1,
        _ => false,
    };
    several.then(|| {
        Refusal::new(
            "adapter_name_or_path",
            &["quantization_bit"],
            message!("several adapters on a quantized model", "在量化模型上使用多个适配器"),
            message!(
                "merge the adapters first: LLaMA-Factory accepts one on a quantized model",
                "请先合并适配器：LLaMA-Factory 在量化模型上只接受一个"
            ),
        )
    })
}

/// Label smoothing belongs to one loss only; extra blocks exclude full tuning; predictions are either text or accuracies.
pub(crate) fn others(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let loss = keys.text("pref_loss").filter(|loss| *loss != "sigmoid");
    if loss.is_some() && keys.text("stage") == Some("dpo") && keys.number("dpo_label_smoothing").is_some_and(|share| share > 1e-6)
    {
        return Some(pair("dpo_label_smoothing", "pref_loss"));
    }
    if keys.is_on("use_llama_pro") && keys.text("finetuning_type") == Some("full") {
        return Some(pair("use_llama_pro", "finetuning_type"));
    }
    if keys.is_on("predict_with_generate") && keys.is_on("compute_accuracy") {
        return Some(pair("compute_accuracy", "predict_with_generate").since("llamafactory", "0.9.0"));
    }
    let concat = keys.place("mix_strategy").is_none() || keys.text("mix_strategy") == Some("concat");
    (concat && keys.is_set("interleave_probs")).then(|| needs("interleave_probs", "mix_strategy: interleave_under"))
}

/// Streaming data has no length, so the number of steps must be set.
pub(crate) fn streaming(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let endless = keys.place("max_steps").is_none() || keys.int("max_steps") == Some(-1);
    (keys.is_on("streaming") && endless && is_full_finetuning(keys)).then(|| needs("streaming", "max_steps"))
}

/// Evaluation needs data.
pub(crate) fn evaluation(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let named = || {
        let key = ["eval_strategy", "evaluation_strategy"].into_iter().find(|key| keys.place(key).is_some())?;
        matches!(keys.text(key)?, "steps" | "epoch").then_some(key)
    };
    let at = ["do_eval", "do_predict", "predict_with_generate"].into_iter().find(|key| keys.is_on(key)).or_else(named)?;
    let none =
        keys.is_unset("eval_dataset") && (keys.is_unset("val_size") || keys.number("val_size").is_some_and(|size| size < 1e-6));
    // Older releases use the training data for it.
    (none && is_full_finetuning(keys)).then(|| needs(at, "val_size").since("llamafactory", "0.9.1"))
}

/// PPO needs a reward model.
pub(crate) fn reward(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    (keys.text("stage") == Some("ppo") && keys.is_unset("reward_model") && is_full_finetuning(keys))
        .then(|| needs("stage", "reward_model"))
}

/// `llamafactory-cli` starts one process on one GPU, and DeepSpeed needs a launcher.
pub(crate) fn deepspeed_without_launcher(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    let launch = keys.launch.filter(|launch| launch.launcher.dialect == Some(keys.dialect))?;
    let set = |name: &str| launch.variable(name).is_some();
    if set("FORCE_TORCHRUN") || set("USE_RAY") || set("NNODES") || set("WORLD_SIZE") {
        return None;
    }
    let devices = launch.variable("CUDA_VISIBLE_DEVICES")?.value.text()?;
    let one = !devices.is_empty() && devices.chars().all(|c| c.is_ascii_digit());
    (one && keys.is_on("deepspeed")).then(|| {
        Refusal::new(
            "deepspeed",
            &[],
            message!(
                "DeepSpeed on one GPU, which llamafactory-cli starts without torchrun",
                "在单个 GPU 上使用 DeepSpeed，而 llamafactory-cli 此时不通过 torchrun 启动"
            ),
            message!("put `FORCE_TORCHRUN=1` in front of the command", "请在命令前加上 `FORCE_TORCHRUN=1`"),
        )
        .since("llamafactory", "0.9.1")
    })
}

/// Whether the file is read as it is: a part of a training may be in another file.
fn is_full_finetuning(keys: &FrameworkConfig<'_>) -> bool {
    keys.is_launched() || keys.is_on("do_train")
}

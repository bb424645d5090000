//! Numbers and their bounds.

use crate::Context;
use crate::syntax_and_keys::invalid_value::arguments::report;
use vramlint_base::{Finding, Severity, Value, message};
use vramlint_resolve::arguments::{ArgumentEntry, ArgumentSet};
use vramlint_semantic::arguments::{is_trl, strategy};

/// Numbers that must be above a bound, or at least at it; what refuses others. transformers 5.23.0 training_args.py, torch 2.15.0
/// utils/data/dataloader.py, run.
const LEAST: &[(&str, f64, bool)] = &[
    ("torch_empty_cache_steps", 1.0, true),
    ("per_device_train_batch_size", 1.0, true),
    ("dataloader_num_workers", 0.0, true),
    ("warmup_steps", 0.0, true),
    ("learning_rate", 0.0, true),
    ("weight_decay", 0.0, true),
    ("adam_epsilon", 0.0, true),
];
/// Shares, both ends allowed.
const SHARES: &[&str] = &["warmup_ratio"];

pub(super) fn judge(cx: &Context<'_>, set: &ArgumentSet) -> Vec<Finding> {
    let mut found = Vec::new();
    for (key, least, _) in LEAST {
        let Some((given, number)) = number(set, key) else { continue };
        if number < *least {
            let why = message!("it must be {least} or more", "至少为 {least}");
            found.push(report(cx, set, given, Severity::Error, &why, None));
        }
    }
    for key in SHARES {
        if let Some((given, number)) = number(set, key).filter(|(_, number)| !(0.0..=1.0).contains(number)) {
            let why = message!("{number} is no share between 0 and 1", "{number} 不是 0 到 1 之间的比例");
            found.push(report(cx, set, given, Severity::Error, &why, None));
        }
    }
    for key in ["adam_beta1", "adam_beta2"] {
        if let Some((given, number)) = number(set, key).filter(|(_, number)| !(0.0..1.0).contains(number)) {
            let why = message!("{number} is not between 0 and below 1", "{number} 不在 0（含）到 1（不含）之间");
            found.push(report(cx, set, given, Severity::Error, &why, None));
        }
    }
    if let Some((given, number)) = number(set, "torch_empty_cache_steps").filter(|(_, number)| number.fract() != 0.0) {
        let why = message!("{number} is no whole number", "{number} 不是整数");
        found.push(report(cx, set, given, Severity::Error, &why, None));
    }
    found.extend(steps(cx, set));
    // vLLM reads it where it shares the GPU.
    let used = set.bool("use_vllm", false) == Some(true) && set.text("vllm_mode", "colocate") == Some("colocate");
    if is_trl(set)
        && used
        && let Some((given, number)) =
            number(set, "vllm_gpu_memory_utilization").filter(|(_, number)| *number <= 0.0 || *number > 1.0)
    {
        let meant = (number > 1.0 && number <= 100.0).then(|| Value::Float(number / 100.0)).filter(|_| number >= 5.0);
        let why = message!("vLLM takes a share of the GPU above 0 and up to 1", "vLLM 需要大于 0、不超过 1 的 GPU 显存比例");
        found.push(report(cx, set, given, Severity::Error, &why, meant.as_ref()));
    }
    found
}

/// Steps of logging, saving and evaluating: above 1 they are whole numbers, and logging by steps needs some.
fn steps(cx: &Context<'_>, set: &ArgumentSet) -> Vec<Finding> {
    let mut found = Vec::new();
    for (key, by, default) in [
        ("logging_steps", "logging_strategy", "steps"),
        ("eval_steps", "eval_strategy", "no"),
        ("save_steps", "save_strategy", "steps"),
    ] {
        let Some((given, number)) = number(set, key) else { continue };
        if strategy(set, &[by], default) != Some("steps") {
            continue;
        }
        if number > 1.0 && number.fract() != 0.0 {
            let why = message!("above 1 it counts steps, which are whole", "大于 1 时表示步数，必须是整数");
            found.push(report(cx, set, given, Severity::Error, &why, None));
        } else if number == 0.0 && key == "logging_steps" {
            let why = message!("logging by steps needs a number of them", "按步记录日志需要步数");
            found.push(report(cx, set, given, Severity::Error, &why, None));
        }
    }
    found
}

fn number<'a>(set: &'a ArgumentSet, key: &str) -> Option<(&'a ArgumentEntry, f64)> {
    let given = set.get(key)?;
    Some((given, given.value.as_ref()?.as_float()?))
}

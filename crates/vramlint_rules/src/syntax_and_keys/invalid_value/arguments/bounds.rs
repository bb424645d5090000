//! Numbers and their bounds.

use crate::Context;
use crate::syntax_and_keys::invalid_value::arguments::report;
use vramlint_base::{Finding, Message, Severity, Value, message};
use vramlint_catalog::classes::{self, Field};
use vramlint_resolve::arguments::{ArgumentEntry, ArgumentSet};
use vramlint_semantic::arguments::{is_trl, strategy};

/// Keys whose bound has a rule of its own.
const OTHER_RULES: &[&str] = &["num_generations"];

pub(super) fn check(cx: &Context<'_>, set: &ArgumentSet) -> Vec<Finding> {
    let mut found: Vec<Finding> = set
        .effective()
        .filter(|given| !OTHER_RULES.contains(&given.key.as_str()))
        .filter_map(|given| {
            let why = outside(bounded_field(set, &given.key)?, given.value.as_ref()?.as_float()?)?;
            Some(report(cx, set, given, Severity::Error, &why, None))
        })
        .collect();
    if let Some((given, number)) = number(set, "torch_empty_cache_steps").filter(|(_, number)| number.fract() != 0.0) {
        let why = message!("{number} is not an integer", "{number} 不是整数");
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
        let why = message!("vLLM needs a fraction of GPU memory above 0 and at most 1", "vLLM 需要大于 0、不超过 1 的显存比例");
        found.push(report(cx, set, given, Severity::Error, &why, meant.as_ref()));
    }
    found
}

/// The declaration of a key that has bounds, in any class of the set.
fn bounded_field(set: &ArgumentSet, key: &str) -> Option<&'static Field> {
    let classes = set.classes.iter().filter_map(|name| classes::find(name));
    classes.flat_map(|class| class.declarations(key)).find(|field| field.is_bounded())
}

/// Why a number is outside of the bounds of a field.
fn outside(field: &Field, number: f64) -> Option<Message> {
    let inside = field.min.is_none_or(|min| number >= min)
        && field.above.is_none_or(|above| number > above)
        && field.max.is_none_or(|max| number <= max)
        && field.below.is_none_or(|below| number < below);
    if inside {
        return None;
    }
    Some(match (field.min, field.max, field.below) {
        (Some(min), Some(max), _) => message!("{number} is not between {min} and {max}", "{number} 不在 {min} 到 {max} 之间"),
        (Some(min), None, Some(below)) => {
            message!("{number} is not in the range {min} ≤ x < {below}", "{number} 不在 {min}（含）到 {below}（不含）之间")
        }
        (Some(min), None, None) => message!("it must be {min} or more", "不得小于 {min}"),
        _ => message!("{number} is out of range", "{number} 超出范围"),
    })
}

/// Steps of logging, saving and evaluating: above 1 they are integers, and logging by steps needs some.
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
            let why = message!("a value above 1 is a number of steps and must be an integer", "大于 1 的值表示步数，必须是整数");
            found.push(report(cx, set, given, Severity::Error, &why, None));
        } else if number == 0.0 && key == "logging_steps" {
            let why = message!("logging by steps needs a number of steps", "按步记录日志需要设置步数");
            found.push(report(cx, set, given, Severity::Error, &why, None));
        }
    }
    found
}

fn number<'a>(set: &'a ArgumentSet, key: &str) -> Option<(&'a ArgumentEntry, f64)> {
    let given = set.get(key)?;
    Some((given, given.value.as_ref()?.as_float()?))
}

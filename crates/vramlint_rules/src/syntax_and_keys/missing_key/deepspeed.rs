//! DeepSpeed's configuration: what a feature needs once it is on.

use crate::syntax_and_keys::missing_key::RULE;
use crate::{Context, Sink};
use vramlint_base::{is_templated, message};
use vramlint_semantic::deepspeed::config::DeepSpeedConfig;

/// A block that is switched on by `enabled`, and the key that it then needs, whatever the switches above it say: deepspeed 0.19.8
/// `runtime/data_pipeline/config.py:88` and `:107`, run with `data_efficiency.enabled` false, too.
const NEEDED: &[(&str, &str)] = &[
    ("data_efficiency.data_sampling.curriculum_learning", "curriculum_metrics"),
    ("data_efficiency.data_sampling.dynamic_batching", "max_tokens"),
];

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        for (block, key) in NEEDED {
            let enabled = format!("{block}.enabled");
            if config.flag(&enabled, false) != Some(true) || config.entry(&format!("{block}.{key}")).is_some() {
                continue;
            }
            if let Some(item) = config.entry(&enabled).filter(|_| is_whole(config, block)) {
                let message = message!(
                    "DeepSpeed rejects this file: `{block}` is enabled without `{key}`",
                    "DeepSpeed 会拒绝此文件：启用了 `{block}`，但缺少 `{key}`"
                );
                let help = message!("add `{key}`, or set `enabled` to false", "加入 `{key}`，或把 `enabled` 设为 false");
                out.push(RULE.finding(config.place(item), message).with_help(help));
            }
        }
    }
}

/// Whether no template may bring more keys.
fn is_whole(config: &DeepSpeedConfig<'_>, block: &str) -> bool {
    config.block(block).is_some_and(|block| block.entries().all(|(key, _)| key.text().is_some_and(|name| !is_templated(name))))
}

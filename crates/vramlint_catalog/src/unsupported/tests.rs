use super::*;
use std::collections::BTreeSet;

#[test]
fn every_framework_has_evidence_and_a_source() {
    let mut ids = BTreeSet::new();
    for row in ROWS {
        assert!(ids.insert(row.id) && !row.name.is_empty() && !row.source.is_empty(), "{}", row.id);
        assert!(!row.modules.is_empty() || !row.keys.is_empty() || !row.options.is_empty(), "{}", row.id);
    }
}

#[test]
fn a_fork_is_told_from_its_origin() {
    let of = |module: &str| UnsupportedFramework::of_module(module).map(|found| found.id);
    assert_eq!(of("verl.trainer.main"), Some("easy-r1"));
    assert_eq!(of("verl.trainer.main_ppo"), Some("verl"));
    assert_eq!(of("verlang"), None);
}

struct Keys(&'static [&'static str]);

impl FileKeys for Keys {
    fn has(&self, key: &str) -> bool {
        self.0.contains(&key)
    }

    fn has_inside(&self, block: &str, key: &str) -> bool {
        self.0.contains(&format!("{block}.{key}").as_str())
    }

    fn has_in_some_block(&self, _: &str) -> bool {
        false
    }

    fn text(&self, _: &str) -> Option<&str> {
        None
    }
}

#[test]
fn keys_that_two_share_are_given_to_the_one_that_has_the_rest() {
    let of = |keys| UnsupportedFramework::of_keys(&Keys(keys)).map(|found| found.id);
    assert_eq!(
        of(&["max_duration", "global_train_batch_size", "device_train_microbatch_size", "model.d_model"]),
        Some("olmo-core")
    );
    assert_eq!(
        of(&["max_duration", "global_train_batch_size", "device_train_microbatch_size", "model.d_model", "model.name"]),
        Some("llm-foundry")
    );
}

#[test]
fn options_count_with_dashes_and_as_blocks() {
    let of = |options: &[&str]| UnsupportedFramework::of_options(options).map(|found| found.id);
    assert_eq!(of(&["actor_rollout_ref.model.path"]), Some("verl"));
    assert_eq!(of(&["tensor_model_parallel_size", "micro-batch-size"]), Some("megatron-lm"));
    assert_eq!(of(&["micro-batch-size"]), None);
}

//! The role of a value, judging by the words in its name.

/// The words of a name in lower case: `evalBatch_size` has `eval`, `batch`, `size`.
pub(super) fn split_words(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut lower_before = false;
    for c in name.chars() {
        if (!c.is_alphanumeric() || (c.is_uppercase() && lower_before)) && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase() || c.is_numeric();
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
}

fn has_word(name: &str, known: &[&str]) -> bool {
    split_words(name).iter().any(|word| known.contains(&word.as_str()))
}

/// Whether a name means evaluation or inference: its value says nothing about training.
pub(super) fn is_evaluation_name(name: &str) -> bool {
    const EVALUATION: &[&str] = &[
        "eval",
        "evaluate",
        "evaluation",
        "evaluator",
        "val",
        "valid",
        "validate",
        "validation",
        "test",
        "testing",
        "dev",
        "infer",
        "inference",
        "predict",
        "prediction",
        "benchmark",
    ];
    has_word(name, EVALUATION)
}

/// Whether a name means a reference model.
pub(super) fn is_reference_name(name: &str) -> bool {
    has_word(name, &["ref", "reference"])
}

/// Whether a name means a reward model.
pub(super) fn is_reward_name(name: &str) -> bool {
    has_word(name, &["rm", "reward", "judge"])
}

/// Whether a class holds data, an index or a service, so that its `batch_size` is not the training one.
pub(super) fn is_non_training_class(class: &str) -> bool {
    const OTHER: &[&str] = &[
        "dataset",
        "datasets",
        "embedder",
        "embedding",
        "embeddings",
        "milvus",
        "redis",
        "index",
        "indexer",
        "retriever",
        "server",
        "client",
        "cache",
        "tokenizer",
        "crawler",
        "writer",
        "store",
        "database",
        "db",
    ];
    has_word(class, OTHER)
}

//! Words inside of names, and what they say about a role.

/// The words of a name in lower case: `evalBatch_size` has `eval`, `batch`, `size`.
pub(super) fn words(name: &str) -> Vec<String> {
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

fn has(name: &str, known: &[&str]) -> bool {
    words(name).iter().any(|word| known.contains(&word.as_str()))
}

/// Whether a name speaks of evaluation or inference: what it holds says nothing about training.
pub(super) fn speaks_of_evaluation(name: &str) -> bool {
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
    has(name, EVALUATION)
}

/// Whether a name speaks of a reference model.
pub(super) fn speaks_of_reference(name: &str) -> bool {
    has(name, &["ref", "reference"])
}

/// Whether a name speaks of a reward model.
pub(super) fn speaks_of_reward(name: &str) -> bool {
    has(name, &["rm", "reward", "judge"])
}

/// Whether a class holds data, an index or a service, so that its `batch_size` is not the training one.
pub(super) fn is_no_trainer(class: &str) -> bool {
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
    has(class, OTHER)
}

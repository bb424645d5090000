//! The known name that a misspelt one was meant to be.

use strsim::{damerau_levenshtein, jaro_winkler};

/// The nearest spelling of `word` among `known`, if one is near enough that a person would agree that it was meant.
///
/// Case, `-` and `_` do not count. Accepted are a slip or two of the keyboard (one in five letters), the same words in another
/// order, and words that one side lacks where the rest is most of the name: `num_process` for `num_processes`, `acumulation` for
/// `accumulation`, but not `foo` for `fsdp_config`.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = normalise(word);
    // Nobody mistypes a thousand letters, and the distance is quadratic.
    if word.is_empty() || word.len() > 100 {
        return None;
    }
    let mut best: Option<(f64, &'a str)> = None;
    for name in known {
        let score = likeness(&word, &normalise(name));
        // The first of equals wins, so that the answer does not depend on anything but the order of the table.
        if score > 0.0 && best.is_none_or(|(top, _)| score > top) {
            best = Some((score, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Lower case, `_` between words.
fn normalise(name: &str) -> String {
    name.trim().trim_start_matches('-').chars().map(|c| if c == '-' || c == ' ' { '_' } else { c.to_ascii_lowercase() }).collect()
}

/// 0 where nobody would agree, else above 0 up to 1 for the same name.
#[allow(clippy::cast_precision_loss)] // lengths of names
fn likeness(word: &str, name: &str) -> f64 {
    if word == name {
        return 1.0;
    }
    let (squeezed, target) = (word.replace('_', ""), name.replace('_', ""));
    if squeezed.is_empty() || target.is_empty() {
        return 0.0;
    }
    if squeezed == target {
        return 0.99;
    }
    let longest = squeezed.chars().count().max(target.chars().count());
    let distance = damerau_levenshtein(&squeezed, &target);
    let allowed = match longest {
        0..=2 => 0,
        3..=4 => 1,
        _ => (longest / 5).clamp(1, 3),
    };
    let spelling = if distance <= allowed && jaro_winkler(&squeezed, &target) > 0.8 && same_kind(word, name) {
        1.0 - distance as f64 / longest as f64
    } else {
        0.0
    };
    spelling.max(shared_words(word, name)).min(0.98)
}

/// `stage3_x` is no slip for `stage2_x`, nor `bf16` for `fp16`: digits must agree where both sides have some, and in a short name
/// the first letter too.
fn same_kind(word: &str, name: &str) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let (left, right) = (digits(word), digits(name));
    let short = name.chars().count() <= 5;
    (left.is_empty() || right.is_empty() || left == right) && (!short || word.chars().next() == name.chars().next())
}

/// The same words in another order, or all words of the shorter name and most of the longer.
#[allow(clippy::cast_precision_loss)] // counts of words
fn shared_words(word: &str, name: &str) -> f64 {
    let split = |text: &str| text.split('_').filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let (left, right) = (split(word), split(name));
    let (fewer, more) = if left.len() <= right.len() { (&left, &right) } else { (&right, &left) };
    if fewer.len() < 2 {
        return 0.0;
    }
    let mut rest = more.clone();
    for part in fewer {
        let Some(at) = rest.iter().position(|other| other == part) else { return 0.0 };
        rest.swap_remove(at);
    }
    let share = fewer.len() as f64 / more.len() as f64;
    if share >= 2.0 / 3.0 { 0.6 + 0.3 * share } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Key, accelerate, accelerate_top_level, children, deepspeed};

    #[test]
    fn agrees_with_a_person() {
        let top: Vec<_> = accelerate_top_level().map(Key::name).collect();
        let zero: Vec<_> = children(deepspeed(), "zero_optimization").map(Key::name).collect();
        let block: Vec<_> = children(accelerate(), "deepspeed_config").map(Key::name).collect();
        for (word, known, expected) in [
            ("num_process", &top, "num_processes"),
            ("num-processes", &top, "num_processes"),
            ("numProcesses", &top, "num_processes"),
            ("NUM_PROCESSES", &top, "num_processes"),
            ("mixed_precison", &top, "mixed_precision"),
            ("mixedprecision", &top, "mixed_precision"),
            ("distibuted_type", &top, "distributed_type"),
            ("gpu_id", &top, "gpu_ids"),
            ("fsdp_conifg", &top, "fsdp_config"),
            ("stge", &zero, "stage"),
            ("reduce_bucket_sise", &zero, "reduce_bucket_size"),
            ("bucket_size_reduce", &zero, "reduce_bucket_size"),
            ("cpu_offload_params", &zero, "cpu_offload_param"),
            ("overlap_com", &zero, "overlap_comm"),
            ("zero_stge", &block, "zero_stage"),
            ("offload_optimizer", &block, "offload_optimizer_device"),
            ("gradient_acumulation_steps", &block, "gradient_accumulation_steps"),
        ] {
            assert_eq!(nearest(word, known.iter().copied()), Some(expected), "{word}");
        }
    }

    #[test]
    fn stays_silent_where_a_person_would_disagree() {
        let top: Vec<_> = accelerate_top_level().map(Key::name).collect();
        for word in
            ["foo", "", "_", "x", "batch_size", "config", "learning_rate", "gradient_accumulation_steps", "bf16", "profile"]
        {
            assert_eq!(nearest(word, top.iter().copied()), None, "{word}");
        }
        assert_eq!(nearest("bf16", ["fp16", "fp8"]), None);
        assert_eq!(nearest(&"a".repeat(10_000), top.iter().copied()), None);
        assert_eq!(nearest("词语", top.iter().copied()), None);
    }
}

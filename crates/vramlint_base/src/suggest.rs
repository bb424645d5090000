//! "Did you mean": the known name closest to a misspelled one.

use strsim::{damerau_levenshtein, jaro_winkler};

/// The name in `known` that `word` most likely misspells; `None` if no name is close enough.
///
/// Ignores case, `-` and `_`. Accepts one or two typos (one in five letters), the same words in another order, and names that
/// share most of their words: `num_process` for `num_processes`, `acumulation` for `accumulation`, but not `foo` for `fsdp_config`.
pub fn suggest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = normalize(word);
    // The edit distance is quadratic in the length.
    if word.is_empty() || word.len() > 100 {
        return None;
    }
    let mut best: Option<(f64, &'a str)> = None;
    for name in known.into_iter().filter(|name| may_be_meant(&word, name)) {
        let score = similarity(&word, &normalize(name));
        // On a tie, the first name wins, so the result depends only on the order of `known`.
        if score > 0.0 && best.is_none_or(|(top, _)| score > top) {
            best = Some((score, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Most typos in one name.
const TYPOS: usize = 3;

/// Whether a comparison of `word`, which is normalized, with `name` may find them alike: quick, since most names are not.
fn may_be_meant(word: &str, name: &str) -> bool {
    let is_mark = |c: char| matches!(c, '_' | '-' | ' ');
    let letters = |text: &str| text.chars().filter(|c| !is_mark(*c)).count();
    if letters(word).abs_diff(letters(name)) <= TYPOS {
        return true;
    }
    // Otherwise one has all words of the other.
    let first = |text: &'_ str| text.split(is_mark).find(|part| !part.is_empty()).map(str::to_ascii_lowercase);
    let (Some(own), Some(other)) = (first(word), first(name)) else { return false };
    word.contains('_') && name.contains(is_mark) && (word.contains(&other) || name.to_ascii_lowercase().contains(&own))
}

/// Lower case, `_` between words.
fn normalize(name: &str) -> String {
    name.trim().trim_start_matches('-').chars().map(|c| if c == '-' || c == ' ' { '_' } else { c.to_ascii_lowercase() }).collect()
}

/// From 0 (unrelated) to 1 (the same name).
#[allow(clippy::cast_precision_loss)] // lengths of names
fn similarity(word: &str, name: &str) -> f64 {
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
    let lengths = (squeezed.chars().count(), target.chars().count());
    let longest = lengths.0.max(lengths.1);
    let allowed = match longest {
        0..=2 => 0,
        3..=4 => 1,
        _ => (longest / 5).clamp(1, TYPOS),
    };
    // Letters in excess are typos too: most names need no comparison letter by letter.
    let may_be_near = lengths.0.abs_diff(lengths.1) <= allowed;
    let distance = if may_be_near { damerau_levenshtein(&squeezed, &target) } else { longest };
    let spelling = if may_be_near && distance <= allowed && jaro_winkler(&squeezed, &target) > 0.8 && same_kind(word, name) {
        1.0 - distance as f64 / longest as f64
    } else {
        0.0
    };
    spelling.max(shared_words(word, name)).min(0.98)
}

/// Digits must agree if both names have some, and short names must share the first letter: `stage3_x` is not a typo of `stage2_x`,
/// nor `bf16` of `fp16`.
fn same_kind(word: &str, name: &str) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let (left, right) = (digits(word), digits(name));
    let short = name.chars().count() <= 5;
    (left.is_empty() || right.is_empty() || left == right) && (!short || word.chars().next() == name.chars().next())
}

/// Scores the same words in another order, and names that share all words of the shorter one and most of the longer one.
#[allow(clippy::cast_precision_loss)] // counts of words
fn shared_words(word: &str, name: &str) -> f64 {
    let split = |text: &'_ str| -> Vec<String> { text.split('_').filter(|part| !part.is_empty()).map(str::to_owned).collect() };
    if !word.contains('_') || !name.contains('_') {
        return 0.0;
    }
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
    use super::suggest;

    #[test]
    fn agrees_with_a_person() {
        let known = ["num_processes", "mixed_precision", "fsdp_config", "gpu_ids", "reduce_bucket_size", "stage", "fail-on"];
        for (word, expected) in [
            ("num_process", "num_processes"),
            ("num-processes", "num_processes"),
            ("numProcesses", "num_processes"),
            ("mixed_precison", "mixed_precision"),
            ("gpu_id", "gpu_ids"),
            ("fsdp_conifg", "fsdp_config"),
            ("stge", "stage"),
            ("bucket_size_reduce", "reduce_bucket_size"),
            ("fail_on", "fail-on"),
        ] {
            assert_eq!(suggest(word, known), Some(expected), "{word}");
        }
    }

    #[test]
    fn stays_silent_where_a_person_would_disagree() {
        for word in ["foo", "", "_", "x", "config", "learning_rate"] {
            assert_eq!(suggest(word, ["num_processes", "fsdp_config"]), None, "{word}");
        }
        assert_eq!(suggest("bf16", ["fp16", "fp8"]), None);
        assert_eq!(suggest(&"a".repeat(10_000), ["stage"]), None);
        assert_eq!(suggest("词语", ["stage"]), None);
    }
}

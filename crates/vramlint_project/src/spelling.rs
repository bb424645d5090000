//! The nearest known spelling of a word.

/// The known word that `word` was most likely meant to be: at most a third of its letters differ, case and `_`/`-` aside.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace('_', "-");
    let word = plain(word);
    let allowed = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word, &plain(candidate)), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let known = ["select", "ignore", "fail-on"];
        assert_eq!(nearest("seelct", known), Some("select"));
        assert_eq!(nearest("fail_on", known), Some("fail-on"));
        assert_eq!(nearest("Ignore", known), Some("ignore"));
        assert_eq!(nearest("warmup", known), None);
        assert_eq!(nearest("", known), None);
    }
}

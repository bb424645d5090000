//! What the text of a test tells.

/// Whether what the caller passes decides: `$1`, `$#`, `$@`, `${1}`, `$OPTARG`.
pub(super) fn depends_on_caller(test: &str) -> bool {
    let mut rest = test;
    while let Some(dollar) = rest.find('$') {
        rest = rest[dollar + 1..].trim_start_matches('{');
        let callers = rest.starts_with(|c: char| matches!(c, '1'..='9' | '#' | '@' | '*')) || rest.starts_with("OPTARG");
        if callers {
            return true;
        }
    }
    false
}

/// The variable whose being empty leads on: `[ -z "$A" ]`, `[[ -z ${A+x} ]]`, `[ "$A" = "" ]`, and with `or`: `[ -n "$A" ] ||`.
pub(super) fn empty_variable(test: &str, or: bool) -> Option<&str> {
    let inner = test.trim().trim_start_matches("test ").trim_start_matches('[').trim_end_matches(']').trim();
    let (inner, negated) = inner.strip_prefix('!').map_or((inner, false), |inner| (inner.trim(), true));
    let (word, asks_empty) = if let Some(word) = inner.strip_prefix("-z ") {
        (word, true)
    } else if let Some(word) = inner.strip_prefix("-n ") {
        (word, false)
    } else if let Some((word, operand)) = inner.split_once("==").or_else(|| inner.split_once('=')) {
        if !matches!(operand.trim(), "\"\"" | "''") || word.trim_end().ends_with('!') {
            return None;
        }
        (word, true)
    } else {
        return None;
    };
    if (asks_empty != negated) == or {
        return None;
    }
    let name = word.trim().trim_matches('"').strip_prefix('$')?;
    let name = name.strip_prefix('{').map_or(name, |name| name.trim_end_matches('}'));
    let name = name.split([':', '+', '-']).next().unwrap_or(name);
    super::outline::is_name(name).then_some(name)
}

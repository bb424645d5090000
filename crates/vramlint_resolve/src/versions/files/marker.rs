//! Environment markers: `; python_version >= "3.9" and sys_platform == "linux"`.

/// Whether a requirement applies on a machine that trains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkerResult {
    /// It applies.
    Applies,
    /// It depends on something unknown: the version of Python, the selected extras.
    Unknown,
    /// It does not apply.
    Excluded,
}

/// Evaluates a marker for Linux. CUDA runs there, and a project that trains elsewhere nearly always has the same versions.
pub(super) fn evaluate(marker: &str) -> MarkerResult {
    let marker = marker.trim();
    if marker.is_empty() {
        return MarkerResult::Applies;
    }
    let words = words(marker);
    if words.iter().filter(|word| *word == "(").count() > DEEPEST {
        return MarkerResult::Unknown;
    }
    let mut at = 0;
    any_of(&words, &mut at)
}

/// Brackets in one marker at most: each may take a level of the stack.
const DEEPEST: usize = 64;

fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' | '\'' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            '(' | ')' => 1,
            '<' | '>' | '=' | '!' | '~' => rest.find(|c| !"<>=!~".contains(c)).unwrap_or(rest.len()),
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || "\"'()<>=!~".contains(c)).unwrap_or(rest.len());
                end.max(first.len_utf8())
            }
        };
        out.push(rest[..end].to_owned());
        rest = rest[end..].trim_start();
    }
    out
}

fn any_of(words: &[String], at: &mut usize) -> MarkerResult {
    let mut result = all_of(words, at);
    while words.get(*at).is_some_and(|word| word == "or") {
        *at += 1;
        result = match (result, all_of(words, at)) {
            (MarkerResult::Applies, _) | (_, MarkerResult::Applies) => MarkerResult::Applies,
            (MarkerResult::Excluded, MarkerResult::Excluded) => MarkerResult::Excluded,
            _ => MarkerResult::Unknown,
        };
    }
    result
}

fn all_of(words: &[String], at: &mut usize) -> MarkerResult {
    let mut result = atom(words, at);
    while words.get(*at).is_some_and(|word| word == "and") {
        *at += 1;
        result = match (result, atom(words, at)) {
            (MarkerResult::Excluded, _) | (_, MarkerResult::Excluded) => MarkerResult::Excluded,
            (MarkerResult::Applies, MarkerResult::Applies) => MarkerResult::Applies,
            _ => MarkerResult::Unknown,
        };
    }
    result
}

fn atom(words: &[String], at: &mut usize) -> MarkerResult {
    if words.get(*at).is_some_and(|word| word == "(") {
        *at += 1;
        let inner = any_of(words, at);
        if words.get(*at).is_some_and(|word| word == ")") {
            *at += 1;
        }
        return inner;
    }
    let word = |index: usize| words.get(index).map_or("", String::as_str);
    let (left, operator, right) = (word(*at), word(*at + 1), word(*at + 2));
    *at += 3;
    let (name, value) = if left.starts_with(['"', '\'']) { (right, left) } else { (left, right) };
    let value = value.trim_matches(['"', '\'']);
    let linux = match name {
        "sys_platform" | "os.name" if value.starts_with("linux") => true,
        "platform_system" if value == "Linux" => true,
        "os_name" if value == "posix" => true,
        "sys_platform" | "platform_system" | "os_name" => false,
        _ => return MarkerResult::Unknown,
    };
    match (operator, linux) {
        ("==", true) | ("!=", false) => MarkerResult::Applies,
        ("==", false) | ("!=", true) => MarkerResult::Excluded,
        _ => MarkerResult::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::{MarkerResult, evaluate};

    #[test]
    fn brackets_without_end_are_unknown() {
        let marker = format!("{}os_name == 'posix'{}", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(evaluate(&marker), MarkerResult::Unknown);
        assert_eq!(evaluate("((os_name == 'posix'))"), MarkerResult::Applies);
    }

    #[test]
    fn linux_is_assumed_and_python_is_not() {
        assert_eq!(evaluate(""), MarkerResult::Applies);
        assert_eq!(evaluate("sys_platform == 'linux'"), MarkerResult::Applies);
        assert_eq!(evaluate("sys_platform != \"darwin\" and platform_system=='Linux'"), MarkerResult::Applies);
        assert_eq!(evaluate("platform_system == 'Windows'"), MarkerResult::Excluded);
        assert_eq!(evaluate("'win32' == sys_platform or (os_name == 'nt')"), MarkerResult::Excluded);
        assert_eq!(evaluate("python_version < '3.9'"), MarkerResult::Unknown);
        assert_eq!(evaluate("python_version < '3.9' and sys_platform == 'darwin'"), MarkerResult::Excluded);
        assert_eq!(evaluate("extra == 'train'"), MarkerResult::Unknown);
        for broken in ["(", "and", "sys_platform", "'", "== ==", "a b c d", "）"] {
            _ = evaluate(broken);
        }
    }
}

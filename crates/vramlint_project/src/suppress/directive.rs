//! The parser of suppression comments.
//!
//! ```text
//! # vramlint: ignore[name-or-code, …] reason
//! # vramlint: ignore
//! # vramlint: ignore-file[…]
//! # vramlint: kind=accelerate            (not parsed here)
//! ```
//!
//! The parser accepts the comments of every language: the marker may be `#`, `//`, `/*`, `<!--`, `::` or `rem`. Full-width
//! brackets, commas and colons are accepted as well, because Chinese input methods produce them by default.

use regex::Regex;
use std::sync::LazyLock;
use vramlint_base::{Message, TextRange, message, suggest};

/// A directive in a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Directive {
    /// The range from the marker to the end of the reason.
    pub range: TextRange,
    /// Whether it applies to the whole file.
    pub file: bool,
    /// What it suppresses.
    pub what: DirectiveKind,
}

/// What a directive suppresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DirectiveKind {
    /// Everything.
    All,
    /// These names or codes; `list` is the range between the brackets.
    Rules { names: Vec<(String, TextRange)>, list: TextRange },
    /// Nothing, because the directive is malformed.
    Malformed(Message),
}

static HEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    // The marker is required, because prose may mention vramlint as well.
    Regex::new(r"(?i)(?:#+|//+!?|/\*+|<!--|<#|::|\brem\s)[ \t]*vramlint[ \t]*[:：][ \t]*").ok()
});

/// Words with the same meaning in other linters.
const SYNONYMS: [&str; 11] = [
    "disable",
    "disable-line",
    "disable-next-line",
    "disable-file",
    "noqa",
    "skip",
    "skip-file",
    "allow",
    "expect",
    "ignore-line",
    "ignore-next-line",
];

/// All directives of a comment that starts at `offset`. `is_rule` returns whether a word is a rule name or code.
pub(crate) fn parse(comment: &str, offset: u32, is_rule: impl Fn(&str) -> bool) -> Vec<Directive> {
    let Some(head) = HEAD.as_ref() else { return Vec::new() };
    let mut out = Vec::new();
    for head_match in head.find_iter(comment) {
        let (start, body_start) = (head_match.start(), head_match.end());
        let end = body_start + end_of(&comment[body_start..]);
        let body = DirectiveBody { text: &comment[body_start..end], at: offset + body_start as u32 };
        if let Some((file, what)) = body.read(&is_rule) {
            out.push(Directive {
                range: TextRange::new(offset + start as u32, offset + whole_end(comment, start, end) as u32),
                file,
                what,
            });
        }
    }
    out
}

/// The end of a directive: before another directive in the same comment (`# noqa`), or before the closing marker.
fn end_of(rest: &str) -> usize {
    let mut end = rest.find(['\n', '\r']).unwrap_or(rest.len());
    for mark in ["*/", "-->", "#>", " # ", " // "] {
        end = rest[..end].find(mark).unwrap_or(end);
    }
    rest[..end].trim_end().len()
}

/// The end of the range to remove together with the directive, including the closing marker.
fn whole_end(comment: &str, start: usize, end: usize) -> usize {
    let close = [("/*", "*/"), ("<!--", "-->"), ("<#", "#>")].iter().find(|(open, _)| comment[start..].starts_with(open));
    let closed_end = close.and_then(|(_, close)| comment[end..].find(close).map(|at| end + at + close.len()));
    closed_end.unwrap_or(end)
}

/// The text after the colon.
struct DirectiveBody<'a> {
    text: &'a str,
    at: u32,
}

impl DirectiveBody<'_> {
    /// Whether the directive applies to the file, and what it suppresses; `None` if it is not a suppression.
    fn read(&self, is_rule: impl Fn(&str) -> bool) -> Option<(bool, DirectiveKind)> {
        let word_end = self.text.find(|c: char| !(c.is_ascii_alphabetic() || c == '-' || c == '_')).unwrap_or(self.text.len());
        let word = &self.text[..word_end];
        let file = match word {
            "ignore" => false,
            "ignore-file" => true,
            "kind" => return None,
            _ => return misspelled(word).map(|what| (false, what)),
        };
        let rest = self.text[word_end..].trim_start();
        let rest_at = self.text.len() - rest.len();
        let what = match rest.chars().next() {
            Some('[' | '［' | '【') => self.list(rest_at),
            Some('(' | '=' | ':' | '（' | '：') => malformed(word),
            _ if rest.split([' ', ',']).next().is_some_and(is_rule) => malformed(word),
            _ => DirectiveKind::All,
        };
        Some((file, what))
    }

    fn list(&self, open: usize) -> DirectiveKind {
        let from = open + self.text[open..].chars().next().map_or(0, char::len_utf8);
        let Some(length) = self.text[from..].find([']', '］', '】']) else {
            return DirectiveKind::Malformed(message!("the `[` of this suppression is not closed", "该抑制注释的 `[` 没有闭合"));
        };
        let inner = &self.text[from..from + length];
        let place = |start: usize, end: usize| TextRange::new(self.at + start as u32, self.at + end as u32);
        let mut names = Vec::new();
        let mut at = from;
        for part in inner.split_inclusive([',', '，', '、']) {
            let name = part.trim_end_matches([',', '，', '、']);
            let start = at + (name.len() - name.trim_start().len());
            let name = name.trim();
            if !name.is_empty() {
                names.push((name.to_owned(), place(start, start + name.len())));
            }
            at += part.len();
        }
        if names.is_empty() {
            return DirectiveKind::Malformed(message!(
                "this suppression names no rule between `[` and `]`",
                "该抑制注释的 `[` 与 `]` 之间没有规则名"
            ));
        }
        DirectiveKind::Rules { names, list: place(from, from + length) }
    }
}

fn malformed(word: &str) -> DirectiveKind {
    DirectiveKind::Malformed(message!(
        "this suppression needs brackets around the rules: `# vramlint: {word}[name-or-code]`",
        "该抑制注释的规则名需要放在方括号中：`# vramlint: {word}[name-or-code]`"
    ))
}

/// The error for a word that was meant to be `ignore` or `ignore-file`; `None` for prose.
fn misspelled(word: &str) -> Option<DirectiveKind> {
    let meant = if SYNONYMS.iter().any(|other| other.eq_ignore_ascii_case(word)) {
        if word.to_lowercase().ends_with("file") { "ignore-file" } else { "ignore" }
    } else {
        suggest(word, ["ignore", "ignore-file"])?
    };
    Some(DirectiveKind::Malformed(message!(
        "`vramlint: {word}` is not a suppression; did you mean `vramlint: {meant}`?",
        "`vramlint: {word}` 不是抑制注释；是否想写 `vramlint: {meant}`？"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(comment: &str) -> Directive {
        let all = parse(comment, 100, |word| word == "VL101");
        assert_eq!(all.len(), 1, "{comment}: {all:?}");
        all[0].clone()
    }

    fn names(comment: &str) -> Vec<String> {
        let DirectiveKind::Rules { names, list } = one(comment).what else { panic!("{comment}") };
        for (name, range) in &names {
            assert_eq!(range.slice(&format!("{:100}{comment}", "")), name);
            assert!(list.contains(*range));
        }
        names.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn lists_in_every_comment() {
        assert_eq!(names("# vramlint: ignore[VL101]"), ["VL101"]);
        assert_eq!(names("#vramlint:ignore[ a-b ,VL2 , ] reason, with [brackets]"), ["a-b", "VL2"]);
        assert_eq!(names("// vramlint: ignore[a] why"), ["a"]);
        assert_eq!(names("/* vramlint: ignore[a] */"), ["a"]);
        assert_eq!(names("<!-- vramlint: ignore[a] -->"), ["a"]);
        assert_eq!(names("REM vramlint: ignore[a]"), ["a"]);
        assert_eq!(names("# type: ignore  # vramlint: ignore[a]"), ["a"]);
        assert_eq!(names("# vramlint：ignore［a，VL2、b］ 原因"), ["a", "VL2", "b"]);
        assert_eq!(names("# vramlint: ignore-file[a]"), ["a"]);
        assert!(one("# vramlint: ignore-file[a]").file);
        assert_eq!(one("# vramlint: ignore").what, DirectiveKind::All);
        assert_eq!(one("# vramlint: ignore because it is old").what, DirectiveKind::All);
    }

    #[test]
    fn the_range_leaves_other_comments_alone() {
        let text = |comment: &str| one(comment).range.slice(&format!("{:100}{comment}", "")).to_owned();
        assert_eq!(text("# type: x  # vramlint: ignore[a] see #12  # noqa"), "# vramlint: ignore[a] see #12");
        assert_eq!(text("/* vramlint: ignore[a] old */"), "/* vramlint: ignore[a] old */");
        assert_eq!(text("<!-- vramlint: ignore -->"), "<!-- vramlint: ignore -->");
    }

    #[test]
    fn what_was_meant_as_a_suppression_is_malformed() {
        for comment in [
            "# vramlint: ignore[VL101",
            "# vramlint: ignore[]",
            "# vramlint: ignore VL101",
            "# vramlint: ignore(VL101)",
            "# vramlint: ignore=VL101",
            "# vramlint: ingore[VL101]",
            "# vramlint: ignore_file[VL101]",
            "# vramlint: disable-next-line",
        ] {
            assert!(matches!(one(comment).what, DirectiveKind::Malformed(_)), "{comment}");
        }
    }

    #[test]
    fn prose_and_kinds_are_left_alone() {
        for comment in
            ["# vramlint: kind=accelerate", "# see vramlint: ignore it", "# vramlint is great", "# vramlint: see docs", "#", ""]
        {
            assert_eq!(parse(comment, 0, |_| false), [], "{comment}");
        }
    }
}

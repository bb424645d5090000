//! Files of variables (`.env`): one `NAME=value` on a line, as shells, docker and python-dotenv read them alike.

use super::{Assignment, Script, Word, WordValue, comments};
use vramlint_base::TextRange;

/// Reads a file of variables. Nothing in it is an error: its readers pass over what they do not understand.
pub(super) fn parse(text: &str) -> Script {
    let mut script = Script::default();
    let mut at = 0;
    // A quoted value may go on over several lines.
    let mut open: Option<char> = None;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if let Some(quote) = open {
            if line.contains(quote) {
                open = None;
            }
            continue;
        }
        let content = line.trim_end();
        let bare = content.trim_start_matches('\u{feff}').trim_start();
        let from = start + content.len() - bare.len();
        if bare.starts_with('#') {
            comments::note(text, from..start + content.len(), &mut script);
        } else {
            open = assignment(text, bare, from, &mut script);
        }
    }
    script
}

/// Notes one assignment; gives the quote that its value leaves open.
fn assignment(text: &str, line: &str, from: usize, script: &mut Script) -> Option<char> {
    let rest = line.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t'])).map(str::trim_start);
    let (own, exported) = rest.map_or((line, false), |rest| (rest, true));
    let start = from + line.len() - own.len();
    let (left, right) = own.split_once('=')?;
    let name = left.trim_end();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(plain) {
        return None;
    }
    let value = right.trim_start();
    let at = start + own.len() - value.len();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (written, inner, open) = match (quote, quote.and_then(|quote| value[1..].find(quote))) {
        (Some(_), Some(end)) => (end + 2, Some(&value[1..=end]), None),
        (Some(quote), None) => (value.len(), None, Some(quote)),
        (None, _) => {
            let end = [" #", "\t#"].iter().filter_map(|mark| value.find(mark)).min().unwrap_or(value.len());
            let own = value[..end].trim_end();
            (own.len(), Some(own), None)
        }
    };
    if let Some(mark) = value.get(written..).and_then(|behind| Some(written + behind.find('#')?)) {
        comments::note(text, at + mark..at + value.len(), script);
    }
    // What other variables fill in is not known, and what may be a secret is not read.
    let filled_in = |inner: &str| quote != Some('\'') && inner.contains(['$', '`', '\\']);
    let known = inner.filter(|inner| !filled_in(inner) && !is_secret(name));
    let value = Word {
        range: TextRange::of(at..at + written),
        value: known.map_or(WordValue::Unknown, |inner| WordValue::Known(inner.to_owned())),
        sources: Vec::new(),
        assumptions: Vec::new(),
        path_end: None,
        origin: None,
    };
    script.assignments.push(Assignment {
        range: TextRange::of(start..at + written),
        name: name.to_owned(),
        name_range: TextRange::of(start..start + name.len()),
        value,
        exported,
        conditional: false,
    });
    open
}

/// Whether a variable may hold a secret, by its name.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "KEY"].iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn read(text: &str) -> Vec<(String, Option<String>, bool)> {
        let all = parse(text).assignments.into_iter();
        all.map(|made| (made.name, made.value.text().map(str::to_owned), made.exported)).collect()
    }

    fn one(name: &str, value: &str, exported: bool) -> (String, Option<String>, bool) {
        (name.to_owned(), Some(value.to_owned()), exported)
    }

    #[test]
    fn names_values_quotes_and_comments() {
        let text = "# head\nA=1\nexport B = 'x # y'\r\nC=\"two words\" # c\nD=plain # d\nE=\nnot a line\n=x\n1A=2\n";
        let wanted = [
            one("A", "1", false),
            one("B", "x # y", true),
            one("C", "two words", false),
            one("D", "plain", false),
            one("E", "", false),
        ];
        assert_eq!(read(text), wanted);
        let comments: Vec<_> = parse(text).comments.into_iter().map(|comment| (comment.text, comment.trailing)).collect();
        assert_eq!(comments, [("head".to_owned(), false), ("c".to_owned(), true), ("d".to_owned(), true)]);
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "\u{feff}X=1\n  export NAME = \"v\"\n";
        let made = &parse(text).assignments[1];
        assert_eq!(made.range.slice(text), "NAME = \"v\"");
        assert_eq!(made.value.range.slice(text), "\"v\"");
        assert_eq!(made.name_range.slice(text), "NAME");
    }

    #[test]
    fn what_is_filled_in_or_secret_is_not_known() {
        assert_eq!(
            read("A=$B\nC='$D'\nHF_TOKEN=abc\n"),
            [("A".to_owned(), None, false), one("C", "$D", false), ("HF_TOKEN".to_owned(), None, false)]
        );
    }

    #[test]
    fn a_value_over_several_lines_is_passed_over() {
        assert_eq!(read("A=\"-----\nB=1\n-----\"\nC=2\n"), [("A".to_owned(), None, false), one("C", "2", false)]);
        assert_eq!(read("A='"), [("A".to_owned(), None, false)]);
    }
}

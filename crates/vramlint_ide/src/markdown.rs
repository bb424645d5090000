//! Text that quotes a file, for Markdown: nothing of it becomes a link, an image, HTML or a heading.

use vramlint_base::visible::acts_on_display;

/// `text` on one line. Code spans stay as they are; every other mark is escaped.
pub(crate) fn inline(text: &str) -> String {
    let line: String = text.chars().map(|c| if acts_on_display(c) { ' ' } else { c }).collect();
    let mut out = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some(at) = rest.find('`') {
        push_escaped(&mut out, &rest[..at]);
        let from = &rest[at..];
        let run = from.len() - from.trim_start_matches('`').len();
        if let Some(end) = span_end(from, run) {
            out.push_str(&from[..end]);
            rest = &from[end..];
        } else {
            out.push_str(&"\\`".repeat(run));
            rest = &from[run..];
        }
    }
    push_escaped(&mut out, rest);
    out
}

/// The end of the code span that `text` starts with, after its `run` backticks on both sides; `None` if it is not closed.
fn span_end(text: &str, run: usize) -> Option<usize> {
    let mut at = run;
    loop {
        at += text[at..].find('`')?;
        let length = text[at..].len() - text[at..].trim_start_matches('`').len();
        at += length;
        if length == run {
            return Some(at);
        }
    }
}

fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        if matches!(c, '\\' | '<' | '>' | '[' | ']' | '*' | '|' | '!' | '~') || c == '#' && out.is_empty() {
            out.push('\\');
        }
        match c {
            // An entity would become its character.
            '&' => out.push_str("&amp;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::inline;

    #[test]
    fn nothing_becomes_a_link_and_spans_stay() {
        assert_eq!(inline("key `a[0]` is 64 × 2, not a_b"), "key `a[0]` is 64 × 2, not a_b");
        assert_eq!(
            inline("unknown x](command:evil)[y](http://e) <img src=x>\n\n# H"),
            "unknown x\\](command:evil)\\[y\\](http://e) \\<img src=x\\>  # H"
        );
        assert_eq!(inline("`x`](command:e) ``"), "`x`\\](command:e) \\`\\`");
        assert_eq!(inline("`` a ` b `` c ` d"), "`` a ` b `` c \\` d");
        assert_eq!(inline("&lt;b&gt;"), "&amp;lt;b&amp;gt;");
    }
}

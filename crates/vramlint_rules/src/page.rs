//! The page of a rule: the head comment of its file.

use crate::Rule;
use vramlint_base::Lang;

/// The head comment of a source file beside this one. Nothing else of the file gets into the binary.
macro_rules! page {
    ($file:literal) => {{
        const SOURCE: &str = include_str!($file);
        const HEAD: &[u8; $crate::page::head_length(SOURCE)] = &$crate::page::head(SOURCE);
        match std::str::from_utf8(HEAD) {
            Ok(head) => head,
            Err(_) => panic!("a line ends within a character"),
        }
    }};
}

/// Bytes of the lines at the start of a source file that begin with `//!`.
pub(crate) const fn head_length(source: &str) -> usize {
    let bytes = source.as_bytes();
    let (mut at, mut length) = (0, 0);
    while at + 3 <= bytes.len() && bytes[at] == b'/' && bytes[at + 1] == b'/' && bytes[at + 2] == b'!' {
        while at < bytes.len() && bytes[at] != b'\n' {
            at += 1;
        }
        at += 1;
        length = at;
    }
    if length > bytes.len() { bytes.len() } else { length }
}

/// The first bytes of a source file.
pub(crate) const fn head<const LENGTH: usize>(source: &str) -> [u8; LENGTH] {
    let mut head = [0; LENGTH];
    head.copy_from_slice(source.as_bytes().split_at(LENGTH).0);
    head
}

/// A rule's page in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// One sentence.
    pub summary: String,
    /// Markdown, without the title.
    pub body: String,
}

/// The heading that separates the English page from the Chinese one.
const CHINESE: &str = "# 中文";

impl Rule {
    /// The page in a language.
    pub fn page(&self, lang: Lang) -> Page {
        let text: Vec<&str> = self
            .head
            .lines()
            .map_while(|line| line.strip_prefix("//!"))
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        let split = text.iter().position(|line| line.trim() == CHINESE).unwrap_or(text.len());
        let lines = match lang {
            Lang::En => &text[..split],
            Lang::Zh => text.get(split + 1..).unwrap_or(&[]),
        };
        let own = lines.iter().skip_while(|line| line.is_empty() || line.starts_with("# ")).copied().collect::<Vec<_>>();
        let own = own.join("\n").trim().to_owned();
        let body = match lang {
            Lang::En => own,
            Lang::Zh => with_examples(&own, &text[..split]),
        };
        let summary = body.split("\n\n").next().unwrap_or("").replace('\n', " ");
        Page { summary, body }
    }
}

/// The Chinese page with the examples of the English one, which are the same in both languages, behind its first section.
fn with_examples(page: &str, english: &[&str]) -> String {
    let mut examples = String::new();
    for (heading, chinese) in [("## Example", "## 示例"), ("## Use instead", "## 正确写法")] {
        let section: Vec<&str> = english
            .iter()
            .skip_while(|line| **line != heading)
            .skip(1)
            .take_while(|line| !line.starts_with("## "))
            .copied()
            .collect();
        if !section.is_empty() {
            examples += &["\n\n", chinese, "\n", section.join("\n").trim()].concat();
        }
    }
    let second = page.match_indices("\n## ").nth(1).map_or(page.len(), |(at, _)| at);
    let (first, rest) = page.split_at(second);
    let rest = rest.trim_start();
    if rest.is_empty() { format!("{}{examples}", first.trim_end()) } else { format!("{}{examples}\n\n{rest}", first.trim_end()) }
}

#[cfg(test)]
mod tests {
    use super::{head, head_length};

    #[test]
    fn a_head_ends_before_the_code() {
        let of = |source: &'static str| &source[..head_length(source)];
        assert_eq!(of("//! # a\n//!\n//! 批\n\nuse b;\n//! c\n"), "//! # a\n//!\n//! 批\n");
        assert_eq!(of("//! a"), "//! a");
        assert_eq!(of("// a\n"), "");
        assert_eq!(head::<3>("//! a"), *b"//!");
        assert!(page!("page.rs").ends_with("//! The page of a rule: the head comment of its file.\n"));
    }
}

//! What comes out of `$( … )`, for commands that only rewrite paths or count.

use super::super::spanned_text::{Field, Piece, assumptions_of, sources_of, text_of};
use super::expand::Reader;
use std::ops::Range;
use vramlint_base::TextRange;

impl Reader<'_> {
    /// The output of the command at `inner`, if it follows from the script. The folder of the script and the working directory
    /// are `.`.
    pub(super) fn output(&mut self, inner: Range<usize>, start: usize, quoted: bool) -> Option<Piece> {
        let inner = self.without_redirections(inner);
        let text = self.text.get(inner.clone())?;
        if let Some((first, rest)) = text.split_once('|') {
            return self.counted(inner.start..inner.start + first.len(), rest, start, quoted);
        }
        let operand = |prefix: &str| {
            let rest = text.strip_prefix(prefix)?;
            let trimmed = rest.trim();
            let from = inner.start + prefix.len() + (rest.len() - rest.trim_start().len());
            (!trimmed.is_empty()).then_some(from..from + trimmed.len())
        };
        if matches!(text, "pwd" | "pwd -P") {
            return Some(self.computed(".", &Field::new(), start, quoted));
        }
        if let Some(range) = operand("cd ") {
            let behind = self.text.get(range.clone())?;
            let target = ["pwd -P", "pwd"].into_iter().find_map(|end| behind.strip_suffix(end))?.trim_end();
            let target = target.strip_suffix("&&").or_else(|| target.strip_suffix(';'))?;
            let range = self.without_redirections(range.start..range.start + target.len());
            let skipped = ["-- ", "-P "].into_iter().find(|flag| self.text[range.clone()].starts_with(flag)).map_or(0, str::len);
            return self.rewritten(range.start + skipped..range.end, start, quoted, |path| Some(path.to_owned()));
        }
        if let Some(range) = operand("expr ") {
            return self.expression(range, start, quoted);
        }
        for (prefix, rewrite) in REWRITES {
            if let Some(range) = operand(prefix) {
                return self.rewritten(range, start, quoted, rewrite);
            }
        }
        None
    }

    fn without_redirections(&self, range: Range<usize>) -> Range<usize> {
        let mut end = range.end;
        let slice = |end: usize| self.text.get(range.start..end).unwrap_or("").trim_end();
        loop {
            let text = slice(end);
            let found = ["2>/dev/null", "2> /dev/null", "&>/dev/null", "&> /dev/null", "2>&1", ">/dev/null", "> /dev/null"];
            let Some(rest) = found.iter().find_map(|redirection| text.strip_suffix(redirection)) else { break };
            end = range.start + rest.len();
        }
        let text = slice(end);
        let start = range.start + text.len() - text.trim_start().len();
        start..(range.start + text.len()).max(start)
    }

    /// `expr 16 / $N`, where only `$` makes a variable.
    fn expression(&mut self, range: Range<usize>, start: usize, quoted: bool) -> Option<Piece> {
        let text = self.text.get(range.clone())?.replace("\\*", " *");
        let mut operands = Field::new();
        let value = super::arithmetic::evaluate(&text, &mut |operand| {
            let place = range.start + operand.start..range.start + operand.end;
            let field = text[operand].starts_with('$').then(|| self.operand_at(place))?;
            let known = text_of(&field);
            operands.extend(field);
            known
        })?;
        Some(self.computed(&value.to_string(), &operands, start, quoted))
    }

    /// The operand, as one word, after `rewrite`.
    fn rewritten(
        &mut self,
        range: Range<usize>,
        start: usize,
        quoted: bool,
        rewrite: fn(&str) -> Option<String>,
    ) -> Option<Piece> {
        let written = self.text.get(range.clone())?;
        let own = ["\"$0\"", "$0", "\"${0}\""].contains(&written) || written.contains("BASH_SOURCE") && !written.contains("$(");
        if own {
            return Some(self.computed(&rewrite("./script")?, &Field::new(), start, quoted));
        }
        let depth = self.depth + 1;
        let mut fields = Reader::new(self.text, range, &mut *self.scope, depth).read();
        let field = if fields.len() == 1 { fields.pop()? } else { return None };
        let words = text_of(&field)?;
        if words.contains(char::is_whitespace) {
            return None;
        }
        Some(self.computed(&rewrite(&words)?, &field, start, quoted))
    }

    /// `echo "$A" | tr ',' '\n' | wc -l`, `echo $A | awk -F',' '{print NF}'`: how many items a list has.
    fn counted(&mut self, first: Range<usize>, rest: &str, start: usize, quoted: bool) -> Option<Piece> {
        let plain: String = rest.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'')).collect();
        let separator = match plain.as_str() {
            "tr,\\n|wc-l" | "awk-F,{printNF}" => ',',
            _ => return None,
        };
        let written = self.text.get(first.clone())?.trim_end();
        let from = first.start + written.strip_prefix("echo ").map(|_| 5)?;
        let to = first.start + written.len();
        let depth = self.depth + 1;
        let mut fields = Reader::new(self.text, from..to, &mut *self.scope, depth).read();
        let field = if fields.len() == 1 { fields.pop()? } else { return None };
        let text = text_of(&field)?;
        let count = text.trim().split(separator).count();
        (!text.trim().is_empty()).then(|| self.computed(&count.to_string(), &field, start, quoted))
    }

    /// Text that was made of other texts.
    pub(super) fn computed(&self, text: &str, operands: &Field, start: usize, quoted: bool) -> Piece {
        let place = TextRange::of(start..self.at);
        let mut via = sources_of(operands);
        let leaf = via.pop();
        Piece {
            leaf: leaf.unwrap_or(place),
            via,
            derived: true,
            splits: !quoted,
            assumptions: assumptions_of(operands),
            ..Piece::literal(text, place, false)
        }
    }
}

type Rewrite = (&'static str, fn(&str) -> Option<String>);

/// Commands that make a path of a path.
const REWRITES: [Rewrite; 7] = [
    ("dirname ", |path| {
        let path = path.trim_end_matches('/');
        Some(path.rsplit_once('/').map_or_else(|| ".".to_owned(), |(folder, _)| folder.to_owned()))
    }),
    ("basename ", |path| path.trim_end_matches('/').rsplit('/').next().map(str::to_owned)),
    ("realpath ", |path| Some(path.to_owned())),
    ("readlink -f ", |path| Some(path.to_owned())),
    ("which ", |path| Some(path.to_owned())),
    ("command -v ", |path| Some(path.to_owned())),
    ("echo ", |path| Some(path.to_owned())),
];

//! Where claims about the effective batch stand: comments, and the prose of documents.

use super::Claim;
use memchr::memchr;
use std::ops::RangeInclusive;
use vramlint_base::TextRange;
use vramlint_resolve::{SourceFile, Syntax, SyntaxKind};
use vramlint_syntax::python::{Located, StmtKind};
use vramlint_syntax::{Comment, embedded};

/// A claim in a file.
#[derive(Debug)]
pub(in crate::batch) struct LocatedClaim {
    /// The claim, with places in the file.
    pub claim: Claim,
    /// Whether a setting is before it on its line.
    pub trailing: bool,
    /// Whether it is the prose of a document, which describes runs of its own choice.
    pub prose: bool,
}

/// Every claim of a file.
pub(in crate::batch) fn claims(file: &SourceFile) -> Vec<LocatedClaim> {
    if matches!(file.tree.kind(), SyntaxKind::Python | SyntaxKind::Yaml) && !may_claim(&file.text) {
        return Vec::new();
    }
    let comments: &[Comment] = match file.syntax() {
        Syntax::Data(data) => &data.comments,
        Syntax::Python(module) => &module.comments,
        Syntax::Script(script) => &script.comments,
        Syntax::Text if file.host.is_none() => return prose(file),
        Syntax::Text | Syntax::Unreadable => return Vec::new(),
    };
    let mut found = Vec::new();
    for (index, comment) in comments.iter().enumerate() {
        let text = before_directive(comment.range.slice(&file.text));
        for claim in super::find(text) {
            let claim = claim.shifted(comment.range.start);
            if is_plain(file, comments, index, &claim) && !names_another_batch(text) {
                found.push(LocatedClaim { claim, trailing: comment.trailing, prose: false });
            }
        }
    }
    found
}

/// A comment up to a suppression in it, which may name this very rule.
fn before_directive(comment: &str) -> &str {
    comment.find("vramlint:").map_or(comment, |at| &comment[..at])
}

/// Whether a claim follows a `#` of the text, in a comment or not.
fn may_claim(text: &str) -> bool {
    let words = ["bat", "bs", "eff", "equivalent", "批"];
    let speaks = |line: &str| {
        if !line.contains(char::is_numeric) {
            return false;
        }
        let line = line.to_ascii_lowercase();
        let is_product = || line.contains(['=', '＝']) && line.contains(|c: char| matches!(c, 'x' | '*') || !c.is_ascii());
        words.iter().any(|word| line.contains(word)) || is_product()
    };
    let (bytes, mut from) = (text.as_bytes(), 0);
    // Most lines have no comment.
    while let Some(at) = memchr(b'#', &bytes[from..]) {
        let start = from + at;
        let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |length| start + length);
        let comment = before_directive(text[start..end].strip_suffix('\r').unwrap_or(&text[start..end]));
        if speaks(comment) && !super::find(comment).is_empty() {
            return true;
        }
        from = end;
    }
    false
}

/// Prose and the blocks of a document that name no language: a terminal's output, a sketch.
fn prose(file: &SourceFile) -> Vec<LocatedClaim> {
    let mut ranges = embedded::prose(&file.text);
    ranges.extend(unlabelled(&file.text));
    ranges.sort_unstable();
    let claims = ranges
        .into_iter()
        .flat_map(|range| super::find(range.slice(&file.text)).into_iter().map(move |claim| claim.shifted(range.start)));
    claims
        .filter(|claim| !claim.bare && claim.like_setting.is_none())
        .map(|claim| LocatedClaim { claim, trailing: false, prose: true })
        .collect()
}

/// Lines inside of fences without a language.
fn unlabelled(text: &str) -> Vec<TextRange> {
    let (mut found, mut open, mut at) = (Vec::new(), None::<(&str, bool)>, 0u32);
    for line in text.split_inclusive('\n') {
        let range = TextRange::new(at, at + line.len() as u32);
        at = range.end;
        let bare = line.trim_start_matches([' ', '>']).trim_end();
        let fence = if bare.starts_with("```") { "```" } else { "~~~" };
        match (&open, bare.strip_prefix(fence)) {
            (None, Some(info)) => open = Some((fence, info.trim_matches(['`', '~', ' ']).is_empty())),
            (Some((mark, _)), Some(rest)) if *mark == fence && rest.trim_matches(['`', '~', ' ']).is_empty() => open = None,
            (Some((_, true)), _) => found.push(range),
            _ => {}
        }
    }
    found
}

/// Whether a claim of a comment is about the present values rather than being a setting that is commented out.
fn is_plain(file: &SourceFile, comments: &[Comment], index: usize, claim: &Claim) -> bool {
    let comment = &comments[index];
    if claim.bare && !(comment.trailing && speaks_of_batches(before_comment(file, comment))) {
        return false;
    }
    let Some(key) = claim.like_setting.as_deref().filter(|_| !comment.trailing) else { return true };
    // `effective_batch_size` is hardly ever a key, unless it is among other settings that are commented out.
    if !key.starts_with("eff") {
        return false;
    }
    let line = |comment: &Comment| file.lines().line_of(comment.range.start);
    let near = |other: &Comment| !other.trailing && line(other).abs_diff(line(comment)) == 1 && is_setting(&other.text);
    let before = index.checked_sub(1).and_then(|i| comments.get(i));
    ![before, comments.get(index + 1)].into_iter().flatten().any(near)
}

/// Whether a comment speaks of a batch with a name of its own, such as `chord_sft_per_device_train_batch_size`.
fn names_another_batch(text: &str) -> bool {
    ["per_device_train_batch_size", "per_device_eval_batch_size", "micro_batch_size"]
        .iter()
        .any(|name| text.match_indices(name).any(|(at, _)| text[..at].ends_with('_') && !text[..at].ends_with("train_")))
}

/// What is before a comment on its line.
pub(in crate::batch) fn before_comment<'a>(file: &'a SourceFile, comment: &Comment) -> &'a str {
    let start = file.lines().line_start(file.lines().line_of(comment.range.start));
    TextRange::new(start, comment.range.start).slice(&file.text)
}

/// Whether the code of a line sets a batch or an accumulation.
pub(in crate::batch) fn speaks_of_batches(code: &str) -> bool {
    let code = code.to_lowercase();
    ["batch", "accum", "gas", "bs", "acc_steps", "bsz"].iter().any(|word| code.contains(word))
        && code.contains(|c: char| c.is_ascii_digit())
}

/// `learning_rate: 2e-5`, `LR = 1`: a key and a value.
fn is_setting(text: &str) -> bool {
    let text = text.trim_start_matches(['#', ' ', '-']);
    text.split_once([':', '=']).is_some_and(|(key, value)| {
        let key = key.trim();
        !key.is_empty()
            && !value.trim().is_empty()
            && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
    })
}

/// The lines of a Python file that are in one arm of several, in order and apart: what is there may not be what runs.
pub(in crate::batch) fn lines_in_arms(file: &SourceFile) -> Vec<RangeInclusive<u32>> {
    let Some(module) = file.python() else { return Vec::new() };
    let lines = |first: u32, last: u32| file.lines().line_of(first)..=file.lines().line_of(last);
    let mut found: Vec<RangeInclusive<u32>> = Vec::new();
    for Located { stmt, .. } in module.statements() {
        match &stmt.kind {
            StmtKind::If(arms) => {
                let test = arms.first().and_then(|arm| arm.test.as_ref());
                let main = test.is_some_and(|test| test.range.slice(&file.text).contains("__main__"));
                let bodies = arms.iter().filter(|_| !main).filter_map(|arm| Some((arm.header.start, arm.body.last()?.range.end)));
                found.extend(bodies.map(|(first, last)| lines(first, last)));
            }
            StmtKind::Match { .. } | StmtKind::Try { .. } => found.push(lines(stmt.range.start, stmt.range.end)),
            _ => {}
        }
    }
    found.sort_by_key(|lines| *lines.start());
    found.dedup_by(|later, first| {
        let touches = later.start() <= first.end();
        if touches {
            *first = *first.start()..=*first.end().max(later.end());
        }
        touches
    });
    found
}

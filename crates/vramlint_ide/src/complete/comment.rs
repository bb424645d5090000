//! Comments: only directives of vramlint are completed.

use super::builder::{CompletionBuilder, Item};
use super::sources::add_rules;
use super::{CompletionContext, CompletionKind};
use vramlint_base::Lang;
use vramlint_resolve::{FileKind, Syntax};
use vramlint_syntax::Comment;

/// Where the cursor is.
pub(super) enum CommentContext {
    /// In a directive that is being written.
    Directive(CompletionBuilder),
    /// In another comment.
    Comment,
    /// Not in a comment.
    Code,
}

/// Whether the cursor is in a comment, and the completions there.
pub(super) fn context_at(cx: &CompletionContext<'_>) -> CommentContext {
    if let Some(completions) = directive(cx) {
        return CommentContext::Directive(completions);
    }
    let comments: &[Comment] = match cx.file.syntax() {
        Syntax::Data(data) => &data.comments,
        Syntax::Python(module) => &module.comments,
        Syntax::Script(script) => &script.comments,
        Syntax::Text | Syntax::Unreadable => &[],
    };
    let offset = cx.offset as u32;
    let first = comments.partition_point(|comment| comment.range.start < offset);
    let inside = first.checked_sub(1).is_some_and(|index| {
        let comment = &comments[index];
        let line =
            comment.text.len() + 2 >= comment.range.len() as usize && !comment.range.slice(&cx.file.text).starts_with("/*");
        offset < comment.range.end || line && offset == comment.range.end
    });
    if inside { CommentContext::Comment } else { CommentContext::Code }
}

/// `# vramlint: ignore[…`, `# vramlint: kind=…`, `# vramlint: …`.
fn directive(cx: &CompletionContext<'_>) -> Option<CompletionBuilder> {
    let line = cx.line();
    let at = line.rfind("vramlint")?;
    let marker = line[..at].trim_end();
    if !["#", "//", "<!--", "/*", "::", "rem", "REM"].iter().any(|mark| marker.ends_with(mark)) {
        return None;
    }
    let body = line[at + "vramlint".len()..].trim_start();
    let body = body.strip_prefix(':').or_else(|| body.strip_prefix('：'))?.trim_start();
    let offset = cx.offset;
    if let Some(list) = body.strip_prefix("ignore-file").or_else(|| body.strip_prefix("ignore")).map(str::trim_start)
        && let Some(list) = list.strip_prefix(['[', '［', '【'])
    {
        if list.contains([']', '］', '】']) {
            return None;
        }
        let typed = list.rsplit([',', '，', '、']).next().unwrap_or(list).trim_start();
        let mut completions = CompletionBuilder::new(offset - typed.len(), offset, typed);
        add_rules(cx, &mut completions, str::to_owned);
        return Some(completions);
    }
    if let Some(typed) = body.strip_prefix("kind=") {
        let mut completions = CompletionBuilder::new(offset - typed.len(), offset, typed);
        for kind in FileKind::all() {
            completions.add(item(kind.name(), kind.name().to_owned(), String::new()));
        }
        return Some(completions);
    }
    if body.contains(|c: char| !c.is_ascii_alphabetic() && c != '-') {
        return None;
    }
    let mut completions = CompletionBuilder::new(offset - body.len(), offset, body);
    let directives = [
        ("ignore", "ignore[", "suppresses rules on this line or the next", "忽略本行或下一行的规则"),
        ("ignore-file", "ignore-file[", "suppresses rules in this file", "忽略此文件中的规则"),
        ("kind", "kind=", "sets the kind of this file", "指定此文件的种类"),
    ];
    for (label, text, en, zh) in directives {
        let about = if cx.lang == Lang::En { en } else { zh };
        completions.add(item(label, text.to_owned(), about.to_owned()));
    }
    Some(completions)
}

fn item(label: &str, text: String, documentation: String) -> Item {
    let kind = CompletionKind::Value;
    Item { label: label.to_owned(), detail: String::new(), documentation, text, kind, deprecated: false, weight: 0 }
}

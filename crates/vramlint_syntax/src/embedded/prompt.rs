//! Terminal sessions: prompts in front of commands, output between them.

use super::{Embedded, Language, body, continues, lines};
use std::ops::Range;

/// The block without its prompts and output, if it shows a session: `session` blocks with a prompt anywhere, others whose first
/// line has one.
pub(super) fn without_prompts(block: Embedded, session: bool) -> Embedded {
    let first = lines(&block.text).find(|(_, line)| !line.trim().is_empty()).map_or("", |(_, line)| line);
    let shown = !first.starts_with("> ") && prompt(first, block.language).is_some()
        || session && lines(&block.text).any(|(_, line)| prompt(line, block.language).is_some());
    if !shown {
        return block;
    }
    let parts = commands(&block);
    block.select(&parts)
}

fn commands(block: &Embedded) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut goes_on = false;
    for (at, line) in lines(&block.text) {
        let secondary = match block.language {
            Language::Python => continued_python(line),
            _ if goes_on => Some(if line.starts_with("> ") { 2 } else { 0 }),
            _ => None,
        };
        let Some(length) = secondary.or_else(|| prompt(line, block.language)) else { continue };
        parts.push(at + length..at + line.len());
        goes_on = block.language == Language::Bash && continues(line);
    }
    parts
}

/// `... ` of Python's own prompt.
fn continued_python(line: &str) -> Option<usize> {
    if line.starts_with("... ") { Some(4) } else { (body(line) == "...").then_some(3) }
}

/// Length of the prompt at the start of `line`.
fn prompt(line: &str, language: Language) -> Option<usize> {
    match language {
        Language::Python => (line.starts_with(">>> ")).then_some(4),
        Language::PowerShell => {
            let end = line.strip_prefix("PS ").and_then(|rest| rest.find("> "))?;
            Some(3 + end + 2)
        }
        Language::Bash => shell_prompt(line),
        _ => None,
    }
}

/// `$ `, `> `, `% `, `(venv) $ `, `user@host:~/dir$ `. `# ` is a comment more often than root's prompt.
fn shell_prompt(line: &str) -> Option<usize> {
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    let mut rest = &line[indent..];
    if rest.starts_with("> ") {
        return Some(indent + 2);
    }
    if let Some(environment) = rest.strip_prefix('(') {
        let end = environment.find(") ")?;
        if !environment[..end].chars().all(|found| found.is_ascii_alphanumeric() || "._-".contains(found)) {
            return None;
        }
        rest = environment[end + 2..].trim_start();
    }
    let mark = rest.find(['$', '%'])?;
    let place = &rest[..mark];
    let plain =
        place.is_empty() || place.contains(['@', '~']) && place.chars().all(|c| c.is_alphanumeric() || "@~:/._-[] ".contains(c));
    let behind = rest[mark + 1..].strip_prefix(' ')?;
    plain.then(|| line.len() - behind.len())
}

//! Commands in YAML files that describe jobs: containers of Kubernetes and Compose, and tasks of `SkyPilot`, `dstack` and Ray.

use super::head_commands::starts_program;
use super::pieces::Pieces;
use super::{Embedded, Language, body, lines};
use crate::data::{NodeRef, Style};
use crate::yaml;
use std::ops::Range;

/// Keys whose value is a script, or a list of its lines.
const SCRIPTS: &[&str] = &["run", "command", "commands", "entrypoint", "script"];
/// Programs that a job may start; a file without any of them is not read.
const PROGRAMS: &[&str] = &["python", "torchrun", "accelerate", "deepspeed", "llamafactory-cli", "axolotl"];
/// Bytes of a file that is read at most.
const MAX_BYTES: usize = 200_000;
/// Depth of nested blocks that is read at most.
const MAX_DEPTH: usize = 24;

/// The commands of the jobs in a YAML file, one text per job.
pub fn job_file(text: &str) -> Vec<Embedded> {
    let has = |words: &[&str], end: &str| words.iter().any(|word| text.contains(&format!("{word}{end}")));
    if text.len() > MAX_BYTES || !has(PROGRAMS, "") || !has(SCRIPTS, ":") && !text.contains("args:") {
        return Vec::new();
    }
    let file = yaml::parse(text);
    let mut found = Vec::new();
    for root in file.roots() {
        visit(text, root, 0, &mut found);
    }
    found
}

fn visit(text: &str, node: NodeRef<'_>, depth: usize, found: &mut Vec<Embedded>) {
    if depth > MAX_DEPTH {
        return;
    }
    let of_container = ["command", "args"].iter().any(|key| node.get(key).is_some_and(|list| list.items().next().is_some()));
    if of_container {
        found.extend(container(text, node));
    }
    for (key, value) in node.entries() {
        let is_script = key.text().is_some_and(|key| SCRIPTS.contains(&key));
        if is_script && !of_container {
            found.extend(script(text, node, value));
        }
        visit(text, value, depth + 1, found);
    }
    for item in node.items() {
        visit(text, item, depth + 1, found);
    }
}

/// `command` and `args` of a container, after its variables.
fn container(text: &str, node: NodeRef<'_>) -> Option<Embedded> {
    let mut pieces = Pieces::new(text);
    variables(text, node, &mut pieces);
    let parts = ["command", "args"].iter().filter_map(|key| node.get(key));
    let words: Vec<NodeRef<'_>> = parts.flat_map(|part| part.items().collect::<Vec<_>>()).collect();
    let first = words.first()?.text()?;
    let is_shell = matches!(first.rsplit('/').next(), Some("bash" | "sh" | "zsh"));
    let is_switch = |node: &NodeRef<'_>| node.text().is_some_and(|text| text.starts_with('-') && text.ends_with('c'));
    if is_shell && let Some(switch) = words.iter().position(is_switch) {
        content(text, *words.get(switch + 1)?, &mut pieces);
    } else {
        for (number, node) in words.iter().enumerate() {
            if number > 0 {
                pieces.add(node.range().start as usize, " ");
            }
            word(text, *node, &mut pieces);
        }
    }
    pieces.finish(Language::Bash, None)
}

/// The variables of a job: `env` of Kubernetes, `environment` of Compose, `envs` of `SkyPilot`.
fn variables(text: &str, job: NodeRef<'_>, pieces: &mut Pieces<'_>) {
    for block in ["env", "environment", "envs"].iter().filter_map(|key| job.get(key)) {
        for (name, value) in block.entries() {
            variable(text, name, value, pieces);
        }
        for item in block.items() {
            match (item.get("name"), item.get("value"), plain(text, item)) {
                (Some(name), Some(value), _) => variable(text, name, value, pieces),
                (None, None, Some(range)) => assignment(text, range, pieces),
                _ => {}
            }
        }
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn variable(text: &str, name: NodeRef<'_>, value: NodeRef<'_>, pieces: &mut Pieces<'_>) {
    if name.text().is_some_and(is_name) && value.text().is_some() {
        pieces.add(name.range().start as usize, "export ");
        word(text, name, pieces);
        pieces.add(name.range().end as usize, "=");
        word(text, value, pieces);
        pieces.end_line(value.range().end as usize);
    }
}

/// `NAME=value`; a name alone takes its value from where the job is started.
fn assignment(text: &str, range: Range<usize>, pieces: &mut Pieces<'_>) {
    let Some((name, value)) = text[range.clone()].split_once('=').filter(|(name, _)| is_name(name)) else { return };
    let start = range.start + name.len() + 1;
    pieces.add(range.start, "export ");
    pieces.copy(range.start..start);
    if value.contains(['$', '`', '\\', '\'']) {
        pieces.copy_unknown(start..range.end);
    } else {
        pieces.add(start, "'");
        pieces.copy(start..range.end);
        pieces.add(range.end, "'");
    }
    pieces.end_line(range.end);
}

/// A script, or a list of its lines, of which at least one starts a program, after the variables of the job.
fn script(text: &str, job: NodeRef<'_>, node: NodeRef<'_>) -> Option<Embedded> {
    let parts: Vec<NodeRef<'_>> = if node.text().is_some() { vec![node] } else { node.items().collect() };
    let starts = |part: &NodeRef<'_>| part.text().is_some_and(|text| text.lines().any(|line| starts_program(line.trim())));
    if !parts.iter().any(starts) {
        return None;
    }
    let mut pieces = Pieces::new(text);
    variables(text, job, &mut pieces);
    for part in parts {
        content(text, part, &mut pieces);
        pieces.end_line(part.range().end as usize);
    }
    pieces.finish(Language::Bash, None)
}

/// The place of a scalar without its quotes, if it is written as it reads.
fn plain(text: &str, node: NodeRef<'_>) -> Option<Range<usize>> {
    let (range, own) = (node.range().as_usize(), node.text()?);
    let raw = text.get(range.clone())?;
    if raw == own {
        return Some(range);
    }
    let inner = raw.get(1..raw.len().saturating_sub(1)).filter(|inner| *inner == own)?;
    Some(range.start + 1..range.start + 1 + inner.len())
}

/// Takes the text of a scalar as shell.
fn content(text: &str, node: NodeRef<'_>, pieces: &mut Pieces<'_>) {
    let Some(scalar) = node.scalar() else { return };
    let range = node.range().as_usize();
    if let Some(range) = plain(text, node) {
        pieces.copy(range);
    } else if scalar.style == Style::Literal
        && let Some(block) = text.get(range.clone())
    {
        let all: Vec<(usize, &str)> = lines(block).skip(1).collect();
        let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let indent = all.iter().find(|(_, line)| !body(line).trim().is_empty()).map_or(0, |(_, line)| depth(line));
        for (at, line) in all {
            let start = at + indent.min(depth(line));
            pieces.copy(range.start + start..range.start + at + line.len());
        }
    } else {
        pieces.add(range.start, &scalar.text);
    }
}

/// Takes a scalar as one word of a command.
fn word(text: &str, node: NodeRef<'_>, pieces: &mut Pieces<'_>) {
    let (range, Some(own)) = (node.range().as_usize(), node.text()) else { return };
    if own.contains(['$', '`', '\\', '\'']) || own.is_empty() {
        return pieces.copy_unknown(range);
    }
    let simple = own.chars().all(|c| c.is_alphanumeric() || "_-./:=,@%+".contains(c));
    let quote = if simple { "" } else { "'" };
    pieces.add(range.start, quote);
    match plain(text, node) {
        Some(range) => pieces.copy(range),
        None => pieces.add(range.start, own),
    }
    pieces.add(range.end, quote);
}

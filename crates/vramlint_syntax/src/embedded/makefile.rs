//! Makefiles: recipes as one script, preceded by the variables that the file sets.

use super::pieces::Pieces;
use super::{Embedded, Language, body, continues, lines};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Characters of a reference at most; bounds the search for a bracket that is never closed.
const LONGEST_REFERENCE: usize = 1000;

/// Shell commands of a Makefile's recipes, as one script. `NAME = value` becomes an assignment where every recipe sees that
/// value; `$(NAME)` becomes `${NAME}`, and what only make can expand becomes a variable that nothing sets.
pub fn makefile(text: &str) -> Vec<Embedded> {
    let file = Makefile::read(text);
    let mut pieces = Pieces::new(text);
    for item in &file.items {
        match item {
            Item::Assignment(assignment) if file.is_settled(assignment) => assignment.write(text, &mut pieces),
            Item::Recipe { lines, rule } if file.one_shell || !is_idle(text, lines) => {
                let local = file.local_names(*rule);
                for line in lines {
                    expand(text, line.clone(), &local, &mut pieces);
                }
                pieces.end_line(lines.last().map_or(0, |line| line.end));
            }
            _ => {}
        }
    }
    pieces.finish(Language::Bash, None).into_iter().collect()
}

enum Item {
    Assignment(Assignment),
    /// The lines of one command, without tabs and marks, with their line breaks, and the index of its rule.
    Recipe {
        lines: Vec<Range<usize>>,
        rule: usize,
    },
}

/// `targets: prerequisites`.
struct Rule<'a> {
    targets: Vec<&'a str>,
    prerequisites: Vec<&'a str>,
}

/// `NAME = value` and alike.
struct Assignment {
    name: Range<usize>,
    operator: Operator,
    value: Range<usize>,
    exported: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    /// `=`, `:=`, `::=`
    Set,
    /// `?=`: the environment comes first.
    Default,
    /// `+=`, `!=`: the value is not written here alone.
    Other,
}

struct Makefile<'a> {
    text: &'a str,
    items: Vec<Item>,
    /// The value of each variable; `None` where it does not hang on one line alone.
    values: HashMap<&'a str, Option<&'a str>>,
    rules: Vec<Rule<'a>>,
    /// Variables that have another value for a target and what it needs: `target: NAME = value`.
    locals: Vec<(&'a str, &'a str)>,
    one_shell: bool,
}

impl<'a> Makefile<'a> {
    fn read(text: &'a str) -> Self {
        let mut file =
            Self { text, items: Vec::new(), values: HashMap::new(), rules: Vec::new(), locals: Vec::new(), one_shell: false };
        let (mut depth, mut define, mut rule) = (0_usize, false, false);
        let mut all = lines(text).peekable();
        while let Some((at, line)) = all.next() {
            let mut logical = vec![(at, line)];
            while logical.last().is_some_and(|(_, line)| continues(line)) {
                let Some(next) = all.next() else { break };
                logical.push(next);
            }
            let trimmed = line.trim();
            let word = trimmed.split([' ', '\t', '(']).next().unwrap_or("");
            if define {
                define = word != "endef";
            } else if rule && line.starts_with('\t') {
                file.items.push(Item::Recipe { lines: recipe(&logical), rule: file.rules.len().saturating_sub(1) });
            } else {
                let end = logical.last().map_or(at, |(at, line)| at + body(line).len());
                match word {
                    "ifeq" | "ifneq" | "ifdef" | "ifndef" => depth += 1,
                    "endif" => depth = depth.saturating_sub(1),
                    "define" => define = true,
                    _ if trimmed.is_empty() || trimmed.starts_with('#') => {}
                    _ if trimmed.starts_with(".ONESHELL") => file.one_shell = true,
                    _ if file.variable(at..end, depth > 0) => rule = false,
                    _ => rule = file.rule(&text[at..end]) || rule,
                }
            }
        }
        file
    }

    /// Takes in the line of a variable; `false` if it is none.
    fn variable(&mut self, line: Range<usize>, conditional: bool) -> bool {
        let Some(assignment) = assignment(self.text, line.clone()) else {
            return false;
        };
        let value = &self.text[assignment.value.clone()];
        let value = if conditional || assignment.operator == Operator::Other { None } else { Some(value) };
        let known = self.values.entry(&self.text[assignment.name.clone()]).or_insert(value);
        if *known != value {
            *known = None;
        }
        self.items.push(Item::Assignment(assignment));
        true
    }

    /// Takes in `targets: prerequisites`, or a variable of these targets; `false` if the line is neither.
    fn rule(&mut self, line: &'a str) -> bool {
        let Some((targets, rest)) = line.split_once(':') else { return false };
        let start = line.len() - rest.len();
        if let Some(local) = assignment(line, start..line.len()) {
            let name = &line[local.name];
            // A pattern or a variable may stand for any target.
            if targets.contains(['%', '$']) {
                self.values.insert(name, None);
            }
            self.locals.extend(targets.split_whitespace().map(|target| (target, name)));
        } else {
            let words = |text: &'a str| text.split_whitespace().collect();
            let prerequisites = rest.split([';', '#']).next().unwrap_or(rest);
            self.rules.push(Rule { targets: words(targets), prerequisites: words(prerequisites) });
        }
        true
    }

    /// The variables that have another value for the targets of a rule, or for a target that needs them.
    fn local_names(&self, rule: usize) -> Vec<&'a str> {
        let Some(own) = self.rules.get(rule).filter(|_| !self.locals.is_empty()) else { return Vec::new() };
        let mut reached: HashSet<&str> = own.targets.iter().copied().collect();
        loop {
            let above = self.rules.iter().filter(|rule| rule.prerequisites.iter().any(|name| reached.contains(name)));
            let new: Vec<&str> = above.flat_map(|rule| &rule.targets).copied().filter(|name| !reached.contains(name)).collect();
            if new.is_empty() {
                break;
            }
            reached.extend(new);
        }
        self.locals.iter().filter(|(target, _)| reached.contains(target)).map(|(_, name)| *name).collect()
    }

    fn is_settled(&self, assignment: &Assignment) -> bool {
        let value = self.values.get(&self.text[assignment.name.clone()]).copied().flatten();
        value.is_some_and(|value| quoting(value).is_some())
    }
}

impl Assignment {
    /// As bash writes it. make puts values in as text, which bash splits into words: so does `${NAME}` without quotes.
    fn write(&self, text: &str, pieces: &mut Pieces<'_>) {
        let Some(quote) = quoting(&text[self.value.clone()]) else { return };
        let (start, between) = (self.name.start, self.name.end);
        pieces.end_line(start);
        pieces.add(start, if self.exported { "export " } else { "" });
        pieces.copy(self.name.clone());
        pieces.add(between, "=");
        pieces.add(between, quote);
        if self.operator == Operator::Default {
            pieces.add(between, &format!("${{{}:-", &text[self.name.clone()]));
        }
        expand(text, self.value.clone(), &[], pieces);
        pieces.add(between, if self.operator == Operator::Default { "}" } else { "" });
        pieces.add(between, quote);
        pieces.add(between, "\n");
    }
}

/// The quotes that bash needs around a value of make; `None` where bash would read something else than make.
fn quoting(value: &str) -> Option<&'static str> {
    let plain = |found: char| found.is_alphanumeric() || "_./:@%+,=-${}()".contains(found);
    for quote in ['"', '\''] {
        if value.len() > 2 && value.starts_with(quote) && value.ends_with(quote) {
            let inner = &value[1..value.len() - 1];
            return inner.chars().all(|found| found == ' ' || plain(found)).then_some("");
        }
    }
    let bare = without_references(value)?;
    if bare.contains(['(', ')', '{', '}']) || !bare.chars().all(|found| found == ' ' || plain(found)) {
        return None;
    }
    Some(if value.contains([' ', '$']) { "\"" } else { "" })
}

/// `value` without its `$(…)` and `${…}`.
fn without_references(value: &str) -> Option<String> {
    let mut bare = String::new();
    let mut rest = value;
    while let Some(at) = rest.find('$') {
        bare.push_str(&rest[..at]);
        rest = &rest[at + reference(&rest[at..]).filter(|length| *length > 2)?..];
    }
    bare.push_str(rest);
    Some(bare)
}

/// Reads `[export] NAME = value`.
fn assignment(text: &str, line: Range<usize>) -> Option<Assignment> {
    let (mut at, mut exported) = (line.start, false);
    let rest = |at: usize| &text[at..line.end];
    let blanks = |at: usize| at + (rest(at).len() - rest(at).trim_start_matches([' ', '\t']).len());
    at = blanks(at);
    for word in ["export", "override", "private"] {
        if rest(at).strip_prefix(word).is_some_and(|behind| behind.starts_with([' ', '\t'])) {
            exported |= word == "export";
            at = blanks(at + word.len());
        }
    }
    let length = rest(at).find(|found: char| !(found.is_ascii_alphanumeric() || found == '_')).unwrap_or(0);
    let name = at..at + length;
    if length == 0 || rest(at).starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    at = blanks(name.end);
    let operators = [
        (":::=", Operator::Set),
        ("::=", Operator::Set),
        (":=", Operator::Set),
        ("?=", Operator::Default),
        ("+=", Operator::Other),
        ("!=", Operator::Other),
        ("=", Operator::Set),
    ];
    let (mark, operator) = operators.into_iter().find(|(mark, _)| rest(at).starts_with(mark))?;
    let start = blanks(at + mark.len());
    let value = rest(start);
    let end = value.find('#').unwrap_or(value.len());
    let value = value[..end].trim_end();
    Some(Assignment { name, operator, value: start..start + value.len(), exported })
}

/// The lines of a recipe's command without their tab, and without `@`, `-`, `+` in front.
fn recipe(logical: &[(usize, &str)]) -> Vec<Range<usize>> {
    let part = |(i, (at, line)): (usize, &(usize, &str))| {
        let marks: &[char] = if i == 0 { &['\t', ' ', '@', '-', '+'] } else { &['\t'] };
        let rest = if i == 0 { line.trim_start_matches(marks) } else { line.strip_prefix('\t').unwrap_or(line) };
        at + line.len() - rest.len()..at + line.len()
    };
    logical.iter().enumerate().map(part).collect()
}

/// Whether a command only changes its own shell, which ends with it: make gives every command a shell of its own.
fn is_idle(text: &str, lines: &[Range<usize>]) -> bool {
    let command: String = lines.iter().map(|line| &text[line.clone()]).collect();
    super::only_changes_shell(&command)
}

/// Writes a piece of make as bash: `$$` becomes `$`, `$(NAME)` becomes `${NAME}`, unless it is one of `unknown`.
fn expand(text: &str, range: Range<usize>, unknown: &[&str], pieces: &mut Pieces<'_>) {
    let mut at = range.start;
    while let Some(dollar) = text[at..range.end].find('$').map(|found| at + found) {
        pieces.copy(at..dollar);
        let rest = &text[dollar..range.end];
        at = range.end.min(dollar + reference(rest).unwrap_or(1));
        let whole = &text[dollar..at];
        let name = whole.get(2..whole.len().saturating_sub(1)).unwrap_or("");
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if whole == "$$" {
            pieces.copy(dollar + 1..at);
        } else if whole.len() > 2 && is_name && !unknown.contains(&name) {
            pieces.copy_as(dollar, &format!("${{{name}}}"));
        } else if whole.len() == 1 {
            pieces.copy(dollar..at);
        } else {
            pieces.copy_unknown(dollar..at);
        }
    }
    pieces.copy(at..range.end);
}

/// Length of the reference at the start of `text`: `$$`, `$@`, `$(…)`; `None` for a lone or unclosed `$`.
fn reference(text: &str) -> Option<usize> {
    let second = text[1..].chars().next()?;
    let (open, close) = match second {
        '(' => ('(', ')'),
        '{' => ('{', '}'),
        '\n' | '\r' | ' ' => return None,
        _ => return Some(1 + second.len_utf8()),
    };
    let mut depth = 0;
    for (at, found) in text.char_indices().take(LONGEST_REFERENCE) {
        if found == open {
            depth += 1;
        } else if found == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + 1);
            }
        } else if found == '\n' {
            return None;
        }
    }
    None
}

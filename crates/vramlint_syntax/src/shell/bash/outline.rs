//! One flat pass over the parser's tree, before anything is evaluated: functions, calls, comments, and which variables change where.

use super::super::limits::WORD;
use std::collections::HashMap;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// A function of the script.
#[derive(Clone, Copy)]
pub(super) struct Function<'t> {
    /// What it does.
    pub(super) body: Node<'t>,
    /// Where the definition begins.
    pub(super) start: usize,
}

/// Functions that are followed at most.
const FUNCTIONS: usize = 1_000;

/// What the pass found, each list in order of place.
#[derive(Default)]
pub(super) struct Outline<'t> {
    /// The first definition of each name.
    pub(super) functions: HashMap<String, Function<'t>>,
    /// Every definition.
    pub(super) definitions: Vec<(String, Function<'t>)>,
    /// Comments, the shebang too.
    pub(super) comments: Vec<Range<usize>>,
    /// Calls of functions that the script defines: place and name.
    calls: Vec<(usize, String)>,
    /// Changes of variables: place and name.
    changes: Vec<(usize, String)>,
    /// How often each function is called.
    counts: HashMap<String, usize>,
}

/// Commands whose plain arguments are names of variables that they set.
const SETTERS: [&str; 5] = ["read", "mapfile", "readarray", "getopts", "let"];

impl<'t> Outline<'t> {
    /// Walks the tree once.
    pub(super) fn of(tree: &'t Tree, text: &str) -> Self {
        let mut outline = Self::default();
        let mut cursor = tree.walk();
        // Kinds of the nodes above: asking a node for its parent would search from the root each time.
        let mut above: Vec<&'t str> = Vec::new();
        loop {
            let node = cursor.node();
            outline.visit(node, &above, text);
            if cursor.goto_first_child() {
                above.push(node.kind());
                continue;
            }
            while !cursor.goto_next_sibling() {
                above.pop();
                if !cursor.goto_parent() {
                    outline.finish();
                    return outline;
                }
            }
        }
    }

    fn visit(&mut self, node: Node<'t>, above: &[&str], text: &str) {
        let of = |node: Node<'_>| text.get(node.byte_range()).unwrap_or("").to_owned();
        match node.kind() {
            "comment" => self.comments.push(node.byte_range()),
            "function_definition" => {
                if let (Some(name), Some(body)) = (node.child_by_field_name("name"), node.child_by_field_name("body")) {
                    self.definitions.push((of(name), Function { body, start: node.start_byte() }));
                }
            }
            "command_name" => self.calls.push((node.start_byte(), of(node))),
            "command" => self.setters(node, text),
            "variable_name" => {
                let changes = match above {
                    [.., outer, "subscript"] => *outer == "variable_assignment",
                    [.., parent] => {
                        ["variable_assignment", "for_statement", "unset_command", "declaration_command"].contains(parent)
                    }
                    [] => false,
                };
                if changes {
                    self.changes.push((node.start_byte(), of(node)));
                }
            }
            "expansion" => {
                let inner = of(node);
                if let Some((name, _)) = inner.trim_start_matches("${").split_once('=')
                    && is_name(name.trim_end_matches(':'))
                {
                    self.changes.push((node.start_byte(), name.trim_end_matches(':').to_owned()));
                }
            }
            "compound_statement" | "arithmetic_expansion"
                if text[node.start_byte()..].trim_start_matches('$').starts_with("((") =>
            {
                for name in arithmetic_targets(text.get(node.byte_range()).unwrap_or("")) {
                    self.changes.push((node.start_byte(), name));
                }
            }
            _ => {}
        }
    }

    fn setters(&mut self, node: Node<'t>, text: &str) {
        let Some(name) = node.child_by_field_name("name").and_then(|name| text.get(name.byte_range())) else { return };
        if !SETTERS.contains(&name) && name != "printf" {
            return;
        }
        let words = text.get(node.byte_range()).unwrap_or("").split_whitespace().skip(1);
        for word in words {
            let word = word.trim_matches(['"', '\'']).split(['=', '+', '-']).next().unwrap_or("");
            if is_name(word) {
                self.changes.push((node.start_byte(), word.to_owned()));
            }
        }
    }

    fn finish(&mut self) {
        self.definitions.truncate(FUNCTIONS);
        for (name, function) in &self.definitions {
            self.functions.entry(name.clone()).or_insert(*function);
        }
        let functions = &self.functions;
        self.calls.retain(|(_, name)| functions.contains_key(name));
        for (_, name) in &self.calls {
            *self.counts.entry(name.clone()).or_default() += 1;
        }
        self.changes.sort();
        self.calls.sort();
    }

    /// How often the script calls a function of its own.
    pub(super) fn call_count(&self, name: &str) -> usize {
        self.counts.get(name).copied().unwrap_or(0)
    }

    /// The variables that change within a stretch of the text, in functions called there too.
    pub(super) fn changed_in(&self, range: Range<usize>, work: &mut usize) -> Vec<String> {
        let mut names = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        let mut stretches = vec![range];
        while let Some(range) = stretches.pop() {
            let count = within(&self.changes, &range).len() + within(&self.calls, &range).len() + 1;
            *work = work.saturating_sub(count.saturating_mul(WORD));
            if *work == 0 {
                break;
            }
            names.extend(within(&self.changes, &range).iter().map(|(_, name)| name.clone()));
            for (_, call) in within(&self.calls, &range) {
                if !seen.contains(&call.as_str()) {
                    seen.push(call);
                    stretches.extend(self.functions.get(call).map(|function| function.body.byte_range()));
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn within<'a>(list: &'a [(usize, String)], range: &Range<usize>) -> &'a [(usize, String)] {
    let start = list.partition_point(|(at, _)| *at < range.start);
    let end = list.partition_point(|(at, _)| *at < range.end);
    list.get(start..end).unwrap_or(&[])
}

/// Whether a text is a name that a variable may have.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_') && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Variables that an arithmetic text assigns: `i++`, `a = 1`, `b += 2`.
pub(super) fn arithmetic_targets(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut names = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !(bytes[at].is_ascii_alphabetic() || bytes[at] == b'_') {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
            at += 1;
        }
        let rest = text[at..].trim_start();
        let sets = rest.starts_with("++")
            || rest.starts_with("--")
            || (rest.starts_with('=') && !rest.starts_with("=="))
            || ["+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="].iter().any(|op| rest.starts_with(op))
            || text[..start].trim_end().ends_with("++")
            || text[..start].trim_end().ends_with("--");
        if sets {
            names.push(text[start..at].to_owned());
        }
    }
    names
}

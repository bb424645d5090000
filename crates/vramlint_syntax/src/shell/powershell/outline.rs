//! One flat pass over the parser's tree: comments, functions, which commands are called, which variables change where.

use std::collections::HashSet;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// What the pass found, in order of place.
#[derive(Default)]
pub(super) struct Outline<'t> {
    /// Comments.
    pub(super) comments: Vec<Range<usize>>,
    /// Functions.
    pub(super) functions: Vec<Node<'t>>,
    /// Names of all commands, in small letters.
    pub(super) called: HashSet<String>,
    /// Changes of variables: place and key.
    changes: Vec<(usize, String)>,
}

impl<'t> Outline<'t> {
    /// Walks the tree once.
    pub(super) fn of(tree: &'t Tree, text: &str) -> Self {
        let mut outline = Self::default();
        let mut cursor = tree.walk();
        let mut target = false;
        loop {
            let node = cursor.node();
            let slice = text.get(node.byte_range()).unwrap_or("");
            match node.kind() {
                "comment" => outline.comments.push(node.byte_range()),
                "function_statement" => outline.functions.push(node),
                "command_name" => drop(outline.called.insert(slice.to_lowercase())),
                "left_assignment_expression" | "post_increment_expression" | "pre_increment_expression" => target = true,
                "assignement_operator" => target = false,
                "variable" if target => {
                    outline.changes.push((node.start_byte(), key(slice)));
                    target = false;
                }
                _ => {}
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    outline.changes.sort();
                    return outline;
                }
            }
        }
    }

    /// The variables that change within a stretch of the text.
    pub(super) fn changed_in(&self, range: &Range<usize>) -> Vec<String> {
        let start = self.changes.partition_point(|(at, _)| *at < range.start);
        let end = self.changes.partition_point(|(at, _)| *at < range.end);
        let inside = self.changes.get(start..end).unwrap_or(&[]);
        let mut names: Vec<String> = inside.iter().map(|(_, name)| name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The variables that change more than once.
    pub(super) fn changed_often(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        self.changes.iter().filter(|(_, name)| !seen.insert(name)).map(|(_, name)| name.clone()).collect()
    }
}

/// The key under which a variable is kept: `$Env:A` and `$env:a` are one, `$script:A` and `$A` too.
pub(super) fn key(variable: &str) -> String {
    let name = variable.trim_start_matches(['$', '@']).trim_start_matches('{').trim_end_matches('}').to_lowercase();
    match name.split_once(':') {
        Some(("script" | "global" | "local" | "private", inner)) => inner.to_owned(),
        _ => name,
    }
}

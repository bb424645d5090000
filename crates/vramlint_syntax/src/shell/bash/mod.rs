//! bash, through tree-sitter-bash: its tree gives the statements and the places of words; the words themselves are read here.

mod argument_loops;
mod arithmetic;
mod assign;
mod branches;
mod command;
mod comment_substitutions;
mod conditions;
mod delimiters;
mod documents;
mod expand;
mod nested;
mod outline;
mod parameter;
mod scheduler;
mod substitution;
mod unclosed;
mod walk;

pub(super) use expand::has_blank_to_fill_in;

use super::scope::Scope;
use super::{Script, comments, limits};
use std::collections::HashSet;

/// Reads a script.
pub(super) fn parse(text: &str) -> Script {
    walk_text(text, Scope::new(), 0).unwrap_or_default()
}

/// Reads a script in a scope that something else may have filled; `nesting` counts the scripts around it.
fn walk_text(text: &str, scope: Scope, nesting: usize) -> Option<Script> {
    let whole = text.len();
    let text = limits::readable(text);
    let tree = limits::parse(&tree_sitter_bash::LANGUAGE.into(), &comment_substitutions::blanked(text))?;
    let outline = outline::Outline::of(&tree, text);
    let mut script = Script::default();
    for comment in &outline.comments {
        comments::note(text, comment.clone(), &mut script);
    }
    let mut scope = scope;
    scheduler::seed(&mut scope, &script.directives);
    let mut walker = walk::Walker {
        text,
        outline,
        scope,
        script,
        active: Vec::new(),
        walked: HashSet::new(),
        locals: Vec::new(),
        breaks: false,
        environment_left: limits::ENVIRONMENT,
        nesting,
        nested_left: limits::NESTED >> (8 * nesting),
    };
    walker.run(tree.root_node());
    let mut script = walker.script;
    if tree.root_node().has_error() && text.len() == whole {
        script.errors = unclosed::errors(text);
    }
    script.assignments = walker.scope.assignments;
    script.commands.sort_by_key(|command| (command.range.start, command.range.end));
    script.assignments.sort_by_key(|assignment| (assignment.range.start, assignment.range.end));
    Some(script)
}

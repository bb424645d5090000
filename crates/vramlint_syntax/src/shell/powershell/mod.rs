//! PowerShell, through tree-sitter-powershell: its tree gives the statements; words and values are read here.

mod outline;
mod value;
mod walk;
mod words;

use super::scope::Scope;
use super::{Script, comments, limits};

/// Reads a script.
pub(super) fn parse(text: &str) -> Script {
    let text = limits::readable(text);
    let Some(tree) = limits::parse(&tree_sitter_powershell::LANGUAGE.into(), text) else { return Script::default() };
    let outline = outline::Outline::of(&tree, text);
    let mut script = Script::default();
    for comment in &outline.comments {
        comments::note(text, comment.clone(), &mut script);
    }
    let mut walker = walk::Walker { text, outline, scope: Scope::new(), script, environment_left: limits::ENVIRONMENT };
    walker.run(tree.root_node());
    let mut script = walker.script;
    script.assignments = walker.scope.assignments;
    script.commands.sort_by_key(|command| (command.range.start, command.range.end));
    script.assignments.sort_by_key(|assignment| (assignment.range.start, assignment.range.end));
    script
}

//! The syntax tree of a file, parsed when somebody first asks for it.
//!
//! Most files of a repository matter to no training. Their bytes say so, and they are never parsed: ask for the [`SyntaxKind`] or
//! for a [`crate::Feature`] before the tree.

use std::fmt;
use std::sync::{Arc, OnceLock};
use vramlint_syntax::data::DataFile;
use vramlint_syntax::python::Module;
use vramlint_syntax::shell::Script;

/// A syntax tree. Shared, because a file is parsed once and takes part in many projects.
#[derive(Clone, Debug)]
pub enum Syntax {
    /// YAML or JSON.
    Data(Arc<DataFile>),
    /// Python.
    Python(Arc<Module>),
    /// bash or PowerShell.
    Script(Arc<Script>),
    /// Text of which only embedded parts and prose are read: Markdown, a Makefile, a Dockerfile.
    Text,
    /// Not readable.
    Unreadable,
}

/// What a tree is of, known without parsing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxKind {
    /// YAML.
    Yaml,
    /// JSON.
    Json,
    /// Python.
    Python,
    /// bash or PowerShell.
    Script,
    /// Text of which only embedded parts and prose are read.
    Text,
    /// Not readable.
    Unreadable,
}

/// Makes a tree, or says with which message the parser panicked.
type Parse = dyn Fn() -> Result<Syntax, String> + Send + Sync;

/// A tree that is parsed on first use. Clones share it.
#[derive(Clone)]
pub struct SyntaxTree {
    kind: SyntaxKind,
    shared: Arc<Shared>,
}

struct Shared {
    tree: OnceLock<Result<Syntax, String>>,
    parse: Option<Box<Parse>>,
}

impl SyntaxTree {
    /// A tree of this kind that `parse` makes when it is needed. An error is the message of a panic in the parser.
    pub fn lazy(kind: SyntaxKind, parse: impl Fn() -> Result<Syntax, String> + Send + Sync + 'static) -> Self {
        Self { kind, shared: Arc::new(Shared { tree: OnceLock::new(), parse: Some(Box::new(parse)) }) }
    }

    /// What the tree is of.
    pub const fn kind(&self) -> SyntaxKind {
        self.kind
    }

    /// The tree; [`Syntax::Unreadable`] where the parser panicked.
    pub fn get(&self) -> &Syntax {
        const UNREADABLE: &Syntax = &Syntax::Unreadable;
        let parse = || self.shared.parse.as_ref().map_or(Ok(Syntax::Unreadable), |parse| parse());
        self.shared.tree.get_or_init(parse).as_ref().unwrap_or(UNREADABLE)
    }

    /// The message with which the parser panicked, if it did so far.
    pub fn panic(&self) -> Option<&str> {
        self.shared.tree.get()?.as_ref().err().map(String::as_str)
    }

    /// Whether the tree was parsed so far.
    pub fn is_parsed(&self) -> bool {
        self.shared.tree.get().is_some()
    }
}

impl From<Syntax> for SyntaxTree {
    fn from(syntax: Syntax) -> Self {
        let kind = match &syntax {
            Syntax::Data(data) if data.json => SyntaxKind::Json,
            Syntax::Data(_) => SyntaxKind::Yaml,
            Syntax::Python(_) => SyntaxKind::Python,
            Syntax::Script(_) => SyntaxKind::Script,
            Syntax::Text => SyntaxKind::Text,
            Syntax::Unreadable => SyntaxKind::Unreadable,
        };
        Self { kind, shared: Arc::new(Shared { tree: OnceLock::from(Ok(syntax)), parse: None }) }
    }
}

impl fmt::Debug for SyntaxTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyntaxTree").field("kind", &self.kind).field("tree", &self.shared.tree.get()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_tree_is_parsed_once_and_only_when_asked_for() {
        let count = Arc::new(AtomicUsize::new(0));
        let parses = Arc::clone(&count);
        let tree = SyntaxTree::lazy(SyntaxKind::Text, move || {
            parses.fetch_add(1, Ordering::Relaxed);
            Ok(Syntax::Text)
        });
        let other = tree.clone();
        assert!(!tree.is_parsed() && tree.kind() == SyntaxKind::Text);
        assert!(matches!(tree.get(), Syntax::Text) && matches!(other.get(), Syntax::Text));
        assert_eq!(count.load(Ordering::Relaxed), 1);
        assert_eq!(tree.panic(), None);
    }

    #[test]
    fn a_panic_leaves_an_unreadable_tree() {
        let tree = SyntaxTree::lazy(SyntaxKind::Python, || Err("boom".to_owned()));
        assert!(matches!(tree.get(), Syntax::Unreadable));
        assert_eq!(tree.panic(), Some("boom"));
    }
}

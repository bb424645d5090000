//! Walks the statements of a script in the order in which they run.

use super::super::Script;
use super::super::scope::{Positional, Scope, nowhere};
use super::super::variables::{Join, Value};
use super::outline::{Function, Outline};
use std::collections::BTreeMap;
use std::rc::Rc;
use tree_sitter::Node;
use vramlint_base::TextRange;

/// Deepest nesting of statements that is followed.
const DEPTH: usize = 120;

/// What holds for the statements at hand.
#[derive(Clone, Default)]
pub(super) struct Context {
    /// Function that they are in.
    pub(super) function: Option<Rc<str>>,
    /// Whether they are in a loop.
    pub(super) in_loop: bool,
    /// Whether they may not run at all.
    pub(super) conditional: bool,
    depth: usize,
}

/// How control goes on after a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// To the next one.
    On,
    /// `exit`, `return`.
    Leaves,
}

/// The walk.
pub(super) struct Walker<'t> {
    pub(super) text: &'t str,
    pub(super) outline: Outline<'t>,
    pub(super) scope: Scope,
    pub(super) script: Script,
    /// Functions being walked, innermost last.
    pub(super) active: Vec<String>,
    /// Names of functions that have been walked, by where their definition begins.
    pub(super) walked: std::collections::HashSet<usize>,
    /// Variables that `local` hides, innermost function last.
    pub(super) locals: Vec<BTreeMap<String, Option<Rc<super::super::variables::Variable>>>>,
    /// Whether the loop at hand was left by `break`.
    pub(super) breaks: bool,
    /// How many environment entries may still be written: bounds many exports times many commands.
    pub(super) environment_left: usize,
    /// How many scripts this one is in: `bash -c "…"`.
    pub(super) nesting: usize,
    /// Bytes of inner scripts that may still be read.
    pub(super) nested_left: usize,
}

impl Context {
    /// The same place, but it may not be reached.
    pub(super) fn maybe(&self) -> Self {
        Self { conditional: true, ..self.clone() }
    }

    pub(super) fn looped(&self) -> Self {
        Self { in_loop: true, ..self.clone() }
    }

    /// Whether an assignment here may run never, or several times.
    pub(super) fn unsure(&self) -> bool {
        self.conditional || self.in_loop
    }
}

impl<'t> Walker<'t> {
    /// The whole script, then the functions that nothing called.
    pub(super) fn run(&mut self, root: Node<'t>) {
        self.statements(root, &Context::default());
        for (name, function) in self.outline.definitions.clone() {
            if !self.walked.contains(&function.start) {
                self.scope.positional = Positional::Unknown;
                let mark = self.scope.variables.mark();
                self.body(&name, function, &Context::default().maybe());
                self.scope.variables.take_back(mark);
            }
        }
    }

    /// Walks a function's body in the scope at hand.
    pub(super) fn body(&mut self, name: &str, function: Function<'t>, context: &Context) {
        self.walked.insert(function.start);
        self.active.push(name.to_owned());
        self.locals.push(BTreeMap::new());
        let inside = Context { function: Some(Rc::from(name)), ..context.clone() };
        self.statement(function.body, &inside);
        for (name, before) in self.locals.pop().unwrap_or_default() {
            self.scope.variables.put(&name, before);
        }
        self.active.pop();
    }

    /// Every child that is a statement.
    pub(super) fn statements(&mut self, node: Node<'t>, context: &Context) -> Flow {
        let mut flow = Flow::On;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if self.statement(child, context) == Flow::Leaves {
                flow = Flow::Leaves;
            }
        }
        flow
    }

    /// One statement.
    pub(super) fn statement(&mut self, node: Node<'t>, context: &Context) -> Flow {
        if context.depth > DEPTH || self.scope.work_left == 0 {
            return Flow::On;
        }
        let context = &Context { depth: context.depth + 1, ..context.clone() };
        self.scope.conditional = context.unsure();
        match node.kind() {
            "command" => return self.command(node, context, &[]),
            "variable_assignment" => self.assignment(node, context, false),
            "variable_assignments" => {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    self.assignment(child, context, false);
                }
            }
            "declaration_command" => self.declaration(node, context),
            "unset_command" => self.unset(node),
            "redirected_statement" => return self.redirected(node, context),
            "list" => return self.list(node, context),
            "pipeline" => self.apart_each(node, context),
            "subshell" | "command_substitution" | "process_substitution" => self.apart(node, context),
            "if_statement" | "case_statement" | "for_statement" | "while_statement" | "c_style_for_statement" => {
                let before = self.scope.directory.clone();
                let flow = match node.kind() {
                    "if_statement" => self.conditional(node, context),
                    "case_statement" => self.case(node, context),
                    _ => self.repeated(node, context),
                };
                self.scope.directory.join(&before);
                return flow;
            }
            "negated_command" | "do_group" | "program" => return self.statements(node, context),
            "compound_statement" => return self.compound(node, context),
            "test_command" => self.substitutions(node, context),
            "ERROR" => {
                self.statements(node, &context.maybe());
            }
            _ => {}
        }
        Flow::On
    }

    fn compound(&mut self, node: Node<'t>, context: &Context) -> Flow {
        let text = self.slice(node);
        if text.starts_with("((") {
            let place = TextRange::of(node.byte_range());
            for name in super::outline::arithmetic_targets(text) {
                self.scope.lose(&name, place, false);
            }
            return Flow::On;
        }
        self.statements(node, context)
    }

    /// In a process of its own: variables do not come back.
    fn apart(&mut self, node: Node<'t>, context: &Context) {
        let mark = self.scope.variables.mark();
        let directory = self.scope.directory.clone();
        self.statements(node, context);
        self.scope.directory = directory;
        self.scope.variables.take_back(mark);
    }

    fn apart_each(&mut self, node: Node<'t>, context: &Context) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let mark = self.scope.variables.mark();
            let directory = self.scope.directory.clone();
            self.statement(child, context);
            self.scope.directory = directory;
            self.scope.variables.take_back(mark);
        }
    }

    /// Commands inside the words of a node.
    pub(super) fn substitutions(&mut self, node: Node<'t>, context: &Context) {
        let text = self.slice(node);
        if !text.contains("$(") && !text.contains('`') && !text.contains("<(") && !text.contains(">(") {
            return;
        }
        self.substitutions_within(node, &context.maybe());
    }

    fn substitutions_within(&mut self, node: Node<'t>, context: &Context) {
        if context.depth > DEPTH {
            return;
        }
        let deeper = Context { depth: context.depth + 1, ..context.clone() };
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "command_substitution" | "process_substitution" => {
                    self.statement(child, &deeper);
                }
                "heredoc_body" => {}
                _ => self.substitutions_within(child, &deeper),
            }
        }
    }

    /// `a && b`, `a || b`: taken apart without recursion, since they nest to the left.
    fn list(&mut self, node: Node<'t>, context: &Context) -> Flow {
        let mut parts = Vec::new();
        let mut first = node;
        while first.kind() == "list" {
            let (Some(left), Some(right)) =
                (first.named_child(0), first.named_child(first.named_child_count().saturating_sub(1) as u32))
            else {
                break;
            };
            let mut cursor = first.walk();
            let or = first.children(&mut cursor).any(|child| child.kind() == "||");
            parts.push((or, right));
            if left == right {
                break;
            }
            first = left;
        }
        let mut flow = self.statement(first, context);
        let mut tested = self.is_test(first);
        let mut condition = tested.then_some(first);
        for (or, right) in parts.into_iter().rev() {
            if or || tested {
                let how = condition.map_or(Join { may_skip: true, ..Join::default() }, |test| self.join_of(test, or));
                let mark = self.scope.variables.mark();
                let leaves = self.statement(right, &context.maybe()) == Flow::Leaves;
                let branch = self.scope.variables.take_back(mark).leaving(leaves);
                self.scope.variables.join(&[branch], &how);
            } else if flow == Flow::On {
                flow = self.statement(right, context);
            } else {
                self.statement(right, context);
            }
            tested |= or || self.is_test(right);
            condition = None;
        }
        flow
    }

    fn is_test(&self, node: Node<'t>) -> bool {
        match node.kind() {
            "test_command" => true,
            "negated_command" => node.named_child(0).is_some_and(|inner| self.is_test(inner)),
            "command" => {
                let name = node.child_by_field_name("name").map_or("", |name| self.slice(name));
                matches!(name, "test" | "[" | "command" | "which" | "grep" | "type" | "hash")
            }
            "compound_statement" => self.slice(node).starts_with("(("),
            _ => false,
        }
    }

    fn repeated(&mut self, node: Node<'t>, context: &Context) -> Flow {
        if self.argument_loop(node, context) {
            return Flow::On;
        }
        let place = TextRange::of(node.byte_range());
        let mark = self.scope.variables.mark();
        for name in self.outline.changed_in(node.byte_range(), &mut self.scope.work_left) {
            let made = self.scope.variables.get(&name).map_or_else(|| nowhere(&name, place), |v| Rc::clone(&v.made));
            self.scope.variables.blur(&name, Value::Carried, Some(&made));
        }
        self.loop_variable(node, context);
        let inside = context.looped();
        let mut cursor = node.walk();
        let header = node.kind() == "c_style_for_statement";
        let body = node.child_by_field_name("body");
        for child in node.named_children(&mut cursor).filter(|child| !header || Some(*child) == body) {
            self.statement(child, &inside);
        }
        let branch = self.scope.variables.take_back(mark).without_carried();
        self.scope.variables.join(&[branch], &Join { may_skip: true, ..Join::default() });
        Flow::On
    }

    /// `for N in 1 2 4`: known only where there is one value.
    fn loop_variable(&mut self, node: Node<'t>, context: &Context) {
        if node.kind() == "c_style_for_statement" {
            let header =
                node.byte_range().start..node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte());
            let text = self.text.get(header.clone()).unwrap_or("");
            for name in super::outline::arithmetic_targets(text) {
                self.scope.lose(&name, TextRange::of(header.clone()), false);
            }
            return;
        }
        let Some(variable) = node.child_by_field_name("variable") else { return };
        let mut values = Vec::new();
        let mut cursor = node.walk();
        for value in node.children_by_field_name("value", &mut cursor) {
            self.substitutions(value, context);
            let range = TextRange::of(value.byte_range());
            let words = super::expand::words(self.text, value.byte_range(), &mut self.scope);
            values.extend(words.into_iter().map(|word| (word, range)));
        }
        let name = self.slice(variable).to_owned();
        let place = TextRange::of(variable.byte_range());
        self.scope.lose(&name, place, false);
        let only = if values.len() == 1 { values.pop() } else { None };
        if let Some((field, range)) = only
            && field.iter().all(|piece| piece.text.is_some())
        {
            let made = super::super::Assignment {
                range: place.cover(range),
                name: name.clone(),
                name_range: place,
                value: super::super::spanned_text::to_word(&field, range),
                exported: false,
                conditional: true,
            };
            let value = Value::Text(super::super::spanned_text::stored(field, range));
            self.scope.variables.blur(&name, value, Some(&Rc::new(made)));
        }
    }

    /// The text of a node.
    pub(super) fn slice(&self, node: Node<'t>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }
}

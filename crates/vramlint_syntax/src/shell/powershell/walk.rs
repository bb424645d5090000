//! Walks the statements of a PowerShell script.

use super::super::scope::{Places, Scope, nowhere};
use super::super::spanned_text::{stored, text_of, to_word};
use super::super::variables::{Join, Value};
use super::super::{Assumption, Command, Script};
use super::outline::{Outline, key};
use super::{value, words};
use std::rc::Rc;
use tree_sitter::Node;
use vramlint_base::TextRange;

/// Deepest nesting of nodes that is followed. The grammar wraps each expression some fifteen times.
const DEPTH: usize = 300;

/// What holds for the statements at hand.
#[derive(Clone, Default)]
struct Context {
    function: Option<Rc<str>>,
    in_loop: bool,
    conditional: bool,
    depth: usize,
}

/// The walk.
pub(super) struct Walker<'t> {
    pub(super) text: &'t str,
    pub(super) outline: Outline<'t>,
    pub(super) scope: Scope,
    pub(super) script: Script,
    /// How many environment entries may still be written.
    pub(super) environment_left: usize,
}

impl<'t> Walker<'t> {
    /// The script, then its functions: they see what the script leaves, but nothing that changes more than once.
    pub(super) fn run(&mut self, root: Node<'t>) {
        self.children(root, &Context::default());
        let place = TextRange::of(root.byte_range());
        for name in self.outline.changed_often() {
            self.scope.lose(&name, place, false);
        }
        for function in self.outline.functions.clone() {
            let mut cursor = function.walk();
            let name = function.named_children(&mut cursor).find(|child| child.kind() == "function_name");
            let name = name.map_or("", |name| self.slice(name));
            let called = self.outline.called.contains(&name.to_lowercase());
            let context = Context { function: Some(Rc::from(name)), conditional: !called, in_loop: false, depth: 0 };
            let mark = self.scope.variables.mark();
            let mut cursor = function.walk();
            for child in function.named_children(&mut cursor) {
                match child.kind() {
                    "function_parameter_declaration" => self.parameters(child, &context),
                    "script_block" => self.statement(child, &context),
                    _ => {}
                }
            }
            self.scope.variables.take_back(mark);
        }
    }

    fn slice(&self, node: Node<'t>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    fn children(&mut self, node: Node<'t>, context: &Context) {
        if context.depth > DEPTH || self.scope.work_left == 0 {
            return;
        }
        let context = &Context { depth: context.depth + 1, ..context.clone() };
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.statement(child, context);
        }
    }

    fn statement(&mut self, node: Node<'t>, context: &Context) {
        self.scope.conditional = context.conditional || context.in_loop;
        match node.kind() {
            "function_statement" | "class_statement" | "comment" => {}
            "param_block" => self.parameters(node, context),
            "command" => self.command(node, context),
            "assignment_expression" => self.assignment(node, context),
            "post_increment_expression" | "pre_increment_expression" => {
                let name = key(self.slice(node).trim_matches('+'));
                self.scope.lose(&name, TextRange::of(node.byte_range()), false);
            }
            "if_statement" => self.branches(node, context),
            "switch_statement" | "try_statement" => {
                let mark = self.scope.variables.mark();
                self.children(node, &Context { conditional: true, ..context.clone() });
                let branch = self.scope.variables.take_back(mark);
                self.scope.variables.join(&[branch], &Join { may_skip: true, ..Join::default() });
            }
            "foreach_statement" | "for_statement" | "while_statement" | "do_statement" => self.repeated(node, context),
            "script_block_expression" => self.children(node, &Context { conditional: true, ..context.clone() }),
            _ => self.children(node, context),
        }
    }

    fn branches(&mut self, node: Node<'t>, context: &Context) {
        let inside = Context { conditional: true, depth: context.depth + 1, ..context.clone() };
        let mut branches = Vec::new();
        let mut may_skip = true;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).collect::<Vec<_>>() {
            let mut clauses = vec![child];
            if child.kind() == "elseif_clauses" {
                let mut cursor = child.walk();
                clauses = child.named_children(&mut cursor).collect();
            }
            for clause in clauses {
                may_skip &= clause.kind() != "else_clause";
                if clause.kind() == "pipeline" {
                    self.statement(clause, context);
                    continue;
                }
                let mark = self.scope.variables.mark();
                self.children(clause, &inside);
                branches.push(self.scope.variables.take_back(mark));
            }
        }
        self.scope.variables.join(&branches, &Join { may_skip, ..Join::default() });
    }

    fn repeated(&mut self, node: Node<'t>, context: &Context) {
        let place = TextRange::of(node.byte_range());
        let mark = self.scope.variables.mark();
        let changed = self.outline.changed_in(&node.byte_range());
        self.scope.pay(changed.len(), 0);
        for name in changed {
            let made = self.scope.variables.get(&name).map_or_else(|| nowhere(&name, place), |v| Rc::clone(&v.made));
            self.scope.variables.blur(&name, Value::Carried, Some(&made));
        }
        let mut cursor = node.walk();
        if let Some(variable) = node.named_children(&mut cursor).find(|child| child.kind() == "variable") {
            let name = key(self.slice(variable));
            self.scope.lose(&name, place, false);
        }
        self.children(node, &Context { in_loop: true, ..context.clone() });
        let branch = self.scope.variables.take_back(mark).without_carried();
        self.scope.variables.join(&[branch], &Join { may_skip: true, ..Join::default() });
    }

    /// `param([int]$Gpus = 8)`: the default, as long as the caller says nothing.
    fn parameters(&mut self, node: Node<'t>, context: &Context) {
        if context.depth > DEPTH {
            return;
        }
        let deeper = Context { depth: context.depth + 1, ..context.clone() };
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "parameter_list" => self.parameters(child, &deeper),
                "script_parameter" => self.parameter(child),
                _ => {}
            }
        }
    }

    fn parameter(&mut self, node: Node<'t>) {
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
        let Some(variable) = children.iter().find(|child| child.kind() == "variable") else { return };
        let place = TextRange::of(variable.byte_range());
        let name = self.slice(*variable).trim_start_matches('$');
        let default = children.iter().find(|child| child.kind() == "script_parameter_default");
        let Some(default) = default else { return self.scope.lose(&key(name), place, true) };
        let slice = self.slice(*default);
        let start = default.start_byte() + slice.len() - slice.trim_start_matches(['=', ' ']).len();
        let range = TextRange::of(start..default.end_byte());
        let found = value::value(self.text, range.as_usize(), &self.scope);
        let Value::Text(mut field) = found else { return self.scope.lose(&key(name), place, true) };
        if let (Some(text), Some(first)) = (text_of(&field), field.first_mut()) {
            first.assumptions.push(Assumption { variable: name.to_owned(), value: text, range });
        }
        let made = super::super::Assignment {
            range: place.cover(range),
            name: name.to_owned(),
            name_range: place,
            value: to_word(&field, range),
            exported: false,
            conditional: true,
        };
        self.scope.variables.blur(&key(name), Value::Text(stored(field, range)), Some(&Rc::new(made)));
    }

    fn assignment(&mut self, node: Node<'t>, context: &Context) {
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
        let (Some(left), Some(right)) = (children.first(), children.last()) else { return };
        let operator =
            children.iter().find(|child| child.kind() == "assignement_operator").map_or("", |child| self.slice(*child));
        let target = self.slice(*left);
        let cast = if target.starts_with('[') {
            words::closing(self.text, left.start_byte(), left.end_byte())
        } else {
            left.start_byte()
        };
        let target = self.text.get(cast..left.end_byte()).unwrap_or("");
        let variable = target.trim_start();
        if words::variable_length(variable) != Some(variable.len()) {
            if let Some(length) = words::variable_length(variable) {
                self.scope.lose(&key(&variable[..length]), TextRange::of(left.byte_range()), false);
            }
            return self.children(node, context);
        }
        self.children(*right, context);
        self.scope.conditional = context.conditional || context.in_loop;
        let key = key(variable);
        let range = TextRange::of(right.byte_range());
        let mut value = value::value(self.text, range.as_usize(), &self.scope);
        match operator {
            "=" => {}
            "+=" => value = self.appended(&key, value, range),
            _ => value = Value::Unknown { caller: false },
        }
        let exported = key.starts_with("env:");
        let name = variable.trim_start_matches(['$', '{']).trim_end_matches('}');
        let name = name.rsplit(':').next().unwrap_or(name);
        let end = left.end_byte() - usize::from(variable.ends_with('}'));
        let name_range = TextRange::of(end - name.len()..end);
        let places = Places { range: TextRange::of(node.byte_range()), name: name_range, value: range };
        self.scope.assign_as(&key, name, places, value, exported);
    }

    fn appended(&self, key: &str, value: Value, place: TextRange) -> Value {
        let before = self.scope.variables.get(key);
        let made = before.map_or(place, |variable| variable.made.value.range);
        match (before.map(|variable| &variable.value), value) {
            (Some(Value::List(items)), Value::List(more)) => Value::List(items.iter().cloned().chain(more).take(4096).collect()),
            (Some(Value::List(items)), Value::Text(more)) => {
                Value::List(items.iter().cloned().chain([stored(more, place)]).take(4096).collect())
            }
            (Some(Value::Text(text)), Value::Text(more)) if text_of(text).is_some_and(|text| text.parse::<f64>().is_err()) => {
                Value::Text(super::super::spanned_text::used(text, made, made, false).into_iter().chain(more).collect())
            }
            _ => Value::Unknown { caller: false },
        }
    }

    fn command(&mut self, node: Node<'t>, context: &Context) {
        let mut range = node.byte_range();
        if self.slice(node).starts_with('&') {
            range.start += 1;
        }
        let words = words::words(self.text, range, &self.scope);
        let (Some((_, first)), Some((_, last))) = (words.first(), words.last()) else { return };
        // The grammar takes `1..3` for a command.
        if first.slice(self.text).bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            return;
        }
        let place = first.cover(*last);
        let cost = self.scope.variables.export_count();
        if self.environment_left >= cost {
            self.environment_left -= cost;
            let tree: Vec<_> = words.iter().map(|(field, range)| to_word(field, *range)).collect();
            self.scope.pay_for(&tree);
            self.script.commands.push(Command {
                range: place,
                words: tree,
                environment: self.scope.variables.environment().collect(),
                function: context.function.as_deref().map(str::to_owned),
                in_loop: context.in_loop,
                conditional: context.conditional,
                directory: None,
            });
        }
        self.removal(&words);
        self.children(node, context);
    }

    /// `Remove-Item Env:A`.
    fn removal(&mut self, words: &[words::Placed]) {
        let texts: Vec<String> = words.iter().filter_map(|(field, _)| text_of(field)).map(|text| text.to_lowercase()).collect();
        if texts.first().is_some_and(|name| name == "remove-item")
            && let Some(name) = texts.iter().find(|text| text.starts_with("env:"))
        {
            let key = name.replace(['\\', '/'], "");
            self.scope.variables.blur(&key, Value::Unset, None);
        }
    }
}

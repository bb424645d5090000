//! `if` and `case`: the branch that runs, as far as the script tells, and what holds after branches between which it does not.

use super::super::Assumption;
use super::super::spanned_text::{assumptions_of, depends_on_caller, text_of};
use super::super::variables::{Branch, Join, Value};
use super::conditions::Decision;
use super::walk::{Context, Flow, Walker};
use std::ops::Range;
use tree_sitter::Node;
use vramlint_base::TextRange;

/// One branch of an `if`.
struct Clause<'t> {
    /// The tests between `if` and `then`; none for `else`.
    tests: Vec<Node<'t>>,
    body: Vec<Node<'t>>,
}

impl<'t> Walker<'t> {
    /// `if … then … elif … else … fi`.
    pub(super) fn conditional(&mut self, node: Node<'t>, context: &Context) -> Flow {
        let clauses = clauses_of(node);
        let mut how = Join { may_skip: true, ..Join::default() };
        let mut branches = Vec::new();
        let mut decided = false;
        let mut assumed: Vec<Assumption> = Vec::new();
        let directory = self.scope.directory.clone();
        let mut joined_directory = directory.clone();
        let inside = context.maybe();
        let several = clauses.len() > 1;
        for clause in clauses {
            for test in &clause.tests {
                self.statement(*test, if branches.is_empty() { context } else { &inside });
            }
            let decision = match &clause.tests[..] {
                _ if decided => Some(Decision::no()),
                [test] => self.decide(*test),
                // All that came before does not hold.
                [] if branches.is_empty() => Some(Decision::yes()),
                _ => None,
            };
            match decision {
                Some(decision) if decision.holds && branches.is_empty() => {
                    decided = true;
                    assumed.extend(decision.assumptions);
                    let flow = self.taken(&clause.body, &assumed, context);
                    joined_directory = std::mem::replace(&mut self.scope.directory, directory.clone());
                    if flow == Flow::Leaves {
                        how.may_skip = false;
                    }
                }
                Some(decision) if !decision.holds => {
                    let equal = clause.tests.first().and_then(|test| self.tested_equal(*test));
                    assumed.extend(decision.assumptions);
                    self.not_taken(&clause.body, equal, &assumed, &inside);
                    self.scope.directory.clone_from(&directory);
                }
                _ => {
                    for test in &clause.tests {
                        let test = self.join_of(*test, false);
                        how.caller |= test.caller;
                        how.empty = how.empty.or(test.empty);
                    }
                    how.may_skip &= !clause.tests.is_empty();
                    let mark = self.scope.variables.mark();
                    let leaves = self.each(&clause.body, &inside) == Flow::Leaves;
                    branches.push(self.scope.variables.take_back(mark).leaving(leaves));
                    if !leaves {
                        joined_directory.join(&self.scope.directory);
                    }
                    self.scope.directory.clone_from(&directory);
                }
            }
        }
        self.scope.directory = joined_directory;
        if decided {
            return if how.may_skip { Flow::On } else { Flow::Leaves };
        }
        if branches.len() > 1 || several {
            how.empty = how.empty.filter(|_| branches.len() == 1);
        }
        let all_leave = !how.may_skip && branches.iter().all(|branch: &Branch| branch.leaves);
        self.scope.variables.join(&branches, &how);
        if all_leave { Flow::Leaves } else { Flow::On }
    }

    fn each(&mut self, body: &[Node<'t>], context: &Context) -> Flow {
        let mut flow = Flow::On;
        for statement in body {
            if self.statement(*statement, context) == Flow::Leaves {
                flow = Flow::Leaves;
            }
        }
        flow
    }

    /// Walks the branch that runs. Where it runs only because the caller is assumed to say nothing, so is what it sets.
    fn taken(&mut self, body: &[Node<'t>], assumptions: &[Assumption], context: &Context) -> Flow {
        if assumptions.is_empty() {
            return self.each(body, context);
        }
        let mark = self.scope.variables.mark();
        let flow = self.each(body, &context.maybe());
        let branch = self.scope.variables.take_back(mark);
        if flow == Flow::Leaves {
            // The script asks for a value: the caller gives one.
            self.scope.variables.lose_assumed(assumptions);
            return Flow::On;
        }
        self.scope.variables.apply(&branch, assumptions);
        Flow::On
    }

    /// Walks a branch that does not run as the script stands: a variant. What was assumed to leave it out does not hold in it.
    fn not_taken(
        &mut self,
        body: &[Node<'t>],
        equal: Option<(String, Range<usize>)>,
        assumptions: &[Assumption],
        context: &Context,
    ) {
        let mark = self.scope.variables.mark();
        let positional = self.scope.positional.clone();
        self.scope.variables.lose_assumed(assumptions);
        if let Some((name, literal)) = equal {
            let place = TextRange::of(literal.clone());
            let field = super::expand::text(self.text, literal, &mut self.scope);
            let made = super::super::scope::nowhere(&name, place);
            self.scope.variables.blur(&name, Value::Text(field), Some(&made));
        }
        self.each(body, context);
        self.scope.variables.take_back(mark);
        self.scope.positional = positional;
    }

    /// `case … in … esac`.
    pub(super) fn case(&mut self, node: Node<'t>, context: &Context) -> Flow {
        let Some(value) = node.child_by_field_name("value") else { return Flow::On };
        let subject = super::expand::text(self.text, value.byte_range(), &mut self.scope);
        if let Some(text) = text_of(&subject) {
            return self.decided_case(node, value, &text, &assumptions_of(&subject), context);
        }
        let caller = self.is_callers(self.slice(value));
        let inside = context.maybe();
        let mut branches = Vec::new();
        let mut fallback = None;
        let mut cursor = node.walk();
        let directory = self.scope.directory.clone();
        let mut joined_directory = directory.clone();
        for item in node.named_children(&mut cursor).filter(|child| child.kind() == "case_item") {
            let pattern = item.child_by_field_name("value").map_or("", |value| self.slice(value));
            let mark = self.scope.variables.mark();
            let leaves = self.statements(item, &inside) == Flow::Leaves;
            joined_directory.join(&std::mem::replace(&mut self.scope.directory, directory.clone()));
            let branch = self.scope.variables.take_back(mark).leaving(leaves);
            if pattern == "*" { fallback = Some(branch) } else { branches.push(branch) }
        }
        self.scope.directory = joined_directory;
        let how = Join { may_skip: fallback.is_none(), caller, empty: None };
        match fallback {
            // Where the caller decides, `*` is what happens if nothing is passed.
            Some(fallback) if caller && !fallback.leaves => self.scope.variables.join_or(&branches, &fallback),
            fallback => {
                branches.extend(fallback);
                let may_skip = how.may_skip || caller;
                self.scope.variables.join(&branches, &Join { may_skip, ..how });
            }
        }
        Flow::On
    }

    /// A `case` over a text that is known.
    fn decided_case(
        &mut self,
        node: Node<'t>,
        value: Node<'t>,
        subject: &str,
        assumptions: &[Assumption],
        context: &Context,
    ) -> Flow {
        let name = super::conditions::plain_variable(self.slice(value)).map(str::to_owned);
        let mut flow = Flow::On;
        let mut found = false;
        let mut chosen = self.scope.directory.clone();
        let directory = chosen.clone();
        let mut cursor = node.walk();
        for item in node.named_children(&mut cursor).filter(|child| child.kind() == "case_item") {
            let mut inner = item.walk();
            let patterns: Vec<Node<'t>> = item.children_by_field_name("value", &mut inner).collect();
            let values: Vec<Range<usize>> = patterns.iter().map(tree_sitter::Node::byte_range).collect();
            let body: Vec<Node<'t>> = item.named_children(&mut inner).filter(|child| !patterns.contains(child)).collect();
            let matches =
                !found && values.iter().any(|range| super::conditions::matches_pattern(&self.text[range.clone()], subject));
            if matches {
                found = true;
                flow = self.taken(&body, assumptions, context);
                chosen = std::mem::replace(&mut self.scope.directory, directory.clone());
            } else {
                let only = if values.len() == 1 { values.into_iter().next() } else { None };
                let literal = only.filter(|range| !self.text[range.clone()].contains(['*', '?', '[']));
                let equal = name.clone().zip(literal);
                self.not_taken(&body, equal, assumptions, &context.maybe());
                self.scope.directory.clone_from(&directory);
            }
        }
        self.scope.directory = chosen;
        flow
    }

    /// What a test tells about the branch after it: `[ -z "$A" ]`, or that the caller decides.
    pub(super) fn join_of(&self, condition: Node<'t>, or: bool) -> Join {
        let text = self.slice(condition);
        let caller = super::conditions::depends_on_caller(text);
        let empty = super::conditions::empty_variable(text, or).map(str::to_owned);
        Join { may_skip: true, caller, empty }
    }

    /// Whether a word is what the caller passes, or a variable that holds it: `$1`, `"$key"` after `key="$1"`.
    fn is_callers(&self, word: &str) -> bool {
        if super::conditions::depends_on_caller(word) {
            return true;
        }
        let name = word.trim_matches('"').trim_start_matches("${").trim_start_matches('$').trim_end_matches('}');
        self.scope.variables.get(name).is_some_and(|variable| match &variable.value {
            Value::Text(field) => depends_on_caller(field),
            Value::Unknown { caller } => *caller,
            _ => false,
        })
    }
}

fn clauses_of(node: Node<'_>) -> Vec<Clause<'_>> {
    let mut clauses = vec![Clause { tests: Vec::new(), body: Vec::new() }];
    let mut behind_then = false;
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "then" => behind_then = true,
            "elif_clause" => clauses.extend(clauses_of(child)),
            "else_clause" => {
                let mut inner = child.walk();
                clauses.push(Clause { tests: Vec::new(), body: child.named_children(&mut inner).collect() });
            }
            _ if child.is_named() => {
                let Some(clause) = clauses.first_mut() else { continue };
                if behind_then { clause.body.push(child) } else { clause.tests.push(child) }
            }
            _ => {}
        }
    }
    clauses
}

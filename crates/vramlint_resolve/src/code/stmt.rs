//! Statements.

use super::conditions::{conjoin, conjoin_all};
use super::control_flow::Loop;
use super::definitions::{ClassInfo, FunctionInfo};
use super::field_writes::ATTENTION;
use super::interpreter::Interpreter;
use super::training_loop::{expects_errors, stops_gradients};
use super::value::{AbstractValue, ValueKind, ValueSource, declare};
use std::rc::Rc;
use vramlint_base::{FileRange, TextRange, Value};
use vramlint_syntax::python::{Class, Expr, ExprKind, Function, Stmt, StmtKind};

/// What happens after a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// The next statement.
    Next,
    /// The block ends: `return`, `raise`, `continue`, `break`, an exit.
    Stop,
}

impl<'a> Interpreter<'a> {
    pub(super) fn block(&mut self, body: &'a [Stmt], scope: usize) -> Flow {
        self.nested(Flow::Next, |this| {
            for stmt in body {
                if !this.budget.step() || this.statement(stmt, scope) == Flow::Stop {
                    return Flow::Stop;
                }
            }
            Flow::Next
        })
    }

    fn statement(&mut self, stmt: &'a Stmt, scope: usize) -> Flow {
        match &stmt.kind {
            StmtKind::Assign { targets, value: Some(value), .. } => self.assign_all(targets, value, scope),
            StmtKind::Assign { .. } => {}
            StmtKind::Other => {
                let text = self.sources.text(FileRange::new(self.scopes[scope].file, stmt.range));
                if matches!(text, "continue" | "break") {
                    return Flow::Stop;
                }
            }
            StmtKind::AugAssign { target, op, value } => self.augmented_assignment(target, op, value, stmt.range, scope),
            StmtKind::Expr(expr) => {
                self.eval(expr, scope);
                if is_exit(expr) {
                    return Flow::Stop;
                }
            }
            StmtKind::Return(value) => return self.return_value(value.as_ref(), stmt.range, scope),
            StmtKind::If(arms) => return self.if_branches(stmt.range, arms, scope),
            StmtKind::For { target, iter, body, orelse } => self.for_loop(target, iter, body, orelse, scope),
            StmtKind::While { test, body, orelse } => {
                self.eval(test, scope);
                self.loop_body(None, false, body, scope);
                self.block(orelse, scope);
            }
            StmtKind::With { items, body } => return self.with_block(items, body, scope),
            StmtKind::Try { body, handlers, orelse, finally } => {
                return self.try_branches(stmt.range, body, handlers, orelse, finally, scope);
            }
            StmtKind::Match { subject, cases } => {
                self.eval(subject, scope);
                self.match_cases(stmt.range, cases, scope);
            }
            StmtKind::Function(function) => self.define_function(function, None, scope),
            StmtKind::Class(class) => self.define_class(class, scope),
            StmtKind::Import { module, alias, .. } => self.import(module, alias.as_deref(), scope),
            StmtKind::FromImport { module, level, names } => self.import_from(module, *level, names, scope),
            StmtKind::Raise(value) => {
                if let Some(value) = value {
                    self.without_reads(|this| this.eval(value, scope));
                }
                return Flow::Stop;
            }
            StmtKind::Delete(targets) => self.delete(targets, scope),
            StmtKind::Assert(test) => {
                self.without_reads(|this| this.eval(test, scope));
            }
            StmtKind::Global(names) => self.scopes[scope].globals.extend(names.iter().cloned()),
        }
        Flow::Next
    }

    fn assign_all(&mut self, targets: &'a [Expr], value: &'a Expr, scope: usize) {
        let before = std::mem::replace(&mut self.assigned_to, targets.first().and_then(target_words));
        let mut val = self.eval(value, scope);
        self.assigned_to = before;
        if !self.control.loops.is_empty() && targets.iter().any(|target| grows(target, value)) {
            val = AbstractValue::located(ValueKind::Unknown, FileRange::new(self.scopes[scope].file, value.range));
        }
        for target in targets {
            self.assign(target, val.clone(), scope);
        }
    }

    /// Assigns a value to a target, and names the value after it.
    pub(super) fn assign(&mut self, target: &'a Expr, val: AbstractValue, scope: usize) {
        match &target.kind {
            ExprKind::Name(name) => {
                let class = self.definitions.class_name(&self.scopes, scope);
                let val = declare(val, name, class.as_deref());
                self.scopes.set(scope, name, val);
            }
            ExprKind::List(targets) => self.unpack(targets, &val, scope),
            ExprKind::Attribute(owner, name, _) => {
                let base = self.without_reads(|this| this.eval(owner, scope));
                // A method of a model falls back to what it can compute.
                if name == ATTENTION && self.scopes.owner("self", scope) != Some(scope) {
                    self.write_attention(owner, &val, FileRange::new(self.scopes[scope].file, target.range));
                }
                if name == "max_seq_length" {
                    self.limit_sentences(owner, &base, &val, FileRange::new(self.scopes[scope].file, target.range), scope);
                }
                if name == "requires_grad" {
                    self.set_requires_grad(&base, &val, FileRange::new(self.scopes[scope].file, target.range));
                } else {
                    self.write_field(&base, name, &val, FileRange::new(self.scopes[scope].file, target.range));
                    self.set_attribute(&base, name, &val);
                }
            }
            ExprKind::Subscript(base, index) => {
                self.set_deepspeed_key(base, index, &val, FileRange::new(self.scopes[scope].file, target.range));
                let base = self.without_reads(|this| this.eval(base, scope));
                let index = self.eval(index, scope);
                self.set_item(&base, &index, &val, FileRange::new(self.scopes[scope].file, target.range));
            }
            ExprKind::Other(inner) => {
                // A starred target takes the rest.
                for target in inner {
                    self.assign(target, AbstractValue::unknown(), scope);
                }
            }
            _ => {}
        }
    }

    fn unpack(&mut self, targets: &'a [Expr], val: &AbstractValue, scope: usize) {
        let starred = targets.iter().any(|target| matches!(target.kind, ExprKind::Other(_)));
        for (i, target) in targets.iter().enumerate() {
            let mut alternatives = Vec::new();
            for alt in &val.alternatives {
                let item = match &alt.kind {
                    ValueKind::Items(items) if !starred && items.len() == targets.len() => items[i].clone(),
                    _ => {
                        AbstractValue::new(ValueKind::Unknown, ValueSource { place: alt.source.place, ..ValueSource::default() })
                    }
                };
                alternatives.extend(item.alternatives.into_iter().map(|mut inner| {
                    inner.condition = conjoin(alt.condition.as_ref(), inner.condition.as_ref());
                    inner
                }));
            }
            self.assign(target, AbstractValue::from_alternatives(alternatives), scope);
        }
    }

    fn augmented_assignment(&mut self, target: &'a Expr, op: &'static str, value: &'a Expr, range: TextRange, scope: usize) {
        let place = FileRange::new(self.scopes[scope].file, range);
        let old = self.without_reads(|this| this.eval(target, scope));
        let new = self.eval(value, scope);
        if op == "|" && old.objects().next().is_some() {
            self.update_dict(&old, &new);
            return;
        }
        let result = if self.control.loops.is_empty() {
            self.binary(&old, op, &new, place)
        } else {
            AbstractValue::located(ValueKind::Unknown, place)
        };
        self.assign(target, result, scope);
    }

    fn return_value(&mut self, value: Option<&'a Expr>, range: TextRange, scope: usize) -> Flow {
        let val = match value {
            Some(value) => self.eval(value, scope),
            None => AbstractValue::located(ValueKind::Scalar(Value::Null), FileRange::new(self.scopes[scope].file, range)),
        };
        let condition = self.control.frames.last().and_then(|frame| {
            let conditions = frame.passed.iter().chain(self.control.guards.since(frame.guards));
            conjoin_all(conditions)
        });
        if let Some(frame) = self.control.frames.last_mut() {
            frame.returns.push((val, condition));
        }
        Flow::Stop
    }

    fn for_loop(&mut self, target: &'a Expr, iter: &'a Expr, body: &'a [Stmt], orelse: &'a [Stmt], scope: usize) {
        let over = self.eval(iter, scope);
        self.note_module_casts(target, iter, body, scope);
        if let Some(items) = visited_one_by_one(iter, &over).or_else(|| self.listed_objects(&over)) {
            for item in items.iter() {
                self.assign(target, item.clone(), scope);
                self.block(body, scope);
            }
            self.block(orelse, scope);
            return;
        }
        // The loop variable stands for all items, so only what they have in common is known.
        let part = self.visited_part(iter, &over, scope);
        let of_parts = part.is_some();
        let item = part.unwrap_or_else(|| match over.single().map(|alt| &alt.kind) {
            Some(ValueKind::Items(items)) if items.len() == 1 => items[0].clone(),
            Some(ValueKind::Items(items) | ValueKind::Bundle(items)) if !items.is_empty() => {
                let objects: Vec<AbstractValue> = items.iter().filter(|item| item.objects().next().is_some()).cloned().collect();
                if objects.is_empty() {
                    AbstractValue::unknown()
                } else {
                    AbstractValue::new(ValueKind::Bundle(Rc::new(objects)), ValueSource::default())
                }
            }
            _ => AbstractValue::located(ValueKind::Unknown, FileRange::new(self.scopes[scope].file, target.range)),
        });
        let item = if item.is_unknown() { self.walked_range(iter, scope).unwrap_or(item) } else { item };
        self.assign(target, item, scope);
        let times = match &iter.kind {
            ExprKind::Call(call) if call.callee.dotted().as_deref() == Some("range") && call.args.len() == 1 => {
                Some(self.without_reads(|this| this.eval(&call.args[0].value, scope)))
            }
            _ => None,
        };
        self.loop_body(times, of_parts, body, scope);
        self.block(orelse, scope);
    }

    fn loop_body(&mut self, times: Option<AbstractValue>, of_parts: bool, body: &'a [Stmt], scope: usize) {
        let id = self.training.next_loop_id();
        self.control.loops.push(Loop { id, times, of_parts, left_out: Vec::new() });
        self.block(body, scope);
        self.control.loops.pop();
    }

    fn with_block(&mut self, items: &'a [(Expr, Option<Expr>)], body: &'a [Stmt], scope: usize) -> Flow {
        let mut without_grad = 0;
        let mut catching = 0;
        for (context, target) in items {
            let val = self.eval(context, scope);
            if stops_gradients(context) {
                without_grad += 1;
            }
            catching += u32::from(expects_errors(context));
            if let Some(target) = target {
                self.assign(target, val, scope);
            }
        }
        self.training.without_grad += without_grad;
        self.control.catching += catching;
        let flow = self.block(body, scope);
        self.control.catching -= catching;
        self.training.without_grad -= without_grad;
        flow
    }

    fn define_function(&mut self, def: &'a Function, class: Option<usize>, scope: usize) {
        let decorators = self.decorators(&def.decorators, scope);
        let file = self.scopes[scope].file;
        let id = self.definitions.functions.len();
        let decorated = decorators.clone();
        self.definitions.functions.push(FunctionInfo { def, file, scope, class, decorators: decorated, runs: 0, is_used: false });
        let val = AbstractValue::located(ValueKind::Function { id, receiver: None }, FileRange::new(file, def.name_range));
        self.scopes.set(scope, &def.name, val.clone());
        if class.is_none() {
            self.decorate(&val, &decorators);
        }
        self.register_command(id);
    }

    fn define_class(&mut self, def: &'a Class, scope: usize) {
        let bases: Vec<AbstractValue> = def.bases.iter().map(|base| self.without_reads(|this| this.eval(base, scope))).collect();
        let decorated = def.decorators.iter().any(|decorator| self.is_record_maker(decorator, scope));
        let is_record = decorated || bases.iter().any(|base| self.definitions.makes_record(base));
        let file = self.scopes[scope].file;
        let body = self.scopes.open(Some(scope), file);
        self.scopes[body].is_class_body = true;
        let id = self.definitions.classes.len();
        self.definitions.classes.push(ClassInfo { def, file, scope: body, bases, is_record, made: false });
        for stmt in &def.body {
            if let StmtKind::Function(function) = &stmt.kind {
                self.define_function(function, Some(id), body);
            } else if self.budget.step() {
                self.statement(stmt, body);
            }
        }
        let val = AbstractValue::located(ValueKind::Class(id), FileRange::new(file, def.name_range));
        self.scopes.set(scope, &def.name, val.clone());
        let decorators = self.decorators(&def.decorators, scope);
        self.decorate(&val, &decorators);
    }
}

/// The items of a loop over the entries of a dict or the words of the command line: the code does something else for each.
fn visited_one_by_one(iter: &Expr, over: &AbstractValue) -> Option<Rc<Vec<AbstractValue>>> {
    let by_entry = match &iter.kind {
        ExprKind::Call(call) => matches!(&call.callee.kind, ExprKind::Attribute(_, name, _) if name == "items"),
        ExprKind::Subscript(base, _) => base.dotted().as_deref() == Some("sys.argv"),
        _ => false,
    };
    match &over.single()?.kind {
        ValueKind::Items(items) if by_entry => Some(Rc::clone(items)),
        _ => None,
    }
}

/// The name of an assignment's target, which tells calls apart: `eval_loader = DataLoader(…)`.
fn target_words(target: &Expr) -> Option<String> {
    match &target.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name, _) => Some(name.clone()),
        ExprKind::List(items) => items.iter().find_map(target_words),
        _ => None,
    }
}

/// Whether a value is computed from the target itself: in a loop it then differs between iterations.
fn grows(target: &Expr, value: &Expr) -> bool {
    let Some(name) = target.dotted() else { return false };
    match &value.kind {
        ExprKind::Binary(left, op, right) => {
            !matches!(*op, "and" | "or")
                && [left, right].iter().any(|side| side.dotted().as_deref() == Some(&name) || grows(target, side))
        }
        ExprKind::Call(call) => call
            .args
            .iter()
            .any(|arg| matches!(&arg.value.kind, ExprKind::Binary(..) | ExprKind::Call(_)) && grows(target, &arg.value)),
        _ => false,
    }
}

pub(super) fn is_exit(expr: &Expr) -> bool {
    let ExprKind::Call(call) = &expr.kind else { return false };
    matches!(call.callee.dotted().as_deref(), Some("sys.exit" | "exit" | "quit" | "os._exit"))
}

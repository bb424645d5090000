//! Notebooks of marimo: each cell is a function that takes the names of other cells and returns its own (marimo 0.17 `_ast/parse.py`,
//! `_runtime/dataflow.py`). `app.run()` runs the cells as one program, a cell after those that make its names.

use super::interpreter::Interpreter;
use std::collections::BTreeSet;
use vramlint_syntax::python::{Expr, ExprKind, Function, Stmt, StmtKind};

impl<'a> Interpreter<'a> {
    /// Runs the cells of a notebook: their names are those of the module.
    pub(super) fn run_cells(&mut self, module: &'a [Stmt], scope: usize) {
        for cell in cells(module) {
            for info in self.definitions.functions.iter_mut().filter(|info| std::ptr::eq(info.def, cell)) {
                info.runs += 1;
                info.is_used = true;
            }
            self.block(&cell.body, scope);
        }
    }
}

/// The cells of a notebook in the order in which they run; none if the module is no notebook.
fn cells(module: &[Stmt]) -> Vec<&Function> {
    let Some(app) = module.iter().find_map(app_name) else { return Vec::new() };
    let is_cell = |function: &Function| {
        function.decorators.iter().any(|decorator| {
            let callee = if let ExprKind::Call(call) = &decorator.kind { &call.callee } else { decorator };
            callee.dotted().as_deref().and_then(|name| name.strip_prefix(app)) == Some(".cell")
        })
    };
    let mut left: Vec<&Function> = module
        .iter()
        .filter_map(|stmt| if let StmtKind::Function(function) = &stmt.kind { Some(function) } else { None })
        .filter(|function| is_cell(function))
        .collect();
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let made_later: BTreeSet<&str> = left.iter().flat_map(|cell| returned_names(cell)).collect();
        let is_ready = |cell: &&Function| cell.params.iter().all(|param| !made_later.contains(param.name.as_str()));
        // A cycle, which marimo does not run, keeps the order of the file.
        let next = left.iter().position(is_ready).unwrap_or(0);
        ordered.push(left.remove(next));
    }
    ordered
}

/// The name of the notebook's app: `app = marimo.App()`.
fn app_name(stmt: &Stmt) -> Option<&str> {
    let StmtKind::Assign { targets, value: Some(value), .. } = &stmt.kind else { return None };
    let ExprKind::Call(call) = &value.kind else { return None };
    if call.callee.dotted().as_deref() != Some("marimo.App") {
        return None;
    }
    name(targets.first()?)
}

/// The names that a cell gives to others: `return model, tokenizer`.
fn returned_names(cell: &Function) -> Vec<&str> {
    let Some(StmtKind::Return(Some(value))) = cell.body.last().map(|stmt| &stmt.kind) else { return Vec::new() };
    match &value.kind {
        ExprKind::List(items) => items.iter().filter_map(name).collect(),
        _ => name(value).into_iter().collect(),
    }
}

fn name(expr: &Expr) -> Option<&str> {
    if let ExprKind::Name(name) = &expr.kind { Some(name) } else { None }
}

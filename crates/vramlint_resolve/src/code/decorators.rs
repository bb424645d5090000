//! Decorators of the project: they enter what they decorate in a registry.

use super::call_arguments::CallArguments;
use super::interpreter::Interpreter;
use super::value::{AbstractValue, ValueKind, place_of_value};
use vramlint_base::{FileRange, Value};
use vramlint_syntax::python::{Expr, ExprKind, Function, StmtKind};

impl<'a> Interpreter<'a> {
    pub(super) fn decorators(&mut self, exprs: &'a [Expr], scope: usize) -> Vec<AbstractValue> {
        exprs.iter().map(|decorator| self.without_reads(|this| this.eval(decorator, scope))).collect()
    }

    /// Calls the decorators that the project defines, for what they do. What they return is taken to be what they decorate, so a
    /// function is left alone by those that wrap it.
    pub(super) fn decorate(&mut self, decorated: &AbstractValue, decorators: &[AbstractValue]) {
        let Some(place) = place_of_value(decorated) else { return };
        let is_class = decorated.single().is_some_and(|alt| matches!(alt.kind, ValueKind::Class(_)));
        for decorator in decorators.iter().rev() {
            if let Some(ValueKind::Function { id, receiver }) = decorator.single().map(|alt| &alt.kind)
                && (is_class || returns_its_argument(self.definitions.functions[*id].def))
            {
                let args = CallArguments { positional: vec![decorated.clone()], ..CallArguments::default() };
                self.call_function(*id, *receiver, args, place);
            }
        }
    }
}

/// The batch with which accelerate 1.15.0 `utils/memory.py` begins where none is given.
const FIRST_BATCH: i64 = 128;

impl Interpreter<'_> {
    /// The arguments of a call with those that decorators of libraries put before them: `find_executable_batch_size` hands on the batch
    /// that it tries first.
    pub(super) fn with_decorated_arguments(&mut self, id: usize, mut args: CallArguments, place: FileRange) -> CallArguments {
        let (def, scope) = (self.definitions.functions[id].def, self.definitions.functions[id].scope);
        for decorator in &def.decorators {
            let (callee, given) = match &decorator.kind {
                ExprKind::Call(call) => (&call.callee, call.keyword("starting_batch_size").map(|given| &given.value)),
                _ => (decorator, None),
            };
            let name = callee.dotted();
            if name.as_deref().and_then(|path| path.rsplit('.').next()) == Some("find_executable_batch_size") {
                let first = match given {
                    Some(given) => self.eval(given, scope),
                    None => AbstractValue::located(ValueKind::Scalar(Value::Int(FIRST_BATCH)), place),
                };
                args.positional.insert(0, first);
            }
        }
        args
    }
}

fn returns_its_argument(function: &Function) -> bool {
    let is_parameter = |expr: &Expr| match &expr.kind {
        ExprKind::Name(name) => function.params.iter().any(|param| param.name == *name),
        _ => false,
    };
    function.body.iter().any(|stmt| matches!(&stmt.kind, StmtKind::Return(Some(expr)) if is_parameter(expr)))
}

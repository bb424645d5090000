//! Module and gradient hooks of distributed engines: those of `nn.Module` and of `AccumulateGrad`.

use super::{Mode, ParamId, Tape, Tensor};
use std::borrow::Borrow;
use std::rc::Rc;

/// A module that is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Module {
    /// A block of the model, from 1.
    Block(u32),
    /// A module that holds parameters itself: a linear layer, a norm, an embedding, a head.
    Leaf(Vec<ParamId>),
}

impl Module {
    /// A module with a weight and an optional bias.
    pub(crate) fn leaf(params: impl IntoIterator<Item = Option<ParamId>>) -> Self {
        Self::Leaf(params.into_iter().flatten().collect())
    }
}

/// What a scheme does at the edges of modules and when a gradient is complete.
pub(crate) trait Hooks {
    /// Before a module's forward.
    fn before_forward(&self, t: &Tape, module: &Module);
    /// After a module's forward.
    fn after_forward(&self, t: &Tape, module: &Module);
    /// Before a module's backward: the gradient of its output is there.
    fn before_backward(&self, t: &Tape, module: &Module);
    /// After a module's backward. Not called if no input of the module needs a gradient.
    fn after_backward(&self, t: &Tape, module: &Module);
    /// After `AccumulateGrad` of a parameter.
    fn gradient(&self, t: &Tape, id: ParamId);
    /// Linear layers run as DeepSpeed's `LinearFunctionForZeroStage3` instead of torch's own.
    fn replaces_linear(&self) -> bool {
        false
    }
}

impl Tape {
    /// Sets the hooks of subsequent module calls.
    pub(crate) fn set_hooks(&self, hooks: Option<Rc<dyn Hooks>>) {
        self.hooks.replace(hooks);
    }

    pub(in crate::tape) fn hooks(&self) -> Option<Rc<dyn Hooks>> {
        self.hooks.borrow().clone()
    }

    /// Calls a module: hooks run before and after `body`, and nodes before and after its operations run the hooks of backward.
    pub(crate) fn module(&self, module: Module, x: impl Borrow<Tensor>, body: impl FnOnce(&Self, &Tensor) -> Tensor) -> Tensor {
        let x = x.borrow();
        let Some(hooks) = self.hooks() else { return body(self, x) };
        if self.stopped.get() {
            return body(self, x);
        }
        let module = Rc::new(module);
        let input = if self.mode.get() != Mode::NoGrad && x.requires_grad() {
            let (hooks, module) = (Rc::clone(&hooks), Rc::clone(&module));
            self.record(&[x], Tensor { edge: None, ..x.clone() }, move |t, grad| {
                hooks.after_backward(t, &module);
                vec![Some(grad)]
            })
        } else {
            x.clone()
        };
        hooks.before_forward(self, &module);
        let output = body(self, &input);
        drop(input);
        if self.stopped.get() {
            // Recomputation ends with an exception, which skips what would have followed.
            return output;
        }
        hooks.after_forward(self, &module);
        if self.mode.get() != Mode::NoGrad && output.requires_grad() {
            let result = Tensor { edge: None, ..output.clone() };
            return self.record(&[&output], result, move |t, grad| {
                hooks.before_backward(t, &module);
                vec![Some(grad)]
            });
        }
        output
    }
}

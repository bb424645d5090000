//! Loops that give some modules of a model another type: `if "norm" in name: module = module.to(torch.float32)`.

use super::call_arguments::CallArguments;
use super::interpreter::Interpreter;
use vramlint_base::FileRange;
use vramlint_syntax::python::{Arm, Call, Expr, ExprKind, Stmt, StmtKind};

/// Modules to which a loop gives a type of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleCast {
    /// Which modules.
    pub modules: CastModules,
    /// Their new type: `fp32`, `fp16`, `bf16`.
    pub dtype: String,
}

/// The kinds of modules that such loops choose, by their class or by words of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastModules {
    /// Layers with adapters: `isinstance(module, LoraLayer)`.
    Adapters,
    /// Norms: `"norm" in name`.
    Norms,
    /// Embeddings and the head: `"lm_head" in name or "embed_tokens" in name`.
    Embeddings,
}

/// What a test says about the module that a loop visits.
enum Chosen {
    Kind(CastModules),
    /// Whatever module it is, or all that matter: `hasattr(module, "weight")`.
    Any,
    /// None: the test is false.
    None,
    /// Nobody knows which.
    Unclear,
}

impl<'a> Interpreter<'a> {
    /// Notes what a loop over the modules of a model casts, if it certainly runs.
    pub(super) fn note_module_casts(&mut self, target: &'a Expr, iter: &'a Expr, body: &'a [Stmt], scope: usize) {
        let ExprKind::List(names) = &target.kind else { return };
        let [name, module] = names.as_slice() else { return };
        let visits = iter
            .as_call()
            .is_some_and(|call| matches!(&call.callee.kind, ExprKind::Attribute(_, method, _) if method == "named_modules"));
        let (Some(name), Some(module)) = (name.as_name(), module.as_name()) else { return };
        if visits && self.control.guards.is_empty() {
            self.casts_in(body, (name, module), None, scope);
        }
    }

    fn casts_in(&mut self, body: &'a [Stmt], visited: (&str, &str), chosen: Option<CastModules>, scope: usize) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::If(branches) => {
                    for Arm { test, body, .. } in branches {
                        match test.as_ref().map_or(Chosen::Any, |test| self.chosen_by(test, visited, scope)) {
                            Chosen::Kind(kind) => self.casts_in(body, visited, Some(kind), scope),
                            Chosen::Any => {
                                self.casts_in(body, visited, chosen, scope);
                                break;
                            }
                            Chosen::None => {}
                            Chosen::Unclear => break,
                        }
                    }
                }
                StmtKind::Assign { value: Some(value), .. } | StmtKind::Expr(value) => {
                    let Some(modules) = chosen else { continue };
                    let cast = value.as_call().and_then(|call| self.cast_of(call, visited.1, scope));
                    self.facts.module_casts.extend(cast.map(|dtype| ModuleCast { modules, dtype }));
                }
                _ => {}
            }
        }
    }

    /// The type that a call gives the visited module.
    fn cast_of(&mut self, call: &'a Call, module: &str, scope: usize) -> Option<String> {
        let ExprKind::Attribute(base, method, _) = &call.callee.kind else { return None };
        if base.as_name() != Some(module) || !matches!(method.as_str(), "to" | "float" | "half" | "bfloat16") {
            return None;
        }
        let place = FileRange::new(self.scopes[scope].file, call.callee.range);
        let given = self.without_reads(|this| call.args.iter().map(|arg| this.eval(&arg.value, scope)).collect());
        let args = CallArguments { positional: given, ..CallArguments::default() };
        Self::cast_dtype(method, &args, place)?.constant()?.as_str().map(str::to_owned)
    }

    fn chosen_by(&mut self, test: &'a Expr, visited: (&str, &str), scope: usize) -> Chosen {
        if let ExprKind::Binary(left, "and", right) = &test.kind {
            return match (self.chosen_by(left, visited, scope), self.chosen_by(right, visited, scope)) {
                (Chosen::None, _) | (_, Chosen::None) => Chosen::None,
                (Chosen::Unclear, _) | (_, Chosen::Unclear) => Chosen::Unclear,
                (Chosen::Kind(kind), _) | (_, Chosen::Kind(kind)) => Chosen::Kind(kind),
                (Chosen::Any, Chosen::Any) => Chosen::Any,
            };
        }
        let asks = test.walk().any(|expr| expr.as_name() == Some(visited.1));
        let words: Vec<&str> = test.walk().filter_map(|expr| expr.as_value()?.as_str()).collect();
        let by_name = test.walk().any(|expr| expr.as_name() == Some(visited.0));
        if (asks || by_name) && test.walk().any(is_negated) {
            return Chosen::Unclear;
        }
        if asks {
            if by_name {
                return Chosen::Unclear;
            }
            if !test.walk().filter_map(Expr::as_call).any(asks_class) {
                // A layer that has weights, or whose weights have the type that is to be changed.
                return Chosen::Any;
            }
            let class = test.as_call().filter(|call| asks_class(call)).and_then(|call| call.positional(1)?.value.dotted());
            let Some(class) = class else { return Chosen::Unclear };
            return match class.rsplit('.').next() {
                Some(class) if class.contains("Lora") => Chosen::Kind(CastModules::Adapters),
                Some(class) if class.ends_with("Norm") => Chosen::Kind(CastModules::Norms),
                _ => Chosen::Unclear,
            };
        }
        if by_name {
            return kind_named(&words).map_or(Chosen::Unclear, Chosen::Kind);
        }
        let truth = self.without_reads(|this| this.eval(test, scope));
        match self.heap.truth(&truth) {
            Some(true) => Chosen::Any,
            Some(false) => Chosen::None,
            None => Chosen::Unclear,
        }
    }
}

fn asks_class(call: &Call) -> bool {
    call.callee.as_name() == Some("isinstance")
}

fn is_negated(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Unary("not", _) | ExprKind::Compare(_, "not in" | "!=" | "is not", _))
}

/// The kind of modules whose names have one of these words.
fn kind_named(words: &[&str]) -> Option<CastModules> {
    let is_embedding = |word: &&str| ["embed", "lm_head", "wte", "wpe"].iter().any(|part| word.contains(part));
    if words.is_empty() {
        None
    } else if words.iter().all(|word| word.contains("norm")) {
        Some(CastModules::Norms)
    } else if words.iter().all(is_embedding) {
        Some(CastModules::Embeddings)
    } else {
        None
    }
}

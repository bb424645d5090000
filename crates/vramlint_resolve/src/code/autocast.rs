//! `torch.autocast` and the policies of FSDP: the precision of a training loop.

use super::call_arguments::CallArguments;
use super::candidates::ReachedCall;
use super::conditions::conjoin;
use super::facts::CodeCandidate;
use super::facts_builder::Strength;
use super::interpreter::Interpreter;
use super::value::{AbstractValue, Alternative, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::value_readers::python_truth;
use vramlint_base::{FileRange, Value};
use vramlint_catalog::{Concept, Dialect};

impl Interpreter<'_> {
    /// Emits the type in which a block of a training computes.
    pub(super) fn call_autocast(&mut self, path: &Rc<str>, args: &CallArguments, place: FileRange) {
        // `torch.cuda.amp.autocast(enabled, dtype)` and `torch.autocast(device_type, dtype, enabled)`.
        let (device, enabled) = if path.contains(".cuda.") {
            (None, args.arg("enabled", 0))
        } else {
            (args.arg("device_type", 0), args.arg("enabled", 2))
        };
        let on_host = device.and_then(AbstractValue::constant).and_then(Value::as_str) == Some("cpu");
        if on_host || self.in_evaluation() || self.training.without_grad > 0 {
            return;
        }
        let default = AbstractValue::located(ValueKind::Scalar(Value::Text("fp16".to_owned())), place);
        let dtype = args.arg("dtype", 1).cloned().map_or(default.clone(), |dtype| match dtype.constant() {
            Some(Value::Null) => default,
            _ => dtype,
        });
        let value = match enabled {
            // A block that only leaves autocast says nothing of the rest.
            Some(enabled) if enabled.constant() == Some(&Value::Bool(false)) => return,
            Some(enabled) => where_enabled(enabled, &dtype),
            None => dtype,
        };
        self.emit_precision(&value, ReachedCall { path, key: "dtype", place });
    }

    /// The type in which FSDP computes.
    pub(super) fn call_fsdp_precision(&mut self, path: &Rc<str>, args: &CallArguments, place: FileRange) {
        if let Some(dtype) = args.arg("param_dtype", 0).cloned() {
            self.emit_precision(&dtype, ReachedCall { path, key: "param_dtype", place });
        }
    }

    fn emit_precision(&mut self, value: &AbstractValue, reached: ReachedCall<'_>) {
        self.candidates().emit_key(Dialect::Plain, "amp_dtype", value, reached);
    }
}

/// The type where autocast is enabled, `no` where it is not.
fn where_enabled(enabled: &AbstractValue, dtype: &AbstractValue) -> AbstractValue {
    let mut alternatives = Vec::new();
    for alt in &enabled.alternatives {
        let source = ValueSource { option: None, loaded: None, ..(*alt.source).clone() };
        let made = |kind| Alternative { kind, source: Rc::new(source), ..alt.clone() };
        match &alt.kind {
            ValueKind::Scalar(value) if python_truth(value) => alternatives.extend(
                dtype
                    .alternatives
                    .iter()
                    .map(|own| Alternative { condition: conjoin(alt.condition.as_ref(), own.condition.as_ref()), ..own.clone() }),
            ),
            ValueKind::Scalar(_) => alternatives.push(made(ValueKind::Scalar(Value::Text("no".to_owned())))),
            _ => alternatives.push(made(ValueKind::Unknown)),
        }
    }
    AbstractValue::from_alternatives(alternatives)
}

/// Whether a candidate is the precision of autocast or FSDP, which decides in a loop of the project only: trainers and engines bring their own.
pub(super) fn is_overruled(candidate: &(Concept, Strength, CodeCandidate), dialect: Option<Dialect>) -> bool {
    let of_torch = candidate.2.call.as_deref().is_some_and(|call| call.starts_with("torch."));
    candidate.0 == Concept::MixedPrecision && of_torch && dialect != Some(Dialect::Plain)
}

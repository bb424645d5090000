//! What leaves the visible code: functions, models and objects that are handed to a library.

use super::call_arguments::CallArguments;
use super::control_flow::DeferredCall;
use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::value::{AbstractValue, ValueKind};

impl Interpreter<'_> {
    /// Arguments that leave the visible code: they may be called, read and trained there.
    pub(super) fn escape(&mut self, args: &CallArguments) {
        for val in args.values() {
            self.escape_value(val, 4);
        }
    }

    fn escape_value(&mut self, val: &AbstractValue, depth: u32) {
        if depth == 0 {
            return;
        }
        for alt in &val.alternatives {
            match &alt.kind {
                ValueKind::Function { id, receiver } => {
                    self.note_use(*id, alt.condition.is_none());
                    self.deferred.push_back(DeferredCall::Function(*id, *receiver));
                }
                ValueKind::Items(items) | ValueKind::Bundle(items) => {
                    items.iter().for_each(|item| self.escape_value(item, depth - 1));
                }
                ValueKind::Object(id) => match self.heap[*id].kind.clone() {
                    ObjectKind::Model(load) => self.facts.models[load].escaped = true,
                    ObjectKind::Instance { class, .. } if !self.reads.is_muted() => {
                        if self.definitions.classes[class].is_record {
                            self.read_fields(*id, class);
                        } else {
                            self.deferred.push_back(DeferredCall::Instance(*id));
                        }
                    }
                    ObjectKind::Dict { entries, .. } => entries.iter().for_each(|(_, val)| {
                        self.reads.log(val);
                        self.escape_value(val, depth - 1);
                    }),
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// Notes that a function is called or handed on; `certain`: whatever the value that names it.
    pub(super) fn note_use(&mut self, id: usize, certain: bool) {
        let used = certain && self.control.condition().is_none();
        self.definitions.functions[id].is_used |= used;
    }
}

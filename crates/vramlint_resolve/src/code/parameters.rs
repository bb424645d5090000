//! Binds the parameters of functions of the project: arguments, defaults, `*args` and `**kwargs`.

use super::call_arguments::CallArguments;
use super::heap::{FieldSource, ObjectKind};
use super::interpreter::Interpreter;
use super::value::{AbstractValue, ValueKind, ValueSource, declare, hidden};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_syntax::python::{Expr, Function, Param, ParamKind};

impl<'a> Interpreter<'a> {
    pub(super) fn bind_parameters(
        &mut self,
        id: usize,
        scope: usize,
        receiver: Option<usize>,
        mut args: CallArguments,
        root: bool,
    ) {
        let (def, parent, class, file) = {
            let info = &self.definitions.functions[id];
            (info.def, info.scope, info.class, info.file)
        };
        let has_decorator = |word: &str| def.decorators.iter().any(|decorator| decorator.dotted().as_deref() == Some(word));
        let mut positional = std::mem::take(&mut args.positional).into_iter();
        let mut first = class.is_some() && !has_decorator("staticmethod");
        for param in &def.params {
            let val = match param.kind {
                ParamKind::Plain if first && receiver.is_some() => receiver
                    .map_or_else(AbstractValue::unknown, |id| AbstractValue::new(ValueKind::Object(id), ValueSource::default())),
                ParamKind::Plain if first && has_decorator("classmethod") => class
                    .map_or_else(AbstractValue::unknown, |id| AbstractValue::new(ValueKind::Class(id), ValueSource::default())),
                ParamKind::Args => {
                    let rest: Vec<AbstractValue> = positional.by_ref().collect();
                    if args.open {
                        AbstractValue::unknown()
                    } else {
                        AbstractValue::located(ValueKind::Items(Rc::new(rest)), FileRange::new(file, param.range))
                    }
                }
                ParamKind::Kwargs => self.rest_of_keywords(&mut args, def, FileRange::new(file, param.range)),
                ParamKind::Plain | ParamKind::KeywordOnly => {
                    let from_position = if param.kind == ParamKind::Plain { positional.next() } else { None };
                    let given_val = from_position.or_else(|| args.get(&param.name).cloned());
                    match given_val {
                        Some(val) => declare(val, &param.name, None),
                        None => self.missing_argument(param, parent, &args, root, file),
                    }
                }
            };
            first = false;
            self.scopes[scope].vars.insert(param.name.clone(), val);
        }
    }

    /// The value of a parameter without an argument.
    fn missing_argument(
        &mut self,
        param: &'a Param,
        scope: usize,
        args: &CallArguments,
        root: bool,
        file: vramlint_base::FileId,
    ) -> AbstractValue {
        let place = FileRange::new(file, param.range);
        if let Some((load, route)) = &args.unpacked_block {
            let default = param.default.as_ref().map(|default| self.default_of(default, param, scope, true));
            return self.loaded_key_or(*load, &Rc::new(route.clone()), &param.name, default, place);
        }
        if let Some(default) = &param.default {
            let val = self.default_of(default, param, scope, root || args.open);
            return if root || !args.open { val } else { hidden(val) };
        }
        if root && let Some(annotation) = &param.annotation {
            let class = self.without_reads(|this| this.eval(annotation, scope));
            if let Some(ValueKind::Class(class)) = class.single().map(|alt| alt.kind.clone())
                && self.definitions.classes[class].is_record
            {
                return AbstractValue::located(
                    ValueKind::Object(self.instantiate_uncalled(class, FieldSource::Overridable)),
                    place,
                );
            }
        }
        let source =
            ValueSource { place: Some(place), name: param.name.clone(), may_be_overridden: true, ..ValueSource::default() };
        AbstractValue::new(ValueKind::Unknown, source)
    }

    pub(super) fn default_of(
        &mut self,
        default: &'a Expr,
        param: &Param,
        scope: usize,
        may_be_overridden: bool,
    ) -> AbstractValue {
        let val = self.without_reads(|this| this.eval(default, scope));
        declare(val, &param.name, None).map_source(|source| {
            source.may_be_overridden |= may_be_overridden;
            source.default = true;
        })
    }

    /// `**kwargs`: the keywords that no parameter takes.
    fn rest_of_keywords(&mut self, args: &mut CallArguments, def: &Function, place: FileRange) -> AbstractValue {
        let has_parameter = |name: &str| {
            def.params.iter().any(|param| param.name == name && matches!(param.kind, ParamKind::Plain | ParamKind::KeywordOnly))
        };
        let mut entries: Vec<(Value, AbstractValue)> = Vec::new();
        for (name, val) in args.keyword.iter().filter(|(name, _)| !has_parameter(name)) {
            let key = Value::Text(name.clone());
            entries.retain(|(known, _)| *known != key);
            entries.push((key, val.clone()));
        }
        let open = args.open || args.unpacked_block.is_some();
        AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Dict { entries, open })), place)
    }
}

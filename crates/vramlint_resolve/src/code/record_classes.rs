//! Record classes of the project: dataclasses and similar classes with declared fields.

use super::call_arguments::CallArguments;
use super::command_line::{OptionForm, WordType};
use super::heap::{FieldSource, ObjectKind};
use super::interpreter::Interpreter;
use super::library_classes;
use super::qualified_name::leaf;
use super::value::{AbstractValue, ValueKind, ValueSource, declare};
use vramlint_base::FileRange;
use vramlint_syntax::python::{Expr, ExprKind};

/// The attribute that holds the parser of a class that derives from one of a library.
pub(super) const PARSER: &str = "__parser__";

impl<'a> Interpreter<'a> {
    /// Whether a decorator turns a class into a record.
    pub(super) fn is_record_maker(&mut self, decorator: &'a Expr, scope: usize) -> bool {
        let callee = if let ExprKind::Call(call) = &decorator.kind { &call.callee } else { decorator };
        let path = self.without_reads(|this| this.eval(callee, scope)).library_path();
        let name = path.as_deref().map(leaf).map(str::to_string).or_else(|| callee.dotted());
        matches!(name.as_deref().map(leaf), Some("dataclass" | "define" | "frozen" | "attrs"))
    }

    /// Calls a class of the project.
    pub(super) fn instantiate(&mut self, class: usize, args: &CallArguments, place: FileRange) -> AbstractValue {
        self.definitions.classes[class].made = true;
        let rest = match &args.unpacked_block {
            Some((load, route)) => FieldSource::Loaded(*load, route.clone()),
            None if args.open && self.definitions.classes[class].is_record => FieldSource::Hidden,
            None => FieldSource::Class,
        };
        let id = self.new_object(ObjectKind::Instance { class, rest });
        let val = AbstractValue::located(ValueKind::Object(id), place);
        if self.definitions.external_base(class).is_some_and(|base| library_classes::is_optimizer(&base)) {
            self.own_optimizer(class, args, place);
        }
        if let Some(function) = self.definitions.initializer(&self.scopes, class) {
            self.call_function(function, Some(id), args.clone(), place);
            self.hold_called_model(id, class);
            return val;
        }
        if self.definitions.classes[class].is_record {
            let owner = self.definitions.classes[class].def.name.clone();
            let fields = self.definitions.fields(class);
            for (name, value) in fields.iter().zip(&args.positional) {
                self.heap[id].attributes.insert(name.clone(), declare(value.clone(), name, Some(&owner)));
            }
            for (name, value) in &args.keyword {
                let value = declare(value.clone(), name, Some(&owner));
                self.heap[id].attributes.insert(name.clone(), value);
            }
            self.emit_fields(class, Some(args), place);
            if let Some(ValueKind::Function { id: function, .. }) = self
                .definitions
                .class_attribute(&self.scopes, class, "__post_init__")
                .and_then(|val| val.single().map(|alt| alt.kind.clone()))
            {
                self.call_function(function, Some(id), CallArguments::default(), place);
            }
        } else if let Some(base) = self.definitions.external_base(class) {
            self.initialize_library_base(&base, id, args, place);
            if matches!(leaf(&base), "HfArgumentParser" | "TrlParser")
                && let Some(parser) = self.parser_call(&base, args, place)
            {
                self.heap[id].attributes.insert(PARSER.to_owned(), parser);
            }
        }
        val
    }

    /// An optimizer that the project writes: its first parameter takes what it trains, `lr` the learning rate.
    fn own_optimizer(&mut self, class: usize, args: &CallArguments, place: FileRange) {
        let name = self.definitions.classes[class].def.name.clone();
        let Some(function) = self.definitions.initializer(&self.scopes, class) else {
            return self.call_optimizer(&name, args, place);
        };
        let (def, scope) = (self.definitions.functions[function].def, self.definitions.functions[function].scope);
        let params: Vec<_> = def.params.iter().skip(1).collect();
        let Some(first) = params.first() else { return };
        // One that wraps another optimizer has no parameters of its own.
        if first.name.contains("optim") {
            return;
        }
        let mut given = CallArguments::default();
        given.positional.extend(args.arg(&first.name, 0).cloned());
        if let Some(index) = params.iter().position(|param| param.name == "lr") {
            let default = params[index].default.as_ref();
            let rate = args.arg("lr", index).cloned();
            let rate = rate.or_else(|| default.filter(|_| !args.open).map(|default| self.eval(default, scope)));
            given.keyword.extend(rate.map(|rate| ("lr".to_owned(), rate)));
        }
        self.call_optimizer(&name, &given, place);
    }

    /// Emits the fields of a class that derives from a library's argument class: its own defaults and its arguments.
    pub(super) fn emit_fields(&mut self, class: usize, args: Option<&CallArguments>, place: FileRange) {
        let Some(base) = self.definitions.external_base(class) else { return };
        let Some(kind) = library_classes::argument_class(&base) else { return };
        if let Some(args) = args {
            self.emit_arguments(&base, kind, args, place);
        }
        for name in self.definitions.fields(class) {
            if args.is_some_and(|args| args.get(&name).is_some()) {
                continue;
            }
            if let Some(val) = self.definitions.class_attribute(&self.scopes, class, &name) {
                let form = self.field_form(class, &name);
                let val = if args.is_none() { self.command_line.as_option_value(val, &name, &[], &form) } else { val };
                self.candidates().emit_default(kind.dialect, &name, &val, &base);
            }
        }
    }

    /// What a parser of dataclasses does with the words of a field, by its annotation.
    pub(super) fn field_form(&self, class: usize, name: &str) -> OptionForm {
        let Some((owner, annotation)) = self.definitions.annotation(class, name) else { return OptionForm::default() };
        let file = self.definitions.classes[owner].file;
        form_of_annotation(self.sources.text(FileRange::new(file, annotation.range)))
    }

    /// Marks the fields of an instance as read, which leaves the visible code: what it got, else the defaults of its class.
    pub(super) fn read_fields(&mut self, instance: usize, class: usize) {
        let whole = AbstractValue::new(ValueKind::Object(instance), ValueSource::default());
        for name in self.definitions.fields(class) {
            let val = self.attribute(&whole, &name, self.sources.entry_start());
            self.reads.log(&val);
        }
    }
}

/// `Optional[List[str]]` is a list of strings, `bool | None` a boolean.
fn form_of_annotation(text: &str) -> OptionForm {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'')).collect();
    let text = text.strip_prefix("Optional[").and_then(|rest| rest.strip_suffix(']')).unwrap_or(&text);
    let text = text.strip_suffix("|None").or_else(|| text.strip_prefix("None|")).unwrap_or(text);
    let item =
        ["List[", "list[", "Sequence[", "typing.List["].iter().find_map(|start| text.strip_prefix(start)?.strip_suffix(']'));
    let list = item.is_some() || matches!(text, "list" | "List");
    let word = match item.unwrap_or(text) {
        "str" => WordType::Text,
        "int" => WordType::Int,
        "float" => WordType::Float,
        "bool" => WordType::Flag,
        _ => WordType::Guessed,
    };
    OptionForm { word, list, ..OptionForm::default() }
}

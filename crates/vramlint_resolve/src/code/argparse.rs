//! `ArgumentParser.add_argument`.

use super::call_arguments::CallArguments;
use super::command_line::{OptionDeclaration, OptionForm, WordType, dest_of};
use super::interpreter::Interpreter;
use super::qualified_name::leaf;
use super::value::{AbstractValue, ValueKind};
use vramlint_base::{FileRange, Value};

impl Interpreter<'_> {
    pub(super) fn add_argument(&mut self, parser: usize, args: &CallArguments, place: FileRange) {
        let mut names: Vec<String> =
            args.positional.iter().filter_map(|val| val.constant().and_then(Value::as_str).map(str::to_string)).collect();
        let explicit = args.get("dest").and_then(AbstractValue::constant).and_then(Value::as_str).map(str::to_string);
        let dest = explicit.unwrap_or_else(|| dest_of(&names));
        if dest.is_empty() {
            return;
        }
        let action = args.get("action").and_then(AbstractValue::constant).and_then(Value::as_str);
        let negatable =
            args.get("action").and_then(AbstractValue::library_path).is_some_and(|path| leaf(&path) == "BooleanOptionalAction");
        let mut default = args.get("default").cloned();
        if default.is_none() && matches!(action, Some("store_true" | "store_false")) {
            default = Some(AbstractValue::located(ValueKind::Scalar(Value::Bool(action == Some("store_false"))), place));
        }
        let kind = args.get("type").and_then(AbstractValue::library_path);
        if let (Some(kind), Some(val)) = (kind.as_deref(), &default)
            && let Some(Value::Text(_)) = val.nominal()
        {
            // argparse converts a default that is a string to the option's type.
            default = Some(self.call_builtin(
                leaf(kind),
                &CallArguments { positional: vec![val.clone()], ..CallArguments::default() },
                place,
            ));
        }
        let mut form = self.argument_form(parser, &names, action, args);
        if negatable {
            form = OptionForm::switch(true);
            let negated: Vec<String> =
                names.iter().filter_map(|name| name.strip_prefix("--")).map(|name| format!("--no-{name}")).collect();
            names.extend(negated);
        }
        form.converted = self.converted_word(&dest, &names, args, place);
        self.add_option(parser, OptionDeclaration { names, dest, default, place, form });
    }

    /// What the parser does with the words of an argument.
    fn argument_form(&mut self, parser: usize, names: &[String], action: Option<&str>, args: &CallArguments) -> OptionForm {
        let constant = args.get("const").and_then(|val| self.heap.as_data(val));
        let count = args.get("nargs").and_then(AbstractValue::constant);
        let optional = matches!(count, Some(Value::Text(count)) if count == "?" || count == "*");
        let list =
            matches!(count, Some(Value::Int(_))) || matches!(count, Some(Value::Text(count)) if count == "+" || count == "*");
        let by_position = names.first().is_some_and(|name| !name.starts_with('-'));
        let position = by_position.then(|| {
            let next = self.command_line.positions.entry(parser).or_default();
            *next += 1;
            *next - 1
        });
        let word = match args.get("type").and_then(AbstractValue::library_path).as_deref() {
            Some("builtins.int") => WordType::Int,
            Some("builtins.float") => WordType::Float,
            Some("builtins.str") => WordType::Text,
            Some("builtins.bool") => WordType::Truth,
            Some(path) if is_boolean_converter(leaf(path)) => WordType::Flag,
            _ => WordType::Guessed,
        };
        OptionForm {
            word,
            list: list || matches!(action, Some("append" | "extend")),
            switch: matches!(action, Some("store_true" | "store_false" | "store_const" | "count")),
            switched: match action {
                Some("store_false") => Some(Value::Bool(false)),
                Some("store_true") => Some(Value::Bool(true)),
                _ => constant,
            },
            converted: None,
            position,
            required: by_position && !optional
                || args.get("required").is_some_and(|val| val.constant() != Some(&Value::Bool(false))),
        }
    }

    /// The word of the launch as a function of the project converts it: `type=str2bool`.
    fn converted_word(&mut self, dest: &str, names: &[String], args: &CallArguments, place: FileRange) -> Option<Value> {
        let kind = args.get("type")?.single()?.kind.clone();
        let ValueKind::Function { id, receiver } = kind else { return None };
        let word = self.command_line.arguments.option(dest, names)?.words.first()?.clone()?;
        let words = AbstractValue::located(ValueKind::Scalar(Value::Text(word.clone())), place);
        let arguments = CallArguments { positional: vec![words], ..CallArguments::default() };
        let result = self.call_function(id, receiver, arguments, place);
        if let Some(value) = result.constant() {
            return Some(value.clone());
        }
        // It converts in a way that is not visible: a word for a boolean is one.
        match word.to_lowercase().as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        }
    }
}

/// `strtobool`, `str2bool`, `_str_to_bool`.
fn is_boolean_converter(name: &str) -> bool {
    let name = name.to_lowercase().replace('_', "");
    matches!(name.as_str(), "strtobool" | "str2bool" | "string2bool" | "stringtobool")
}

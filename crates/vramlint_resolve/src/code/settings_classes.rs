//! Classes of pydantic-settings, whose fields come from variables of the environment.

use super::call_arguments::CallArguments;
use super::interpreter::Interpreter;
use super::qualified_name::leaf;
use super::value::{AbstractValue, ValueKind, hidden};
use vramlint_base::{FileRange, Value};

impl Interpreter<'_> {
    /// Whether a class derives from `BaseSettings`.
    pub(super) fn is_settings_class(&self, class: usize) -> bool {
        self.definitions.external_base(class).is_some_and(|base| leaf(&base) == "BaseSettings")
    }

    /// A field that no argument gives: the variable of its name in upper case, else the default. A class that configures its sources
    /// may read a file, the command line or other names (pydantic-settings 2.12 `sources`).
    pub(super) fn settings_field(&mut self, class: usize, name: &str, default: AbstractValue, place: FileRange) -> AbstractValue {
        let configured = ["model_config", "Config", "settings_customise_sources"];
        if configured.iter().any(|attribute| self.definitions.class_attribute(&self.scopes, class, attribute).is_some()) {
            return hidden(default);
        }
        let name = AbstractValue::located(ValueKind::Scalar(Value::Text(name.to_uppercase())), place);
        let args = CallArguments { positional: vec![name, default.clone()], ..CallArguments::default() };
        self.environment_call("os.getenv", &args, place).unwrap_or(default)
    }
}

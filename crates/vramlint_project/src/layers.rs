//! The layers below, in one place: what reads a text, what joins files into a project, and which rules look at it.

use crate::discovery::form::Form;
use vramlint_resolve::{Policy, Project, SourceFile, Syntax};
use vramlint_rules::Rule;
use vramlint_syntax::decode::Decoded;
use vramlint_syntax::embedded::{self, Embedded, Language};
use vramlint_syntax::{json, python, shell, yaml};

/// What the project layer needs of the layers below. Tests of this layer bring their own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layers {
    /// Bytes to text.
    pub decode: fn(Vec<u8>) -> Decoded,
    /// Text to tree.
    pub parse: fn(Form, &str) -> Syntax,
    /// The texts inside a text.
    pub embedded: fn(Form, &str) -> Vec<Embedded>,
    /// Files to project.
    pub resolve: fn(Vec<SourceFile>, Vec<Policy>) -> Project,
    /// The rules.
    pub rules: &'static [&'static Rule],
}

impl Layers {
    /// The real ones.
    pub(crate) fn real() -> Self {
        Self { decode: vramlint_syntax::decode::decode, parse, embedded, resolve: Project::new, rules: &vramlint_rules::RULES }
    }
}

fn parse(form: Form, text: &str) -> Syntax {
    match form {
        Form::Yaml | Form::Workflow => Syntax::Data(yaml::parse(text).into()),
        Form::Json => Syntax::Data(json::parse(text).into()),
        Form::Python => Syntax::Python(python::parse(text).into()),
        Form::Bash => Syntax::Script(shell::parse_bash(text).into()),
        Form::PowerShell => Syntax::Script(shell::parse_powershell(text).into()),
        Form::Batch => Syntax::Script(shell::parse_batch(text).into()),
        Form::Variables => Syntax::Script(shell::parse_dotenv(text).into()),
        Form::Markdown | Form::Makefile | Form::Dockerfile | Form::Text => Syntax::Text,
    }
}

fn embedded(form: Form, text: &str) -> Vec<Embedded> {
    match form {
        Form::Markdown | Form::Text => embedded::markdown(text),
        Form::Makefile => embedded::makefile(text),
        Form::Dockerfile => embedded::dockerfile(text),
        Form::Workflow => embedded::workflow(text),
        _ => Vec::new(),
    }
}

/// How an embedded text is read.
pub(crate) fn form_of(language: Language) -> Form {
    match language {
        Language::Yaml => Form::Yaml,
        Language::Json => Form::Json,
        Language::Python => Form::Python,
        Language::Bash => Form::Bash,
        Language::PowerShell => Form::PowerShell,
        Language::Toml => Form::Text,
    }
}

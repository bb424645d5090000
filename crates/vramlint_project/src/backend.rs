//! The lower layers as one value: parsers, resolver and rules.

use crate::discovery::file_format::FileFormat;
use vramlint_resolve::{Project, SourceSet, Syntax};
use vramlint_rules::Rule;
use vramlint_syntax::decode::Decoded;
use vramlint_syntax::embedded::{self, Embedded, Language};
use vramlint_syntax::{json, python, shell, yaml};

/// The functions of the lower layers that this crate calls. Tests substitute small ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backend {
    /// Decodes bytes to text.
    pub decode: fn(Vec<u8>) -> Decoded,
    /// Parses text to a tree.
    pub parse: fn(FileFormat, &str) -> Syntax,
    /// Finds the texts embedded in a text.
    pub embedded: fn(FileFormat, &str) -> Vec<Embedded>,
    /// Resolves files into a project.
    pub resolve: fn(SourceSet) -> Project,
    /// The rules.
    pub rules: &'static [&'static Rule],
}

impl Backend {
    /// The real parsers, resolver and rules.
    pub(crate) fn standard() -> Self {
        Self { decode: vramlint_syntax::decode::decode, parse, embedded, resolve: Project::new, rules: &vramlint_rules::RULES }
    }
}

fn parse(format: FileFormat, text: &str) -> Syntax {
    match format {
        FileFormat::Yaml | FileFormat::Workflow => Syntax::Data(yaml::parse(text).into()),
        FileFormat::Json => Syntax::Data(json::parse(text).into()),
        FileFormat::Python => Syntax::Python(python::parse(text).into()),
        FileFormat::Bash => Syntax::Script(shell::parse_bash(text).into()),
        FileFormat::PowerShell => Syntax::Script(shell::parse_powershell(text).into()),
        FileFormat::Batch => Syntax::Script(shell::parse_batch(text).into()),
        FileFormat::EnvFile => Syntax::Script(shell::parse_dotenv(text).into()),
        FileFormat::Markdown | FileFormat::Makefile | FileFormat::Dockerfile | FileFormat::Text => Syntax::Text,
    }
}

fn embedded(format: FileFormat, text: &str) -> Vec<Embedded> {
    match format {
        FileFormat::Markdown | FileFormat::Text => embedded::markdown(text),
        FileFormat::Makefile => embedded::makefile(text),
        FileFormat::Dockerfile => embedded::dockerfile(text),
        FileFormat::Workflow => embedded::workflow(text),
        FileFormat::Yaml => embedded::job_file(text).into_iter().chain(embedded::yaml_head(text)).collect(),
        FileFormat::Python => embedded::python_head(text).into_iter().chain(embedded::python_commands(text)).collect(),
        _ => Vec::new(),
    }
}

/// The format of an embedded text.
pub(crate) fn embedded_format(language: Language) -> FileFormat {
    match language {
        Language::Yaml => FileFormat::Yaml,
        Language::Json => FileFormat::Json,
        Language::Python => FileFormat::Python,
        Language::Bash => FileFormat::Bash,
        Language::PowerShell => FileFormat::PowerShell,
        Language::Toml => FileFormat::Text,
    }
}

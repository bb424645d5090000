//! Scripts that hand their whole command line to a framework: `src/train.py` of LLaMA-Factory, in a copy of it or elsewhere.
//!
//! Such a run has the settings of the framework's arguments, whatever branches its code has.

use super::precedence::{CandidateSet, SourceLayer, known};
use crate::code::CodeFacts;
use crate::file_graph::FileGraph;
use crate::launch::Launch;
use crate::setting::Origin;
use vramlint_base::{FileId, Value};
use vramlint_catalog::{Concept, Dialect, LibraryVersions, dialect};
use vramlint_syntax::python::{Module, StmtKind};

/// The framework that a script hands its command line to.
pub(super) fn framework_of(graph: &FileGraph, entry: FileId) -> Option<Dialect> {
    let module = graph.file(entry).python()?;
    Dialect::ALL.iter().copied().find(|dialect| hands_over(module, dialect.programs))
}

/// Whether a script takes its whole configuration from the command line: without one it does not start, and one per configuration is
/// a run.
pub(super) fn needs_configuration(graph: &FileGraph, entry: FileId) -> bool {
    let Some(module) = graph.file(entry).python() else { return false };
    let known: Vec<&str> = Dialect::ALL.iter().flat_map(|dialect| dialect.parsing_decorators).copied().collect();
    let mut decorators = module.statements().flat_map(|located| match &located.stmt.kind {
        StmtKind::Function(function) => function.decorators.as_slice(),
        _ => &[],
    });
    decorators.any(|decorator| {
        let path = decorator.dotted().map(|path| qualified(module, &path));
        path.is_some_and(|path| known.contains(&path.as_str()))
    })
}

/// A dotted path with the first name as the module imports it.
fn qualified(module: &Module, path: &str) -> String {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let imported = module.statements().find_map(|located| match &located.stmt.kind {
        StmtKind::FromImport { module, level: 0, names } => {
            let own = names.iter().find(|imported| imported.alias.as_deref().unwrap_or(&imported.name) == first)?;
            Some(format!("{module}.{}", own.name))
        }
        _ => None,
    });
    match imported {
        Some(imported) if rest.is_empty() => imported,
        Some(imported) => format!("{imported}.{rest}"),
        None => path.to_owned(),
    }
}

/// Whether a module imports one of these functions outside of its own, and passes it nothing.
fn hands_over(module: &Module, programs: &[(&str, &str)]) -> bool {
    let is_program = |path: &str, name: &str| {
        let package = path.split('.').next().unwrap_or(path);
        programs.contains(&(package, name))
    };
    !programs.is_empty()
        && module.statements().filter(|located| located.context.at_module_level()).any(|located| match &located.stmt.kind {
            StmtKind::FromImport { module: path, level: 0, names } => names.iter().any(|imported| {
                let name = imported.alias.as_deref().unwrap_or(&imported.name);
                let passes = |call: vramlint_syntax::python::CallSite<'_>| {
                    call.call.callee.dotted().as_deref() == Some(name) && !call.call.args.is_empty()
                };
                is_program(path, &imported.name) && !module.calls().any(passes)
            }),
            _ => false,
        })
}

/// Whether a command starts such a script to do something else: to predict, to evaluate.
pub(super) fn trains(graph: &FileGraph, dialect: Dialect, launch: &Launch) -> bool {
    let Some(key) = dialect.estimate.trains_if else { return true };
    let options = launch.options();
    let switched = options.iter().rfind(|option| option.name == key).map(|option| option.value.as_ref());
    match switched {
        Some(value) => value.and_then(|value| value.text.as_deref()).is_none_or(|text| !text.eq_ignore_ascii_case("false")),
        // A file among the words may say so.
        None => launch
            .arguments
            .iter()
            .any(|word| !word.text().is_some_and(|text| text.starts_with('-')) && is_file(graph, launch, word)),
    }
}

fn is_file(graph: &FileGraph, launch: &Launch, word: &vramlint_syntax::shell::Word) -> bool {
    let Some(text) = word.text() else { return true };
    graph.path_resolver.resolve(text, &launch.directory).is_some_and(|file| graph.file(file).is_data())
}

/// Adds the defaults that a copy of the framework in the project declares for its arguments.
pub(super) fn add_own_defaults(
    candidates: &mut CandidateSet,
    code: &CodeFacts,
    dialect: Dialect,
    task: Option<&str>,
    versions: &LibraryVersions,
) {
    for option in &code.options {
        let (Some(value), Some(place)) = (&option.default, option.default_place) else { continue };
        let Some(found) = dialect::meaning(dialect, &[option.dest.as_str()], value) else { continue };
        // What only some methods read has no default in the tables; the type of what is computed is that of several switches together.
        let several = matches!(found.concept, Concept::MixedPrecision | Concept::WeightsDtype);
        if several || dialect::default_of(dialect, found.concept, task, versions).is_none() {
            continue;
        }
        let origin = Origin::OptionDefault { place, option: format!("--{}", option.dest) };
        let raw = match value {
            Value::Text(text) => text.clone(),
            other => other.to_string(),
        };
        candidates.add(found.concept, SourceLayer::OptionDefault, known(found.value, raw, origin));
    }
}

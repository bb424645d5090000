//! Abstract interpretation of Python: constants, class attributes, dataclass defaults, options, and the calls that they reach.
//!
//! The code is interpreted, not matched: [`facts`] follows imports, binds parameters at calls of functions of the project, keeps
//! every undecided branch, and tracks where every value is written. What cannot be known stays unknown. Work is bounded, so that no
//! source text can make it hang.

mod argparse;
mod argument_words;
mod autocast;
mod branch;
mod builtin;
mod call;
mod call_arguments;
mod call_recorder;
mod call_values;
mod called_models;
mod candidates;
mod cli_functions;
mod cli_options;
mod cli_parsers;
mod command_line;
pub(crate) mod composition;
mod comprehensions;
mod conditions;
mod control_flow;
mod decorators;
mod definitions;
mod dicts;
mod escape;
mod expr;
mod facts;
mod facts_builder;
mod field_writes;
mod file_loads;
mod finish;
mod freeze_rules;
mod heap;
mod import;
mod instantiation;
mod interpolations;
mod interpreter;
mod joined_lengths;
mod library;
mod library_classes;
mod library_fields;
mod linear_layers;
mod lists;
mod loaded_values;
mod marimo;
mod member_access;
mod merge;
mod model_configs;
mod model_record;
mod models;
mod module_casts;
mod modules;
mod name_roles;
mod next_token_loss;
mod parameters;
mod parsed_classes;
mod qualified_name;
mod read_log;
mod record_classes;
mod record_functions;
mod recorded_call;
mod row_blocks;
mod scopes;
mod script_arguments;
mod selection;
mod settings_classes;
mod sliced_batches;
mod sliced_lengths;
mod sources;
mod step_budget;
mod stmt;
mod text_methods;
mod texts_per_sample;
mod tokenizer_lengths;
mod trained_parameters;
mod training_calls;
mod training_extent;
mod training_loop;
mod value;
mod visited_parts;

#[cfg(test)]
mod tests;

pub use called_models::HEAD_LAYERS;
pub use facts::{
    AcceleratorUse, ArgumentClass, CliOption, CodeCandidate, CodeFacts, LoadRole, LoadedFile, ModelLoad, ParserUse, TrainingPath,
};
pub use module_casts::{CastModules, ModuleCast};
pub use modules::ModuleIndex;
pub(crate) use modules::imported;
pub use qualified_name::library;
pub use recorded_call::{ArgValue, CallArgument, DictEntry, LibraryCall, PossibleValue};
pub use script_arguments::{GivenOption, RankVariables, ScriptArguments};
pub(crate) use sources::ProjectFiles;
pub(crate) use step_budget::STEP_LIMIT;

use crate::SourceFile;
use crate::path_resolver::PathResolver;
use std::sync::Arc;
use vramlint_base::FileId;
use vramlint_catalog::LibraryVersions;

/// The facts of the code that is reachable from `entry`, whatever its command line. `files` are all files of the project.
pub fn facts(files: &[SourceFile], entry: FileId) -> CodeFacts {
    facts_given(files, entry, &ScriptArguments::default())
}

/// Like [`facts`], for these arguments: branches that depend on them are decided.
pub fn facts_given(files: &[SourceFile], entry: FileId, arguments: &ScriptArguments) -> CodeFacts {
    let paths = PathResolver::new(files);
    let project =
        ProjectFiles { files, paths: &paths, modules: &Arc::new(ModuleIndex::new(files)), versions: &LibraryVersions::newest() };
    facts_in(project, entry, arguments, STEP_LIMIT)
}

/// As [`facts_given`], with the paths and modules of the project found beforehand, and within so many steps: for projects with many
/// entries.
pub(crate) fn facts_in(project: ProjectFiles<'_>, entry: FileId, arguments: &ScriptArguments, step_limit: u32) -> CodeFacts {
    let mut interpreter = interpreter::Interpreter::new(project, entry, arguments, step_limit);
    interpreter.run();
    finish::finish(interpreter)
}

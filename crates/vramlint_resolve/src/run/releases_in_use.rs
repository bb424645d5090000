//! The releases that a program can run with, judging by the parameters that it uses: a name that a later release no longer takes.
//!
//! Only defaults follow it. Rules ask what the project's files say, so that they can tell of a name that is gone.

use super::run_sources::RunSources;
use crate::code::{CodeFacts, LibraryCall};
use crate::file_graph::FileGraph;
use crate::launch::Launch;
use vramlint_catalog::classes::{self, Class, Field};
use vramlint_catalog::{LibraryVersions, releases, versions};

/// Lowers the release of each library to the newest that takes everything the program gives it; leaves a library whose own bounds, or
/// other parameters, contradict.
pub(super) fn narrow(known: LibraryVersions, graph: &FileGraph, sources: &RunSources) -> LibraryVersions {
    let Some(code) = sources.code.as_deref() else { return known };
    let fields: Vec<&Field> = called_fields(code).chain(given_fields(code, sources)).collect();
    let mut narrowed = known.clone();
    for library in ["transformers", "trl"] {
        let own = || fields.iter().filter(|field| field.library == library);
        let gone = own().filter_map(|field| field.until.as_deref()).min_by(|a, b| versions::compare(a, b));
        let Some(gone) = gone.filter(|gone| known.reaches(library, gone)) else { continue };
        let newest = match graph.library(sources.place.file, library) {
            Some(evidence) => evidence.newest_release_before(gone),
            None => releases::newest_before(library, gone).map(str::to_owned),
        };
        let Some(newest) = newest else { continue };
        let lowered = LibraryVersions::from_iter([(library, newest.as_str())]);
        if own().all(|field| field.is_in(&lowered)) {
            narrowed.insert(library, newest);
        }
    }
    narrowed
}

/// The fields that the program's own calls certainly set.
fn called_fields(code: &CodeFacts) -> impl Iterator<Item = &'static Field> {
    let certain = |call: &&LibraryCall| !call.uncalled && !call.caught && !call.conditional && !call.is_subclass;
    code.calls.iter().filter(certain).flat_map(|call| {
        let class = classes::find(&call.path);
        let names = call.arguments.iter().filter(|argument| argument.is_explicit).filter_map(|argument| argument.name.as_deref());
        names.filter_map(move |name| last_declaration(class?, name))
    })
}

/// The fields of library classes that the command line sets: their parser refuses any other name.
fn given_fields<'a>(code: &'a CodeFacts, sources: &'a RunSources) -> impl Iterator<Item = &'static Field> + 'a {
    let options = sources.launch.as_deref().map(Launch::options).unwrap_or_default();
    let classes = code.argument_classes.iter().filter_map(|class| classes::find(&class.name));
    classes.flat_map(move |class| {
        let own = |name: &str| code.options.iter().any(|option| option.dest == name);
        let names: Vec<String> = options.iter().map(|option| option.name.replace('-', "_")).collect();
        names.into_iter().filter(move |name| !own(name)).filter_map(|name| last_declaration(class, &name)).collect::<Vec<_>>()
    })
}

/// The declaration of a name that lasts longest, of the class and its bases.
fn last_declaration(class: &'static Class, name: &str) -> Option<&'static Field> {
    let later = |left: &&Field, right: &&Field| match (left.until.as_deref(), right.until.as_deref()) {
        (None, _) => std::cmp::Ordering::Greater,
        (_, None) => std::cmp::Ordering::Less,
        (Some(left), Some(right)) => versions::compare(left, right),
    };
    class.declarations(name).max_by(later)
}

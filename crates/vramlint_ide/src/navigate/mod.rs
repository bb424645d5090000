//! Go to definition and find references for values.

use crate::embedded::FilePosition;
use crate::links;
use std::collections::BTreeSet;
use vramlint_base::{FileId, FileRange, TextRange};
use vramlint_catalog::Concept;
use vramlint_project::Report;
use vramlint_resolve::code::ArgValue;
use vramlint_resolve::{Candidate, Origin, Project, Run, Setting};
use vramlint_rules::claims;
use vramlint_syntax::shell::Word;

/// Where the value at `offset` of a host file is set: the effective candidate, or the ones that it overrides; for a path, the file.
/// Ranges are in host files.
pub fn definition(report: &Report, file: FileId, offset: u32) -> Vec<FileRange> {
    let project = &report.project;
    let Some(position) = FilePosition::innermost(project, file, offset) else { return Vec::new() };
    if let Some(link) = links::link_at(project, file, offset) {
        return vec![FileRange::new(link.target, TextRange::at(0))];
    }
    let mut found = definitions_from_shell(project, position);
    found.extend(definitions_from_claim(project, position));
    found.extend(definitions_from_settings(project, position));
    found.extend(definitions_from_argument(project, position));
    in_hosts(project, found, position)
}

/// Every other location that contributes to the value at `offset`: its candidates in every run, and the settings derived from it.
pub fn references(report: &Report, file: FileId, offset: u32) -> Vec<FileRange> {
    let project = &report.project;
    let Some(position) = FilePosition::innermost(project, file, offset) else { return Vec::new() };
    if let Some(link) = links::link_at(project, file, offset) {
        return references_to_file(project, link.target, position);
    }
    let concepts: BTreeSet<(usize, Concept)> = touched_candidates(project, position)
        .map(|hit| (hit.number, hit.concept))
        .chain(runs_of_claim(project, position))
        .collect();
    let mut found = Vec::new();
    for (number, concept) in concepts {
        let run = &project.runs[number];
        found.extend(run.settings.get(&concept).into_iter().flat_map(|setting| &setting.candidates).filter_map(range_of));
        for (derived, setting) in derived_from(run, concept) {
            found.extend(setting.candidates.iter().filter_map(range_of));
            if derived == Concept::EffectiveBatch {
                found.extend(run.files.iter().flat_map(|file| claims(project, *file)));
            }
        }
    }
    found.extend(definitions_from_argument(project, position));
    in_hosts(project, found, position)
}

/// A candidate at the cursor.
struct TouchedCandidate<'a> {
    number: usize,
    concept: Concept,
    setting: &'a Setting,
    index: usize,
}

/// The candidates whose value or key is at the cursor.
fn touched_candidates(project: &Project, position: FilePosition) -> impl Iterator<Item = TouchedCandidate<'_>> {
    project.runs.iter().enumerate().flat_map(move |(number, run)| {
        run.settings.iter().flat_map(move |(concept, setting)| {
            let touches = move |candidate: &Candidate| match &candidate.origin {
                Origin::File { place, key, .. } => position.touches(*place) || position.touches(*key),
                other => other.place().is_some_and(|place| position.touches(place)),
            };
            let hits = setting.candidates.iter().enumerate().filter(move |(_, candidate)| touches(candidate));
            hits.map(move |(index, _)| TouchedCandidate { number, concept: *concept, setting, index })
        })
    })
}

/// Where the user would change a candidate.
fn range_of(candidate: &Candidate) -> Option<FileRange> {
    candidate.origin.place()
}

/// From an overridden candidate to the winner, and from the winner to those that it overrides.
fn definitions_from_settings(project: &Project, position: FilePosition) -> Vec<FileRange> {
    let mut found = Vec::new();
    for hit in touched_candidates(project, position) {
        let Setting { candidates, winner, .. } = hit.setting;
        match winner {
            Some(winner) if *winner != hit.index && candidates[*winner].origin.place().is_some() => {
                found.extend(range_of(&candidates[*winner]));
            }
            Some(winner) if *winner == hit.index => {
                found.extend(
                    candidates
                        .iter()
                        .enumerate()
                        .filter(|(index, _)| *index != hit.index)
                        .filter_map(|(_, other)| range_of(other)),
                );
            }
            // No winner, or a derived one: list everything that contributes.
            _ => {
                found.extend(candidates.iter().filter_map(range_of));
                let run = &project.runs[hit.number];
                found.extend(inputs(run, hit.setting, DEPTH));
            }
        }
    }
    found
}

/// Maximum depth of derivations.
const DEPTH: usize = 4;

/// The locations of the inputs of a derived setting.
fn inputs(run: &Run, setting: &Setting, depth: usize) -> Vec<FileRange> {
    let Some(Origin::Derived { inputs: concepts, .. }) = setting.winning().map(|winner| &winner.origin) else {
        return setting.winning().and_then(range_of).into_iter().collect();
    };
    if depth == 0 {
        return Vec::new();
    }
    concepts.iter().filter_map(|concept| run.settings.get(concept)).flat_map(|setting| inputs(run, setting, depth - 1)).collect()
}

/// The settings that are derived from one.
fn derived_from(run: &Run, concept: Concept) -> impl Iterator<Item = (Concept, &Setting)> {
    run.settings.iter().filter_map(move |(derived, setting)| {
        let from = setting.candidates.iter().any(|candidate| match &candidate.origin {
            Origin::Derived { inputs, .. } => inputs.contains(&concept),
            _ => false,
        });
        from.then_some((*derived, setting))
    })
}

/// The runs that a claim about the effective batch size at the cursor refers to.
fn runs_of_claim(project: &Project, position: FilePosition) -> Vec<(usize, Concept)> {
    if !claims(project, position.file).into_iter().any(|claim| position.touches(claim)) {
        return Vec::new();
    }
    let host = project.file(position.file).host.as_ref().map(|(host, _)| *host);
    let about = |run: &Run| {
        run.files.contains(&position.file)
            || host.is_some_and(|host| run.files.contains(&host))
            || run.place.file == position.file
    };
    project.runs.iter().enumerate().filter(|(_, run)| about(run)).map(|(number, _)| (number, Concept::EffectiveBatch)).collect()
}

/// From a claim about the effective batch size to its factors.
fn definitions_from_claim(project: &Project, position: FilePosition) -> Vec<FileRange> {
    let found = runs_of_claim(project, position).into_iter().flat_map(|(number, concept)| {
        let run = &project.runs[number];
        run.settings.get(&concept).map(|setting| inputs(run, setting, DEPTH)).unwrap_or_default()
    });
    found.collect()
}

/// From a shell variable to its assignment.
fn definitions_from_shell(project: &Project, position: FilePosition) -> Vec<FileRange> {
    let Some(script) = project.file(position.file).script() else { return Vec::new() };
    let words = script.commands.iter().flat_map(|command| &command.words).chain(script.assignments.iter().map(|one| &one.value));
    let here = |word: &&Word| position.touches(FileRange::new(position.file, word.range));
    words.filter(here).filter_map(|word| word.sources.first()).map(|source| FileRange::new(position.file, *source)).collect()
}

/// From a call argument to where its value is written: a constant, a default, a key of a loaded file.
fn definitions_from_argument(project: &Project, position: FilePosition) -> Vec<FileRange> {
    let mut found = Vec::new();
    for call in project.calls().iter().filter(|call| call.call().file == position.file) {
        for argument in call.call().arguments.iter().filter(|argument| position.touches(argument.place)) {
            for value in &argument.values {
                match &value.value {
                    ArgValue::Loaded(load, route) => {
                        found.extend(key_in_loaded_file(project, &call.facts.loads, *load, route, position));
                    }
                    // A literal in the argument itself has no other location.
                    _ if value.place.file == argument.place.file && argument.place.range.contains(value.place.range) => {}
                    _ => found.push(value.place),
                }
            }
        }
    }
    found
}

/// The key of a file that code loads.
fn key_in_loaded_file(
    project: &Project,
    loads: &[vramlint_resolve::code::LoadedFile],
    load: usize,
    route: &[String],
    position: FilePosition,
) -> Option<FileRange> {
    let path = loads.get(load)?.path.as_deref()?;
    let target = project.path_resolver.resolve(path, project.file(position.file).folder())?;
    let root = project.file(target).data()?.root()?;
    let route: Vec<&str> = route.iter().map(String::as_str).collect();
    let (last, above) = route.split_last()?;
    let (key, value) = root.at(above)?.entry(last)?;
    let range = if value.range().is_empty() || value.is_mapping() { key.range() } else { value.range() };
    Some(FileRange::new(target, range))
}

/// Every other path to a file.
fn references_to_file(project: &Project, target: FileId, position: FilePosition) -> Vec<FileRange> {
    // Pre-filter by text: collecting links walks whole trees.
    let name = project.file(target).name();
    let name = name.strip_suffix(".py").unwrap_or(name);
    let mentions_name = |file: &&vramlint_resolve::SourceFile| file.host.is_none() && file.mentions(name);
    let hosts = project.files.iter().filter(mentions_name);
    let found = hosts.flat_map(|file| {
        let named = links::links_in(project, file.id).into_iter().filter(|link| link.target == target);
        named.map(|link| FileRange::new(file.id, link.range)).collect::<Vec<_>>()
    });
    in_hosts(project, found.collect(), position)
}

/// Ranges in host files, sorted and deduplicated, without the one at the cursor.
fn in_hosts(project: &Project, found: Vec<FileRange>, position: FilePosition) -> Vec<FileRange> {
    let here = project.to_host(FileRange::new(position.file, TextRange::at(position.offset)));
    let places: BTreeSet<FileRange> = found.into_iter().map(|place| project.to_host(place)).collect();
    let elsewhere = |place: &FileRange| place.file != here.file || !place.range.contains(here.range);
    let is_valid = |place: &FileRange| project.file(place.file).text.get(place.range.as_usize()).is_some();
    places.into_iter().filter(elsewhere).filter(is_valid).collect()
}

#[cfg(test)]
mod tests;

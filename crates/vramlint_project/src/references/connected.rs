//! The files that a request for a part of a project has to read: those it names, what they refer to, and what refers to them.

use super::{PathIndex, ReferenceGraph};
use crate::discovery::DiscoveredFile;
use crate::discovery::file_format::FileFormat;
use crate::library_packages::discovered_packages;
use crate::overlay_fs::OverlayFs;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Modules outside the named folders that are searched for imports of what is in them, nearest first.
const MAX_SEARCHED_MODULES: usize = 4_000;

/// The indices of the files to read, in order. Everything where nothing is only context, or where too much is connected.
pub(crate) fn connected(discovered: &[DiscoveredFile], files: &OverlayFs) -> Vec<usize> {
    let everything = || (0..discovered.len()).collect();
    let named: BTreeSet<u32> = indices(discovered, |file| file.reported).collect();
    if named.len() == discovered.len() {
        return everything();
    }
    let names = path_index(discovered, files);
    let references_of = |index: u32| {
        let file = &discovered[index as usize];
        let bytes = if file.problem.is_some() { Vec::new() } else { files.read_found(file).unwrap_or_default() };
        names.references_in(index, &String::from_utf8_lossy(&bytes), file.format)
    };
    let mut references: HashMap<u32, Box<[u32]>> = HashMap::new();
    let mut next: BTreeSet<u32> = searched(discovered, &named);
    // What is reached is read in turn, however far it is.
    while !next.is_empty() {
        let read: Vec<(u32, Box<[u32]>)> = next.par_iter().map(|index| (*index, references_of(*index))).collect();
        references.extend(read);
        let targets = next.iter().flat_map(|index| references[index].iter().copied());
        next = targets.filter(|target| !references.contains_key(target)).collect();
    }
    let forward = (0..discovered.len() as u32).map(|index| references.remove(&index).unwrap_or_default()).collect();
    let graph = ReferenceGraph::new(names, discovered.iter().map(|file| file.format).collect(), forward);
    let component = graph.component_of(&named, &HashMap::new());
    if component.is_cut {
        return everything();
    }
    let mut found = component.files;
    found.extend(implicit_context(discovered, &found));
    found.into_iter().map(|index| index as usize).collect()
}

/// The files by path and module name.
pub(crate) fn path_index(discovered: &[DiscoveredFile], files: &OverlayFs) -> PathIndex {
    let libraries = discovered_packages(discovered, files);
    PathIndex::new(discovered.iter().map(|file| (file.shown.clone(), file.format)), libraries)
}

/// The files whose references are looked at: the named ones, everything that may launch or configure, and the nearest modules.
fn searched(discovered: &[DiscoveredFile], named: &BTreeSet<u32>) -> BTreeSet<u32> {
    let named_folders: BTreeSet<&Path> = named.iter().filter_map(|index| discovered[*index as usize].path.parent()).collect();
    let mut modules: Vec<u32> = indices(discovered, |file| !file.reported && file.format == FileFormat::Python).collect();
    if modules.len() > MAX_SEARCHED_MODULES {
        // Those in the folders above come first.
        let is_far = |index: &u32| {
            let folder = discovered[*index as usize].path.parent();
            !folder.is_some_and(|folder| named_folders.iter().any(|named| named.starts_with(folder)))
        };
        modules.sort_by_key(is_far);
        modules.truncate(MAX_SEARCHED_MODULES);
    }
    modules.into_iter().chain(indices(discovered, |file| file.reported || file.format != FileFormat::Python)).collect()
}

/// Files that affect others without a reference: environment files in their folders, and Dockerfiles in the folders above.
pub(crate) fn implicit_context(discovered: &[DiscoveredFile], files: &BTreeSet<u32>) -> Vec<u32> {
    let folders: BTreeSet<&Path> = files.iter().filter_map(|index| discovered[*index as usize].path.parent()).collect();
    let above: BTreeSet<&Path> = folders.iter().flat_map(|folder| folder.ancestors()).collect();
    let affects = |file: &DiscoveredFile| {
        let folder = file.path.parent();
        match file.format {
            FileFormat::EnvFile => folder.is_some_and(|folder| folders.contains(folder)),
            FileFormat::Dockerfile => folder.is_some_and(|folder| above.contains(folder)),
            _ => false,
        }
    };
    indices(discovered, affects).collect()
}

fn indices(discovered: &[DiscoveredFile], is_wanted: impl Fn(&DiscoveredFile) -> bool) -> impl Iterator<Item = u32> {
    (0..discovered.len() as u32).filter(move |index| is_wanted(&discovered[*index as usize]))
}

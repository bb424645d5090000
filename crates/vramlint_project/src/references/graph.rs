//! File reference graph and its connected components.

use super::scan::PathIndex;
use crate::discovery::file_format::FileFormat;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A file with more referrers is a hub, which does not connect components.
const MAX_REFERRERS: usize = 64;
/// Maximum number of files in a component; larger ones are left to the full analysis.
const MAX_COMPONENT_FILES: usize = 400;
/// A folder with no more files is one component: some findings depend on files that no text names, such as `.env` beside a script.
const SMALL_FOLDER_FILES: usize = 32;

/// References between the files of a folder.
#[derive(Debug)]
pub(crate) struct ReferenceGraph {
    /// Lookup of files by path and module name.
    pub names: PathIndex,
    formats: Vec<FileFormat>,
    forward: Vec<Box<[u32]>>,
    reverse: Vec<Vec<u32>>,
}

/// The files that are connected to a file.
#[derive(Debug, Default)]
pub(crate) struct Component {
    /// The files of the component.
    pub files: BTreeSet<u32>,
    /// The files whose findings depend only on the component.
    pub complete: BTreeSet<u32>,
    /// Whether more files belong to it.
    pub is_cut: bool,
}

impl ReferenceGraph {
    pub(crate) fn new(names: PathIndex, formats: Vec<FileFormat>, forward: Vec<Box<[u32]>>) -> Self {
        let mut reverse = vec![Vec::new(); formats.len()];
        for (from, targets) in forward.iter().enumerate() {
            for to in targets {
                reverse[*to as usize].push(from as u32);
            }
        }
        Self { names, formats, forward, reverse }
    }

    /// The files that a file refers to.
    pub(crate) fn forward(&self, file: u32) -> &[u32] {
        &self.forward[file as usize]
    }

    /// The component of some files, which are part of it in any case. `now` contains the references of edited files, including their earlier references, because findings
    /// on a former target may change.
    pub(crate) fn component_of(&self, seeds: &BTreeSet<u32>, now: &HashMap<u32, Arc<[u32]>>) -> Component {
        let view = GraphView { graph: self, now };
        if self.formats.len() <= SMALL_FOLDER_FILES {
            let all: BTreeSet<u32> = (0..self.formats.len() as u32).collect();
            return Component { files: all.clone(), complete: all, is_cut: false };
        }
        let mut component = Component::default();
        let limit = seeds.len() + MAX_COMPONENT_FILES;
        // All files that use one of them, directly or indirectly.
        let mut open: Vec<u32> = seeds.iter().copied().collect();
        let mut used_by = seeds.clone();
        while let Some(file) = open.pop() {
            let referrers = view.referrers(file);
            if referrers.len() > MAX_REFERRERS && !seeds.contains(&file) {
                continue;
            }
            for user in referrers {
                if component.files.len() + used_by.len() > limit {
                    break;
                }
                if view.is_document(user) {
                    component.files.insert(user);
                } else if used_by.insert(user) {
                    open.push(user);
                }
            }
        }
        // All files that those use. For data and scripts, also add their other users, because their findings depend on all users.
        let mut open: Vec<u32> = used_by.iter().copied().collect();
        let mut reached = used_by.clone();
        let mut hubs = BTreeSet::new();
        while let Some(file) = open.pop() {
            if reached.len() > limit {
                break;
            }
            let mut next: Vec<u32> = view.references(file).to_vec();
            if !view.is_python(file) && (!seeds.contains(&file) || !view.is_document(file)) {
                let referrers = view.referrers(file);
                if referrers.len() > MAX_REFERRERS {
                    hubs.insert(file);
                } else {
                    next.extend(referrers.into_iter().filter(|user| !view.is_document(*user)));
                    component.files.extend(view.referrers(file).into_iter().filter(|user| view.is_document(*user)));
                }
            }
            next.retain(|next| reached.insert(*next));
            open.extend(next);
        }
        component.files.extend(reached.iter().copied());
        // A module is complete if all its importers are in the component. A hub is never complete, unless it is the edited file.
        let all_users_reached =
            |file: &u32| view.referrers(*file).iter().all(|user| reached.contains(user) || view.is_document(*user));
        component.is_cut = reached.len().max(component.files.len()) > limit;
        component
            .complete
            .extend(reached.iter().copied().filter(|file| !hubs.contains(file) && !component.is_cut && all_users_reached(file)));
        component.complete.extend(seeds);
        component
    }
}

/// The graph with the current references of edited files.
struct GraphView<'a> {
    graph: &'a ReferenceGraph,
    now: &'a HashMap<u32, Arc<[u32]>>,
}

impl GraphView<'_> {
    fn references(&self, file: u32) -> &[u32] {
        self.now.get(&file).map_or(&self.graph.forward[file as usize], |targets| targets)
    }

    fn referrers(&self, file: u32) -> Vec<u32> {
        let before = self.graph.reverse[file as usize].iter().copied().filter(|user| !self.now.contains_key(user));
        let now = self.now.iter().filter(|(_, targets)| targets.contains(&file)).map(|(user, _)| *user);
        before.chain(now).collect()
    }

    fn is_document(&self, file: u32) -> bool {
        matches!(self.graph.formats[file as usize], FileFormat::Markdown | FileFormat::Text)
    }

    fn is_python(&self, file: u32) -> bool {
        self.graph.formats[file as usize] == FileFormat::Python
    }
}

//! Who speaks of whom in a folder, and what hangs together through that.

use super::reference_scan::PathIndex;
use crate::discovery::file_format::FileFormat;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A file that more others than these speak of belongs to no component of the folder in particular.
const MAX_REFERRERS: usize = 64;
/// Files of one component at most; what is larger is left to the look at the whole.
const MAX_COMPONENT_FILES: usize = 400;

/// Who speaks of whom.
#[derive(Debug)]
pub(super) struct ReferenceGraph {
    /// The files by what others call them.
    pub names: PathIndex,
    formats: Vec<FileFormat>,
    forward: Vec<Box<[u32]>>,
    reverse: Vec<Vec<u32>>,
}

/// What hangs together with a file.
#[derive(Debug, Default)]
pub(super) struct Component {
    /// Its files, in order.
    pub files: BTreeSet<u32>,
    /// Those of which every finding can be seen within the component.
    pub complete: BTreeSet<u32>,
}

impl ReferenceGraph {
    pub(super) fn new(names: PathIndex, formats: Vec<FileFormat>, forward: Vec<Box<[u32]>>) -> Self {
        let mut reverse = vec![Vec::new(); formats.len()];
        for (from, targets) in forward.iter().enumerate() {
            for to in targets {
                reverse[*to as usize].push(from as u32);
            }
        }
        Self { names, formats, forward, reverse }
    }

    /// The files that a file speaks of.
    pub(super) fn forward(&self, file: u32) -> &[u32] {
        &self.forward[file as usize]
    }

    /// What hangs together with a file. `now` has what edited files speak of by now; what they spoke of before counts too, as it may
    /// be said of it that nobody does.
    pub(super) fn component_of(&self, seed: u32, now: &HashMap<u32, Arc<[u32]>>) -> Component {
        let view = GraphView { graph: self, now };
        let mut component = Component::default();
        // Everything that uses the file, directly or not.
        let mut open = vec![seed];
        let mut used_by = BTreeSet::from([seed]);
        while let Some(file) = open.pop() {
            let referrers = view.referrers(file);
            if referrers.len() > MAX_REFERRERS && file != seed {
                continue;
            }
            for user in referrers {
                if component.files.len() + used_by.len() > MAX_COMPONENT_FILES {
                    break;
                }
                if view.is_document(user) {
                    component.files.insert(user);
                } else if used_by.insert(user) {
                    open.push(user);
                }
            }
        }
        // Everything that those use. Data and scripts bring their other users along: what is found there depends on all of them.
        let mut open: Vec<u32> = used_by.iter().copied().collect();
        let mut reached = used_by.clone();
        let mut hubs = BTreeSet::new();
        while let Some(file) = open.pop() {
            if reached.len() > MAX_COMPONENT_FILES {
                break;
            }
            let mut next: Vec<u32> = view.references(file).to_vec();
            if !view.is_python(file) && (file != seed || !view.is_document(seed)) {
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
        // A module is seen whole where all who import it are there; a hub never, unless it is the file itself.
        let seen = |file: &u32| view.referrers(*file).iter().all(|user| reached.contains(user) || view.is_document(*user));
        let cut = reached.len() > MAX_COMPONENT_FILES;
        component.complete.extend(reached.iter().copied().filter(|file| !hubs.contains(file) && !cut && seen(file)));
        component.complete.insert(seed);
        component
    }
}

/// The graph with edited files as they are by now.
struct GraphView<'a> {
    graph: &'a ReferenceGraph,
    now: &'a HashMap<u32, Arc<[u32]>>,
}

impl GraphView<'_> {
    fn references(&self, file: u32) -> &[u32] {
        self.now.get(&file).map_or(&self.graph.forward[file as usize], |spoken| spoken)
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

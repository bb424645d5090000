//! Who speaks of whom in a folder, and what hangs together through that.

use super::names::Names;
use crate::discovery::form::Form;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A file that more others than these speak of belongs to no part of the folder in particular.
const HUB: usize = 64;
/// Files of one part at most; what is larger is left to the look at the whole.
const MOST: usize = 400;

/// Who speaks of whom.
#[derive(Debug)]
pub(super) struct Web {
    /// The files by what others call them.
    pub names: Names,
    forms: Vec<Form>,
    forward: Vec<Box<[u32]>>,
    reverse: Vec<Vec<u32>>,
}

/// What hangs together with a file.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Its files, in order.
    pub files: BTreeSet<u32>,
    /// Those of which every finding can be seen within the part.
    pub whole: BTreeSet<u32>,
}

impl Web {
    pub(super) fn new(names: Names, forms: Vec<Form>, forward: Vec<Box<[u32]>>) -> Self {
        let mut reverse = vec![Vec::new(); forms.len()];
        for (from, targets) in forward.iter().enumerate() {
            for to in targets {
                reverse[*to as usize].push(from as u32);
            }
        }
        Self { names, forms, forward, reverse }
    }

    /// The files that a file speaks of.
    pub(super) fn forward(&self, file: u32) -> &[u32] {
        &self.forward[file as usize]
    }

    /// What hangs together with a file. `now` has what edited files speak of by now; what they spoke of before counts too, as it may
    /// be said of it that nobody does.
    pub(super) fn part(&self, seed: u32, now: &HashMap<u32, Arc<[u32]>>) -> Part {
        let view = View { web: self, now };
        let mut part = Part::default();
        // Everything that uses the file, directly or not.
        let mut open = vec![seed];
        let mut used_by = BTreeSet::from([seed]);
        while let Some(file) = open.pop() {
            let users = view.users(file);
            if users.len() > HUB && file != seed {
                continue;
            }
            for user in users {
                if part.files.len() + used_by.len() > MOST {
                    break;
                }
                if view.is_document(user) {
                    part.files.insert(user);
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
            if reached.len() > MOST {
                break;
            }
            let mut next: Vec<u32> = view.speaks_of(file).to_vec();
            if !view.is_python(file) && (file != seed || !view.is_document(seed)) {
                let users = view.users(file);
                if users.len() > HUB {
                    hubs.insert(file);
                } else {
                    next.extend(users.into_iter().filter(|user| !view.is_document(*user)));
                    part.files.extend(view.users(file).into_iter().filter(|user| view.is_document(*user)));
                }
            }
            next.retain(|next| reached.insert(*next));
            open.extend(next);
        }
        part.files.extend(reached.iter().copied());
        // A module is seen whole where all who import it are there; a hub never, unless it is the file itself.
        let seen = |file: &u32| view.users(*file).iter().all(|user| reached.contains(user) || view.is_document(*user));
        let cut = reached.len() > MOST;
        part.whole.extend(reached.iter().copied().filter(|file| !hubs.contains(file) && !cut && seen(file)));
        part.whole.insert(seed);
        part
    }
}

/// The web with edited files as they are by now.
struct View<'a> {
    web: &'a Web,
    now: &'a HashMap<u32, Arc<[u32]>>,
}

impl View<'_> {
    fn speaks_of(&self, file: u32) -> &[u32] {
        self.now.get(&file).map_or(&self.web.forward[file as usize], |spoken| spoken)
    }

    fn users(&self, file: u32) -> Vec<u32> {
        let before = self.web.reverse[file as usize].iter().copied().filter(|user| !self.now.contains_key(user));
        let now = self.now.iter().filter(|(_, targets)| targets.contains(&file)).map(|(user, _)| *user);
        before.chain(now).collect()
    }

    fn is_document(&self, file: u32) -> bool {
        matches!(self.web.forms[file as usize], Form::Markdown | Form::Text)
    }

    fn is_python(&self, file: u32) -> bool {
        self.web.forms[file as usize] == Form::Python
    }
}

//! Every file of a folder, read no further than rules look.

use super::thin::Brief;
use super::{Cancel, Stopped, Surveyed, Workspace};
use crate::discovery::form::Form;
use crate::layers::Layers;
use crate::read::{Loaded, load};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A file as far as it is known by now: of a Python file that does not matter, only what was noted of it.
struct Noted {
    loaded: Option<Arc<Loaded>>,
    brief: Option<Arc<Brief>>,
}

impl Workspace {
    /// Every file, by its index. Of Python files that do not matter and that none that matters reaches, only the imports.
    pub(super) fn all(&self, surveyed: &Surveyed, cancel: &Cancel) -> Result<Vec<(usize, Arc<Loaded>)>, Stopped> {
        let count = surveyed.ground.discovered.files.len() as u32;
        let note = |index: u32| if cancel.is_cancelled() { None } else { Some(self.note(surveyed, index)) };
        let noted: Option<Vec<Noted>> = (0..count).into_par_iter().map(note).collect();
        let noted = noted.ok_or(Stopped::Cancelled)?;
        let hot = self.hot(surveyed, &noted);
        let pick = |(index, noted): (usize, Noted)| {
            let file = match (hot.contains(&(index as u32)), noted.loaded, noted.brief) {
                (false, _, Some(brief)) => Arc::clone(&brief.thin),
                (_, Some(loaded), _) => loaded,
                _ => Arc::new(load(&Layers::real(), &self.files, &surveyed.ground.discovered.files[index])),
            };
            (index, file)
        };
        Ok(noted.into_par_iter().enumerate().map(pick).collect())
    }

    fn note(&self, surveyed: &Surveyed, index: u32) -> Noted {
        let file = &surveyed.ground.discovered.files[index as usize];
        if file.form != Form::Python {
            return Noted { loaded: Some(self.load(surveyed, index)), brief: None };
        }
        let stamp = self.stamp(&file.path);
        let kept = self.shelf.known(&file.path, stamp);
        if let Some(brief) = self.shelf.brief(&file.path, stamp) {
            return Noted { loaded: kept, brief: Some(brief) };
        }
        let loaded = kept.unwrap_or_else(|| Arc::new(load(&Layers::real(), &self.files, file)));
        let brief = Arc::new(Brief::of(&loaded));
        self.shelf.note(&file.path, stamp, Arc::clone(&brief));
        Noted { loaded: brief.matters.then_some(loaded), brief: Some(brief) }
    }

    /// The files that matter, and those that they reach.
    fn hot(&self, surveyed: &Surveyed, noted: &[Noted]) -> BTreeSet<u32> {
        let web = self.web(surveyed);
        let now = self.spoken_now(surveyed, web);
        let spoken = |index: u32| now.get(&index).map_or(web.forward(index), |spoken| spoken);
        let is_python = |index: &u32| surveyed.ground.discovered.files[*index as usize].form == Form::Python;
        let matters = |(index, noted): (usize, &Noted)| {
            let names_others = || spoken(index as u32).iter().any(|target| !is_python(target));
            noted.brief.as_ref().is_none_or(|brief| brief.matters || names_others()).then_some(index as u32)
        };
        let mut open: Vec<u32> = noted.iter().enumerate().filter_map(matters).collect();
        let mut hot: BTreeSet<u32> = open.iter().copied().collect();
        while let Some(index) = open.pop() {
            open.extend(spoken(index).iter().copied().filter(|target| hot.insert(*target)));
        }
        hot
    }
}

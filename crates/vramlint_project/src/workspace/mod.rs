//! A folder that an editor has open: unsaved texts over the disk, and findings that follow every edit.
//!
//! An edit is answered twice. At once with the part of the folder that hangs together with the edited file ([`Workspace::around`]),
//! then, when there is quiet, with all of it ([`Workspace::whole`]), which is what `check` says. What was read is kept; of Python
//! files that no rule has anything to say of, only their imports.

mod names;
mod shelf;
mod thin;
mod web;
mod whole;

use crate::ConfigError;
use crate::discovery::form::Form;
use crate::discovery::paths::absolute;
use crate::files::Files;
use crate::ground::Ground;
use crate::layers::Layers;
use crate::read::{Loaded, Read};
use crate::report::{Report, STACK};
use crate::request::{Request, overlay};
use names::Names;
use rayon::prelude::*;
use shelf::{Shelf, Stamp};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use vramlint_base::message;
use vramlint_estimate::Simulations;
use web::Web;

/// Tells an analysis that nobody waits for it any more. Clones share the word.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Stops what asks it.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// Cancelled.
    Cancelled,
    /// The file is none of this folder, or left out of it.
    Absent,
    /// The configuration is at fault.
    Config(ConfigError),
}

/// What an analysis found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The project, or the part of it around one file, with its findings.
    pub report: Report,
    /// The files of which `report` holds every finding, as shown; what was known of others stays as it is.
    pub covers: BTreeSet<String>,
}

/// A folder with unsaved texts. A clone is a snapshot: it is cheap, and later edits do not touch it.
#[derive(Clone, Debug)]
pub struct Workspace {
    request: Arc<Request>,
    files: Files,
    /// Which text each unsaved file has.
    edits: HashMap<PathBuf, u64>,
    clock: u64,
    /// Files that changed on the disk since the folder was looked through.
    changed: BTreeSet<PathBuf>,
    state: Arc<State>,
    shelf: Arc<Shelf>,
    simulations: Arc<Simulations>,
    pool: Arc<OnceLock<Option<rayon::ThreadPool>>>,
}

/// What was found in the folder, as long as no file comes, goes or configures.
#[derive(Debug, Default)]
struct State {
    surveyed: OnceLock<Result<Surveyed, ConfigError>>,
}

/// What a text speaks of, and which text that was.
type Spoken = (Stamp, Arc<[u32]>);

#[derive(Debug)]
struct Surveyed {
    ground: Ground,
    by_path: HashMap<PathBuf, u32>,
    /// Who speaks of whom; found when first asked for.
    web: OnceLock<Web>,
    /// The texts that it was found from.
    stamps: OnceLock<HashMap<u32, u64>>,
    /// What texts that came later speak of, with what they spoke of before.
    later: Mutex<HashMap<u32, Spoken>>,
}

impl Workspace {
    /// The files of a request: a folder and what is laid over it.
    pub fn new(request: Request) -> Self {
        let mut request = request;
        let cwd = std::path::absolute(&request.cwd).unwrap_or_else(|_| request.cwd.clone());
        request.cwd = absolute(&cwd, Path::new(""));
        let files = overlay(&request);
        let edits = files.overlay.keys().map(|path| (path.clone(), 0)).collect();
        Self {
            files,
            edits,
            clock: 0,
            request: Arc::new(request),
            changed: BTreeSet::new(),
            state: Arc::default(),
            shelf: Arc::default(),
            simulations: Arc::default(),
            pool: Arc::default(),
        }
    }

    /// Lays an unsaved text over a file; `None` takes it away again. The path is absolute.
    pub fn edit(&mut self, path: &Path, text: Option<Arc<str>>) {
        let path = absolute(&self.request.cwd, path);
        self.clock += 1;
        if self.moves_ground(&path) || text.is_none() && !path.exists() {
            self.state = Arc::default();
        }
        if let Some(text) = text {
            self.files.overlay.insert(path.clone(), Arc::new(text.as_bytes().to_vec()));
            self.edits.insert(path, self.clock);
        } else {
            self.files.overlay.remove(&path);
            self.edits.remove(&path);
            self.changed.insert(path);
        }
    }

    /// Files that were written, made or removed on the disk; a `vramlint.toml` among them is read anew.
    pub fn changed_on_disk(&mut self, paths: &[PathBuf]) {
        for path in paths {
            let path = absolute(&self.request.cwd, path);
            if self.moves_ground(&path) || !path.exists() {
                self.state = Arc::default();
            }
            self.changed.insert(path);
        }
    }

    /// Whether a change of this file changes which files there are, or what governs them.
    fn moves_ground(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let configures = matches!(&*name, "vramlint.toml" | ".gitignore" | ".ignore");
        let names_versions = vramlint_resolve::versions::files::Form::of(&name).is_some()
            || path.parent().and_then(Path::file_name).is_some_and(|folder| folder.to_string_lossy().starts_with("req"));
        let unknown = match self.state.surveyed.get() {
            Some(Ok(surveyed)) => !surveyed.by_path.contains_key(path),
            Some(Err(_)) => true,
            None => !path.exists(),
        };
        configures || names_versions || unknown
    }

    /// Everything that an edit of one file (an absolute path) may touch, at once.
    pub fn around(&self, path: &Path, cancel: &Cancel) -> Result<Answer, Stopped> {
        let path = absolute(&self.request.cwd, path);
        self.on_threads(|| self.part_around(&path, cancel))
    }

    /// The whole folder, as `check` sees it.
    pub fn whole(&self, cancel: &Cancel) -> Result<Answer, Stopped> {
        // Threads that end give back the memory that they held.
        self.threads().map_or_else(|| Err(no_threads()), |pool| pool.install(|| self.everything(cancel)))
    }

    /// Runs on threads that are kept: somebody waits.
    fn on_threads(&self, work: impl FnOnce() -> Result<Answer, Stopped> + Send) -> Result<Answer, Stopped> {
        self.pool.get_or_init(|| self.threads()).as_ref().map_or_else(|| Err(no_threads()), |pool| pool.install(work))
    }

    /// Threads with a deep stack: readers go down as deep as a text is nested.
    fn threads(&self) -> Option<rayon::ThreadPool> {
        rayon::ThreadPoolBuilder::new().num_threads(self.request.jobs).stack_size(STACK).build().ok()
    }

    fn surveyed(&self) -> Result<&Surveyed, Stopped> {
        let survey = || {
            let ground = Ground::survey(&Layers::real(), &self.request, &self.files)?;
            let by_path = ground.discovered.files.iter().enumerate().map(|(i, found)| (found.path.clone(), i as u32)).collect();
            Ok(Surveyed { ground, by_path, web: OnceLock::new(), stamps: OnceLock::new(), later: Mutex::default() })
        };
        self.state.surveyed.get_or_init(survey).as_ref().map_err(|error| Stopped::Config(error.clone()))
    }

    fn stamp(&self, path: &Path) -> Stamp {
        self.edits.get(path).map_or_else(|| Stamp::of_disk(path), |edit| Stamp::Unsaved(*edit))
    }

    fn load(&self, surveyed: &Surveyed, index: u32) -> Arc<Loaded> {
        let found = &surveyed.ground.discovered.files[index as usize];
        self.shelf.load(&Layers::real(), &self.files, found, self.stamp(&found.path))
    }

    /// Who speaks of whom, by the texts as they were when this was first asked.
    fn web<'a>(&self, surveyed: &'a Surveyed) -> &'a Web {
        surveyed.web.get_or_init(|| {
            let found = &surveyed.ground.discovered.files;
            let names = Names::new(found.iter().map(|found| (found.shown.clone(), found.form)));
            let spoken = (0..found.len() as u32).into_par_iter().map(|index| self.speaks_of(surveyed, &names, index)).collect();
            // What was edited by then counts as known.
            let stamps = self.edits.iter().filter_map(|(path, edit)| Some((*surveyed.by_path.get(path)?, *edit)));
            let _ = surveyed.stamps.set(stamps.collect());
            Web::new(names, found.iter().map(|found| found.form).collect(), spoken)
        })
    }

    fn speaks_of(&self, surveyed: &Surveyed, names: &Names, index: u32) -> Box<[u32]> {
        let found = &surveyed.ground.discovered.files[index as usize];
        if found.problem.is_some() {
            return Box::default();
        }
        let bytes = self.files.read(&found.path).unwrap_or_default();
        names.spoken_of(index, &String::from_utf8_lossy(&bytes), found.form)
    }

    fn part_around(&self, path: &Path, cancel: &Cancel) -> Result<Answer, Stopped> {
        let surveyed = self.surveyed()?;
        let Some(seed) = surveyed.by_path.get(path).copied() else {
            return Err(Stopped::Absent);
        };
        let web = self.web(surveyed);
        let now = self.spoken_now(surveyed, web);
        let mut part = web.part(seed, &now);
        part.files.extend(Self::beside(surveyed, &part.files));
        if cancel.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        let files: Vec<u32> = part.files.iter().copied().collect();
        let loaded: Vec<(usize, Arc<Loaded>)> =
            files.par_iter().map(|index| (*index as usize, self.load(surveyed, *index))).collect();
        let found = &surveyed.ground.discovered.files;
        let folders: BTreeSet<&Path> = files.iter().filter_map(|index| found[*index as usize].path.parent()).collect();
        let governs = |file: &crate::versions::VersionFile| folders.iter().any(|folder| folder.starts_with(&file.root));
        let report = self.judge(surveyed, &|| surveyed.ground.join(&loaded, &governs), cancel)?;
        self.shelf.tidy();
        let covers = part.whole.iter().map(|index| &found[*index as usize]).filter(|found| found.reported);
        Ok(Answer { covers: covers.map(|found| found.shown.clone()).collect(), report })
    }

    /// What files that were edited since the web was found speak of by now. What they spoke of before counts too: it may be said of
    /// that now that nobody does.
    fn spoken_now(&self, surveyed: &Surveyed, web: &Web) -> HashMap<u32, Arc<[u32]>> {
        let known = surveyed.stamps.get();
        let edited = self.edits.iter().filter_map(|(path, edit)| Some((*surveyed.by_path.get(path)?, *edit)));
        let edited =
            edited.filter(|(index, edit)| known.and_then(|known| known.get(index)) != Some(edit)).map(|(index, _)| index);
        let changed = self.changed.iter().filter_map(|path| surveyed.by_path.get(path).copied());
        let spoken = |index: u32| {
            let stamp = self.stamp(&surveyed.ground.discovered.files[index as usize].path);
            let later = || surveyed.later.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, spoken)) = later().get(&index).filter(|(known, _)| *known == stamp) {
                return (index, Arc::clone(spoken));
            }
            let mut spoken = self.speaks_of(surveyed, &web.names, index).into_vec();
            spoken.extend_from_slice(web.forward(index));
            spoken.sort_unstable();
            spoken.dedup();
            let spoken: Arc<[u32]> = spoken.into();
            later().insert(index, (stamp, Arc::clone(&spoken)));
            (index, spoken)
        };
        edited.chain(changed).map(spoken).collect()
    }

    /// What bears on the files of a part without being spoken of: variables beside them, and what installs libraries above them.
    fn beside(surveyed: &Surveyed, files: &BTreeSet<u32>) -> Vec<u32> {
        let found = &surveyed.ground.discovered.files;
        let folders: BTreeSet<&Path> = files.iter().filter_map(|index| found[*index as usize].path.parent()).collect();
        let above: BTreeSet<&Path> = folders.iter().flat_map(|folder| folder.ancestors()).collect();
        let bears = |file: &crate::discovery::Found| {
            let folder = file.path.parent();
            match file.form {
                Form::Variables => folder.is_some_and(|folder| folders.contains(folder)),
                Form::Dockerfile => folder.is_some_and(|folder| above.contains(folder)),
                _ => false,
            }
        };
        (0..found.len() as u32).filter(|index| bears(&found[*index as usize])).collect()
    }

    fn everything(&self, cancel: &Cancel) -> Result<Answer, Stopped> {
        let surveyed = self.surveyed()?;
        let loaded = self.all(surveyed, cancel)?;
        let report = self.judge(surveyed, &|| surveyed.ground.join(&loaded, &|_| true), cancel)?;
        let files = report.project.files.iter().filter(|file| file.reported && file.host.is_none());
        Ok(Answer { covers: files.map(|file| file.path.clone()).collect(), report })
    }

    fn judge(&self, surveyed: &Surveyed, read: &dyn Fn() -> Read, cancel: &Cancel) -> Result<Report, Stopped> {
        let stop = || cancel.is_cancelled();
        let (layers, ground) = (Layers::real(), &surveyed.ground);
        let report = ground.judge(&layers, &self.request, &self.files, &|_| read(), &self.simulations, &stop);
        report.ok_or(Stopped::Cancelled)
    }
}

fn no_threads() -> Stopped {
    Stopped::Config(ConfigError::new(message!("cannot start threads", "无法启动线程")))
}

#[cfg(test)]
mod tests;

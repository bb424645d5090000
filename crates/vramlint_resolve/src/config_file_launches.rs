//! Which commands of `accelerate launch` may read which configuration file.

use crate::launch::Launch;
use crate::project::Project;
use std::collections::HashMap;
use vramlint_base::FileId;
use vramlint_catalog::flags::Launcher;

/// The commands that give a configuration file, as indices into the launches of the project, then those of its documents.
#[derive(Debug, Default)]
pub(crate) struct ConfigFileLaunches {
    /// Commands whose file is known.
    by_file: HashMap<FileId, Vec<usize>>,
    /// Commands whose file is not known: any file may be it.
    of_any: Vec<usize>,
}

impl ConfigFileLaunches {
    fn new(project: &Project) -> Self {
        let mut found = Self::default();
        for (index, launch) in launches(project).enumerate().filter(|(_, launch)| launch.launcher == Launcher::Accelerate) {
            let Some(word) = launch.flag("--config_file").and_then(|flag| flag.values.first()) else { continue };
            match word.text().map(|path| project.path_resolver.resolve(path, launch.directory.as_str())) {
                Some(Some(file)) => found.by_file.entry(file).or_default().push(index),
                // A path of a document that is not in the project may be a placeholder for any of its files.
                Some(None) if !project.is_documentation_snippet(launch.file) => {}
                Some(None) | None => found.of_any.push(index),
            }
        }
        found
    }
}

fn launches(project: &Project) -> impl Iterator<Item = &Launch> {
    project.launches.iter().map(AsRef::as_ref).chain(project.documented_launches())
}

impl Project {
    /// The commands of `accelerate launch`, also those of documents, that give this file as their configuration or may do so.
    pub fn launches_with_config_file(&self, file: FileId) -> impl Iterator<Item = &Launch> {
        let known = self.queries.config_file_launches.get_or_init(|| ConfigFileLaunches::new(self));
        let indices = known.by_file.get(&file).into_iter().flatten().chain(&known.of_any);
        let documented = self.documented_launches();
        indices.map(move |index| match self.launches.get(*index) {
            Some(launch) => launch.as_ref(),
            None => &documented[*index - self.launches.len()],
        })
    }
}

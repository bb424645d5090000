//! Commands that may use a file although no launch of the project is seen to.

use vramlint_base::FileId;
use vramlint_catalog::flags::Launcher;
use vramlint_resolve::Project;
use vramlint_resolve::launch::Launch;

/// Whether a command that may use this file gives the flag: one in a document that names it, or a launch whose file is not known.
pub(super) fn give(project: &Project, file: FileId, flag: &str) -> bool {
    may_use(project, file).any(|launch| launch.has_unknown_flags || launch.flag(flag).is_some())
}

/// Whether a command that may use this file says how processes cooperate, whatever the file says.
pub(super) fn give_mode(project: &Project, file: FileId) -> bool {
    may_use(project, file).any(|launch| {
        launch.has_unknown_flags || super::distributed_type::MODES.iter().any(|(flag, _)| launch.flag(flag).is_some())
    })
}

fn may_use(project: &Project, file: FileId) -> impl Iterator<Item = &Launch> {
    let launches = project.launches.iter().map(AsRef::as_ref);
    launches.chain(project.documented_launches()).filter(move |launch| names(project, launch, file))
}

fn names(project: &Project, launch: &Launch, file: FileId) -> bool {
    if launch.launcher != Launcher::Accelerate {
        return false;
    }
    let Some(word) = launch.flag("--config_file").and_then(|flag| flag.values.first()) else { return false };
    // A path that is not in the project may be a placeholder for any of its files.
    let of_document = project.is_documentation_snippet(launch.file);
    word.text().is_none_or(|path| match project.path_resolver.resolve(path, launch.directory.as_str()) {
        Some(found) => found == file,
        None => of_document,
    })
}

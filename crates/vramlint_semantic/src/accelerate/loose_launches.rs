//! Commands that may use a file although no launch of the project is seen to.

use vramlint_base::FileId;
use vramlint_resolve::Project;

/// Whether a command that may use this file gives the flag: one in a document that names it, or a launch whose file is not known.
pub(super) fn give(project: &Project, file: FileId, flag: &str) -> bool {
    project.launches_with_config_file(file).any(|launch| launch.has_unknown_flags || launch.flag(flag).is_some())
}

/// Whether a command that may use this file says how processes cooperate, whatever the file says.
pub(super) fn give_mode(project: &Project, file: FileId) -> bool {
    project.launches_with_config_file(file).any(|launch| {
        launch.has_unknown_flags || super::distributed_type::MODES.iter().any(|(flag, _)| launch.flag(flag).is_some())
    })
}

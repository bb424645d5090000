//! What files are because of who refers to them: the strongest evidence after a comment.

use super::{FileClass, FileKind};
use crate::project::Project;
use vramlint_base::{FileId, message};
use vramlint_catalog::flags::Launcher;
use vramlint_syntax::data::{DataFile, NodeRef};
use vramlint_syntax::shell::Word;

/// Sets the kind of every data file that a launcher or another file names in a role.
pub(crate) fn by_reference(project: &mut Project) {
    let mut found: Vec<(FileId, FileKind, String)> = Vec::new();
    for launch in &project.launches {
        let folder = project.file(launch.file).folder();
        let mut name = |word: Option<&Word>, kind: FileKind, flag: &str| {
            if let Some(id) = word.and_then(Word::text).and_then(|text| project.path_resolver.resolve(text, folder)) {
                found.push((id, kind, flag.to_owned()));
            }
        };
        for flag in &launch.flags {
            let kind = match (launch.launcher, flag.name.as_str()) {
                (Launcher::Accelerate, "--config_file") => FileKind::Accelerate,
                (_, "--deepspeed_config_file") => FileKind::DeepSpeed,
                _ => continue,
            };
            name(flag.values.first(), kind, &flag.name);
        }
        match launch.launcher {
            Launcher::LlamaFactory => name(launch.script.as_ref(), FileKind::LlamaFactory, "llamafactory-cli train"),
            Launcher::Axolotl => name(launch.script.as_ref(), FileKind::Axolotl, "axolotl train"),
            _ => {}
        }
        if launch.module.as_ref().and_then(Word::text) == Some("axolotl.cli.train") {
            name(launch.arguments.first(), FileKind::Axolotl, "axolotl.cli.train");
        }
        for option in launch.options() {
            let kind = match (launch.launcher, option.name.as_str()) {
                (_, "deepspeed" | "deepspeed_config" | "deepspeed-config" | "ds_config") => FileKind::DeepSpeed,
                (Launcher::Trl, "accelerate_config") => FileKind::Accelerate,
                (Launcher::Trl, "config") => FileKind::Trl,
                (Launcher::Tune, "config") => FileKind::Torchtune,
                _ => continue,
            };
            let text = option.value.as_ref().and_then(|value| value.text.as_deref());
            if let Some(id) = text.and_then(|text| project.path_resolver.resolve(text, folder)) {
                found.push((id, kind, format!("--{}", option.name)));
            }
        }
    }
    for (id, kind, key) in found {
        set(project, id, kind, &key);
    }
    by_other_files(project);
}

/// Paths of DeepSpeed files in accelerate's and in training files.
fn by_other_files(project: &mut Project) {
    let mut found: Vec<(FileId, &str)> = Vec::new();
    for file in &project.files {
        let Some(root) = file.data().and_then(DataFile::root) else { continue };
        let (path, key): (&[&str], &str) = match project.kind(file.id) {
            FileKind::Accelerate => (&["deepspeed_config", "deepspeed_config_file"], "deepspeed_config_file"),
            FileKind::Other | FileKind::DeepSpeed => continue,
            _ => (&["deepspeed"], "deepspeed"),
        };
        let named = root.at(path).and_then(NodeRef::text).and_then(|text| project.path_resolver.resolve(text, file.folder()));
        found.extend(named.map(|id| (id, key)));
    }
    for (id, key) in found {
        set(project, id, FileKind::DeepSpeed, key);
    }
}

/// What a run trains with is a configuration of DeepSpeed whatever its keys are: `deepspeed.initialize(config="ds.json")`.
pub(crate) fn by_runs(project: &mut Project) {
    let named: Vec<FileId> = project.runs.iter().filter_map(|run| run.deepspeed).collect();
    for id in named {
        if project.kind(id) == FileKind::Other {
            set(project, id, FileKind::DeepSpeed, "deepspeed");
        }
    }
}

fn set(project: &mut Project, id: FileId, kind: FileKind, key: &str) {
    let guess = &mut project.kinds[id.0 as usize];
    let data = project.files[id.0 as usize].data().is_some();
    // A comment in the file itself has the last word.
    let directive = super::from_directive(&project.files[id.0 as usize]).is_some();
    if data && !directive {
        *guess = FileClass { kind, confidence: 100, why: message!("`{key}` names it", "`{key}` 指向它") };
    }
}

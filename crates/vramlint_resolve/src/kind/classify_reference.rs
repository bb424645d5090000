//! What files are because of the launches and files that refer to them: the strongest evidence after a directive.

use super::{FileClass, FileKind};
use crate::launch::Launch;
use crate::path_resolver::PathResolver;
use crate::source_set::SourceSet;
use std::sync::Arc;
use vramlint_base::FileId;
use vramlint_catalog::flags::Launcher;
use vramlint_syntax::data::{DataFile, NodeRef};
use vramlint_syntax::shell::Word;

/// The files that launches name in a role.
pub(super) fn by_launches(
    sources: &SourceSet,
    path_resolver: &PathResolver,
    launches: &[Arc<Launch>],
) -> Vec<(FileId, FileClass)> {
    let mut found: Vec<(FileId, FileClass)> = Vec::new();
    for launch in launches {
        let folder = sources.file(launch.file).folder();
        let mut name = |word: Option<&Word>, kind: FileKind, flag: &str| {
            if let Some(id) = word.and_then(Word::text).and_then(|text| path_resolver.resolve(text, folder)) {
                found.push((id, FileClass::named_by(kind, flag)));
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
            if let Some(id) = text.and_then(|text| path_resolver.resolve(text, folder)) {
                found.push((id, FileClass::named_by(kind, &format!("--{}", option.name))));
            }
        }
    }
    found
}

/// The DeepSpeed files that accelerate's and training files name, given what each file is so far.
pub(super) fn by_files(sources: &SourceSet, path_resolver: &PathResolver, classes: &[FileClass]) -> Vec<(FileId, FileClass)> {
    let mut found: Vec<(FileId, FileClass)> = Vec::new();
    for file in &sources.files {
        let Some(root) = file.data().and_then(DataFile::root) else { continue };
        let (path, key): (&[&str], &str) = match classes[file.id.0 as usize].kind {
            FileKind::Accelerate => (&["deepspeed_config", "deepspeed_config_file"], "deepspeed_config_file"),
            FileKind::Other | FileKind::DeepSpeed => continue,
            _ => (&["deepspeed"], "deepspeed"),
        };
        let named = root.at(path).and_then(NodeRef::text).and_then(|text| path_resolver.resolve(text, file.folder()));
        found.extend(named.map(|id| (id, FileClass::named_by(FileKind::DeepSpeed, key))));
    }
    found
}

//! What files are because of the launches and files that refer to them: the strongest evidence after a directive.

use super::{FileClass, FileKind};
use crate::launch::Launch;
use crate::path_resolver::PathResolver;
use crate::source_set::SourceSet;
use std::sync::Arc;
use vramlint_base::FileId;
use vramlint_catalog::Dialect;
use vramlint_catalog::flags::Launcher;
use vramlint_syntax::data::{DataFile, NodeRef};
use vramlint_syntax::shell::Word;

/// The files that launches name in a role.
pub(super) fn by_launches<'a>(
    path_resolver: &PathResolver,
    launches: impl Iterator<Item = &'a Arc<Launch>>,
) -> Vec<(FileId, FileClass)> {
    let mut found: Vec<(FileId, FileClass)> = Vec::new();
    for launch in launches {
        let folder = launch.directory.as_str();
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
        if let Some(dialect) = launch.launcher.dialect.filter(|_| launch.launcher.config.is_first) {
            name(launch.script.as_ref(), FileKind::Framework(dialect), launch.launcher.name);
        }
        let module = launch.module.as_ref().and_then(Word::text).unwrap_or_default();
        if let Some(dialect) = Dialect::of_module(module)
            && dialect.modules.iter().any(|entry| entry.takes_file && entry.is(module))
        {
            name(launch.arguments.first(), FileKind::Framework(dialect), module);
        }
        for option in launch.options() {
            let (spec, option_name) = (launch.launcher.spec(), Some(option.name.as_str()));
            let kind = match option.name.as_str() {
                "deepspeed" | "deepspeed_config" | "deepspeed-config" | "ds_config" => FileKind::DeepSpeed,
                _ if option_name == spec.config.accelerate_option => FileKind::Accelerate,
                _ if option_name == spec.config.option => match spec.dialect {
                    Some(dialect) => FileKind::Framework(dialect),
                    None => continue,
                },
                _ => continue,
            };
            let text = option.value.as_ref().and_then(|value| value.text.as_deref());
            if let Some(id) = text.and_then(|text| launch.named_file(&option.name, text, path_resolver)) {
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
            kind => {
                let path = kind.dialect().map_or(&["deepspeed"] as &[&str], |dialect| dialect.deepspeed_key);
                (path, path.last().copied().unwrap_or_default())
            }
        };
        let named = root.at(path).and_then(NodeRef::text).and_then(|text| path_resolver.resolve(text, file.folder()));
        found.extend(named.map(|id| (id, FileClass::named_by(FileKind::DeepSpeed, key))));
    }
    found
}

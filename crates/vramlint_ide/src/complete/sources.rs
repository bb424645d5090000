//! Completions that do not come from one key: models, GPUs, project files, rules.

use super::builder::{CompletionBuilder, Item};
use super::target_syntax::TargetSyntax;
use super::{CompletionContext, CompletionKind};
use std::collections::BTreeSet;
use vramlint_base::Lang;
use vramlint_catalog::keys::KeyType;
use vramlint_catalog::{Concept, gpus, models};
use vramlint_resolve::{Feature, FileKind};

/// Models: those of the project, then those of the catalog.
pub(super) fn add_models(
    cx: &CompletionContext<'_>,
    completions: &mut CompletionBuilder,
    syntax: TargetSyntax,
    quoted: Option<char>,
) {
    let concepts = [Concept::Model, Concept::ReferenceModel, Concept::RewardModel];
    let settings = cx.project.runs.iter().flat_map(|run| concepts.iter().filter_map(|concept| run.settings.get(concept)));
    let named: BTreeSet<&str> = settings
        .flat_map(|setting| &setting.candidates)
        .filter_map(|candidate| candidate.known()?.as_str())
        .filter(|name| !name.is_empty() && !name.contains(['$', '{']))
        .collect();
    let model = |id: &str, detail: String, documentation: String, weight: u32| Item {
        label: id.to_owned(),
        detail,
        documentation,
        text: syntax.value(KeyType::Text, id, quoted),
        kind: CompletionKind::Model,
        deprecated: false,
        weight,
    };
    let about = |row: &models::Model| {
        let detail = format!("{} {}", billions(row.parameters), row.dtype);
        let documentation = match cx.lang {
            Lang::En => format!("{} parameters, stored as {}\n\nSource: {}", row.parameters, row.dtype, row.source),
            Lang::Zh => format!("{} 个参数，以 {} 存储\n\n出处：{}", row.parameters, row.dtype, row.source),
        };
        (detail, documentation)
    };
    for id in named {
        let project_label = match cx.lang {
            Lang::En => "used in this project",
            Lang::Zh => "此项目已使用",
        };
        let (detail, documentation) = models::find(id).map_or_else(|| (project_label.to_owned(), String::new()), about);
        completions.add(model(id, detail, documentation, 0));
    }
    for row in models::all() {
        for id in std::iter::once(&row.id).chain(row.aliases) {
            if !completions.matches_typed(id) {
                continue;
            }
            let (detail, documentation) = about(row);
            completions.add(model(id, detail, documentation, if *id == row.id { 1 } else { 2 }));
        }
    }
}

/// `8.19B`, `494M`.
#[allow(clippy::cast_precision_loss)] // far more digits than are shown
fn billions(parameters: u64) -> String {
    if parameters >= 1_000_000_000 { format!("{:.2}B", parameters as f64 / 1e9) } else { format!("{}M", parameters / 1_000_000) }
}

/// GPUs with their memory.
pub(super) fn add_gpus(cx: &CompletionContext<'_>, completions: &mut CompletionBuilder, quoted: Option<char>) {
    for gpu in gpus::all() {
        let detail = format!("{} MiB", gpu.memory_mib);
        let documentation = match cx.lang {
            Lang::En => format!("{} MiB as the driver reports\n\nSource: {}", gpu.memory_mib, gpu.source),
            Lang::Zh => format!("驱动报告 {} MiB\n\n出处：{}", gpu.memory_mib, gpu.source),
        };
        completions.add(Item {
            label: gpu.name.to_owned(),
            detail,
            documentation,
            text: TargetSyntax::Toml.value(KeyType::Text, gpu.name, quoted),
            kind: CompletionKind::Gpu,
            deprecated: false,
            weight: u32::from(gpu.vendor != "nvidia"),
        });
    }
}

/// The kind of file that a key refers to.
pub(super) fn kind_of_file(key: &str) -> Option<fn(FileKind) -> bool> {
    let name = key.trim_start_matches('-').replace('-', "_");
    match name.as_str() {
        "deepspeed" | "deepspeed_config" | "deepspeed_config_file" | "ds_config" | "deepspeed_plugin" => {
            Some(|kind| kind == FileKind::DeepSpeed)
        }
        "config_file" | "accelerate_config" => Some(|kind| kind == FileKind::Accelerate),
        "config" | "config_path" | "training_config" => Some(FileKind::is_training),
        _ => None,
    }
}

/// Project files that a key may refer to, as paths that resolve from this file.
pub(super) fn add_files(
    cx: &CompletionContext<'_>,
    completions: &mut CompletionBuilder,
    syntax: TargetSyntax,
    quoted: Option<char>,
    wanted: impl Fn(FileKind) -> bool,
) {
    let files = cx.project.files.iter().filter(|file| file.host.is_none() && file.path != cx.file.path);
    for file in files.filter(|file| wanted(cx.project.kind(file.id))) {
        add_file(cx, completions, syntax, quoted, &file.path);
    }
}

/// Programs that a launcher may start: the entry scripts of runs; without runs, the scripts that train.
pub(super) fn add_programs(cx: &CompletionContext<'_>, completions: &mut CompletionBuilder) {
    /// Files that are looked at, at most: their whole text is.
    const MAX_SCANNED: usize = 100;
    let entries: BTreeSet<_> = cx.project.runs.iter().filter_map(|run| run.entry).collect();
    for entry in &entries {
        add_file(cx, completions, TargetSyntax::Shell, None, &cx.project.file(*entry).path);
    }
    if entries.is_empty() {
        let files = cx.project.files.iter().filter(|file| file.host.is_none() && file.is_python()).take(MAX_SCANNED);
        // There is no run yet, so nothing has resolved which scripts train.
        for file in files.filter(|file| cx.project.features(file.id).has_any(&[Feature::MainGuard, Feature::TrainCall])) {
            add_file(cx, completions, TargetSyntax::Shell, None, &file.path);
        }
    }
}

fn add_file(
    cx: &CompletionContext<'_>,
    completions: &mut CompletionBuilder,
    syntax: TargetSyntax,
    quoted: Option<char>,
    path: &str,
) {
    let relative_path = relative(cx.file.folder(), path);
    // Skip files that another file of the same name shadows.
    let found = cx.project.path_resolver.resolve(relative_path, cx.file.folder());
    if found.is_some_and(|id| cx.project.file(id).path == path) {
        completions.add(Item {
            label: relative_path.to_owned(),
            detail: String::new(),
            documentation: String::new(),
            text: syntax.value(KeyType::Text, relative_path, quoted),
            kind: CompletionKind::File,
            deprecated: false,
            weight: 0,
        });
    }
}

/// A path relative to the nearest common folder.
fn relative<'a>(folder: &str, path: &'a str) -> &'a str {
    let mut base = folder;
    loop {
        if base.is_empty() {
            return path;
        }
        if let Some(rest) = path.strip_prefix(base).and_then(|rest| rest.strip_prefix('/')) {
            return rest;
        }
        base = base.rsplit_once('/').map_or("", |(above, _)| above);
    }
}

/// Rules by name, for suppressions and the configuration.
pub(super) fn add_rules(cx: &CompletionContext<'_>, completions: &mut CompletionBuilder, write: impl Fn(&str) -> String) {
    for rule in vramlint_rules::RULES.iter() {
        if !completions.matches_typed(rule.name) {
            continue;
        }
        completions.add(Item {
            label: rule.name.to_owned(),
            detail: rule.code.to_owned(),
            documentation: rule.page(cx.lang).summary,
            text: write(rule.name),
            kind: CompletionKind::Value,
            deprecated: false,
            weight: 0,
        });
    }
}

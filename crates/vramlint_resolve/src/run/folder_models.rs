//! Models in folders that the project fills itself: by a download, or as the output of another run.

use super::training_run::{FolderModel, Run};
use crate::code::{ArgValue, LibraryCall};
use crate::file_graph::FileGraph;
use std::collections::BTreeMap;
use vramlint_base::{Value, message};
use vramlint_catalog::Concept;
use vramlint_syntax::shell::{Command, Word};

/// Runs whose model is the output of a run whose model is the output of a run.
const DEPTH: usize = 4;

/// What a folder holds; `None` where several things are said of it.
type Folders = BTreeMap<String, Option<FolderModel>>;

/// Says of each run whose model is such a folder which model the folder holds.
pub(super) fn add(graph: &FileGraph, runs: &mut [Run]) {
    if !runs.iter().any(|run| run.text(Concept::Model).is_some()) {
        return;
    }
    let mut filled = Folders::new();
    for file in &graph.files {
        for command in file.script().map_or(&[][..], |script| &script.commands) {
            if let Some((folder, model)) = downloaded_by_command(command) {
                insert(&mut filled, &folder, downloaded(&folder, model));
            }
        }
    }
    for run in runs.iter() {
        for (folder, model) in run.code.iter().flat_map(|code| &code.calls).filter_map(downloaded_by_call) {
            insert(&mut filled, &folder, downloaded(&folder, model));
        }
        if let (Some(folder), Some(model)) = (output_folder(run), run.text(Concept::Model)) {
            let id = &run.id;
            let why =
                message!("{folder} is the output of {id}, which trains {model}", "{folder} 是 {id} 的输出，后者训练 {model}");
            insert(&mut filled, &folder, FolderModel { folder: folder.clone(), model: model.to_owned(), why });
        }
    }
    for run in runs {
        run.folder_model = run.text(Concept::Model).and_then(|path| held_by(&filled, path));
    }
}

fn downloaded(folder: &str, model: String) -> FolderModel {
    let why = message!("the project downloads {model} to {folder}", "项目把 {model} 下载到 {folder}");
    FolderModel { folder: folder.to_owned(), model, why }
}

fn insert(filled: &mut Folders, folder: &str, model: FolderModel) {
    let folder = normal(folder);
    // A run that continues from its own output says nothing of it.
    if folder.is_empty() || folder.contains(['$', '{', '*']) || normal(&model.model) == folder {
        return;
    }
    filled
        .entry(folder)
        .and_modify(|known| {
            if known.as_ref().is_some_and(|known| known.model != model.model) {
                *known = None;
            }
        })
        .or_insert(Some(model));
}

/// The model at the end of the chain of folders that begins with `path`.
fn held_by(filled: &Folders, path: &str) -> Option<FolderModel> {
    let mut found = filled.get(&normal(path))?.clone()?;
    path.clone_into(&mut found.folder);
    for _ in 0..DEPTH {
        match filled.get(&normal(&found.model)) {
            Some(Some(next)) => found.model.clone_from(&next.model),
            Some(None) => return None,
            None => return Some(found),
        }
    }
    None
}

/// A path without what names the same folder: `./out/` is `out`, and `out/checkpoint-500` holds a state of what `out` holds.
fn normal(path: &str) -> String {
    let path = path.trim().replace('\\', "/");
    let mut path = path.trim_end_matches('/');
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    let is_state = |name: &str| name.strip_prefix("checkpoint-").is_some_and(|step| step.chars().all(|c| c.is_ascii_digit()));
    match path.rsplit_once('/') {
        Some((folder, name)) if is_state(name) => folder.to_owned(),
        _ if path == "." => String::new(),
        _ => path.to_owned(),
    }
}

/// The folder to which a run writes its model.
fn output_folder(run: &Run) -> Option<String> {
    let option = run.launch.as_ref().and_then(|launch| {
        let is_output = |name: &str| matches!(name.replace('-', "_").as_str(), "output_dir" | "save_path");
        launch.options().into_iter().rfind(|option| is_output(&option.name))
    });
    if let Some(option) = option {
        return option.value?.text;
    }
    let mut outputs = run.code.iter().flat_map(|code| &code.calls).filter(|call| !call.uncalled).filter_map(|call| {
        let makes_arguments = call.name().ends_with("Arguments") || call.name().ends_with("Config");
        call.argument("output_dir", makes_arguments.then_some(0)).filter(|_| makes_arguments)?.constant()?.as_str()
    });
    let first = outputs.next()?;
    outputs.all(|other| other == first).then(|| first.to_owned())
}

/// `snapshot_download("ORG/NAME", local_dir = "x")` of `huggingface_hub` and of modelscope.
fn downloaded_by_call(call: &LibraryCall) -> Option<(String, String)> {
    if !matches!(call.library(), "huggingface_hub" | "modelscope") || call.name() != "snapshot_download" {
        return None;
    }
    let text = |name: &str, position: Option<usize>| {
        let value = call.argument(name, position)?.sole_value()?;
        match &value.value {
            ArgValue::Known(Value::Text(text)) => Some(text.clone()),
            _ => None,
        }
    };
    let is_model = call.lacks("repo_type", None) || text("repo_type", None).as_deref() == Some("model");
    let model = text("repo_id", Some(0)).or_else(|| text("model_id", Some(0))).filter(|_| is_model)?;
    Some((text("local_dir", None)?, model))
}

/// `huggingface-cli download`, `hf download`, `modelscope download`, `tune download` and `git clone` of the hub.
fn downloaded_by_command(command: &Command) -> Option<(String, String)> {
    let words: Vec<&str> = command.words.iter().map(|word| Word::text(word).unwrap_or("$")).collect();
    let words = match words.as_slice() {
        ["sudo", rest @ ..] => rest,
        all => all,
    };
    let (model, folder) = match words {
        ["git", "clone", rest @ ..] => {
            let mut plain = rest.iter().filter(|word| !word.starts_with('-'));
            let model = plain.next().and_then(|url| hub_id(url))?;
            let name = model.rsplit('/').next().unwrap_or(model);
            (model, plain.next().copied().unwrap_or(name))
        }
        ["huggingface-cli" | "hf" | "modelscope" | "tune", "download", rest @ ..] => {
            let folder = option(rest, &["--local-dir", "--local_dir", "--output-dir"])?;
            let is_model =
                option(rest, &["--repo-type"]).is_none_or(|kind| kind == "model") && option(rest, &["--dataset"]).is_none();
            let given = option(rest, &["--model"]);
            let mut plain = rest.iter().enumerate().filter(|(at, word)| {
                let is_value = *at > 0
                    && rest[at - 1].starts_with("--")
                    && !rest[at - 1].contains('=')
                    && rest[at - 1] != "--resume-download";
                !word.starts_with('-') && !is_value
            });
            let model = given.or_else(|| plain.next().map(|(_, word)| *word)).filter(|_| is_model)?;
            (model, folder)
        }
        _ => return None,
    };
    let is_known = |text: &str| !text.is_empty() && !text.contains('$');
    let is_id = model.split('/').count() == 2 && is_known(model);
    (is_id && is_known(folder)).then(|| (join(command.directory.as_deref(), folder), model.to_owned()))
}

/// A path from the folder in which the script starts.
fn join(directory: Option<&str>, path: &str) -> String {
    match directory {
        Some(directory) if !path.starts_with(['/', '~']) => format!("{}/{path}", directory.trim_end_matches('/')),
        _ => path.to_owned(),
    }
}

/// The value of an option: `--local-dir x`, `--local-dir=x`.
fn option<'w>(words: &[&'w str], names: &[&str]) -> Option<&'w str> {
    words.iter().enumerate().find_map(|(at, word)| match word.split_once('=') {
        Some((name, value)) if names.contains(&name) => Some(value),
        _ if names.contains(word) => words.get(at + 1).copied(),
        _ => None,
    })
}

/// `ORG/NAME` of an address of a hub.
fn hub_id(url: &str) -> Option<&str> {
    let hubs = ["https://huggingface.co/", "git@hf.co:", "https://hf-mirror.com/", "https://www.modelscope.cn/"];
    let path = hubs.iter().find_map(|hub| url.strip_prefix(hub))?;
    let path = path.strip_prefix("models/").unwrap_or(path);
    Some(path.trim_end_matches('/').trim_end_matches(".git"))
        .filter(|id| !id.starts_with("datasets/") && !id.starts_with("spaces/"))
}

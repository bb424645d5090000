//! `vramlint model`.

use crate::cli::{AddModelArgs, ModelArgs, ModelCommand};
use crate::exit::{Status, user_error};
use crate::language;
use crate::request::working_directory;
use crate::stdio::print_stdout;
use anyhow::Result;
use vramlint_base::message;
use vramlint_project::{add_model, hub_caches};
use vramlint_view::estimate::format::{parameter_count, pick};

/// Runs the subcommand.
pub(crate) fn run(args: &ModelArgs) -> Result<Status> {
    match &args.command {
        ModelCommand::Add(args) => add(args),
    }
}

/// Declares a model.
fn add(args: &AddModelArgs) -> Result<Status> {
    let lang = language::resolve(args.lang, None);
    let cwd = working_directory()?;
    let added = add_model(&args.model, args.id.as_deref(), &args.project, &cwd, &hub_caches()).map_err(user_error)?;
    let (id, size, config, file) =
        (&added.model.id, parameter_count(added.model.arch.parameters()), &added.config, &added.configuration);
    let said = if added.was_there {
        message!("{file} declares {id} already: {size} parameters, {config}", "{file} 中已有 {id}：{size} 参数，{config}")
    } else {
        message!("{file} now declares {id}: {size} parameters, {config}", "已在 {file} 中加入 {id}：{size} 参数，{config}")
    };
    let mut text = format!("{}\n", said.get(lang));
    for assumed in added.model.arch.assumptions() {
        text.push_str(&format!("  - {}\n", pick(lang, &assumed.en, &assumed.zh)));
    }
    print_stdout(&text, false)?;
    Ok(Status::Clean)
}

//! Arguments of `model`.

use crate::language;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    #[command(subcommand)]
    pub(crate) command: ModelCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// Declare a model in vramlint.toml, from a config.json, a folder, or an id in the Hugging Face cache
    Add(AddModelArgs),
}

#[derive(Debug, Args)]
pub(crate) struct AddModelArgs {
    /// Path of a config.json or of a folder that contains one, or an id in the Hugging Face cache
    #[arg(value_name = "ID|PATH")]
    pub(crate) model: String,
    /// Name that the project uses for it [default: the id, or the name of the folder]
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Folder of the project
    #[arg(long, default_value = ".", value_name = "DIR")]
    pub(crate) project: PathBuf,
    /// Language of the messages [default: from the locale]
    #[arg(long, value_enum, value_name = "LANG")]
    pub(crate) lang: Option<language::LanguageChoice>,
}

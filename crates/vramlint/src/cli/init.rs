//! Arguments of `init`.

use crate::language;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Folder of the project
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Language of the file and the messages; if given, also written to the file [default: from the locale]
    #[arg(long, value_enum, value_name = "LANG")]
    pub(crate) lang: Option<language::LanguageChoice>,
}

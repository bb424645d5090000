//! Arguments of `lsp`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct LspArgs {
    /// Use standard input and output; the default, accepted because editors pass it
    #[arg(long)]
    pub(crate) stdio: bool,
}

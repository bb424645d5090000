//! Whether output has colour: decided here and nowhere else.

use clap::ValueEnum;
use std::io::IsTerminal;

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Choice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Choice {
    /// Whether standard output gets colour. `to_file` says that the output goes to a file instead.
    pub(crate) fn decide(self, to_file: bool) -> bool {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if to_file || set("NO_COLOR") => false,
            Self::Auto => {
                set("CLICOLOR_FORCE")
                    || std::io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}

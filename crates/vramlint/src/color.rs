//! Decides whether output has color.

use clap::ValueEnum;
use std::io::IsTerminal;

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorChoice {
    /// Whether to use color on standard output. With `to_file`, the output goes to a file instead.
    pub(crate) fn resolve(self, to_file: bool) -> bool {
        let terminal = || std::io::stdout().is_terminal();
        self.resolve_with(|name| std::env::var(name).ok(), || !to_file && terminal(), to_file)
    }

    /// Precedence: `NO_COLOR` (any non-empty value), `CLICOLOR_FORCE` (any non-empty value except `0`), the terminal.
    fn resolve_with(self, variable: impl Fn(&str) -> Option<String>, terminal: impl Fn() -> bool, to_file: bool) -> bool {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if to_file || set("NO_COLOR").is_some() => false,
            Self::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
            Self::Auto => {
                let off = set("CLICOLOR").is_some_and(|value| value == "0") || set("TERM").is_some_and(|term| term == "dumb");
                !off && terminal()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(variables: &[(&str, &str)], terminal: bool) -> bool {
        let variable = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        ColorChoice::Auto.resolve_with(variable, || terminal, false)
    }

    #[test]
    fn the_environment_decides_where_no_flag_does() {
        assert!(auto(&[], true) && !auto(&[], false));
        assert!(!auto(&[("NO_COLOR", "0")], true), "any non-empty value counts");
        assert!(auto(&[("NO_COLOR", "")], true), "an empty variable counts as not set");
        assert!(auto(&[("CLICOLOR_FORCE", "1")], false) && !auto(&[("CLICOLOR_FORCE", "0")], false));
        assert!(!auto(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true));
        assert!(!auto(&[("TERM", "dumb")], true) && !auto(&[("CLICOLOR", "0")], true));
        assert!(ColorChoice::Always.resolve_with(|_| Some("1".into()), || false, true));
        assert!(!ColorChoice::Auto.resolve_with(|_| None, || true, true), "a file gets no color");
    }
}

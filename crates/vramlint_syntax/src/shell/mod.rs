//! bash and PowerShell readers, with one tree for both: the commands that a script may run, their words resolved as far as the
//! script itself tells.

mod tree;

pub use tree::*;

/// Reads a bash (sh, zsh) script.
pub fn parse_bash(text: &str) -> Script {
    todo!("{text}")
}

/// Reads a PowerShell script.
pub fn parse_powershell(text: &str) -> Script {
    todo!("{text}")
}

//! bash and PowerShell readers, with one tree for both: the commands that a script may run, their words resolved as far as the
//! script itself tells.

mod bash;
mod batch;
mod comments;
mod dotenv;
mod limits;
mod powershell;
mod scope;
mod spanned_text;
#[cfg(test)]
mod tests;
mod tree;
mod variables;

pub use tree::*;

use bash::has_blank_to_fill_in;

/// Reads a bash (sh, zsh) script.
pub fn parse_bash(text: &str) -> Script {
    bash::parse(text)
}

/// Reads a PowerShell script.
pub fn parse_powershell(text: &str) -> Script {
    powershell::parse(text)
}

/// Reads a file of variables (`.env`): assignments alone.
pub fn parse_dotenv(text: &str) -> Script {
    dotenv::parse(text)
}

/// Reads a batch file of Windows (`.bat`, `.cmd`).
pub fn parse_batch(text: &str) -> Script {
    batch::parse(text)
}
